/* SPDX-License-Identifier: BSD-3-Clause
 * The operator by matrix instructions whose results stay in registers: one wave works on a few
 * elements, plane by plane along k (chained_layout.h).  Contractions along i and j are matrix
 * instructions, the one along k is within a lane; no barrier, and LDS only for what is more than
 * registers hold of positions.
 * Compiled for amd, per precision. */
#include "kernels/helmholtz/chained_planes.h"
#include "kernels/helmholtz/launch.h"

/* Is there a kernel of this mode for n? */
template <int MODE, int N> static constexpr bool chained_has() {
  constexpr unsigned orders = MODE == HB_GEOMETRY_NODES       ? HB_CHAINED_NODES
                              : MODE == HB_GEOMETRY_TRILINEAR ? HB_CHAINED_TRILINEAR
                                                              : HB_CHAINED_AFFINE;
  return hb_is_built<MODE, N> && (MODE == HB_GEOMETRY_STORED || (orders >> N & 1) != 0);
}

/* Waves a SIMD, at least: each then has 512 / waves registers, on gfx908 as many of either kind as
 * half of that.  Positions are three more cubes, the vertices' map two dozen values. */
template <int MODE, typename real, int N> static constexpr int chained_waves() {
  constexpr bool f64 = sizeof(real) == 8;
#if defined(__gfx908__)
  return MODE == HB_GEOMETRY_NODES && N > 3 ? 1 : N <= 12 ? 2 : 1;
#else
  if (MODE == HB_GEOMETRY_NODES)
    return f64 ? (N <= 2 ? 2 : 1) : N <= 2 ? 4 : N <= 3 ? 3 : N <= 9 ? 2 : 1;
  if (MODE == HB_GEOMETRY_TRILINEAR)
    return f64 ? (N <= 2 ? 3 : N <= 6 || N == 9 || N == 10 ? 2 : 1) : N <= 2 ? 4 : N <= 11 ? 3 : 2;
  if (MODE == HB_GEOMETRY_AFFINE && !f64 && N == 8) return 3;
  return f64 ? (N <= 3 ? 3 : N <= 12 ? 2 : 1) : N <= 8 ? 4 : N <= 10 ? 3 : 2;
#endif
}

template <int MODE, typename real, int N, bool LOCAL>
__global__ void HB_LAUNCH_BOUNDS(HB_WAVE, (chained_waves<MODE, real, N>()), 0)
    hb_chained(const hb_element_data<real> data) {
#if HB_REAL_BITS == 64 ? !defined(HB_HAS_MFMA_F64) : !defined(HB_HAS_MFMA_F32)
  (void)data;
  __builtin_trap();
#else
  constexpr int R = hb_chained_layout<real, N>::run;
  /* Two cubes and a plane's work are more than the registers that arithmetic can use. */
  constexpr bool apart = sizeof(real) == 8 && N > 12;
  hb_follow_launch();
  if (!LOCAL && hb_is_stopped(data)) return;
  const int lane = static_cast<int>(threadIdx.x), block = hb_block(data.blocks);
  const hb_chained_points<real, N> points(data, block, lane);
  hb_run_factors<MODE, real, N, R> factors(data, points);
  hb_chained_lines<real, N> D(data.D);
  hb_chained_planes<MODE, real, N> planes;
  real u[N][R], w[N][R];
  typename hb_run_factors<MODE, real, N, R>::plane g;

  if (LOCAL)
    points.load_local(data, u);
  else
    points.load(data, u);
  if constexpr (MODE != HB_GEOMETRY_STORED) {
    if constexpr (MODE == HB_GEOMETRY_NODES && sizeof(real) == 8 && N > 9) { /* room for x */
#pragma unroll
      for (int k = 0; k < N; k++) hb_park(u[k]);
    }
    hb_phase_end();
    factors.begin(data, points);
  }
  factors.load(0, g);
  planes.constant.form(data.D, lane);
  if constexpr (MODE == HB_GEOMETRY_NODES) {
    planes.constant.weigh(data.basis + N, lane);
    planes.lane = lane;
  }
  hb_phase_end();
  real product[R] = {};
  if constexpr (apart) {
    real M[R] = {};
    if constexpr (MODE == HB_GEOMETRY_STORED) factors.load_mass(0, M);
    planes.derive_along_k(D, u, w);
#pragma unroll
    for (int k = 0; k < N; k++) planes.apply_plane(k, factors, g, M, u[k], w[k], product);
    planes.diverge_along_k(D, u, w);
  } else {
#pragma unroll
    for (int k = 0; k < N; k++) {
#pragma unroll
      for (int r = 0; r < R; r++) w[k][r] = 0;
    }
    constexpr int half = N / 2; /* one loop can be more than the compiler unrolls */
#pragma unroll
    for (int k = 0; k < half; k++) planes.apply(k, D, factors, g, u, w);
#pragma unroll
    for (int k = half; k < N; k++) planes.apply(k, D, factors, g, u, w);
    if constexpr (MODE == HB_GEOMETRY_STORED) factors.add_mass(u, w);
  }

  /* Where registers are short, lanes' places are found anew. */
  constexpr bool anew = sizeof(real) == 8 ? N > 8 : N > 6;
  const hb_chained_points<real, N> &after =
      anew ? hb_chained_points<real, N>(data, block, hb_lane_again(lane)) : points;
  if (LOCAL)
    after.store_local(data, w);
  else
    after.store(data, w);
  const double sum = hb_chained_sum(apart ? after.sum_of_slots(product) : after.product(u, w));
  if (threadIdx.x == 0) data.partials[block] = sum;
#endif
}

