/* SPDX-License-Identifier: BSD-3-Clause
 * One plane of a wave's elements after the other, for the operator chained in registers.  Included
 * by chained.hip only; layout: chained_layout.h. */
#ifndef HB_KERNELS_HELMHOLTZ_CHAINED_PLANES_H
#define HB_KERNELS_HELMHOLTZ_CHAINED_PLANES_H

#include "kernels/geometry/factors_runs.h"
#include "kernels/helmholtz/chained_points.h"

/* D, of which all lanes read the same row, through scalar loads. */
template <typename real, int N> struct hb_chained_lines {
  using constant_real = const __attribute__((address_space(4))) real;
  constant_real *values;

  __device__ explicit hb_chained_lines(const real *D) : values((constant_real *)D) {}
  /* row = D[k], loaded here and not kept from before */
  __device__ void load_row(int k, real (&row)[N]) {
    __asm__ volatile("" : "+s"(values));
#pragma unroll
    for (int m = 0; m < N; m++) row[m] = values[k * N + m];
  }
  /* block = D[m...][k...], as far as there is so much of it; as above */
  template <int SIZE> __device__ void load_block(int m, int k, real (&block)[SIZE][SIZE]) {
    __asm__ volatile("" : "+s"(values));
#pragma unroll
    for (int p = 0; p < SIZE && m + p < N; p++) {
#pragma unroll
      for (int q = 0; q < SIZE && k + q < N; q++) block[p][q] = values[(m + p) * N + k + q];
    }
  }
};

