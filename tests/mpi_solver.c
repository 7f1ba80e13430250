/* SPDX-License-Identifier: BSD-3-Clause
 * Whole solves: the same on any number of ranks, the same every time, and all gates pass. */
#include <float.h>
#include <string.h>

#include "app/gates.h"
#include "tests/mesh_cases.h"
#include "tests/solver_case.h"

enum { REPEATS = 20, FIRST = 20 }; /* FIRST: iterations that rounding alone tells apart */

/* One solve after the other on some communicator. */
struct bench {
  struct hb_options options;
  struct hb_timers timers;
  struct hb_plan *plan;
  struct hb_solver *solver;
  struct hb_solves solves;
};

static struct hb_options options_of(int combination) {
  struct hb_options options;
  hb_options_defaults(&options);
  options.backend = HB_BACKEND_ONLY_HOST;
  options.degree = 4;
  options.nx = 5;
  options.ny = options.nz = 3;
  options.lx = 1.4;
  options.ly = 0.8;
  options.warmup = 0;
  options.repeats = 1;
  options.h1 = 0.7;
  options.h2 = 1.9;
  options.amplitude = 0.03;
  options.epsilon_y = 0.7;
  options.epsilon_z = 0.8;
  mesh_case_boundaries(combination, options.boundary);
  return options;
}

/* Collective. */
static void bench_create(struct hb_check *check, const struct hb_comm *comm,
                         const struct hb_options *options, struct bench *bench) {
  *bench = (struct bench){.options = *options};
  CHECK_OK(check,
           solver_case_create(comm, &bench->options, &bench->timers, &bench->plan, &bench->solver));
  CHECK_OK(check, hb_solver_run(bench->solver, NULL, NULL, &bench->solves));
}

static void bench_destroy(struct bench *bench) {
  hb_solves_destroy(&bench->solves);
  solver_case_destroy(&bench->plan, &bench->solver);
}

static void check_gates(struct hb_check *check, struct bench *bench) {
  const struct hb_comm *comm = bench->plan->comm;
  struct hb_gates gates;
  CHECK_OK(check, hb_gates_run(bench->solver, &bench->solves, &gates));
  CHECK(check, gates.verdict == HB_GATE_PASSES);
  for (int gate = 0; gate < HB_NUM_GATES; gate++) {
    if (gate == HB_GATE_MAXIMUM && gates.gate[gate].covered_by != NULL)
      continue; /* f32: too wide */
    CHECK(check, gates.gate[gate].verdict == HB_GATE_PASSES);
    if (gates.gate[gate].verdict != HB_GATE_PASSES && comm->rank == 0)
      printf("gate %s: %g, bound %g\n", gates.gate[gate].name, gates.gate[gate].observed,
             gates.gate[gate].bound);
  }
  CHECK(check, gates.smallest_eigenvalue > 0.0);
  CHECK(check, gates.largest_eigenvalue >= gates.smallest_eigenvalue);
  CHECK(check, gates.rms_error < gates.max_error && gates.max_error < 0.5 * gates.rms_solution);
}

/* What the solve of one rank alone leaves, known to all. */
struct result {
  int iterations;
  double history[FIRST + 1];
  double *x; /* owned [global point] */
};

/* Collective.  Rank 0 solves, the others wait. */
static void solve_alone(struct hb_check *check, const struct bench *bench,
                        const struct hb_comm *self, struct result *result) {
  const struct hb_comm *comm = bench->plan->comm;
  const hb_global points = hb_box_num_points(&bench->solver->mesh->box);
  result->x = hb_allocate(points, sizeof *result->x, "solution alone");
  if (comm->rank == 0) {
    struct bench alone;
    bench_create(check, self, &bench->options, &alone);
    const struct hb_cg *cg = alone.solver->cg;
    const hb_local *lattice = alone.solver->mesh->numbering->lattice;
    CHECK(check, cg->iterations > FIRST);
    result->iterations = cg->iterations;
    memcpy(result->history, cg->history, sizeof result->history);
    for (hb_global id = 0; id < points; id++) /* alone, the lattice is in the order of ids */
      result->x[id] = hb_real_at(bench->options.precision, alone.solver->x, lattice[id]);
    bench_destroy(&alone);
  }
  MPI_Bcast(&result->iterations, 1, MPI_INT, 0, comm->mpi);
  MPI_Bcast(result->history, FIRST + 1, MPI_DOUBLE, 0, comm->mpi);
  MPI_Bcast(result->x, (int)points, MPI_DOUBLE, 0, comm->mpi);
}

