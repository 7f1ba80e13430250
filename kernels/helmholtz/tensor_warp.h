/* SPDX-License-Identifier: BSD-3-Clause
 * The operator by tensor cores for n = 4 .. 8: one warp an element (n = 4: four), planes (j,i) in
 * registers as in tensor_plane.h, k in the lane.  While an element is worked on, the points of the
 * warp's next one are on their way to shared memory; its factors follow, each in a piece of its own
 * (one large piece was slower), as soon as one of the slots that they come to is free. */
#ifndef HB_KERNELS_HELMHOLTZ_TENSOR_WARP_H
#define HB_KERNELS_HELMHOLTZ_TENSOR_WARP_H

#include "kernels/helmholtz/tensor_warp_layout.h"

/* Entries of surface_index of a group's surface points, in walking order. */
template <int N> struct hb_warp_index {
  hb_local entries[hb_warp_geometry<N>::surface_steps];
  __device__ hb_local at(int t) const { return entries[t]; }
};

/* The same in shared memory, of this lane. */
struct hb_staged_index {
  hb_local *own;
  __device__ hb_local at(int t) const { return own[t * HB_WAVE]; }
};

/* The kernel's loop over groups of elements, in pieces. */
template <int GEOMETRY, int N, int MODE> struct hb_warp_work {
  using geometry = hb_warp_geometry<N>;
  using points = hb_points<N>;
  using pieces = hb_factor_pieces<N, geometry::cube>;
  static constexpr int cube = geometry::cube;
  static constexpr bool local = MODE == HB_TENSOR_LOCAL;
  /* Steps of a walk over surface points that are unrolled, and chunks of them: all but where the
   * loop over groups would outgrow the instruction cache. */
  static constexpr bool large = GEOMETRY == HB_GEOMETRY_NODES && N == 8;
  static constexpr int unrolled_steps = large ? 2 : geometry::surface_steps;
  static constexpr int unrolled_chunks = large ? 1 : geometry::surface_steps;

  const hb_element_data<double> &data;
  const int lane;
  const hb_warp_lane<N> at;
  double *const s_factors, *const s_images; /* u or r, [p_old, x, [dinv,]] result */
  uint64_t *const barriers;                 /* one a slot */
  double alpha, beta;                       /* of a direction, after find_step */

  /* Doubles of a group's factors. */
  __device__ static int slot_size(const hb_element_data<double> &of) {
    return pieces::size(geometry::elements, of.num_factors);
  }

  __device__ hb_warp_work(const hb_element_data<double> &given, int num_slots, double *shared,
                          uint64_t *bars)
      : data(given), lane(static_cast<int>(threadIdx.x % HB_WAVE)),
        at(static_cast<int>(threadIdx.x % HB_WAVE), MODE == HB_TENSOR_LOCAL), s_factors(shared),
        s_images(shared + num_slots * slot_size(given)), barriers(bars), alpha(0), beta(0) {}

  /* False: there is nothing to do. */
  __device__ bool find_step() {
    alpha = hb_alpha(data);
    beta = hb_beta(data);
    return !hb_is_stopped(data);
  }

  /* Fits, as do the numbers of points and of surface points: helmholtz_device.h counts in 31 bits.
   */
  __device__ int first_of(int group) const { return data.begin + group * geometry::elements; }
  /* Place of a group's points in a local vector, of its interior points in an assembled one. */
  __device__ ptrdiff_t block_of(int group) const {
    if (local) return static_cast<ptrdiff_t>(first_of(group)) * cube;
    return first_of(group) * points::interior;
  }
  /* Elements of a group. */
  __device__ int count_of(int group) const {
    if (geometry::elements == 1) return 1;
    const int left = data.end - first_of(group);
    return left < geometry::elements ? left : geometry::elements;
  }
  __device__ bool present(int group) const {
    return geometry::elements == 1 || at.element < count_of(group);
  }
  __device__ double *image(int v) const { return s_images + v * geometry::image; }
  __device__ double *factors_at(int slot) const { return s_factors + slot * slot_size(data); }

  /* Factor 0 of the group's first element. */
  __device__ const double *factors_of(int group) const {
    return pieces::from(data, first_of(group));
  }

  /* Asks for a group's factors, one of an element a lane. */
  __device__ void stage_factors(int group, int slot) const {
    const bool wanted = lane < count_of(group) * data.num_factors &&
                        (data.with_mass || lane % data.num_factors != HB_MASS_FACTOR);
    pieces::stage(factors_of(group), wanted, lane, factors_at(slot), &barriers[slot]);
  }

  /* Loads the places of a group's surface points. */
  __device__ void find_points(int group, hb_warp_index<N> &index) const {
    if (local) return;
    const int count = count_of(group) * points::surface;
    const hb_local *from = data.surface_index + first_of(group) * points::surface + lane;
#pragma unroll
    for (int t = 0; t < geometry::surface_steps; t++)
      if (t * HB_WAVE + lane < count) index.entries[t] = from[t * HB_WAVE];
  }

  /* Asks for them, to be used when the copies have arrived. */
  __device__ void stage_index(int group, const hb_staged_index &index) const {
    if (local) return;
    const int count = count_of(group) * points::surface;
    const hb_local *from = data.surface_index + first_of(group) * points::surface;
#pragma unroll
    for (int t = 0; t < geometry::surface_steps; t++) {
      const int q = t * HB_WAVE + lane;
      if (q < count) hb_lane_copy(index.own + t * HB_WAVE, from + q);
    }
  }

  /* Asks for a vector's interior points of a group, of local vectors for all points. */
  __device__ void stage_block(int group, const double *vector, double *to) const {
    constexpr int of_element = local ? cube : points::interior;
    constexpr int steps =
        local ? (geometry::elements * cube + HB_WAVE - 1) / HB_WAVE : geometry::interior_steps;
    const int count = count_of(group) * of_element;
    const double *from = vector + block_of(group) + lane;
    to += (local ? 0 : geometry::surface) + lane;
#pragma unroll
    for (int t = 0; t < steps; t++)
      if (t * HB_WAVE + lane < count) hb_lane_copy(to + t * HB_WAVE, from + t * HB_WAVE);
  }

  /* Asks for a group's points, whose places have arrived. */
  template <typename surface_index>
  __device__ void stage_points(int group, const surface_index &index) const {
    const bool step = alpha != 0, scale = data.dinv != nullptr;
    stage_block(group, MODE == HB_TENSOR_DIRECTION ? data.r : data.u, image(0));
    if (MODE == HB_TENSOR_DIRECTION) {
      stage_block(group, data.p_old, image(1));
      if (step) stage_block(group, data.x, image(2));
      if (scale) stage_block(group, data.dinv, image(3));
    }
    if (local) return;
    const int count = count_of(group) * points::surface;
#pragma unroll unrolled_steps
    for (int t = 0; t < geometry::surface_steps; t++) {
      const int q = t * HB_WAVE + lane;
      if (q >= count) continue;
      const int place = index.at(t) & HB_LOCAL_MAX;
      hb_lane_copy(image(0) + q, (MODE == HB_TENSOR_DIRECTION ? data.r : data.u) + place);
      if (MODE != HB_TENSOR_DIRECTION) continue;
      hb_lane_copy(image(1) + q, data.p_old + place);
      if (step && index.at(t) < 0) hb_lane_copy(image(2) + q, data.x + place);
      if (scale) hb_lane_copy(image(3) + q, data.dinv + place);
    }
  }

  /* p of points `from`, `from` + 32, ... of the image, and, by its owner, p and x in memory.  All
   * loads come before the stores, so that they are in flight together; what is no point of the
   * group is loaded too, from behind the image. */
  template <int COUNT>
  __device__ void advance_points(int from, const hb_local (&place)[COUNT],
                                 const bool (&there)[COUNT], const bool (&owner)[COUNT]) const {
    double value[COUNT], p_old[COUNT], x[COUNT];
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
      value[c] = image(0)[from + c * HB_WAVE];
      p_old[c] = image(1)[from + c * HB_WAVE];
      x[c] = image(2)[from + c * HB_WAVE];
    }
    if (data.dinv != nullptr) {
#pragma unroll
      for (int c = 0; c < COUNT; c++) value[c] *= image(3)[from + c * HB_WAVE];
    }
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
      value[c] = fma(beta, p_old[c], value[c]);
      x[c] = fma(alpha, p_old[c], x[c]);
    }
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
      if (there[c]) image(0)[from + c * HB_WAVE] = value[c];
      if (owner[c]) data.p[place[c]] = value[c];
    }
    if (alpha == 0) return;
