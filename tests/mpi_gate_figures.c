/* SPDX-License-Identifier: BSD-3-Clause
 * The gates clock, counts and figures pass right solves, and each fails on faults planted for it.
 */
#include <math.h>
#include <string.h>

#include "app/gate_figures.h"
#include "tests/mesh_cases.h"
#include "tests/solver_case.h"

enum { REPEATS = 3 };

/* A solve whose gates pass; faults are planted into what is known of it. */
struct bench {
  struct hb_options options;
  struct hb_timers timers;
  struct hb_plan *plan;
  struct hb_solver *solver;
  struct hb_solves solves;
};

static const enum hb_gate_name JUDGED[] = {HB_GATE_CLOCK, HB_GATE_COUNTS, HB_GATE_FIGURES};

/* Collective. */
static void bench_create(struct hb_check *check, const struct hb_comm *comm, enum hb_stop stop,
                         struct bench *bench) {
  memset(bench, 0, sizeof *bench);
  struct hb_options *options = &bench->options;
  hb_options_defaults(options);
  options->backend = HB_BACKEND_ONLY_HOST;
  options->degree = 3;
  options->nx = 8;
  options->ny = options->nz = 2;
  options->stop = stop;
  options->iterations = stop == HB_STOP_COUNT ? 7 : 1000;
  options->repeats = REPEATS;
  CHECK_OK(check, solver_case_create(comm, options, &bench->timers, &bench->plan, &bench->solver));
  CHECK_OK(check, hb_solver_run(bench->solver, NULL, NULL, &bench->solves));
}

static void bench_destroy(struct bench *bench) {
  hb_solves_destroy(&bench->solves);
  solver_case_destroy(&bench->plan, &bench->solver);
}

/* Collective.  Of the three gates `expected` alone fails, or none. */
static void judge(struct hb_check *check, struct bench *bench, enum hb_gate_name expected) {
  struct hb_gates gates = {.verdict = HB_GATE_FAILS};
  CHECK_OK(check, hb_gate_figures(bench->solver, &bench->solves, &gates));
  for (size_t g = 0; g < sizeof JUDGED / sizeof *JUDGED; g++) {
    const struct hb_gate *gate = &gates.gate[JUDGED[g]];
    const bool right = (gate->verdict == HB_GATE_FAILS) == (JUDGED[g] == expected);
    CHECK(check, right);
    if (!right) printf("gate %s: %g, bound %g\n", gate->name, gate->observed, gate->bound);
  }
}

/* A value changed on one rank, judged, and put back. */
static void plant(struct hb_check *check, struct bench *bench, int rank, double *value,
                  double planted, enum hb_gate_name expected) {
  const double kept = *value;
  if (bench->plan->comm->rank == rank) *value = planted;
  judge(check, bench, expected);
  *value = kept;
}

static void check_clock(struct hb_check *check, struct bench *bench) {
  struct hb_solves *solves = &bench->solves;
  const int last = bench->plan->comm->size - 1;
  const double seconds = solves->rank_seconds[1], phases = solves->phase_seconds[1];
  plant(check, bench, last, &solves->rank_seconds[1], 0.5 * seconds, HB_GATE_CLOCK);
  plant(check, bench, 0, &solves->rank_seconds[1], 1.01 * seconds, HB_GATE_CLOCK);
  plant(check, bench, 0, &solves->rank_seconds[0], (double)NAN, HB_GATE_CLOCK);
  plant(check, bench, last, &solves->phase_seconds[1], 0.99 * phases, HB_GATE_CLOCK);
  plant(check, bench, 0, &solves->phase_seconds[1], (double)NAN, HB_GATE_CLOCK);
  plant(check, bench, last, &solves->other_most[2], 0.5 * solves->rank_seconds[2] - 1e-3,
        HB_GATE_CLOCK);
  plant(check, bench, last, &solves->other_least[2], 2.0 * solves->rank_seconds[2] + 1e-3,
        HB_GATE_CLOCK);
  /* Both a rank's time and its phases: the second clock alone knows better. */
  const double kept = solves->rank_seconds[1];
  if (bench->plan->comm->rank == last) solves->rank_seconds[1] *= 0.5;
  plant(check, bench, last, &solves->phase_seconds[1], 0.5 * phases, HB_GATE_CLOCK);
  solves->rank_seconds[1] = kept;
}

/* The largest over ranks is what is reported; planted on all ranks alike. */
static void check_slowest(struct hb_check *check, struct bench *bench) {
  double *seconds = bench->solves.seconds;
  const double kept = seconds[0];
  seconds[0] *= 0.9;
  judge(check, bench, HB_GATE_CLOCK);
  seconds[0] = kept;
}

static void check_counts(struct hb_check *check, struct bench *bench) {
  struct hb_solves *solves = &bench->solves;
  struct hb_cg *cg = bench->solver->cg;
  plant(check, bench, 0, &cg->history[3], (double)NAN, HB_GATE_COUNTS);
  plant(check, bench, 0, &cg->history[cg->iterations], (double)NAN, HB_GATE_COUNTS);
  if (cg->iterations < cg->max_iterations)
    plant(check, bench, 0, &cg->history[cg->iterations + 1], 1.0, HB_GATE_COUNTS);
  for (int solve = 0; solve < 1 + REPEATS; solve++) {
    const hb_global passes = solves->num_passes[solve];
    for (int wrong = -1; wrong <= 1; wrong += 2) {
      solves->num_passes[solve] = passes + wrong;
      judge(check, bench, HB_GATE_COUNTS);
    }
    solves->num_passes[solve] = passes;
  }
}

/* A count that was not reached, or a tolerance that was not. */
static void check_end(struct hb_check *check, struct bench *bench) {
  const struct hb_options kept = bench->options;
  const enum hb_cg_end end = bench->solver->cg->end;
  bench->options.iterations++;
  if (kept.stop == HB_STOP_COUNT) judge(check, bench, HB_GATE_COUNTS);
  bench->options = kept;
  bench->options.tolerance *= 0.01;
  bench->solver->cg->end = HB_CG_CONVERGED;
  judge(check, bench, HB_GATE_COUNTS);
  bench->solver->cg->end = end;
  bench->options = kept;
}

/* Figures of other points than the ranks own, and of another box than was asked for. */
static void check_figures(struct hb_check *check, struct bench *bench) {
  struct hb_numbering *numbering = bench->solver->mesh->numbering;
  hb_global *elements = bench->solver->mesh->box.elements;
  numbering->num_owned++;
  judge(check, bench, HB_GATE_FIGURES);
  numbering->num_owned--;
  elements[1]++;
  judge(check, bench, HB_GATE_FIGURES);
  elements[1]--;
}

/* Passes and rows of a solve are its own: the next one counts anew. */
static void check_again(struct hb_check *check, struct bench *bench) {
  hb_solves_destroy(&bench->solves);
  CHECK_OK(check, hb_solver_run(bench->solver, NULL, NULL, &bench->solves));
  judge(check, bench, HB_NUM_GATES);
  CHECK(check, hb_timer_solves(&bench->timers) > 0.0);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  for (int stop = HB_STOP_TOLERANCE; stop <= HB_STOP_COUNT; stop++) {
    struct bench bench;
    bench_create(&check, comm, (enum hb_stop)stop, &bench);
    judge(&check, &bench, HB_NUM_GATES);
    check_clock(&check, &bench);
    check_slowest(&check, &bench);
    check_counts(&check, &bench);
    check_end(&check, &bench);
    check_figures(&check, &bench);
    check_again(&check, &bench);
    bench_destroy(&bench);
  }
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
