/* SPDX-License-Identifier: BSD-3-Clause
 * Every gate fails on a fault that is planted for it, and on NaN. */
#include <string.h>

#include "app/cg_host.h"
#include "app/gates.h"
#include "app/operator_host.h"
#include "tests/mesh_cases.h"
#include "tests/solver_case.h"

/* A solve whose gates all pass; faults are planted into its parts. */
struct bench {
  struct hb_options options;
  struct hb_timers timers;
  struct hb_plan *plan;
  struct hb_solver *solver;
  struct hb_solves solves;
  struct hb_gates gates;
};

/* Variant copies with faults call the true functions of the table. */
static const struct hb_helmholtz_variant *true_variant;

/* Collective. */
static void bench_create(struct hb_check *check, const struct hb_comm *comm,
                         enum hb_precision precision, int degree, struct bench *bench) {
  memset(bench, 0, sizeof *bench);
  hb_options_defaults(&bench->options);
  bench->options.backend = HB_BACKEND_ONLY_HOST;
  struct hb_options *options = &bench->options;
  options->degree = degree;
  options->nx = 5;
  options->ny = options->nz = 2;
  options->boundary[0] = HB_DIRICHLET;
  options->boundary[1] = HB_NEUMANN;
  options->boundary[2] = HB_PERIODIC;
  options->precision = precision;
  options->gate_seed = 11;
  options->tolerance = precision == HB_F64 ? 1e-10 : 1e-5;
  options->warmup = 0;
  options->repeats = 3;
  CHECK_OK(check, solver_case_create(comm, options, &bench->timers, &bench->plan, &bench->solver));
  true_variant = bench->plan->backend->kernel.variant;
}

static void bench_destroy(struct bench *bench) {
  hb_solves_destroy(&bench->solves);
  solver_case_destroy(&bench->plan, &bench->solver);
}

static void run(struct hb_check *check, struct bench *bench) {
  CHECK_OK(check, hb_solver_run(bench->solver, NULL, NULL, &bench->solves));
}

/* Collective.  The gate `expected` must fail, all gates on all ranks alike. */
static void judge(struct hb_check *check, struct bench *bench, enum hb_gate_name expected) {
  unsigned failed = 0;
  CHECK_OK(check, hb_gates_run(bench->solver, &bench->solves, &bench->gates));
  for (int gate = 0; gate < HB_NUM_GATES; gate++)
    if (bench->gates.gate[gate].verdict != HB_GATE_PASSES) failed |= 1u << gate;
  const hb_global sum = hb_comm_sum_global(bench->plan->comm, failed);
  CHECK_EQUAL(check, sum, (hb_global)failed * bench->plan->comm->size);
  CHECK_EQUAL(check, bench->gates.verdict == HB_GATE_PASSES, failed == 0);
  if (expected == HB_NUM_GATES) {
    CHECK_EQUAL(check, failed, 0);
    return;
  }
  CHECK(check, bench->gates.gate[expected].verdict != HB_GATE_PASSES);
  if (bench->gates.gate[expected].verdict == HB_GATE_PASSES && bench->plan->comm->rank == 0)
    printf("gate %s passed: %g, bound %g\n", bench->gates.gate[expected].name,
           bench->gates.gate[expected].observed, bench->gates.gate[expected].bound);
}

/* Faulty operators, f64; each adds its fault to what the true variant computes. */
static double true_apply(const struct hb_helmholtz *h, hb_local begin, hb_local end, bool mass,
                         const void *u, void *w) {
  return true_variant->host.apply[HB_F64](h, begin, end, mass, u, w);
}

static double drop_mass(const struct hb_helmholtz *h, hb_local begin, hb_local end, bool mass,
                        const void *u, void *w) {
  (void)mass;
  return true_apply(h, begin, end, false, u, w);
}

