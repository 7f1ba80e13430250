/* SPDX-License-Identifier: BSD-3-Clause
 * Whole solves on a device: those of the host to rounding, the same every time, all gates pass;
 * what breaks down or fails on one rank ends on all. */
#include <string.h>

#include "app/cg_device.h"
#include "app/gates.h"
#include "tests/mesh_device.h"
#include "tests/solver_case.h"

enum {
  COUNT = 25,
  FIRST = 15
}; /* iterations of solves without tolerance; told apart by rounding */

/* A solver and its last run. */
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
  options.degree = 3;
  options.nx = 4;
  options.ny = 3;
  options.nz = 2;
  options.lx = 1.4;
  options.ly = 0.8;
  options.h1 = 0.7;
  options.h2 = 1.9;
  options.amplitude = 0.03;
  options.epsilon_y = 0.7;
  options.epsilon_z = 0.8;
  options.iterations = 300; /* a wrong solve ends soon */
  options.warmup = 0;
  options.repeats = 1;
  options.gpu_aware = HB_GPU_AWARE_OFF;
  options.autotune = false;
  options.oversubscribe = true;
  mesh_case_boundaries(combination, options.boundary);
  return options;
}

/* Collective.  On the GPU, which the plan opens; or the plain operator on the host. */
static bool bench_create(struct hb_check *check, const struct hb_comm *comm, bool on_gpu,
                         const struct hb_options *options, struct bench *bench) {
  *bench = (struct bench){.options = *options};
  bench->options.backend = on_gpu ? HB_BACKEND_ONLY_GPU : HB_BACKEND_ONLY_HOST;
  if (!on_gpu) snprintf(bench->options.kernel, sizeof bench->options.kernel, "reference");
  CHECK_OK(check,
           solver_case_create(comm, &bench->options, &bench->timers, &bench->plan, &bench->solver));
  if (bench->solver == NULL) return false;
  CHECK_EQUAL(check, hb_backend_on_gpu(bench->plan->backend), on_gpu);
  return true;
}

static void bench_destroy(struct bench *bench) {
  hb_solves_destroy(&bench->solves);
  solver_case_destroy(&bench->plan, &bench->solver);
}

static enum hb_status run(struct bench *bench) {
  hb_solves_destroy(&bench->solves);
  return hb_solver_run(bench->solver, NULL, NULL, &bench->solves);
}

static void check_gates(struct hb_check *check, struct bench *bench) {
  struct hb_gates gates;
  CHECK_OK(check, hb_gates_run(bench->solver, &bench->solves, &gates));
  CHECK(check, gates.verdict == HB_GATE_PASSES);
  for (int gate = 0; gate < HB_NUM_GATES; gate++)
    if (gates.gate[gate].verdict != HB_GATE_PASSES && bench->plan->comm->rank == 0)
      printf("gate %s: %g, bound %g\n", gates.gate[gate].name, gates.gate[gate].observed,
             gates.gate[gate].bound);
}

/* The largest relative difference of residuals up to an iteration. */
static double difference_up_to(const struct hb_cg *cg, const struct hb_cg *expected, int last) {
  double largest = 0.0;
  for (int i = 0; i <= last; i++) {
    const double relative = fabs(cg->history[i] / expected->history[i] - 1.0);
    if (!(relative <= largest)) largest = relative;
  }
  return largest;
}

/* Both sides start from right-hand sides that differ by the rounding of the lifting, and every sum
 * rounds in its own way: 2 to 60 epsilons in the first iterations, 900 on the worst map, whose
 * condition takes part.  Later the directions lose their orthogonality and the histories part, by
 * any factor of 1e-16 to 0.2; those that have not parted end together. */
