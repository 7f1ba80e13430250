/* SPDX-License-Identifier: BSD-3-Clause
 * Geometric factors that an operator reads at a point: which they are, and how many.
 *
 *   f = G00 G01 G02 G11 G12 G22 and, where num_factors is 7, M        (helmholtz.h)
 *
 * On the host [block][k][j][i][f][lane], on a device [element][f][k][j][i]. */
#ifndef HB_KERNELS_GEOMETRY_GEOMETRY_H
#define HB_KERNELS_GEOMETRY_GEOMETRY_H

#include "kernels/element/element.h"

enum { HB_NUM_GEOMETRIC = 6, HB_MASS_FACTOR = 6, HB_MAX_FACTORS = 7 };

static inline hb_global hb_factor_count(int n, int lanes, int num_factors, hb_local num_elements) {
  return (hb_global)hb_num_blocks(num_elements, lanes) * lanes * num_factors *
         hb_points_per_element(n);
}

#endif