template <int MODE, bool LOCAL>
static enum hb_status launch(const struct hb_device_helmholtz *h,
                             const hb_element_data<hb_real> &data, hb_local *num_partials) {
#define LAUNCH(N)                                                                                  \
  case N:                                                                                          \
    if constexpr (chained_has<MODE, N>())                                                          \
      return hb_launch_elements(h, "helmholtz_chained", hb_chained<MODE, hb_real, N, LOCAL>,       \
                                hb_chained_elements(N), HB_WAVE, 0, num_partials, data);           \
    break;
  HB_SWITCH_N(h->n, LAUNCH)
#undef LAUNCH
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                         "helmholtz_chained: n = %d of geometry %s was not built", h->n,
                         hb_geometry_mode_name(h->geometry.mode));
}

enum hb_status HB_REAL_NAME(hb_helmholtz_chained)(const struct hb_device_helmholtz *h,
                                                  hb_local begin, hb_local end, bool with_mass,
                                                  const struct hb_device_direction *direction,
                                                  const void *d_u, void *d_w,
                                                  hb_local *num_partials) {
  if (begin >= end) return HB_OK;
  const hb_element_data<hb_real> data =
      hb_make_element_data<hb_real>(h, begin, end, with_mass, direction, d_u, d_w, *num_partials);
  return hb_with_mode<HB_GEOMETRY_STORED, HB_GEOMETRY_NODES, HB_GEOMETRY_TRILINEAR,
                      HB_GEOMETRY_AFFINE>(&h->geometry, [&](auto mode) {
    return launch<decltype(mode)::value, false>(h, data, num_partials);
  });
}

enum hb_status HB_REAL_NAME(hb_helmholtz_chained_local)(const struct hb_device_helmholtz *h,
                                                        int components, hb_local begin,
                                                        hb_local end, bool with_mass,
                                                        const void *d_u, void *d_w,
                                                        hb_local *num_partials) {
  if (components != 1)
    return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                           "helmholtz_chained: %d components, allowed 1", components);
  if (begin >= end) return HB_OK;
  const hb_element_data<hb_real> data =
      hb_make_element_data<hb_real>(h, begin, end, with_mass, nullptr, d_u, d_w, *num_partials);
  return hb_with_mode<HB_GEOMETRY_STORED, HB_GEOMETRY_NODES, HB_GEOMETRY_TRILINEAR,
                      HB_GEOMETRY_AFFINE>(&h->geometry, [&](auto mode) {
    return launch<decltype(mode)::value, true>(h, data, num_partials);
  });
}
