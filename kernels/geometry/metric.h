/* SPDX-License-Identifier: BSD-3-Clause
 * At a point of an element: from derivatives of the position to the flux, or to the factors.
 *
 *   A = xs x xt,  B = xt x xr,  C = xr x xs,  J = xr.A      (J grad r, J grad s, J grad t)
 *   v = (A ur + B us + C ut) h1 w / J;   gr = A.v,  gs = B.v,  gt = C.v;   M = h2 w J
 *
 * which is G grad u without forming G: G00 = A.A h1 w / J and so on.  w = w_i w_j w_k.  Derivatives
 * are x[direction][a], directions r s t.  Of derivatives by diag(weights) D instead of D these are
 * the same with w = 1, what is multiplied by its transpose then being gr, gs, gt.
 * Included by .hip files only. */
#ifndef HB_KERNELS_GEOMETRY_METRIC_H
#define HB_KERNELS_GEOMETRY_METRIC_H

#include "kernels/geometry/geometry.h"
#include "kernels/platform/gpu.h"

template <typename real>
__device__ static inline void hb_cross(const real (&a)[3], const real (&b)[3], real (&c)[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

template <typename real>
__device__ static inline real hb_dot3(const real (&a)[3], const real (&b)[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A, B, C and J of a point. */
template <typename real> struct hb_metric { real A[3], B[3], C[3], J; };

template <typename real>
__device__ static inline hb_metric<real> hb_form_metric(const real (&x)[3][3]) {
  hb_metric<real> metric;
  hb_cross(x[1], x[2], metric.A);
  hb_cross(x[2], x[0], metric.B);
  hb_cross(x[0], x[1], metric.C);
  metric.J = hb_dot3(x[0], metric.A);
  return metric;
}

/* gr, gs, gt in the place of ur, us, ut; h1w = h1 w. */
template <typename real>
__device__ static inline void hb_metric_flux(const hb_metric<real> &metric, real h1w, real &ur,
                                             real &us, real &ut) {
  const real scale = h1w * hb_reciprocal(metric.J);
  const real v[3] = {scale * (metric.A[0] * ur + metric.B[0] * us + metric.C[0] * ut),
                     scale * (metric.A[1] * ur + metric.B[1] * us + metric.C[1] * ut),
                     scale * (metric.A[2] * ur + metric.B[2] * us + metric.C[2] * ut)};
  ur = hb_dot3(metric.A, v);
  us = hb_dot3(metric.B, v);
  ut = hb_dot3(metric.C, v);
}

/* G and M in the order of geometry.h; h2w = h2 w, or 0 without mass. */
template <typename real>
__device__ static inline void hb_metric_factors(const hb_metric<real> &metric, real h1w, real h2w,
                                                real (&g)[HB_MAX_FACTORS]) {
  const real scale = h1w * hb_reciprocal(metric.J);
  g[0] = scale * hb_dot3(metric.A, metric.A);
  g[1] = scale * hb_dot3(metric.A, metric.B);
  g[2] = scale * hb_dot3(metric.A, metric.C);
  g[3] = scale * hb_dot3(metric.B, metric.B);
  g[4] = scale * hb_dot3(metric.B, metric.C);
  g[5] = scale * hb_dot3(metric.C, metric.C);
  g[HB_MASS_FACTOR] = h2w * metric.J;
}

/* The derivatives of a trilinear map along the line of all t at one (r, s), of which xr and xs are
 * linear in t and xt is constant: xr = r0 + r1 t, xs = s0 + s1 t. */
template <typename real> struct hb_trilinear_line {
  real r0[3], r1[3], s0[3], s1[3], t0[3];

  /* X [3][HB_TRILINEAR_TERMS]: the coefficients of 1 r s t rs rt st rst */
  template <typename kept> __device__ hb_trilinear_line(const kept *X, real r, real s) {
#pragma unroll
    for (int a = 0; a < 3; a++, X += HB_TRILINEAR_TERMS) {
      r0[a] = X[1] + X[4] * s;
      r1[a] = X[5] + X[7] * s;
      s0[a] = X[2] + X[4] * r;
      s1[a] = X[6] + X[7] * r;
      t0[a] = X[3] + X[6] * s + r * r1[a];
    }
  }
  __device__ void at(real t, real (&x)[3][3]) const {
#pragma unroll
    for (int a = 0; a < 3; a++) {
      x[0][a] = r0[a] + r1[a] * t;
      x[1][a] = s0[a] + s1[a] * t;
      x[2][a] = t0[a];
    }
  }
};

#endif