/* Adds `factor` times the interior part of the last lane of each block again: a lane off. */
static double scale_lane(const struct hb_helmholtz *h, hb_local begin, hb_local end, bool mass,
                         const void *u, void *w) {
  const double sum = true_apply(h, begin, end, mass, u, w);
  const int points = (h->n - 2) * (h->n - 2) * (h->n - 2);
  for (hb_local block = begin; block < end; block++) {
    const hb_global left = (hb_global)h->num_elements - (hb_global)block * h->lanes;
    const int active = left < h->lanes ? (int)left : h->lanes;
    double *interior = (double *)w + (ptrdiff_t)block * h->lanes * points;
    for (int point = 0; point < points; point++)
      interior[point * active + active - 1] *= 1.0 + 1e-9;
  }
  return sum;
}

/* A NaN in the first block's first point, where later blocks are right again. */
static double first_is_nan(const struct hb_helmholtz *h, hb_local begin, hb_local end, bool mass,
                           const void *u, void *w) {
  const double sum = true_apply(h, begin, end, mass, u, w);
  if (begin == 0 && end > 0) ((double *)w)[0] = NAN;
  return sum;
}

/* u.w alone is wrong. */
static double wrong_dot(const struct hb_helmholtz *h, hb_local begin, hb_local end, bool mass,
                        const void *u, void *w) {
  return true_apply(h, begin, end, mass, u, w) * (1.0 + 1e-6);
}

/* Each interior entry takes a little of the next one's u, but not the other way round. */
static double lean(const struct hb_helmholtz *h, hb_local begin, hb_local end, bool mass,
                   const void *u, void *w) {
  const double sum = true_apply(h, begin, end, mass, u, w);
  const hb_local points = (h->n - 2) * (h->n - 2) * (h->n - 2) * h->lanes;
  for (hb_local i = begin * points; i < end * points && i + 1 < h->surface_start; i++)
    ((double *)w)[i] += 1e-8 * ((const double *)u)[i + 1];
  return sum;
}

static void plant_apply(struct bench *bench, hb_helmholtz_apply *apply,
                        struct hb_helmholtz_variant *copy) {
  *copy = *true_variant;
  copy->host.apply[HB_F64] = apply;
  bench->solver->op->kernel.variant = copy;
}

/* Faults of the operator that appear after a good solve. */
static void check_operator(struct hb_check *check, const struct hb_comm *comm) {
  static const struct {
    hb_helmholtz_apply *apply;
    enum hb_gate_name gate;
  } faults[] = {{drop_mass, HB_GATE_KERNEL},       {scale_lane, HB_GATE_KERNEL},
                {wrong_dot, HB_GATE_KERNEL},       {first_is_nan, HB_GATE_KERNEL},
                {lean, HB_GATE_SYMMETRY},          {first_is_nan, HB_GATE_SYMMETRY},
                {first_is_nan, HB_GATE_NULL_SPACE}};
  struct hb_helmholtz_variant copy;
  for (size_t fault = 0; fault < sizeof faults / sizeof *faults; fault++) {
    struct bench bench;
    bench_create(check, comm, HB_F64, 4, &bench);
    run(check, &bench);
    plant_apply(&bench, faults[fault].apply, &copy);
    judge(check, &bench, faults[fault].gate);
    bench_destroy(&bench);
  }
}

/* D with one wrong entry, so that its row does not sum to zero.  (Wrong factors alone cannot give a
 * constant a slope.) */
static void plant_matrix(struct bench *bench) {
  if (bench->plan->comm->rank == bench->plan->comm->size - 1)
    ((double *)bench->solver->op->D)[7] += 1e-9;
}

static void plant_volume(struct bench *bench) { bench->solver->volume *= 1.0 + 1e-6; }

static void plant_points(struct bench *bench) {
  if (bench->plan->comm->rank == 0) bench->solver->mesh->numbering->num_owned--;
}

/* A shared point that is not on a Dirichlet face; the copy of one rank is off by an ulp. */
static void plant_copy(struct bench *bench) {
  const struct hb_numbering *numbering = bench->solver->mesh->numbering;
  double *x = bench->solver->x;
  if (bench->plan->comm->rank != 0) return;
  for (hb_local s = numbering->num_private; s < numbering->num_points; s++)
    if (x[s] != 0.0) {
      x[s] = nextafter(x[s], INFINITY);
      return;
    }
}

static void plant_residual(struct bench *bench) {
  double *r = hb_cg_host(bench->solver->passes)->r;
  if (bench->plan->comm->rank == 0) r[3] += 1e-9 * bench->solver->cg->history[0];
}