static void compare(struct hb_check *check, const struct bench *bench, const struct bench *host) {
  const struct hb_cg *cg = bench->solver->cg, *expected = host->solver->cg;
  const enum hb_precision precision = bench->options.precision;
  const double epsilon = hb_precision_epsilon(precision);
  const hb_local points = bench->solver->mesh->numbering->num_points;
  const int common = cg->iterations < expected->iterations ? cg->iterations : expected->iterations;
  const double later = difference_up_to(cg, expected, common);
  const bool counted = bench->options.stop == HB_STOP_COUNT;
  double largest = 0.0;
  CHECK(check, common > FIRST);
  CHECK_NEAR(check, difference_up_to(cg, expected, FIRST), 0.0, 2000.0 * epsilon);
  CHECK(check, later < 0.5);
  CHECK(check, abs(cg->iterations - expected->iterations) <= (later < 1e-3 ? 0 : 2));
  CHECK_EQUAL(check, cg->end, counted ? HB_CG_COUNT : HB_CG_CONVERGED);
  CHECK_EQUAL(check, expected->end, cg->end);
  CHECK_EQUAL(check, points, host->solver->mesh->numbering->num_points);
  CHECK_NEAR(check, bench->solver->volume, host->solver->volume, 1e-12 * host->solver->volume);
  for (hb_local s = 0; s < points; s++)
    largest = fmax(largest, fabs(hb_real_at(precision, host->solver->x, s)));
  /* Iterates of the same history; or two that have the residual asked for, whose errors are larger
   * by the condition of D^-1 A. */
  const double bound = (counted ? 2000.0 * epsilon : 10.0 * bench->options.tolerance) * largest;
  for (hb_local s = 0; s < points; s++)
    CHECK_NEAR(check, hb_real_at(precision, bench->solver->x, s),
               hb_real_at(precision, host->solver->x, s), bound);
}

/* Where device memory is host memory, on the interpreter, every MPI takes it; elsewhere the library
 * is asked. */
static enum hb_gpu_aware if_possible(void) {
  return getenv("ISARUN_ARCH") != NULL ? HB_GPU_AWARE_ON : HB_GPU_AWARE_AUTO;
}

/* Boundaries, coefficients, map, precision, preconditioner, way to stop, variant and exchange take
 * turns. */
static void check_combination(struct hb_check *check, const struct hb_comm *comm, int combination) {
  struct hb_options options = options_of(combination);
  struct bench bench, host;
  if (combination % 2 == 1) options.h1_variation = 0.6, options.h2_variation = 0.5;
  options.deformation = (enum hb_deformation)(combination / 2 % 3);
  if (options.deformation == HB_KERSHAW && options.boundary[0] == HB_PERIODIC)
    options.deformation = HB_SMOOTH;
  options.preconditioner = combination % 5 < 2 ? HB_PLAIN : HB_JACOBI;
  if (combination % 4 == 3) {
    options.precision = HB_F32;
    options.tolerance = 1e-4;
  }
  if (combination % 7 == 1) options.stop = HB_STOP_COUNT, options.iterations = COUNT;
  if (combination % 3 == 0) options.h2 = 0.0; /* x is Dirichlet */
  if (combination % 4 >= 2) options.gpu_aware = if_possible();
  if (!bench_create(check, comm, false, &options, &host)) return;
  snprintf(options.kernel, sizeof options.kernel, "%s", combination % 3 == 1 ? "1d" : "kstep");
  if (!bench_create(check, comm, true, &options, &bench)) return;
  if (options.gpu_aware == HB_GPU_AWARE_ON)
    CHECK_EQUAL(check, bench.plan->backend->gpu_aware, comm->size > 1);
  CHECK_OK(check, run(&host));
  CHECK_OK(check, run(&bench));
  compare(check, &bench, &host);
  check_gates(check, &bench);
  bench_destroy(&bench);
  bench_destroy(&host);
}

/* ---- a preconditioner that does not fuse ----------------------------------------------------- */

/* Jacobi's, whose diagonal the passes may not see. */
struct hidden {
  struct hb_preconditioner preconditioner;
  struct hb_preconditioner *jacobi; /* borrowed */
  int calls, failing_call;          /* the call that fails on the last rank; 0: none */
  const struct hb_comm *comm;       /* borrowed */
};

static enum hb_status apply_hidden(struct hb_preconditioner *preconditioner, const void *r,
                                   void *z) {
  struct hidden *hidden = (struct hidden *)preconditioner;
  const enum hb_status status = hidden->jacobi->type->apply(hidden->jacobi, r, z);
  if (++hidden->calls != hidden->failing_call || hidden->comm->rank < hidden->comm->size - 1)
    return status;
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__, "planted failure");
}