template <int MODE, typename real, int N> struct hb_chained_planes {
  using layout = hb_chained_layout<real, N>;
  using matrix = typename hb_chained_tile<real>::matrix;
  static constexpr int R = layout::run, S = layout::steps;
  static constexpr bool stored = MODE == HB_GEOMETRY_STORED;
  /* Three cubes more, at two waves a SIMD. */
  static constexpr bool crowded = MODE == HB_GEOMETRY_NODES && (sizeof(real) == 4 || N == 8);
  using factors_of_runs = hb_run_factors<MODE, real, N, R>;
  using factors_of_plane = typename factors_of_runs::plane;
  using uniform_of_plane = hb_run_uniform<real>;
  /* Derivatives of the three coordinates along i and j. */
  struct positions_of_plane {
    matrix xr[3], xs[3];
  };
  /* A lane's points of a plane are an accumulator as they are, or can be moved to one; else a sum
   * is begun with 0, and added to them. */
  static constexpr bool accumulates = R == 4 || sizeof(real) == 4;
  hb_chained_matrices<real, N> constant;
  int lane; /* where the mode is nodes */

  /* w += the stiffness part of plane k; g are its factors, then those of the plane after it. */
  __device__ __forceinline__ void apply(int k, hb_chained_lines<real, N> &D,
                                        factors_of_runs &factors, factors_of_plane &g,
                                        const real (&u)[N][R], real (&w)[N][R]) {
    real line[N], ut[R];
    matrix ur, us, gr, gs, gt;
    D.load_row(k, line);
    const uniform_of_plane all = load_uniform(factors, k);
    const matrix turned_u = begin_derivatives(u[k], ur);
    hb_phase_end();
    /* ut[k][j][i] = sum_m D[k][m] u[m][j][i] */
    contract_lines(line, u, ut);
    hb_phase_end();
    us = end_derivatives(turned_u);
    hb_phase_end();
    if constexpr (stored) {
      form_fluxes(g, ur, us, ut, gr, gs, gt);
    } else {
      positions_of_plane position;
      if constexpr (MODE == HB_GEOMETRY_NODES) derive_positions(factors, k, position);
      gr = ur;
      gs = us;
      turn_to_fluxes(factors, line, position, all, g, gr, gs, ut,
                     [&](int r, real M) { w[k][r] = fma(M, u[k][r], w[k][r]); });
#pragma unroll
      for (int r = 0; r < R; r++) gt[r] = ut[r];
    }
    /* w[k][j][i] += sum_m D[m][k] gt[m][j][i] */
#pragma unroll
    for (int r = 0; r < R; r++) w[k][r] = fma(line[k], gt[r], w[k][r]);
    hb_phase_end();
    matrix sum = start_of_sum(w[k]);
    const matrix turned_gs = begin_divergence(gr, gs, sum);
    hb_phase_end();
#pragma unroll
    for (int m = 0; m < N; m++) {
      if (m == k) continue;
#pragma unroll
      for (int r = 0; r < R; r++) w[m][r] = fma(line[m], gt[r], w[m][r]);
      hb_form_here(w[m]);
    }
    hb_phase_end();
    if (k + 1 < N) factors.load(k + 1, g);
    if constexpr (!stored) hb_matrix_result_is_there();
    sum = end_divergence(turned_gs, sum);
#pragma unroll
    for (int r = 0; r < R; r++) w[k][r] = accumulates ? sum[r] : w[k][r] + sum[r];
    hb_phase_end();
  }

  /* All planes by passes along k before and after, for cubes of which only one fits beside what a
   * plane needs: the other one is parked. */

  /* ut[k][j][i] = sum_m D[k][m] u[m][j][i] */
  __device__ __forceinline__ static void derive_along_k(hb_chained_lines<real, N> &D,
                                                        const real (&u)[N][R], real (&ut)[N][R]) {
#pragma unroll
    for (int k = 0; k < N; k++) {
      real line[N];
      D.load_row(k, line);
      contract_lines(line, u, ut[k]);
      hb_park(ut[k]);
      hb_phase_end();
    }
  }
  /* Plane k: gt takes the place of u, what is not along k that of ut.  M and g are the plane's
   * factors, then those of the plane after it. */
  __device__ __forceinline__ void apply_plane(int k, factors_of_runs &factors, factors_of_plane &g,
                                              real (&M)[R], real (&u)[R], real (&ut)[R],
                                              real (&product)[R]) {
    matrix ur, gr, gs, gt, sum = {0, 0, 0, 0};
    const uniform_of_plane all = load_uniform(factors, k);
    const matrix turned_u = begin_derivatives(u, ur);
    hb_phase_end();
    const matrix us = end_derivatives(turned_u);
    hb_phase_end();
    if constexpr (stored) {
      form_fluxes(g, ur, us, ut, gr, gs, gt);
    } else {
      real turned[R];
      gr = ur;
      gs = us;
#pragma unroll
      for (int r = 0; r < R; r++) turned[r] = ut[r];
      turn_to_fluxes(factors, {}, {}, all, g, gr, gs, turned,
                     [&](int r, real mass) { M[r] = mass; });
#pragma unroll
      for (int r = 0; r < R; r++) gt[r] = turned[r];
    }
    /* u.w of the element is the sum of ur gr + us gs + ut gt + u M u */
#pragma unroll
    for (int r = 0; r < R; r++)
      product[r] = fma(ur[r], gr[r], fma(us[r], gs[r], fma(ut[r], gt[r], product[r])));
    hb_phase_end();
    const matrix turned_gs = begin_divergence(gr, gs, sum);
    hb_phase_end();
    if (k + 1 < N) factors.load(k + 1, g);
    if constexpr (!stored) hb_matrix_result_is_there();
    sum = end_divergence(turned_gs, sum);
#pragma unroll
    for (int r = 0; r < R; r++) ut[r] = sum[r];
    factors.add_mass(M, u, ut, product);
    if constexpr (!stored)
      hb_form_here(product);
    else if (k + 1 < N)
      factors.load_mass(k + 1, M);
    hb_park(ut);
#pragma unroll
    for (int r = 0; r < R; r++) u[r] = gt[r];
    hb_phase_end();
  }
  /* w[k][j][i] += sum_m D[m][k] gt[m][j][i] */
  __device__ __forceinline__ static void diverge_along_k(hb_chained_lines<real, N> &D,
                                                         const real (&gt)[N][R], real (&w)[N][R]) {
    constexpr int batch = 4; /* of planes, and of rows of D */
#pragma unroll
    for (int k = 0; k < N; k += batch) {
#pragma unroll
      for (int m = 0; m < N; m += batch) {
        real block[batch][batch];
        D.load_block(m, k, block);
#pragma unroll
        for (int q = 0; q < batch && k + q < N; q++) {
#pragma unroll
          for (int p = 0; p < batch && m + p < N; p++) {
#pragma unroll
            for (int r = 0; r < R; r++) w[k + q][r] = fma(block[p][q], gt[m + p][r], w[k + q][r]);
          }
        }
      }
#pragma unroll
      for (int q = 0; q < batch && k + q < N; q++) hb_park(w[k + q]);
      hb_phase_end();
    }
  }

private:
  /* of = sum_m line[m] x[m] */
  __device__ static __forceinline__ void contract_lines(const real (&line)[N],
                                                        const real (&x)[N][R], real (&of)[R]) {
#pragma unroll
    for (int r = 0; r < R; r++) of[r] = line[0] * x[0][r];
#pragma unroll
    for (int m = 1; m < N; m++) {
#pragma unroll
      for (int r = 0; r < R; r++) of[r] = fma(line[m], x[m][r], of[r]);
    }
  }
  /* sum += constant x, over rows */
  __device__ static __forceinline__ matrix contract_rows(const real (&operand)[R], matrix x,
                                                         matrix sum) {
#pragma unroll
    for (int s = 0; s < R; s++) sum = hb_mfma_16x16x4(operand[s], x[s], sum);
    return sum;
  }
  /* Where registers are short it is formed anew. */
  __device__ __forceinline__ real identity(int lane, int s) const {
    return crowded ? constant.form_identity(lane, s) : constant.identity[s];
  }
  /* x transposed, by the identity */
  __device__ __forceinline__ matrix turn(matrix x) const {
    matrix turned = {0, 0, 0, 0};
    const int lane = crowded ? hb_lane_again(this->lane) : 0;
#pragma unroll
    for (int s = 0; s < R; s++) turned = hb_mfma_16x16x4(x[s], identity(lane, s), turned);
    return turned;
  }

  /* ur of a plane, and the plane transposed, of which us follows */
  __device__ __forceinline__ matrix begin_derivatives(const real (&u)[R], matrix &ur) const {
    matrix plane = {0, 0, 0, 0};
#pragma unroll
    for (int r = 0; r < R; r++) plane[r] = u[r];
    const matrix turned = turn(plane);
    /* ur[k][j][i] = sum_m D[i][m] u[k][j][m] */
    ur = contract_rows(constant.rows, plane, {0, 0, 0, 0});
    return turned;
  }
  __device__ __forceinline__ matrix end_derivatives(matrix turned_u) const {
    /* us[k][j][i] = sum_m D[j][m] u[k][m][i] */
    matrix us = {0, 0, 0, 0};
#pragma unroll
    for (int s = 0; s < S; s++) us = hb_mfma_16x16x4(turned_u[s], constant.column(s), us);
    return us;
  }
  /* xr[k][j][i] = sum_m D[i][m] x[k][j][m],  xs[k][j][i] = sum_m D[j][m] x[k][m][i] */
  __device__ __forceinline__ void derive_positions(const factors_of_runs &factors, int k,
                                                   positions_of_plane &position) const {
#pragma unroll
    for (int a = 0; a < 3; a++) {
      real x[R];
#pragma unroll
      for (int r = 0; r < R; r++) x[r] = factors.position(a, k, r);
      const matrix turned = begin_derivatives(x, position.xr[a]);
      position.xs[a] = end_derivatives(turned);
      hb_phase_end();
    }
  }
  /* gr = G00 ur + G01 us + G02 ut,  gs = G01 ur + G11 us + G12 ut,  gt = G02 ur + G12 us + G22 ut;
   * us, which is there last, last */
  __device__ __forceinline__ static void form_fluxes(const factors_of_plane &g, matrix ur,
                                                     matrix us, const real (&ut)[R], matrix &gr,
                                                     matrix &gs, matrix &gt) {
    gr = gs = gt = matrix{0, 0, 0, 0};
#pragma unroll
    for (int r = 0; r < R; r++) {
      gr[r] = fma(g[0][r], ur[r], g[2][r] * ut[r]);
      gs[r] = fma(g[1][r], ur[r], g[4][r] * ut[r]);
      gt[r] = fma(g[2][r], ur[r], g[5][r] * ut[r]);
    }
    hb_phase_end();
#pragma unroll
    for (int r = 0; r < R; r++) {
      gr[r] = fma(g[1][r], us[r], gr[r]);
      gs[r] = fma(g[3][r], us[r], gs[r]);
      gt[r] = fma(g[4][r], us[r], gt[r]);
    }
  }
  /* The same in the place of ur, us and ut, where factors are not stored; M goes to mass(r, M). */
  template <typename function>
  __device__ __forceinline__ static void
  turn_to_fluxes(const factors_of_runs &factors, const real (&line)[N],
                 const positions_of_plane &position, const uniform_of_plane &all,
                 const factors_of_plane &p, matrix &ur, matrix &us, real (&ut)[R],
                 const function &mass) {
#pragma unroll
    for (int r = 0; r < R; r++) {
      real formed[4] = {ur[r], us[r], ut[r], 0};
      formed[3] = turn(factors, line, position, all, p, r, formed[0], formed[1], formed[2]);
      hb_form_here(formed);
      ur[r] = formed[0];
      us[r] = formed[1];
      ut[r] = formed[2];
      mass(r, formed[3]);
      hb_phase_end();
    }
  }
  __device__ __forceinline__ static real turn(const factors_of_runs &factors, const real (&line)[N],
                                              const positions_of_plane &position,
                                              const uniform_of_plane &all,
                                              const factors_of_plane &p, int r, real &ur, real &us,
                                              real &ut) {
    if constexpr (MODE == HB_GEOMETRY_NODES) {
      real x[3][3];
#pragma unroll
      for (int a = 0; a < 3; a++) {
        x[0][a] = position.xr[a][r];
        x[1][a] = position.xs[a][r];
        /* xt[k][j][i] = sum_m D[k][m] x[m][j][i] */
        x[2][a] = line[0] * factors.position(a, 0, r);
#pragma unroll
        for (int m = 1; m < N; m++) x[2][a] = fma(line[m], factors.position(a, m, r), x[2][a]);
      }
      return factors.turn(x, all, p, r, ur, us, ut);
    } else {
      return factors.turn(all, p, r, ur, us, ut);
    }
  }
  __device__ __forceinline__ static uniform_of_plane load_uniform(factors_of_runs &factors, int k) {
    if constexpr (stored)
      return {};
    else
      return factors.load_uniform(k);
  }
  /* w[k][j][i] += sum_m D[m][i] gr[k][j][m] + D[m][j] gs[k][m][i]: the first part, and gs
   * transposed, of which the second follows */
  __device__ __forceinline__ matrix begin_divergence(matrix gr, matrix gs, matrix &sum) const {
    sum = contract_rows(constant.rows_transposed, gr, sum);
    return turn(gs);
  }
  __device__ __forceinline__ matrix end_divergence(matrix turned_gs, matrix sum) const {
#pragma unroll
    for (int s = 0; s < S; s++)
      sum = hb_mfma_16x16x4(turned_gs[s], constant.column_transposed(s), sum);
    return sum;
  }
  __device__ __forceinline__ static matrix start_of_sum(const real (&w)[R]) {
    matrix sum = {0, 0, 0, 0};
#pragma unroll
    for (int r = 0; r < R; r++)
      if (accumulates) sum[r] = w[r];
    return sum;
  }
};

/* Sum over the lanes of the wave, on every lane. */
__device__ static inline double hb_chained_sum(double value) {
#if defined(HB_HAS_MFMA_F64)
  /* as A, times ones: row r of the tile is the sum of its lanes; then the sum of the rows */
  const hb_double4 rows = hb_mfma_16x16x4(value, 1.0, hb_double4{0, 0, 0, 0});
  const double group = rows[0] + rows[1] + rows[2] + rows[3];
  return hb_mfma_16x16x4(1.0, group, hb_double4{0, 0, 0, 0})[0];
#else
  return hb_wave_sum(value);
#endif
}

#endif
