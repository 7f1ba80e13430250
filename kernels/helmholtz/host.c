/* SPDX-License-Identifier: BSD-3-Clause
 * The Helmholtz operator as its equation reads: the reference for every other variant.  Frozen.
 * Compiled per precision. */
#include "kernels/helmholtz/helmholtz.h"

#include "kernels/element/blocks.h"
#include "kernels/real.h"

static void gradient(int n, const hb_real (*restrict D)[n], const hb_real (*restrict u)[n][n],
                     int k, int j, int i, hb_real g[3]) {
  g[0] = g[1] = g[2] = 0;
  for (int m = 0; m < n; m++) {
    g[0] += D[i][m] * u[k][j][m]; /* ur[k][j][i] = sum_m D[i][m] u[k][j][m] */
    g[1] += D[j][m] * u[k][m][i]; /* us[k][j][i] = sum_m D[j][m] u[k][m][i] */
    g[2] += D[k][m] * u[m][j][i]; /* ut[k][j][i] = sum_m D[k][m] u[m][j][i] */
  }
}

static void element(int n, int num_factors, bool with_mass, const hb_real *D_flat,
                    const hb_real *factors, const hb_real *u_flat, hb_real *w_flat) {
  const hb_real(*D)[n] = (const hb_real(*)[n])D_flat;
  const hb_real(*G)[n][n][num_factors] = (const hb_real(*)[n][n][num_factors])factors;
  const hb_real(*u)[n][n] = (const hb_real(*)[n][n])u_flat;
  hb_real(*w)[n][n] = (hb_real(*)[n][n])w_flat;
  hb_real gr[n][n][n], gs[n][n][n], gt[n][n][n];

  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const hb_real *g = G[k][j][i]; /* G00 G01 G02 G11 G12 G22 */
        hb_real d[3];
        gradient(n, D, u, k, j, i, d);
        gr[k][j][i] = g[0] * d[0] + g[1] * d[1] + g[2] * d[2];
        gs[k][j][i] = g[1] * d[0] + g[3] * d[1] + g[4] * d[2];
        gt[k][j][i] = g[2] * d[0] + g[4] * d[1] + g[5] * d[2];
      }

  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        hb_real sum = 0;
        for (int m = 0; m < n; m++) {
          sum += D[m][i] * gr[k][j][m]; /* w[k][j][i] += sum_m D[m][i] gr[k][j][m] */
          sum += D[m][j] * gs[k][m][i]; /* w[k][j][i] += sum_m D[m][j] gs[k][m][i] */
          sum += D[m][k] * gt[m][j][i]; /* w[k][j][i] += sum_m D[m][k] gt[m][j][i] */
        }
        if (with_mass) sum += G[k][j][i][HB_MASS_FACTOR] * u[k][j][i];
        w[k][j][i] = sum;
      }
}

void HB_REAL_NAME(hb_helmholtz_host)(int n, hb_local num_elements, int num_factors, bool with_mass,
                                     const hb_real *D, const hb_real *factors, const hb_real *u,
                                     hb_real *w) {
  const ptrdiff_t points = hb_points_per_element(n);
  HB_ASSERT(!with_mass || num_factors == HB_MAX_FACTORS);
  for (ptrdiff_t e = 0; e < num_elements; e++)
    element(n, num_factors, with_mass, D, factors + e * points * num_factors, u + e * points,
            w + e * points);
}

double HB_REAL_NAME(hb_helmholtz_host_apply)(const struct hb_helmholtz *h, hb_local block_begin,
                                             hb_local block_end, bool with_mass, const void *u,
                                             void *w) {
  const int n = h->n;
  const ptrdiff_t points = hb_points_per_element(n);
  const bool mass = with_mass && hb_geometry_has_mass(&h->geometry);
  const int num_factors = hb_geometry_num_factors(&h->geometry);
  const struct hb_blocks blocks = hb_helmholtz_blocks(h);
  const hb_real *factors = h->factors;
  hb_real *u_element = h->scratch, *w_element = u_element + points;
  double sum = 0.0;
  HB_ASSERT(h->lanes == 1);
  for (hb_local e = block_begin; e < block_end; e++) {
    HB_REAL_NAME(hb_block_load_plain)(&blocks, e, n * n, u, u_element);
    element(n, num_factors, mass, h->D, factors + e * points * num_factors, u_element, w_element);
    for (ptrdiff_t point = 0; point < points; point++)
      sum += (double)u_element[point] * (double)w_element[point];
    HB_REAL_NAME(hb_block_add_plain)(&blocks, e, n * n, w_element, w);
  }
  return sum;
}

void HB_REAL_NAME(hb_helmholtz_host_diagonal)(const struct hb_helmholtz *h, void *diagonal) {
  const int n = h->n;
  const ptrdiff_t points = hb_points_per_element(n);
  const struct hb_blocks blocks = hb_helmholtz_blocks(h);
  const hb_real(*D)[n] = h->D;
  const int num_factors = hb_geometry_num_factors(&h->geometry);
  HB_ASSERT(h->lanes == 1);
  for (hb_local e = 0; e < h->num_elements; e++) {
    const hb_real(*G)[n][n][num_factors] = (const hb_real(*)[n][n][num_factors])(
        (const hb_real *)h->factors + e * points * num_factors);
    hb_real(*d)[n][n] = h->scratch;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
          const hb_real *g = G[k][j][i];
          hb_real sum = 2 * D[i][i] * D[j][j] * g[1] + 2 * D[i][i] * D[k][k] * g[2] +
                        2 * D[j][j] * D[k][k] * g[4];
          for (int m = 0; m < n; m++)
            sum += D[m][i] * D[m][i] * G[k][j][m][0] + D[m][j] * D[m][j] * G[k][m][i][3] +
                   D[m][k] * D[m][k] * G[m][j][i][5];
          d[k][j][i] = sum + (num_factors == HB_MAX_FACTORS ? g[HB_MASS_FACTOR] : 0);
        }
    HB_REAL_NAME(hb_block_add_plain)(&blocks, e, n * n, h->scratch, diagonal);
  }
}