static void plant_x(struct bench *bench) {
  if (bench->plan->comm->rank == 0) ((double *)bench->solver->x)[3] += 1e-6;
}

static void plant_end(struct bench *bench) { bench->solver->cg->end = HB_CG_INDEFINITE; }

static void plant_ulp(struct bench *bench) {
  double *residual = bench->solves.final_residual;
  residual[1] = nextafter(residual[1], INFINITY);
}

static void plant_iterations(struct bench *bench) { bench->solves.iterations[0]--; }

static void plant_history(struct bench *bench) { bench->solves.history[0] ^= 1; }

static void plant_nan_repeat(struct bench *bench) { bench->solves.final_residual[0] = NAN; }

static void plant_nan(struct bench *bench) {
  const struct hb_solver *solver = bench->solver;
  if (solver->plan->comm->rank == solver->plan->comm->size - 1) ((double *)solver->x)[0] = NAN;
}

static void plant_nan_volume(struct bench *bench) { bench->solver->volume = NAN; }

static void plant_infinity(struct bench *bench) {
  if (bench->plan->comm->rank == 0) ((double *)bench->solver->x)[0] = INFINITY;
}

/* One value of the set-up; where the fault is local, on the last rank. */
static bool on_last(const struct bench *bench) {
  return bench->plan->comm->rank == bench->plan->comm->size - 1;
}

static void plant_options(struct bench *bench) { bench->options.boundary[1] = HB_DIRICHLET; }
static void plant_length(struct bench *bench) { bench->options.lz *= 1.0 + 1e-12; }
static void plant_variation(struct bench *bench) { bench->options.h1_variation = 1e-9; }
static void plant_deformation(struct bench *bench) { bench->options.deformation = HB_SMOOTH; }

/* Of the box's own rank 0, which has a face x = 0. */
static void plant_forgotten_mask(struct bench *bench) {
  if (bench->plan->comm->rank == 0) bench->solver->mesh->numbering->num_masked--;
}
static void plant_added_mask(struct bench *bench) {
  if (bench->plan->comm->rank == 0) bench->solver->mesh->numbering->masked[0] = 0;
}

static double *last_factors(const struct bench *bench) {
  const struct hb_helmholtz *h = &bench->solver->op->helmholtz;
  const struct hb_factor_layout layout = hb_geometry_host_layout(&h->geometry, h->n, h->lanes);
  return (double *)hb_operator_host(bench->solver->op)->factors +
         hb_factor_at(&layout, h->num_elements - 1, 7, 0);
}
static void plant_factor(struct bench *bench) {
  if (on_last(bench)) *last_factors(bench) *= 1.0 + 1e-10;
}
static void plant_mass(struct bench *bench) {
  const struct hb_helmholtz *h = &bench->solver->op->helmholtz;
  if (on_last(bench)) last_factors(bench)[HB_MASS_FACTOR * h->lanes] *= 1.0 + 1e-10;
}

/* Two points of the last element change places, in what the kernels read. */
static void plant_surface(struct bench *bench) {
  const struct hb_helmholtz *h = &bench->solver->op->helmholtz;
  const hb_local block = hb_num_blocks(h->num_elements, h->lanes) - 1;
  hb_local *index = bench->solver->mesh->numbering->surface_index +
                    (ptrdiff_t)block * hb_surface_per_element(h->n) * h->lanes;
  const hb_local kept = index[0];
  if (!on_last(bench)) return;
  index[0] = index[(ptrdiff_t)5 * h->lanes];
  index[(ptrdiff_t)5 * h->lanes] = kept;
}

static void plant_right_side(struct bench *bench) {
  if (on_last(bench)) ((double *)bench->solver->b)[3] *= 1.0 + 1e-8;
}

/* The solution is another one than the right-hand side was made for. */
static void plant_exact(struct bench *bench) { bench->plan->problem.phase[1] += 0.5; }

