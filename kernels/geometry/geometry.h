/* SPDX-License-Identifier: BSD-3-Clause
 * Geometry that an operator reads: how it comes by its factors (the mode), which they are (the
 * set), what is kept for that, where it lies and how many bytes an application reads.
 *
 * An operator needs at every point the factors f (helmholtz.h)
 *
 *   f = G00 G01 G02 G11 G12 G22 and, with mass, M;   G ~ h1 / J, M ~ h2 J
 *
 *   mode       kept at a point               kept of an element                    represents
 *   stored     the factors themselves                                              everything
 *   nodes      x y z [h1 [h2]]                                                     everything
 *   trilinear  [h1 [h2]]                     coefficients of its map, [3][8]       straight edges
 *   affine     [h1 [h2]]                     factors without weights, [8]          parallelepipeds
 *
 * x y z: of the point less those of the element's first point, m, so that rounding goes by the size
 * of the element.  h1, and with mass h2: where the coefficients vary; else they are two numbers,
 * which the affine mode has in its factors.  Coefficients [a][c] of x_a (m) in
 * 1 r s t rs rt st rst, that of 1 being 0.  Affine: J grad(xi_a).grad(xi_b) in the order of f, J in
 * the place of M, and 0; times h1 and h2 where these do not vary.  In every mode but stored the
 * factors of a point follow with w_i w_j w_k, the GLL weights, in the kernel.
 *
 * On the host, elements in blocks of `lanes`: points [block][k][j][i][f][lane], elements
 * [block][v][lane]; missing lanes of the last block hold zeros in stored mode, in the others what
 * the last element has, so that J > 0.  On a device points [element][f][k][j][i], elements
 * [element][v].  Nobody else writes these products: index, count and bytes come from here. */
#ifndef HB_KERNELS_GEOMETRY_GEOMETRY_H
#define HB_KERNELS_GEOMETRY_GEOMETRY_H

#include "kernels/element/element.h"

