/* SPDX-License-Identifier: BSD-3-Clause
 * Everything one solve needs, set up once, and the timed solves. */
#ifndef HB_APP_SOLVER_H
#define HB_APP_SOLVER_H

#include "app/cg.h"
#include "app/cg_device.h"
#include "app/operator.h"
#include "app/options.h"

struct hb_solver {
  const struct hb_comm *comm; /* borrowed, as the next two */
  const struct hb_options *options;
  struct hb_timers *timers;
  struct hb_problem problem;
  const struct hb_helmholtz_variant *variant;
  struct hb_shape shape; /* of the variant on a GPU */
  struct hb_mesh *mesh;  /* owned, as all below */
  struct hb_operator *op;
  struct hb_cg *cg;
  void *b, *x, *dinv; /* [num_points]; dinv NULL: plain CG */
  double volume;      /* sum of the mass over all ranks, m^3 */
  /* On a GPU, else NULL: borrowed device; owned vectors there. */
  struct hb_device *device;
  struct hb_cg_device *cg_device;
  bool gpu_aware;
  char gpu_aware_reason[160];
};

/* What the timed solves took: every solve of the run, warm-up first. */
struct hb_solves {
  int num_warmup, num_timed;
  double *seconds;      /* owned [timed]: largest over ranks */
  double *rank_seconds; /* owned [timed]: this rank's */
  int *iterations;      /* owned [warmup + timed], as the next */
  double *final_residual;
  enum hb_cg_end end; /* of the last */
};

/* Collective.  All that can be known and checked before anything large is allocated: the box, this
 * rank's part of it, the problem and the variant; of a GPU's variants that which is taken in the
 * end may be another.  HB_BAD_INPUT says what does not fit. */
enum hb_status hb_solver_plan(const struct hb_comm *comm, const struct hb_options *options,
                              struct hb_box *box, struct hb_partition *partition,
                              struct hb_problem *problem,
                              const struct hb_helmholtz_variant **variant);

/* What the options' backend means in this program.  HB_BAD_INPUT: a GPU is asked for and the
 * program is built without. */
enum hb_status hb_solver_backend(const struct hb_options *options, enum hb_backend *backend);

/* Collective.  Mesh, operator, right-hand side with lifting, preconditioner, work vectors.
 * device: open, where the backend is the GPU; else NULL.  kernel: the same on all ranks, one that
 * the device has; NULL: the default, without tuning.  watcher may be NULL. */
enum hb_status hb_solver_create(const struct hb_comm *comm, const struct hb_options *options,
                                struct hb_device *device, const struct hb_kernel *kernel,
                                struct hb_timers *timers, const struct hb_watcher *watcher,
                                struct hb_solver **solver);
/* Not collective.  Accepts NULL, clears the caller's pointer. */
void hb_solver_destroy(struct hb_solver **solver);

/* Collective.  Warm-up solves, then the timed ones, each between barriers.  `watch` sees
 * every iteration; may be NULL. */
enum hb_status hb_solver_run(struct hb_solver *solver, hb_cg_watch *watch, void *watch_context,
                             struct hb_solves *solves);
void hb_solves_destroy(struct hb_solves *solves);

/* Not collective.  Brings solution and residual of the last solve to solver->x and solver->cg->r;
 * on the host they are there. */
enum hb_status hb_solver_fetch(struct hb_solver *solver);

/* The system as CG sees it. */
struct hb_cg_system hb_solver_system(const struct hb_solver *solver);

#endif
