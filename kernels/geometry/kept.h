/* SPDX-License-Identifier: BSD-3-Clause
 * What a geometry mode keeps of an element instead of its factors: formed from positions, and
 * turned into factors again; and whether a mode can represent an element at all.
 *
 * Plain, in double, one element at a time.  Shapes, last index fastest: points [n] are the GLL
 * points; x [3][k][j][i] positions of an element (m); point_values [k][j][i][f] and
 * element_values [v] as geometry.h says, of one lane; factors [k][j][i][HB_MAX_FACTORS], M = 0
 * without mass.  All borrowed.
 *
 *   trilinear:  x_a(r,s,t) = sum_c X[a][c] m_c,   m = 1 r s t rs rt st rst, from the eight vertices
 *   affine:     the terms 1 r s t of these, from the edges at the first vertex */
#ifndef HB_KERNELS_GEOMETRY_KEPT_H
#define HB_KERNELS_GEOMETRY_KEPT_H

#include "kernels/geometry/geometry.h"

/* The largest distance between a point and where the mode's map puts it, over the element's size
 * (the longest of the edges at its first vertex); 0 for modes that represent everything. */
double hb_geometry_misfit(enum hb_geometry_mode mode, int n, const double *points, const double *x);

/* Misfits up to this are rounding: of positions, of which the largest coordinate is `far` times the
 * element's size away from the origin. */
static inline double hb_geometry_misfit_rounding(double far) {
  return 16.0 * hb_precision_epsilon(HB_F64) * (1.0 + far);
}
/* `far` of an element. */
double hb_geometry_distance(int n, const double *x);

/* element_values of an element that the mode can represent; none if it keeps none.  h1 and h2 of an
 * affine element are geometry's. */
void hb_geometry_keep(const struct hb_geometry *geometry, int n, const double *x,
                      double *element_values);

/* The differentiation and weights that go with the points. */
struct hb_kept_basis {
  int n;
  const double *points, *weights, *D; /* [n], [n], [n][n] */
};

/* Factors of an element from what is kept of it, by the reference's formulas (factors.h) wherever
 * there are positions.  HB_MACHINE_FAILED without memory. */
enum hb_status hb_geometry_expand(const struct hb_geometry *geometry,
                                  const struct hb_kept_basis *basis, const double *point_values,
                                  const double *element_values, double *factors);

/* Where what is kept of several elements is, in a precision: of element e at place e - first of the
 * layout and, of elements, of geometry.h's for as many lanes. */
struct hb_kept_places {
  struct hb_factor_layout layout;
  enum hb_precision precision;
  hb_local first;
  void *points, *elements; /* borrowed */
};

/* The same of elements [begin, end): factors [element][k][j][i][hb_geometry_num_factors]. */
enum hb_status hb_geometry_expand_elements(const struct hb_geometry *geometry,
                                           const struct hb_kept_basis *basis,
                                           const struct hb_kept_places *places, hb_local begin,
                                           hb_local end, double *factors);

/* By how much rounding of what the mode keeps, and in forming factors from it, grows in the element
 * with these positions: the largest over points and directions of
 *
 *   sum_m |D[i][m] x_m| / |x_r|  times  |x_r| |x_s| |x_t| / J,    x less that of the first point,
 *
 * with the sum over the terms of the map where it is trilinear; 1 if stored or affine.  Then
 * |error of G_ab| is about growth epsilon sqrt(G_aa G_bb). */
double hb_geometry_growth(enum hb_geometry_mode mode, const struct hb_kept_basis *basis,
                          const double *x);

#endif
