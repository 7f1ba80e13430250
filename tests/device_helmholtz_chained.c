/* SPDX-License-Identifier: BSD-3-Clause
 * The device operator helmholtz_chained against the reference.
 * Compiled for amd. */
#include "tests/device_operator.h"

int main(void) {
  hb_helmholtz_device_apply *const apply[2] = {hb_helmholtz_chained_f64, hb_helmholtz_chained_f32};
  return hb_check_device_variant(apply, hb_helmholtz_chained_shapes);
}
