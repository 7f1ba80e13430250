/* SPDX-License-Identifier: BSD-3-Clause
 * Times, counts and figures of merit of the timed solves, each found a second way. */
#include "app/gate_figures.h"

#include <math.h>

#include "app/figures.h"

/* Of a time by the second clock: system clocks run alike to less than one part in a thousand. */
static const double CLOCK_FRACTION = 0.01;
/* Of a sum of phases: a few thousand additions round. */
static const double PHASE_FRACTION = 1e-6, PHASE_SECONDS = 1e-7;
static const double ROUNDING = 64.0 * 2.220446049250313e-16;

/* How far value is outside of [low, high], in units of `granted`. */
static double excess(double value, double low, double high, double granted) {
  const double outside = fmax(low - value, value - high);
  return isfinite(outside) && value >= 0.0 ? fmax(outside, 0.0) / granted : (double)INFINITY;
}

/* One timed solve on this rank. */
static double clock_difference(const struct hb_solves *solves, int timed) {
  const double seconds = solves->rank_seconds[timed], phases = solves->phase_seconds[timed];
  const double ticks = 2.0 * MPI_Wtick();
  const double by_phases =
      excess(seconds, phases, phases, PHASE_FRACTION * seconds + PHASE_SECONDS);
  const double by_clock = excess(seconds, solves->other_least[timed], solves->other_most[timed],
                                 CLOCK_FRACTION * seconds + ticks + PHASE_SECONDS);
  return fmax(by_phases, by_clock);
}

static void judge_clock(const struct hb_solver *solver, const struct hb_solves *solves,
                        struct hb_gates *gates) {
  const struct hb_comm *comm = solver->plan->comm;
  double largest = 0.0;
  for (int timed = 0; timed < solves->num_timed; timed++) {
    double slowest = solves->rank_seconds[timed];
    hb_comm_max(comm, 1, &slowest);
    if (!(slowest == solves->seconds[timed])) largest = (double)INFINITY;
    largest = hb_max(largest, clock_difference(solves, timed));
  }
  hb_comm_max(comm, 1, &largest);
  hb_gate_judge(gates, HB_GATE_CLOCK, largest, 1.0);
}

/* Where cg.c takes the residual for exhausted: there a solve may end as converged in any case. */
static double exhausted(const struct hb_solver *solver) {
  const double epsilon = hb_precision_epsilon(solver->op->precision);
  return (1.0 + ROUNDING) * epsilon * epsilon * solver->cg->history[0];
}

/* Has the residual come down to where the last solve says that it has converged? */
static bool end_is_true(const struct hb_solver *solver) {
  const struct hb_cg *cg = solver->cg;
  const struct hb_options *options = solver->plan->options;
  const double asked = options->stop == HB_STOP_TOLERANCE ? options->tolerance : 0.0;
  return cg->end != HB_CG_CONVERGED ||
         cg->history[cg->iterations] <=
             hb_max((1.0 + ROUNDING) * asked * cg->history[0], exhausted(solver));
}

/* Rows of the last solve's history that nobody has written, and passes beside its iterations. */
static void judge_counts(const struct hb_solver *solver, const struct hb_solves *solves,
                         struct hb_gates *gates) {
  const struct hb_cg *cg = solver->cg;
  const struct hb_options *options = solver->plan->options;
  const int last = solves->num_warmup + solves->num_timed - 1;
  /* A direction that breaks the iteration down was applied, but is no iteration. */
  const double more = cg->end == HB_CG_INDEFINITE || cg->end == HB_CG_NOT_A_NUMBER ? 1.0 : 0.0;
  double largest = 0.0, missing = 0.0;
  for (int solve = 0; solve <= last; solve++) {
    const double passes = (double)solves->num_passes[solve] - solves->iterations[solve];
    largest = fmax(largest, fmax(-passes, passes - more));
  }
  for (int row = 0; row <= cg->iterations; row++) missing += isfinite(cg->history[row]) ? 0.0 : 1.0;
  for (int row = cg->iterations + 1; row <= cg->max_iterations; row++)
    missing += isnan(cg->history[row]) ? 0.0 : 1.0;
  if (options->stop == HB_STOP_COUNT && cg->end == HB_CG_COUNT)
    missing += fabs((double)cg->iterations - options->iterations);
  largest = fmax(largest, missing);
  if (cg->iterations != solves->iterations[last] || !end_is_true(solver))
    largest = (double)INFINITY;
  hb_comm_max(solver->plan->comm, 1, &largest);
  hb_gate_judge(gates, HB_GATE_COUNTS, largest, 0.0);
}

