/* SPDX-License-Identifier: BSD-3-Clause
 * The points of a lane, for the operator chained in registers: where they lie in
 * memory, loading and storing.  Included by chained.hip only; layout: chained_layout.h.
 *
 * Lanes past the last element work on the last one again, and runs past the end of a line on its
 * last points: every value loaded belongs to the launch.  Copies of elements are not stored, those
 * of points are the same operations on the same values, and neither is summed.  Infinities and NaN
 * of an element reach the others of its wave. */
#ifndef HB_KERNELS_HELMHOLTZ_CHAINED_POINTS_H
#define HB_KERNELS_HELMHOLTZ_CHAINED_POINTS_H

#include "kernels/element/points.h"
#include "kernels/element/uniform_place.h"
#include "kernels/helmholtz/chained_layout.h"

/* The lane, but the compiler does not know: what follows from it is computed anew. */
__device__ static inline int hb_lane_again(int lane) {
  __asm__ volatile("" : "+v"(lane));
  return lane;
}

template <typename real, int N> struct hb_chained_points {
  using layout = hb_chained_layout<real, N>;
  using points = hb_points<N>;
  static constexpr int R = layout::run, cube = N * N * N;
  hb_local first;    /* element of the wave's first lane */
  int element, j, i; /* counted from `first`; j and the first i of the lane */
  bool present;      /* of an element of the launch, and in a column that is used */
  int unused;        /* of the run's first points, that are another lane's too */

  __device__ hb_chained_points(const hb_element_data<real> &data, int block, int lane) {
    const hb_chained_index column = layout::tile_column(layout::tile::d_column(lane));
    const int g = layout::tile::b_row(lane);
    first = data.begin + block * layout::elements;
    const int last = data.end - 1 - first;
    element = g / layout::groups * layout::across + column.element;
    present = column.used && element <= last;
    element = element < last ? element : last;
    j = column.at;
    i = layout::first(g);
    unused = layout::full ? 0 : g % layout::groups * R - i;
  }
  __device__ unsigned offset(int plane_stride) const {
    return static_cast<unsigned>(element * plane_stride + j * N + i);
  }

  /* u, w [element][k][j][i] */
  __device__ void load_local(const hb_element_data<real> &data, real (&u)[N][R]) const {
    const hb_uniform_place<const real> place(data.u + static_cast<ptrdiff_t>(first) * cube);
    const unsigned start = offset(cube);
#pragma unroll
    for (int k = 0; k < N; k++) {
      const auto *from = hb_plane_offset<real, N>(start, k).in(place);
#pragma unroll
      for (int r = 0; r < R; r++) u[k][r] = from[r];
    }
  }
  __device__ void store_local(const hb_element_data<real> &data, const real (&w)[N][R]) const {
    if (!present) return;
    unsigned start = offset(cube);
    __asm__ volatile("" : "+v"(start)); /* in the block of its use, else it is widened before */
    const hb_uniform_place<real> place(data.w + static_cast<ptrdiff_t>(first) * cube);
#pragma unroll
    for (int k = 0; k < N; k++) {
      auto *to = hb_plane_offset<real, N>(start, k).in(place);
#pragma unroll
      for (int r = 0; r < R; r++) to[r] = w[k][r];
    }
  }

  /* u, or p of a direction, at the points' places in the assembled vectors */
  __device__ void load(const hb_element_data<real> &data, real (&u)[N][R]) const {
    hb_local entries[N][R];
    load_entries(data, entries);
    if (data.r == nullptr)
      load_batches<false, 4>(data, entries, u);
    else
      load_batches<true, 2>(data, entries, u);
  }
  /* interior points of w, the others to the element's surface */
  __device__ void store(const hb_element_data<real> &data, const real (&w)[N][R]) const {
    if (!present) return;
    const ptrdiff_t at = static_cast<ptrdiff_t>(first) + element;
    real *surface = data.surface + at * points::surface, *to[R];
    ptrdiff_t step[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool in = inside(r);
      step[r] = in ? (N - 2) * (N - 2) : points::ring;
      to[r] = in ? data.w + at * points::interior + points::interior_number(1, j, i + r)
                 : surface + side_number(r);
      surface[j * N + i + r] = w[0][r];
      surface[points::surface - N * N + j * N + i + r] = w[N - 1][r];
    }
#pragma unroll
    for (int k = 1; k < N - 1; k++) {
#pragma unroll
      for (int r = 0; r < R; r++) {
        *to[r] = w[k][r];
        to[r] += step[r];
      }
    }
  }

  /* sum of u.w over the lane's points */
  __device__ double product(const real (&u)[N][R], const real (&w)[N][R]) const {
    double sum = 0.0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      double line = layout::full ? sum : 0.0;
#pragma unroll
      for (int k = 0; k < N; k++)
        line += static_cast<double>(u[k][r]) * static_cast<double>(w[k][r]);
      sum = layout::full ? line : r >= unused ? sum + line : sum;
    }
    return present ? sum : 0.0;
  }
  /* sum over the lane's runs, of which each slot has its sum */
  __device__ double sum_of_slots(const real (&slots)[R]) const {
    double sum = 0.0;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (layout::full || r >= unused) sum += static_cast<double>(slots[r]);
    return present ? sum : 0.0;
  }

