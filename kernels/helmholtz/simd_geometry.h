/* SPDX-License-Identifier: BSD-3-Clause
 * How the host's vectorised kernels come by the geometry of a plane of points where factors are not
 * stored: nodes, trilinear, affine (geometry.h).
 *
 *   A = xs x xt,  B = xt x xr,  C = xr x xs,  J = xr.A;   v = (A ur + B us + C ut) h1 w / J
 *   gr = A.v,  gs = B.v,  gt = C.v;   M = h2 w J
 *
 * Included by files compiled per precision and instruction set.  Shapes in vectors of elements:
 * points [k][j][i][f], elements [v], as the geometry's mode keeps them of a block. */
#ifndef HB_KERNELS_HELMHOLTZ_SIMD_GEOMETRY_H
#define HB_KERNELS_HELMHOLTZ_SIMD_GEOMETRY_H

#include "kernels/helmholtz/helmholtz.h"
#include "kernels/simd.h"

/* What a block keeps, and where derivatives of the coordinates go. */
struct hb_simd_geometry {
  int n, num_values, num_coefficients; /* at a point */
  const struct hb_geometry *geometry;
  const hb_real *D, *nodes, *weights; /* [n][n], [n], [n] */
  const hb_vec *points, *elements;    /* of the block */
  /* Nodes alone: xt [a][k][j][i], and of a plane xr, xs [a][j][i]. */
  hb_vec *xt, *xr, *xs;
};

/* xr, xs, xt, directions first, at a point. */
struct hb_simd_map {
  hb_vec x[3][3];
};

struct hb_simd_metric {
  hb_vec A[3], B[3], C[3], J;
};

HB_INLINE void hb_simd_cross(const hb_vec a[3], const hb_vec b[3], hb_vec c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

HB_INLINE hb_vec hb_simd_dot(const hb_vec a[3], const hb_vec b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

HB_INLINE struct hb_simd_metric hb_simd_form_metric(const struct hb_simd_map *map) {
  struct hb_simd_metric metric;
  hb_simd_cross(map->x[1], map->x[2], metric.A);
  hb_simd_cross(map->x[2], map->x[0], metric.B);
  hb_simd_cross(map->x[0], map->x[1], metric.C);
  metric.J = hb_simd_dot(map->x[0], metric.A);
  return metric;
}

/* h1 and h2 at a point of the block. */
HB_INLINE void hb_simd_coefficients(const struct hb_simd_geometry *g, int point, hb_vec *h1,
                                    hb_vec *h2) {
  const hb_vec *own = g->points + (point + 1) * g->num_values - g->num_coefficients;
  *h1 = (hb_vec){0} + (hb_real)g->geometry->h1;
  *h2 = (hb_vec){0} + (hb_real)g->geometry->h2;
  if (g->num_coefficients > 0) *h1 = own[0];
  if (g->num_coefficients > 1) *h2 = own[1];
}

/* The trilinear map along a line of i: xr is constant there, xs and xt are linear in r. */
struct hb_simd_line {
  hb_vec r[3], s0[3], s1[3], t0[3], t1[3];
};
HB_INLINE struct hb_simd_line hb_simd_line(const hb_vec *X, hb_real s, hb_real t) {
  struct hb_simd_line line;
#pragma GCC unroll 3
  for (int a = 0; a < 3; a++, X += HB_TRILINEAR_TERMS) { /* 1 r s t rs rt st rst */
    line.s1[a] = X[4] + X[7] * t;
    line.t1[a] = X[5] + X[7] * s;
    line.r[a] = X[1] + X[5] * t + s * line.s1[a];
    line.s0[a] = X[2] + X[6] * t;
    line.t0[a] = X[3] + X[6] * s;
  }
  return line;
}

/* The map at point (k,j,i) of nodes, whose derivatives are there, or on a line. */
HB_INLINE struct hb_simd_map hb_simd_map_of_nodes(const struct hb_simd_geometry *g, int k,
                                                  int in_plane) {
  const int plane = g->n * g->n;
  struct hb_simd_map map;
#pragma GCC unroll 3
  for (int a = 0; a < 3; a++) {
    map.x[0][a] = g->xr[a * plane + in_plane];
    map.x[1][a] = g->xs[a * plane + in_plane];
    map.x[2][a] = g->xt[(a * g->n + k) * plane + in_plane];
  }
  return map;
}
HB_INLINE struct hb_simd_map hb_simd_map_on_line(const struct hb_simd_line *line, hb_real r) {
  struct hb_simd_map map;
#pragma GCC unroll 3
  for (int a = 0; a < 3; a++) {
    map.x[0][a] = line->r[a];
    map.x[1][a] = line->s0[a] + line->s1[a] * r;
    map.x[2][a] = line->t0[a] + line->t1[a] * r;
  }
  return map;
}

/* xt[a][k][j][i] = sum_m D[k][m] x[a][m][j][i] of the whole block. */
HB_INLINE void hb_simd_derive_along_k(const int n, const struct hb_simd_geometry *g) {
  const struct hb_strides plain = {n, 1}, along_k = {n * n, 1};
  const struct hb_strides kept = {n * n * g->num_values, g->num_values};
  struct hb_ahead nothing = {NULL, 0};
#pragma GCC unroll 1
  for (int a = 0; a < 3; a++)
    hb_contract(n, n * n, g->D, plain, g->points + a, kept, g->xt + a * n * n * n, along_k, false,
                &nothing);
}

/* Of plane k:  xr[a][k][j][i] = sum_m D[i][m] x[a][k][j][m],
 *              xs[a][k][j][i] = sum_m D[j][m] x[a][k][m][i] */
HB_INLINE void hb_simd_derive_in_plane(const int n, const struct hb_simd_geometry *g, int k) {
  const int v = g->num_values;
  const struct hb_strides plain = {n, 1}, along_i = {1, n}, along_j = {n, 1};
  const struct hb_strides kept_i = {v, n * v}, kept_j = {n * v, v};
  const hb_vec *plane = g->points + (ptrdiff_t)k * n * n * v;
  struct hb_ahead nothing = {NULL, 0};
#pragma GCC unroll 1
  for (int a = 0; a < 3; a++) {
    hb_contract(n, n, g->D, plain, plane + a, kept_i, g->xr + a * n * n, along_i, false, &nothing);
    hb_contract(n, n, g->D, plain, plane + a, kept_j, g->xs + a * n * n, along_j, false, &nothing);
  }
}

/* What a block of the operator keeps; work: 3 n^3 + 6 n^2 vectors. */
HB_INLINE struct hb_simd_geometry hb_simd_geometry_of(const struct hb_helmholtz *h, hb_local block,
                                                      hb_vec *work) {
  const int n = h->n, values = hb_geometry_num_point_values(&h->geometry);
  const ptrdiff_t cube = hb_points_per_element(n);
  struct hb_simd_geometry g;
  g.n = n;
  g.num_values = values;
  g.num_coefficients = hb_geometry_num_coefficients(&h->geometry);
  g.geometry = &h->geometry;
  g.D = h->D;
  g.nodes = h->basis;
  g.weights = g.nodes + n;
  g.points = (const hb_vec *)h->factors + block * cube * values;
  g.elements =
      (const hb_vec *)h->elements + (ptrdiff_t)block * hb_geometry_num_element_values(&h->geometry);
  g.xt = work;
  g.xr = work + 3 * cube;
  g.xs = g.xr + 3 * n * n;
  return g;
}

#endif
