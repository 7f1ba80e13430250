/* SPDX-License-Identifier: BSD-3-Clause
 * The operator by tensor cores for n = 4 .. 8 with fluxes formed in the kernel from what the
 * geometry mode keeps: one warp an element (n = 4: four) as in tensor_warp.h, but held by the pipe
 * that FMA and tensor instructions share.  Hence, along k, even and odd parts lane by lane
 * (even_odd.h); along j, (M; I) times a plane as B, at the full rate of m16n8k8, which gives the
 * derivative and the plane itself in the layout of a result; along i, two of those planes at once
 * as A.  A plane as B is read from shared memory: u, and then gs, pass through the result's image.
 */
#ifndef HB_KERNELS_HELMHOLTZ_TENSOR_FORMED_H
#define HB_KERNELS_HELMHOLTZ_TENSOR_FORMED_H

#include "kernels/helmholtz/tensor_warp.h"

/* What is known of the coefficients when a kernel is compiled: branches in its middle cost more
 * than what they save. */
enum hb_formed_coefficients { HB_CONSTANT, HB_CONSTANT_WITH_MASS, HB_ANY_COEFFICIENTS };

/* M[g][c(s)] in a lane, c = 2q + s, or q + 4s if `across`; zero between elements and outside of n:
 * of D or, with WEIGHTED, Q = diag(w) D; or transposed. */
template <bool WEIGHTED, int N>
__device__ static inline hb_plane hb_formed_matrix(const hb_element_data<double> &data, int lane,
                                                   bool across, bool transposed) {
  constexpr int width = hb_warp_geometry<N>::width;
  const int row = lane / 4, q = lane % 4;
  hb_plane matrix;
#pragma unroll
  for (int s = 0; s < 2; s++) {
    const int column = across ? q + 4 * s : 2 * q + s;
    const int a = row % width, b = column % width;
    const bool inside = row / width == column / width && a < N && b < N;
    const int from = transposed ? b : a, to = transposed ? a : b;
    const double entry = inside ? data.D[from * N + to] : 0.0;
    matrix.v[s] = WEIGHTED && inside ? data.basis[N + from] * entry : entry;
  }
  return matrix;
}

/* What a warp has of a group between the two ways along k. */
template <int GEOMETRY, int N> struct hb_formed_planes {
  hb_plane t[N], r[N];             /* ut, then gt, then w; gr */
  hb_plane x[3][N];                /* mode nodes: xt */
  hb_line_flux<GEOMETRY> lines[2]; /* other modes */
};

