/* SPDX-License-Identifier: BSD-3-Clause
 * Values at points in shared memory, brought there ahead by asynchronous copies, and fluxes from
 * what a mode keeps (NVIDIA, factors_at.h). */
#ifndef HB_KERNELS_GEOMETRY_FACTORS_PIECES_H
#define HB_KERNELS_GEOMETRY_FACTORS_PIECES_H

#include "kernels/element/async_copy.h"
#include "kernels/element/even_odd.h"
#include "kernels/geometry/factors_at.h"

/* Pieces of `count` values, one a value of a point: an element's cubes, or a plane of each. */
template <int N, int COUNT> struct hb_factor_pieces {
  static constexpr int plane = N * N, cube = N * N * N;
  static constexpr int room = hb_async_room(COUNT); /* doubles for a piece */

  /* Doubles for so many sets of pieces. */
  __host__ __device__ static constexpr int size(int sets, int num_factors) {
    return sets * num_factors * room;
  }
  /* An element's values; value f from plane k on. */
  __device__ static const double *from(const hb_element_data<double> &data, int element) {
    return data.factors + static_cast<ptrdiff_t>(element) * (data.num_factors * cube);
  }
  __device__ static const double *from(const hb_element_data<double> &data, ptrdiff_t element,
                                       int f, int k) {
    return data.factors + (element * data.num_factors + f) * cube + k * plane;
  }
  /* Asks for pieces, one a lane that wants one, of which `first` is lane 0's. */
  __device__ static void stage(const double *first, bool wanted, int lane, double *to,
                               uint64_t *barrier) {
    hb_async_copy(to, room, first, cube, COUNT, wanted, lane, barrier);
  }
  /* Piece `number`, which comes from `piece`, has its first value at number * room + shift. */
  __device__ static int shift(const double *piece) {
    constexpr bool aligned = COUNT == cube && N % 2 == 0;
    return aligned ? 0 : hb_async_shift(piece);
  }
};

/* Values kept of an element, and coordinates of a point. */
template <int MODE>
constexpr int hb_element_values = MODE == HB_GEOMETRY_TRILINEAR ? HB_TRILINEAR_VALUES
                                  : MODE == HB_GEOMETRY_AFFINE  ? HB_AFFINE_VALUES
                                                                : 0;
template <int MODE> constexpr int hb_num_coordinates = MODE == HB_GEOMETRY_NODES ? 3 : 0;

/* ---- fluxes without factors -------------------------------------------------------------------
 *
 * ur, us, ut to gr, gs, gt at a point, in place, h1 being a number (1 where it varies), and h2 J
 * times weights, by which u is multiplied in M u.  Q = diag(w) D stands for D, so that weights
 * vanish: along all axes in mode nodes, along k alone in the others, where a lane has the weights
 * along i and j of its points.  There
 *     ut = sum_m Q[k][m] u[m],   and D' gt = Q' (gt / w_k). */

/* Mode nodes, from the derivatives of the coordinates by Q; a point that is not `used` has fluxes
 * of 0 if its ur, us, ut are.  With A = b x c and so on, J = a.A:
 *     g = (A, B, C).v,   v = (A ur + B us + C ut) h1 / J */
__device__ static inline double hb_nodes_flux(const double (&a)[3], const double (&b)[3],
                                              const double (&c)[3], bool used, double h1,
                                              double (&u)[3]) {
  double A[3], B[3], C[3], v[3];
  hb_cross(b, c, A);
  hb_cross(c, a, B);
  hb_cross(a, b, C);
  const double J = used ? hb_dot3(a, A) : 1.0, f = h1 * hb_reciprocal(J);
#pragma unroll
  for (int d = 0; d < 3; d++) v[d] = f * fma(u[2], C[d], fma(u[1], B[d], u[0] * A[d]));
  u[0] = hb_dot3(A, v);
  u[1] = hb_dot3(B, v);
  u[2] = hb_dot3(C, v);
  return J;
}

/* What does not change along k, of one line of points (j,i) of an element: of nodes, nothing. */
template <int MODE> struct hb_line_flux {};

