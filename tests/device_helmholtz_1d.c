/* SPDX-License-Identifier: BSD-3-Clause
 * The device operator helmholtz_1d against the reference. */
#include "tests/device_operator.h"

int main(void) {
  hb_helmholtz_device_apply *const apply[2] = {hb_helmholtz_1d_f64, hb_helmholtz_1d_f32};
  return hb_check_device_variant(apply, NULL);
}