private:
  /* Of the planes that are not the first or last of k. */
  __device__ bool inside(int r) const { return j > 0 && j < N - 1 && i + r > 0 && i + r < N - 1; }

  /* Number among the surface points of the second plane; where the point is inside, of one near. */
  __device__ int side_number(int r) const {
    const bool edge = j == 0 || j == N - 1;
    const int line = j == 0 ? 0 : N + 2 * (j - 1); /* of j = N-1 also the first */
    return N * N + line + (edge ? i + r : i + r > 0 ? 1 : 0);
  }
  /* Where the lane's points lie in assembled vectors, HB_OWNS_POINT set where they are written. */
  __device__ void load_entries(const hb_element_data<real> &data, hb_local (&entries)[N][R]) const {
    const hb_uniform_place<const hb_local> place(data.surface_index +
                                                 static_cast<ptrdiff_t>(first) * points::surface);
    const int start = element * points::surface;
    const auto *plane = place.lane(static_cast<unsigned>(start + j * N + i));
#pragma unroll
    for (int r = 0; r < R; r++) {
      const auto *side = place.lane(static_cast<unsigned>(start + side_number(r)));
      entries[0][r] = plane[r];
      entries[N - 1][r] = plane[points::surface - N * N + r];
#pragma unroll
      for (int k = 1; k < N - 1; k++) entries[k][r] = side[(k - 1) * points::ring];
    }
    hb_phase_end();
    unsigned interior = static_cast<unsigned>(first + element) * points::interior;
    interior += static_cast<unsigned>(points::interior_number(1, j, i)) +
                static_cast<unsigned>(HB_OWNS_POINT);
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
      for (int k = 1; k < N - 1; k++)
        if (inside(r))
          entries[k][r] = static_cast<hb_local>(interior + (k - 1) * (N - 2) * (N - 2) + r);
    }
  }
  template <bool DIRECTION, int PLANES>
  __device__ void load_planes(const hb_element_data<real> &data, const hb_local (&entries)[N][R],
                              int k, real (&u)[N][R]) const {
    hb_place places[PLANES * R];
    real values[PLANES * R];
#pragma unroll
    for (int q = 0; q < PLANES * R; q++) {
      const hb_local entry = entries[k + q / R][q % R];
      places[q] = {entry & HB_LOCAL_MAX, entry < 0 && q % R >= unused};
    }
    hb_load_points<DIRECTION, PLANES * R>(data, present, places, values);
#pragma unroll
    for (int q = 0; q < PLANES * R; q++) u[k + q / R][q % R] = values[q];
  }
  /* BATCH planes at a time, as far as there are so many */
  template <bool DIRECTION, int BATCH>
  __device__ void load_batches(const hb_element_data<real> &data, const hb_local (&entries)[N][R],
                               real (&u)[N][R]) const {
    constexpr int rest = N % BATCH;
#pragma unroll
    for (int k = 0; k + BATCH <= N; k += BATCH) load_planes<DIRECTION, BATCH>(data, entries, k, u);
    if constexpr (rest > 0) load_planes<DIRECTION, rest>(data, entries, N - rest, u);
  }
};

#endif
