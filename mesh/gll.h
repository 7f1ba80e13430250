/* SPDX-License-Identifier: BSD-3-Clause
 * Gauss-Lobatto-Legendre points, weights and differentiation matrix on [-1, 1].
 *
 *   integral of f  ~=  sum_i weights[i] f(nodes[i])      exact for polynomials of degree 2n - 3
 *   f'(nodes[i])    =  sum_m D[i][m] f(nodes[m])         exact for polynomials of degree n - 1
 *
 * n = degree + 1 points, 2 <= n <= 16.  nodes rise from -1 to 1 and, like the weights, are
 * symmetric to the last bit.  D [n][n]; its rows sum to zero to rounding. Source: Canuto, Hussaini,
 * Quarteroni, Zang, Spectral Methods, 2006, section 2.3. */
#ifndef HB_MESH_GLL_H
#define HB_MESH_GLL_H

#include "kernels/base.h"

struct hb_gll {
  int n;
  double nodes[HB_MAX_N];
  double weights[HB_MAX_N];
  double D[HB_MAX_N * HB_MAX_N]; /* row i, column m at D[i * n + m] */
};

/* Fails with HB_BAD_INPUT for a degree outside 1..15. */
enum hb_status hb_gll_init(int degree, struct hb_gll *gll);

/* Lagrange basis: values[i] = l_i(x), i = 0..n-1, for x in [-1, 1] (exact at the nodes). */
void hb_gll_lagrange(const struct hb_gll *gll, double x, double *values);

#endif
