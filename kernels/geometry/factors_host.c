/* SPDX-License-Identifier: BSD-3-Clause
 * Geometric factors of one element as their equations read: the reference.  Frozen. */
#include "kernels/geometry/factors.h"

#include <float.h>

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void point_factors(double h1_weight, const double d[3][3], double factors[6], double *J) {
  double gr[3], gs[3], gt[3]; /* J times the gradients of r, s, t */
  cross(d[1], d[2], gr);
  cross(d[2], d[0], gs);
  cross(d[0], d[1], gt);
  *J = dot(d[0], gr);
  const double scale = h1_weight / *J;
  factors[0] = scale * dot(gr, gr);
  factors[1] = scale * dot(gr, gs);
  factors[2] = scale * dot(gr, gt);
  factors[3] = scale * dot(gs, gs);
  factors[4] = scale * dot(gs, gt);
  factors[5] = scale * dot(gt, gt);
}

void hb_geometric_factors_host(const struct hb_geometric_input *input, double *scratch,
                               double *factors, double *mass, double *min_jacobian) {
  const int n = input->n;
  const double(*D)[n] = (const double(*)[n])input->D;
  const double(*x)[n][n][n] = (const double(*)[n][n][n])input->x;
  const double *w = input->weights;
  double smallest = DBL_MAX;
  ptrdiff_t point = 0;
  (void)scratch;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, point++) {
        double d[3][3] = {{0}}, J = 0.0; /* d[direction][a] */
        for (int a = 0; a < 3; a++)
          for (int m = 0; m < n; m++) {
            d[0][a] += D[i][m] * x[a][k][j][m]; /* xr[a] = sum_m D[i][m] x[a][k][j][m] */
            d[1][a] += D[j][m] * x[a][k][m][i]; /* xs[a] = sum_m D[j][m] x[a][k][m][i] */
            d[2][a] += D[k][m] * x[a][m][j][i]; /* xt[a] = sum_m D[k][m] x[a][m][j][i] */
          }
        const double weight = w[i] * w[j] * w[k];
        double *f = factors + point * HB_MAX_FACTORS;
        point_factors(input->h1[point] * weight, (const double(*)[3])d, f, &J);
        mass[point] = weight * J;
        f[HB_MASS_FACTOR] = input->h2[point] * mass[point];
        smallest = hb_min(smallest, J);
      }
  *min_jacobian = smallest;
}
