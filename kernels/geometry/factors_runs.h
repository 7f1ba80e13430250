/* SPDX-License-Identifier: BSD-3-Clause
 * Factors of a lane's runs of points along i, plane after plane (AMD, factors_at.h). */
#ifndef HB_KERNELS_GEOMETRY_FACTORS_RUNS_H
#define HB_KERNELS_GEOMETRY_FACTORS_RUNS_H

#include "kernels/element/uniform_place.h"
#include "kernels/geometry/factors_at.h"

/* `run` points each. */
template <int MODE, typename real, int N, int RUN> struct hb_run_factors;

template <typename real, int N, int R> struct hb_run_factors<HB_GEOMETRY_STORED, real, N, R> {
  static constexpr int cube = N * N * N;
  hb_uniform_place<const real> geometric[HB_NUM_GEOMETRIC];
  const real *mass;
  bool with_mass;
  unsigned offset;

  /* points.first is the element of the wave's first lane, points.offset(stride) the lane's first
   * point after that, with `stride` from an element to the next. */
  template <typename lane_points>
  __device__ hb_run_factors(const hb_element_data<real> &data, const lane_points &points) {
    const real *start =
        data.factors + static_cast<ptrdiff_t>(points.first) * data.num_factors * cube;
#pragma unroll
    for (int f = 0; f < HB_NUM_GEOMETRIC; f++)
      geometric[f] = hb_uniform_place<const real>(start + f * cube);
    mass = start + HB_MASS_FACTOR * cube; /* exists with_mass */
    with_mass = data.with_mass;
    offset = points.offset(data.num_factors * cube);
  }

  /* g[f] = Gf of plane k */
  __device__ void load(int k, real (&g)[HB_NUM_GEOMETRIC][R]) const {
    const hb_plane_offset<real, N> plane(offset, k);
#pragma unroll
    for (int f = 0; f < HB_NUM_GEOMETRIC; f++) load_run(geometric[f], plane, g[f]);
  }
  /* w[k][j][i] += M u[k][j][i] */
  __device__ void add_mass(const real (&u)[N][R], real (&w)[N][R]) {
    if (!with_mass) return;
    __asm__ volatile("" : "+v"(offset)); /* in the block of its use, else it is widened before */
    const hb_uniform_place<const real> place(mass);
    constexpr int batch = 6; /* planes in flight together */
#pragma unroll
    for (int start = 0; start < N; start += batch) {
      real M[batch][R];
#pragma unroll
      for (int k = start; k < N && k < start + batch; k++)
        load_run(place, hb_plane_offset<real, N>(offset, k), M[k - start]);
#pragma unroll
      for (int k = start; k < N && k < start + batch; k++) {
#pragma unroll
        for (int r = 0; r < R; r++) w[k][r] = fma(M[k - start][r], u[k][r], w[k][r]);
      }
      hb_phase_end();
    }
  }

  /* M of plane k, if there is a mass term */
  __device__ void load_mass(int k, real (&M)[R]) const {
    if (!with_mass) return;
    unsigned start = offset;
    __asm__ volatile("" : "+v"(start)); /* as above */
    load_run(hb_uniform_place<const real>(mass), hb_plane_offset<real, N>(start, k), M);
  }
  /* w += M u at a plane's points; product += u M u */
  __device__ void add_mass(const real (&M)[R], const real (&u)[R], real (&w)[R],
                           real (&product)[R]) const {
    if (!with_mass) return;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const real Mu = M[r] * u[r];
      w[r] += Mu;
      product[r] = fma(u[r], Mu, product[r]);
    }
  }

private:
  __device__ void load_run(hb_uniform_place<const real> place, hb_plane_offset<real, N> plane,
                           real (&to)[R]) const {
    const auto *from = plane.in(place);
#pragma unroll
    for (int r = 0; r < R; r++) to[r] = from[r];
  }
};

#endif
