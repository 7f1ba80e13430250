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
 * The first two load what they need of a point early: at(); where positions are kept the kernel
 * adds their derivatives (metric.h).  With it later turn() puts gr, gs, gt in the place of ur, us,
 * ut unless the mode has factors to form them from; what flux<AXIS>() then gives is one of them,
 * and mass() is M.  The third forms the factors g[f], in the order of geometry.h; without mass
 * g[HB_MASS_FACTOR] is 0.
 * Included by .hip files only. */
#ifndef HB_KERNELS_GEOMETRY_FACTORS_AT_H
#define HB_KERNELS_GEOMETRY_FACTORS_AT_H

#include "kernels/element/points.h"
#include "kernels/geometry/geometry.h"
#include "kernels/geometry/metric.h"

/* Where an element's stored factors begin, for the constructors; a mode without them passes it by.
 * A macro, as compilers find the shortest way to the address among the kernel's other ones only if
 * it is computed there. */
#define HB_STORED_FACTORS(data, element, N)                                                        \
  ((data).factors + (element) * (data).num_factors * hb_points<N>::cube)

template <int MODE, typename real, int N> struct hb_point_factors;
template <int MODE, typename real, int N> struct hb_line_factors;
template <int MODE, typename real, int N> struct hb_column_factors;
template <int MODE, typename real> struct hb_factor_cubes;

/* gr = G00 ur + G01 us + G02 ut,  gs = G01 ur + G11 us + G12 ut,  gt = G02 ur + G12 us + G22 ut:
 * the flux along AXIS, 0 1 2 for r s t.  The host's kernels have their own: the reference is
 * frozen, simd works on vectors. */
