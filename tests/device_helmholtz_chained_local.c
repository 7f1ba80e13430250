/* SPDX-License-Identifier: BSD-3-Clause
 * The device operator helmholtz_chained on local vectors against the reference.
 * Compiled for amd. */
#include "tests/device_helmholtz_local.h"

int main(void) {
  const struct hb_helmholtz_variant variant = {
      .name = "mfma_chained",
      .backend = HB_BACKEND_GPU,
      .device = {.apply_local = {hb_helmholtz_chained_local_f64, hb_helmholtz_chained_local_f32},
                 .max_components = 1,
                 .shapes = hb_helmholtz_chained_shapes}};
  return hb_check_device_local(&variant);
}
