/* SPDX-License-Identifier: BSD-3-Clause
 * The operator by tensor cores for n = 9 .. 16: a block of warps an element, each with some planes
 * (j,i) of 16 x 16 points in registers (tensor_plane.h).  The contractions along k read one cube in
 * shared memory, where a lane finds its points of all planes without conflict.  Each warp has the
 * factors of its next planes brought to shared memory ahead. */
#ifndef HB_KERNELS_HELMHOLTZ_TENSOR_BLOCK_H
#define HB_KERNELS_HELMHOLTZ_TENSOR_BLOCK_H

#include "kernels/helmholtz/tensor_warp.h"

/* Warps of a block, planes whose factors are asked for ahead by each, blocks of a multiprocessor
 * to leave registers for; by n. */
static constexpr int HB_BLOCK_WARPS[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5, 4, 4, 5, 5, 4, 4};
static constexpr int HB_BLOCK_STAGES[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 1, 1, 1, 1};
static constexpr int HB_BLOCK_RESIDENT[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2};

template <int N> struct hb_block_geometry {
  static constexpr int warps = HB_BLOCK_WARPS[N];
  static constexpr int threads = warps * HB_WAVE, planes = (N + warps - 1) / warps; /* of a warp */
  static constexpr int cube = N * N * N, plane = N * N;
  static constexpr int stages = HB_BLOCK_STAGES[N];
  static constexpr int points = 4 * 2 * HB_WAVE; /* of a plane in the cube [tile][lane][s] */
  /* Bytes of shared memory, with so many doubles for the factors that are on their way. */
  static constexpr size_t shared_bytes(int staged) {
    return sizeof(double) * static_cast<size_t>(N * points + staged);
  }
};

/* Places of a lane's points in a plane: rows j[r], columns i[c] + s. */
template <int N> struct hb_block_lane {
  int j[2], i[2];
  __device__ explicit hb_block_lane(int lane) {
#pragma unroll
    for (int t = 0; t < 2; t++) {
      j[t] = 8 * t + lane / 4;
      i[t] = 8 * t + 2 * (lane % 4);
    }
  }
  __device__ bool used(int r, int c, int s) const { return j[r] < N && i[c] + s < N; }
};

/* M(8r + g, 8c + 2q + s) in a lane, zero outside of n: of D, or D transposed. */
template <int N>
__device__ static inline hb_wide_plane hb_block_matrix(const double *D, const hb_block_lane<N> &at,
                                                       bool transposed) {
  hb_wide_plane matrix;
#pragma unroll
  for (int r = 0; r < 2; r++) {
#pragma unroll
    for (int c = 0; c < 2; c++) {
#pragma unroll
      for (int s = 0; s < 2; s++) {
        const int a = at.j[r], b = at.i[c] + s;
        matrix.v[r][c][s] = a < N && b < N ? D[transposed ? b * N + a : a * N + b] : 0.0;
      }
    }
  }
  return matrix;
}

#define HB_EACH_POINT                                                                              \
  _Pragma("unroll") for (int r = 0; r < 2; r++) _Pragma("unroll") for (int c = 0; c < 2; c++)      \
      _Pragma("unroll") for (int s = 0; s < 2; s++)

