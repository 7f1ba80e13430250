/* SPDX-License-Identifier: BSD-3-Clause
 * The passes of the staged operator over the column groups of a wave (staged.hip says how
 * they follow each other).  Device code. */
#ifndef HB_KERNELS_HELMHOLTZ_STAGED_PASSES_H
#define HB_KERNELS_HELMHOLTZ_STAGED_PASSES_H

#include "kernels/element/mfma_contraction.h"
#include "kernels/geometry/factors_at.h"
#include "kernels/helmholtz/staged.h"

/* Of one launch, for every block the same. */
struct staged_launch {
  int wavefronts, elements;
  int team_elements; /* of a wavefront if it is alone, else of the block */
  int components;    /* of local vectors; assembled ones have one */
  int team_waves;    /* 1, or all of the block */
  int alone;         /* 0 or 1 */
  bool with_direction;
  ptrdiff_t component_stride;
};

/* The kernel's numbers.  MODE: of the geometry.  ONE: each wave has one column group, or none.
 * LOCAL: vectors are local.
 */
template <int MODE, typename contraction_, bool ONE, bool LOCAL> struct staged_geometry {
  typedef contraction_ contraction;
  typedef typename contraction::real real;
  static constexpr bool one = ONE, local = LOCAL;
  static constexpr int n = contraction::n, rows = contraction::rows;
  static constexpr int plane = n * n, cube = n * n * n;
  static constexpr hb_precision precision = contraction::precision;
  static constexpr hb_matrix_tile tile = contraction::code::name;
  static constexpr bool nodes = MODE == HB_GEOMETRY_NODES; /* forms factors before all else */
  static constexpr bool ahead = nodes || hb_staged_loads_ahead(precision, tile, n, ONE);
  /* Is a block for one group a wave so large that registers are scarce?  Then addresses are not
   * kept and factors come in halves. */
  static constexpr bool scarce = ONE && n > HB_STAGED_ROOMY_MAX_N;
  static constexpr int threads = HB_WAVE * hb_staged_most_wavefronts(tile, n, ONE);
  typedef real values[rows];
  typedef real matrix[contraction::matrix];
  typedef real factors[rows][HB_MAX_FACTORS];
  typedef hb_column_factors<MODE, real, n> factors_at;
  static_assert(!nodes || (ONE && !LOCAL && !scarce), "factors from nodes stay in registers");
};

/* A lane's points of one column group. */
struct staged_points {
  hb_column column;
  int element;  /* of the block; clamped to the launch's last */
  bool present; /* there is such an element, and the column is no repetition */
};

/* What a wave knows of its place. */
template <typename geometry> struct staged_place {
  typedef typename geometry::contraction contraction;
  hb_team team;
  hb_local block_first; /* the block's first element */
  int first, last;      /* of the block: the team's first, the launch's last element */
  /* The cubes of the team's first element; those of an element follow each other, so that they are
   * a constant apart.  s_u = s_j if there are two. */
  typename geometry::real *s_i, *s_j, *s_u;
  static constexpr bool keeps = geometry::one && !geometry::scarce;
  staged_points own; /* of the wave's only group, where they are kept for all passes */

  __device__ staged_place(const staged_launch &launch, hb_local begin, hb_local end, int block,
                          typename geometry::real *s_cubes) {
    /* Masks, as compilers put a choice into vector registers. */
    const int mine = launch.team_elements, alone = -launch.alone;
    const int wave = contraction::wave();
    constexpr int cubes = hb_staged_cubes(geometry::one);
    team = {wave & ~alone, launch.team_waves, mine * geometry::plane, cubes * contraction::slots};
    block_first = begin + block * launch.elements;
    first = wave * mine & alone;
    last = end - 1 - block_first;
    s_i = s_cubes + first * team.stride;
    s_j = s_i + contraction::slots;
    s_u = s_i + (cubes - 1) * contraction::slots;
    if (keeps) own = find_points(team.rank);
  }
  /* The wave's first group.  Opaque where addresses are not kept, so that each pass works them out
   * anew. */
  __device__ int start() const { return keeps ? team.rank : team.rank + hb_opaque_zero(); }
  __device__ staged_points points(int group) const { return keeps ? own : find_points(group); }
  __device__ staged_points find_points(int group) const {
    const hb_column column = contraction::column(team, group);
    const int wanted = first + column.element;
    return {column, wanted <= last ? wanted : last, column.present && wanted <= last};
  }
};

