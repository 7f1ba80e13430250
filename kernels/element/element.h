/* SPDX-License-Identifier: BSD-3-Clause
 * Points and elements: how many points an element has inside and on its surface, and elements in
 * blocks of `lanes`.
 *
 * n points a direction, 2 <= n <= HB_MAX_N; interior points first, then those on the surface, both
 * in (k,j,i) order. */
#ifndef HB_KERNELS_ELEMENT_ELEMENT_H
#define HB_KERNELS_ELEMENT_ELEMENT_H

#include "kernels/base.h"

enum { HB_MAX_LANES = 16 };

/* On a device: bit of an entry of surface_index, set in the one element that owns the point. */
#define HB_OWNS_POINT INT32_MIN

static inline int hb_points_per_element(int n) { return n * n * n; }
static inline int hb_interior_per_element(int n) { return (n - 2) * (n - 2) * (n - 2); }
static inline int hb_surface_per_element(int n) {
  return hb_points_per_element(n) - hb_interior_per_element(n);
}
static inline hb_local hb_num_blocks(hb_local num_elements, int lanes) {
  return (hb_local)(((hb_global)num_elements + lanes - 1) / lanes);
}
/* Elements in the block: lanes, or fewer in the last one. */
static inline int hb_block_active(hb_local num_elements, int lanes, hb_local block) {
  const hb_global left = (hb_global)num_elements - (hb_global)block * lanes;
  return left < lanes ? (int)left : lanes;
}

#endif