/* Collective.  The run on these ranks against the same on one rank. */
static void check_alone(struct hb_check *check, const struct bench *bench,
                        const struct hb_comm *self) {
  const struct hb_cg *cg = bench->solver->cg;
  const enum hb_precision precision = bench->options.precision;
  const double epsilon = hb_precision_epsilon(precision);
  const hb_global points = hb_box_num_points(&bench->solver->mesh->box);
  hb_global *ids = mesh_global_ids(bench->solver->mesh);
  struct result alone = {0};
  double largest = 0.0;
  solve_alone(check, bench, self, &alone);
  /* Rounding differs from the first sum on.  The first iterations differ by that alone, 10 to 100
   * epsilons; later the directions lose their orthogonality, each run in its own way. */
  CHECK(check, cg->iterations > FIRST && abs(alone.iterations - cg->iterations) <= 2);
  for (int i = 0; i <= FIRST; i++)
    CHECK_NEAR(check, cg->history[i], alone.history[i], 1000.0 * epsilon * alone.history[i]);
  for (hb_global id = 0; id < points; id++) largest = fmax(largest, fabs(alone.x[id]));
  /* Both have the residual asked for; the error may be larger by the condition of D^-1 A. */
  for (hb_local s = 0; s < bench->solver->mesh->numbering->num_points; s++)
    CHECK_NEAR(check, hb_real_at(precision, bench->solver->x, s), alone.x[ids[s]],
               100.0 * bench->options.tolerance * largest);
  hb_free(ids);
  hb_free(alone.x);
}

/* Every boundary combination; coefficients, map, precision and preconditioner take turns. */
static void check_combination(struct hb_check *check, const struct hb_comm *comm,
                              const struct hb_comm *self, int combination) {
  struct hb_options options = options_of(combination);
  struct bench bench;
  if (combination % 2 == 1) options.h1_variation = 0.6, options.h2_variation = 0.5;
  options.deformation = (enum hb_deformation)(combination / 2 % 3);
  if (options.deformation == HB_KERSHAW && options.boundary[0] == HB_PERIODIC)
    options.deformation = HB_SMOOTH;
  options.preconditioner = combination % 5 < 2 ? HB_PLAIN : HB_JACOBI;
  if (combination % 4 == 3) {
    options.precision = HB_F32;
    options.tolerance = 1e-4;
  }
  if (combination % 3 == 0) options.h2 = 0.0; /* x is Dirichlet */
  bench_create(check, comm, &options, &bench);
  CHECK_EQUAL(check, bench.solves.end, HB_CG_CONVERGED);
  if (combination % 2 == 0 || combination % 3 == 1) check_alone(check, &bench, self);
  check_gates(check, &bench);
  bench_destroy(&bench);
}

/* Twenty solves in a run, and another run: bitwise the same history. */
static void check_repeats(struct hb_check *check, const struct hb_comm *comm,
                          enum hb_precision precision) {
  struct hb_options options = options_of(7);
  struct bench bench;
  double *history = NULL;
  options.precision = precision;
  options.stop = HB_STOP_COUNT;
  options.iterations = 30;
  options.warmup = 0;
  options.h1_variation = 0.5;
  for (int run = 0; run < 2; run++) {
    options.repeats = 1;
    bench_create(check, comm, &options, &bench);
    const struct hb_cg *cg = bench.solver->cg;
    const size_t bytes = 31 * sizeof *history;
    CHECK_EQUAL(check, cg->iterations, 30);
    if (run == 0) history = hb_allocate(31, sizeof *history, "history");
    if (run == 0) memcpy(history, cg->history, bytes);
    for (int repeat = 0; repeat < (run == 0 ? REPEATS : 1); repeat++) {
      CHECK(check, memcmp(history, cg->history, bytes) == 0);
      hb_solves_destroy(&bench.solves);
      CHECK_OK(check, hb_solver_run(bench.solver, NULL, NULL, &bench.solves));
    }
    bench_destroy(&bench);
  }
  hb_free(history);
}

