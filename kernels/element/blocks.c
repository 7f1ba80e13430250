/* SPDX-License-Identifier: BSD-3-Clause
 * Block load and add in plain loops.
 * Compiled per precision. */
#include "kernels/element/blocks.h"

#include "kernels/real.h"

void HB_REAL_NAME(hb_block_load_plain)(const struct hb_blocks *b, hb_local block,
                                       ptrdiff_t plane_stride, const hb_real *u, hb_real *values) {
  const int n = b->n, lanes = b->lanes;
  const int active = hb_block_active(b->num_elements, lanes, block);
  const hb_real *interior = u + hb_block_interior_start(b, block);
  const hb_local *surface = hb_block_surface_index(b, block);
  for (int k = 0; k < n; k++, values += (plane_stride - (ptrdiff_t)n * n) * lanes)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, values += lanes) {
        const bool inside = hb_point_is_interior(n, k, j, i);
        for (int lane = 0; lane < lanes; lane++)
          values[lane] = lane >= active ? 0 : inside ? interior[lane] : u[surface[lane]];
        if (inside)
          interior += active;
        else
          surface += lanes;
      }
}

void HB_REAL_NAME(hb_block_add_plain)(const struct hb_blocks *b, hb_local block,
                                      ptrdiff_t plane_stride, const hb_real *values, hb_real *w) {
  const int n = b->n, lanes = b->lanes;
  const int active = hb_block_active(b->num_elements, lanes, block);
  hb_real *interior = w + hb_block_interior_start(b, block);
  const hb_local *surface = hb_block_surface_index(b, block);
  for (int k = 0; k < n; k++, values += (plane_stride - (ptrdiff_t)n * n) * lanes)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, values += lanes) {
        const bool inside = hb_point_is_interior(n, k, j, i);
        for (int lane = 0; lane < active; lane++)
          if (inside)
            interior[lane] = values[lane];
          else
            w[surface[lane]] += values[lane];
        if (inside)
          interior += active;
        else
          surface += lanes;
      }
}
