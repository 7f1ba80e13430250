/* SPDX-License-Identifier: BSD-3-Clause
 * Models of device memory and traffic against the arrays and the allocator of a GPU run. */
#include <math.h>
#include <string.h>

#include "app/figures.h"
#include "tests/mesh_device.h"

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
  return options;
}

/* Entry by entry, from the sizes of what the kernels are handed. */
static void check_traffic(struct hb_check *check, const struct hb_solver *solver) {
  const struct hb_operator_device *od = solver->op->device;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const int n = od->helmholtz.n;
  const double real = (double)hb_precision_bytes(solver->op->precision);
  const double points = numbering->num_points, elements = numbering->num_elements;
  const double terms = elements * (n * n * n - (n - 2) * (n - 2) * (n - 2));
  const double inside = numbering->surface_start, surface = points - inside;
  const double message = (double)hb_gather_scatter_bytes(solver->mesh->gs, solver->op->precision);
  struct hb_entries traffic;
  hb_figures_traffic(solver, &traffic);
  CHECK_NEAR(check, entry(&traffic, "geometric factors"),
             real * elements * n * n * n * hb_geometry_num_factors(&od->helmholtz.geometry), 0.0);
  CHECK_NEAR(check, entry(&traffic, "surface index"), 4.0 * terms, 0.0);
  CHECK_NEAR(check, entry(&traffic, "assembly lists"), 4.0 * (2.0 * surface + od->num_extra), 0.0);
  /* operator: r, p twice, x twice, and dinv of points; results inside and on surfaces */
  const double vectors = solver->dinv != NULL ? 6.0 : 5.0;
  CHECK_NEAR(check, sum_of(&traffic, 2, traffic.operator_count),
             real * (vectors * points + inside + terms), 1e-9);
  /* residual: results, lists, r twice and dinv */
  CHECK_NEAR(check, sum_of(&traffic, traffic.operator_count, traffic.pass_count),
             real * (inside + terms + (vectors - 3.0) * points) + entry(&traffic, "assembly lists"),
             1e-9);
  CHECK_NEAR(check, sum_of(&traffic, traffic.pass_count, traffic.count), 2.0 * message, 0.0);
  CHECK_NEAR(check, traffic.total, sum_of(&traffic, 0, traffic.count), 1e-6);
}

/* The plan is an upper bound of what was ever allocated, and not a loose one. */
static void check_memory(struct hb_check *check, const struct hb_solver *solver,
                         hb_global peak_before) {
  const struct hb_memory_use use = hb_device_memory_use();
  const struct hb_mesh *mesh = solver->mesh;
  struct hb_entries memory;
  hb_figures_device_memory(solver->options, &mesh->box, &mesh->partition, &solver->problem,
                           solver->variant, &memory);
  const double filler = entry(&memory, "bandwidth"); /* NaN: none */
  const double planned = memory.total - (filler > 0.0 ? filler : 0.0);
  const double fixed = entry(&memory, "set-up") + entry(&memory, "partial sums");
  /* Page-locked memory counts too: as much as the set-up and the exchange again, and small blocks.
   */
  const double locked = entry(&memory, "set-up") + entry(&memory, "exchange") + 1e4;
  CHECK(check, (double)use.peak_bytes <= planned + locked);
  CHECK(check, (double)use.live_bytes <=
                   planned - entry(&memory, "set-up") + entry(&memory, "exchange") + 1e4);
  if (use.peak_bytes == peak_before) return; /* an earlier, larger case hides this one */
  CHECK(check, (double)use.live_bytes >= 0.8 * (planned - fixed));
}

static void check_case(struct hb_check *check, const struct hb_comm *comm, struct hb_device *device,
                       int degree, hb_global elements, bool plain) {
  const struct hb_options options = case_of(degree, elements, plain);
  const hb_global peak_before = hb_device_memory_use().peak_bytes;
  struct hb_timers timers = {{0.0}, 0.0};
  struct hb_solver *solver = NULL;
  struct hb_solves solves = {0};
  struct hb_bandwidth bandwidth = {.all_copy = 4e9, .all_triad = 4e9, .copy_bytes_per_s = 1e9};
  struct hb_figures figures;
  CHECK_OK(check, hb_solver_create(comm, &options, device, NULL, &timers, NULL, &solver));
  if (solver == NULL) return;
  check_traffic(check, solver);
  check_memory(check, solver, peak_before);
  CHECK_OK(check, hb_solver_run(solver, NULL, NULL, &solves));
  timers.seconds[HB_PHASE_OPERATOR] = 6.0;
  timers.seconds[HB_PHASE_EXCHANGE] = 3.0;
  timers.seconds[HB_PHASE_VECTOR] = 1.5;
  hb_figures_compute(solver, &solves, &bandwidth, &figures);
  CHECK_NEAR(check, figures.operator_seconds, 9.0 / figures.iterations, 1e-12);
  CHECK_NEAR(check, figures.residual_seconds, 1.5 / figures.iterations, 1e-12);
  CHECK(check, figures.operator_bytes > figures.residual_bytes && figures.residual_bytes > 0.0);
  hb_solves_destroy(&solves);
  hb_solver_destroy(&solver);
}

static void check_all(struct hb_check *check, const struct hb_comm *comm,
                      struct hb_device *device) {
  check_case(check, comm, device, 1, 24, false);
  check_case(check, comm, device, 2, 12, true);
  check_case(check, comm, device, 4, 6, false);
  check_case(check, comm, device, 7, 4, true);
}

int main(int argc, char **argv) { return mesh_device_main(argc, argv, check_all); }
