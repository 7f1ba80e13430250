/* SPDX-License-Identifier: BSD-3-Clause
 * Models of device memory and traffic against the arrays and the allocator of a GPU run. */
#include <math.h>
#include <string.h>

#include "app/figures.h"
#include "app/operator_device.h"
#include "tests/mesh_device.h"
#include "tests/solver_case.h"

static double entry(const struct hb_entries *entries, const char *name) {
  for (int i = 0; i < entries->count; i++)
    if (strncmp(entries->entry[i].name, name, strlen(name)) == 0) return entries->entry[i].bytes;
  return (double)NAN;
}

static double sum_of(const struct hb_entries *entries, int first, int last) {
  double sum = 0.0;
  for (int i = first; i < last; i++) sum += entries->entry[i].bytes;
  return sum;
}

static struct hb_options case_of(int degree, hb_global elements, bool plain) {
  struct hb_options options;
  hb_options_defaults(&options);
  options.degree = degree;
  options.nx = options.ny = options.nz = elements;
  options.boundary[1] = HB_PERIODIC;
  options.preconditioner = plain ? HB_PLAIN : HB_JACOBI;
  options.precision = plain ? HB_F32 : HB_F64;
  options.iterations = 3;
  options.stop = HB_STOP_COUNT;
  options.warmup = 0;
  options.repeats = 1;
  options.oversubscribe = true;
  options.autotune = false;
  return options;
}

/* Entry by entry, from the sizes of what the kernels are handed. */
static void check_traffic(struct hb_check *check, const struct hb_solver *solver) {
  const struct hb_operator_device *od = hb_operator_device(solver->op);
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const int n = od->helmholtz.n;
  const double real = (double)hb_precision_bytes(solver->op->precision);
  const double points = numbering->num_points, elements = numbering->num_elements;
  const double terms = elements * (n * n * n - (n - 2) * (n - 2) * (n - 2));
  const double inside = numbering->surface_start, surface = points - inside;
  const double message = (double)hb_gather_scatter_bytes(solver->mesh->gs, solver->op->precision);
  struct hb_traffic all;
  CHECK_OK(check, hb_figures_traffic(solver, &all));
  const struct hb_entries traffic = all.entries;
  CHECK_NEAR(check, entry(&traffic, "geometric factors"),
             real * elements * n * n * n * hb_geometry_num_factors(&od->helmholtz.geometry), 0.0);
  CHECK_NEAR(check, entry(&traffic, "surface index"), 4.0 * terms, 0.0);
  CHECK_NEAR(check, entry(&traffic, "assembly lists"), 4.0 * (2.0 * surface + od->num_extra), 0.0);
  /* operator: r, p twice, x twice, and dinv of points; results inside and on surfaces */
  const double vectors = solver->preconditioner->diagonal != NULL ? 6.0 : 5.0;
  CHECK_NEAR(check, sum_of(&traffic, 2, all.operator_count),
             real * (vectors * points + inside + terms), 1e-9);
  /* residual: results, lists, r twice and dinv */
  CHECK_NEAR(check, sum_of(&traffic, all.operator_count, all.pass_count),
             real * (inside + terms + (vectors - 3.0) * points) + entry(&traffic, "assembly lists"),
             1e-9);
  CHECK_NEAR(check, sum_of(&traffic, all.pass_count, traffic.count), 2.0 * message, 0.0);
  CHECK_NEAR(check, traffic.total, sum_of(&traffic, 0, traffic.count), 1e-6);
  hb_traffic_destroy(&all);
}

/* The plan is an upper bound of what was ever allocated, and not a loose one. */
static void check_memory(struct hb_check *check, const struct hb_solver *solver,
                         hb_global peak_before) {
  const struct hb_memory_use use = hb_device_memory_use();
  struct hb_entries memory;
  CHECK_OK(check, hb_figures_device_memory(solver->plan, &memory));
  const double filler = entry(&memory, "bandwidth"); /* NaN: none */
  const double planned = memory.total - (filler > 0.0 ? filler : 0.0);
  const double fixed = entry(&memory, "set-up") + entry(&memory, "partial sums");
  /* Page-locked memory counts too: as much as the set-up and the exchange again, and small blocks.
   */
  const double locked = entry(&memory, "set-up") + entry(&memory, "exchange") + 1e4;
  CHECK(check, (double)use.peak_bytes <= planned + locked);
  CHECK(check, (double)use.live_bytes <=
                   planned - entry(&memory, "set-up") + entry(&memory, "exchange") + 1e4);
  /* What operator and passes say of themselves; the exchange and small blocks are left. */
  const double said =
      (double)(hb_operator_bytes(solver->op) + solver->passes->type->bytes(solver->passes));
  CHECK(check, said <= (double)use.live_bytes && said >= 0.8 * (double)use.live_bytes - 1e4);
  hb_entries_destroy(&memory);
  if (use.peak_bytes == peak_before) return; /* an earlier, larger case hides this one */
  CHECK(check, (double)use.live_bytes >= 0.8 * (planned - fixed));
}

static void check_case(struct hb_check *check, const struct hb_comm *comm, int degree,
                       hb_global elements, bool plain) {
  const struct hb_options options = case_of(degree, elements, plain);
  const hb_global peak_before = hb_device_memory_use().peak_bytes;
  struct hb_timers timers = {.started = 0.0};
  struct hb_plan *plan = NULL;
  struct hb_solver *solver = NULL;
  struct hb_solves solves = {0};
  struct hb_bandwidth bandwidth = {.all_copy = 4e9, .all_triad = 4e9, .copy_bytes_per_s = 1e9};
  struct hb_figures figures;
  CHECK_OK(check, solver_case_create(comm, &options, &timers, &plan, &solver));
  if (solver == NULL) return;
  check_traffic(check, solver);
  check_memory(check, solver, peak_before);
  CHECK_OK(check, hb_solver_run(solver, NULL, NULL, &solves));
  timers.seconds[HB_PHASE_OPERATOR] = 6.0;
  timers.seconds[HB_PHASE_EXCHANGE] = 3.0;
  timers.seconds[HB_PHASE_VECTOR] = 1.5;
  CHECK_OK(check, hb_figures_compute(solver, &solves, &bandwidth, &figures));
  CHECK_NEAR(check, figures.operator_seconds, 9.0 / figures.iterations, 1e-12);
  CHECK_NEAR(check, figures.residual_seconds, 1.5 / figures.iterations, 1e-12);
  CHECK(check, figures.operator_bytes > figures.residual_bytes && figures.residual_bytes > 0.0);
  hb_figures_destroy(&figures);
  hb_solves_destroy(&solves);
  solver_case_destroy(&plan, &solver);
}

static void check_all(struct hb_check *check, const struct hb_comm *comm,
                      struct hb_device *device) {
  (void)device; /* each plan opens it itself */
  check_case(check, comm, 1, 24, false);
  check_case(check, comm, 2, 12, true);
  check_case(check, comm, 4, 6, false);
  check_case(check, comm, 7, 4, true);
}

int main(int argc, char **argv) { return mesh_device_main(argc, argv, check_all); }
