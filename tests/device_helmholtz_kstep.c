/* SPDX-License-Identifier: BSD-3-Clause
 * The device operator helmholtz_kstep against the reference. */
#include "tests/device_operator.h"

int main(void) { return hb_check_device_variant("kstep"); }
