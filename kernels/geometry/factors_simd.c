/* SPDX-License-Identifier: BSD-3-Clause
 * Geometric factors of one vector of elements (set-up costs as much as several iterations).
 * Compiled per instruction set. */
#include "kernels/geometry/factors.h"

#include <float.h>

#include "kernels/simd.h"

HB_INLINE void derivatives(const int n, const double *D, const hb_vec *x, hb_vec *xr, hb_vec *xs,
                           hb_vec *xt) {
  const struct hb_strides plain = {n, 1};
  struct hb_ahead nothing = {NULL, 0};
  /* xt[a] = sum_m D[k][m] x[a][m][j][i] */
  hb_contract(n, n * n, D, plain, x, (struct hb_strides){n * n, 1}, xt,
              (struct hb_strides){n * n, 1}, false, &nothing);
#pragma GCC unroll 1
  for (int k = 0; k < n; k++) {
    const ptrdiff_t plane = (ptrdiff_t)k * n * n;
    /* xr[a] = sum_m D[i][m] x[a][k][j][m] */
    hb_contract(n, n, D, plain, x + plane, (struct hb_strides){1, n}, xr + plane,
                (struct hb_strides){1, n}, false, &nothing);
    /* xs[a] = sum_m D[j][m] x[a][k][m][i] */
    hb_contract(n, n, D, plain, x + plane, (struct hb_strides){n, 1}, xs + plane,
                (struct hb_strides){n, 1}, false, &nothing);
  }
}

HB_INLINE void cross(const hb_vec a[3], const hb_vec b[3], hb_vec c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

HB_INLINE hb_vec dot(const hb_vec a[3], const hb_vec b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* d [direction * 3 + a][point]. */
static void point_factors(int n, const double *w, const hb_vec *d, const hb_vec *h1,
                          const hb_vec *h2, hb_vec *factors, hb_vec *mass, hb_vec *smallest) {
  const ptrdiff_t points = hb_points_per_element(n);
  for (ptrdiff_t point = 0; point < points; point++, factors += HB_MAX_FACTORS) {
    const double weight = w[point % n] * w[point / n % n] * w[point / (n * n)];
    hb_vec xr[3], xs[3], xt[3], gr[3], gs[3], gt[3];
    for (int a = 0; a < 3; a++) {
      xr[a] = d[a * points + point];
      xs[a] = d[(3 + a) * points + point];
      xt[a] = d[(6 + a) * points + point];
    }
    cross(xs, xt, gr);
    cross(xt, xr, gs);
    cross(xr, xs, gt);
    const hb_vec J = dot(xr, gr), scale = weight * h1[point] / J;
    factors[0] = scale * dot(gr, gr);
    factors[1] = scale * dot(gr, gs);
    factors[2] = scale * dot(gr, gt);
    factors[3] = scale * dot(gs, gs);
    factors[4] = scale * dot(gs, gt);
    factors[5] = scale * dot(gt, gt);
    mass[point] = weight * J;
    factors[HB_MASS_FACTOR] = h2[point] * mass[point];
    for (int lane = 0; lane < HB_SIMD_LANES; lane++)
      (*smallest)[lane] = hb_min((*smallest)[lane], J[lane]);
  }
}

#define DEFINE_ORDER(N)                                                                            \
  static void derivatives_n##N(int n, const double *D, const hb_vec *x, hb_vec *xr, hb_vec *xs,    \
                               hb_vec *xt) {                                                       \
    derivatives(HB_ORDER(N, n), D, x, xr, xs, xt);                                                 \
  }
HB_FOR_EACH_ORDER(DEFINE_ORDER)

static void form(const struct hb_geometric_input *input, double *scratch, double *factors,
                 double *mass, double *min_jacobian) {
  const int n = input->n;
  const ptrdiff_t points = hb_points_per_element(n);
  hb_vec *d = (hb_vec *)scratch;
  hb_vec smallest = (hb_vec){0} + DBL_MAX;
  for (int a = 0; a < 3; a++) {
    const hb_vec *x = (const hb_vec *)input->x + a * points;
    hb_vec *xr = d + a * points, *xs = d + (3 + a) * points, *xt = d + (6 + a) * points;
#define CASE(N)                                                                                    \
  case N: derivatives_n##N(n, input->D, x, xr, xs, xt); break;
    switch (HB_ORDER_CASE(n)) { HB_FOR_EACH_ORDER(CASE) }
#undef CASE
  }
  point_factors(n, input->weights, d, (const hb_vec *)input->h1, (const hb_vec *)input->h2,
                (hb_vec *)factors, (hb_vec *)mass, &smallest);
  hb_vec_store(min_jacobian, smallest);
}

extern const struct hb_geometric_setup HB_ISA_NAME(hb_geometric_setup);
const struct hb_geometric_setup HB_ISA_NAME(hb_geometric_setup) = {HB_SIMD_LANES, form};
