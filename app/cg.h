/* SPDX-License-Identifier: BSD-3-Clause
 * Conjugate gradients, plain or with a preconditioner M, for A x = b from x = 0.
 *
 *   z = M^-1 r;  p = z + beta p;  w = A p;  alpha = r.z / p.w;  x += alpha p;  r -= alpha w
 *
 * The residual norm is |r| in the 2-norm over unique points; stopping is on |r| / |b|.  The sums
 * are formed in a fixed order: the same ranks give bitwise the same history.  CG knows the operator
 * only as a function and a pointer, and the vectors not at all: they belong to the passes, an
 * object that is made on the host (cg_host.h) or on a device (cg_device.h). Source: Hestenes,
 * Stiefel, J. Res. NBS 49 (1952) 409. */
#ifndef HB_APP_CG_H
#define HB_APP_CG_H

#include "app/preconditioner.h"
#include "app/timers.h"
#include "kernels/vectors/vector_ops.h"

/* w = A p (all points, w zero on element surfaces on entry), p_dot_w = this rank's part of p.Ap.
 * Collective. */
typedef void hb_cg_apply(void *context, const void *p, void *w, double *p_dot_w);

/* The system, as passes are made for it; all borrowed. */
struct hb_cg_system {
  const struct hb_comm *comm;
  const struct hb_vector_ops *ops; /* on the host */
  enum hb_precision precision;
  hb_local num_points, num_owned, surface_start;
  hb_cg_apply *apply; /* the operator, on vectors of the host */
  void *context;
  struct hb_preconditioner *preconditioner;
  const void *b; /* [num_points] on the host, as the next */
  void *x;       /* the solution; passes on the host work in it */
  bool graphs;   /* of passes on a device that can go ahead: launched as graphs */
};

/* When a solve ends: r.r <= goal, if goal > 0; r.r <= nothing; or after so many iterations. */
struct hb_cg_limits {
  double goal, nothing;
  int iterations;
};

struct hb_cg_passes;

/* The passes of an iteration on this rank's points.  Sums are this rank's part.  A pass that fails
 * remembers it, still takes part in every exchange, and gives NaN, so that all ranks end together.
 */
struct hb_cg_passes_type {
  /* Collective.  x = 0, p = 0, r = b; sums = {r.r, r.z}. */
  void (*start)(struct hb_cg_passes *passes, double sums[2]);
  /* Not collective.  Between start and the first direction, on passes that may go ahead of the
   * caller: they stop where the caller will.  NULL: they do not. */
  void (*limit)(struct hb_cg_passes *passes, const struct hb_cg_limits *limits);
  /* Collective.  x += alpha p (the step before); p = z + beta p; w = A p; returns p.w. */
  double (*direction)(struct hb_cg_passes *passes, double alpha, double beta,
                      struct hb_timers *timers);
  /* Collective.  r -= alpha w; sums = {r.r, r.z}. */
  void (*residual)(struct hb_cg_passes *passes, double alpha, struct hb_timers *timers,
                   double sums[2]);
  /* x += alpha p: x is complete. */
  void (*finish)(struct hb_cg_passes *passes, double alpha);
  /* Not collective.  Solution of the last solve to the system's x; its residual, as the recurrence
   * has it, to r [num_points] on the host. */
  enum hb_status (*fetch_solution)(struct hb_cg_passes *passes);
  enum hb_status (*fetch_residual)(const struct hb_cg_passes *passes, void *r);
  /* Bytes that they hold. */
  hb_global (*bytes)(const struct hb_cg_passes *passes);
  void (*destroy)(struct hb_cg_passes *passes);
};

struct hb_cg_passes {
  const struct hb_cg_passes_type *type;
  struct hb_cg_system system;
  enum hb_status failure; /* the first since start */
};
/* Not collective.  Accepts NULL, clears the caller's pointer. */
void hb_cg_passes_destroy(struct hb_cg_passes **passes);

enum hb_cg_end {
  HB_CG_CONVERGED,
  HB_CG_COUNT,        /* the asked number of iterations is done, or the limit is reached */
  HB_CG_INDEFINITE,   /* p.Ap <= 0: the operator is not positive definite */
  HB_CG_NOT_A_NUMBER, /* p.Ap or |r| is NaN or infinite */
  HB_CG_UNDERFLOW     /* |b|^2 or tolerance^2 |b|^2 is below the range of numbers, and b is not 0 */
};
const char *hb_cg_end_name(enum hb_cg_end end);

struct hb_cg {
  int max_iterations;
  double *history;      /* owned [max_iterations + 1]: |r| after each iteration */
  double *alpha, *beta; /* owned [max_iterations]: the coefficients of each */
  int iterations;       /* of the last solve, as the following */
  enum hb_cg_end end;
};

/* Not collective.  Room for a history of so many iterations. */
enum hb_status hb_cg_create(int max_iterations, struct hb_cg **cg);
/* Accepts NULL, clears the caller's pointer. */
void hb_cg_destroy(struct hb_cg **cg);
/* Not collective.  Forgets the last solve: its history and coefficients become NaN. */
void hb_cg_clear(struct hb_cg *cg);
/* Bytes that hb_cg_create will hold, but for one entry. */
hb_global hb_cg_bytes(int max_iterations);

/* Called after each iteration on every rank. */
typedef void hb_cg_watch(void *context, int iteration, double relative_residual);

/* How a solve is done. */
struct hb_cg_request {
  double tolerance; /* 0: exactly max_iterations (fewer only if |r| falls to epsilon^2 |b|, where no
                     * digit of it is right any more) */
  struct hb_timers *timers; /* borrowed, as the next two; may be NULL */
  hb_cg_watch *watch;
  void *watch_context;
};

/* Collective.  Breakdown is reported in cg->end; fails if passes do, or if the ranks' copies of a
 * sum differ (consensus.h). */
enum hb_status hb_cg_solve(struct hb_cg *cg, struct hb_cg_passes *passes,
                           const struct hb_cg_request *request);

/* Smallest and largest eigenvalue of the preconditioned operator as the last solve saw them (Ritz
 * values of the Lanczos matrix of its coefficients); source: Golub, Van Loan, section 11.3. */
void hb_cg_eigenvalues(const struct hb_cg *cg, double *smallest, double *largest);

#endif
