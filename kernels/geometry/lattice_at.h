/* SPDX-License-Identifier: BSD-3-Clause
 * One point of a device's lattice (lattice.h): its place, position, coefficients and solution.
 * Included by .hip files only. */
#ifndef HB_KERNELS_GEOMETRY_LATTICE_AT_H
#define HB_KERNELS_GEOMETRY_LATTICE_AT_H

#include "kernels/geometry/lattice.h"
#include "kernels/platform/gpu.h"

/* Sine and cosine of a moderate angle, to rounding: reduced to the nearest quarter of a turn, then
 * Taylor's series, whose next terms are below 1e-18 there. */
__device__ static inline void hb_sine_cosine(double angle, double *sine, double *cosine) {
  const double quarter = rint(angle * 0.63661977236758134308);
  const double high = fma(-quarter, 1.57079632679489661923, angle);
  const double r = fma(-quarter, 6.123233995736766036e-17, high), s = r * r;
  double odd = -1.0 / 121645100408832000.0, even = 1.0 / 6402373705728000.0;
  /* odd = sum (-s)^j / (2 j + 1)!,  even = sum (-s)^j / (2 j)! */
  odd = fma(odd, s, 1.0 / 355687428096000.0);
  odd = fma(odd, s, -1.0 / 1307674368000.0);
  odd = fma(odd, s, 1.0 / 6227020800.0);
  odd = fma(odd, s, -1.0 / 39916800.0);
  odd = fma(odd, s, 1.0 / 362880.0);
  odd = fma(odd, s, -1.0 / 5040.0);
  odd = fma(odd, s, 1.0 / 120.0);
  odd = fma(odd, s, -1.0 / 6.0);
  even = fma(-even, s, 1.0 / 20922789888000.0);
  even = fma(even, s, -1.0 / 87178291200.0);
  even = fma(even, s, 1.0 / 479001600.0);
  even = fma(even, s, -1.0 / 3628800.0);
  even = fma(even, s, 1.0 / 40320.0);
  even = fma(even, s, -1.0 / 720.0);
  even = fma(even, s, 1.0 / 24.0);
  even = fma(even, s, -0.5);
  const double sin_rest = fma(r * s, odd, r), cos_rest = fma(s, even, 1.0);
  const int turn = static_cast<int>(quarter) & 3;
  const double a = (turn & 1) != 0 ? cos_rest : sin_rest;
  const double b = (turn & 1) != 0 ? sin_rest : cos_rest;
  *sine = turn >= 2 ? -a : a;
  *cosine = turn == 1 || turn == 2 ? -b : b;
}

/* Terms of an axis: U, U', U'', and of the coefficients' waves. */
struct hb_lattice_term {
  double u, du, ddu, wave[2], sine;
};

/* What a point has: u, f, h1, h2 and the gradient of u. */
struct hb_lattice_values {
  double u, source, h1, h2, gradient[3];
};

__device__ static inline hb_lattice_term hb_lattice_term_at(const hb_lattice_problem &problem,
                                                            int axis, double x) {
  const double length = problem.length[axis], two_pi = 6.28318530717958647692528676655900577;
  const double fraction = problem.periodic[axis] && x == length ? 0.0 : x / length;
  const double k = problem.wave_number[axis] / length;
  double sine, cosine, ignored;
  hb_lattice_term term = {};
  hb_sine_cosine(problem.wave_number[axis] * fraction + problem.phase[axis], &sine, &cosine);
  term.u = problem.offset[axis] + sine;
  term.du = k * cosine;
  term.ddu = -k * k * sine;
  if (problem.h1_variation != 0.0)
    hb_sine_cosine(two_pi * fraction + problem.wave_phase[0][axis], &term.sine, &term.wave[0]);
  if (problem.h2_variation != 0.0)
    hb_sine_cosine(two_pi * fraction + problem.wave_phase[1][axis], &ignored, &term.wave[1]);
  return term;
}

__device__ static inline hb_lattice_values hb_lattice_values_at(const hb_lattice_problem &problem,
                                                                const double (&x)[3]) {
  const hb_lattice_term a = hb_lattice_term_at(problem, 0, x[0]);
  const hb_lattice_term b = hb_lattice_term_at(problem, 1, x[1]);
  const hb_lattice_term c = hb_lattice_term_at(problem, 2, x[2]);
  const double two_pi = 6.28318530717958647692528676655900577;
  hb_lattice_values values;
  values.u = a.u * b.u * c.u;
  values.gradient[0] = a.du * b.u * c.u;
  values.gradient[1] = a.u * b.du * c.u;
  values.gradient[2] = a.u * b.u * c.du;
  values.h1 = problem.h1;
  values.h2 = problem.h2;
  double drift = 0.0;
  if (problem.h1_variation != 0.0) {
    values.h1 *= 1.0 + problem.h1_variation * (a.wave[0] * b.wave[0] * c.wave[0]);
    /* grad(v_1).grad(u) */
    drift = -two_pi / problem.length[0] * a.sine * b.wave[0] * c.wave[0] * values.gradient[0] -
            two_pi / problem.length[1] * b.sine * c.wave[0] * a.wave[0] * values.gradient[1] -
            two_pi / problem.length[2] * c.sine * a.wave[0] * b.wave[0] * values.gradient[2];
  }
  if (problem.h2_variation != 0.0)
    values.h2 *= 1.0 + problem.h2_variation * (a.wave[1] * b.wave[1] * c.wave[1]);
  const double laplace = a.ddu * b.u * c.u + a.u * b.ddu * c.u + a.u * b.u * c.ddu;
  values.source =
      values.h2 * values.u - values.h1 * laplace - problem.h1 * problem.h1_variation * drift;
  return values;
}

