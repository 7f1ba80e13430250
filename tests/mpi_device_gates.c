/* SPDX-License-Identifier: BSD-3-Clause
 * Set-up and gates of a solve on a device: lists, vectors and sums against the plain forms, and
 * faults planted on the device, each of which the gate that it concerns sees. */
#include "app/gate_device.h"
#include "tests/exact_vector.h"
#include "tests/mesh_device.h"
#include "tests/solver_case.h"

struct bench {
  struct hb_options options;
  struct hb_timers timers;
  struct hb_plan *plan;
  struct hb_solver *solver;
  struct hb_solves solves;
};

/* Boundaries, map, precision, coefficients and geometry take turns. */
static bool bench_create(struct hb_check *check, const struct hb_comm *comm, int combination,
                         struct bench *bench) {
  *bench = (struct bench){.plan = NULL};
  struct hb_options *options = &bench->options;
  hb_options_defaults(options);
  options->degree = 2 + combination % 2;
  options->nx = 3, options->ny = 4, options->nz = 2 + combination % 3;
  options->lx = 1.4, options->ly = 0.8;
  options->amplitude = 0.03, options->epsilon_y = 0.7, options->epsilon_z = 0.8;
  options->iterations = 8, options->stop = HB_STOP_COUNT;
  options->warmup = 0, options->repeats = 1;
  options->autotune = false, options->oversubscribe = true;
  options->gate_seed = 11 + combination; /* in f32 not every change of a random v shows */
  options->backend = HB_BACKEND_ONLY_GPU;
  options->precision = combination % 4 == 3 ? HB_F32 : HB_F64;
  options->preconditioner = combination % 5 == 2 ? HB_PLAIN : HB_JACOBI;
  if (combination % 2 == 1) options->h1_variation = 0.4, options->h2_variation = 0.3;
  mesh_case_boundaries(combination, options->boundary);
  options->deformation = (enum hb_deformation)(combination / 2 % 3);
  if (options->deformation == HB_KERSHAW && options->boundary[0] == HB_PERIODIC)
    options->deformation = HB_SMOOTH;
  CHECK_OK(check, solver_case_create(comm, options, &bench->timers, &bench->plan, &bench->solver));
  if (bench->solver == NULL) return false;
  CHECK_OK(check, hb_solver_run(bench->solver, NULL, NULL, &bench->solves));
  return true;
}

static void bench_destroy(struct bench *bench) {
  hb_solves_destroy(&bench->solves);
  solver_case_destroy(&bench->plan, &bench->solver);
}

/* ---- vectors and sums ------------------------------------------------------------------------ */

/* Random values to the last bit, masked or not; the exact solution to rounding; and the error's
 * sums. */
static void check_vectors(struct hb_check *check, struct bench *bench) {
  struct hb_solver *solver = bench->solver;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const enum hb_precision precision = bench->options.precision;
  const double epsilon = hb_precision_epsilon(precision);
  struct hb_gates gates = {.seed = 7};
  struct hb_court court = {.solver = solver, .gates = &gates, .place = &hb_gate_place_device};
  struct hb_gate_work host;
  struct hb_point_sums sums;
  double *exact = hb_allocate(numbering->num_points, sizeof *exact, "exact solution");
  double error = 0.0, size = 0.0, largest = 0.0;
  CHECK_OK(check, hb_gate_work_create(solver, &host));
  CHECK_OK(check, court.place->create(&court));
  CHECK_OK(check, exact_vector(&bench->plan->problem, solver->mesh, exact));
  for (int masked = 0; masked < 2; masked++) {
    long differ = 0;
    court.place->set(&court, masked != 0 ? HB_LATTICE_RANDOM_INSIDE : HB_LATTICE_RANDOM, 11,
                     court.work.v);
    CHECK_OK(check, hb_operator_to_host(solver->op, court.work.v, host.v));
    hb_gate_set_random(solver, 11, masked != 0, host.u);
    for (hb_local i = 0; i < numbering->num_points; i++)
      differ += hb_real_at(precision, host.u, i) != hb_real_at(precision, host.v, i);
    CHECK_EQUAL(check, differ, 0);
  }
  court.place->set(&court, HB_LATTICE_EXACT_INSIDE, 0, court.work.v);
  CHECK_OK(check, hb_operator_to_host(solver->op, court.work.v, host.v));
  for (hb_local s = 0; s < numbering->num_masked; s++)
    CHECK_EQUAL(check, hb_real_at(precision, host.v, numbering->masked[s]), 0.0);
  for (hb_local i = 0; i < numbering->num_points; i++) {
    const double v = hb_real_at(precision, host.v, i);
    const double off = hb_real_at(precision, solver->x, i) - exact[i];
    if (v != 0.0) CHECK_NEAR(check, v, exact[i], epsilon * fabs(exact[i]) + 1e-14);
    if (i >= numbering->num_owned) continue;
    error += off * off;
    size += exact[i] * exact[i];
    largest = fmax(largest, fabs(off));
  }
  court.place->error(&court, &sums);
  CHECK_NEAR(check, sums.sum[0], error, 1e-12 * (error + size));
  CHECK_NEAR(check, sums.sum[1], size, 1e-12 * size);
  CHECK_NEAR(check, sums.largest[0], largest, 1e-13);
  court.place->destroy(&court);
  hb_gate_work_destroy(&host);
  hb_free(exact);
}

