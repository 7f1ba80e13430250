/* SPDX-License-Identifier: BSD-3-Clause
 * The Helmholtz operator vectorised over elements: a block is one vector of elements, the order is
 * a compile-time constant, contractions run in register tiles, factors stream through once or are
 * formed plane by plane.
 * Compiled per precision and instruction set. */
#include "kernels/helmholtz/helmholtz.h"

#include "kernels/element/blocks.h"
#include "kernels/helmholtz/simd_geometry.h"

/* Vectors from one plane of a cube to the next: padded where n is even, since power-of-two strides
 * would put the points of a contraction into few cache sets. */
HB_INLINE int plane_stride(const int n) { return n * n + (n % 2 == 0 ? 1 : 0); }

struct cursor { /* where the next interior and surface points of a block are */
  ptrdiff_t interior;
  const hb_local *surface;
};

HB_INLINE hb_vec load_surface(const hb_real *u, const hb_local *index) {
  hb_vec v = {0};
#pragma GCC unroll 16
  for (int lane = 0; lane < HB_SIMD_LANES; lane++) v[lane] = u[index[lane]];
  return v;
}

HB_INLINE void add_surface(hb_real *w, const hb_local *index, hb_vec v) {
#pragma GCC unroll 16
  for (int lane = 0; lane < HB_SIMD_LANES; lane++) w[index[lane]] += v[lane];
}

/* cube[k][j][i] = points of a block whose lanes all exist. */
HB_INLINE void load_block(const int n, const hb_real *u, struct cursor at, hb_vec *cube) {
#pragma GCC unroll 1
  for (int k = 0; k < n; k++, cube += plane_stride(n) - n * n)
#pragma GCC unroll 1
    for (int j = 0; j < n; j++, cube += n) {
      const bool line_inside = k > 0 && k < n - 1 && j > 0 && j < n - 1;
      if (!line_inside) {
        for (int i = 0; i < n; i++, at.surface += HB_SIMD_LANES)
          cube[i] = load_surface(u, at.surface);
        continue;
      }
      cube[0] = load_surface(u, at.surface);
      for (int i = 1; i < n - 1; i++, at.interior += HB_SIMD_LANES)
        cube[i] = hb_vec_load(u + at.interior);
      cube[n - 1] = load_surface(u, at.surface + HB_SIMD_LANES);
      at.surface += 2 * HB_SIMD_LANES;
    }
}

/* Stores interior points of the result, adds surface points. */
HB_INLINE void add_block(const int n, hb_real *w, struct cursor at, const hb_vec *cube) {
#pragma GCC unroll 1
  for (int k = 0; k < n; k++, cube += plane_stride(n) - n * n)
#pragma GCC unroll 1
    for (int j = 0; j < n; j++, cube += n) {
      const bool line_inside = k > 0 && k < n - 1 && j > 0 && j < n - 1;
      if (!line_inside) {
        for (int i = 0; i < n; i++, at.surface += HB_SIMD_LANES)
          add_surface(w, at.surface, cube[i]);
        continue;
      }
      add_surface(w, at.surface, cube[0]);
      for (int i = 1; i < n - 1; i++, at.interior += HB_SIMD_LANES)
        hb_vec_store(w + at.interior, cube[i]);
      add_surface(w, at.surface + HB_SIMD_LANES, cube[n - 1]);
      at.surface += 2 * HB_SIMD_LANES;
    }
}

/* One plane k: gr, gs, gt from ur, us, ut (gt replaces ut), w = mass_scale M u (in place of u).
 * Returns gr ur + gs us + gt ut + w u, summed over the plane: its part of u.Au. */
