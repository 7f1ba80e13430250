/* SPDX-License-Identifier: BSD-3-Clause
 * From assembled vectors to one block of elements and back, in plain loops for any number of lanes:
 * for the reference, the diagonal, set-up and tests.  Layouts as in helmholtz.h. */
#ifndef HB_KERNELS_ELEMENT_BLOCKS_H
#define HB_KERNELS_ELEMENT_BLOCKS_H

#include "kernels/element/element.h"

/* Elements in blocks of `lanes`, and where their surface points are in an assembled vector. */
struct hb_blocks {
  int n, lanes;
  hb_local num_elements;
  const hb_local *surface_index; /* borrowed: [block][surface point][lane] */
};

/* First entry in the assembled vector of a block's interior points, and the entry of an interior
 * point's lane 0 after it: start + interior point * active lanes. */
static inline ptrdiff_t hb_block_interior_start(const struct hb_blocks *b, hb_local block) {
  return (ptrdiff_t)block * b->lanes * hb_interior_per_element(b->n);
}

static inline const hb_local *hb_block_surface_index(const struct hb_blocks *b, hb_local block) {
  return b->surface_index + (ptrdiff_t)block * b->lanes * hb_surface_per_element(b->n);
}

/* True if a point of an element lies inside it. */
static inline bool hb_point_is_interior(int n, int k, int j, int i) {
  return k > 0 && k < n - 1 && j > 0 && j < n - 1 && i > 0 && i < n - 1;
}

/* values [k][j][i][lane] = the block's points of u; missing lanes are set to zero.  Planes k are
 * plane_stride >= n^2 points apart. */
void hb_block_load_plain_f64(const struct hb_blocks *b, hb_local block, ptrdiff_t plane_stride,
                             const double *u, double *values);
void hb_block_load_plain_f32(const struct hb_blocks *b, hb_local block, ptrdiff_t plane_stride,
                             const float *u, float *values);

/* Stores interior points of values [k][j][i][lane] in w and adds surface points to it; planes as
 * above. */
void hb_block_add_plain_f64(const struct hb_blocks *b, hb_local block, ptrdiff_t plane_stride,
                            const double *values, double *w);
void hb_block_add_plain_f32(const struct hb_blocks *b, hb_local block, ptrdiff_t plane_stride,
                            const float *values, float *w);

#endif