/* What a run says about itself: counts, times, the residual it ended with. */
static void check_solves(struct hb_check *check, const struct hb_comm *comm) {
  struct hb_options options = options_of(0);
  struct bench bench;
  options.warmup = 2;
  options.repeats = 3;
  bench_create(check, comm, &options, &bench);
  CHECK(check, bench.solves.num_warmup == 2 && bench.solves.num_timed == 3);
  for (int solve = 0; solve < 5; solve++) {
    CHECK_EQUAL(check, bench.solves.iterations[solve], bench.solver->cg->iterations);
    CHECK(check, bench.solves.final_residual[solve] ==
                     bench.solver->cg->history[bench.solver->cg->iterations]);
  }
  for (int timed = 0; timed < 3; timed++) {
    CHECK(check, bench.solves.rank_seconds[timed] > 0.0);
    CHECK(check, bench.solves.seconds[timed] >= bench.solves.rank_seconds[timed]);
  }
  CHECK(check, bench.timers.seconds[HB_PHASE_OPERATOR] > 0.0);
  CHECK_NEAR(check, bench.solver->volume, 1.4 * 0.8, 64.0 * DBL_EPSILON * 5.0);
  check_gates(check, &bench);
  bench_destroy(&bench);
}

/* Per rank sizes; refusals reach all ranks with the same words. */
static void check_plan(struct hb_check *check, const struct hb_comm *comm) {
  struct hb_options options = options_of(13);
  struct hb_timers timers = {.started = 0.0};
  struct hb_plan *plan = NULL;
  struct hb_solver *solver = NULL;
  options.size_is = HB_SIZE_PER_RANK;
  options.nx = 1;
  options.ny = options.nz = 2;
  CHECK_OK(check, solver_case_create(comm, &options, &timers, &plan, &solver));
  CHECK_EQUAL(check, solver->mesh->partition.num_elements, 4);
  CHECK_EQUAL(check, hb_box_num_elements(&solver->mesh->box), 4 * comm->size);
  solver_case_destroy(&plan, &solver);
  options.h2 = 0.0;
  CHECK_FAILS(check, solver_case_create(comm, &options, &timers, &plan, &solver), HB_BAD_INPUT,
              "singular");
  CHECK(check, plan == NULL && solver == NULL);
  options.h2 = 1.0;
  snprintf(options.kernel, sizeof options.kernel, "fastest");
  CHECK_FAILS(check, solver_case_create(comm, &options, &timers, &plan, &solver), HB_BAD_INPUT,
              "kernel = fastest");
  options = options_of(13);
  options.nx = options.ny = options.nz = 1;
  if (comm->size > 1)
    CHECK_FAILS(check, solver_case_create(comm, &options, &timers, &plan, &solver), HB_BAD_INPUT,
                "at most one rank an element");
  options = options_of(13);
  options.deformation = HB_KERSHAW;
  options.degree = 2;
  options.epsilon_y = options.epsilon_z = 0.01;
  CHECK_FAILS(check, solver_case_create(comm, &options, &timers, &plan, &solver), HB_BAD_INPUT,
              "deformation = kershaw inverts element (");
  CHECK(check, plan == NULL && solver == NULL);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL, *self = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  CHECK_OK(&check, hb_comm_create(MPI_COMM_SELF, &self));
  for (int combination = 0; combination < NUM_BOUNDARY_CASES; combination++)
    check_combination(&check, comm, self, combination);
  check_repeats(&check, comm, HB_F64);
  check_repeats(&check, comm, HB_F32);
  check_solves(&check, comm);
  check_plan(&check, comm);
  hb_comm_destroy(&self);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