/* The row(s) of a column, or, beyond n, row 0, and bytes from the start of row 0 to that. */
template <typename geometry> struct staged_rows {
  __device__ static int number(int s) {
    typedef typename geometry::contraction contraction;
    return contraction::has_row(s) ? contraction::row(s) : 0;
  }
  __device__ static unsigned bytes(int s) {
    typedef typename geometry::contraction contraction;
    const int k = contraction::has_row(s) ? contraction::row(s) : 0;
    return static_cast<unsigned>(k * geometry::plane) * sizeof(typename geometry::real);
  }
};

/* The same, kept as a number of each lane until it is asked for: masks of lanes are two scalar
 * registers each, and there are too few of these for one of every row. */
__device__ static inline bool in_vector(bool yes) {
  int number = yes ? 1 : 0;
  __asm__ volatile("" : "+v"(number));
  return number != 0;
}

/* u at a lane's points; 0 in rows beyond n. */
template <typename geometry>
__device__ static inline void load_values(const hb_element_data<typename geometry::real> &data,
                                          const staged_launch &launch, int component,
                                          hb_local block_first, const staged_points &points,
                                          typename geometry::values &u) {
  typedef typename geometry::contraction contraction;
  typedef typename geometry::real real;
  constexpr int n = geometry::n, rows = geometry::rows;
  if (geometry::local) {
    const real *block = data.u + component * launch.component_stride +
                        static_cast<ptrdiff_t>(block_first) * geometry::cube;
    const unsigned first =
        static_cast<unsigned>(points.element * geometry::cube + points.column.c) * sizeof(real);
#pragma unroll
    for (int s = 0; s < rows; s++) u[s] = *hb_byte(block, first + staged_rows<geometry>::bytes(s));
  } else {
    hb_place places[rows];
#pragma unroll
    for (int s = 0; s < rows; s++) {
      const int k = contraction::has_row(s) ? contraction::row(s) : n - 1;
      places[s] = hb_find_point<real, n>(data, block_first + points.element, k, points.column.c / n,
                                         points.column.c % n);
      places[s].owner = in_vector(places[s].owner && contraction::has_row(s));
    }
    if (launch.with_direction)
      hb_load_points<true, rows>(data, points.present, places, u);
    else
      hb_load_points<false, rows>(data, points.present, places, u);
  }
#pragma unroll
  for (int s = 0; s < rows; s++) u[s] = contraction::has_row(s) ? u[s] : 0;
}

template <typename geometry>
__device__ static inline void store_values(const hb_element_data<typename geometry::real> &data,
                                           const staged_launch &launch, int component,
                                           hb_local block_first, const staged_points &points,
                                           const typename geometry::values &w) {
  typedef typename geometry::contraction contraction;
  typedef typename geometry::real real;
  constexpr int n = geometry::n;
  if (!points.present) return;
  real *block = data.w + component * launch.component_stride +
                static_cast<ptrdiff_t>(block_first) * geometry::cube;
  const unsigned first =
      static_cast<unsigned>(points.element * geometry::cube + points.column.c) * sizeof(real);
#pragma unroll
  for (int s = 0; s < geometry::rows; s++) {
    if (!contraction::has_row(s)) continue;
    const int k = contraction::row(s);
    if (geometry::local)
      *hb_byte(block, first + staged_rows<geometry>::bytes(s)) = w[s];
    else
      hb_store_point<real, n>(data, block_first + points.element, k, points.column.c / n,
                              points.column.c % n, w[s]);
  }
}

/* The team's columns along i of one cube and along j of another by D, or D^T, into s_i and s_j. */
template <typename geometry>
__device__ static inline void
contract_both(const staged_place<geometry> &place, const typename geometry::matrix &A,
              const typename geometry::real *from_i, const typename geometry::real *from_j) {
  typedef typename geometry::contraction contraction;
  for (int group = place.start(); group < contraction::groups(place.team);
       group += place.team.waves) {
    const hb_column column = place.points(group).column;
    typename geometry::values in_i, in_j, out_i = {}, out_j = {};
    contraction::template load<0>(from_i, column, in_i);
    contraction::template load<1>(from_j, column, in_j);
    contraction::multiply(A, in_i, out_i);
    contraction::multiply(A, in_j, out_j);
    contraction::template store<0>(place.s_i, column, out_i);
    contraction::template store<1>(place.s_j, column, out_j);
    if (geometry::one) break;
  }
}