/* The kernel's work on a group of elements, in pieces. */
template <int GEOMETRY, int N, int MODE, int COEFFICIENTS> struct hb_formed_work {
  using warp_work = hb_warp_work<GEOMETRY, N, MODE>;
  using geometry = hb_warp_geometry<N>;
  using pieces = typename warp_work::pieces;
  static constexpr bool any = COEFFICIENTS == HB_ANY_COEFFICIENTS;
  static constexpr bool nodes = GEOMETRY == HB_GEOMETRY_NODES;
  static constexpr int coordinates = hb_num_coordinates<GEOMETRY>;
  static constexpr int values = hb_element_values<GEOMETRY>;
  /* Fields whose planes are worked on together: x y z u of one plane, or u of two. */
  static constexpr int fields = nodes ? 4 : 2, step = nodes ? 1 : 2;
  /* Order of the contraction along j.  Coordinates lie as in memory: for n = 8 a lane's columns
   * 2q + s would be in the same banks as others'. */
  static constexpr bool across = nodes && N == 8;
  static constexpr int index_room = HB_WAVE * geometry::surface_steps;

  const warp_work &work;
  const hb_uniform_line<N> &line;
  /* [k][64 places]; [2][element][values]; [k] GLL points; with mass M u, [k][lane][2] */
  double *const s_planes, *const s_values, *const s_points, *const s_mass;
  hb_local *const s_index; /* [2][surface point] */
  const hb_plane matrix, matrix_j, identity_j, matrix_t;
  int row, column_u[2], column_g[2];      /* places in a plane: as A, as B */
  int column_element[2], column_point[2]; /* as B, in a plane of a piece */

  __device__ hb_formed_work(const warp_work &given, const hb_uniform_line<N> &given_line,
                            double *result)
      : work(given), line(given_line), s_planes(result), s_values(result + geometry::turned),
        s_points(s_values + 2 * geometry::elements * values), s_mass(s_points + (N + 1) / 2 * 2),
        s_index(reinterpret_cast<hb_local *>(result + own_doubles(given.data))),
        matrix(hb_formed_matrix<nodes, N>(given.data, given.lane, false, false)),
        matrix_j(hb_formed_matrix<nodes, N>(given.data, given.lane, across, false)),
        identity_j(identity_of(given.lane)),
        matrix_t(hb_formed_matrix<nodes, N>(given.data, given.lane, false, true)) {
    const int g = given.lane / 4, q = given.lane % 4, width = geometry::width;
    row = hb_turned_place(g, 2 * q);
#pragma unroll
    for (int s = 0; s < 2; s++) {
      const int j = across ? q + 4 * s : 2 * q + s;
      column_g[s] = hb_turned_place(2 * q + s, g);
      column_u[s] = hb_turned_place(j, g);
      column_element[s] = j / width * geometry::pack + g / width;
      column_point[s] = j % width < N && g % width < N ? j % width * N + g % width : 0;
    }
  }
  /* Doubles from the result's image on, without the index. */
  __host__ __device__ static int own_doubles(const hb_element_data<double> &of) {
    return geometry::turned + 2 * geometry::elements * values + (N + 1) / 2 * 2 +
           (of.with_mass ? 64 * N : 0);
  }
  /* Bytes of shared memory behind the slots and the images before the result's. */
  __host__ static size_t own_bytes(const hb_element_data<double> &of) {
    return sizeof(double) * static_cast<size_t>(own_doubles(of)) +
           sizeof(hb_local) * 2 * index_room;
  }
  __device__ bool varying() const { return any && work.data.varying; }
  __device__ bool with_mass() const {
    return any ? work.data.with_mass : COEFFICIENTS == HB_CONSTANT_WITH_MASS;
  }
  __device__ static hb_plane identity_of(int lane) {
    const int g = lane / 4, q = lane % 4;
    hb_plane one;
#pragma unroll
    for (int s = 0; s < 2; s++) one.v[s] = g == (across ? q + 4 * s : 2 * q + s) ? 1.0 : 0.0;
    return one;
  }

  /* Asks for what is kept of a group's elements. */
  __device__ void stage_values(int group, int half) const {
    if (values == 0) return;
    const int count = work.count_of(group) * values;
    const double *from = work.data.elements + static_cast<ptrdiff_t>(work.first_of(group)) * values;
    double *to = s_values + half * geometry::elements * values;
#pragma unroll
    for (int t = 0; t < (geometry::elements * values + HB_WAVE - 1) / HB_WAVE; t++) {
      const int v = t * HB_WAVE + work.lane;
      if (v < count) hb_lane_copy(to + v, from + v);
    }
  }

  /* Places of a group's surface points, in two buffers by turns. */
  __device__ hb_staged_index index(int half) const {
    return {s_index + half * index_room + work.lane};
  }

  /* What does not change along k, of the lane's two lines. */
  __device__ void load_lines(bool here, int half, hb_line_flux<GEOMETRY> (&lines)[2]) const {
    if constexpr (!nodes) {
      const hb_element_data<double> &data = work.data;
      const double *own =
          s_values + (half * geometry::elements + (here ? work.at.element : 0)) * values;
      const int j = work.at.j < N ? work.at.j : 0;
#pragma unroll
      for (int s = 0; s < 2; s++) {
        const int i = work.at.i + s < N ? work.at.i + s : 0;
        const double w = data.basis[N + i] * data.basis[N + j];
        lines[s].load(own, data.basis[i], data.basis[j], w, varying() ? 1.0 : data.h1,
                      varying() ? 1.0 : data.h2);
      }
    }
  }

  /* x[f][k] = sum_m Q[k][m] x_f[m] of the coordinates. */
  __device__ void differentiate_nodes(const double *staged, int group, bool here,
                                      hb_plane (&x)[3][N]) const {
#pragma unroll
    for (int f = 0; f < coordinates; f++) {
#pragma unroll
      for (int k = 0; k < N; k++) x[f][k] = work.factor(staged, group, here, f, k);
      line.template contract<false>(x[f]);
    }
  }

  /* w in place of gt. */
  __device__ void finish(hb_formed_planes<GEOMETRY, N> &planes) const {
    hb_plane gs[N];
#pragma unroll
    for (int k = 0; k < N; k++) gs[k] = read_columns(k, column_g);
    /* w[k][j][i] = sum_m Q[m][k] gt[m][j][i] */
    line.template contract<true>(planes.t);
    if (with_mass()) {
#pragma unroll
      for (int k = 0; k < N; k++) {
#pragma unroll
        for (int s = 0; s < 2; s++) planes.t[k].v[s] += mass(k)[s];
      }
    }
    /* w[k][j][i] += sum_m D[m][i] gr[k][j][m] + D[m][j] gs[k][m][i] */
#pragma unroll
    for (int k = 0; k < N; k += 2) {
      if (k + 1 < N) {
        hb_mma_16x8x8(planes.t[k], planes.t[k + 1], planes.r[k], planes.r[k + 1], matrix_t);
      } else {
        hb_plane_columns(planes.t[k], planes.r[k], matrix_t);
      }
#pragma unroll
      for (int p = k; p < k + 2 && p < N; p++) {
#pragma unroll
        for (int s = 0; s < 2; s++) hb_mma_8x8x4(planes.t[p], matrix_t.v[s], gs[p].v[s]);
      }
    }
  }

  /* M u of the lane's points in plane k. */
  __device__ double *mass(int k) const { return s_mass + k * 64 + 2 * work.lane; }

  /* Planes of the result's image by rows and, as B, by columns. */
  __device__ void write_rows(int k, const hb_plane &x) const {
    *reinterpret_cast<double2 *>(s_planes + k * 64 + row) = {x.v[0], x.v[1]};
  }
  __device__ hb_plane read_columns(int k, const int (&column)[2]) const {
    return {{s_planes[k * 64 + column[0]], s_planes[k * 64 + column[1]]}};
  }
  /* Plane k of coordinate f as B. */
  __device__ hb_plane read_coordinate(const double *staged, int group, int f, int k) const {
    const int count = work.count_of(group);
    hb_plane x;
#pragma unroll
    for (int s = 0; s < 2; s++) {
      const int element = column_element[s] < count ? column_element[s] : 0;
      const int piece = element * work.data.num_factors + f;
      const int shift = pieces::shift(work.factors_of(group) + piece * geometry::cube);
      x.v[s] = staged[piece * pieces::room + shift + k * N * N + column_point[s]];
    }
    return x;
  }
  /* All fields of a step as B. */
  __device__ void read_fields(const double *staged, int group, int k, hb_plane (&b)[fields]) const {
#pragma unroll
    for (int f = 0; f < coordinates; f++) b[f] = read_coordinate(staged, group, f, k);
#pragma unroll
    for (int p = 0; p < step; p++)
      if (k + p < N) b[coordinates + p] = read_columns(k + p, column_u);
  }

  /* Derivatives of the fields along i and j, and the planes themselves. */
  __device__ void contract(const hb_plane (&b)[fields], hb_plane (&di)[fields],
                           hb_plane (&dj)[fields], hb_plane (&plane)[fields]) const {
#pragma unroll
    for (int f = 0; f < fields; f++) {
      di[f] = dj[f] = plane[f] = {{0.0, 0.0}};
      /* us[k][j][i] = sum_m D[j][m] u[k][m][i] */
      hb_mma_16x8x8(dj[f], plane[f], matrix_j, identity_j, b[f]);
    }
    /* ur[k][j][i] = sum_m D[i][m] u[k][j][m] */
#pragma unroll
    for (int f = 0; f < fields; f += 2)
      hb_mma_16x8x8(di[f], di[f + 1], plane[f], plane[f + 1], matrix);
  }
};