#ifdef __cplusplus
extern "C" {
#endif

enum hb_geometry_mode {
  HB_GEOMETRY_STORED, /* factors formed at set-up, read by every application */
  HB_GEOMETRY_NODES,
  HB_GEOMETRY_TRILINEAR,
  HB_GEOMETRY_AFFINE,
  HB_NUM_GEOMETRY_MODES
};

/* The bits 1 << n where device kernels were built for modes that are not stored: all, unless the
 * build asks for fewer. */
#ifndef HB_RECOMPUTED_ORDERS
#define HB_RECOMPUTED_ORDERS 0x1fffcu
#endif

/* G, and M behind it. */
enum { HB_NUM_GEOMETRIC = 6, HB_MASS_FACTOR = 6, HB_MAX_FACTORS = 7 };
/* What is kept of an element: [3][HB_TRILINEAR_TERMS], or so many. */
enum { HB_TRILINEAR_TERMS = 8, HB_TRILINEAR_VALUES = 24, HB_AFFINE_VALUES = 8 };
/* What is kept of an element and of a point, at most. */
enum { HB_MAX_ELEMENT_VALUES = 24, HB_MAX_POINT_VALUES = 7 };

enum hb_factor_set {
  HB_FACTORS_STIFFNESS, /* the six G */
  HB_FACTORS_WITH_MASS, /* these and M */
  HB_NUM_FACTOR_SETS
};

struct hb_geometry {
  enum hb_geometry_mode mode;
  enum hb_factor_set factors;
  bool varying;  /* h1 and h2 differ from point to point */
  double h1, h2; /* everywhere, where they do not */
};

/* "stored", "nodes", "trilinear", "affine"; of anything else "unknown". */
const char *hb_geometry_mode_name(enum hb_geometry_mode mode);

static inline bool hb_geometry_has_mass(const struct hb_geometry *geometry) {
  return geometry->factors == HB_FACTORS_WITH_MASS;
}
/* Factors of a point. */
static inline int hb_geometry_num_factors(const struct hb_geometry *geometry) {
  return hb_geometry_has_mass(geometry) ? HB_MAX_FACTORS : HB_NUM_GEOMETRIC;
}
/* Number of h1 and h2 that are kept at a point. */
static inline int hb_geometry_num_coefficients(const struct hb_geometry *geometry) {
  if (geometry->mode == HB_GEOMETRY_STORED || !geometry->varying) return 0;
  return hb_geometry_has_mass(geometry) ? 2 : 1;
}
/* Values kept at a point; the coefficients are the last of them. */
static inline int hb_geometry_num_point_values(const struct hb_geometry *geometry) {
  if (geometry->mode == HB_GEOMETRY_STORED) return hb_geometry_num_factors(geometry);
  const int coordinates = geometry->mode == HB_GEOMETRY_NODES ? 3 : 0;
  return coordinates + hb_geometry_num_coefficients(geometry);
}
/* Values kept of an element. */
static inline int hb_geometry_num_element_values(const struct hb_geometry *geometry) {
  return geometry->mode == HB_GEOMETRY_TRILINEAR ? HB_TRILINEAR_VALUES
         : geometry->mode == HB_GEOMETRY_AFFINE  ? HB_AFFINE_VALUES
                                                 : 0;
}

/* The same factors, stored. */
static inline struct hb_geometry hb_geometry_stored(const struct hb_geometry *geometry) {
  struct hb_geometry stored = *geometry;
  stored.mode = HB_GEOMETRY_STORED;
  return stored;
}

/* A layout of the values at points: reals from a block of `lanes` elements to the next, from a
 * point to the next (in (k,j,i) order), from a value to the next; a lane is one real. */
struct hb_factor_layout {
  int lanes;
  ptrdiff_t block, point, factor;
};

static inline struct hb_factor_layout hb_geometry_host_layout(const struct hb_geometry *geometry,
                                                              int n, int lanes) {
  struct hb_factor_layout layout;
  layout.lanes = lanes;
  layout.factor = lanes;
  layout.point = hb_geometry_num_point_values(geometry) * layout.factor;
  layout.block = hb_points_per_element(n) * layout.point;
  return layout;
}

static inline struct hb_factor_layout hb_geometry_device_layout(const struct hb_geometry *geometry,
                                                                int n) {
  struct hb_factor_layout layout;
  layout.lanes = 1;
  layout.point = 1;
  layout.factor = hb_points_per_element(n);
  layout.block = hb_geometry_num_point_values(geometry) * layout.factor;
  return layout;
}

/* Number of the real that holds value f at a point of an element. */
static inline ptrdiff_t hb_factor_at(const struct hb_factor_layout *layout, hb_local element,
                                     int point, int f) {
  return element / layout->lanes * layout->block + element % layout->lanes + point * layout->point +
         f * layout->factor;
}

/* Reals that num_elements take, missing lanes among them; may be 0. */
static inline hb_global hb_factor_count(const struct hb_factor_layout *layout,
                                        hb_local num_elements) {
  return hb_num_blocks(num_elements, layout->lanes) * (hb_global)layout->block;
}

/* Of what is kept of elements, in either place (a device has one lane): number of the real that
 * holds value v of an element, and reals that num_elements take. */
static inline ptrdiff_t hb_element_value_at(const struct hb_geometry *geometry, int lanes,
                                            hb_local element, int v) {
  const ptrdiff_t block = (ptrdiff_t)hb_geometry_num_element_values(geometry) * lanes;
  return element / lanes * block + (ptrdiff_t)v * lanes + element % lanes;
}
static inline hb_global hb_element_value_count(const struct hb_geometry *geometry, int lanes,
                                               hb_local num_elements) {
  return hb_num_blocks(num_elements, lanes) * (hb_global)lanes *
         hb_geometry_num_element_values(geometry);
}

/* Bytes of geometry that one application reads for each element. */
static inline double hb_geometry_read_bytes(const struct hb_geometry *geometry, int n,
                                            enum hb_precision precision) {
  return (double)hb_precision_bytes(precision) *
         ((double)hb_points_per_element(n) * hb_geometry_num_point_values(geometry) +
          hb_geometry_num_element_values(geometry));
}

#ifdef __cplusplus
}
#endif

#endif
