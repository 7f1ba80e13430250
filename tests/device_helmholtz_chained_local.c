/* SPDX-License-Identifier: BSD-3-Clause
 * The device operator helmholtz_chained on local vectors against the reference.
 * Compiled for amd. */
#include "kernels/helmholtz/chained_layout.h"
#include "tests/device_helmholtz_local.h"

int main(void) {
  const struct hb_helmholtz_variant variant = {
      .name = "mfma_chained",
      .backend = HB_BACKEND_GPU,
      .orders = {[HB_GEOMETRY_NODES] = HB_CHAINED_NODES & HB_RECOMPUTED_ORDERS,
                 [HB_GEOMETRY_TRILINEAR] = HB_CHAINED_TRILINEAR & HB_RECOMPUTED_ORDERS,
                 [HB_GEOMETRY_AFFINE] = HB_CHAINED_AFFINE & HB_RECOMPUTED_ORDERS},
      .device = {.apply_local = {hb_helmholtz_chained_local_f64, hb_helmholtz_chained_local_f32},
                 .max_components = 1,
                 .shapes = hb_helmholtz_chained_shapes}};
  return hb_check_device_local(&variant);
}
