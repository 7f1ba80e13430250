/* SPDX-License-Identifier: BSD-3-Clause
 * Models of flops, memory and traffic against counts of what is there, and figures of merit. */
#include <string.h>

#include "app/figures.h"
#include "kernels/vectors/stream.h"
#include "tests/check.h"
#include "tests/solver_case.h"

static double entry(const struct hb_entries *entries, const char *name) {
  for (int i = 0; i < entries->count; i++)
    if (strncmp(entries->entry[i].name, name, strlen(name)) == 0) return entries->entry[i].bytes;
  return NAN;
}

static struct hb_options small_case(void) {
  struct hb_options options;
  hb_options_defaults(&options);
  options.backend = HB_BACKEND_ONLY_HOST;
  options.degree = 5;
  options.nx = 7;
  options.ny = 5;
  options.nz = 6;
  options.boundary[1] = HB_PERIODIC;
  options.iterations = 40;
  options.stop = HB_STOP_COUNT;
  return options;
}

/* Multiplications and additions of the six contractions, loop by loop. */
static void check_flops(struct hb_check *check) {
  for (int n = 2; n <= HB_MAX_N; n++) {
    long contractions = 0, points = 0;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++, points++)
          for (int m = 0; m < n; m++) contractions += 6 * 2;
    const double nominal = hb_nekbone_flops(n), executed = hb_helmholtz_flops(n, false);
    CHECK_NEAR(check, nominal, (double)(contractions + 34 * points), 0.0);
    /* 15 in the factors, 2 in u.w, an addition for every surface point */
    CHECK_NEAR(check, executed,
               (double)(contractions + 17 * points + points - (n - 2) * (n - 2) * (n - 2)), 0.0);
    CHECK_NEAR(check, hb_helmholtz_flops(n, true) - executed, 2.0 * (double)points, 0.0);
  }
}

/* Every array of the model against the arrays themselves. */
static void check_traffic(struct hb_check *check, const struct hb_solver *solver) {
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const double points = numbering->num_points;
  struct hb_traffic all;
  double indices = 0.0, total = 0.0;
  CHECK_OK(check, hb_figures_traffic(solver, &all));
  const struct hb_entries traffic = all.entries;
  for (hb_local s = 0;
       s < numbering->num_blocks * numbering->lanes * hb_surface_per_element(numbering->n); s++)
    indices += numbering->surface_index[s] >= 0 ? 1.0 : 0.0;
  CHECK_NEAR(check, entry(&traffic, "geometric factors"), 210.0 * 216.0 * 7.0 * 8.0, 0.0);
  CHECK_NEAR(check, entry(&traffic, "surface index"), 4.0 * indices, 0.0);
  CHECK_NEAR(check, entry(&traffic, "p:"), 3.0 * 8.0 * points, 0.0);
  CHECK_NEAR(check, entry(&traffic, "w on surfaces"), 2.0 * 8.0 * (points - 210.0 * 64.0), 0.0);
  CHECK_NEAR(check, entry(&traffic, "inverse diagonal"), 2.0 * 8.0 * points, 0.0);
  for (int i = 0; i < traffic.count; i++) total += traffic.entry[i].bytes;
  CHECK_NEAR(check, traffic.total, total, 1e-12 * total);
  hb_traffic_destroy(&all);
}

/* The plan's arrays against what the allocator holds after set-up; gates and output are not in yet.
 */
static void check_memory(struct hb_check *check, const struct hb_solver *solver,
                         hb_global live_before) {
  struct hb_entries memory;
  const struct hb_plan *plan = solver->plan;
  const double points = solver->mesh->numbering->num_points;
  CHECK_OK(check, hb_figures_memory(plan, &memory));
  const double gates = entry(&memory, "exact") + entry(&memory, "work of gates") +
                       entry(&memory, "reference of gates");
  const double planned = memory.total - entry(&memory, "bandwidth") - gates;
  const double held = (double)(hb_memory_use().live_bytes - live_before);
  CHECK(check, held <= 1.1 * planned + 2e5); /* scratch, tables of axes, small objects */
  CHECK(check, held >= 0.95 * planned);
  CHECK_NEAR(check, entry(&memory, "solution x"), 8.0 * points, 0.0);
  const double most = 10.0 + plan->comm->threads; /* vectors; each thread has sums of its own */
  CHECK(check, gates >= 5.0 * 8.0 * points && gates <= most * 8.0 * points);
  /* What the objects say of themselves is what was planned. */
  const double factors = (double)hb_operator_bytes(solver->op);
  CHECK(check, factors >= entry(&memory, "geometric factors"));
  const struct hb_helmholtz *h = &solver->op->helmholtz;
  const double scratch = 8.0 * (double)hb_helmholtz_scratch_count(h->n, h->lanes);
  CHECK(check, factors <= entry(&memory, "geometric factors") + scratch + 1e4); /* D and basis */
  CHECK_NEAR(check, (double)solver->passes->type->bytes(solver->passes), 3.0 * 8.0 * points, 0.0);
  CHECK_NEAR(check, (double)solver->preconditioner->type->bytes(solver->preconditioner),
             entry(&memory, "inverse diagonal"), 0.0);
  hb_entries_destroy(&memory);
}