/* Fused or applied, on the device or on the host: the same iterations; every sum and update rounds
 * in its own way. */
static void check_unfused(struct hb_check *check, const struct hb_comm *comm, bool on_gpu,
                          enum hb_precision precision) {
  static const struct hb_preconditioner_type type = {.apply = apply_hidden};
  struct hb_options options = options_of(7); /* neumann, periodic, dirichlet */
  struct hb_cg_passes *passes = NULL;
  struct bench bench;
  options.precision = precision;
  options.tolerance = precision == HB_F64 ? 1e-9 : 1e-4;
  options.h1_variation = 0.5;
  if (!bench_create(check, comm, on_gpu, &options, &bench)) return;
  CHECK_OK(check, run(&bench));
  struct hb_cg *cg = bench.solver->cg;
  struct hidden hidden = {
      .preconditioner = {.type = &type}, .jacobi = bench.solver->preconditioner, .comm = comm};
  struct hb_cg_system system = hb_solver_system(bench.solver);
  system.preconditioner = &hidden.preconditioner;
  const int iterations = cg->iterations;
  const double epsilon = hb_precision_epsilon(precision);
  const struct hb_cg_request request = {.tolerance = options.tolerance};
  double *history = hb_allocate(iterations + 1, sizeof *history, "history");
  memcpy(history, cg->history, (size_t)(iterations + 1) * sizeof *history);
  CHECK_OK(check, hb_operator_create_passes(bench.solver->op, &system, &passes));
  CHECK_OK(check, hb_cg_solve(cg, passes, &request));
  CHECK_EQUAL(check, cg->end, HB_CG_CONVERGED);
  CHECK(check, iterations > 10 && abs(cg->iterations - iterations) <= 1);
  CHECK_EQUAL(check, hidden.calls, cg->iterations + 1);
  for (int i = 0; i <= FIRST && i <= iterations; i++)
    CHECK_NEAR(check, cg->history[i], history[i], 2000.0 * epsilon * history[i]);
  CHECK_OK(check, passes->type->fetch_solution(passes));
  /* A failure on one rank ends all; then the solve is as before. */
  const double last = cg->history[cg->iterations];
  hidden.calls = 0;
  hidden.failing_call = 5;
  CHECK_FAILS(check, hb_cg_solve(cg, passes, &request), HB_MACHINE_FAILED, "planted failure");
  CHECK_EQUAL(check, cg->end, HB_CG_NOT_A_NUMBER);
  CHECK_EQUAL(check, cg->iterations, 4);
  hidden.failing_call = 0;
  CHECK_OK(check, hb_cg_solve(cg, passes, &request));
  CHECK(check, cg->history[cg->iterations] == last);
  hb_cg_passes_destroy(&passes);
  hb_free(history);
  bench_destroy(&bench);
}

/* ---- the same every time --------------------------------------------------------------------- */

/* A history that others have to be bitwise. */
struct history {
  int iterations;
  double residual[COUNT + 1];
};

static void keep(const struct bench *bench, struct history *history) {
  const struct hb_cg *cg = bench->solver->cg;
  history->iterations = cg->iterations;
  memcpy(history->residual, cg->history, (size_t)(cg->iterations + 1) * sizeof(double));
}

static bool same(const struct bench *bench, const struct history *history) {
  const struct hb_cg *cg = bench->solver->cg;
  const size_t bytes = (size_t)(cg->iterations + 1) * sizeof(double);
  return cg->iterations == history->iterations &&
         memcmp(history->residual, cg->history, bytes) == 0;
}

static struct hb_options counted_options(void) {
  struct hb_options options = options_of(7); /* neumann, periodic, dirichlet */
  options.stop = HB_STOP_COUNT;
  options.iterations = COUNT;
  options.h1_variation = 0.5;
  return options;
}

