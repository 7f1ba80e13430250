/* SPDX-License-Identifier: BSD-3-Clause
 * Everything one solve needs, set up once from the plan, and the timed solves. */
#ifndef HB_APP_SOLVER_H
#define HB_APP_SOLVER_H

#include "app/cg.h"
#include "app/operator.h"
#include "app/plan.h"

struct hb_solver {
  const struct hb_plan *plan; /* borrowed, as the next */
  struct hb_timers *timers;
  struct hb_mesh *mesh; /* owned, as all below */
  struct hb_operator *op;
  struct hb_preconditioner *preconditioner;
  struct hb_cg_passes *passes;
  struct hb_cg *cg;
  void *b, *x;   /* [num_points]; x after a solve: the solution with its Dirichlet values */
  double volume; /* sum of the mass over all ranks, m^3 */
};

enum { HB_MOST_REPEATS = 10000 };

/* Why no more solves were timed. */
enum hb_solves_end {
  HB_SOLVES_DONE,    /* as many as were asked for */
  HB_SOLVES_MOST,    /* HB_MOST_REPEATS, before the least time was reached */
  HB_SOLVES_WALLTIME /* the time of the run is up, with or without as many as were asked for */
};

/* What the timed solves took: every solve of the run, warm-up first. */
struct hb_solves {
  int num_warmup, num_timed;
  enum hb_solves_end why;
  double *seconds;                  /* owned [timed]: largest over ranks */
  double *rank_seconds;             /* owned [timed]: this rank's, as the next three */
  double *phase_seconds;            /* the sum of the phases */
  double *other_least, *other_most; /* by the second clock: between these two */
  int *iterations;                  /* owned [warmup + timed], as the next */
  double *final_residual;
  uint64_t *history;     /* checksum of the residuals of all iterations */
  hb_global *num_passes; /* of the operator */
  enum hb_cg_end end;    /* of the last */
};

/* Collective.  Mesh, operator, right-hand side with lifting, preconditioner, work vectors.  The
 * plan's backend has been tuned.  watcher may be NULL. */
enum hb_status hb_solver_create(const struct hb_plan *plan, struct hb_timers *timers,
                                const struct hb_watcher *watcher, struct hb_solver **solver);
/* Collective: exchanges end together.  Accepts NULL, clears the caller's pointer. */
void hb_solver_destroy(struct hb_solver **solver);

/* Bytes of each of b and x on this rank. */
hb_global hb_solver_vector_bytes(const struct hb_plan *plan);

/* Collective.  Warm-up solves, then the timed ones, each between barriers: as many as the options
 * ask for, by count and by the time that they take together, but of those that their walltime
 * allows, counted from the timers' start, at least one.  Then the last one's solution is in
 * solver->x.  `watch` sees every iteration; may be NULL. */
enum hb_status hb_solver_run(struct hb_solver *solver, hb_cg_watch *watch, void *watch_context,
                             struct hb_solves *solves);
void hb_solves_destroy(struct hb_solves *solves);
const char *hb_solves_end_words(enum hb_solves_end end);

/* The system as CG sees it. */
struct hb_cg_system hb_solver_system(struct hb_solver *solver);

/* Not collective.  u [num_points] = the solution without its Dirichlet values, as CG found it. */
void hb_solver_interior(const struct hb_solver *solver, void *u);

/* Collective.  r [num_points] = b - A u, the true residual of the last solve; needs two vectors of
 * its own for that. */
enum hb_status hb_solver_residual(const struct hb_solver *solver, void *r);

#endif