/* One warp's part of the work, in pieces. */
template <int GEOMETRY, int N, int MODE> struct hb_block_work {
  using geometry = hb_block_geometry<N>;
  using points = hb_points<N>;
  using pieces = hb_factor_pieces<N, geometry::plane>;

  const hb_element_data<double> &data;
  const int lane, warp;
  const hb_block_lane<N> at;
  double *const s_cube, *const s_factors; /* of the block; of the warp */
  uint64_t *const barriers;               /* of the warp, one a stage */

  __device__ hb_block_work(const hb_element_data<double> &given, double *shared, uint64_t *bars)
      : data(given), lane(static_cast<int>(threadIdx.x) % HB_WAVE),
        warp(static_cast<int>(threadIdx.x) / HB_WAVE), at(static_cast<int>(threadIdx.x) % HB_WAVE),
        s_cube(shared),
        s_factors(shared + N * geometry::points +
                  pieces::size(static_cast<int>(threadIdx.x) / HB_WAVE * geometry::stages,
                               given.num_factors)),
        barriers(bars + static_cast<int>(threadIdx.x) / HB_WAVE * geometry::stages) {}

  __device__ int plane_of(int p) const { return warp + p * geometry::warps; }
  __device__ const double *factors(ptrdiff_t element, int f, int k) const {
    return pieces::from(data, element, f, k);
  }
  __device__ double *stage(int number) const {
    return s_factors + pieces::size(number, data.num_factors);
  }
  __device__ double2 *cube_points(int k, int r, int c) const {
    return reinterpret_cast<double2 *>(s_cube + k * geometry::points) + (2 * r + c) * HB_WAVE +
           lane;
  }

  /* Asks for plane k of the element's factors, a factor a lane. */
  __device__ void stage_factors(ptrdiff_t element, int k, int number) const {
    const int count = data.with_mass ? HB_MAX_FACTORS : HB_NUM_GEOMETRIC;
    pieces::stage(factors(element, 0, k), lane < count, lane, stage(number), &barriers[number]);
  }

  /* Loads one plane's points; p and x of a direction are updated by the point's owner. */
  __device__ void load_plane(ptrdiff_t element, int k, hb_wide_plane &u) const {
    hb_place places[8];
    double values[8];
    bool used[8];
    int q = 0;
    HB_EACH_POINT {
      used[q] = at.used(r, c, s);
      const int j = used[q] ? at.j[r] : 0, i = used[q] ? at.i[c] + s : 0;
      if (MODE == HB_TENSOR_LOCAL)
        values[q] = data.u[element * geometry::cube + (k * N + j) * N + i];
      else
        places[q] = hb_find_point<double, N>(data, element, k, j, i);
      if (MODE != HB_TENSOR_LOCAL) places[q].owner = places[q].owner && used[q];
      q++;
    }
    if (MODE != HB_TENSOR_LOCAL)
      hb_load_points<MODE == HB_TENSOR_DIRECTION, 8>(data, true, places, values);
    q = 0;
    HB_EACH_POINT {
      u.v[r][c][s] = used[q] ? values[q] : 0.0;
      q++;
    }
  }

  __device__ void store_plane(ptrdiff_t element, int k, const hb_wide_plane &w) const {
    HB_EACH_POINT {
      if (!at.used(r, c, s)) continue;
      if (MODE == HB_TENSOR_LOCAL)
        data.w[element * geometry::cube + (k * N + at.j[r]) * N + at.i[c] + s] = w.v[r][c][s];
      else
        hb_store_point<double, N>(data, element, k, at.j[r], at.i[c] + s, w.v[r][c][s]);
    }
  }

  __device__ void write_cube(int k, const hb_wide_plane &x) const {
#pragma unroll
    for (int r = 0; r < 2; r++) {
#pragma unroll
      for (int c = 0; c < 2; c++) *cube_points(k, r, c) = {x.v[r][c][0], x.v[r][c][1]};
    }
  }
  __device__ void read_cube(int k, hb_wide_plane &x) const {
#pragma unroll
    for (int r = 0; r < 2; r++) {
#pragma unroll
      for (int c = 0; c < 2; c++) {
        const double2 pair = *cube_points(k, r, c);
        x.v[r][c][0] = pair.x;
        x.v[r][c][1] = pair.y;
      }
    }
  }

  /* d[p] += sum_m D[k(p)][m] cube[m], or D[m][k(p)] */
  template <bool TRANSPOSED>
  __device__ void contract_k(hb_wide_plane (&d)[geometry::planes],
                             const hb_uniform_matrix<double, N> &D) const {
#pragma unroll 4
    for (int m = 0; m < N; m++) {
      hb_wide_plane x;
      read_cube(m, x);
#pragma unroll
      for (int p = 0; p < geometry::planes; p++) {
        const int k = plane_of(p) < N ? plane_of(p) : 0;
        const double entry = TRANSPOSED ? D.at(m, k, 0) : D.at(k, m, 0);
        HB_EACH_POINT d[p].v[r][c][s] += entry * x.v[r][c][s];
      }
    }
  }

  /* gr, gs, gt of plane k in place of ur, us, ut, from a stage; u.w of its points, by
   * u' A u = ur gr + us gs + ut gt + M u u; and w = M u. */
  __device__ double apply_factors(ptrdiff_t element, int k, int number, const hb_wide_plane &u,
                                  hb_wide_plane &ur, hb_wide_plane &us, hb_wide_plane &ut,
                                  hb_wide_plane &w) const {
    const double *staged[HB_MAX_FACTORS];
    double sum = 0.0;
#pragma unroll
    for (int f = 0; f < HB_MAX_FACTORS; f++) {
      const int there = f < data.num_factors ? f : 0;
      staged[f] = stage(number) + there * pieces::room + pieces::shift(factors(element, there, k));
    }
    HB_EACH_POINT {
      const bool used = at.used(r, c, s);
      const int place = used ? at.j[r] * N + at.i[c] + s : 0;
      double G[HB_NUM_GEOMETRIC];
#pragma unroll
      for (int f = 0; f < HB_NUM_GEOMETRIC; f++) G[f] = staged[f][place];
      const double a = ur.v[r][c][s], b = us.v[r][c][s], z = ut.v[r][c][s], value = u.v[r][c][s];
      const double gr = used ? hb_flux<0>(G, a, b, z) : 0.0;
      const double gs = used ? hb_flux<1>(G, a, b, z) : 0.0;
      const double gt = used ? hb_flux<2>(G, a, b, z) : 0.0;
      /* w[k][j][i] = M u[k][j][i] */
      w.v[r][c][s] = used && data.with_mass ? staged[HB_MASS_FACTOR][place] * value : 0.0;
      sum += a * gr + b * gs + z * gt + value * w.v[r][c][s];
      ur.v[r][c][s] = gr;
      us.v[r][c][s] = gs;
      ut.v[r][c][s] = gt;
    }
    return sum;
  }
};

