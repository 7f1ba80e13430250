/* SPDX-License-Identifier: BSD-3-Clause
 * The gates: what makes a solve valid.  All run in every solve; none can be skipped. */
#ifndef HB_APP_GATES_H
#define HB_APP_GATES_H

#include "app/solver.h"

enum hb_gate_name {
  /* What was set up. */
  HB_GATE_CASE,        /* sizes, faces, positions and coefficients are those of the options */
  HB_GATE_POINTS,      /* unique points = closed form */
  HB_GATE_BASIS,       /* nodes, weights and D: exact for polynomials */
  HB_GATE_SOURCE,      /* source and gradient are those of the exact solution */
  HB_GATE_MASK,        /* the points on Dirichlet faces are masked, and no others */
  HB_GATE_FACTORS,     /* every factor in use = that of the audit, formed anew */
  HB_GATE_VOLUME,      /* sum of the mass = volume of the box */
  HB_GATE_ASSEMBLY,    /* A v of a random v = that of the audit, at every point */
  HB_GATE_KERNEL,      /* variant in use against the reference, on blocks chosen at random */
  HB_GATE_SYMMETRY,    /* x'Ay = y'Ax */
  HB_GATE_NULL_SPACE,  /* A 1 = 0 without mask and mass */
  HB_GATE_RIGHT_SIDE,  /* b = that of the audit, at every point */
  HB_GATE_CONSISTENCY, /* the exact solution satisfies the discrete system as far as can be */
  /* What was solved. */
  HB_GATE_CONTINUITY, /* copies of shared points equal on all ranks, after the solve */
  HB_GATE_BOUNDARY,   /* values on Dirichlet faces are those of the exact solution */
  HB_GATE_RESIDUAL,   /* b - A x agrees with the recurrence's r */
  HB_GATE_REDUCTION,  /* |b - A x| / |b| is as small as was asked */
  HB_GATE_ENERGY,     /* the energy has fallen as the coefficients of the iteration say */
  HB_GATE_SOLUTION,   /* error against the exact solution within what the mesh resolves */
  HB_GATE_MAXIMUM,    /* the same at each point */
  HB_GATE_REPEAT,     /* all solves of the run: identical residuals, in every iteration */
  HB_GATE_CLOCK,      /* times of solves: the sum of their phases, and as a second clock has them */
  HB_GATE_COUNTS,     /* iterations: passes that the operator has counted, rows of the history */
  HB_GATE_FIGURES,    /* figures of merit: what follows from points, iterations and seconds */
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
  double rms_error, rms_solution;                 /* over unique points, as the next */
  double max_error, max_solution;
  double resolvable; /* interpolation error of u on this mesh */
  int64_t seed;      /* of the random places and values, > 0 */
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

/* Bytes that the gates hold on this rank: of each of three vectors, of the exact solution, and of
 * what single gates work in, the largest of them. */
hb_global hb_gates_vector_bytes(const struct hb_plan *plan);
hb_global hb_gates_exact_bytes(const struct hb_plan *plan);
hb_global hb_gates_reference_bytes(const struct hb_plan *plan);
/* On a device instead, beside vectors that the solve has there. */
hb_global hb_gates_device_bytes(const struct hb_plan *plan);

/* ---- for gates that have files of their own, and for tests ----------------------------------- */

/* Not collective. */
enum hb_status hb_gate_work_create(const struct hb_solver *solver, struct hb_gate_work *work);
void hb_gate_work_destroy(struct hb_gate_work *work);

/* Collective.  The same in a given order, numbers 0 .. HB_NUM_CHECKS - 1; what several gates need
 * is found out before them. */
enum { HB_NUM_CHECKS = 17 };
enum hb_status hb_gates_run_in_order(const struct hb_solver *solver, const struct hb_solves *solves,
                                     const int order[HB_NUM_CHECKS], struct hb_gates *gates);

/* Sets observed, bound and verdict of one gate. */
void hb_gate_judge(struct hb_gates *gates, enum hb_gate_name name, double observed, double bound);

/* v [num_points] of the operator's precision: in [-1, 1], random by global point and seed, so that
 * it does not depend on the ranks; zero on Dirichlet faces if masked. */
void hb_gate_set_random(const struct hb_solver *solver, int64_t seed, bool masked, void *v);

#endif