/* A list takes what is added to it, however much. */
static void check_entries(struct hb_check *check) {
  enum { MANY = 1000 };
  struct hb_entries entries = {.entry = NULL};
  for (int i = 0; i < MANY; i++) hb_entries_add(&entries, i % 2 == 0 ? "even" : "odd", 1.0 + i);
  CHECK_EQUAL(check, entries.count, MANY);
  CHECK_EQUAL(check, entries.status, HB_OK);
  CHECK_NEAR(check, entries.total, 0.5 * MANY * (MANY + 1), 0.0);
  for (int i = 0; i < MANY && i < entries.count; i++) {
    CHECK_NEAR(check, entries.entry[i].bytes, 1.0 + i, 0.0);
    CHECK(check, strcmp(entries.entry[i].name, i % 2 == 0 ? "even" : "odd") == 0);
  }
  hb_entries_destroy(&entries);
  CHECK_EQUAL(check, entries.count, 0);
}

static void check_figures(struct hb_check *check, struct hb_solver *solver) {
  struct hb_bandwidth bandwidth = {.all_copy = 2e9, .all_triad = 1e9};
  struct hb_solves solves = {0};
  struct hb_figures figures;
  CHECK_OK(check, hb_solver_run(solver, NULL, NULL, &solves));
  solves.seconds[0] = 3.0;
  solves.seconds[1] = 1.0;
  solves.seconds[2] = 2.0;
  CHECK_OK(check, hb_figures_compute(solver, &solves, &bandwidth, &figures));
  CHECK_NEAR(check, figures.median_seconds, 2.0, 0.0);
  CHECK_NEAR(check, figures.fom_nekbone_gflops, 1e-9 * 210.0 * hb_nekbone_flops(6) * 20.0, 1e-12);
  CHECK_NEAR(check, figures.dof_iterations_per_s, 36.0 * 25.0 * 31.0 * 20.0, 1e-6);
  CHECK_NEAR(check, figures.points_iterations_per_s, 210.0 * 216.0 * 20.0, 1e-6);
  CHECK_NEAR(check, figures.fraction_of_triad, 20.0 * figures.bytes_per_iteration / 1e9, 1e-12);
  CHECK_NEAR(check, figures.fraction_of_copy, 0.5 * figures.fraction_of_triad, 1e-12);
  hb_figures_destroy(&figures);
  hb_solves_destroy(&solves);
}

/* Times of any number of solves, more than the options allow. */
static void check_many_solves(struct hb_check *check, const struct hb_solver *solver) {
  enum { MANY = 5001 };
  const struct hb_bandwidth bandwidth = {.all_copy = 2e9, .all_triad = 1e9};
  struct hb_figures figures;
  struct hb_solves solves = {.num_timed = MANY,
                             .seconds = hb_allocate(MANY, sizeof(double), "times")};
  for (int i = 0; i < MANY; i++) solves.seconds[i] = 1.0 + (i * 7) % MANY;
  CHECK_OK(check, hb_figures_compute(solver, &solves, &bandwidth, &figures));
  CHECK_NEAR(check, figures.min_seconds, 1.0, 0.0);
  CHECK_NEAR(check, figures.median_seconds, 1.0 + MANY / 2, 0.0);
  CHECK_NEAR(check, figures.max_seconds, MANY, 0.0);
  hb_figures_destroy(&figures);
  hb_solves_destroy(&solves);
}

static void check_stream(struct hb_check *check) {
  const double b[3] = {1.0, 2.0, 3.0}, c[3] = {10.0, 20.0, 30.0};
  double a[4] = {0.0, 0.0, 0.0, 7.0};
  hb_stream_copy(3, b, a);
  for (int i = 0; i < 3; i++) CHECK_NEAR(check, a[i], b[i], 0.0);
  hb_stream_triad(3, 0.5, b, c, a);
  for (int i = 0; i < 3; i++) CHECK_NEAR(check, a[i], b[i] + 0.5 * c[i], 0.0);
  CHECK_NEAR(check, a[3], 7.0, 0.0);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *self = NULL;
  struct hb_plan *plan = NULL;
  struct hb_solver *solver = NULL;
  struct hb_timers timers = {.started = 0.0};
  const struct hb_options options = small_case();
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_SELF, &self));
  const hb_global live_before = hb_memory_use().live_bytes;
  CHECK_OK(&check, solver_case_create(self, &options, &timers, &plan, &solver));
  check_flops(&check);
  check_stream(&check);
  check_traffic(&check, solver);
  check_memory(&check, solver, live_before);
  check_entries(&check);
  check_figures(&check, solver);
  check_many_solves(&check, solver);
  solver_case_destroy(&plan, &solver);
  hb_comm_destroy(&self);
  const int result = hb_check_finish(&check);
  MPI_Finalize();
  return result;
}
