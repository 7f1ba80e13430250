/* SPDX-License-Identifier: BSD-3-Clause
 * Data for tests of the kernels: seeded random numbers, deformed elements that share points, one
 * operator on them in a variant's layout, and the comparison with the reference.
 *
 * Elements stand in an across x 2 x ... grid, periodic along `across` (one across: the points i = 0
 * and i = n-1 of an element are the same), so that neighbours fall into one block and into others.
 * Everything is kept in double exactly as the variant's precision stores it. */
#ifndef HB_TESTS_KERNEL_DATA_H
#define HB_TESTS_KERNEL_DATA_H

#include <math.h>
#include <string.h>

#include "kernels/element/blocks.h"
#include "kernels/geometry/factors.h"
#include "kernels/geometry/kept.h"
#include "kernels/helmholtz/compare.h"
#include "kernels/helmholtz/variants.h"
#include "kernels/random.h"
#include "mesh/gll.h"

/* Value of entries that no element may touch; points of that kind among a vector's, at its end. */
#define HB_SENTINEL 12345.0
enum { HB_GAPS_WITHIN = 8, HB_GAPS_AT_END = 8 };

struct hb_random {
  uint64_t state; /* the seed */
};

/* 64 random bits. */
static inline uint64_t hb_random_bits(struct hb_random *random) {
  return hb_random_mix(random->state += HB_RANDOM_STEP);
}

/* Uniform in [-1, 1). */
static inline double hb_random_value(struct hb_random *random) {
  return 2.0 * hb_random_fraction(hb_random_bits(random)) - 1.0;
}

static inline double hb_round_to(enum hb_precision precision, double value) {
  return precision == HB_F64 ? value : (double)(float)value;
}

static inline void hb_fill(enum hb_precision precision, void *array, hb_global count,
                           double value) {
  for (hb_global i = 0; i < count; i++) hb_real_set(precision, array, i, value);
}

/* Bitwise the same, NaN and signs of zero included. */
static inline bool hb_same_bits(const void *a, const void *b, size_t bytes) {
  return memcmp(a, b, bytes) == 0;
}

/* Position x [3] and derivatives d [direction][a] at (r, s, t) of the trilinear map of a cube's
 * vertices [corner][a], corner = 4 (t > 0) + 2 (s > 0) + (r > 0). */
static inline void hb_trilinear(double vertices[8][3], const double at[3], double x[3],
                                double d[3][3]) {
  for (int a = 0; a < 3; a++) x[a] = d[0][a] = d[1][a] = d[2][a] = 0.0;
  for (int corner = 0; corner < 8; corner++) {
    double part[3], sign[3];
    for (int q = 0; q < 3; q++) {
      sign[q] = (corner >> q & 1) != 0 ? 0.5 : -0.5;
      part[q] = 0.5 + sign[q] * at[q];
    }
    for (int a = 0; a < 3; a++) {
      x[a] += part[0] * part[1] * part[2] * vertices[corner][a];
      d[0][a] += sign[0] * part[1] * part[2] * vertices[corner][a];
      d[1][a] += part[0] * sign[1] * part[2] * vertices[corner][a];
      d[2][a] += part[0] * part[1] * sign[2] * vertices[corner][a];
    }
  }
}

/* A brick of half-lengths 1, 1.5, 0.7 whose vertices are moved by at most 0.15 along each axis: its
 * derivatives are diagonally dominant, so J > 0 everywhere. */
static inline void hb_random_vertices(struct hb_random *random, double vertices[8][3]) {
  static const double HALF[3] = {1.0, 1.5, 0.7};
  for (int corner = 0; corner < 8; corner++)
    for (int a = 0; a < 3; a++)
      vertices[corner][a] =
          ((corner >> a & 1) != 0 ? HALF[a] : -HALF[a]) + 0.15 * hb_random_value(random);
}

/* Positions x [3][k][j][i] of a random trilinear element, with `bump` <= 0.05 times a wave. */
static inline void hb_random_element(const struct hb_gll *gll, struct hb_random *random,
                                     double bump, double *x) {
  const int n = gll->n, points = hb_points_per_element(n);
  double vertices[8][3], phase[3];
  hb_random_vertices(random, vertices);
  for (int a = 0; a < 3; a++) phase[a] = 3.0 * hb_random_value(random);
  for (int point = 0; point < points; point++) {
    const double at[3] = {gll->nodes[point % n], gll->nodes[point / n % n],
                          gll->nodes[point / (n * n)]};
    double position[3], d[3][3];
    hb_trilinear(vertices, at, position, d);
    for (int a = 0; a < 3; a++)
      x[a * points + point] = position[a] + bump * cos(at[0] + at[1] + at[2] + phase[a]);
  }
}