template <int AXIS, typename real>
__device__ static inline real hb_flux(const real *g, real ur, real us, real ut) {
  constexpr int row[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  return g[row[AXIS][0]] * ur + g[row[AXIS][1]] * us + g[row[AXIS][2]] * ut;
}

/* ---- stored: [element][f][k][j][i] ----------------------------------------------------------- */

/* g of the point at `from`, factor 0. */
template <int CUBE, typename real>
__device__ static inline void hb_load_stored(const hb_element_data<real> &data, const real *from,
                                             real (&g)[HB_MAX_FACTORS]) {
#pragma unroll
  for (int f = 0; f < HB_NUM_GEOMETRIC; f++) g[f] = from[f * CUBE];
  g[HB_MASS_FACTOR] = data.with_mass ? from[HB_MASS_FACTOR * CUBE] : real(0);
}

/* What is loaded of a point, and what becomes of derivatives with it. */
template <typename real> struct hb_stored_point { real g[HB_MAX_FACTORS]; };
template <typename real> struct hb_stored_flux {
  typedef hb_stored_point<real> point;

  __device__ void turn(point &, real &, real &, real &) const {}
  template <int AXIS> __device__ real flux(const point &p, real ur, real us, real ut) const {
    return hb_flux<AXIS>(p.g, ur, us, ut);
  }
  __device__ real mass(const point &p) const { return p.g[HB_MASS_FACTOR]; }
};

template <typename real, int N>
struct hb_point_factors<HB_GEOMETRY_STORED, real, N> : hb_stored_flux<real> {
  static constexpr int cube = N * N * N;
  const hb_element_data<real> &data;

  typedef hb_stored_point<real> point;

  __device__ hb_point_factors(const hb_element_data<real> &given, ptrdiff_t) : data(given) {}
  /* Of point (k,j,i), whose factor or value 0 is at `stored`. */
  __device__ void at(int, int, int, const real *stored, point &p) const {
    hb_load_stored<cube>(data, stored, p.g);
  }
};

template <typename real, int N>
struct hb_line_factors<HB_GEOMETRY_STORED, real, N> : hb_stored_flux<real> {
  static constexpr int cube = N * N * N;
  const hb_element_data<real> &data;
  const real *start;

  /* stored: factor 0 of the point (j,i) of plane 0 */
  __device__ hb_line_factors(const hb_element_data<real> &given, ptrdiff_t, const real *stored, int,
                             int)
      : data(given), start(stored) {}
  typedef hb_stored_point<real> point;

  /* `zero` is hb_opaque_zero: the factors are loaded here.  uniform.basis: points and weights,
   * where they are needed. */
  template <typename uniforms>
  __device__ void at(int k, int zero, const uniforms &, point &p) const {
    hb_load_stored<cube>(data, start + k * N * N + zero, p.g);
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

/* ---- not stored: what is kept, with h1 and h2 behind it where they vary -----------------------
 */

/* h1 w, and h2 w or 0 without mass, at a point. */
template <typename real> struct hb_weights {
  real h1, h2;

  __device__ hb_weights times(real w) const { return {h1 * w, h2 * w}; }
};

/* What is the same at all points: h1 and h2, or 1 where they are values of the points, or, in the
 * affine mode, in the element's. */
template <int MODE, typename real>
__device__ static inline hb_weights<real> hb_constant_weights(const hb_element_data<real> &data) {
  const bool ones = MODE == HB_GEOMETRY_AFFINE || data.varying;
  return {ones ? real(1) : data.h1, !data.with_mass ? real(0) : ones ? real(1) : data.h2};
}

/* Those times what varies; `kept`: value 0 of the point. */
template <int MODE, int CUBE, typename real>
__device__ static inline void hb_load_weights(const hb_element_data<real> &data, const real *kept,
                                              hb_weights<real> &weights) {
  constexpr int first = MODE == HB_GEOMETRY_NODES ? 3 : 0;
  if (!data.varying) return;
  weights.h1 *= kept[first * CUBE];
  if (data.with_mass) weights.h2 *= kept[(first + 1) * CUBE];
}

/* Derivatives of the position, x[direction][a], and what goes with them.  */
template <typename real> struct hb_position_point {
  real x[3][3];
  hb_weights<real> weights;

  __device__ void turn(real &ur, real &us, real &ut) {
    const hb_metric<real> metric = hb_form_metric(x);
    hb_metric_flux(metric, weights.h1, ur, us, ut);
    weights.h2 *= metric.J;
  }
};

/* Factors of an element without weights. */
template <typename real> struct hb_affine_element {
  real g[HB_MAX_FACTORS];

  __device__ hb_affine_element(const hb_element_data<real> &data, ptrdiff_t element) {
#pragma unroll
    for (int f = 0; f < HB_MAX_FACTORS; f++) g[f] = data.elements[element * HB_AFFINE_VALUES + f];
  }
  __device__ void turn(hb_weights<real> &weights, real &ur, real &us, real &ut) const {
    const real a = weights.h1 * ur, b = weights.h1 * us, c = weights.h1 * ut;
    ur = hb_flux<0>(g, a, b, c);
    us = hb_flux<1>(g, a, b, c);
    ut = hb_flux<2>(g, a, b, c);
    weights.h2 *= g[HB_MASS_FACTOR];
  }
};

/* Turned derivatives are the flux, and the second weight is M. */
template <typename real> struct hb_turned_flux {
  template <int AXIS, typename point>
  __device__ real flux(const point &, real ur, real us, real ut) const {
    return AXIS == 0 ? ur : AXIS == 1 ? us : ut;
  }
  template <typename point> __device__ real mass(const point &p) const { return p.weights.h2; }
};

/* Weights of any point of an element. */
template <int MODE, typename real, int N> struct hb_point_weights : hb_turned_flux<real> {
  const hb_element_data<real> &data;

  __device__ explicit hb_point_weights(const hb_element_data<real> &given) : data(given) {}
  __device__ hb_weights<real> weights(int k, int j, int i, const real *kept) const {
    const real *w = data.basis + N;
    hb_weights<real> weights = hb_constant_weights<MODE>(data).times(w[i] * w[j] * w[k]);
    hb_load_weights<MODE, N * N * N>(data, kept, weights);
    return weights;
  }
};

template <typename real, int N>
struct hb_point_factors<HB_GEOMETRY_NODES, real, N> : hb_point_weights<HB_GEOMETRY_NODES, real, N> {
  typedef hb_position_point<real> point; /* x is the kernel's to fill */

  __device__ hb_point_factors(const hb_element_data<real> &given, ptrdiff_t)
      : hb_point_weights<HB_GEOMETRY_NODES, real, N>(given) {}
  __device__ void at(int k, int j, int i, const real *kept, point &p) const {
    p.weights = this->weights(k, j, i, kept);
  }
  __device__ void turn(point &p, real &ur, real &us, real &ut) const { p.turn(ur, us, ut); }
};

template <typename real, int N>
struct hb_point_factors<HB_GEOMETRY_TRILINEAR, real, N>
    : hb_point_weights<HB_GEOMETRY_TRILINEAR, real, N> {
  typedef hb_position_point<real> point;
  const real *X;

  __device__ hb_point_factors(const hb_element_data<real> &given, ptrdiff_t element)
      : hb_point_weights<HB_GEOMETRY_TRILINEAR, real, N>(given),
        X(given.elements + element * HB_TRILINEAR_VALUES) {}
  __device__ void at(int k, int j, int i, const real *kept, point &p) const {
    const real *points = this->data.basis;
    p.weights = this->weights(k, j, i, kept);
    hb_trilinear_line<real>(X, points[i], points[j]).at(points[k], p.x);
  }
  __device__ void turn(point &p, real &ur, real &us, real &ut) const { p.turn(ur, us, ut); }
};

template <typename real, int N>
struct hb_point_factors<HB_GEOMETRY_AFFINE, real, N>
    : hb_point_weights<HB_GEOMETRY_AFFINE, real, N> {
  struct point {
    hb_weights<real> weights;
  };
  const hb_affine_element<real> own;

  __device__ hb_point_factors(const hb_element_data<real> &given, ptrdiff_t element)
      : hb_point_weights<HB_GEOMETRY_AFFINE, real, N>(given), own(given, element) {}
  __device__ void at(int k, int j, int i, const real *kept, point &p) const {
    p.weights = this->weights(k, j, i, kept);
  }
  __device__ void turn(point &p, real &ur, real &us, real &ut) const {
    own.turn(p.weights, ur, us, ut);
  }
};

/* Weights along the line of all k at one (j,i). */
template <int MODE, typename real, int N> struct hb_line_weights : hb_turned_flux<real> {
  const hb_element_data<real> &data;
  const real *start;             /* value 0 of the point of plane 0 */
  const hb_weights<real> across; /* with w_i w_j */

  __device__ hb_line_weights(const hb_element_data<real> &given, const real *kept, int j, int i)
      : data(given), start(kept),
        across(hb_constant_weights<MODE>(given).times(given.basis[N + i] * given.basis[N + j])) {}
  template <typename uniforms>
  __device__ hb_weights<real> weights(int k, int zero, const uniforms &uniform) const {
    hb_weights<real> weights = across.times(uniform.basis.at(1, k, zero));
    hb_load_weights<MODE, N * N * N>(data, start + k * N * N + zero, weights);
    return weights;
  }
};

template <typename real, int N>
struct hb_line_factors<HB_GEOMETRY_NODES, real, N> : hb_line_weights<HB_GEOMETRY_NODES, real, N> {
  typedef hb_position_point<real> point; /* x is the kernel's to fill */

  __device__ hb_line_factors(const hb_element_data<real> &given, ptrdiff_t, const real *kept, int j,
                             int i)
      : hb_line_weights<HB_GEOMETRY_NODES, real, N>(given, kept, j, i) {}
  template <typename uniforms>
  __device__ void at(int k, int zero, const uniforms &uniform, point &p) const {
    p.weights = this->weights(k, zero, uniform);
  }
  __device__ void turn(point &p, real &ur, real &us, real &ut) const { p.turn(ur, us, ut); }
};

template <typename real, int N>
struct hb_line_factors<HB_GEOMETRY_TRILINEAR, real, N>
    : hb_line_weights<HB_GEOMETRY_TRILINEAR, real, N> {
  struct point {
    real t;
    hb_weights<real> weights;
  };
  const hb_trilinear_line<real> line;

  __device__ hb_line_factors(const hb_element_data<real> &given, ptrdiff_t element,
                             const real *kept, int j, int i)
      : hb_line_weights<HB_GEOMETRY_TRILINEAR, real, N>(given, kept, j, i),
        line(given.elements + element * HB_TRILINEAR_VALUES, given.basis[i], given.basis[j]) {}
  template <typename uniforms>
  __device__ void at(int k, int zero, const uniforms &uniform, point &p) const {
    p.t = uniform.basis.at(0, k, zero);
    p.weights = this->weights(k, zero, uniform);
  }
  __device__ void turn(point &p, real &ur, real &us, real &ut) const {
    hb_position_point<real> position;
    line.at(p.t, position.x);
    position.weights = p.weights;
    position.turn(ur, us, ut);
    p.weights = position.weights;
  }
};

template <typename real, int N>
struct hb_line_factors<HB_GEOMETRY_AFFINE, real, N> : hb_line_weights<HB_GEOMETRY_AFFINE, real, N> {
  struct point {
    hb_weights<real> weights;
  };
  const hb_affine_element<real> own;

  __device__ hb_line_factors(const hb_element_data<real> &given, ptrdiff_t element,
                             const real *kept, int j, int i)
      : hb_line_weights<HB_GEOMETRY_AFFINE, real, N>(given, kept, j, i), own(given, element) {}
  template <typename uniforms>
  __device__ void at(int k, int zero, const uniforms &uniform, point &p) const {
    p.weights = this->weights(k, zero, uniform);
  }
  __device__ void turn(point &p, real &ur, real &us, real &ut) const {
    own.turn(p.weights, ur, us, ut);
  }
};

/* ---- not stored, all rows of a column -------------------------------------------------------- */

/* For rows [FROM, TO) as in hb_column_factors::load: row(s, k, weights of the point). */
template <int MODE, typename rows, int FROM, int TO, int N, typename real, typename column_points,
          typename function>
__device__ static inline void hb_each_row(const hb_element_data<real> &data, hb_local block_first,
                                          const column_points &points, const function &row) {
  constexpr int cube = N * N * N;
  const int c = points.column.c;
  const ptrdiff_t element = block_first + points.element;
  const real *kept = data.factors + element * data.num_factors * cube + c;
  const hb_weights<real> across =
      hb_constant_weights<MODE>(data).times(data.basis[N + c % N] * data.basis[N + c / N]);
#pragma unroll
  for (int s = FROM; s < TO; s++) {
    const int k = rows::number(s);
    hb_weights<real> weights = across.times(data.basis[N + k]);
    hb_load_weights<MODE, cube>(data, kept + k * N * N, weights);
    row(s, k, weights);
  }
}

/* Formed by the kernel, which is never short of them. */
template <typename real, int N> struct hb_column_factors<HB_GEOMETRY_NODES, real, N> {
  template <typename rows, int FROM, int TO, int COUNT, typename column_points>
  __device__ static void load(const hb_element_data<real> &, hb_local, const column_points &,
                              real (&)[COUNT][HB_MAX_FACTORS]) {}
};

template <typename real, int N> struct hb_column_factors<HB_GEOMETRY_TRILINEAR, real, N> {
  template <typename rows, int FROM, int TO, int COUNT, typename column_points>
  __device__ static void load(const hb_element_data<real> &data, hb_local block_first,
                              const column_points &points, real (&G)[COUNT][HB_MAX_FACTORS]) {
    const ptrdiff_t element = block_first + points.element;
    const hb_trilinear_line<real> line(data.elements + element * HB_TRILINEAR_VALUES,
                                       data.basis[points.column.c % N],
                                       data.basis[points.column.c / N]);
    hb_each_row<HB_GEOMETRY_TRILINEAR, rows, FROM, TO, N>(
        data, block_first, points, [&](int s, int k, const hb_weights<real> &weights) {
          real x[3][3];
          line.at(data.basis[k], x);
          hb_metric_factors(hb_form_metric(x), weights.h1, weights.h2, G[s]);
        });
  }
};

template <typename real, int N> struct hb_column_factors<HB_GEOMETRY_AFFINE, real, N> {
  template <typename rows, int FROM, int TO, int COUNT, typename column_points>
  __device__ static void load(const hb_element_data<real> &data, hb_local block_first,
                              const column_points &points, real (&G)[COUNT][HB_MAX_FACTORS]) {
    const hb_affine_element<real> own(data, block_first + points.element);
    hb_each_row<HB_GEOMETRY_AFFINE, rows, FROM, TO, N>(
        data, block_first, points, [&](int s, int, const hb_weights<real> &weights) {
#pragma unroll
          for (int f = 0; f < HB_NUM_GEOMETRIC; f++) G[s][f] = weights.h1 * own.g[f];
          G[s][HB_MASS_FACTOR] = weights.h2 * own.g[HB_MASS_FACTOR];
        });
  }
};

#endif
