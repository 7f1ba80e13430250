/* SPDX-License-Identifier: BSD-3-Clause
 * What the gates share: the solve before them, and what is found out for several of them. */
#ifndef HB_APP_GATES_INTERNAL_H
#define HB_APP_GATES_INTERNAL_H

#include "app/gate_resolution.h"
#include "app/gates.h"

/* Vectors below are [num_points] of the operator's precision unless it says double. */
struct hb_court {
  const struct hb_solver *solver;
  const struct hb_solves *solves;
  struct hb_gates *gates;
  struct hb_gate_work work;
  double *exact; /* owned, double: the exact solution */
  /* Of the exact solution u, put into the operator: c = Z' (b - A Z u). */
  double inconsistency;       /* max |c| / diagonal */
  double total_inconsistency; /* sum of c */
  double u_Au, x_Au;          /* Z u.A Z u, and the same with x, what the solve found */
  double x_b, x_Ax;
  double residual, difference, size;     /* |b - A x|, |b - A x - r| and |x| */
  double total_residual;                 /* sum of b - A x */
  double least_inverse, largest_inverse; /* of the preconditioner */
  double improvement;                    /* |x - Z u| / |Z u| in the preconditioner's norm */
  struct hb_resolution resolution;
  double
      growth; /* of the rounding of factors that are formed by the kernel; 0 if stored (kept.h) */
  double wrong_mask, worst_factor, worst_product, worst_right_side; /* gate_audit.c */
};

/* Collective.  One gate, or a few that come of one pass. */
typedef enum hb_status hb_gate_check(struct hb_court *court);

hb_gate_check hb_gate_symmetry, hb_gate_null_space;         /* gate_operator.c */
hb_gate_check hb_gate_case, hb_gate_points, hb_gate_volume; /* gate_case.c */
hb_gate_check hb_gate_audit;       /* gate_audit.c: mask, factors, assembly, right_side */
hb_gate_check hb_gate_kernel;      /* gate_kernel.c */
hb_gate_check hb_gate_consistency; /* gate_consistency.c */
hb_gate_check hb_gate_residual, hb_gate_energy; /* gate_residual.c; the first also reduction */
hb_gate_check hb_gate_solution;                 /* gate_solution.c; also maximum */

/* Collective.  What is found out beforehand: of geometry that is not stored; of all that was set
 * up, with the exact solution; of A x; of A u. */
enum hb_status hb_gate_find_growth(struct hb_court *court);
enum hb_status hb_gate_find_set_up(struct hb_court *court);
enum hb_status hb_gate_find_consistency(struct hb_court *court);
enum hb_status hb_gate_find_residual(struct hb_court *court);

/* Bytes that the audit holds, but for what does not grow with the rank's part. */
hb_global hb_gate_audit_bytes(const struct hb_plan *plan);

/* Points in pieces, on the rank's threads: what the pieces find is put together in their order. */
struct hb_gate_values {
  double sum[4], largest[2];
};
typedef void hb_gate_visit(const struct hb_court *court, const void *context, hb_local begin,
                           hb_local end, struct hb_gate_values *values);
struct hb_gate_values hb_gate_visit_points(const struct hb_court *court, hb_local count,
                                           hb_gate_visit *visit, const void *context);

/* Collective.  x.y over unique points. */
double hb_gate_dot(const struct hb_court *court, const void *x, const void *y);

/* Relative error of factors that the kernel forms itself, or that follow from what is kept; 0 if
 * they are stored. */
double hb_gate_forming(const struct hb_court *court);

/* Relative error of metric terms formed in double: what rounding does to differences of positions,
 * which are as large as the box, within an element, times the sums of a row of D. */
double hb_gate_geometry_rounding(const struct hb_mesh *mesh);

#endif