/* Elements, one after the other, and the reference's local results on them. */
struct hb_elements {
  int n, across;
  enum hb_precision precision;
  struct hb_geometry geometry; /* with mass */
  hb_local count, grid_points;
  double growth;        /* of the factors' rounding, the most; 0 if stored (compare.h) */
  double *D;            /* [n][n] */
  double *basis;        /* [2][n]: points and weights */
  double *factors;      /* [element][k][j][i][HB_MAX_FACTORS] */
  double *point_values; /* [element][k][j][i][f]: what the mode keeps; stored: NULL, the factors */
  double *element_values; /* [element][HB_MAX_ELEMENT_VALUES] */
  double *u;              /* [element][k][j][i], one value a grid point */
  hb_local *grid;         /* [element][k][j][i], point of the grid */
  struct hb_shape shape;  /* that launches on a device take; all zeros if not set */
  /* [with_mass]: w, and what the reference makes of absolute values, the sum of magnitudes. */
  double *w[2], *magnitude[2];
};

static inline void hb_elements_free(struct hb_elements *e) {
  hb_free(e->D);
  hb_free(e->basis);
  hb_free(e->factors);
  hb_free(e->point_values);
  hb_free(e->element_values);
  hb_free(e->u);
  hb_free(e->grid);
  for (int mass = 0; mass < 2; mass++) {
    hb_free(e->w[mass]);
    hb_free(e->magnitude[mass]);
  }
  memset(e, 0, sizeof *e);
}

/* Fills grid; its size along x and y goes before the count. */
static inline void hb_elements_place(struct hb_elements *e) {
  const int n = e->n, points = hb_points_per_element(n), degree = n - 1;
  const int nx = e->across * degree, ny = 2 * degree + 1;
  for (int entry = 0; entry < e->count * points; entry++) {
    const int element = entry / points, point = entry % points;
    const int x = (element % e->across * degree + point % n) % nx;
    const int y = element / e->across % 2 * degree + point / n % n;
    const int z = element / e->across / 2 * degree + point / (n * n);
    e->grid[entry] = (z * ny + y) * nx + x;
    if (e->grid[entry] >= e->grid_points) e->grid_points = e->grid[entry] + 1;
  }
}

/* Makes an element a parallelepiped, by the edges at its first vertex. */
static inline void hb_make_affine(const struct hb_gll *gll, double *x) {
  const int n = gll->n, points = hb_points_per_element(n), last = n - 1;
  const int ends[3] = {last, last * n, last * n * n};
  for (int a = 0; a < 3; a++) {
    const double start = x[a * points];
    double edge[3];
    for (int axis = 0; axis < 3; axis++) edge[axis] = x[a * points + ends[axis]] - start;
    for (int point = 0; point < points; point++)
      x[a * points + point] = start + 0.5 * (1.0 + gll->nodes[point % n]) * edge[0] +
                              0.5 * (1.0 + gll->nodes[point / n % n]) * edge[1] +
                              0.5 * (1.0 + gll->nodes[point / (n * n)]) * edge[2];
  }
}

/* What the mode keeps of random elements that it can represent, in the precision, and the factors
 * that follow from that. */
static inline enum hb_status hb_elements_keep(struct hb_elements *e, const struct hb_gll *gll,
                                              struct hb_random *random) {
  enum hb_status status = HB_OK;
  const struct hb_kept_basis basis = {e->n, gll->nodes, gll->weights, gll->D};
  const int n = e->n, points = hb_points_per_element(n);
  const int kept = hb_geometry_num_point_values(&e->geometry);
  const bool curved = e->geometry.mode == HB_GEOMETRY_NODES;
  double *x = NULL;
  HB_ALLOC(x, 3 * points, "test elements");
  for (hb_local element = 0; element < e->count; element++) {
    double *own = e->point_values + (ptrdiff_t)element * points * kept;
    double *values = e->element_values + (ptrdiff_t)element * HB_MAX_ELEMENT_VALUES;
    hb_random_element(gll, random, curved ? 0.05 : 0.0, x);
    if (e->geometry.mode == HB_GEOMETRY_AFFINE) hb_make_affine(gll, x);
    for (int point = 0; point < points; point++)
      for (int f = 0; f < kept; f++)
        own[point * kept + f] =
            hb_round_to(e->precision, curved && f < 3 ? x[f * points + point] - x[f * points]
                                                      : 1.0 + 0.5 * hb_random_value(random));
    hb_geometry_keep(&e->geometry, n, x, values);
    for (int v = 0; v < HB_MAX_ELEMENT_VALUES; v++)
      values[v] = hb_round_to(e->precision, values[v]);
    HB_TRY(hb_geometry_expand(&e->geometry, &basis, own, values,
                              e->factors + (ptrdiff_t)element * points * HB_MAX_FACTORS));
    e->growth = hb_max(e->growth, hb_geometry_growth(e->geometry.mode, &basis, x));
  }
done:
  hb_free(x);
  return status;
}