/* Solves of a run, of another solver, and with the other exchange. */
static void check_repeats(struct hb_check *check, const struct hb_comm *comm,
                          enum hb_precision precision) {
  struct hb_options options = counted_options();
  struct history history;
  struct bench bench;
  options.precision = precision;
  options.warmup = options.repeats = 2;
  for (int solver = 0; solver < 3; solver++) {
    options.gpu_aware = solver == 2 ? if_possible() : HB_GPU_AWARE_OFF;
    options.graphs = solver == 1 ? HB_GRAPHS_OFF : HB_GRAPHS_AUTO;
    if (!bench_create(check, comm, true, &options, &bench)) return;
    const struct hb_cg_ahead *ahead = hb_cg_device(bench.solver->passes)->ahead;
    CHECK_EQUAL(check, ahead != NULL, comm->size == 1);
    CHECK_EQUAL(check, ahead != NULL && ahead->graph != NULL, comm->size == 1 && solver != 1);
    CHECK_OK(check, run(&bench));
    if (solver == 0) keep(&bench, &history);
    CHECK(check, same(&bench, &history));
    for (int solve = 0; solve < 4; solve++) {
      CHECK(check, bench.solves.final_residual[solve] == history.residual[COUNT]);
      CHECK_EQUAL(check, bench.solves.num_passes[solve], COUNT);
    }
    CHECK(check, bench.timers.seconds[HB_PHASE_OPERATOR] > 0.0);
    bench_destroy(&bench);
  }
}

/* A solve that ends by its tolerance: launched as graphs and kernel by kernel it ends at the same
 * iteration, with the same history and solution, wherever that lies in a graph. */
static void check_graphs(struct hb_check *check, const struct hb_comm *comm) {
  struct hb_options options = options_of(0);
  struct bench graph, kernels;
  for (int end = 0; end < 2 * HB_AHEAD_ITERATIONS; end++) {
    options.tolerance = 1e-3 * pow(0.4, end);
    options.graphs = HB_GRAPHS_AUTO;
    if (!bench_create(check, comm, true, &options, &graph)) return;
    options.graphs = HB_GRAPHS_OFF;
    if (!bench_create(check, comm, true, &options, &kernels)) return;
    for (int repeat = 0; repeat < 2; repeat++) {
      CHECK_OK(check, run(&graph));
      CHECK_OK(check, run(&kernels));
      const struct hb_cg *cg = graph.solver->cg, *expected = kernels.solver->cg;
      CHECK_EQUAL(check, cg->end, HB_CG_CONVERGED);
      CHECK_EQUAL(check, expected->end, HB_CG_CONVERGED);
      CHECK_EQUAL(check, cg->iterations, expected->iterations);
      CHECK_EQUAL(check, graph.solves.num_passes[0], cg->iterations);
      for (int i = 0; i <= cg->iterations; i++)
        CHECK(check, cg->history[i] == expected->history[i]);
      CHECK(check, cg->history[cg->iterations] <= options.tolerance * cg->history[0]);
      CHECK(check, cg->history[cg->iterations - 1] > options.tolerance * cg->history[0]);
      CHECK(check, memcmp(graph.solver->x, kernels.solver->x,
                          (size_t)hb_operator_vector_bytes(graph.solver->op)) == 0);
    }
    /* p.Ap summed by a kernel of its own, as that of large problems: by rounding the same. */
    hb_cg_device(kernels.solver->passes)->ahead->most_partials = 0;
    CHECK_OK(check, run(&kernels));
    CHECK_NEAR(check, difference_up_to(kernels.solver->cg, graph.solver->cg, 3), 0.0, 1e-11);
    CHECK_EQUAL(check, kernels.solver->cg->end, HB_CG_CONVERGED);
    bench_destroy(&graph);
    bench_destroy(&kernels);
  }
}

/* Solution and residual of the solve, after the gates as before them. */
static void check_fetch(struct hb_check *check, struct bench *bench) {
  const struct hb_solver *solver = bench->solver;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const struct hb_cg *cg = solver->cg;
  const size_t bytes = (size_t)hb_operator_vector_bytes(solver->op);
  char *x = hb_allocate((hb_global)bytes, 3, "copies"), *r = x + bytes, *again = r + bytes;
  memcpy(x, solver->x, bytes);
  CHECK_OK(check, solver->passes->type->fetch_residual(solver->passes, r));
  check_gates(check, bench);
  CHECK(check, memcmp(x, solver->x, bytes) == 0);
  CHECK_OK(check, solver->passes->type->fetch_residual(solver->passes, again));
  CHECK(check, memcmp(r, again, bytes) == 0);
  /* As CG has it, the solution is zero on Dirichlet faces. */
  CHECK_OK(check, solver->passes->type->fetch_solution(solver->passes));
  CHECK(check, numbering->num_masked == 0 || memcmp(x, solver->x, bytes) != 0);
  hb_solver_interior(solver, again);
  CHECK(check, memcmp(again, solver->x, bytes) == 0);
  double sum = solver->op->ops->dot(numbering->num_owned, r, r);
  hb_comm_sum(bench->plan->comm, 1, &sum);
  CHECK_NEAR(check, sqrt(sum), cg->history[cg->iterations],
             64.0 * hb_precision_epsilon(HB_F64) * cg->history[cg->iterations]);
  hb_free(x);
}

