/* SPDX-License-Identifier: BSD-3-Clause
 * The Helmholtz operator on hexahedral elements: the contract that every variant fulfils.
 *
 *   ur[k][j][i] = sum_m D[i][m] u[k][j][m]
 *   us[k][j][i] = sum_m D[j][m] u[k][m][i]
 *   ut[k][j][i] = sum_m D[k][m] u[m][j][i]
 *   gr = G00 ur + G01 us + G02 ut,  gs = G01 ur + G11 us + G12 ut,  gt = G02 ur + G12 us + G22 ut
 *   w[k][j][i]  = sum_m D[m][i] gr[k][j][m] + D[m][j] gs[k][m][i] + D[m][k] gt[m][j][i]
 *                 + M u[k][j][i]
 *
 * Gab = h1 w_i w_j w_k det(J) grad(xi_a).grad(xi_b) and M = h2 w_i w_j w_k det(J) hold weights,
 * Jacobian and coefficients; both are positive (semi)definite.
 *
 * Shapes, last index fastest.  D [n][n].  Elements are taken in blocks of `lanes`, element
 * `block * lanes + lane`; factors [block][k][j][i][f][lane], f = G00 G01 G02 G11 G12 G22 and, with
 * mass, M, or whatever the geometry's mode keeps instead, and elements [block][v][lane], what it
 * keeps of elements (geometry.h).  The last block may be ragged: vectors are zero in its missing
 * lanes.
 *
 * Vectors are assembled: each unique point once.  First the element-interior points, block by
 * block, [block][interior point][lane] with interior points in (k,j,i) order and only the lanes
 * that exist; then, from surface_start on, the points on element surfaces, found through
 * surface_index [block][surface point][lane] (surface points in (k,j,i) order; -1 in missing
 * lanes).
 *
 * A variant adds the local results of blocks [block_begin, block_end) into w: it stores interior
 * points and adds to surface points, which the caller has set to zero, in block order, so that
 * the same call gives bitwise the same result.  It returns sum of u.w over its elements, before
 * assembly, which over all elements and ranks is u'Au.  Ranges: 2 <= n <= 16, num_elements >= 0.
 * All arrays are borrowed; w must not overlap u.  Rounding may differ between variants within
 * hb_helmholtz_tolerance.  Source of the operator: Deville, Fischer, Mund, High-Order Methods for
 * Incompressible Fluid Flow, 2002, section 4; the count of flops below is Nekbone's. */
#ifndef HB_KERNELS_HELMHOLTZ_HELMHOLTZ_H
#define HB_KERNELS_HELMHOLTZ_HELMHOLTZ_H

#include "kernels/element/blocks.h"
#include "kernels/geometry/geometry.h"

struct hb_helmholtz {
  int n, lanes;
  struct hb_geometry geometry;
  hb_local num_elements;         /* of the rank */
  hb_local surface_start;        /* num_elements (n-2)^3 */
  const hb_local *surface_index; /* borrowed */
  const void *D, *factors;       /* borrowed; double or float, as the variant's precision */
  const void *basis, *elements;  /* the same: GLL points and weights, [2][n]; of elements */
  void *scratch;                 /* borrowed; hb_helmholtz_scratch_count reals, 64-byte aligned */
};

static inline struct hb_blocks hb_helmholtz_blocks(const struct hb_helmholtz *h) {
  struct hb_blocks blocks;
  blocks.n = h->n;
  blocks.lanes = h->lanes;
  blocks.num_elements = h->num_elements;
  blocks.surface_index = h->surface_index;
  return blocks;
}

/* u and w as above.  with_mass = false leaves M out (for the null-space check). */
typedef double hb_helmholtz_apply(const struct hb_helmholtz *helmholtz, hb_local block_begin,
                                  hb_local block_end, bool with_mass, const void *u, void *w);

/* Adds the elements' diagonals into diagonal [points], whose surface part the caller has set to
 * zero.  That is the diagonal of the assembled operator, except where an element meets itself
 * across a periodic axis: the cross terms there are left out. */
typedef void hb_helmholtz_diagonal(const struct hb_helmholtz *helmholtz, void *diagonal);

/* Of `lanes` reals: two cubes, their planes padded by a point, two planes, and for geometry that is
 * not stored ten cubes and six planes. */
static inline hb_global hb_helmholtz_scratch_count(int n, int lanes) {
  return (hb_global)lanes * (2 * n * (n * n + 1) + 8 * n * n + 10 * n * n * n);
}

/* Flops of one element that the equation needs: 12 n^4 in the six contractions, 15 a point in the
 * factors, 2 in the mass term, 2 in u.w, and the additions of the assembly (surface points). */
static inline double hb_helmholtz_flops(int n, bool with_mass) {
  const double points = (double)n * n * n;
  return 12.0 * points * n + 15.0 * points + (with_mass ? 2.0 : 0.0) * points + 2.0 * points +
         hb_surface_per_element(n);
}
/* Nekbone's and hipBone's nominal count of one CG iteration on one element. */
static inline double hb_nekbone_flops(int n) {
  const double cube = (double)n * n * n;
  return 12.0 * cube * n + 34.0 * cube;
}

/* Bound on |variant - reference| in one entry, over `scale` = the largest sum of magnitudes that
 * went into an entry: 3 contractions deep, each of n terms, both sides rounded. */
static inline double hb_helmholtz_tolerance(int n, enum hb_precision precision, double scale) {
  return 4.0 * (2.0 * n + 8.0) * hb_precision_epsilon(precision) * scale;
}

/* The plain reference, one element after the other and without assembly: u, w
 * [element][k][j][i], factors [element][k][j][i][num_factors]. */
void hb_helmholtz_host_f64(int n, hb_local num_elements, int num_factors, bool with_mass,
                           const double *D, const double *factors, const double *u, double *w);
void hb_helmholtz_host_f32(int n, hb_local num_elements, int num_factors, bool with_mass,
                           const float *D, const float *factors, const float *u, float *w);

#endif
