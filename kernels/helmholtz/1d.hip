/* SPDX-License-Identifier: BSD-3-Clause
 * The operator with the points of an element strided over the threads of a block (in the
 * literature the 1D strategy): one cube in LDS, which holds u, then each of gr, gs, gt in turn.
 * Compiled per precision. */
#include "kernels/geometry/factors_at.h"
#include "kernels/helmholtz/block_layouts.h"
#include "kernels/helmholtz/launch.h"

template <int N> struct line_geometry : hb_line_layout<N, HB_WAVE> {
  using layout = hb_line_layout<N, HB_WAVE>;
  static constexpr int waves = N <= 6 ? 4 : N <= 8 ? 3 : 2; /* a SIMD of AMD's, at least */
  static constexpr int blocks =
      N <= 9 ? 1024 / layout::threads : 1; /* a multiprocessor of NVIDIA's */
  static constexpr int row = N | 1;        /* odd: no two rows share a bank */
};

/* The derivatives of kept positions at a thread's points, by way of the cube, one coordinate after
 * the other; of the other modes nothing.  stored: of the element's first point. */
template <int MODE, int N, typename real, typename point, int Q>
__device__ static inline void
derive_positions(const real *stored, const int (&k)[Q], const int (&j)[Q], const int (&i)[Q],
                 const bool (&used)[Q], const real *s_D, real *cube, point (&points)[Q]) {
  constexpr int R = line_geometry<N>::row, unrolled = hb_line_unroll<N>;
  if constexpr (MODE == HB_GEOMETRY_NODES) {
#pragma unroll
    for (int a = 0; a < 3; a++) {
#pragma unroll
      for (int q = 0; q < Q; q++) {
        const real x = stored[((a * N + k[q]) * N + j[q]) * N + i[q]];
        if (used[q]) cube[(k[q] * N + j[q]) * R + i[q]] = x;
      }
      __syncthreads();
      /* xr[a] = sum_m D[i][m] x[a][k][j][m] */
      /* xs[a] = sum_m D[j][m] x[a][k][m][i] */
      /* xt[a] = sum_m D[k][m] x[a][m][j][i] */
#pragma unroll
      for (int q = 0; q < Q; q++) {
        real xr = 0, xs = 0, xt = 0;
#pragma unroll unrolled
        for (int m = 0; m < N; m++) {
          xr += s_D[i[q] * R + m] * cube[(k[q] * N + j[q]) * R + m];
          xs += s_D[j[q] * R + m] * cube[(k[q] * N + m) * R + i[q]];
          xt += s_D[k[q] * R + m] * cube[(m * N + j[q]) * R + i[q]];
        }
        points[q].x[0][a] = xr;
        points[q].x[1][a] = xs;
        points[q].x[2][a] = xt;
      }
      __syncthreads();
    }
  }
}