/* ---- what cannot go on ----------------------------------------------------------------------- */

/* Faults in what one rank's device holds, and how the solve ends on all. */
static const struct {
  const char *name;
  enum hb_cg_end end;
} faults[] = {{"right-hand side", HB_CG_NOT_A_NUMBER},
              {"factor", HB_CG_NOT_A_NUMBER},
              {"factors", HB_CG_INDEFINITE}};

/* NaN for the first value, or all of them times -1000, on the device of one rank. */
static void plant(struct hb_check *check, struct bench *bench, int fault, bool mend) {
  struct hb_operator_device *od = hb_operator_device(bench->solver->op);
  const struct hb_helmholtz *h = &bench->solver->op->helmholtz;
  const hb_global count = fault == 2 ? hb_geometry_device_layout(&h->geometry, h->n).block : 1;
  const hb_global bytes = count * (hb_global)sizeof(double);
  void *d_values = fault == 0 ? hb_cg_device(bench->solver->passes)->d_b : od->d_factors;
  static double kept[HB_MAX_FACTORS * 64];
  double values[HB_MAX_FACTORS * 64];
  if (!mend) CHECK_OK(check, hb_device_download(od->device, kept, d_values, bytes));
  for (hb_global i = 0; i < count; i++) {
    const double wrong = fault == 2 ? -1e6 * kept[i] : (double)NAN;
    values[i] = mend ? kept[i] : wrong;
  }
  CHECK_OK(check, hb_device_upload(od->device, d_values, values, bytes));
}

static void check_breakdown(struct hb_check *check, struct bench *bench,
                            const struct history *history) {
  const struct hb_comm *comm = bench->plan->comm;
  const struct hb_cg *cg = bench->solver->cg;
  for (int fault = 0; fault < 3; fault++) {
    const bool here = comm->rank == (fault == 0 ? 0 : comm->size - 1);
    if (here) plant(check, bench, fault, false);
    CHECK_OK(check, run(bench));
    CHECK_EQUAL(check, cg->end, faults[fault].end);
    CHECK_EQUAL(check, bench->solves.end, faults[fault].end);
    CHECK_EQUAL(check, cg->iterations, 0);
    if (here) plant(check, bench, fault, true);
    CHECK_OK(check, run(bench));
    CHECK(check, same(bench, history));
  }
}

/* Kernels that fail in their call number `failing_call` from now on. */
static struct hb_device_kernels sound;
static int failing_call;

static bool fails_now(void) {
  if (--failing_call > 0) return false;
  hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__, "planted failure");
  return true;
}

static enum hb_status failing_apply(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                    hb_local end, bool with_mass,
                                    const struct hb_device_direction *direction, const void *d_u,
                                    void *d_w, hb_local *num_partials) {
  return fails_now()
             ? HB_MACHINE_FAILED
             : sound.apply(helmholtz, begin, end, with_mass, direction, d_u, d_w, num_partials);
}

static enum hb_status failing_pack(const struct hb_device_assembly *assembly, void *d_send) {
  return fails_now() ? HB_MACHINE_FAILED : sound.pack(assembly, d_send);
}

static enum hb_status failing_residual(const struct hb_device_assembly *assembly,
                                       enum hb_assembly_part part, struct hb_device_factor alpha,
                                       const void *d_dinv, const void *d_w, void *d_r,
                                       double *d_partials, hb_local *num_partials) {
  return fails_now()
             ? HB_MACHINE_FAILED
             : sound.residual(assembly, part, alpha, d_dinv, d_w, d_r, d_partials, num_partials);
}

