/* SPDX-License-Identifier: BSD-3-Clause
 * The conjugate gradient iteration in two vector passes and one operator application. */
#include "app/cg.h"

#include <float.h>
#include <math.h>

#include "app/consensus.h"

const char *hb_cg_end_name(enum hb_cg_end end) {
  static const char *const names[] = {"converged", "iteration count reached",
                                      "breakdown: p.Ap <= 0", "breakdown: not a number",
                                      "breakdown: squares below the range of numbers"};
  return names[end];
}

enum hb_status hb_cg_create(int max_iterations, struct hb_cg **cg_out) {
  enum hb_status status = HB_OK;
  struct hb_cg *cg = NULL;
  *cg_out = NULL;
  HB_ALLOC(cg, 1, "conjugate gradients");
  *cg = (struct hb_cg){.max_iterations = max_iterations};
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
  hb_free((*cg)->history);
  hb_free((*cg)->alpha);
  hb_free((*cg)->beta);
  hb_free(*cg);
  *cg = NULL;
}

void hb_cg_clear(struct hb_cg *cg) {
  cg->iterations = 0;
  for (int i = 0; i <= cg->max_iterations; i++) cg->history[i] = (double)NAN;
  for (int i = 0; i < cg->max_iterations; i++) cg->alpha[i] = cg->beta[i] = (double)NAN;
}

hb_global hb_cg_bytes(int max_iterations) { return 3 * (hb_global)sizeof(double) * max_iterations; }

void hb_cg_passes_destroy(struct hb_cg_passes **passes) {
  if (*passes == NULL) return;
  (*passes)->type->destroy(*passes);
  *passes = NULL;
}

static void reduce(struct hb_consensus *consensus, int number, double *sums,
                   struct hb_timers *timers) {
  double mark = hb_timer_mark(timers);
  hb_timer_enter(timers, HB_PHASE_REDUCTION);
  hb_consensus_sum(consensus, number, sums);
  hb_timer_count(timers, HB_PHASE_REDUCTION, &mark);
}

/* Collective.  Is the right-hand side zero in every entry?  Its square is too if it underflows. */
static bool nothing_given(const struct hb_cg_system *system) {
  double largest = 0.0;
  for (hb_local i = 0; i < system->num_owned; i++)
    largest = hb_max(largest, fabs(hb_real_at(system->precision, system->b, i)));
  hb_comm_max(system->comm, 1, &largest);
  return largest == 0.0;
}

/* Whether to go on, from |r|^2; before the first iteration also whether it can be told at all.
 * Below `nothing` no digit of r is right any more, and p.Ap may soon underflow, which makes steps
 * of any length: the end, also of a fixed count. */
static enum hb_cg_end judge(const struct hb_cg *cg, const struct hb_cg_system *system, double rr,
                            const struct hb_cg_limits *limits) {
  const double goal = limits->goal;
  if (!isfinite(rr)) return HB_CG_NOT_A_NUMBER;
  if (cg->iterations == 0 && rr == 0.0)
    return nothing_given(system) ? HB_CG_CONVERGED : HB_CG_UNDERFLOW;
  if (cg->iterations == 0 && goal > 0.0 && goal < DBL_MIN) return HB_CG_UNDERFLOW;
  return rr <= limits->nothing || (goal > 0.0 && rr <= goal) ? HB_CG_CONVERGED : HB_CG_COUNT;
}

/* Iterates; returns the alpha of the x update that is still to be done.  sums: of the start. */
static double iterate(struct hb_cg *cg, struct hb_cg_passes *passes,
                      const struct hb_cg_request *request, struct hb_consensus *consensus,
                      double sums[2]) {
  struct hb_timers *timers = request->timers;
  const double tolerance = request->tolerance;
  double alpha = 0.0, beta = 0.0;
  const struct hb_cg_limits limits = {
      .goal = tolerance * tolerance * sums[0],
      .nothing = pow(hb_precision_epsilon(passes->system.precision), 4.0) * sums[0],
      .iterations = cg->max_iterations};
  cg->history[0] = sqrt(sums[0]);
  if (passes->type->limit != NULL) passes->type->limit(passes, &limits);
  while (cg->iterations < cg->max_iterations && !consensus->parted) {
    if (!consensus->seen) cg->end = judge(cg, &passes->system, sums[0], &limits);
    if (cg->end != HB_CG_COUNT) break;
    const double rz = sums[1];
    double p_dot_w = passes->type->direction(passes, alpha, beta, timers);
    reduce(consensus, 1, &p_dot_w, timers);
    alpha = 0.0;
    if (consensus->parted) break;
    if (!consensus->seen && (!(p_dot_w > 0.0) || !isfinite(p_dot_w))) {
      cg->end = isfinite(p_dot_w) ? HB_CG_INDEFINITE : HB_CG_NOT_A_NUMBER;
      break;
    }
    alpha = rz / p_dot_w;
    passes->type->residual(passes, alpha, timers, sums);
    reduce(consensus, 2, sums, timers);
    beta = sums[1] / rz;
    cg->alpha[cg->iterations] = alpha;
    cg->beta[cg->iterations] = beta;
    cg->history[++cg->iterations] = sqrt(sums[0]);
    if (request->watch != NULL)
      request->watch(request->watch_context, cg->iterations,
                     cg->history[cg->iterations] / cg->history[0]);
  }
  if (cg->end == HB_CG_COUNT && !consensus->seen)
    cg->end = judge(cg, &passes->system, sums[0], &limits);
  return alpha;
}

enum hb_status hb_cg_solve(struct hb_cg *cg, struct hb_cg_passes *passes,
                           const struct hb_cg_request *request) {
  struct hb_timers *timers = request->timers;
  struct hb_consensus consensus = hb_consensus_begin(passes->system.comm);
  double sums[2], mark = hb_timer_mark(timers);
  cg->iterations = 0;
  cg->end = HB_CG_COUNT;
  passes->failure = HB_OK;
  passes->type->start(passes, sums);
  hb_timer_count(timers, HB_PHASE_VECTOR, &mark);
  reduce(&consensus, 2, sums, timers);
  const double alpha = iterate(cg, passes, request, &consensus, sums);
  mark = hb_timer_mark(timers);
  passes->type->finish(passes, alpha);
  hb_timer_count(timers, HB_PHASE_VECTOR, &mark);
  const enum hb_status parted = hb_consensus_end(&consensus, cg->iterations);
  return hb_comm_agree(passes->system.comm, passes->failure != HB_OK ? passes->failure : parted);
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
