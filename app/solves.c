/* SPDX-License-Identifier: BSD-3-Clause
 * The solves of a run: warm-ups, then timed ones, by count and by time. */
#include "app/solver.h"
#include "app/solver_internal.h"
#include "io/checksum.h"

/* Of the walltime, for all up to the last solve; what is left is for gates, file and report. */
static const double WALLTIME_PART = 0.75;

/* Timed solves that there is room for. */
static int capacity(const struct hb_options *options) {
  return options->min_time > 0.0 ? HB_MOST_REPEATS : options->repeats;
}

static enum hb_status solves_create(const struct hb_options *options, struct hb_solves *solves) {
  enum hb_status status = HB_OK;
  const int timed = capacity(options), total = options->warmup + timed;
  *solves = (struct hb_solves){.num_warmup = options->warmup};
  HB_ALLOC(solves->seconds, timed, "times of solves");
  HB_ALLOC(solves->rank_seconds, timed, "times of solves");
  HB_ALLOC(solves->phase_seconds, timed, "times of solves");
  HB_ALLOC(solves->other_least, timed, "times of solves");
  HB_ALLOC(solves->other_most, timed, "times of solves");
  HB_ALLOC(solves->num_passes, total, "passes of solves");
  HB_ALLOC(solves->iterations, total, "iterations of solves");
  HB_ALLOC(solves->final_residual, total, "residuals of solves");
  HB_ALLOC(solves->history, total, "residuals of solves");
done:
  return status;
}

/* Collective.  One solve between two readings of both clocks; `timed` of the timed ones, or -1. */
static enum hb_status solve_once(struct hb_solver *solver, int timed, struct hb_cg_request *request,
                                 struct hb_solves *solves) {
  struct hb_timers untimed = {.pulse = solver->timers->pulse}; /* the watchdog sees warm-ups, too */
  struct hb_timers *timers = timed >= 0 ? solver->timers : untimed.pulse != NULL ? &untimed : NULL;
  double other[4];
  request->timers = solver->op->timers = timers;
  hb_cg_clear(solver->cg);
  hb_comm_barrier(solver->plan->comm);
  const double phases = hb_timer_solves(solver->timers);
  other[0] = hb_timer_other_clock();
  const double start = hb_timer_begin(timers);
  other[1] = hb_timer_other_clock();
  const enum hb_status status = hb_cg_solve(solver->cg, solver->passes, request);
  other[2] = hb_timer_other_clock();
  double seconds = hb_timer_end(timers, HB_PHASE_REDUCTION) - start;
  other[3] = hb_timer_other_clock();
  solver->op->timers = NULL;
  if (timed < 0) {
    solver->timers->seconds[HB_PHASE_OTHER] += seconds;
    return status;
  }
  solves->rank_seconds[timed] = seconds;
  solves->phase_seconds[timed] = hb_timer_solves(timers) - phases;
  solves->other_least[timed] = other[2] - other[1];
  solves->other_most[timed] = other[3] - other[0];
  hb_comm_max(solver->plan->comm, 1, &seconds);
  solves->seconds[timed] = seconds;
  return status;
}

/* Collective.  Is another timed solve to be done?  The same on all ranks. */
static bool goes_on(const struct hb_solver *solver, struct hb_solves *solves) {
  const struct hb_options *options = solver->plan->options;
  double all = 0.0, longest = 0.0;
  for (int timed = 0; timed < solves->num_timed; timed++) {
    all += solves->seconds[timed];
    longest = hb_max(longest, solves->seconds[timed]);
  }
  solves->why = HB_SOLVES_DONE;
  if (solves->num_timed == 0) return true;
  if (solves->num_timed >= options->repeats && all >= options->min_time) return false;
  solves->why = HB_SOLVES_MOST;
  if (solves->num_timed >= capacity(options)) return false;
  if (options->walltime == 0.0) return true;
  double passed = hb_timer_now() - solver->timers->started;
  hb_comm_max(solver->plan->comm, 1, &passed);
  solves->why = HB_SOLVES_WALLTIME;
  return passed + longest < WALLTIME_PART * options->walltime;
}

/* Collective.  Solve number `solve` of the run, warm-ups among them. */
static enum hb_status solve_next(struct hb_solver *solver, int solve, struct hb_cg_request *request,
                                 struct hb_solves *solves) {
  const struct hb_cg *cg = solver->cg;
  const hb_global passes = solver->op->num_passes;
  const int timed = solve - solves->num_warmup;
  hb_pulse_iteration(solver->timers->pulse, solve + 1, 1);
  const enum hb_status status = solve_once(solver, timed, request, solves);
  if (timed >= 0) solves->num_timed++;
  solves->num_passes[solve] = solver->op->num_passes - passes;
  solves->iterations[solve] = cg->iterations;
  solves->final_residual[solve] = cg->history[cg->iterations];
  solves->history[solve] = hb_checksum(0, cg->iterations + 1, sizeof *cg->history, cg->history);
  solves->end = cg->end;
  return status;
}

enum hb_status hb_solver_run(struct hb_solver *solver, hb_cg_watch *watch, void *watch_context,
                             struct hb_solves *solves) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = solver->plan->comm;
  const struct hb_options *options = solver->plan->options;
  struct hb_cg_request request = {.tolerance =
                                      options->stop == HB_STOP_TOLERANCE ? options->tolerance : 0.0,
                                  .watch = watch,
                                  .watch_context = watch_context};
  HB_TRY(hb_comm_agree(comm, solves_create(options, solves)));
  for (int solve = 0; solve < solves->num_warmup || goes_on(solver, solves); solve++)
    HB_TRY(solve_next(solver, solve, &request, solves));
  HB_TRY(hb_comm_agree(comm, solver->passes->type->fetch_solution(solver->passes)));
  HB_TRY(hb_solver_set_dirichlet(solver));
done:
  return status;
}

const char *hb_solves_end_words(enum hb_solves_end end) {
  static const char *const words[] = {"as many as were asked for",
                                      "the most, before min_time was reached",
                                      "no more, so that the walltime is kept"};
  return words[end];
}

void hb_solves_destroy(struct hb_solves *solves) {
  hb_free(solves->seconds);
  hb_free(solves->rank_seconds);
  hb_free(solves->phase_seconds);
  hb_free(solves->other_least);
  hb_free(solves->other_most);
  hb_free(solves->num_passes);
  hb_free(solves->iterations);
  hb_free(solves->final_residual);
  hb_free(solves->history);
  *solves = (struct hb_solves){0};
}