/* A group on its way through the kernel. */
struct hb_formed_group {
  int number, half; /* half: of the buffers that change from group to group */
  bool here;        /* the lane's element is there */
  const double *staged;
};

/* Fluxes of plane k, whose u is field f: gr and gt into planes, gs in place of us. */
template <int GEOMETRY, int N, int MODE, int COEFFICIENTS, int FIELDS>
__device__ static inline void
hb_formed_flux(const hb_formed_work<GEOMETRY, N, MODE, COEFFICIENTS> &of,
               const hb_formed_group &group, int k, int f, const hb_plane (&di)[FIELDS],
               hb_plane (&dj)[FIELDS], const hb_plane (&u)[FIELDS],
               hb_formed_planes<GEOMETRY, N> &planes, double &sum) {
  constexpr int coordinates = hb_num_coordinates<GEOMETRY>;
  const hb_element_data<double> &data = of.work.data;
  hb_plane h1 = {{1.0, 1.0}}, h2 = h1;
  /* Loaded here, so that the compiler forms nothing of the following planes before: registers. */
  const double t = GEOMETRY == HB_GEOMETRY_TRILINEAR ? of.s_points[k] : 0.0;
  if (of.varying()) {
    h1 = of.work.factor(group.staged, group.number, group.here, coordinates, k);
    if (of.with_mass())
      h2 = of.work.factor(group.staged, group.number, group.here, coordinates + 1, k);
  }
#pragma unroll
  for (int s = 0; s < 2; s++) {
    const double given[3] = {di[f].v[s], dj[f].v[s], planes.t[k].v[s]};
    double g[3] = {given[0], given[1], given[2]}, M;
    if constexpr (GEOMETRY == HB_GEOMETRY_NODES) {
      const double a[3] = {di[0].v[s], di[1].v[s], di[2].v[s]};
      const double b[3] = {dj[0].v[s], dj[1].v[s], dj[2].v[s]};
      const double c[3] = {planes.x[0][k].v[s], planes.x[1][k].v[s], planes.x[2][k].v[s]};
      const double J = hb_nodes_flux(a, b, c, group.here && of.work.at.used[s],
                                     of.varying() ? h1.v[s] : data.h1, g);
      M = of.varying() ? J : data.h2 * J;
    } else {
      M = planes.lines[s].flux(of.line, k, t, g);
      if (of.varying()) {
#pragma unroll
        for (int d = 0; d < 3; d++) g[d] *= h1.v[s];
      }
    }
#pragma unroll
    for (int d = 0; d < 3; d++) sum = fma(given[d], g[d], sum);
    if (of.with_mass()) {
      if (of.varying()) M *= h2.v[s];
      /* w[k][j][i] = M u[k][j][i] */
      M *= u[f].v[s];
      sum = fma(u[f].v[s], M, sum);
      of.mass(k)[s] = M;
    }
    planes.r[k].v[s] = g[0];
    dj[f].v[s] = g[1];
    planes.t[k].v[s] = g[2];
  }
}

