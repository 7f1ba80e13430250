/* SPDX-License-Identifier: BSD-3-Clause
 * Conjugate gradients, plain or with a diagonal preconditioner, for A x = b from x = 0.
 *
 *   z = dinv r;  p = z + beta p;  w = A p;  alpha = r.z / p.w;  x += alpha p;  r -= alpha w
 *
 * The residual norm is |r| in the 2-norm over unique points; stopping is on |r| / |b|.  The sums
 * are formed in a fixed order: the same ranks give bitwise the same history.  CG knows the operator
 * only as a function and a pointer.  Source: Hestenes, Stiefel, J. Res. NBS 49 (1952) 409. */
#ifndef HB_APP_CG_H
#define HB_APP_CG_H

#include "app/timers.h"
#include "kernels/vectors/vector_ops.h"

/* w = A p (all points, w zero on element surfaces on entry), p_dot_w = this rank's part of p.Ap.
 * Collective. */
typedef void hb_cg_apply(void *context, const void *p, void *w, double *p_dot_w);

/* The passes of an iteration on this rank's points, where they are not those of the host: vectors
 * and their places are the context's own.  Sums are this rank's part.  A pass that fails remembers
 * it, still takes part in every exchange, and gives NaN, so that all ranks end together. */
struct hb_cg_passes {
  /* x = 0, p = 0, r = b; sums = {r.r, r.z}. */
  void (*start)(void *context, double sums[2]);
  /* Collective.  x += alpha p (the step before); p = z + beta p; w = A p; returns p.w. */
  double (*direction)(void *context, double alpha, double beta, struct hb_timers *timers);
  /* r -= alpha w; sums = {r.r, r.z}. */
  void (*residual)(void *context, double alpha, struct hb_timers *timers, double sums[2]);
  /* x += alpha p: x is complete. */
  void (*finish)(void *context, double alpha);
  /* What failed since start; HB_OK if nothing. */
  enum hb_status (*status)(void *context);
};

struct hb_cg_system {
  const struct hb_comm *comm;
  const struct hb_vector_ops *ops;
  enum hb_precision precision;
  hb_local num_points, num_owned, surface_start;
  hb_cg_apply *apply;
  void *context;
  const void *b, *dinv;              /* dinv NULL: plain CG */
  const struct hb_cg_passes *passes; /* NULL: on the host, with the members above */
  void *passes_context;
};

enum hb_cg_end {
  HB_CG_CONVERGED,
  HB_CG_COUNT,        /* the asked number of iterations is done, or the limit is reached */
  HB_CG_INDEFINITE,   /* p.Ap <= 0: the operator is not positive definite */
  HB_CG_NOT_A_NUMBER, /* p.Ap or |r| is NaN or infinite */
};
const char *hb_cg_end_name(enum hb_cg_end end);

struct hb_cg {
  hb_local num_points;
  int max_iterations;
  void *r, *p, *w;      /* owned [num_points] */
  double *history;      /* owned [max_iterations + 1]: |r| after each iteration */
  double *alpha, *beta; /* owned [max_iterations]: the coefficients of each */
  int iterations;       /* of the last solve, as the following */
  enum hb_cg_end end;
};

/* Not collective.  Work space for systems of num_points points. */
enum hb_status hb_cg_create(enum hb_precision precision, hb_local num_points, int max_iterations,
                            struct hb_cg **cg);
/* Accepts NULL, clears the caller's pointer. */
void hb_cg_destroy(struct hb_cg **cg);

/* Called after each iteration on every rank; may be NULL. */
typedef void hb_cg_watch(void *context, int iteration, double relative_residual);

/* Collective.  Solves into x [num_points], or, where the system has its own passes, into theirs.
 * tolerance 0: exactly max_iterations (fewer only if |r| becomes 0, or so small that p.Ap
 * underflows).  timers may be NULL.  Breakdown is reported in cg->end; only passes can fail. */
enum hb_status hb_cg_solve(struct hb_cg *cg, const struct hb_cg_system *system, double tolerance,
                           struct hb_timers *timers, hb_cg_watch *watch, void *watch_context,
                           void *x);

/* Smallest and largest eigenvalue of the preconditioned operator as the last solve saw them (Ritz
 * values of the Lanczos matrix of its coefficients); source: Golub, Van Loan, section 11.3. */
void hb_cg_eigenvalues(const struct hb_cg *cg, double *smallest, double *largest);

#endif
