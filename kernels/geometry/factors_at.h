/* SPDX-License-Identifier: BSD-3-Clause
 * How device kernels come by the factors of a point, by geometry mode, and what they do with them.
 *
 * Every kernel takes its factors through one of these, each written once a mode:
 *
 *   hb_point_factors    any point of an element                       (1d)
 *   hb_line_factors     the points (j,i) of one plane after the other (kstep)
 *   hb_column_factors   the same, counted in bytes from a block       (staged)
 *   hb_factor_cubes     a factor of all points, for any n             (diagonal, set-up)
 *   hb_run_factors      runs of points along i       (chained, AMD:    factors_runs.h)
 *   hb_factor_pieces    copies in shared memory      (tensor, NVIDIA:  factors_pieces.h)
 *
 * g[f] are the factors in the order of geometry.h; without mass g[HB_MASS_FACTOR] is 0.  Included
 * by .hip files only. */
#ifndef HB_KERNELS_GEOMETRY_FACTORS_AT_H
#define HB_KERNELS_GEOMETRY_FACTORS_AT_H

#include "kernels/element/points.h"
#include "kernels/geometry/geometry.h"

/* Where an element's stored factors begin, for the constructors; a mode without them passes it by.
 * A macro, as compilers find the shortest way to the address among the kernel's other ones only if
 * it is computed there. */
#define HB_STORED_FACTORS(data, element, N)                                                        \
  ((data).factors + (element) * (data).num_factors * hb_points<N>::cube)

template <int MODE, typename real, int N> struct hb_point_factors;
template <int MODE, typename real, int N> struct hb_line_factors;
template <int MODE, typename real, int N> struct hb_column_factors;
template <int MODE, typename real> struct hb_factor_cubes;

/* ---- stored: [element][f][k][j][i] ----------------------------------------------------------- */

/* g of the point at `from`, factor 0. */
template <int CUBE, typename real>
__device__ static inline void hb_load_stored(const hb_element_data<real> &data, const real *from,
                                             real (&g)[HB_MAX_FACTORS]) {
#pragma unroll
  for (int f = 0; f < HB_NUM_GEOMETRIC; f++) g[f] = from[f * CUBE];
  g[HB_MASS_FACTOR] = data.with_mass ? from[HB_MASS_FACTOR * CUBE] : real(0);
}

template <typename real, int N> struct hb_point_factors<HB_GEOMETRY_STORED, real, N> {
  static constexpr int cube = N * N * N;
  const hb_element_data<real> &data;

  __device__ hb_point_factors(const hb_element_data<real> &given, ptrdiff_t) : data(given) {}
  /* Of point (k,j,i), whose factor 0 a mode that stores it has at `stored`. */
  __device__ void at(int, int, int, const real *stored, real (&g)[HB_MAX_FACTORS]) const {
    hb_load_stored<cube>(data, stored, g);
  }
};

template <typename real, int N> struct hb_line_factors<HB_GEOMETRY_STORED, real, N> {
  static constexpr int cube = N * N * N;
  const hb_element_data<real> &data;
  const real *start;

  /* stored: factor 0 of the point (j,i) of plane 0 */
  __device__ hb_line_factors(const hb_element_data<real> &given, ptrdiff_t, const real *stored, int,
                             int)
      : data(given), start(stored) {}
  /* `zero` is hb_opaque_zero: the factors are loaded here. */
  __device__ void at(int k, int zero, real (&g)[HB_MAX_FACTORS]) const {
    hb_load_stored<cube>(data, start + k * N * N + zero, g);
  }
};

template <typename real, int N> struct hb_column_factors<HB_GEOMETRY_STORED, real, N> {
  static constexpr int cube = N * N * N;

  /* Rows [FROM, TO) of G for a column of a block's elements: points.column.c = j n + i of
   * points.element, which is counted from the block's first; row s is rows::bytes(s) bytes
   * behind k = 0.  All loads but those of the mass are in flight together. */
  template <typename rows, int FROM, int TO, int COUNT, typename column_points>
  __device__ static void load(const hb_element_data<real> &data, hb_local block_first,
                              const column_points &points, real (&G)[COUNT][HB_MAX_FACTORS]) {
    const int element = data.num_factors * cube;
    const real *block = data.factors + static_cast<ptrdiff_t>(block_first) * element;
    const unsigned first =
        static_cast<unsigned>(points.element * element + points.column.c) * sizeof(real);
#pragma unroll
    for (int s = FROM; s < TO; s++) {
      const unsigned point = first + rows::bytes(s);
#pragma unroll
      for (int f = 0; f < HB_NUM_GEOMETRIC; f++) G[s][f] = *hb_byte(block + f * cube, point);
      G[s][HB_MASS_FACTOR] = 0;
    }
    if (!data.with_mass) return;
    block += HB_MASS_FACTOR * cube;
#pragma unroll
    for (int s = FROM; s < TO; s++) G[s][HB_MASS_FACTOR] = *hb_byte(block, first + rows::bytes(s));
  }
};

template <typename real> struct hb_factor_cubes<HB_GEOMETRY_STORED, real> {
  const real *start;

  /* stored: as HB_STORED_FACTORS, for any n */
  __device__ explicit hb_factor_cubes(const real *stored) : start(stored) {}
  __device__ real at(int f, int point, int points) const { return start[f * points + point]; }
  /* The same for several factors of a point. */
  __device__ hb_factor_cubes of_point(int point) const { return hb_factor_cubes(start + point); }
  __device__ real factor(int f, int points) const { return start[f * points]; }
};

/* ---- what is done with them ------------------------------------------------------------------ */

/* gr = G00 ur + G01 us + G02 ut,  gs = G01 ur + G11 us + G12 ut,  gt = G02 ur + G12 us + G22 ut:
 * the flux along AXIS, 0 1 2 for r s t.  The host's kernels have their own: the reference is
 * frozen, simd works on vectors. */
template <int AXIS, typename real>
__device__ static inline real hb_flux(const real *g, real ur, real us, real ut) {
  constexpr int row[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  return g[row[AXIS][0]] * ur + g[row[AXIS][1]] * us + g[row[AXIS][2]] * ut;
}

#endif
