/* SPDX-License-Identifier: BSD-3-Clause
 * Memory, traffic and figures of merit. */
#include "app/figures.h"

#include <string.h>

static void add(struct hb_entries *entries, const char *name, double bytes) {
  HB_ASSERT(entries->count < HB_MAX_ENTRIES);
  entries->entry[entries->count++] = (struct hb_entry){name, bytes};
  entries->total += bytes;
}

/* Points of the rank's lattice, and those on sides that other ranks share (an upper bound). */
static double lattice_points(const struct hb_box *box, const struct hb_partition *partition,
                             double *shared) {
  hb_local size[3];
  double all = 1.0, inner = 1.0;
  hb_numbering_lattice_size(box, partition, size);
  for (int a = 0; a < 3; a++) {
    all *= size[a];
    inner *= partition->grid[a] == 1 ? size[a] : size[a] - 2.0;
  }
  *shared = all - inner;
  return all;
}

/* A layer of positions, the piece that goes to the file, and on rank 0 those of other ranks. */
static double output_bytes(const struct hb_comm *comm, const struct hb_partition *partition,
                           int n) {
  const double point = 3.0 * sizeof(double), cube = (double)n * n * n;
  const double layer = point * cube * partition->count[0] * partition->count[1];
  const double all = layer * partition->count[2], most = (double)HB_OUTPUT_PIECE_BYTES;
  const double piece = all < most ? all : most;
  return layer + (comm->rank == 0 ? 2.0 : 1.0) * piece;
}

void hb_figures_memory(const struct hb_comm *comm, const struct hb_options *options,
                       const struct hb_box *box, const struct hb_partition *partition,
                       const struct hb_problem *problem, const struct hb_helmholtz_variant *variant,
                       struct hb_entries *entries) {
  const int n = box->degree + 1, lanes = variant->lanes[options->precision];
  const int num_factors = hb_problem_has_mass(problem) ? HB_MAX_FACTORS : HB_NUM_GEOMETRIC;
  const double real = (double)hb_precision_bytes(options->precision);
  double shared;
  const double points = lattice_points(box, partition, &shared);
  *entries = (struct hb_entries){0};
  add(entries, "geometric factors",
      real * (double)hb_helmholtz_factor_count(n, lanes, num_factors, partition->num_elements));
  add(entries, "numbering", (double)hb_numbering_bytes(box, partition, lanes));
  add(entries, "solution x", real * points);
  add(entries, "right-hand side b", real * points);
  add(entries, "residual r", real * points);
  add(entries, "direction p", real * points);
  add(entries, "operator result w", real * points);
  if (options->preconditioner == HB_JACOBI) add(entries, "inverse diagonal", real * points);
  add(entries, "exact solution (gates)", 8.0 * points);
  add(entries, "exchange", (2.0 * 8.0 + 3.0 * sizeof(hb_local)) * shared);
  add(entries, "residual history", 24.0 * options->iterations);
  if (strcmp(options->file, "none") != 0 && options->fields)
    add(entries, "output", output_bytes(comm, partition, n));
  /* The three arrays of the bandwidth measurement are freed before the others are made. */
  const double stream = 3.0 * (double)hb_bandwidth_array_bytes(comm);
  if (stream > entries->total)
    add(entries, "bandwidth measurement (above)", stream - entries->total);
}

enum hb_status hb_figures_check_memory(const struct hb_comm *comm,
                                       const struct hb_entries *entries) {
  enum hb_status status = HB_OK;
  double needed = entries->total;
  const double available = (double)hb_memory_available();
  MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_DOUBLE, MPI_SUM, comm->node);
  if (available > 0.0 && needed > available)
    HB_FAIL(HB_MACHINE_FAILED,
            "memory: the %d ranks of a node need %.3f GB, it has %.3f GB available; take fewer "
            "elements, a lower degree or more nodes",
            comm->node_size, 1e-9 * needed, 1e-9 * available);
done:
  return hb_comm_agree(comm, status);
}

void hb_figures_traffic(const struct hb_solver *solver, struct hb_entries *entries) {
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const struct hb_helmholtz *h = &solver->op->helmholtz;
  const double real = (double)hb_precision_bytes(solver->op->precision);
  const double points = numbering->num_points, elements = numbering->num_elements;
  const double surface = numbering->num_points - numbering->surface_start;
  *entries = (struct hb_entries){0};
  add(entries, "geometric factors: read",
      real * elements * hb_points_per_element(h->n) * h->num_factors);
  add(entries, "surface index: read", sizeof(hb_local) * elements * hb_surface_per_element(h->n));
  add(entries, "p: operator reads; update reads, writes", real * 3.0 * points);
  add(entries, "w: operator writes; update reads", real * 2.0 * points);
  add(entries, "w on surfaces: operator reads; update clears", real * 2.0 * surface);
  add(entries, "r: residual reads, writes; update of p reads", real * 3.0 * points);
  add(entries, "x: update reads, writes", real * 2.0 * points);
  if (solver->dinv != NULL) add(entries, "inverse diagonal: read twice", real * 2.0 * points);
  const double message = (double)hb_gather_scatter_bytes(solver->mesh->gs, solver->op->precision);
  if (message > 0.0) add(entries, "exchange: pack, send, receive, sum", 6.0 * message);
}

void hb_figures_compute(const struct hb_solver *solver, const struct hb_solves *solves,
                        const struct hb_bandwidth *bandwidth, struct hb_figures *figures) {
  const int count = solves->num_timed, n = solver->mesh->gll.n;
  double sorted[1000];
  struct hb_entries traffic;
  *figures = (struct hb_figures){.iterations = solver->cg->iterations};
  HB_ASSERT(count >= 1 && count <= 1000);
  memcpy(sorted, solves->seconds, (size_t)count * sizeof *sorted);
  figures->median_seconds = hb_times_sort(count, sorted);
  figures->min_seconds = sorted[0];
  figures->max_seconds = sorted[count - 1];
  hb_figures_traffic(solver, &traffic);
  figures->bytes_per_iteration = traffic.total;
  hb_comm_sum(solver->comm, 1, &figures->bytes_per_iteration);
  if (figures->iterations == 0 || !(figures->median_seconds > 0.0)) return;
  const double elements = (double)hb_box_num_elements(&solver->mesh->box);
  const double unique = (double)hb_box_num_points(&solver->mesh->box);
  const double rate = figures->iterations / figures->median_seconds;
  figures->seconds_per_iteration = 1.0 / rate;
  figures->fom_nekbone_gflops = 1e-9 * elements * hb_nekbone_flops(n) * rate;
  figures->dof_iterations_per_s = unique * rate;
  figures->points_iterations_per_s = elements * hb_points_per_element(n) * rate;
  const double vector_flops = (solver->dinv != NULL ? 12.0 : 8.0) * unique;
  figures->useful_gflops =
      1e-9 * rate *
      (elements * hb_helmholtz_flops(n, solver->op->helmholtz.num_factors) + vector_flops);
  figures->bytes_per_s = figures->bytes_per_iteration * rate;
  figures->fraction_of_triad = figures->bytes_per_s / bandwidth->all_triad;
  figures->fraction_of_copy = figures->bytes_per_s / bandwidth->all_copy;
}
