/* SPDX-License-Identifier: BSD-3-Clause
 * The vector passes of a conjugate gradient solve, fused so that each array crosses memory once.
 *
 * Vectors are assembled (helmholtz.h), `count` points; the first `owned` belong to this rank alone,
 * so sums run over them and need no weights.  Sums are formed in double, in an order fixed by count
 * and lanes: the same call gives bitwise the same result.  dinv may be NULL: no preconditioner.
 * Arrays are borrowed, of the precision of the table, and must not overlap. */
#ifndef HB_KERNELS_VECTORS_VECTOR_OPS_H
#define HB_KERNELS_VECTORS_VECTOR_OPS_H

#include "kernels/host_isa.h"

struct hb_vector_ops {
  /* r -= alpha w; sums = {r.r, r.(dinv r)}; then w = 0 from surface_start on, as the operator
   * expects it. */
  void (*update_residual)(hb_local count, hb_local owned, hb_local surface_start, double alpha,
                          const void *dinv, void *w, void *r, double sums[2]);
  /* x += alpha p; p = dinv r + beta p.  The x update belongs to the step before: p is read once. */
  void (*update_direction)(hb_local count, double alpha, double beta, const void *dinv,
                           const void *r, void *p, void *x);
  /* y += alpha x. */
  void (*add_scaled)(hb_local count, double alpha, const void *x, void *y);
  double (*dot)(hb_local owned, const void *x, const void *y);
  /* sums = {|b - w|^2, |(b - w) - r|^2}: true residual, and its distance from the recurrence's. */
  void (*compare_residual)(hb_local owned, const void *b, const void *w, const void *r,
                           double sums[2]);
  /* Conversion from and to double; d[i] = 1 / d[i]; w[index[s]] = value. */
  void (*from_double)(hb_local count, const double *x, void *y);
  void (*to_double)(hb_local count, const void *x, double *y);
  void (*invert)(hb_local count, void *d);
  void (*set_at)(hb_local count, const hb_local *index, double value, void *w);
};

/* Of an instruction set that was built; PLAIN: of the plainest by vectors. */
const struct hb_vector_ops *hb_vector_ops_for(enum hb_host_isa isa, enum hb_precision precision);

#endif
