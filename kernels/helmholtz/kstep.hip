/* SPDX-License-Identifier: BSD-3-Clause
 * The operator in steps along k: a thread keeps the points of one (j,i) for all k in registers and
 * its contraction along k there; a few planes at a time pass through LDS for those along i and j.
 * Compiled per precision. */
#include "kernels/geometry/factors_at.h"
#include "kernels/helmholtz/block_layouts.h"
#include "kernels/helmholtz/launch.h"

/* Planes that pass through LDS at a time, by n: more save reads of D, fewer save registers.  On
 * NVIDIA the fastest measured (H200, f64); on AMD those that leave three or more waves a SIMD.  Of
 * mode nodes, [HB_F64] and [HB_F32], where a thread has its columns of x, y, z beside those of u
 * and w, and a plane of each passes through LDS; two or more blocks at a time where that is faster.
 */
#ifdef HB_ON_NVIDIA
static constexpr int planes_by_n[] = {0, 0, 2, 3, 1, 1, 2, 2, 3, 3, 3, 3, 2, 4, 2, 2, 2};
static constexpr int nodes_planes_by_n[2][HB_MAX_N + 1] = {
    {0, 0, 1, 1, 2, 2, 3, 1, 1, 1, 2, 2, 1, 1, 2, 1, 2},
    {0, 0, 1, 1, 1, 1, 3, 3, 2, 3, 3, 3, 3, 2, 2, 2, 1}};