static void plant_alpha(struct bench *bench) { bench->solver->cg->alpha[2] *= 1.0 + 1e-9; }
static void plant_beta(struct bench *bench) { bench->solver->cg->beta[0] *= 1.0 + 1e-9; }
static void plant_count(struct bench *bench) {
  bench->options.stop = HB_STOP_COUNT;
  bench->solver->cg->end = HB_CG_COUNT;
}
/* At one point, which the root mean square hides. */
static void plant_point(struct bench *bench) {
  if (bench->plan->comm->rank == 0) ((double *)bench->solver->x)[3] += 0.9;
}

/* Faults in what a good solve leaves behind. */
static void check_results(struct hb_check *check, const struct hb_comm *comm) {
  static const struct {
    void (*plant)(struct bench *bench);
    enum hb_gate_name gate;
  } faults[] = {{plant_matrix, HB_GATE_NULL_SPACE},   {plant_volume, HB_GATE_VOLUME},
                {plant_nan_volume, HB_GATE_VOLUME},   {plant_points, HB_GATE_POINTS},
                {plant_copy, HB_GATE_CONTINUITY},     {plant_residual, HB_GATE_RESIDUAL},
                {plant_x, HB_GATE_REDUCTION},         {plant_end, HB_GATE_REDUCTION},
                {plant_ulp, HB_GATE_REPEAT},          {plant_iterations, HB_GATE_REPEAT},
                {plant_nan_repeat, HB_GATE_REPEAT},   {plant_history, HB_GATE_REPEAT},
                {plant_nan, HB_GATE_RESIDUAL},        {plant_nan, HB_GATE_REDUCTION},
                {plant_nan, HB_GATE_SOLUTION},        {plant_infinity, HB_GATE_SOLUTION},
                {plant_options, HB_GATE_CASE},        {plant_length, HB_GATE_CASE},
                {plant_variation, HB_GATE_CASE},      {plant_deformation, HB_GATE_CASE},
                {plant_forgotten_mask, HB_GATE_MASK}, {plant_added_mask, HB_GATE_MASK},
                {plant_factor, HB_GATE_FACTORS},      {plant_mass, HB_GATE_FACTORS},
                {plant_surface, HB_GATE_ASSEMBLY},    {plant_right_side, HB_GATE_RIGHT_SIDE},
                {plant_exact, HB_GATE_CONSISTENCY},   {plant_exact, HB_GATE_RIGHT_SIDE},
                {plant_exact, HB_GATE_SOLUTION},      {plant_alpha, HB_GATE_ENERGY},
                {plant_beta, HB_GATE_ENERGY},         {plant_count, HB_GATE_REDUCTION},
                {plant_point, HB_GATE_MAXIMUM},       {plant_point, HB_GATE_ENERGY},
                {plant_nan, HB_GATE_ENERGY},          {plant_nan, HB_GATE_MAXIMUM}};
  for (size_t fault = 0; fault < sizeof faults / sizeof *faults; fault++) {
    struct bench bench;
    if (faults[fault].gate == HB_GATE_CONTINUITY && comm->size == 1) continue;
    bench_create(check, comm, HB_F64, 4, &bench);
    run(check, &bench);
    faults[fault].plant(&bench);
    judge(check, &bench, faults[fault].gate);
    if (faults[fault].plant == plant_nan) CHECK(check, isnan(bench.gates.max_error));
    bench_destroy(&bench);
  }
}

/* Solves that converge well, to something else: all gates on the solve pass but those on the
 * solution, on a mesh that resolves more than the fault, and those on the set-up. */
