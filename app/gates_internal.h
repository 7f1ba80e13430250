/* SPDX-License-Identifier: BSD-3-Clause
 * What the gates share: the solve before them, and what is found out for several of them. */
#ifndef HB_APP_GATES_INTERNAL_H
#define HB_APP_GATES_INTERNAL_H

#include "app/gate_resolution.h"
#include "app/gates.h"
#include "kernels/geometry/lattice_vectors.h"

struct hb_court;

/* Where the gates' vectors are, [num_points] of the operator's precision: on the host, or on the
 * operator's device.  A failure there is kept as the operator's, and gives NaN. */
struct hb_gate_place_type {
  /* Not collective; what was made is destroyed also after a failure. */
  enum hb_status (*create)(struct hb_court *court);
  void (*destroy)(struct hb_court *court);
  /* Not collective.  v as the kind says. */
  void (*set)(const struct hb_court *court, enum hb_lattice_values_kind kind, int64_t seed,
              void *v);
  /* Not collective.  x, what the solve has found, with 0 on Dirichlet faces, and the system's b: in
   * memory of their own, or x in v. */
  const void *(*interior)(const struct hb_court *court, void *v);
  const void *(*right_side)(const struct hb_court *court);
  /* Collective.  w = A u. */
  void (*multiply)(const struct hb_court *court, enum hb_operator_part part, const void *u,
                   void *w);
  /* Not collective; this rank's part.  x.y over owned points; r.z of the start. */
  double (*dot)(const struct hb_court *court, const void *x, const void *y);
  double (*start_rz)(const struct hb_court *court);
  /* Not collective; this rank's part, as lattice_vectors.h orders it.  x against the exact
   * solution; b, A x and the recurrence's r, with A x in work.w; and the exact solution in work.u,
   * A u in work.w, the diagonal in work.v, by find_exact, which is collective. */
  void (*error)(const struct hb_court *court, struct hb_point_sums *sums);
  enum hb_status (*residual)(const struct hb_court *court, struct hb_point_sums *sums);
  void (*find_exact)(const struct hb_court *court);
  void (*consistency)(const struct hb_court *court, struct hb_point_sums *sums);
  /* Not collective.  The audit, with A v of the random v in work.w; and the largest error over
   * bound of the kernel. */
  enum hb_status (*audit)(struct hb_court *court);
  enum hb_status (*kernel)(const struct hb_court *court, double *worst);
};
extern const struct hb_gate_place_type hb_gate_place_host, hb_gate_place_device;

/* Vectors below are [num_points] of the operator's precision unless it says double. */
struct hb_court {
  const struct hb_solver *solver;
  const struct hb_solves *solves;
  struct hb_gates *gates;
  const struct hb_gate_place_type *place;
  struct hb_gate_device *device; /* owned, of the place on a device; else NULL */
  struct hb_gate_work work;      /* of the place */
  double *exact;                 /* owned, on the host, double: the exact solution */
  struct hb_point_sums error;    /* of x, all ranks */
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

/* Of the two places: the passes of gate_audit.c and gate_audit_device.c, gate_kernel.c and
 * gate_kernel_device.c. */
enum hb_status hb_gate_audit_host(struct hb_court *court);
enum hb_status hb_gate_audit_device(struct hb_court *court);
enum hb_status hb_gate_kernel_host(const struct hb_court *court, double *worst);
enum hb_status hb_gate_kernel_device(const struct hb_court *court, double *worst);

/* Collective.  The kernel gate alone, with gates->seed; no solve need have been. */
enum hb_status hb_gate_kernel_alone(const struct hb_solver *solver, struct hb_gates *gates);

/* Blocks that the kernel gate looks at: how many together, the last place where they fit, and the
 * places, the first, those around the last boundary block, the last, and others at random. */
enum { HB_GATE_KERNEL_PLACES = 8 };
struct hb_gate_kernel_blocks {
  hb_local together, last;
  uint64_t seed;
};
struct hb_gate_kernel_blocks hb_gate_kernel_blocks(const struct hb_court *court);
hb_local hb_gate_kernel_begin(const struct hb_court *court,
                              const struct hb_gate_kernel_blocks *blocks, int number);

/* Bytes that the audit holds, but for what does not grow with the rank's part. */
hb_global hb_gate_audit_bytes(const struct hb_plan *plan);

/* Collective.  x.y over unique points, of the place's vectors. */
double hb_gate_dot(const struct hb_court *court, const void *x, const void *y);

/* Relative error of factors that the kernel forms itself, or that follow from what is kept; 0 if
 * they are stored. */
double hb_gate_forming(const struct hb_court *court);

/* Relative error of metric terms formed in double: what rounding does to differences of positions,
 * which are as large as the box, within an element, times the sums of a row of D. */
double hb_gate_geometry_rounding(const struct hb_mesh *mesh);

#endif