static enum hb_status failing_dots(struct hb_device *device, hb_local owned, const void *d_dinv,
                                   const void *d_r, double *d_partials, hb_local *num_partials) {
  return fails_now() ? HB_MACHINE_FAILED
                     : sound.dots(device, owned, d_dinv, d_r, d_partials, num_partials);
}

static enum hb_status failing_add(struct hb_device *device, hb_local count, double alpha,
                                  const void *d_x, void *d_y) {
  return fails_now() ? HB_MACHINE_FAILED : sound.add_scaled(device, count, alpha, d_x, d_y);
}

/* Kernel by kernel, in the middle of a solve or where it is called once, on the first or the last
 * rank: all ranks end with its words, and the next solve is as if nothing had been.  One rank
 * launches the iterations together that start with 8, which fail, when it has read 4. */
static void check_failures(struct hb_check *check, struct bench *bench,
                           const struct history *history) {
  const struct hb_comm *comm = bench->plan->comm;
  struct hb_device_kernels *kernels = &hb_operator_device(bench->solver->op)->kernels;
  static const int in_iteration_8_to_11[] = {17, 11, 19};
  sound = *kernels;
  for (int kernel = 0; kernel < 10; kernel++) {
    const bool here = comm->rank == (kernel < 5 ? 0 : comm->size - 1);
    if (here && kernel % 5 == 0) kernels->apply = failing_apply;
    if (here && kernel % 5 == 1) kernels->pack = failing_pack;
    if (here && kernel % 5 == 2) kernels->residual = failing_residual;
    if (here && kernel % 5 == 3) kernels->dots = failing_dots;
    if (here && kernel % 5 == 4) kernels->add_scaled = failing_add;
    failing_call = kernel % 5 < 3 ? 11 + kernel % 2 : 1;
    if (kernel % 5 < 3 && comm->size == 1) failing_call = in_iteration_8_to_11[kernel % 5];
    CHECK_FAILS(check, run(bench), HB_MACHINE_FAILED, "planted failure");
    const hb_global iterations = bench->solver->cg->iterations;
    CHECK_EQUAL(check, hb_comm_sum_global(comm, iterations), comm->size * iterations);
    CHECK_EQUAL(check, bench->solver->cg->end, kernel % 5 == 4 ? HB_CG_COUNT : HB_CG_NOT_A_NUMBER);
    if (kernel % 5 < 3 && comm->size == 1) CHECK_EQUAL(check, iterations, HB_AHEAD_ITERATIONS);
    if (kernel % 5 < 3 && comm->size > 1) CHECK(check, iterations > 3 && iterations < 13);
    *kernels = sound;
    CHECK_OK(check, run(bench));
    CHECK(check, same(bench, history));
  }
}

static void check_endings(struct hb_check *check, const struct hb_comm *comm,
                          enum hb_gpu_aware gpu_aware) {
  struct hb_options options = counted_options();
  struct history history;
  struct bench bench;
  options.gpu_aware = gpu_aware;
  options.graphs = HB_GRAPHS_OFF; /* whose kernels cannot be replaced later */
  if (!bench_create(check, comm, true, &options, &bench)) return;
  CHECK_OK(check, run(&bench));
  keep(&bench, &history);
  check_breakdown(check, &bench, &history);
  check_failures(check, &bench, &history);
  check_fetch(check, &bench);
  bench_destroy(&bench);
}

static void check_all(struct hb_check *check, const struct hb_comm *comm,
                      struct hb_device *device) {
  (void)device; /* each plan opens it itself */
  for (int combination = 0; combination < NUM_BOUNDARY_CASES; combination++)
    check_combination(check, comm, combination);
  for (int precision = HB_F64; precision <= HB_F32; precision++) {
    check_unfused(check, comm, false, (enum hb_precision)precision);
    check_unfused(check, comm, true, (enum hb_precision)precision);
  }
  check_repeats(check, comm, HB_F64);
  check_repeats(check, comm, HB_F32);
  if (comm->size == 1) check_graphs(check, comm);
  check_endings(check, comm, HB_GPU_AWARE_OFF);
  check_endings(check, comm, if_possible());
}

int main(int argc, char **argv) { return mesh_device_main(argc, argv, check_all); }
