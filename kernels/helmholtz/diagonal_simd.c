/* SPDX-License-Identifier: BSD-3-Clause
 * The diagonal of the Helmholtz operator, for the Jacobi preconditioner:
 *   d[k][j][i] = sum_m D[m][i]^2 G00[k][j][m] + D[m][j]^2 G11[k][m][i] + D[m][k]^2 G22[m][j][i]
 *                + 2 D[i][i] D[j][j] G01 + 2 D[i][i] D[k][k] G02 + 2 D[j][j] D[k][k] G12 + M
 * Compiled per precision and instruction set. */
#include "kernels/element/blocks.h"
#include "kernels/helmholtz/simd_geometry.h"

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

/* G of a point with this metric, and M behind it. */
HB_INLINE void store_metric(const struct hb_simd_metric *metric, hb_vec h1w, hb_vec h2w,
                            bool with_mass, hb_vec *g) {
  const hb_vec scale = h1w / metric->J;
  g[0] = scale * hb_simd_dot(metric->A, metric->A);
  g[1] = scale * hb_simd_dot(metric->A, metric->B);
  g[2] = scale * hb_simd_dot(metric->A, metric->C);
  g[3] = scale * hb_simd_dot(metric->B, metric->B);
  g[4] = scale * hb_simd_dot(metric->B, metric->C);
  g[5] = scale * hb_simd_dot(metric->C, metric->C);
  if (with_mass) g[HB_MASS_FACTOR] = h2w * metric->J;
}

/* Factors [k][j][i][f] of a block whose geometry is not stored. */
static void form_factors(const struct hb_simd_geometry *geometry, hb_vec *g) {
  const int n = geometry->n;
  const enum hb_geometry_mode mode = geometry->geometry->mode;
  const bool with_mass = hb_geometry_has_mass(geometry->geometry);
  const int num_factors = hb_geometry_num_factors(geometry->geometry);
  if (mode == HB_GEOMETRY_NODES) hb_simd_derive_along_k(n, geometry);
  for (int k = 0, point = 0; k < n; k++) {
    if (mode == HB_GEOMETRY_NODES) hb_simd_derive_in_plane(n, geometry, k);
    for (int j = 0; j < n; j++) {
      struct hb_simd_line line;
      if (mode == HB_GEOMETRY_TRILINEAR)
        line = hb_simd_line(geometry->elements, geometry->nodes[j], geometry->nodes[k]);
      for (int i = 0; i < n; i++, point++, g += num_factors) {
        const hb_real *w = geometry->weights, weight = w[i] * w[j] * w[k];
        hb_vec h1, h2;
        hb_simd_coefficients(geometry, point, &h1, &h2);
        if (mode == HB_GEOMETRY_AFFINE) { /* which has h1 and h2 in it where they do not vary */
          const bool varying = geometry->num_coefficients > 0;
          for (int f = 0; f < num_factors; f++) {
            g[f] = weight * geometry->elements[f];
            if (varying) g[f] *= f == HB_MASS_FACTOR ? h2 : h1;
          }
          continue;
        }
        const struct hb_simd_map map = mode == HB_GEOMETRY_TRILINEAR
                                           ? hb_simd_map_on_line(&line, geometry->nodes[i])
                                           : hb_simd_map_of_nodes(geometry, k, j * n + i);
        const struct hb_simd_metric metric = hb_simd_form_metric(&map);
        store_metric(&metric, weight * h1, weight * h2, with_mass, g);
      }
    }
  }
}

void HB_ISA_NAME(hb_helmholtz_diagonal)(const struct hb_helmholtz *h, void *diagonal) {
  const int n = h->n;
  const ptrdiff_t points = hb_points_per_element(n);
  const int num_factors = hb_geometry_num_factors(&h->geometry);
  const struct hb_blocks blocks = hb_helmholtz_blocks(h);
  hb_vec *cube = h->scratch, *formed = cube + points, *work = formed + num_factors * points;
  HB_ASSERT(h->lanes == HB_SIMD_LANES);
  for (hb_local block = 0; block < hb_num_blocks(h->num_elements, h->lanes); block++) {
    const struct hb_simd_geometry geometry = hb_simd_geometry_of(h, block, work);
    const bool stored = h->geometry.mode == HB_GEOMETRY_STORED;
    if (!stored) form_factors(&geometry, formed);
    const hb_vec *factors = stored ? geometry.points : formed;
    for (int k = 0, point = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++, point++)
          cube[point] = point_diagonal(n, num_factors, h->D, factors, k, j, i);
    HB_REAL_NAME(hb_block_add_plain)(&blocks, block, n * n, (const hb_real *)cube, diagonal);
  }
}