#pragma unroll
    for (int c = 0; c < COUNT; c++)
      if (owner[c]) data.x[place[c]] = x[c];
  }

  /* p of a direction, in place of r in the image. */
  template <typename surface_index>
  __device__ void advance(int group, const surface_index &index) const {
    constexpr int at_once = 5;
    const int surface = count_of(group) * points::surface;
    const int interior = count_of(group) * points::interior;
    const int first = first_of(group) * points::interior + lane;
#pragma unroll unrolled_chunks
    for (int t = 0; t < geometry::surface_steps; t += at_once) {
      hb_local place[at_once];
      bool there[at_once], owner[at_once];
#pragma unroll
      for (int c = 0; c < at_once; c++) {
        const bool step = t + c < geometry::surface_steps;
        const hb_local entry = step ? index.at(step ? t + c : 0) : 0;
        place[c] = entry & HB_LOCAL_MAX;
        there[c] = step && (t + c) * HB_WAVE + lane < surface;
        owner[c] = there[c] && entry < 0;
      }
      advance_points(t * HB_WAVE + lane, place, there, owner);
    }
#pragma unroll unrolled_chunks
    for (int t = 0; t < geometry::interior_steps; t += at_once) {
      hb_local place[at_once];
      bool there[at_once];
#pragma unroll
      for (int c = 0; c < at_once; c++) {
        place[c] = first + (t + c) * HB_WAVE;
        there[c] = t + c < geometry::interior_steps && (t + c) * HB_WAVE + lane < interior;
      }
      advance_points(geometry::surface + t * HB_WAVE + lane, place, there, there);
    }
  }

  /* The lane's points of all planes from an image. */
  __device__ void read_image(bool here, const double *from, hb_plane (&u)[N]) const {
#pragma unroll
    for (int k = 0; k < N; k++) {
#pragma unroll
      for (int s = 0; s < 2; s++)
        u[k].v[s] = from[here && at.used[s] ? at.place(k, s, local) : geometry::zero];
    }
  }
  /* The lane's result to an image, and u.w added to the sum. */
  __device__ void write_image(bool here, const hb_plane (&u)[N], const hb_plane (&w)[N], double *to,
                              double &sum) const {
#pragma unroll
    for (int k = 0; k < N; k++) {
#pragma unroll
      for (int s = 0; s < 2; s++) {
        sum += u[k].v[s] * w[k].v[s];
        to[here && at.used[s] ? at.place(k, s, local) : geometry::waste] = w[k].v[s];
      }
    }
  }

  /* The same without the sum. */
  __device__ void write_result(bool here, const hb_plane (&w)[N], double *to) const {
#pragma unroll
    for (int k = 0; k < N; k++) {
#pragma unroll
      for (int s = 0; s < 2; s++)
        to[here && at.used[s] ? at.place(k, s, local) : geometry::waste] = w[k].v[s];
    }
  }

  /* Hands the result over to memory: blocks that are aligned by bulk stores. */
  __device__ void store(int group, const double *result) const {
    constexpr int of_element = local ? cube : points::interior;
    const int surface = local ? 0 : count_of(group) * points::surface;
    const int count = count_of(group) * of_element;
    const double *from = result + (local ? 0 : geometry::surface);
    double *to = data.w + block_of(group);
    hb_async_fence();
    __syncwarp();
    if (lane == 0) {
      if (!local)
        hb_bulk_store(data.surface + first_of(group) * points::surface, result,
                      static_cast<unsigned>(surface) * sizeof(double));
      if (of_element % 2 == 0)
        hb_bulk_store(to, from, static_cast<unsigned>(count) * sizeof(double));
      hb_bulk_store_commit();
    }
    if constexpr (of_element % 2 != 0)
      for (int q = lane; q < count; q += HB_WAVE) __stcs(to + q, from[q]);
  }

  /* Factor f of the lane's two points in plane k; where there is no point, that of another one. */
  __device__ hb_plane factor(const double *staged, int group, bool here, int f, int k) const {
    const int piece = (here ? at.element * data.num_factors : 0) + f;
    const int shift = pieces::shift(factors_of(group) + piece * cube);
    const double *from =
        staged + piece * pieces::room + shift + k * N * N + (at.used[0] ? at.j * N + at.i : 0);
    if (N % 2 == 0) {
      const double2 pair = *reinterpret_cast<const double2 *>(from);
      return {{pair.x, pair.y}};
    }
    return {{from[0], from[at.used[1]]}};
  }
};