/* Position of point (i,j,k) of element e of the rank's box, or one around it. */
__device__ static inline void hb_lattice_position(const hb_device_lattice &lattice,
                                                  const hb_local (&e)[3], const int (&ijk)[3],
                                                  double (&x)[3]) {
  const double *at[3];
#pragma unroll
  for (int a = 0; a < 3; a++)
    at[a] = lattice.d_axis[a] +
            4 * (static_cast<ptrdiff_t>(e[a] - lattice.first[a]) * lattice.n + ijk[a]);
#pragma unroll
  for (int a = 0; a < 3; a++)
    x[a] = lattice.problem.length[a] * (at[a][0] + at[0][1 + a] * at[1][1 + a] * at[2][1 + a]);
}

/* Coordinates of the element at a position. */
__device__ static inline void hb_lattice_element(const hb_device_lattice &lattice,
                                                 hb_local position, hb_local (&e)[3]) {
  const hb_local element = lattice.d_element[position];
  e[0] = element % lattice.count[0];
  e[1] = element / lattice.count[0] % lattice.count[1];
  e[2] = element / lattice.count[0] / lattice.count[1];
}

/* How many of an element's interior points come before point (k,j,i). */
__device__ static inline int hb_lattice_inside_before(int n, const int (&ijk)[3]) {
  const int m = n - 2; /* planes, rows, points */
  const int i = ijk[0], j = ijk[1], k = ijk[2];
  const int planes = k == 0 ? 0 : k <= m ? k - 1 : m;
  const int rows = k < 1 || k > m || j == 0 ? 0 : j <= m ? j - 1 : m;
  const int inside = k < 1 || k > m || j < 1 || j > m || i == 0 ? 0 : i <= m ? i - 1 : m;
  return (planes * m + rows) * m + inside;
}

/* Does it lie inside? */
__device__ static inline bool hb_lattice_inside(int n, const int (&ijk)[3]) {
  return ijk[0] > 0 && ijk[0] < n - 1 && ijk[1] > 0 && ijk[1] < n - 1 && ijk[2] > 0 &&
         ijk[2] < n - 1;
}

/* Number of a point in vectors, with HB_OWNS_POINT where this is the one element that has it. */
__device__ static inline hb_local hb_lattice_number(const hb_device_lattice &lattice,
                                                    hb_local position, const int (&ijk)[3]) {
  const int n = lattice.n, m = n - 2, before = hb_lattice_inside_before(n, ijk);
  const ptrdiff_t inside = m * m * m, point = (ijk[2] * n + ijk[1]) * n + ijk[0];
  if (hb_lattice_inside(n, ijk))
    return static_cast<hb_local>(position * inside + before) | HB_OWNS_POINT;
  return lattice.d_surface_index[position * (n * n * n - inside) + point - before];
}

/* The box's lattice coordinate along an axis, and the id of the point that has all three. */
__device__ static inline hb_global hb_lattice_global(const hb_device_lattice &lattice, int axis,
                                                     hb_local e, int i) {
  const hb_global degree = lattice.n - 1, period = lattice.elements[axis] * degree;
  const hb_global c = (lattice.start[axis] + e) * degree + i;
  if (!lattice.problem.periodic[axis]) return c;
  return c < 0 ? c + period : c >= period ? c - period : c;
}
__device__ static inline hb_global hb_lattice_id(const hb_device_lattice &lattice,
                                                 const hb_local (&e)[3], const int (&ijk)[3]) {
  hb_global id = 0;
#pragma unroll
  for (int a = 2; a >= 0; a--) {
    const hb_global nodes = lattice.elements[a] * (lattice.n - 1);
    id = id * (lattice.problem.periodic[a] ? nodes : nodes + 1) +
         hb_lattice_global(lattice, a, e[a], ijk[a]);
  }
  return id;
}

/* hb_random_at of kernels/random.h. */
__device__ static inline double hb_lattice_random(int64_t id, int64_t seed) {
  uint64_t z = static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15ull +
               static_cast<uint64_t>(seed) * 0xd1b54a32d192ed03ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z = z ^ (z >> 31);
  return 2.0 * (static_cast<double>(z >> 11) * 0x1p-53) - 1.0;
}

/* hb_max of kernels/base.h. */
__device__ static inline double hb_larger(double a, double b) { return a >= b || a != a ? a : b; }

/* -1 or 1 on the box's low or high face across an axis, 0 elsewhere; is the solution given there?
 */
__device__ static inline int hb_lattice_face(const hb_device_lattice &lattice, int axis, hb_local e,
                                             int i) {
  const hb_global element = lattice.start[axis] + e;
  if (i == 0 && element == 0) return -1;
  return i == lattice.n - 1 && element == lattice.elements[axis] - 1 ? 1 : 0;
}
__device__ static inline bool hb_lattice_given(const hb_device_lattice &lattice,
                                               const hb_local (&e)[3], const int (&ijk)[3]) {
  bool given = false;
#pragma unroll
  for (int a = 0; a < 3; a++)
    given = given || (lattice.given[a] && hb_lattice_face(lattice, a, e[a], ijk[a]) != 0);
  return given;
}

#endif