HB_INLINE hb_vec apply_factors(const int n, const int num_factors, const hb_real mass_scale,
                               const hb_vec *g, hb_vec *u, hb_vec *r, hb_vec *s, hb_vec *t) {
  hb_vec energy[2] = {{0}, {0}};
#pragma GCC unroll 1
  for (int point = 0; point < n * n; point++, g += num_factors) {
    const hb_vec ur = r[point], us = s[point], ut = t[point];
    const hb_vec gr = g[0] * ur + g[1] * us + g[2] * ut;
    const hb_vec gs = g[1] * ur + g[3] * us + g[4] * ut;
    const hb_vec gt = g[2] * ur + g[4] * us + g[5] * ut;
    energy[0] += gr * ur + gs * us;
    energy[1] += gt * ut;
    r[point] = gr;
    s[point] = gs;
    t[point] = gt;
    if (num_factors == HB_MAX_FACTORS) {
      const hb_vec mass = mass_scale * g[HB_MASS_FACTOR] * u[point];
      energy[1] += mass * u[point];
      u[point] = mass;
    } else
      u[point] = (hb_vec){0};
  }
  return energy[0] + energy[1];
}

/* A plane's values in place: u becomes w of the mass term, ur us ut the fluxes. */
struct plane {
  hb_vec *u, *r, *s, *t;
};

/* With the metric of a point; h1w, h2w: coefficients times weights.  Returns its part of u.Au. */
HB_INLINE hb_vec apply_metric(const struct hb_simd_metric *metric, hb_vec h1w, hb_vec h2w,
                              const struct plane *at, int point) {
  const hb_vec ur = at->r[point], us = at->s[point], ut = at->t[point], u = at->u[point];
  const hb_vec scale = h1w / metric->J, mass = h2w * metric->J * u;
  hb_vec y[3], v[3];
#pragma GCC unroll 3
  for (int a = 0; a < 3; a++) {
    y[a] = metric->A[a] * ur + metric->B[a] * us + metric->C[a] * ut;
    v[a] = scale * y[a];
  }
  at->r[point] = hb_simd_dot(metric->A, v);
  at->s[point] = hb_simd_dot(metric->B, v);
  at->t[point] = hb_simd_dot(metric->C, v);
  at->u[point] = mass;
  return hb_simd_dot(y, v) + mass * u;
}

/* Plane k from nodes or vertices; mass_scale 0: no mass term. */
HB_INLINE hb_vec apply_map(const bool straight, const struct hb_simd_geometry *g, int k,
                           hb_real mass_scale, const struct plane *at) {
  const int n = g->n;
  hb_vec energy = {0};
#pragma GCC unroll 1
  for (int j = 0; j < n; j++) {
    struct hb_simd_line line;
    if (straight) line = hb_simd_line(g->elements, g->nodes[j], g->nodes[k]);
#pragma GCC unroll 1
    for (int i = 0; i < n; i++) {
      const int point = j * n + i;
      const hb_real weight = g->weights[i] * g->weights[j] * g->weights[k];
      struct hb_simd_map map;
      if (straight)
        map = hb_simd_map_on_line(&line, g->nodes[i]);
      else
        map = hb_simd_map_of_nodes(g, k, point);
      const struct hb_simd_metric metric = hb_simd_form_metric(&map);
      hb_vec h1, h2;
      hb_simd_coefficients(g, k * n * n + point, &h1, &h2);
      energy += apply_metric(&metric, weight * h1, (mass_scale * weight) * h2, at, point);
    }
  }
  return energy;
}

/* For any n: what is done at a point is long enough.  Two functions, since a choice at the point
 * would send the map through memory. */
static __attribute__((noinline)) hb_vec apply_nodes(const struct hb_simd_geometry *g, int k,
                                                    hb_real mass_scale, const struct plane *at) {
  return apply_map(false, g, k, mass_scale, at);
}
static __attribute__((noinline)) hb_vec apply_trilinear(const struct hb_simd_geometry *g, int k,
                                                        hb_real mass_scale,
                                                        const struct plane *at) {
  return apply_map(true, g, k, mass_scale, at);
}