static void check_solution(struct hb_check *check, const struct hb_comm *comm, bool right_side) {
  struct bench bench;
  bench_create(check, comm, HB_F64, 8, &bench);
  const struct hb_solver *solver = bench.solver;
  const struct hb_helmholtz *h = &solver->op->helmholtz;
  const hb_global values = hb_geometry_host_layout(&h->geometry, h->n, h->lanes).block;
  if (right_side) {
    for (hb_local s = 0; s < solver->mesh->numbering->num_points; s++)
      ((double *)solver->b)[s] *= 1.001;
  } else if (comm->rank == 0) { /* the first element, lane 0 of block 0, a tenth stiffer */
    for (hb_global i = 0; i < values; i += h->lanes)
      ((double *)hb_operator_host(solver->op)->factors)[i] *= 1.1;
  }
  /* The diagonal is that of the wrong operator. */
  if (!right_side)
    hb_operator_inverse_diagonal(solver->op, (void *)solver->preconditioner->diagonal);
  run(check, &bench);
  judge(check, &bench, HB_GATE_SOLUTION);
  const enum hb_gate_name also[] = {HB_GATE_MAXIMUM, HB_GATE_CONSISTENCY,
                                    right_side ? HB_GATE_RIGHT_SIDE : HB_GATE_ASSEMBLY};
  for (size_t g = 0; g < sizeof also / sizeof *also; g++)
    CHECK_EQUAL(check, bench.gates.gate[also[g]].verdict, HB_GATE_FAILS);
  for (int gate = HB_GATE_CONTINUITY; gate <= HB_GATE_ENERGY; gate++) /* the solve itself is good */
    CHECK_EQUAL(check, bench.gates.gate[gate].verdict, HB_GATE_PASSES);
  bench_destroy(&bench);
}

/* The verdict itself: NaN on either side fails, equality passes. */
static void check_judge(struct hb_check *check) {
  static const struct {
    double observed, bound;
    bool passes;
  } cases[] = {{0.0, 0.0, true},  {1.0, 1.0, true},  {1.0, 0.9, false},
               {NAN, 1.0, false}, {1.0, NAN, false}, {INFINITY, 1.0, false}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int name = 0; name < HB_NUM_GATES; name++) {
      struct hb_gates gates = {0};
      hb_gate_judge(&gates, (enum hb_gate_name)name, cases[c].observed, cases[c].bound);
      CHECK_EQUAL(check, gates.gate[name].verdict == HB_GATE_PASSES, cases[c].passes);
      CHECK(check, gates.gate[name].name != NULL && gates.gate[name].name[0] != '\0');
    }
}

/* What cannot be judged: few iterations, covered by what judges the iteration itself; and a mesh
 * without Dirichlet faces, where a small h2 makes the error larger than the solution. */
static void check_inconclusive(struct hb_check *check, const struct hb_comm *comm) {
  for (int iterations = 1; iterations <= 6; iterations += 5) {
    struct bench bench;
    bench_create(check, comm, HB_F64, 4, &bench);
    bench.options.stop = HB_STOP_COUNT;
    bench.options.iterations = bench.solver->cg->max_iterations = iterations;
    run(check, &bench);
    CHECK_OK(check, hb_gates_run(bench.solver, &bench.solves, &bench.gates));
    const struct hb_gate *gate = &bench.gates.gate[HB_GATE_SOLUTION];
    CHECK_EQUAL(check, bench.gates.verdict, HB_GATE_PASSES);
    CHECK_EQUAL(check, gate->verdict, HB_GATE_INCONCLUSIVE);
    CHECK(check, gate->reason != NULL && gate->covered_by != NULL);
    bench.solver->cg->alpha[0] *= 1.0 + 1e-9; /* nothing covers it if the energy is wrong */
    CHECK_OK(check, hb_gates_run(bench.solver, &bench.solves, &bench.gates));
    CHECK_EQUAL(check, bench.gates.verdict, HB_GATE_FAILS);
    CHECK(check, gate->covered_by == NULL);
    bench_destroy(&bench);
  }
  struct bench bench;
  bench_create(check, comm, HB_F64, 2, &bench);
  solver_case_destroy(&bench.plan, &bench.solver);
  for (int a = 0; a < 3; a++) bench.options.boundary[a] = HB_NEUMANN;
  bench.options.h2 = 1e-4;
  CHECK_OK(check,
           solver_case_create(comm, &bench.options, &bench.timers, &bench.plan, &bench.solver));
  run(check, &bench);
  CHECK_OK(check, hb_gates_run(bench.solver, &bench.solves, &bench.gates));
  CHECK_EQUAL(check, bench.gates.verdict, HB_GATE_INCONCLUSIVE);
  CHECK_EQUAL(check, bench.gates.gate[HB_GATE_SOLUTION].verdict, HB_GATE_INCONCLUSIVE);
  CHECK(check, strcmp(hb_gates_status(&bench.gates), "INCONCLUSIVE") == 0);
  bench_destroy(&bench);
}