/* ---- assembly lists -------------------------------------------------------------------------- */

/* The terms of a surface point, ascending; returns their number. */
static hb_local terms_of(const hb_local *pair, const hb_local *extra, hb_local s,
                         hb_local term[8]) {
  const hb_local a = pair[2 * s] < 0 ? -1 - pair[2 * s] : pair[2 * s], b = pair[2 * s + 1];
  const hb_local count = b >= 0 ? 2 : -b;
  term[0] = a;
  term[1] = b;
  for (hb_local q = 0; b < -1 && q < count; q++) term[q] = extra[a + q];
  return count;
}

/* As they are sorted by the plain form; the first element that has a point is marked. */
static void check_lists(struct hb_check *check, struct bench *bench) {
  struct hb_operator_device *od = hb_operator_device(bench->solver->op);
  const struct hb_numbering *numbering = bench->solver->mesh->numbering;
  const hb_local num_terms = numbering->num_elements * hb_surface_per_element(numbering->n);
  const hb_local num_surface = numbering->num_points - numbering->surface_start;
  struct hb_assembly_lists *expected = NULL;
  const hb_global size = sizeof(hb_local);
  hb_local *pair = hb_allocate(2 * (hb_global)num_surface, sizeof *pair, "pairs");
  hb_local *index = hb_allocate(num_terms, sizeof *index, "index");
  CHECK_OK(check, hb_assembly_lists_create(num_terms, numbering->surface_index,
                                           numbering->surface_start, numbering->num_points,
                                           numbering->num_masked, numbering->masked, &expected));
  CHECK_EQUAL(check, od->num_extra, expected->num_extra);
  hb_local *extra = hb_allocate(od->num_extra, sizeof *extra, "extra");
  CHECK_OK(check, hb_device_download(od->device, pair, od->d_pair, 2 * num_surface * size));
  CHECK_OK(check, hb_device_download(od->device, extra, od->d_extra, od->num_extra * size));
  CHECK_OK(check, hb_device_download(od->device, index, od->d_surface_index, num_terms * size));
  for (hb_local s = 0; s < num_surface; s++) {
    hb_local observed[8], right[8];
    const hb_local count = terms_of(expected->pair, expected->extra, s, right);
    CHECK_EQUAL(check, terms_of(pair, extra, s, observed), count);
    CHECK_EQUAL(check, pair[2 * s] < 0, expected->pair[2 * s] < 0);
    CHECK(check, memcmp(observed, right, (size_t)count * sizeof *right) == 0);
    CHECK(check, index[right[0]] < 0); /* marked there, and nowhere else */
    for (hb_local q = 1; q < count; q++) CHECK(check, index[right[q]] >= 0);
  }
  hb_assembly_lists_destroy(&expected);
  hb_free(pair);
  hb_free(extra);
  hb_free(index);
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Collective.  The verdict of a gate, or of all if it is HB_NUM_GATES. */
static enum hb_gate_verdict judge(struct hb_check *check, struct bench *bench,
                                  enum hb_gate_name name) {
  struct hb_gates gates;
  CHECK_OK(check, hb_gates_run(bench->solver, &bench->solves, &gates));
  for (int g = 0; g < HB_NUM_GATES && name == HB_NUM_GATES && bench->plan->comm->rank == 0; g++)
    if (gates.gate[g].verdict == HB_GATE_FAILS)
      printf("gate %s: %g, bound %g\n", gates.gate[g].name, gates.gate[g].observed,
             gates.gate[g].bound);
  return name == HB_NUM_GATES ? gates.verdict : gates.gate[name].verdict;
}

/* Collective.  Entry i of an array of the device changed by a factor and a tenth, on the last rank
 * alone, fails the gate; then it is as before. */
static void plant_real(struct hb_check *check, struct bench *bench, void *d_array, hb_local i,
                       double factor, enum hb_gate_name name) {
  struct hb_operator_device *od = hb_operator_device(bench->solver->op);
  const enum hb_precision precision = bench->options.precision;
  const bool here = bench->plan->comm->rank == bench->plan->comm->size - 1;
  const size_t bytes = hb_precision_bytes(precision);
  char *d_entry = (char *)d_array + (size_t)i * bytes;
  double kept = 0.0, planted = 0.0; /* room for either precision */
  CHECK_OK(check, hb_device_download(od->device, &kept, d_entry, (hb_global)bytes));
  const double value = hb_real_at(precision, &kept, 0);
  hb_real_set(precision, &planted, 0, value * factor + 0.1 * (factor - 1.0));
  if (here) CHECK_OK(check, hb_device_upload(od->device, d_entry, &planted, (hb_global)bytes));
  CHECK_EQUAL(check, judge(check, bench, name), HB_GATE_FAILS);
  CHECK_OK(check, hb_device_upload(od->device, d_entry, &kept, (hb_global)bytes));
}

/* The same of an entry of a list. */
static void plant_list(struct hb_check *check, struct bench *bench, hb_local *d_list, hb_local i,
                       hb_local (*changed)(hb_local value), enum hb_gate_name name) {
  struct hb_operator_device *od = hb_operator_device(bench->solver->op);
  const bool here = bench->plan->comm->rank == bench->plan->comm->size - 1;
  hb_local kept = 0;
  CHECK_OK(check, hb_device_download(od->device, &kept, d_list + i, sizeof kept));
  const hb_local planted = changed(kept);
  if (here) CHECK_OK(check, hb_device_upload(od->device, d_list + i, &planted, sizeof planted));
  CHECK_EQUAL(check, judge(check, bench, name), HB_GATE_FAILS);
  CHECK_OK(check, hb_device_upload(od->device, d_list + i, &kept, sizeof kept));
}

static hb_local turned(hb_local value) { return -1 - value; } /* masked or not */
static hb_local next(hb_local value) { return value + 1; }    /* another point, or term */

/* A value of x on the host, on the last rank. */
static void plant_solution(struct hb_check *check, struct bench *bench, hb_local i,
                           enum hb_gate_name name) {
  const enum hb_precision precision = bench->options.precision;
  const double kept = hb_real_at(precision, bench->solver->x, i);
  if (bench->plan->comm->rank == bench->plan->comm->size - 1)
    hb_real_set(precision, bench->solver->x, i, kept + 0.25);
  CHECK_EQUAL(check, judge(check, bench, name), HB_GATE_FAILS);
  hb_real_set(precision, bench->solver->x, i, kept);
}

static void check_faults(struct hb_check *check, struct bench *bench) {
  struct hb_operator_device *od = hb_operator_device(bench->solver->op);
  struct hb_cg_device *cg = hb_cg_device(bench->solver->passes);
  const struct hb_numbering *numbering = bench->solver->mesh->numbering;
  const int points = hb_points_per_element(numbering->n);
  const hb_local inside = numbering->num_elements / 2 * hb_interior_per_element(numbering->n);
  const hb_local last = numbering->num_points - 1, surface = last - numbering->surface_start;
  double masked = numbering->num_masked; /* of the last rank */
  MPI_Bcast(&masked, 1, MPI_DOUBLE, bench->plan->comm->size - 1, bench->plan->comm->mpi);
  if (bench->plan->geometry.mode == HB_GEOMETRY_STORED)
    plant_real(check, bench, od->d_factors, 3 * points + 1, 1.01, HB_GATE_FACTORS);
  plant_real(check, bench, cg->d_b, inside, 1.5, HB_GATE_RIGHT_SIDE);
  plant_real(check, bench, cg->d_b, last, 1.5, HB_GATE_RIGHT_SIDE);
  plant_real(check, bench, cg->d_r, inside, 1e4, HB_GATE_RESIDUAL);
  if (cg->d_dinv != NULL) plant_real(check, bench, cg->d_dinv, inside, 40.0, HB_GATE_ENERGY);
  plant_list(check, bench, od->d_pair, 2 * surface, turned, HB_GATE_MASK);
  plant_list(check, bench, od->d_surface_index,
             (numbering->num_elements - 1) * hb_surface_per_element(numbering->n), next,
             HB_GATE_ASSEMBLY);
  plant_solution(check, bench, inside, HB_GATE_RESIDUAL);
  if (masked > 0.0)
    plant_solution(check, bench, numbering->num_masked > 0 ? numbering->masked[0] : 0,
                   HB_GATE_BOUNDARY);
  CHECK_EQUAL(check, judge(check, bench, HB_NUM_GATES), HB_GATE_PASSES); /* all is as before */
}

static void check_all(struct hb_check *check, const struct hb_comm *comm,
                      struct hb_device *device) {
  (void)device; /* each plan opens it itself */
  for (int combination = 0; combination < NUM_BOUNDARY_CASES; combination++) {
    struct bench bench;
    if (!bench_create(check, comm, combination, &bench)) continue;
    check_vectors(check, &bench);
    check_lists(check, &bench);
    if (combination % 4 == 3 || combination % 9 == 1) check_faults(check, &bench);
    bench_destroy(&bench);
  }
}

int main(int argc, char **argv) { return mesh_device_main(argc, argv, check_all); }
