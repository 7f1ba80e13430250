/* SPDX-License-Identifier: BSD-3-Clause
 * The device operator helmholtz_chained against the reference.
 * Compiled for amd. */
#include "tests/device_operator.h"

int main(void) { return hb_check_device_variant("mfma_chained"); }