template <> struct hb_line_flux<HB_GEOMETRY_AFFINE> {
  double G[HB_NUM_GEOMETRIC], M;

  /* values: of the element; w = w_i w_j; h1 and h2 are in the values. */
  __device__ void load(const double *values, double, double, double w, double, double) {
#pragma unroll
    for (int f = 0; f < HB_NUM_GEOMETRIC; f++) G[f] = w * values[f];
    M = w * values[HB_MASS_FACTOR];
  }
  template <int N>
  __device__ double flux(const hb_uniform_line<N> &line, int k, double, double (&u)[3]) const {
    const double w = line.weight[k], ur = u[0], us = u[1], ut = u[2];
    u[0] = fma(G[2], ut, w * fma(G[1], us, G[0] * ur));
    u[1] = fma(G[4], ut, w * fma(G[3], us, G[1] * ur));
    u[2] = fma(G[5] * line.inverse[k], ut, fma(G[4], us, G[2] * ur));
    return w * M;
  }
};

/* With a, b, c = xr, xs, xt, of which a and b are linear in t and c is constant:
 *     alpha, beta = a.c / c.c, b.c / c.c,   a' = a - alpha c,   b' = b - beta c,   v = ur - alpha
 * ut, z = us - beta ut,   gr = (b'.b' v - a'.b' z) f,   gs = (a'.a' z - a'.b' v) f, gt = h1 w J /
 * c.c ut - alpha gr - beta gs,   f = h1 w c.c / J which is 26 operations a point instead of 50,
 * from polynomials in t. */
template <> struct hb_line_flux<HB_GEOMETRY_TRILINEAR> {
  double alpha[2], beta[2], aa[3], ab[3], bb[3], J[3], K, M;

  /* values [3][HB_TRILINEAR_TERMS]; at r, s; w = w_i w_j */
  __device__ void load(const double *values, double r, double s, double w, double h1, double h2) {
    double a[2][3], b[2][3], c[3], ca[2][3];
#pragma unroll
    for (int d = 0; d < 3; d++) {
      const double *X = values + d * HB_TRILINEAR_TERMS; /* 1 r s t rs rt st rst */
      a[0][d] = fma(X[4], s, X[1]);
      a[1][d] = fma(X[7], s, X[5]);
      b[0][d] = fma(X[4], r, X[2]);
      b[1][d] = fma(X[7], r, X[6]);
      c[d] = fma(b[1][d], s, fma(X[5], r, X[3]));
    }
    const double cc = hb_dot3(c, c), over = hb_reciprocal(cc), scale = w * h1 * cc;
#pragma unroll
    for (int p = 0; p < 2; p++) {
      hb_cross(c, a[p], ca[p]);
      alpha[p] = over * hb_dot3(a[p], c);
      beta[p] = over * hb_dot3(b[p], c);
#pragma unroll
      for (int d = 0; d < 3; d++) {
        a[p][d] = fma(-alpha[p], c[d], a[p][d]);
        b[p][d] = fma(-beta[p], c[d], b[p][d]);
      }
    }
    product(a, a, scale, aa);
    product(a, b, scale, ab);
    product(b, b, scale, bb);
    product(ca, b, 1.0, J);
    K = w * h1 * over;
    M = w * h2;
  }
  /* Coefficients of (a0 + a1 t).(b0 + b1 t). */
  __device__ static void product(const double (&a)[2][3], const double (&b)[2][3], double scale,
                                 double (&q)[3]) {
    q[0] = scale * hb_dot3(a[0], b[0]);
    q[1] = scale * (hb_dot3(a[0], b[1]) + hb_dot3(a[1], b[0]));
    q[2] = scale * hb_dot3(a[1], b[1]);
  }
  __device__ static double at(const double (&q)[3], double t) {
    return fma(fma(q[2], t, q[1]), t, q[0]);
  }
  template <int N>
  /* t: the GLL point k */
  __device__ double flux(const hb_uniform_line<N> &line, int k, double t, double (&u)[3]) const {
    const double Jt = at(J, t), f = line.weight[k] * hb_reciprocal(Jt);
    const double al = fma(alpha[1], t, alpha[0]), be = fma(beta[1], t, beta[0]);
    const double ut = u[2] * line.inverse[k], v = fma(-al, ut, u[0]), z = fma(-be, ut, u[1]);
    const double abt = at(ab, t);
    u[0] = f * fma(-abt, z, at(bb, t) * v);
    u[1] = f * fma(-abt, v, at(aa, t) * z);
    u[2] = fma(-line.inverse[k], fma(al, u[0], be * u[1]), K * Jt * ut);
    return line.weight[k] * M * Jt;
  }
};

#endif