template <int MODE, typename real, int N, bool DIRECTION>
__global__ void HB_LAUNCH_BOUNDS(line_geometry<N>::threads, line_geometry<N>::waves,
                                 line_geometry<N>::blocks) hb_1d(const hb_element_data<real> data) {
  using geometry = line_geometry<N>;
  constexpr int Q = geometry::per_thread, T = geometry::per_element, R = geometry::row;
  constexpr int unrolled = hb_line_unroll<N>;
  __shared__ real s_D[N * R], s_cube[geometry::elements][N * N * R];
  __shared__ double s_sum[geometry::threads / HB_WAVE];
  const int thread = static_cast<int>(threadIdx.x);
  const bool lane_used = thread < geometry::elements * T;
  const int slot = lane_used ? thread / T : geometry::elements - 1, first = thread % T;
  const int64_t wanted =
      data.begin + static_cast<int64_t>(hb_block(data.blocks)) * geometry::elements + slot;
  const bool present = lane_used && wanted < data.end;
  const ptrdiff_t element = wanted < data.end ? wanted : data.end - 1;
  const hb_point_factors<MODE, real, N> factors(data, element);
  typename hb_point_factors<MODE, real, N>::point points[Q];
  real *cube = s_cube[slot];
  real u[Q], gr[Q], gs[Q], gt[Q], w[Q];
  int k[Q], j[Q], i[Q];
  bool used[Q];
  hb_place places[Q];

  for (int q = thread; q < N * N; q += geometry::threads) s_D[q / N * R + q % N] = data.D[q];
#pragma unroll
  for (int q = 0; q < Q; q++) {
    const int wish = first + q * T, point = wish < geometry::cube ? wish : geometry::cube - 1;
    used[q] = lane_used && wish < geometry::cube;
    k[q] = point / (N * N);
    j[q] = point / N % N;
    i[q] = point % N;
    places[q] = hb_find_point<real, N>(data, element, k[q], j[q], i[q]);
    places[q].owner = places[q].owner && used[q];
  }
  derive_positions<MODE, N>(HB_STORED_FACTORS(data, element, N), k, j, i, used, s_D, cube, points);
  hb_follow_launch();
  if (DIRECTION && hb_is_stopped(data)) return;
  hb_load_points<DIRECTION, Q>(data, present, places, u);
#pragma unroll
  for (int q = 0; q < Q; q++)
    if (used[q]) cube[(k[q] * N + j[q]) * R + i[q]] = u[q];
  __syncthreads();

#pragma unroll
  for (int q = 0; q < Q; q++) {
    real ur = 0, us = 0, ut = 0;
    const real *stored = HB_STORED_FACTORS(data, element, N) + (k[q] * N + j[q]) * N + i[q];
    factors.at(k[q], j[q], i[q], stored, points[q]);
    /* ur[k][j][i] = sum_m D[i][m] u[k][j][m] */
    /* us[k][j][i] = sum_m D[j][m] u[k][m][i] */
    /* ut[k][j][i] = sum_m D[k][m] u[m][j][i] */
#pragma unroll unrolled
    for (int m = 0; m < N; m++) {
      ur += s_D[i[q] * R + m] * cube[(k[q] * N + j[q]) * R + m];
      us += s_D[j[q] * R + m] * cube[(k[q] * N + m) * R + i[q]];
      ut += s_D[k[q] * R + m] * cube[(m * N + j[q]) * R + i[q]];
    }
    factors.turn(points[q], ur, us, ut);
    gr[q] = factors.template flux<0>(points[q], ur, us, ut);
    gs[q] = factors.template flux<1>(points[q], ur, us, ut);
    gt[q] = factors.template flux<2>(points[q], ur, us, ut);
    w[q] = factors.mass(points[q]) * u[q]; /* w[k][j][i] = M u[k][j][i] */
  }

#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    const real *values = axis == 0 ? gr : axis == 1 ? gs : gt;
    __syncthreads();
#pragma unroll
    for (int q = 0; q < Q; q++)
      if (used[q]) cube[(k[q] * N + j[q]) * R + i[q]] = values[q];
    __syncthreads();
    /* w[k][j][i] += sum_m D[m][i] gr[k][j][m], then D[m][j] gs[k][m][i], then D[m][k] gt[m][j][i]
     */
#pragma unroll
    for (int q = 0; q < Q; q++) {
      const int here = axis == 0 ? i[q] : axis == 1 ? j[q] : k[q];
      const int line = axis == 0   ? (k[q] * N + j[q]) * R
                       : axis == 1 ? k[q] * N * R + i[q]
                                   : j[q] * R + i[q];
      constexpr int strides[3] = {1, R, N * R};
#pragma unroll unrolled
      for (int m = 0; m < N; m++) w[q] += s_D[m * R + here] * cube[line + m * strides[axis]];
    }
  }

  double sum = 0.0;
#pragma unroll
  for (int q = 0; q < Q; q++) {
    if (!present || !used[q]) continue;
    sum += static_cast<double>(u[q]) * static_cast<double>(w[q]);
    hb_store_point<real, N>(data, element, k[q], j[q], i[q], w[q]);
  }
  sum = hb_block_sum(sum, thread, geometry::threads, s_sum);
  if (thread == 0) data.partials[hb_block(data.blocks)] = sum;
}

/* Beyond it there are no registers for nine derivatives of positions at each of a thread's points.
 */
enum { POSITIONS_MAX_N = 13 };
template <int MODE, int N>
static constexpr bool has_kernel = hb_is_built<MODE, N> &&
                                   ((MODE != HB_GEOMETRY_NODES && MODE != HB_GEOMETRY_TRILINEAR) ||
                                    N <= POSITIONS_MAX_N);

template <int MODE>
static enum hb_status launch(const struct hb_device_helmholtz *h,
                             const hb_element_data<hb_real> &data, bool with_direction,
                             hb_local *num_partials) {
#define LAUNCH(N)                                                                                  \
  case N:                                                                                          \
    if constexpr (has_kernel<MODE, N>)                                                             \
      return hb_launch_elements(                                                                   \
          h, "helmholtz_1d",                                                                       \
          with_direction ? hb_1d<MODE, hb_real, N, true> : hb_1d<MODE, hb_real, N, false>,         \
          line_geometry<N>::elements, line_geometry<N>::threads, 0, num_partials, data);           \
    break;
  HB_SWITCH_N(h->n, LAUNCH)
#undef LAUNCH
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__, "helmholtz_1d: n = %d, allowed 2..16",
                         h->n);
}

enum hb_status HB_REAL_NAME(hb_helmholtz_1d)(const struct hb_device_helmholtz *h, hb_local begin,
                                             hb_local end, bool with_mass,
                                             const struct hb_device_direction *direction,
                                             const void *d_u, void *d_w, hb_local *num_partials) {
  if (begin >= end) return HB_OK;
  const hb_element_data<hb_real> data =
      hb_make_element_data<hb_real>(h, begin, end, with_mass, direction, d_u, d_w, *num_partials);
  return hb_with_mode<HB_GEOMETRY_STORED, HB_GEOMETRY_NODES, HB_GEOMETRY_TRILINEAR,
                      HB_GEOMETRY_AFFINE>(&h->geometry, [&](auto mode) {
    return launch<decltype(mode)::value>(h, data, direction != nullptr, num_partials);
  });
}
