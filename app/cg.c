/* SPDX-License-Identifier: BSD-3-Clause
 * The conjugate gradient iteration in two vector passes and one operator application. */
#include "app/cg.h"

#include <math.h>
#include <string.h>

const char *hb_cg_end_name(enum hb_cg_end end) {
  static const char *const names[] = {"converged", "iteration count reached",
                                      "breakdown: p.Ap <= 0", "breakdown: not a number"};
  return names[end];
}

enum hb_status hb_cg_create(enum hb_precision precision, hb_local num_points, int max_iterations,
                            struct hb_cg **cg_out) {
  enum hb_status status = HB_OK;
  const size_t size = hb_precision_bytes(precision);
  struct hb_cg *cg = NULL;
  *cg_out = NULL;
  HB_ALLOC(cg, 1, "conjugate gradients");
  *cg = (struct hb_cg){.num_points = num_points, .max_iterations = max_iterations};
  cg->r = hb_allocate(num_points, size, "residual");
  cg->p = hb_allocate(num_points, size, "search direction");
  cg->w = hb_allocate(num_points, size, "operator result");
  if (cg->r == NULL || cg->p == NULL || cg->w == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_ALLOC(cg->history, max_iterations + 1, "residual history");
  HB_ALLOC(cg->alpha, max_iterations, "alpha");
  HB_ALLOC(cg->beta, max_iterations, "beta");
  *cg_out = cg;
done:
  if (status != HB_OK) hb_cg_destroy(&cg);
  return status;
}

void hb_cg_destroy(struct hb_cg **cg) {
  if (*cg == NULL) return;
  hb_free((*cg)->r);
  hb_free((*cg)->p);
  hb_free((*cg)->w);
  hb_free((*cg)->history);
  hb_free((*cg)->alpha);
  hb_free((*cg)->beta);
  hb_free(*cg);
  *cg = NULL;
}

/* The passes on the host. */
struct host {
  struct hb_cg *cg;
  const struct hb_cg_system *system;
  void *x;
};

static void host_residual(void *context, double alpha, struct hb_timers *timers, double sums[2]) {
  const struct host *host = context;
  const struct hb_cg_system *system = host->system;
  double mark = hb_timer_mark(timers);
  system->ops->update_residual(system->num_points, system->num_owned, system->surface_start, alpha,
                               system->dinv, host->cg->w, host->cg->r, sums);
  hb_timer_count(timers, HB_PHASE_VECTOR, &mark);
}

static void host_start(void *context, double sums[2]) {
  const struct host *host = context;
  const size_t bytes = (size_t)host->cg->num_points * hb_precision_bytes(host->system->precision);
  memset(host->x, 0, bytes);
  memset(host->cg->p, 0, bytes);
  memset(host->cg->w, 0, bytes);
  memcpy(host->cg->r, host->system->b, bytes);
  host_residual(context, 0.0, NULL, sums);
}

static double host_direction(void *context, double alpha, double beta, struct hb_timers *timers) {
  const struct host *host = context;
  const struct hb_cg_system *system = host->system;
  double mark = hb_timer_mark(timers), p_dot_w = 0.0;
  system->ops->update_direction(system->num_points, alpha, beta, system->dinv, host->cg->r,
                                host->cg->p, host->x);
  hb_timer_count(timers, HB_PHASE_VECTOR, &mark);
  system->apply(system->context, host->cg->p, host->cg->w, &p_dot_w);
  return p_dot_w;
}

static void host_finish(void *context, double alpha) {
  const struct host *host = context;
  host->system->ops->add_scaled(host->system->num_points, alpha, host->cg->p, host->x);
}

static enum hb_status host_status(void *context) {
  (void)context;
  return HB_OK;
}

static void reduce(const struct hb_cg_system *system, int number, double *sums,
                   struct hb_timers *timers) {
  double mark = hb_timer_mark(timers);
  hb_comm_sum(system->comm, number, sums);
  hb_timer_count(timers, HB_PHASE_REDUCTION, &mark);
}

/* Iterates; returns the alpha of the x update that is still to be done.  sums: of the start. */
static double iterate(struct hb_cg *cg, const struct hb_cg_system *system,
                      const struct hb_cg_passes *passes, void *context, double tolerance,
                      struct hb_timers *timers, hb_cg_watch *watch, void *watch_context,
                      double sums[2]) {
  double alpha = 0.0, beta = 0.0;
  const double goal = tolerance * tolerance * sums[0];
  /* Below it the residual is exhausted: p.Ap may underflow, which is no breakdown. */
  const double nothing = pow(hb_precision_epsilon(system->precision), 4.0) * sums[0];
  cg->history[0] = sqrt(sums[0]);
  while (cg->iterations < cg->max_iterations) {
    if (sums[0] == 0.0 || (tolerance > 0.0 && sums[0] <= goal)) cg->end = HB_CG_CONVERGED;
    if (!isfinite(sums[0])) cg->end = HB_CG_NOT_A_NUMBER;
    if (cg->end != HB_CG_COUNT) break;
    const double rz = sums[1];
    double p_dot_w = passes->direction(context, alpha, beta, timers);
    reduce(system, 1, &p_dot_w, timers);
    alpha = 0.0;
    if (!(p_dot_w > 0.0) || !isfinite(p_dot_w)) {
      cg->end = isfinite(p_dot_w) ? HB_CG_INDEFINITE : HB_CG_NOT_A_NUMBER;
      if (p_dot_w == 0.0 && sums[0] <= nothing) cg->end = HB_CG_CONVERGED;
      break;
    }
    alpha = rz / p_dot_w;
    passes->residual(context, alpha, timers, sums);
    reduce(system, 2, sums, timers);
    beta = sums[1] / rz;
    cg->alpha[cg->iterations] = alpha;
    cg->beta[cg->iterations] = beta;
    cg->history[++cg->iterations] = sqrt(sums[0]);
    if (watch != NULL)
      watch(watch_context, cg->iterations, cg->history[cg->iterations] / cg->history[0]);
  }
  if (cg->end == HB_CG_COUNT && tolerance > 0.0 && sums[0] <= goal) cg->end = HB_CG_CONVERGED;
  if (cg->end == HB_CG_COUNT && !isfinite(sums[0])) cg->end = HB_CG_NOT_A_NUMBER;
  return alpha;
}

enum hb_status hb_cg_solve(struct hb_cg *cg, const struct hb_cg_system *system, double tolerance,
                           struct hb_timers *timers, hb_cg_watch *watch, void *watch_context,
                           void *x) {
  static const struct hb_cg_passes host_passes = {.start = host_start,
                                                  .direction = host_direction,
                                                  .residual = host_residual,
                                                  .finish = host_finish,
                                                  .status = host_status};
  struct host host = {cg, system, x};
  const bool own = system->passes != NULL;
  const struct hb_cg_passes *passes = own ? system->passes : &host_passes;
  void *context = own ? system->passes_context : &host;
  double sums[2], mark = hb_timer_mark(timers);
  cg->iterations = 0;
  cg->end = HB_CG_COUNT;
  passes->start(context, sums);
  hb_timer_count(timers, HB_PHASE_VECTOR, &mark);
  reduce(system, 2, sums, timers);
  const double alpha =
      iterate(cg, system, passes, context, tolerance, timers, watch, watch_context, sums);
  mark = hb_timer_mark(timers);
  passes->finish(context, alpha);
  hb_timer_count(timers, HB_PHASE_VECTOR, &mark);
  return own ? hb_comm_agree(system->comm, passes->status(context)) : HB_OK;
}

/* Number of eigenvalues below `bound` of the Lanczos matrix, by the signs of its pivots. */
static int eigenvalues_below(const struct hb_cg *cg, double bound) {
  int below = 0;
  double pivot = 1.0;
  for (int i = 0; i < cg->iterations; i++) {
    const double previous = i > 0 ? cg->beta[i - 1] / cg->alpha[i - 1] : 0.0;
    const double off2 = i > 0 ? cg->beta[i - 1] / (cg->alpha[i - 1] * cg->alpha[i - 1]) : 0.0;
    pivot = 1.0 / cg->alpha[i] + previous - bound - off2 / pivot;
    if (pivot == 0.0) pivot = 1e-300;
    if (pivot < 0.0) below++;
  }
  return below;
}

/* The value at which eigenvalues_below first exceeds `rank`, by bisection of [0, high]. */
static double bisect(const struct hb_cg *cg, int rank, double high) {
  double low = 0.0;
  for (int step = 0; step < 100; step++) {
    const double middle = 0.5 * (low + high);
    if (eigenvalues_below(cg, middle) > rank)
      high = middle;
    else
      low = middle;
  }
  return high;
}

void hb_cg_eigenvalues(const struct hb_cg *cg, double *smallest, double *largest) {
  double bound = 0.0; /* Gershgorin */
  *smallest = *largest = 0.0;
  for (int i = 0; i < cg->iterations; i++) {
    const double next = sqrt(fabs(cg->beta[i])) / cg->alpha[i];
    const double last = i > 0 ? sqrt(fabs(cg->beta[i - 1])) / cg->alpha[i - 1] : 0.0;
    const double diagonal = 1.0 / cg->alpha[i] + (i > 0 ? cg->beta[i - 1] / cg->alpha[i - 1] : 0.0);
    bound = fmax(bound, diagonal + next + last);
  }
  if (cg->iterations == 0) return;
  *smallest = bisect(cg, 0, bound);
  *largest = bisect(cg, cg->iterations - 1, bound);
}