template <int GEOMETRY, int N, int MODE>
__global__ void __launch_bounds__(hb_block_geometry<N>::threads, HB_BLOCK_RESIDENT[N])
    hb_tensor_block(const hb_element_data<double> data, const hb_uniform_matrix<double, N> D) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  __trap(); /* never launched there: hb_helmholtz_tensor_shapes has none */
#else
  using geometry = hb_block_geometry<N>;
  constexpr int P = geometry::planes, S = geometry::stages;
  extern __shared__ __align__(16) double shared[];
  __shared__ uint64_t barriers[geometry::warps * S];
  __shared__ double s_sum[geometry::warps];
  hb_follow_launch();
  if (MODE == HB_TENSOR_DIRECTION && hb_is_stopped(data)) return;
  const hb_block_work<GEOMETRY, N, MODE> work(data, shared, barriers);
  const ptrdiff_t stride = gridDim.x;
  const hb_wide_plane matrix = hb_block_matrix<N>(data.D, work.at, false);
  const hb_wide_plane matrix_t = hb_block_matrix<N>(data.D, work.at, true);
  const int lane = work.lane;
  const hb_plane identity = hb_identity_plane(lane);
  const int own = (N - work.warp + geometry::warps - 1) / geometry::warps; /* planes of the warp */
  unsigned phases = 0;
  double sum = 0.0;

  if (lane == 0)
    for (int q = 0; q < S; q++) hb_barrier_init(&work.barriers[q]);
  __syncwarp();
  ptrdiff_t element = data.begin + blockIdx.x;
  /* The plane to ask for next, and the stage that it goes to. */
  ptrdiff_t asked_element = element;
  int asked = 0, number = 0;
#pragma unroll
  for (int q = 0; q < S; q++) {
    if (asked_element < data.end) work.stage_factors(asked_element, work.plane_of(asked), q);
    if (++asked == own) asked = 0, asked_element += stride;
  }

  for (; element < data.end; element += stride) {
    hb_wide_plane t[P]; /* ut, then w, of the warp's planes */
#pragma unroll
    for (int p = 0; p < P; p++) {
      if (p >= own) continue;
      hb_wide_plane u;
      work.load_plane(element, work.plane_of(p), u);
      work.write_cube(work.plane_of(p), u);
    }
#pragma unroll
    for (int p = 0; p < P; p++) HB_EACH_POINT t[p].v[r][c][s] = 0.0;
    __syncthreads();
    /* ut[k][j][i] = sum_m D[k][m] u[m][j][i] */
    work.template contract_k<false>(t, D);
    __syncthreads();
#pragma unroll
    for (int p = 0; p < P; p++) {
      if (p >= own) continue;
      const int k = work.plane_of(p);
      hb_wide_plane u, ur = {}, us = {}, w;
      work.read_cube(k, u);
      /* ur[k][j][i] = sum_m D[i][m] u[k][j][m] */
      hb_plane_columns(ur, u, matrix);
      /* us[k][j][i] = sum_m D[j][m] u[k][m][i] */
      hb_plane_rows(us, u, matrix, identity);
      hb_lane_copies_wait();
      hb_barrier_wait(&work.barriers[number], phases >> number & 1);
      phases ^= 1u << number;
      __syncwarp();
      sum += work.apply_factors(element, k, number, u, ur, us, t[p], w);
      work.write_cube(k, t[p]);
      hb_async_fence(); /* the stage has been read */
      __syncwarp();
      if (asked_element < data.end) work.stage_factors(asked_element, work.plane_of(asked), number);
      if (++asked == own) asked = 0, asked_element += stride;
      if (++number == S) number = 0;
      /* w[k][j][i] += sum_m D[m][i] gr[k][j][m] + D[m][j] gs[k][m][i] */
      hb_plane_columns(w, ur, matrix_t);
      hb_plane_rows(w, us, matrix_t, identity);
      t[p] = w;
    }
    __syncthreads();
    /* w[k][j][i] += sum_m D[m][k] gt[m][j][i] */
    work.template contract_k<true>(t, D);
#pragma unroll
    for (int p = 0; p < P; p++)
      if (p < own) work.store_plane(element, work.plane_of(p), t[p]);
    __syncthreads();
  }
  sum = hb_block_sum(sum, static_cast<int>(threadIdx.x), geometry::threads, s_sum);
  if (threadIdx.x == 0) data.partials[blockIdx.x] = sum;
#endif
}

#endif