/* Plane k of parallelepipeds, whose h1 and h2 are among their values where they do not vary. */
static __attribute__((noinline)) hb_vec apply_affine(const struct hb_simd_geometry *g, int k,
                                                     hb_real mass_scale, const struct plane *at) {
  const int n = g->n;
  const hb_vec *G = g->elements;
  const hb_vec g00 = G[0], g01 = G[1], g02 = G[2], g11 = G[3], g12 = G[4], g22 = G[5];
  const hb_vec J = G[HB_MASS_FACTOR];
  hb_vec energy = {0};
#pragma GCC unroll 1
  for (int point = 0; point < n * n; point++) {
    const hb_real weight = g->weights[point % n] * g->weights[point / n] * g->weights[k];
    const hb_vec u = at->u[point];
    hb_vec h1w = (hb_vec){0} + weight, h2w = (hb_vec){0} + mass_scale * weight;
    if (g->num_coefficients > 0) {
      hb_vec h1, h2;
      hb_simd_coefficients(g, k * n * n + point, &h1, &h2);
      h1w *= h1;
      h2w *= h2;
    }
    const hb_vec ur = h1w * at->r[point], us = h1w * at->s[point], ut = h1w * at->t[point];
    const hb_vec gr = g00 * ur + g01 * us + g02 * ut;
    const hb_vec gs = g01 * ur + g11 * us + g12 * ut;
    const hb_vec gt = g02 * ur + g12 * us + g22 * ut;
    const hb_vec mass = h2w * J * u;
    energy += gr * at->r[point] + gs * at->s[point] + (gt * at->t[point] + mass * u);
    at->r[point] = gr;
    at->s[point] = gs;
    at->t[point] = gt;
    at->u[point] = mass;
  }
  return energy;
}

/* The pointwise stage of plane k: gr, gs, gt from ur, us, ut. */
HB_INLINE hb_vec apply_point_stage(const int n, const struct hb_simd_geometry *g, int k,
                                   hb_real mass_scale, const struct plane *at) {
  const hb_vec *factors = g->points + (ptrdiff_t)k * n * n * g->num_values;
  if (g->geometry->mode == HB_GEOMETRY_AFFINE) return apply_affine(g, k, mass_scale, at);
  if (g->geometry->mode == HB_GEOMETRY_TRILINEAR) return apply_trilinear(g, k, mass_scale, at);
  if (g->geometry->mode == HB_GEOMETRY_NODES) return apply_nodes(g, k, mass_scale, at);
  if (g->num_values == HB_MAX_FACTORS)
    return apply_factors(n, HB_MAX_FACTORS, mass_scale, factors, at->u, at->r, at->s, at->t);
  return apply_factors(n, HB_NUM_GEOMETRIC, mass_scale, factors, at->u, at->r, at->s, at->t);
}

/* Where plane k is asked for ahead: of nodes, which are all read before the first plane, that of
 * the next block. */
HB_INLINE const char *plane_ahead(const int n, const struct hb_simd_geometry *g, int k) {
  const ptrdiff_t planes = g->geometry->mode == HB_GEOMETRY_NODES ? n + k : k + 1;
  return (const char *)(g->points + planes * n * n * g->num_values);
}

