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

static void count(struct hb_timers *timers, enum hb_phase phase, double *mark) {
  if (timers != NULL) hb_timer_add(timers, phase, mark);
}

/* r -= step w, and the global sums r.r and r.z. */
static void residual_step(struct hb_cg *cg, const struct hb_cg_system *system, double step,
                          struct hb_timers *timers, double sums[2]) {
  double mark = timers != NULL ? hb_timer_now() : 0.0;
  system->ops->update_residual(system->num_points, system->num_owned, system->surface_start, step,
                               system->dinv, cg->w, cg->r, sums);
  count(timers, HB_PHASE_VECTOR, &mark);
  hb_comm_sum(system->comm, 2, sums);
  count(timers, HB_PHASE_REDUCTION, &mark);
}

/* w = A p and the global p.Ap. */
static double operator_step(struct hb_cg *cg, const struct hb_cg_system *system,
                            struct hb_timers *timers) {
  double p_dot_w = 0.0;
  system->apply(system->context, cg->p, cg->w, &p_dot_w);
  double mark = timers != NULL ? hb_timer_now() : 0.0;
  hb_comm_sum(system->comm, 1, &p_dot_w);
  count(timers, HB_PHASE_REDUCTION, &mark);
  return p_dot_w;
}

static void direction_step(struct hb_cg *cg, const struct hb_cg_system *system, double alpha,
                           double beta, struct hb_timers *timers, void *x) {
  double mark = timers != NULL ? hb_timer_now() : 0.0;
  system->ops->update_direction(system->num_points, alpha, beta, system->dinv, cg->r, cg->p, x);
  count(timers, HB_PHASE_VECTOR, &mark);
}

void hb_cg_solve(struct hb_cg *cg, const struct hb_cg_system *system, double tolerance,
                 struct hb_timers *timers, hb_cg_watch *watch, void *watch_context, void *x) {
  const size_t bytes = (size_t)cg->num_points * hb_precision_bytes(system->precision);
  double sums[2], alpha = 0.0, beta = 0.0; /* alpha: of the x update still to be done */
  memset(x, 0, bytes);
  memset(cg->p, 0, bytes);
  memset(cg->w, 0, bytes);
  memcpy(cg->r, system->b, bytes);
  residual_step(cg, system, 0.0, timers, sums);
  const double goal = tolerance * tolerance * sums[0];
  /* Below it the residual is exhausted: p.Ap may underflow, which is no breakdown. */
  const double nothing = pow(hb_precision_epsilon(system->precision), 4.0) * sums[0];
  cg->history[0] = sqrt(sums[0]);
  cg->iterations = 0;
  cg->end = HB_CG_COUNT;
  while (cg->iterations < cg->max_iterations) {
    if (sums[0] == 0.0 || (tolerance > 0.0 && sums[0] <= goal)) cg->end = HB_CG_CONVERGED;
    if (!isfinite(sums[0])) cg->end = HB_CG_NOT_A_NUMBER;
    if (cg->end != HB_CG_COUNT) break;
    const double rz = sums[1];
    direction_step(cg, system, alpha, beta, timers, x);
    const double p_dot_w = operator_step(cg, system, timers);
    alpha = 0.0;
    if (!(p_dot_w > 0.0) || !isfinite(p_dot_w)) {
      cg->end = isfinite(p_dot_w) ? HB_CG_INDEFINITE : HB_CG_NOT_A_NUMBER;
      if (p_dot_w == 0.0 && sums[0] <= nothing) cg->end = HB_CG_CONVERGED;
      break;
    }
    alpha = rz / p_dot_w;
    residual_step(cg, system, alpha, timers, sums);
    beta = sums[1] / rz;
    cg->alpha[cg->iterations] = alpha;
    cg->beta[cg->iterations] = beta;
    cg->history[++cg->iterations] = sqrt(sums[0]);
    if (watch != NULL)
      watch(watch_context, cg->iterations, cg->history[cg->iterations] / cg->history[0]);
  }
  if (cg->end == HB_CG_COUNT && tolerance > 0.0 && sums[0] <= goal) cg->end = HB_CG_CONVERGED;
  if (cg->end == HB_CG_COUNT && !isfinite(sums[0])) cg->end = HB_CG_NOT_A_NUMBER;
  double mark = timers != NULL ? hb_timer_now() : 0.0;
  system->ops->add_scaled(system->num_points, alpha, cg->p, x);
  count(timers, HB_PHASE_VECTOR, &mark);
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