/* Without a fault all pass, in both precisions; random vectors know nothing of ranks. */
static void check_sound(struct hb_check *check, const struct hb_comm *comm) {
  for (int precision = HB_F64; precision <= HB_F32; precision++) {
    struct bench bench;
    bench_create(check, comm, (enum hb_precision)precision, 5, &bench);
    run(check, &bench);
    judge(check, &bench, HB_NUM_GATES);
    struct hb_gate_work work;
    CHECK_OK(check, hb_gate_work_create(bench.solver, &work));
    void *v = work.v;
    hb_gate_set_random(bench.solver, 9, true, v);
    CHECK(check, hb_gather_scatter_max_difference(bench.solver->mesh->gs, bench.options.precision,
                                                  v) == 0.0);
    double sum = bench.solver->op->ops->dot(bench.solver->mesh->numbering->num_owned, v, v);
    hb_comm_sum(comm, 1, &sum);
    /* 24 x 11 x 10 points off the Dirichlet faces, mean square 1/3, deviation 0.3 sqrt(2640). */
    CHECK_NEAR(check, sum, 2640.0 / 3.0, 80.0);
    hb_gate_work_destroy(&work);
    bench_destroy(&bench);
  }
}

/* In any order, and again, the gates say the same to the last bit, and the solve stays as it is. */
static void check_order(struct hb_check *check, const struct hb_comm *comm,
                        enum hb_precision precision) {
  static const int orders[][HB_NUM_CHECKS] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                                              {12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
                                              {5, 6, 0, 12, 2, 1, 7, 3, 11, 8, 9, 10, 4},
                                              {2, 0, 5, 11, 1, 6, 0, 5, 9, 2, 1, 10, 12}};
  struct bench bench;
  struct hb_gates first, other;
  bench_create(check, comm, precision, 4, &bench);
  run(check, &bench);
  const struct hb_solver *solver = bench.solver;
  const size_t bytes = (size_t)hb_operator_vector_bytes(solver->op);
  char *kept = hb_allocate(3, bytes, "x, b and r"), *r = hb_allocate(1, bytes, "r");
  memcpy(kept, solver->x, bytes);
  memcpy(kept + bytes, solver->b, bytes);
  CHECK_OK(check, solver->passes->type->fetch_residual(solver->passes, kept + 2 * bytes));
  memset(&first, 0, sizeof first);
  CHECK_OK(check, hb_gates_run(solver, &bench.solves, &first));
  CHECK(check, first.verdict == HB_GATE_PASSES);
  for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
    memset(&other, 0, sizeof other);
    CHECK_OK(check, hb_gates_run_in_order(solver, &bench.solves, orders[o], &other));
    for (int gate = 0; gate < HB_NUM_GATES; gate++) {
      if (other.gate[gate].name == NULL) continue; /* the last order leaves some out */
      CHECK(check,
            memcmp(&other.gate[gate].observed, &first.gate[gate].observed, sizeof(double)) == 0);
      CHECK(check, memcmp(&other.gate[gate].bound, &first.gate[gate].bound, sizeof(double)) == 0);
      CHECK(check, other.gate[gate].verdict == HB_GATE_PASSES);
    }
    CHECK(check, other.true_residual == first.true_residual && other.rms_error == first.rms_error &&
                     other.max_error == first.max_error && other.resolvable == first.resolvable);
    CHECK(check, memcmp(kept, solver->x, bytes) == 0);
    CHECK(check, memcmp(kept + bytes, solver->b, bytes) == 0);
    CHECK_OK(check, solver->passes->type->fetch_residual(solver->passes, r));
    CHECK(check, memcmp(kept + 2 * bytes, r, bytes) == 0);
  }
  hb_free(kept);
  hb_free(r);
  bench_destroy(&bench);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  check_judge(&check);
  check_sound(&check, comm);
  check_order(&check, comm, HB_F64);
  check_order(&check, comm, HB_F32);
  check_operator(&check, comm);
  check_results(&check, comm);
  check_solution(&check, comm, true);
  check_solution(&check, comm, false);
  check_inconclusive(&check, comm);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
