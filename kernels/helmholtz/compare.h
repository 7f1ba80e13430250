/* SPDX-License-Identifier: BSD-3-Clause
 * What any variant of the operator is compared with: the reference's result, the size of what went
 * into each entry of it, and by how much an observed value is off.  For gate, tuner and tests.
 *
 * Everything is in double and in the reference's layout.  An entry's magnitude is what the same
 * sums make of absolute values: w = A u and w_magnitude = |A| u_magnitude.  An observed w is right
 * if it differs from w by at most hb_helmholtz_tolerance of w_magnitude.  Where a kernel forms its
 * factors, |G_ab| in |A| is |G_ab| + s sqrt(|G_aa G_bb|), M likewise, so that what forming them
 * adds by rounding, 16 growth epsilon (kept.h), is within that tolerance.  Not collective. */
#ifndef HB_KERNELS_HELMHOLTZ_COMPARE_H
#define HB_KERNELS_HELMHOLTZ_COMPARE_H

#include <math.h>

#include "kernels/helmholtz/helmholtz.h"

/* The caller fills D, factors, u and u_magnitude. */
struct hb_reference {
  int n, num_factors, components;
  int threads; /* that may work on it; 0 as 1 */
  hb_local num_elements;
  bool with_mass;
  double growth;           /* of the factors' rounding (kept.h); 0: they are stored */
  double *D;               /* [n][n]; owned, as all below */
  double *factors;         /* [element][k][j][i][f] */
  double *u, *u_magnitude; /* [component][element][k][j][i], as the next two */
  double *w, *w_magnitude;
};

/* Allocates the arrays.  with_mass: M of the factors is used, if there is one.  Freed by
 * hb_reference_free, also after a failure. */
enum hb_status hb_reference_create(int n, hb_local num_elements, int components,
                                   const struct hb_geometry *geometry, bool with_mass,
                                   struct hb_reference *reference);
void hb_reference_free(struct hb_reference *reference);

/* Entries of u, all components. */
static inline hb_global hb_reference_entries(const struct hb_reference *reference) {
  return (hb_global)reference->components * reference->num_elements *
         hb_points_per_element(reference->n);
}

/* w and w_magnitude.  D and factors hold their magnitudes afterwards. */
void hb_reference_apply(struct hb_reference *reference);

/* Adds u.w over entries [begin, end) to *dot, and what its rounding goes by to *magnitude. */
void hb_reference_add_dot(const struct hb_reference *reference, hb_global begin, hb_global end,
                          double *dot, double *magnitude);

/* |observed - expected| in units of `unit`; NaN stays NaN. */
static inline double hb_scaled_difference(double observed, double expected, double unit) {
  const double difference = fabs(observed - expected);
  return difference == 0.0 ? 0.0 : difference / unit;
}

/* Is a value of this magnitude right?  NaN is not. */
static inline bool hb_agrees(int n, enum hb_precision precision, double observed, double expected,
                             double magnitude) {
  return fabs(observed - expected) <= hb_helmholtz_tolerance(n, precision, magnitude);
}

#endif