/* Factors of deformed elements with coefficients that vary from 0.5 to 1.5. */
static inline enum hb_status hb_elements_form(struct hb_elements *e, const struct hb_gll *gll,
                                              struct hb_random *random) {
  enum hb_status status = HB_OK;
  const int n = e->n, points = hb_points_per_element(n);
  double *work = NULL, min_jacobian = 0.0;
  HB_ALLOC(work, 6 * points, "test elements");
  double *x = work, *h1 = work + 3 * points, *h2 = h1 + points, *mass = h2 + points;
  for (hb_local element = 0; element < e->count; element++) {
    const struct hb_geometric_input input = {n, gll->D, gll->weights, x, h1, h2};
    double *factors = e->factors + (ptrdiff_t)element * points * HB_MAX_FACTORS;
    hb_random_element(gll, random, 0.05, x);
    for (int point = 0; point < 2 * points; point++)
      h1[point] = 1.0 + 0.5 * hb_random_value(random);
    hb_geometric_factors_host(&input, NULL, factors, mass, &min_jacobian);
    if (!(min_jacobian > 0.0)) HB_FAIL(HB_BAD_INPUT, "a test element is inverted");
    for (int f = 0; f < points * HB_MAX_FACTORS; f++)
      factors[f] = hb_round_to(e->precision, factors[f]);
  }
done:
  hb_free(work);
  return status;
}

/* The first `count` elements for the reference; the caller fills u and u_magnitude.  Freed by
 * hb_reference_free, also after a failure. */
static inline enum hb_status hb_elements_reference(const struct hb_elements *e, hb_local count,
                                                   int components, bool with_mass,
                                                   struct hb_reference *x) {
  enum hb_status status = HB_OK;
  const struct hb_geometry geometry = hb_geometry_stored(&e->geometry);
  const size_t points = (size_t)count * (size_t)hb_points_per_element(e->n);
  HB_TRY(hb_reference_create(e->n, count, components, &geometry, with_mass, x));
  memcpy(x->D, e->D, (size_t)(e->n * e->n) * sizeof *x->D);
  memcpy(x->factors, e->factors, points * HB_MAX_FACTORS * sizeof *x->factors);
  x->growth = e->growth;
done:
  return status;
}

/* w and the magnitudes. */
static inline enum hb_status hb_elements_refer(struct hb_elements *e) {
  enum hb_status status = HB_OK;
  struct hb_reference x = {.n = 0};
  const hb_global all = (hb_global)e->count * hb_points_per_element(e->n);
  for (int mass = 0; mass < 2; mass++) {
    HB_ALLOC(e->w[mass], all, "test reference");
    HB_ALLOC(e->magnitude[mass], all, "test reference");
    HB_TRY(hb_elements_reference(e, e->count, 1, mass == 1, &x));
    for (hb_global i = 0; i < all; i++) x.u_magnitude[i] = fabs(x.u[i] = e->u[i]);
    hb_reference_apply(&x);
    memcpy(e->w[mass], x.w, (size_t)all * sizeof *x.w);
    memcpy(e->magnitude[mass], x.w_magnitude, (size_t)all * sizeof *x.w_magnitude);
    hb_reference_free(&x);
  }
done:
  hb_reference_free(&x);
  return status;
}

/* `count` random elements, `across` of them in a periodic row, whose geometry is kept in this mode,
 * with coefficients that vary or not.  Freed by hb_elements_free, also after a failure. */
