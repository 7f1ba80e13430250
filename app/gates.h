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

/* Of a gate, and of all of them together. */
enum hb_gate_verdict {
  HB_GATE_FAILS,
  HB_GATE_PASSES,
  HB_GATE_INCONCLUSIVE, /* the gate cannot tell right from wrong here */
  HB_NUM_GATE_VERDICTS
};

struct hb_gate {
  const char *name;
  double observed, bound;
  enum hb_gate_verdict verdict; /* observed <= bound passes; NaN fails */
  const char *reason;           /* why it is inconclusive; else NULL, as the next */
  const char *covered_by;       /* the gates that judge in its place, if they all pass */
};

struct hb_gates {
  struct hb_gate gate[HB_NUM_GATES];
  /* PASSED, the run is valid: every gate passed, or is inconclusive and covered.  INCONCLUSIVE:
   * none failed, but one is not covered. */
  enum hb_gate_verdict verdict;
  /* What the gates found out on the way. */
  double smallest_eigenvalue, largest_eigenvalue; /* of the preconditioned operator, seen by CG */
  double true_residual, recursive_residual;       /* relative to |b| */
  double rms_error, rms_solution, max_error;      /* over unique points */
  double resolvable;                              /* interpolation error of u on this mesh */
};

/* Vectors that the gates work in, [num_points] of the operator's precision; owned.  What they hold
 * between two gates means nothing. */
struct hb_gate_work {
  void *u, *v, *w;
};

/* Collective.  Judges the last solve; the order of the gates does not matter, and of the solver
 * nothing changes but the operator's failure, if it fails. */
enum hb_status hb_gates_run(const struct hb_solver *solver, const struct hb_solves *solves,
                            struct hb_gates *gates);

/* PASS, FAIL, INCONCLUSIVE; of all of them VALID, INVALID, INCONCLUSIVE. */
const char *hb_gate_verdict_word(enum hb_gate_verdict verdict);
const char *hb_gates_status(const struct hb_gates *gates);

/* Bytes that the gates hold on this rank: of each of three vectors, and of the exact solution or
 * the kernel gate's reference. */
hb_global hb_gates_vector_bytes(const struct hb_plan *plan);
hb_global hb_gates_exact_bytes(const struct hb_plan *plan);

/* ---- for gates that have files of their own, and for tests ----------------------------------- */

/* Not collective. */
enum hb_status hb_gate_work_create(const struct hb_solver *solver, struct hb_gate_work *work);
void hb_gate_work_destroy(struct hb_gate_work *work);

/* Collective.  The same in a given order, numbers 0 .. HB_NUM_CHECKS - 1; what several gates need
 * is found out before them. */
enum { HB_NUM_CHECKS = 9 };
enum hb_status hb_gates_run_in_order(const struct hb_solver *solver, const struct hb_solves *solves,
                                     const int order[HB_NUM_CHECKS], struct hb_gates *gates);

/* Sets observed, bound and verdict of one gate. */
void hb_gate_judge(struct hb_gates *gates, enum hb_gate_name name, double observed, double bound);

/* v [num_points] of the operator's precision: in [-1, 1], random by global point and seed, so that
 * it does not depend on the ranks; zero on Dirichlet faces if masked. */
void hb_gate_set_random(const struct hb_solver *solver, uint64_t seed, bool masked, void *v);

#endif
