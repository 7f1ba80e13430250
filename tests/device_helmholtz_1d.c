/* SPDX-License-Identifier: BSD-3-Clause
 * The device operator helmholtz_1d against the reference. */
#include "tests/device_operator.h"

int main(void) { return hb_check_device_variant("1d"); }