static inline enum hb_status hb_elements_init_mode(int n, enum hb_precision precision,
                                                   hb_local count, int across, uint64_t seed,
                                                   enum hb_geometry_mode mode, bool varying,
                                                   struct hb_elements *e) {
  enum hb_status status = HB_OK;
  const hb_global all = (hb_global)count * hb_points_per_element(n);
  struct hb_random random = {seed};
  struct hb_gll gll;
  double *u = NULL;
  *e = (struct hb_elements){.n = n,
                            .across = across,
                            .precision = precision,
                            .geometry = {mode, HB_FACTORS_WITH_MASS, varying, 0.75, 1.25},
                            .count = count};
  HB_TRY(hb_gll_init(n - 1, &gll));
  HB_ALLOC(e->D, n * n, "test elements");
  HB_ALLOC(e->basis, 2 * n, "test elements");
  HB_ALLOC(e->factors, all * HB_MAX_FACTORS, "test elements");
  HB_ALLOC(e->u, all, "test elements");
  HB_ALLOC(e->grid, all, "test elements");
  hb_elements_place(e);
  HB_ALLOC(u, e->grid_points, "test elements");
  for (hb_local i = 0; i < e->grid_points; i++)
    u[i] = hb_round_to(precision, hb_random_value(&random));
  for (hb_global i = 0; i < all; i++) e->u[i] = u[e->grid[i]];
  for (int i = 0; i < n * n; i++) e->D[i] = hb_round_to(precision, gll.D[i]);
  for (int i = 0; i < n; i++) {
    e->basis[i] = hb_round_to(precision, gll.nodes[i]);
    e->basis[n + i] = hb_round_to(precision, gll.weights[i]);
  }
  if (mode == HB_GEOMETRY_STORED) {
    HB_TRY(hb_elements_form(e, &gll, &random));
  } else {
    HB_ALLOC(e->point_values, all * HB_MAX_POINT_VALUES, "test elements");
    HB_ALLOC(e->element_values, (hb_global)count * HB_MAX_ELEMENT_VALUES, "test elements");
    memset(e->element_values, 0, (size_t)count * HB_MAX_ELEMENT_VALUES * sizeof(double));
    HB_TRY(hb_elements_keep(e, &gll, &random));
  }
  HB_TRY(hb_elements_refer(e));
done:
  hb_free(u);
  return status;
}

/* The same with stored factors. */
static inline enum hb_status hb_elements_init(int n, enum hb_precision precision, hb_local count,
                                              int across, uint64_t seed, struct hb_elements *e) {
  return hb_elements_init_mode(n, precision, count, across, seed, HB_GEOMETRY_STORED, true, e);
}

/* The operator on the first elements, in a variant's layout and precision. */
struct hb_case {
  const struct hb_elements *elements; /* borrowed */
  struct hb_helmholtz h;
  hb_local num_points; /* of a vector, untouched ones included */
  hb_local *index;     /* [element][k][j][i], entry in a vector */
  hb_local *surface;
  void *D, *basis, *factors, *element_values, *scratch, *u;
};

static inline void hb_case_free(struct hb_case *c) {
  hb_free(c->index);
  hb_free(c->surface);
  hb_free(c->D);
  hb_free(c->basis);
  hb_free(c->factors);
  hb_free(c->element_values);
  hb_free(c->scratch);
  hb_free(c->u);
  memset(c, 0, sizeof *c);
}

static inline enum hb_status hb_allocate_reals(enum hb_precision precision, hb_global count,
                                               void **array) {
  *array = hb_allocate(count, hb_precision_bytes(precision), "test array");
  return *array == NULL ? HB_MACHINE_FAILED : HB_OK;
}

/* Scratch as the contract has it, and the sentinels behind it: a cube, what a variant would take
 * too much if it took too much. */
static inline hb_global hb_scratch_count(const struct hb_case *c) {
  return hb_helmholtz_scratch_count(c->h.n, c->h.lanes);
}
static inline hb_global hb_scratch_guard(const struct hb_case *c) {
  return (hb_global)c->h.lanes * c->h.n * (c->h.n * c->h.n + 1);
}

/* number [grid point] = a random numbering from 0 of the points on element surfaces and a few that
 * are none's; -1 elsewhere. */