/* Nothing is moved across: a branch that is never taken.  The compiler's own order of unrolled
 * planes takes more registers than there are, and in a shared memory that leaves little cache what
 * it puts aside comes back from far away: 50 instead of 83 Gpoint/s with a direction at n = 8. */
__device__ static inline void hb_planes_end(const hb_element_data<double> &data) {
  if (data.begin < 0) __trap();
}

/* From ut to gr, gt in planes and gs in the result's image, plane by plane. */
template <int GEOMETRY, int N, int MODE, int COEFFICIENTS>
__device__ static inline void
hb_formed_fluxes(const hb_formed_work<GEOMETRY, N, MODE, COEFFICIENTS> &of,
                 const hb_formed_group &group, hb_formed_planes<GEOMETRY, N> &planes, double &sum) {
  using formed = hb_formed_work<GEOMETRY, N, MODE, COEFFICIENTS>;
  constexpr int fields = formed::fields, step = formed::step;
  hb_plane b[fields];
  of.read_fields(group.staged, group.number, 0, b);
  __syncwarp();
#pragma unroll
  for (int k = 0; k < N; k += step) {
    hb_plane di[fields], dj[fields], plane[fields];
    if (GEOMETRY == HB_GEOMETRY_TRILINEAR) hb_planes_end(of.work.data);
    of.contract(b, di, dj, plane);
    if (k + step < N) {
      of.read_fields(group.staged, group.number, k + step, b);
      __syncwarp(); /* what follows overwrites planes that have been read */
    }
#pragma unroll
    for (int p = 0; p < step; p++) {
      if (k + p >= N) continue;
      hb_formed_flux(of, group, k + p, formed::coordinates + p, di, dj, plane, planes, sum);
      of.write_rows(k + p, dj[formed::coordinates + p]);
    }
  }
}