/* gr, gs, gt in the place of ur, us, ut, and w = M u in that of u; rows beyond n have gt = 0; rows
 * [FROM, TO). Returns the sum of ur gr + us gs + ut gt + M u^2, which over all points is u'Au. */
template <typename geometry, int FROM, int TO>
__device__ static inline double
apply_factors(const typename geometry::factors &G, typename geometry::values &ur,
              typename geometry::values &us, typename geometry::values &ut,
              typename geometry::values &u) {
  typedef typename geometry::contraction contraction;
  typedef typename geometry::real real;
  double sum = 0.0;
#pragma unroll
  for (int s = FROM; s < TO; s++) {
    const bool inside = contraction::has_row(s);
    const real gr = hb_flux<0>(G[s], ur[s], us[s], ut[s]);
    const real gs = hb_flux<1>(G[s], ur[s], us[s], ut[s]);
    const real gt = hb_flux<2>(G[s], ur[s], us[s], ut[s]);
    const real w = G[s][HB_MASS_FACTOR] * u[s];
    const real energy = ur[s] * gr + us[s] * gs + ut[s] * gt + w * u[s];
    sum += inside ? static_cast<double>(energy) : 0.0;
    ur[s] = gr;
    us[s] = gs;
    ut[s] = inside ? gt : 0;
    u[s] = w;
  }
  return sum;
}

/* Between the contractions along i and j: ur and us in the cubes become gr and gs, and u, or the
 * third cube, the part of w along k.  G has the factors of the first group if they are loaded
 * ahead.  Returns the part of u'Au. */
template <typename geometry>
__device__ static inline double
contract_k(const hb_element_data<typename geometry::real> &data,
           const staged_place<geometry> &place, const typename geometry::matrix &A,
           const typename geometry::matrix &At, typename geometry::factors &G,
           typename geometry::values &u) {
  typedef typename geometry::contraction contraction;
  constexpr int rows = geometry::rows, half = (rows + 1) / 2;
  const int groups = contraction::groups(place.team), step = place.team.waves;
  double sum = 0.0;
  for (int group = place.start(); group < groups; group += step) {
    const staged_points points = place.points(group);
    typename geometry::values ur, us, ut = {};
    if (!geometry::ahead && !geometry::scarce)
      geometry::factors_at::template load<staged_rows<geometry>, 0, rows>(data, place.block_first,
                                                                          points, G);
    if (!geometry::one) contraction::template load<2>(place.s_u, points.column, u);
    contraction::template load<2>(place.s_i, points.column, ur);
    contraction::template load<2>(place.s_j, points.column, us);
    /* ut[k][j][i] = sum_m D[k][m] u[m][j][i] */
    contraction::multiply(A, u, ut);
    if (geometry::scarce)
      geometry::factors_at::template load<staged_rows<geometry>, 0, half>(data, place.block_first,
                                                                          points, G);
    double part = apply_factors<geometry, 0, half>(G, ur, us, ut, u);
    if (geometry::scarce) {
      __asm__ volatile("" : "+v"(part) : : "memory"); /* not before the first half is used */
      geometry::factors_at::template load<staged_rows<geometry>, half, rows>(
          data, place.block_first, points, G);
    }
    part += apply_factors<geometry, half, rows>(G, ur, us, ut, u);
    if (points.present) sum += part;
    if (geometry::ahead && !geometry::one && group + step < groups)
      geometry::factors_at::template load<staged_rows<geometry>, 0, rows>(
          data, place.block_first, place.points(group + step), G);
    contraction::template store<2>(place.s_i, points.column, ur);
    contraction::template store<2>(place.s_j, points.column, us);
    /* w[k][j][i] = sum_m D[m][k] gt[m][j][i] + M u[k][j][i] */
    contraction::multiply(At, ut, u);
    if (geometry::one) break;
    contraction::template store<2>(place.s_u, points.column, u);
  }
  return sum;
}

/* u into registers and cubes; in component 0, the FIRST, also the factors of a wave's only group,
 * all in flight together. */
template <typename geometry, bool FIRST>
__device__ static inline void
begin_component(const hb_element_data<typename geometry::real> &data, const staged_launch &launch,
                int component, const staged_place<geometry> &place, typename geometry::factors &G,
                typename geometry::values &u) {
  typedef typename geometry::contraction contraction;
  constexpr bool loads = geometry::ahead && geometry::one && FIRST && !geometry::nodes;
  for (int group = place.start(); group < contraction::groups(place.team);
       group += place.team.waves) {
    const staged_points points = place.points(group);
    load_values<geometry>(data, launch, component, place.block_first, points, u);
    if (loads)
      geometry::factors_at::template load<staged_rows<geometry>, 0, geometry::rows>(
          data, place.block_first, points, G);
    contraction::template store<2>(place.s_u, points.column, u);
    if (geometry::one) contraction::template store<2>(place.s_i, points.column, u);
    if (geometry::one) break;
  }
}