static inline enum hb_status hb_case_number(struct hb_case *c, hb_local *number) {
  enum hb_status status = HB_OK;
  const struct hb_elements *e = c->elements;
  const int n = e->n, points = hb_points_per_element(n);
  struct hb_random random = {(uint64_t)n};
  hb_local *order = NULL, count = 0;
  for (hb_local i = 0; i < e->grid_points; i++) number[i] = -1;
  for (int i = 0; i < c->h.num_elements * points; i++)
    if (!hb_point_is_interior(n, i % points / (n * n), i / n % n, i % n) && number[e->grid[i]] < 0)
      number[e->grid[i]] = count++;
  count += HB_GAPS_WITHIN;
  HB_ALLOC(order, count, "test numbering");
  for (hb_local i = 0; i < count; i++) {
    const hb_local other = (hb_local)(hb_random_bits(&random) % (uint64_t)(i + 1));
    order[i] = order[other];
    order[other] = i;
  }
  for (hb_local i = 0; i < e->grid_points; i++)
    if (number[i] >= 0) number[i] = order[number[i]];
  c->num_points = c->h.surface_start + count + HB_GAPS_AT_END;
done:
  hb_free(order);
  return status;
}

/* Value f that the case's mode keeps at a point of an element; missing lanes have zeros, or the
 * last element's (geometry.h). */
static inline double hb_case_kept(const struct hb_case *c, hb_local element, int point, int f) {
  const struct hb_elements *e = c->elements;
  const int points = hb_points_per_element(c->h.n);
  const bool stored = c->h.geometry.mode == HB_GEOMETRY_STORED;
  const bool missing = element >= c->h.num_elements;
  const int kept = stored ? HB_MAX_FACTORS : hb_geometry_num_point_values(&e->geometry);
  const ptrdiff_t at = (ptrdiff_t)(missing ? c->h.num_elements - 1 : element) * points + point;
  if (stored) return missing ? 0.0 : e->factors[at * kept + f];
  return e->point_values[at * kept + f];
}

/* What the mode keeps, in blocks. */
static inline void hb_case_arrange_geometry(struct hb_case *c) {
  const struct hb_elements *e = c->elements;
  const struct hb_geometry *geometry = &c->h.geometry;
  const int lanes = c->h.lanes;
  const struct hb_factor_layout layout = hb_geometry_host_layout(geometry, c->h.n, lanes);
  const hb_local places = hb_num_blocks(c->h.num_elements, lanes) * lanes;
  for (hb_local element = 0; element < places; element++) {
    const hb_local from = element < c->h.num_elements ? element : c->h.num_elements - 1;
    for (int point = 0; point < hb_points_per_element(c->h.n); point++)
      for (int f = 0; f < hb_geometry_num_point_values(geometry); f++)
        hb_real_set(e->precision, c->factors, hb_factor_at(&layout, element, point, f),
                    hb_case_kept(c, element, point, f));
    for (int v = 0; v < hb_geometry_num_element_values(geometry); v++)
      hb_real_set(e->precision, c->element_values, hb_element_value_at(geometry, lanes, element, v),
                  e->element_values[(ptrdiff_t)from * HB_MAX_ELEMENT_VALUES + v]);
  }
}

/* index of every point, surface of the blocks, u. */
static inline void hb_case_arrange(struct hb_case *c, const hb_local *number) {
  const struct hb_elements *e = c->elements;
  const int n = c->h.n, lanes = c->h.lanes, points = hb_points_per_element(n);
  const enum hb_precision p = e->precision;
  const hb_local blocks = hb_num_blocks(c->h.num_elements, lanes);
  const struct hb_blocks elements = hb_helmholtz_blocks(&c->h);
  hb_local *surface = c->surface;
  for (hb_local block = 0; block < blocks; block++) {
    const int active = hb_block_active(c->h.num_elements, lanes, block);
    ptrdiff_t interior = hb_block_interior_start(&elements, block);
    for (int point = 0; point < points; point++) {
      const bool inside = hb_point_is_interior(n, point / (n * n), point / n % n, point % n);
      for (int lane = 0; lane < lanes; lane++) {
        const ptrdiff_t from = ((ptrdiff_t)block * lanes + lane) * points + point;
        if (!inside) *surface++ = lane < active ? c->h.surface_start + number[e->grid[from]] : -1;
        if (lane >= active) continue;
        c->index[from] = inside ? (hb_local)(interior + lane) : surface[-1];
        hb_real_set(p, c->u, c->index[from], e->u[from]);
      }
      if (inside) interior += active;
    }
  }
}

/* The first num_elements of `elements`, which must outlive the case.  Freed by hb_case_free, also
 * after a failure. */
