/* SPDX-License-Identifier: BSD-3-Clause
 * The operator by matrix instructions whose results stay in registers: one wave works on a few
 * elements, plane by plane along k (chained_layout.h).  Contractions along i and j are matrix
 * instructions, the one along k is within a lane; no LDS, no barrier.
 * Compiled for amd, per precision. */
#include "kernels/helmholtz/chained_planes.h"
#include "kernels/helmholtz/launch.h"

/* Waves a SIMD, at least: each then has 512 / waves registers, on gfx908 as many of either kind as
 * half of that. */
template <typename real, int N> static constexpr int chained_waves() {
#if defined(__gfx908__)
  return N <= 12 ? 2 : 1;
#else
  return sizeof(real) == 8 ? (N <= 3 ? 3 : N <= 12 ? 2 : 1) : N <= 8 ? 4 : N <= 10 ? 3 : 2;
#endif
}

template <int MODE, typename real, int N, bool LOCAL>
__global__ void HB_LAUNCH_BOUNDS(HB_WAVE, (chained_waves<real, N>()), 0)
    hb_chained(const hb_element_data<real> data) {
#if HB_REAL_BITS == 64 ? !defined(HB_HAS_MFMA_F64) : !defined(HB_HAS_MFMA_F32)
  (void)data;
  __builtin_trap();
#else
  constexpr int R = hb_chained_layout<real, N>::run;
  /* Two cubes and a plane's work are more than the registers that arithmetic can use. */
  constexpr bool apart = sizeof(real) == 8 && N > 12;
  const int lane = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const hb_chained_points<real, N> points(data, block, lane);
  hb_run_factors<MODE, real, N, R> factors(data, points);
  hb_chained_lines<real, N> D(data.D);
  hb_chained_planes<MODE, real, N> planes;
  real u[N][R], w[N][R], g[HB_NUM_GEOMETRIC][R];

  if (LOCAL)
    points.load_local(data, u);
  else
    points.load(data, u);
  factors.load(0, g);
  planes.constant.form(data.D, lane);
  hb_phase_end();
  real product[R] = {};
  if constexpr (apart) {
    real M[R] = {};
    factors.load_mass(0, M);
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
    factors.add_mass(u, w);
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
  if (threadIdx.x == 0) data.partials[blockIdx.x] = sum;
#endif
}

template <int MODE, bool LOCAL>
static enum hb_status launch(const struct hb_device_helmholtz *h,
                             const hb_element_data<hb_real> &data, hb_local *num_partials) {
#define LAUNCH(N)                                                                                  \
  case N:                                                                                          \
    return hb_launch_elements(h, "helmholtz_chained", hb_chained<MODE, hb_real, N, LOCAL>,         \
                              hb_chained_elements(N), HB_WAVE, 0, num_partials, data);
  HB_SWITCH_N(h->n, LAUNCH)
#undef LAUNCH
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                         "helmholtz_chained: n = %d, allowed 2..16", h->n);
}

enum hb_status HB_REAL_NAME(hb_helmholtz_chained)(const struct hb_device_helmholtz *h,
                                                  hb_local begin, hb_local end, bool with_mass,
                                                  const struct hb_device_direction *direction,
                                                  const void *d_u, void *d_w,
                                                  hb_local *num_partials) {
  if (begin >= end) return HB_OK;
  const hb_element_data<hb_real> data =
      hb_make_element_data<hb_real>(h, begin, end, with_mass, direction, d_u, d_w, *num_partials);
  return hb_with_mode<HB_GEOMETRY_STORED>(&h->geometry, [&](auto mode) {
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
  return hb_with_mode<HB_GEOMETRY_STORED>(&h->geometry, [&](auto mode) {
    return launch<decltype(mode)::value, true>(h, data, num_partials);
  });
}