/* The factors of a wave's only group from positions, whose cubes are those of u, one coordinate
 * after the other.  Every wave of the team must call it. */
template <typename geometry>
__device__ static inline void
form_from_nodes(const hb_element_data<typename geometry::real> &data, const staged_launch &launch,
                const staged_place<geometry> &place, const typename geometry::matrix &A,
                typename geometry::factors &G) {
  typedef typename geometry::contraction contraction;
  typedef typename geometry::real real;
  constexpr int rows = geometry::rows;
  const staged_points points = place.points(place.start());
  const bool has_group = place.start() < contraction::groups(place.team);
  const int element = data.num_factors * geometry::cube;
  const real *block = data.factors + static_cast<ptrdiff_t>(place.block_first) * element;
  const int first = points.element * element + points.column.c;
  real d[rows][3][3]; /* d[row][direction][a] */
#pragma unroll
  for (int a = 0; a < 3; a++) {
    typename geometry::values x, xr, xs, xt = {};
#pragma unroll
    for (int s = 0; s < rows; s++) {
      const real value =
          block[first + a * geometry::cube + staged_rows<geometry>::number(s) * geometry::plane];
      x[s] = contraction::has_row(s) ? value : 0;
    }
    if (has_group) {
      contraction::template store<2>(place.s_i, points.column, x);
      contraction::template store<2>(place.s_j, points.column, x);
    }
    hb_team_sync(launch.alone != 0);
    /* xr[a] = sum_m D[i][m] x[a][k][j][m] */
    /* xs[a] = sum_m D[j][m] x[a][k][m][i] */
    contract_both<geometry>(place, A, place.s_i, place.s_j);
    hb_team_sync(launch.alone != 0);
    contraction::template load<2>(place.s_i, points.column, xr);
    contraction::template load<2>(place.s_j, points.column, xs);
    /* xt[a] = sum_m D[k][m] x[a][m][j][i] */
    contraction::multiply(A, x, xt);
    hb_team_sync(launch.alone != 0);
#pragma unroll
    for (int s = 0; s < rows; s++) { /* rows beyond n: of a unit cube */
      const bool inside = contraction::has_row(s);
      d[s][0][a] = inside ? xr[s] : real(a == 0);
      d[s][1][a] = inside ? xs[s] : real(a == 1);
      d[s][2][a] = inside ? xt[s] : real(a == 2);
    }
  }
  hb_each_row<HB_GEOMETRY_NODES, staged_rows<geometry>, 0, rows, geometry::n>(
      data, place.block_first, points, [&](int s, int, const hb_weights<real> &weights) {
        hb_metric_factors(hb_form_metric(d[s]), weights.h1, weights.h2, G[s]);
      });
}

/* The factors of the first of several groups, which the wave may not have.  Apart from the loop
 * above, which has scalar registers for no more. */
template <typename geometry>
__device__ static inline void
load_first_factors(const hb_element_data<typename geometry::real> &data,
                   const staged_place<geometry> &place, typename geometry::factors &G) {
  const int group = place.start();
  if (group < geometry::contraction::groups(place.team))
    geometry::factors_at::template load<staged_rows<geometry>, 0, geometry::rows>(
        data, place.block_first, place.points(group), G);
}

/* w + cube i + cube j to memory. */
template <typename geometry>
__device__ static inline void
end_component(const hb_element_data<typename geometry::real> &data, const staged_launch &launch,
              int component, const staged_place<geometry> &place, typename geometry::values &w) {
  typedef typename geometry::contraction contraction;
  for (int group = place.start(); group < contraction::groups(place.team);
       group += place.team.waves) {
    const staged_points points = place.points(group);
    typename geometry::values wi, wj;
    if (!geometry::one) contraction::template load<2>(place.s_u, points.column, w);
    contraction::template load<2>(place.s_i, points.column, wi);
    contraction::template load<2>(place.s_j, points.column, wj);
#pragma unroll
    for (int s = 0; s < geometry::rows; s++) wi[s] += wj[s] + w[s];
    store_values<geometry>(data, launch, component, place.block_first, points, wi);
    if (geometry::one) break;
  }
}

#endif
