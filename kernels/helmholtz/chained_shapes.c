/* SPDX-License-Identifier: BSD-3-Clause
 * Where the operator chained in registers can run, and how it lays out its work. */
#include "kernels/element/architectures.h"
#include "kernels/helmholtz/chained_layout.h"
#include "kernels/helmholtz/helmholtz_device.h"

/* One shape: a block is a wave, its elements fill the tile, and each plane's factors are asked for
 * while the plane before it is worked on. */
int hb_helmholtz_chained_shapes(const char *architecture, int n, enum hb_precision precision,
                                struct hb_shape *shapes) {
  if (!hb_architecture_has(architecture, HB_CORES_MFMA, precision)) return 0;
  if (n < 2 || n > HB_MAX_N) return 0;
  shapes[0] = (struct hb_shape){
      .tile = HB_MATRIX_16X16X4, .wavefronts = 1, .elements = hb_chained_elements(n), .ahead = 1};
  return 1;
}