static constexpr unsigned nodes_crowded[2] = {1u << 7 | 1u << 8 | 1u << 9 | 1u << 12 | 1u << 13, 0};
#else
static constexpr int planes_by_n[] = {0, 0, 2, 3, 2, 3, 3, 3, 2, 3, 3, 2, 2, 2, 2, 2, 1};
static constexpr int nodes_planes_by_n[2][HB_MAX_N + 1] = {
    {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
static constexpr unsigned nodes_crowded[2] = {0, 0};
#endif

template <int MODE, typename real, int N> struct kstep_geometry : hb_kstep_layout<N, HB_WAVE> {
  using layout = hb_kstep_layout<N, HB_WAVE>;
  static constexpr bool nodes = MODE == HB_GEOMETRY_NODES;
  static constexpr bool formed = MODE == HB_GEOMETRY_TRILINEAR || MODE == HB_GEOMETRY_AFFINE;
  static constexpr int precision = sizeof(real) == sizeof(double) ? HB_F64 : HB_F32;
  /* Formed factors take scalar registers of AMD's, of which n = 10 has the fewest left. */
  static constexpr bool short_of_scalars = formed && N == 10 && HB_WAVE == 64;
  static constexpr int planes = nodes              ? nodes_planes_by_n[precision][N]
                                : short_of_scalars ? 2
                                                   : planes_by_n[N];
  static constexpr int waves = nodes ? 2 : N <= 3 ? 4 : N <= 8 ? 3 : 2; /* a SIMD of AMD's */
  static constexpr bool crowded = (nodes_crowded[precision] >> N & 1) != 0;
  static constexpr int nodes_blocks = crowded ? 512 / layout::threads : 0;
  /* a multiprocessor of NVIDIA's */
  static constexpr int blocks = nodes ? nodes_blocks : N >= 15 || (formed && N == 13) ? 2 : 0;
  static constexpr int row = N | 1; /* odd: few rows share a bank */
};

/* D, and for geometry that is not stored the points and weights, at which all threads look at the
 * same place at a time. */
template <int MODE, typename real, int N> struct kstep_uniform : hb_uniform_matrix<real, N> {
  hb_uniform_matrix<real, N, 2> basis;
  explicit kstep_uniform(const struct hb_device_helmholtz *h)
      : hb_uniform_matrix<real, N>(h->D, h->d_D), basis(h->basis, h->d_basis) {}
};
template <typename real, int N>
struct kstep_uniform<HB_GEOMETRY_STORED, real, N> : hb_uniform_matrix<real, N> {
  explicit kstep_uniform(const struct hb_device_helmholtz *h)
      : hb_uniform_matrix<real, N>(h->D, h->d_D) {}
};

/* What mode nodes adds: a thread's columns of x, y, z, of which a plane passes through LDS for the
 * derivatives along i and j.  Of the other modes nothing. */
template <int MODE, typename real, int N> struct kstep_positions {
  struct plane {};
  typedef typename hb_line_factors<MODE, real, N>::point point;
  __device__ explicit kstep_positions(const real *) {}
  __device__ void store(int, int, plane &) const {}
  __device__ void begin(point &) const {}
  __device__ void add(const plane &, int, int, int, real, real, point &) const {}
  __device__ void end(const kstep_uniform<MODE, real, N> &, int, int, point &) const {}
};

template <typename real, int N> struct kstep_positions<HB_GEOMETRY_NODES, real, N> {
  static constexpr int R = kstep_geometry<HB_GEOMETRY_NODES, real, N>::row;
  struct plane {
    real x[3][N * R];
  };
  typedef hb_position_point<real> point;
  real x[3][N];

  /* kept: x of the point (j,i) of plane 0; loaded here, as u's loads take enough registers. */
  __device__ explicit kstep_positions(const real *kept) {
    kept += hb_opaque_zero();
#pragma unroll
    for (int a = 0; a < 3; a++) {
#pragma unroll
      for (int k = 0; k < N; k++) x[a][k] = kept[(a * N + k) * N * N];
    }
  }
  __device__ void store(int k, int place, plane &to) const {
#pragma unroll
    for (int a = 0; a < 3; a++) to.x[a][place] = x[a][k];
  }
  __device__ void begin(point &p) const {
#pragma unroll
    for (int a = 0; a < 3; a++) p.x[0][a] = p.x[1][a] = p.x[2][a] = 0;
  }
  __device__ void add(const plane &from, int m, int j, int i, real Di, real Dj, point &p) const {
    /* xr[a] = sum_m D[i][m] x[a][k][j][m] */
    /* xs[a] = sum_m D[j][m] x[a][k][m][i] */
#pragma unroll
    for (int a = 0; a < 3; a++) {
      p.x[0][a] += Di * from.x[a][j * R + m];
      p.x[1][a] += Dj * from.x[a][m * R + i];
    }
  }
  __device__ void end(const kstep_uniform<HB_GEOMETRY_NODES, real, N> &D, int k, int zero,
                      point &p) const {
    /* xt[a] = sum_m D[k][m] x[a][m][j][i] */
#pragma unroll
    for (int m = 0; m < N; m++) {
#pragma unroll
      for (int a = 0; a < 3; a++) p.x[2][a] += D.at(k, m, zero) * x[a][m];
    }
  }
};

template <int MODE, typename real, int N, bool DIRECTION>
__global__ void HB_LAUNCH_BOUNDS((kstep_geometry<MODE, real, N>::threads),
                                 (kstep_geometry<MODE, real, N>::waves),
                                 (kstep_geometry<MODE, real, N>::blocks))
    hb_kstep(const hb_argument_data<MODE, real> argument, const kstep_uniform<MODE, real, N> D) {
  const hb_element_data<real> &data = argument.all();
  using geometry = kstep_geometry<MODE, real, N>;
  using line_factors = hb_line_factors<MODE, real, N>;
  using positions = kstep_positions<MODE, real, N>;
  constexpr int P = geometry::planes, R = geometry::row, E = geometry::elements;
  constexpr int unrolled = hb_line_unroll<N>;
  __shared__ real s_D[N * R], s_u[E][P][N * R], s_r[E][P][N * R], s_s[E][P][N * R];
  __shared__ typename positions::plane s_x[E][P];
  __shared__ double s_sum[geometry::threads / HB_WAVE];
  const int thread = static_cast<int>(threadIdx.x);
  const bool lane_used = thread < E * N * N;
  const int place = lane_used ? thread : E * N * N - 1;
  const int slot = place / (N * N), j = place % (N * N) / N, i = place % N;
  const int64_t wanted = data.begin + static_cast<int64_t>(hb_block(data.blocks)) * E + slot;
  const bool present = lane_used && wanted < data.end;
  const ptrdiff_t element = wanted < data.end ? wanted : data.end - 1;
  const line_factors factors(data, element, HB_STORED_FACTORS(data, element, N) + j * N + i, j, i);
  real u[N], w[N];

  for (int q = thread; q < N * N; q += geometry::threads) s_D[q / N * R + q % N] = data.D[q];
  constexpr int C = N <= 8 ? N : (N + 1) / 2; /* points loaded at a time */
#pragma unroll
  for (int k0 = 0; k0 < N; k0 += C) {
    hb_place places[C];
    real values[C];
#pragma unroll
    for (int q = 0; q < C; q++) /* a shorter last group takes its last point again */
      places[q] = hb_find_point<real, N>(data, element, k0 + q < N ? k0 + q : N - 1, j, i);
    if (k0 == 0) {
      hb_follow_launch();
      if (DIRECTION && hb_is_stopped(data)) return;
    }
    hb_load_points<DIRECTION, C>(data, present, places, values);
#pragma unroll
    for (int q = 0; q < C; q++)
      if (k0 + q < N) u[k0 + q] = values[q];
  }
  const positions x(HB_STORED_FACTORS(data, element, N) + j * N + i);
#pragma unroll
  for (int k = 0; k < N; k++) w[k] = 0;

#pragma unroll
  for (int k0 = 0; k0 < N; k0 += P) {
    const int zero = hb_opaque_zero();
    typename line_factors::point point[P];
    real ur[P], us[P], ut[P];
#pragma unroll
    for (int q = 0; q < P; q++) {
      if (k0 + q >= N) continue;
      factors.at(k0 + q, zero, D, point[q]);
      if (lane_used) s_u[slot][q][j * R + i] = u[k0 + q];
      if (lane_used) x.store(k0 + q, j * R + i, s_x[slot][q]);
      ur[q] = us[q] = ut[q] = 0;
      x.begin(point[q]);
    }
    __syncthreads();
    /* ur[k][j][i] = sum_m D[i][m] u[k][j][m] */
    /* us[k][j][i] = sum_m D[j][m] u[k][m][i] */
#pragma unroll unrolled
    for (int m = 0; m < N; m++) {
      const real Di = s_D[i * R + m + zero], Dj = s_D[j * R + m + zero];
#pragma unroll
      for (int q = 0; q < P; q++) {
        if (k0 + q >= N) continue;
        ur[q] += Di * s_u[slot][q][j * R + m];
        us[q] += Dj * s_u[slot][q][m * R + i];
        x.add(s_x[slot][q], m, j, i, Di, Dj, point[q]);
      }
    }
    /* ut[k][j][i] = sum_m D[k][m] u[m][j][i] */
#pragma unroll
    for (int m = 0; m < N; m++) {
#pragma unroll
      for (int q = 0; q < P; q++)
        if (k0 + q < N) ut[q] += D.at(k0 + q, m, zero) * u[m];
    }
    /* w[k][j][i] += sum_m D[m][k] gt[m][j][i] + M u[k][j][i] */
#pragma unroll
    for (int q = 0; q < P; q++) {
      if (k0 + q >= N) continue;
      x.end(D, k0 + q, zero, point[q]);
      factors.turn(point[q], ur[q], us[q], ut[q]);
      if (lane_used) {
        s_r[slot][q][j * R + i] = factors.template flux<0>(point[q], ur[q], us[q], ut[q]);
        s_s[slot][q][j * R + i] = factors.template flux<1>(point[q], ur[q], us[q], ut[q]);
      }
      const real gt = factors.template flux<2>(point[q], ur[q], us[q], ut[q]);
#pragma unroll
      for (int m = 0; m < N; m++) w[m] += D.at(k0 + q, m, zero) * gt;
      w[k0 + q] += factors.mass(point[q]) * u[k0 + q];
    }
    __syncthreads();
    /* w[k][j][i] += sum_m D[m][i] gr[k][j][m] + D[m][j] gs[k][m][i] */
#pragma unroll unrolled
    for (int m = 0; m < N; m++) {
      const real Di = s_D[m * R + i + zero], Dj = s_D[m * R + j + zero];
#pragma unroll
      for (int q = 0; q < P; q++) {
        if (k0 + q >= N) continue;
        w[k0 + q] += Di * s_r[slot][q][j * R + m] + Dj * s_s[slot][q][m * R + i];
      }
    }
  }

  double sum = 0.0;
#pragma unroll
  for (int k = 0; k < N; k++) {
    if (!present) continue;
    sum += static_cast<double>(u[k]) * static_cast<double>(w[k]);
    hb_store_point<real, N>(data, element, k, j, i, w[k]);
  }
  sum = hb_block_sum(sum, thread, geometry::threads, s_sum);
  if (thread == 0) data.partials[hb_block(data.blocks)] = sum;
}

template <int MODE>
static enum hb_status launch(const struct hb_device_helmholtz *h,
                             const hb_element_data<hb_real> &data, bool with_direction,
                             hb_local *num_partials) {
#define LAUNCH(N)                                                                                  \
  case N:                                                                                          \
    if constexpr (hb_is_built<MODE, N>)                                                            \
      return hb_launch_elements(                                                                   \
          h, "helmholtz_kstep",                                                                    \
          with_direction ? hb_kstep<MODE, hb_real, N, true> : hb_kstep<MODE, hb_real, N, false>,   \
          kstep_geometry<MODE, hb_real, N>::elements, kstep_geometry<MODE, hb_real, N>::threads,   \
          0, num_partials, data, kstep_uniform<MODE, hb_real, N>(h));                              \
    break;
  HB_SWITCH_N(h->n, LAUNCH)
#undef LAUNCH
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__, "helmholtz_kstep: n = %d, allowed 2..16",
                         h->n);
}

enum hb_status HB_REAL_NAME(hb_helmholtz_kstep)(const struct hb_device_helmholtz *h, hb_local begin,
                                                hb_local end, bool with_mass,
                                                const struct hb_device_direction *direction,
                                                const void *d_u, void *d_w,
                                                hb_local *num_partials) {
  if (begin >= end) return HB_OK;
  const hb_element_data<hb_real> data =
      hb_make_element_data<hb_real>(h, begin, end, with_mass, direction, d_u, d_w, *num_partials);
  return hb_with_mode<HB_GEOMETRY_STORED, HB_GEOMETRY_NODES, HB_GEOMETRY_TRILINEAR,
                      HB_GEOMETRY_AFFINE>(&h->geometry, [&](auto mode) {
    return launch<decltype(mode)::value>(h, data, direction != nullptr, num_partials);
  });
}