static inline enum hb_status hb_case_init(const struct hb_elements *elements, int lanes,
                                          hb_local num_elements, enum hb_factor_set factors,
                                          struct hb_case *c) {
  enum hb_status status = HB_OK;
  const int n = elements->n;
  const enum hb_precision p = elements->precision;
  const hb_global blocks = hb_num_blocks(num_elements, lanes);
  hb_local *number = NULL;
  *c = (struct hb_case){.elements = elements};
  c->h = (struct hb_helmholtz){.n = n,
                               .lanes = lanes,
                               .geometry = elements->geometry,
                               .num_elements = num_elements,
                               .surface_start = num_elements * hb_interior_per_element(n)};
  c->h.geometry.factors = factors;
  HB_ALLOC(number, elements->grid_points, "test numbering");
  HB_TRY(hb_case_number(c, number));
  HB_ALLOC(c->index, (hb_global)num_elements * hb_points_per_element(n), "test index");
  HB_ALLOC(c->surface, blocks * lanes * hb_surface_per_element(n), "test index");
  HB_TRY(hb_allocate_reals(p, n * n, &c->D));
  const struct hb_factor_layout layout = hb_geometry_host_layout(&c->h.geometry, n, lanes);
  HB_TRY(hb_allocate_reals(p, 2 * n, &c->basis));
  HB_TRY(hb_allocate_reals(p, hb_factor_count(&layout, num_elements), &c->factors));
  HB_TRY(hb_allocate_reals(p, hb_element_value_count(&c->h.geometry, lanes, num_elements),
                           &c->element_values));
  HB_TRY(hb_allocate_reals(p, hb_scratch_count(c) + hb_scratch_guard(c), &c->scratch));
  HB_TRY(hb_allocate_reals(p, c->num_points, &c->u));
  for (int i = 0; i < n * n; i++) hb_real_set(p, c->D, i, elements->D[i]);
  hb_fill(p, c->u, c->num_points, (double)NAN);
  for (int i = 0; i < 2 * n; i++) hb_real_set(p, c->basis, i, elements->basis[i]);
  hb_case_arrange(c, number);
  hb_case_arrange_geometry(c);
  c->h.surface_index = c->surface;
  c->h.D = c->D;
  c->h.factors = c->factors;
  c->h.basis = c->basis;
  c->h.elements = c->element_values;
  c->h.scratch = c->scratch;
done:
  hb_free(number);
  return status;
}

/* assembled [points] = sum over the elements of local [element][k][j][i]; NaN where none adds. */
static inline void hb_case_assemble(const struct hb_case *c, const double *local,
                                    double *assembled) {
  const ptrdiff_t all = (ptrdiff_t)c->h.num_elements * hb_points_per_element(c->h.n);
  for (hb_local i = 0; i < c->num_points; i++) assembled[i] = (double)NAN;
  for (ptrdiff_t i = 0; i < all; i++) {
    double *sum = &assembled[c->index[i]];
    *sum = isnan(*sum) ? local[i] : *sum + local[i];
  }
}

/* What a caller hands in: surface points zero; interior points, which must be stored, NaN; the
 * sentinel where no element adds (touched, as assembled, is NaN there); scratch NaN. */
static inline void hb_case_poison(const struct hb_case *c, const double *touched, void *w) {
  const enum hb_precision p = c->elements->precision;
  hb_fill(p, c->scratch, hb_scratch_count(c) + hb_scratch_guard(c), HB_SENTINEL);
  hb_fill(p, c->scratch, hb_scratch_count(c), (double)NAN);
  for (hb_local i = 0; i < c->num_points; i++)
    hb_real_set(p, w, i,
                isnan(touched[i])        ? HB_SENTINEL
                : i < c->h.surface_start ? (double)NAN
                                         : 0.0);
}

/* Nothing was written behind the scratch since it was poisoned. */
static inline bool hb_scratch_kept(const struct hb_case *c) {
  const hb_global end = hb_scratch_count(c) + hb_scratch_guard(c);
  for (hb_global i = hb_scratch_count(c); i < end; i++)
    if (hb_real_at(c->elements->precision, c->scratch, i) != HB_SENTINEL) return false;
  return true;
}

/* Entries of w farther from expected than the tolerance of their own scale (both assembled, NaN
 * where no element adds: there the sentinel must still stand).  NaN in w counts. */