template <int GEOMETRY, int N, int MODE>
__global__ void __launch_bounds__(HB_WAVE, 8)
    hb_tensor_warp(const hb_element_data<double> data, const hb_uniform_matrix<double, N> D,
                   int num_slots) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  __trap(); /* never launched there: hb_helmholtz_tensor_shapes has none */
#else
  using geometry = hb_warp_geometry<N>;
  extern __shared__ __align__(16) double shared[];
  __shared__ uint64_t barriers[HB_WARP_MAX_SLOTS];
  hb_warp_work<GEOMETRY, N, MODE> work(data, num_slots, shared, barriers);
  const int lane = work.lane;
  const int groups = (data.end - data.begin + geometry::elements - 1) / geometry::elements;
  const int stride = static_cast<int>(gridDim.x);
  double *const points = work.image(0);
  double *const result = work.image(MODE != HB_TENSOR_DIRECTION ? 1 : data.dinv == nullptr ? 3 : 4);
  int group = blockIdx.x;
  int asked = group; /* the group whose factors are asked for next */
  int slot = 0;
  unsigned phases = 0; /* a bit a slot */
  double sum = 0.0;
  hb_warp_index<N> index, next_index;

  if (lane == 0) {
    for (int q = 0; q < num_slots; q++) hb_barrier_init(&barriers[q]);
    points[geometry::zero] = 0.0;
  }
  __syncwarp();
  for (int q = 0; q < num_slots; q++) {
    if (asked < groups) work.stage_factors(asked, q);
    asked += stride;
  }
  work.find_points(group, index);
  if (group + stride < groups) work.find_points(group + stride, next_index);
  hb_follow_launch();
  if (MODE == HB_TENSOR_DIRECTION && !work.find_step()) {
    for (int q = 0; q < num_slots; q++) /* no copy is left on its way */
      if (group + q * stride < groups) hb_barrier_wait(&barriers[q], 0);
    return;
  }
  work.stage_points(group, index);
  const hb_plane matrix = hb_warp_matrix<N>(data.D, lane, false);
  const hb_plane matrix_t = hb_warp_matrix<N>(data.D, lane, true);
  const hb_plane identity = hb_identity_plane(lane);

  for (; group < groups; group += stride) {
    const int next = group + stride;
    const bool here = work.present(group);
    hb_plane u[N], w[N];
    hb_lane_copies_wait();
    if (MODE == HB_TENSOR_DIRECTION) work.advance(group, index);
    __syncwarp();
    work.read_image(here, points, u);
    __syncwarp();
    index = next_index;
    if (next < groups) work.stage_points(next, index);
    if (next + stride < groups) work.find_points(next + stride, next_index);

    hb_barrier_wait(&barriers[slot], phases >> slot & 1);
    phases ^= 1u << slot;
    __syncwarp();
    const double *staged = work.factors_at(slot);
#pragma unroll
    for (int k = 0; k < N; k++) {
      hb_plane ur = {{0.0, 0.0}}, us = ur, ut = ur, gr, gs, gt, G[HB_NUM_GEOMETRIC];
#pragma unroll
      for (int f = 0; f < HB_NUM_GEOMETRIC; f++) G[f] = work.factor(staged, group, here, f, k);
      /* ur[k][j][i] = sum_m D[i][m] u[k][j][m] */
      hb_plane_columns(ur, u[k], matrix);
      /* us[k][j][i] = sum_m D[j][m] u[k][m][i] */
      hb_plane_rows(us, u[k], matrix, identity);
      /* ut[k][j][i] = sum_m D[k][m] u[m][j][i] */
#pragma unroll
      for (int m = 0; m < N; m++) {
#pragma unroll
        for (int s = 0; s < 2; s++) ut.v[s] += D.at(k, m, 0) * u[m].v[s];
      }
#pragma unroll
      for (int s = 0; s < 2; s++) {
        const double g[] = {G[0].v[s], G[1].v[s], G[2].v[s], G[3].v[s], G[4].v[s], G[5].v[s]};
        gr.v[s] = hb_flux<0>(g, ur.v[s], us.v[s], ut.v[s]);
        gs.v[s] = hb_flux<1>(g, ur.v[s], us.v[s], ut.v[s]);
        gt.v[s] = hb_flux<2>(g, ur.v[s], us.v[s], ut.v[s]);
      }
      if (k == 0) w[k] = {{0.0, 0.0}};
      /* w[k][j][i] += sum_m D[m][i] gr[k][j][m] + D[m][j] gs[k][m][i] */
      hb_plane_columns(w[k], gr, matrix_t);
      hb_plane_rows(w[k], gs, matrix_t, identity);
      /* w[k][j][i] += sum_m D[m][k] gt[m][j][i] */
#pragma unroll
      for (int m = 0; m < N; m++) {
#pragma unroll
        for (int s = 0; s < 2; s++)
          w[m].v[s] =
              k == 0 && m > 0 ? D.at(k, m, 0) * gt.v[s] : w[m].v[s] + D.at(k, m, 0) * gt.v[s];
      }
    }
    /* w[k][j][i] += M u[k][j][i] */
    if (data.with_mass) {
#pragma unroll
      for (int k = 0; k < N; k++) {
        const hb_plane mass = work.factor(staged, group, here, HB_MASS_FACTOR, k);
#pragma unroll
        for (int s = 0; s < 2; s++) w[k].v[s] += mass.v[s] * u[k].v[s];
      }
    }
    hb_async_fence(); /* the slot has been read */
    __syncwarp();
    if (asked < groups) work.stage_factors(asked, slot);
    asked += stride;
    slot = slot + 1 == num_slots ? 0 : slot + 1;
    if (lane == 0) hb_bulk_store_wait();
    __syncwarp();
    work.write_image(here, u, w, result, sum);
    work.store(group, result);
    if (hb_points<N>::interior % 2 != 0) __syncwarp(); /* its plain stores read the result */
  }
  sum = hb_wave_sum(sum);
  if (lane == 0) {
    hb_bulk_store_wait();
    data.partials[blockIdx.x] = sum;
  }
#endif
}

#endif
