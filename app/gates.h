/* SPDX-License-Identifier: BSD-3-Clause
 * The gates: what makes a solve valid.  All run in every solve; none can be skipped. */
#ifndef HB_APP_GATES_H
#define HB_APP_GATES_H

#include "app/solver.h"

enum hb_gate_name {
  HB_GATE_KERNEL,     /* variant in use against the reference, random u, elements of this run */
  HB_GATE_SYMMETRY,   /* x'Ay = y'Ax */
  HB_GATE_NULL_SPACE, /* A 1 = 0 without mask and mass */
  HB_GATE_VOLUME,     /* sum of the mass = volume of the box */
  HB_GATE_POINTS,     /* unique points = closed form */
  HB_GATE_CONTINUITY, /* copies of shared points equal on all ranks, after the solve */
  HB_GATE_RESIDUAL,   /* b - A x agrees with the recurrence's r */
  HB_GATE_REDUCTION,  /* |b - A x| / |b| is as small as was asked */
  HB_GATE_SOLUTION,   /* error against the exact solution within what the mesh resolves */
  HB_GATE_REPEAT,     /* all solves of the run end with the identical residual */
  HB_NUM_GATES
};

struct hb_gate {
  const char *name;
  double observed, bound;
  bool passed; /* observed <= bound; NaN fails */
};

struct hb_gates {
  struct hb_gate gate[HB_NUM_GATES];
  bool all_passed;
  /* What the gates found out on the way. */
  double smallest_eigenvalue, largest_eigenvalue; /* of the preconditioned operator, seen by CG */
  double true_residual, recursive_residual;       /* relative to |b| */
  double rms_error, rms_solution, max_error;      /* over unique points */
  double resolvable;                              /* interpolation error of u on this mesh */
};

/* Collective.  Judges the last solve.  Uses the solver's work vectors; afterwards solver->x holds
 * the solution with its Dirichlet values and solver->cg->r the true residual. */
enum hb_status hb_gates_run(struct hb_solver *solver, const struct hb_solves *solves,
                            struct hb_gates *gates);

/* Sets observed, bound and verdict of one gate. */
void hb_gate_judge(struct hb_gates *gates, enum hb_gate_name name, double observed, double bound);

/* v [num_points] of the operator's precision: in [-1, 1], random by global point and seed, so that
 * it does not depend on the ranks; zero on Dirichlet faces if masked. */
void hb_gate_set_random(const struct hb_solver *solver, uint64_t seed, bool masked, void *v);

#endif
