/* SPDX-License-Identifier: BSD-3-Clause
 * Where the tensor-core variant runs: FP64 tensor cores and bulk copies, sm_90 and later. */
#include "kernels/element/architectures.h"
#include "kernels/helmholtz/helmholtz_device.h"

/* For n <= 8: warps on a multiprocessor, and groups of elements whose factors a warp has room for;
 * more of them need not be faster.  For n > 8 blocks are as they are. */
static const struct {
  int wavefronts, ahead;
} choices[] = {{4, 1}, {8, 1}, {12, 1}, {6, 1}, {8, 2}, {12, 2}};

int hb_helmholtz_tensor_shapes(const char *architecture, int n, enum hb_precision precision,
                               struct hb_shape *shapes) {
  if (!hb_architecture_has(architecture, HB_CORES_MMA, precision)) return 0;
  if (n < 4 || n > HB_MAX_N) return 0;
  if (n > 8) {
    shapes[0] = (struct hb_shape){.tile = HB_MATRIX_8X8X4, .ahead = 1};
    return 1;
  }
  const int count = (int)(sizeof choices / sizeof *choices);
  for (int c = 0; c < count; c++) {
    const int choice = n == 8 ? c : (c + 1) % count; /* four warps are the best for n = 8 alone */
    const struct hb_shape shape = {.tile = HB_MATRIX_8X8X4,
                                   .wavefronts = choices[choice].wavefronts,
                                   .ahead = choices[choice].ahead};
    (void)hb_shape_add(shapes, c, &shape);
  }
  return count;
}

/* What forms factors needs more warps than what reads them: with four of them nodes and affine took
 * 1.3 times as long as with eight at n = 8 on an H200. */
bool hb_helmholtz_tensor_has_mode(enum hb_geometry_mode mode, const struct hb_shape *shape, int n) {
  (void)n;
  return mode == HB_GEOMETRY_STORED || shape->wavefronts != 4;
}