template <int GEOMETRY, int N, int MODE, int COEFFICIENTS>
__global__ void __launch_bounds__(HB_WAVE, 8)
    hb_tensor_formed(const hb_element_data<double> data, const hb_uniform_line<N> line,
                     int num_slots) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  __trap(); /* never launched there: hb_helmholtz_tensor_shapes has none */
#else
  using geometry = hb_warp_geometry<N>;
  using formed = hb_formed_work<GEOMETRY, N, MODE, COEFFICIENTS>;
  constexpr bool nodes = formed::nodes;
  extern __shared__ __align__(16) double shared[];
  __shared__ uint64_t barriers[HB_WARP_MAX_SLOTS];
  hb_warp_work<GEOMETRY, N, MODE> work(data, num_slots, shared, barriers);
  const int lane = work.lane;
  const int groups = (data.end - data.begin + geometry::elements - 1) / geometry::elements;
  const int stride = static_cast<int>(gridDim.x);
  const bool has_pieces = nodes || (formed::any && data.num_factors > 0);
  double *const points = work.image(0);
  double *const result = work.image(MODE != HB_TENSOR_DIRECTION ? 1 : data.dinv == nullptr ? 3 : 4);
  int group = blockIdx.x;
  int asked = group; /* the group whose values at points are asked for next */
  int slot = 0, half = 0;
  unsigned phases = 0; /* a bit a slot */
  double sum = 0.0;

  if (lane == 0) {
    for (int q = 0; q < num_slots; q++) hb_barrier_init(&barriers[q]);
    points[geometry::zero] = 0.0;
  }
  __syncwarp();
  if (has_pieces) {
    for (int q = 0; q < num_slots; q++) {
      if (asked < groups) work.stage_factors(asked, q);
      asked += stride;
    }
  }
  const formed of(work, line, result);
  hb_staged_index index = of.index(0), next_index = of.index(1);
  work.stage_index(group, index);
  hb_lane_copies_wait();
  if (group + stride < groups) work.stage_index(group + stride, next_index);
  hb_follow_launch();
  if (MODE == HB_TENSOR_DIRECTION && !work.find_step()) { /* no copy is left on its way */
    hb_lane_copies_wait();
    for (int q = 0; has_pieces && q < num_slots; q++)
      if (group + q * stride < groups) hb_barrier_wait(&barriers[q], 0);
    return;
  }
  work.stage_points(group, index);
  of.stage_values(group, half);
  if (lane < N) of.s_points[lane] = data.basis[lane];

  for (; group < groups; group += stride) {
    const int next = group + stride;
    const hb_formed_group now = {group, half, work.present(group), work.factors_at(slot)};
    hb_formed_planes<GEOMETRY, N> planes;
    hb_plane u[N];
    hb_lane_copies_wait();
    if (MODE == HB_TENSOR_DIRECTION) work.advance(group, index);
    __syncwarp();
    work.read_image(now.here, points, u);
    __syncwarp();
    half ^= 1;
    if (next < groups) {
      work.stage_points(next, next_index);
      of.stage_values(next, half);
    }
    const hb_staged_index used = index; /* swapped, not counted from `half`: fewer registers */
    index = next_index;
    next_index = used;
    if (next + stride < groups) work.stage_index(next + stride, used);
#pragma unroll
    for (int k = 0; k < N; k++) planes.t[k] = u[k];
    /* ut[k][j][i] = sum_m Q[k][m] u[m][j][i] */
    line.template contract<false>(planes.t);
    of.load_lines(now.here, now.half, planes.lines);
    if (lane == 0) hb_bulk_store_wait();
    __syncwarp();
#pragma unroll
    for (int k = 0; k < N; k++) of.write_rows(k, u[k]);
    __syncwarp();

    if (has_pieces) {
      hb_barrier_wait(&barriers[slot], phases >> slot & 1);
      phases ^= 1u << slot;
      __syncwarp();
    }
    of.differentiate_nodes(now.staged, group, now.here, planes.x);
    hb_formed_fluxes(of, now, planes, sum);
    hb_async_fence(); /* the slot has been read */
    __syncwarp();
    if (has_pieces) {
      if (asked < groups) work.stage_factors(asked, slot);
      asked += stride;
      slot = slot + 1 == num_slots ? 0 : slot + 1;
    }
    of.finish(planes);
    __syncwarp(); /* the planes have been read: the result goes there */
    work.write_result(now.here, planes.t, result);
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
