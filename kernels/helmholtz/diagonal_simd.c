/* SPDX-License-Identifier: BSD-3-Clause
 * The diagonal of the Helmholtz operator, for the Jacobi preconditioner:
 *   d[k][j][i] = sum_m D[m][i]^2 G00[k][j][m] + D[m][j]^2 G11[k][m][i] + D[m][k]^2 G22[m][j][i]
 *                + 2 D[i][i] D[j][j] G01 + 2 D[i][i] D[k][k] G02 + 2 D[j][j] D[k][k] G12 + M
 * Compiled per precision and instruction set. */
#include "kernels/element/blocks.h"
#include "kernels/helmholtz/helmholtz.h"
#include "kernels/simd.h"

/* One point; factors of the block, strides in vectors. */
HB_INLINE hb_vec point_diagonal(const int n, const int num_factors, const hb_real *D,
                                const hb_vec *block, int k, int j, int i) {
  const ptrdiff_t di = num_factors, dj = di * n, dk = dj * n;
  const hb_vec *line_k = block + j * dj + i * di, *line_j = block + k * dk + i * di,
               *line_i = block + k * dk + j * dj, *g = line_i + i * di;
  const hb_real a = D[i * n + i], b = D[j * n + j], c = D[k * n + k];
  hb_vec sum = 2 * (a * b) * g[1] + 2 * (a * c) * g[2] + 2 * (b * c) * g[4];
  if (num_factors == HB_MAX_FACTORS) sum += g[HB_MASS_FACTOR];
  for (int m = 0; m < n; m++) {
    sum += D[m * n + i] * D[m * n + i] * line_i[m * di];
    sum += D[m * n + j] * D[m * n + j] * line_j[m * dj + 3];
    sum += D[m * n + k] * D[m * n + k] * line_k[m * dk + 5];
  }
  return sum;
}

void HB_ISA_NAME(hb_helmholtz_diagonal)(const struct hb_helmholtz *h, void *diagonal) {
  const int n = h->n;
  const ptrdiff_t points = hb_points_per_element(n);
  const int num_factors = hb_geometry_num_factors(&h->geometry);
  const struct hb_blocks blocks = hb_helmholtz_blocks(h);
  hb_vec *cube = h->scratch;
  HB_ASSERT(h->lanes == HB_SIMD_LANES);
  for (hb_local block = 0; block < hb_num_blocks(h->num_elements, h->lanes); block++) {
    const hb_vec *factors = (const hb_vec *)h->factors + block * points * num_factors;
    for (int k = 0, point = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++, point++)
          cube[point] = point_diagonal(n, num_factors, h->D, factors, k, j, i);
    HB_REAL_NAME(hb_block_add_plain)(&blocks, block, n * n, (const hb_real *)cube, diagonal);
  }
}