static inline long hb_case_count_wrong(const struct hb_case *c, double factor,
                                       const double *expected, const double *scale, const void *w) {
  const enum hb_precision p = c->elements->precision;
  long wrong = 0;
  for (hb_local i = 0; i < c->num_points; i++) {
    const double value = hb_real_at(p, w, i);
    const double bound = factor * hb_helmholtz_tolerance(c->h.n, p, scale[i]);
    if (isnan(expected[i]) ? value != HB_SENTINEL : !(fabs(value - expected[i]) <= bound)) wrong++;
  }
  return wrong;
}

/* What the comparison found, each 0 if the variant keeps the contract. */
struct hb_faults {
  long entries; /* wrong entries of w */
  int dot;      /* u.w wrong */
  int repeated; /* a second call is not bitwise the same */
  int split;    /* two calls for the two halves of the blocks are not the same */
  int scratch;  /* writes behind its scratch */
};

static inline bool hb_has_faults(const struct hb_faults *f) {
  return f->entries != 0 || f->dot != 0 || f->repeated != 0 || f->split != 0 || f->scratch != 0;
}

/* expected and scale assembled; dot and dot_scale over the elements. */
struct hb_expected {
  double *w, *scale, dot, dot_scale;
};

static inline enum hb_status hb_case_expect(const struct hb_case *c, bool with_mass,
                                            struct hb_expected *x) {
  enum hb_status status = HB_OK;
  const struct hb_elements *e = c->elements;
  const double *w = e->w[with_mass], *magnitude = e->magnitude[with_mass];
  const ptrdiff_t all = (ptrdiff_t)c->h.num_elements * hb_points_per_element(c->h.n);
  *x = (struct hb_expected){NULL, NULL, 0.0, 0.0};
  HB_ALLOC(x->w, c->num_points, "test reference");
  HB_ALLOC(x->scale, c->num_points, "test reference");
  hb_case_assemble(c, w, x->w);
  hb_case_assemble(c, magnitude, x->scale);
  for (ptrdiff_t i = 0; i < all; i++) {
    x->dot += e->u[i] * w[i];
    x->dot_scale += fabs(e->u[i]) * magnitude[i];
  }
done:
  return status;
}

/* Runs `apply` on the case and compares it with the reference; HB_OK means that it ran. */
static inline enum hb_status hb_case_compare(const struct hb_case *c, hb_helmholtz_apply *apply,
                                             bool with_mass, struct hb_faults *faults) {
  enum hb_status status = HB_OK;
  const enum hb_precision p = c->elements->precision;
  const hb_local blocks = hb_num_blocks(c->h.num_elements, c->h.lanes), half = blocks / 2;
  const size_t bytes = (size_t)c->num_points * hb_precision_bytes(p);
  struct hb_expected x = {NULL, NULL, 0.0, 0.0};
  void *w = NULL, *again = NULL;
  *faults = (struct hb_faults){0, 0, 0, 0, 0};
  HB_TRY(hb_case_expect(c, with_mass, &x));
  HB_TRY(hb_allocate_reals(p, c->num_points, &w));
  HB_TRY(hb_allocate_reals(p, c->num_points, &again));

  hb_case_poison(c, x.w, w);
  const double dot = apply(&c->h, 0, blocks, with_mass, c->u, w);
  /* Its sum of n^3 products rounds at random, sqrt(n^3) / 2 units, which 8 n + 32 covers. */
  const double dot_bound = hb_helmholtz_tolerance(c->h.n, p, x.dot_scale);
  faults->entries = hb_case_count_wrong(c, 1.0, x.w, x.scale, w);
  faults->dot = !(fabs(dot - x.dot) <= dot_bound);
  faults->scratch = !hb_scratch_kept(c);

  hb_case_poison(c, x.w, again);
  const double dot_again = apply(&c->h, 0, blocks, with_mass, c->u, again);
  faults->repeated = !hb_same_bits(w, again, bytes) || !hb_same_bits(&dot, &dot_again, sizeof dot);

  hb_case_poison(c, x.w, again);
  const double dot_begin = apply(&c->h, 0, half, with_mass, c->u, again);
  const double dot_end = apply(&c->h, half, blocks, with_mass, c->u, again);
  faults->split =
      !hb_same_bits(w, again, bytes) || !(fabs(dot_begin + dot_end - x.dot) <= dot_bound);
done:
  hb_free(x.w);
  hb_free(x.scale);
  hb_free(w);
  hb_free(again);
  return status;
}

#endif
