/* SPDX-License-Identifier: BSD-3-Clause
 * The device operator helmholtz_tensor on local vectors against the reference.
 * Compiled for nvidia. */
#include "tests/device_helmholtz_local.h"

int main(void) {
  const struct hb_helmholtz_variant variant = {
      .name = "tensor",
      .backend = HB_BACKEND_GPU,
      .device = {.apply_local = {hb_helmholtz_tensor_local_f64, NULL},
                 .max_components = 1,
                 .shapes = hb_helmholtz_tensor_shapes}};
  return hb_check_device_local(&variant);
}
