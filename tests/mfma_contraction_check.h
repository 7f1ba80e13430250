/* SPDX-License-Identifier: BSD-3-Clause
 * The contraction of mfma_contraction.h alone, on cubes in memory: for checking it, not for
 * solving.
 *
 *   out(m,c) = sum_l D(m,l) in(l,c),  transposed D(l,m);  accumulated: out += that */
#ifndef HB_TESTS_MFMA_CONTRACTION_CHECK_H
#define HB_TESTS_MFMA_CONTRACTION_CHECK_H

#include "kernels/device.h"
#include "kernels/element/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Planted, for n = 8 in plain cubes: a wrong lane map. */
enum hb_contract_fault { HB_CONTRACT_RIGHT, HB_CONTRACT_LANES_SWAPPED };

struct hb_mfma_contraction {
  int n;
  enum hb_matrix_tile tile;
  enum hb_cube_layout layout;
  int axis; /* 0 i, 1 j, 2 k */
  bool transposed, accumulate, in_place;
  int wavefronts, elements; /* one block of 1 .. 16 wavefronts works on 1 .. elements */
  enum hb_contract_fault fault;
};

/* d_D [n][n]; d_in, d_out [element][k][j][i].  HB_BAD_INPUT if there is no kernel for the tile, n
 * and layout in this precision, or the elements do not fit into LDS. */
typedef enum hb_status hb_mfma_contraction_check(struct hb_device *device,
                                                 const struct hb_mfma_contraction *what,
                                                 const void *d_D, const void *d_in, void *d_out);
hb_mfma_contraction_check hb_mfma_contraction_f64, hb_mfma_contraction_f32;

#ifdef __cplusplus
}
#endif

#endif