/* The value with `rank` others below it, by counting. */
static double ranked(const struct hb_solves *solves, int rank) {
  for (int i = 0; i < solves->num_timed; i++) {
    int below = 0, equal = 0;
    for (int j = 0; j < solves->num_timed; j++) {
      below += solves->seconds[j] < solves->seconds[i];
      equal += solves->seconds[j] == solves->seconds[i];
    }
    if (below <= rank && rank < below + equal) return solves->seconds[i];
  }
  return (double)NAN;
}

static double relative(double value, double expected) {
  const double difference = fabs(value - expected);
  return isfinite(difference) ? difference / fabs(expected) : (double)INFINITY;
}

/* Flops that an iteration needs of E elements and their unique points. */
static double useful_flops(const struct hb_options *options, double E, double unique) {
  const double n = options->degree + 1.0, inner = n - 2.0;
  const double a_point = 12.0 * n + (options->h2 > 0.0 ? 19.0 : 17.0);
  const double surface = n * n * n - inner * inner * inner;
  return E * (a_point * n * n * n + surface) +
         (options->preconditioner == HB_JACOBI ? 12.0 : 8.0) * unique;
}

/* Largest difference of the figures from what their equations give (figures.h), of numbers that
 * come from elsewhere: the options, points that the ranks own, what the solves were counted at. */
static double figures_difference(const struct hb_solver *solver, const struct hb_solves *solves,
                                 const struct hb_bandwidth *bandwidth, double unique, double bytes,
                                 const struct hb_figures *figures) {
  const hb_global *size = solver->plan->box.elements;
  const int count = solves->num_timed, last = solves->num_warmup + count - 1;
  const double s = 0.5 * (ranked(solves, (count - 1) / 2) + ranked(solves, count / 2));
  const double iterations = solves->iterations[last];
  const double E = (double)size[0] * (double)size[1] * (double)size[2];
  const double n = solver->plan->options->degree + 1.0;
  const double useful = useful_flops(solver->plan->options, E, unique);
  const struct {
    double value, expected;
  } pairs[] = {
      {figures->iterations, iterations},
      {figures->min_seconds, ranked(solves, 0)},
      {figures->median_seconds, s},
      {figures->max_seconds, ranked(solves, count - 1)},
      {figures->seconds_per_iteration, s / iterations},
      {figures->fom_nekbone_gflops,
       E * (12.0 * n * n * n * n + 34.0 * n * n * n) * iterations / s / 1e9},
      {figures->dof_iterations_per_s, unique * iterations / s},
      {figures->points_iterations_per_s, E * n * n * n * iterations / s},
      {figures->useful_gflops, useful * iterations / s / 1e9},
      {figures->bytes_per_iteration, bytes},
      {figures->bytes_per_s, bytes * iterations / s},
      {figures->fraction_of_triad, bytes * iterations / s / bandwidth->all_triad},
      {figures->fraction_of_copy, bytes * iterations / s / bandwidth->all_copy},
  };
  double largest = 0.0;
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
    largest = fmax(largest, relative(pairs[p].value, pairs[p].expected));
  return largest;
}

/* Figures as they will be reported, but for the bandwidth, which has no other value to go by. */
static enum hb_status judge_figures(const struct hb_solver *solver, const struct hb_solves *solves,
                                    struct hb_gates *gates) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = solver->plan->comm;
  const struct hb_bandwidth bandwidth = {
      .copy_bytes_per_s = 2e9, .triad_bytes_per_s = 3e9, .all_copy = 2e9, .all_triad = 3e9};
  struct hb_figures figures;
  double largest = 0.0;
  status = hb_figures_compute(solver, solves, &bandwidth, &figures);
  HB_TRY(status);
  const double unique = (double)hb_comm_sum_global(comm, solver->mesh->numbering->num_owned);
  double bytes = figures.traffic.entries.total;
  hb_comm_sum(comm, 1, &bytes);
  if (solver->cg->iterations > 0)
    largest = figures_difference(solver, solves, &bandwidth, unique, bytes, &figures);
  hb_comm_max(comm, 1, &largest);
  hb_gate_judge(gates, HB_GATE_FIGURES, largest, ROUNDING);
done:
  hb_figures_destroy(&figures);
  return status;
}

enum hb_status hb_gate_figures(const struct hb_solver *solver, const struct hb_solves *solves,
                               struct hb_gates *gates) {
  judge_clock(solver, solves, gates);
  judge_counts(solver, solves, gates);
  return judge_figures(solver, solves, gates);
}