/* The local operator on one block, in place: u [k][j][i] becomes w.  Returns its u.w. */
HB_INLINE double apply_cube(const int n, const hb_real mass_scale, const struct hb_simd_geometry *g,
                            hb_vec *u, hb_vec *t, hb_vec *planes) {
  const struct hb_strides plain = {n, 1}, transposed = {1, n};
  const struct hb_strides along_k = {plane_stride(n), 1}, along_j = {n, 1}, along_i = {1, n};
  const hb_real *D = g->D;
  const bool nodes = g->geometry->mode == HB_GEOMETRY_NODES;
  hb_vec *r = planes, *s = planes + n * n;
  const int bytes_per_tile = n * n * g->num_values * HB_VECTOR_BYTES / (4 * hb_contract_tiles(n));
  struct hb_ahead nothing = {NULL, 0};
  hb_vec energy = {0};
  if (nodes) hb_simd_derive_along_k(n, g);
  /* ut[k][j][i] = sum_m D[k][m] u[m][j][i] */
  hb_contract(n, n * n, D, plain, u, along_k, t, along_k, false, &nothing);
#pragma GCC unroll 1
  for (int k = 0; k < n; k++) {
    hb_vec *u_k = u + k * plane_stride(n), *t_k = t + k * plane_stride(n);
    const struct plane at = {u_k, r, s, t_k};
    struct hb_ahead next_plane = {plane_ahead(n, g, k), bytes_per_tile};
    if (nodes) hb_simd_derive_in_plane(n, g, k);
    /* ur[k][j][i] = sum_m D[i][m] u[k][j][m] */
    hb_contract(n, n, D, plain, u_k, along_i, r, along_i, false, &next_plane);
    /* us[k][j][i] = sum_m D[j][m] u[k][m][i] */
    hb_contract(n, n, D, plain, u_k, along_j, s, along_j, false, &next_plane);
    energy += apply_point_stage(n, g, k, mass_scale, &at);
    /* w[k][j][i] += sum_m D[m][i] gr[k][j][m] */
    hb_contract(n, n, D, transposed, r, along_i, u_k, along_i, true, &next_plane);
    /* w[k][j][i] += sum_m D[m][j] gs[k][m][i] */
    hb_contract(n, n, D, transposed, s, along_j, u_k, along_j, true, &next_plane);
  }
  /* w[k][j][i] += sum_m D[m][k] gt[m][j][i] */
  hb_contract(n, n * n, D, transposed, t, along_k, u, along_k, true, &nothing);
  return hb_vec_sum(energy);
}

HB_INLINE double apply_blocks(const int n, const bool with_mass, const struct hb_helmholtz *h,
                              hb_local block_begin, hb_local block_end, const hb_real *u,
                              hb_real *w) {
  const ptrdiff_t cube = (ptrdiff_t)n * plane_stride(n);
  hb_vec *block_values = h->scratch, *t = block_values + cube, *planes = t + cube;
  hb_vec *work = planes + 2 * n * n;
  const struct hb_blocks blocks = hb_helmholtz_blocks(h);
  /* In modes that are not stored M is formed, wanted or not. */
  const bool mass = with_mass && hb_geometry_has_mass(&h->geometry);
  double sum = 0.0;
  for (hb_local block = block_begin; block < block_end; block++) {
    const bool full = hb_block_active(h->num_elements, HB_SIMD_LANES, block) == HB_SIMD_LANES;
    const struct hb_simd_geometry geometry = hb_simd_geometry_of(h, block, work);
    const struct cursor at = {hb_block_interior_start(&blocks, block),
                              hb_block_surface_index(&blocks, block)};
    if (full)
      load_block(n, u, at, block_values);
    else
      HB_REAL_NAME(hb_block_load_plain)
    (&blocks, block, plane_stride(n), u, (hb_real *)block_values);
    sum += apply_cube(n, mass ? 1 : 0, &geometry, block_values, t, planes);
    if (full)
      add_block(n, w, at, block_values);
    else
      HB_REAL_NAME(hb_block_add_plain)
    (&blocks, block, plane_stride(n), (const hb_real *)block_values, w);
  }
  return sum;
}

#define DEFINE_ORDER(N)                                                                            \
  static double apply_n##N(const struct hb_helmholtz *h, hb_local begin, hb_local end,             \
                           bool with_mass, const hb_real *u, hb_real *w) {                         \
    return apply_blocks(HB_ORDER(N, h->n), with_mass, h, begin, end, u, w);                        \
  }
HB_FOR_EACH_ORDER(DEFINE_ORDER)

double HB_ISA_NAME(hb_helmholtz_simd)(const struct hb_helmholtz *h, hb_local block_begin,
                                      hb_local block_end, bool with_mass, const void *u, void *w) {
  HB_ASSERT(h->lanes == HB_SIMD_LANES);
#define CASE(N)                                                                                    \
  case N: return apply_n##N(h, block_begin, block_end, with_mass, u, w);
  switch (HB_ORDER_CASE(h->n)) { HB_FOR_EACH_ORDER(CASE) }
#undef CASE
  HB_ASSERT(false && "n out of range");
  return 0.0;
}
