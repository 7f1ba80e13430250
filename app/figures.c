/* SPDX-License-Identifier: BSD-3-Clause
 * Memory, traffic and figures of merit. */
#include "app/figures.h"

#include <math.h>
#include <string.h>

#define LEAST_STREAM_BYTES                                                                         \
  (16.0 * (1 << 20)) /* of an array of the bandwidth measurement, on a GPU */

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
  const struct hb_geometry geometry = hb_problem_geometry(problem);
  const struct hb_factor_layout layout = hb_geometry_host_layout(&geometry, n, lanes);
  const double real = (double)hb_precision_bytes(options->precision);
  double shared;
  const double points = lattice_points(box, partition, &shared);
  *entries = (struct hb_entries){0};
  if (variant->backend == HB_BACKEND_HOST)
    add(entries, "geometric factors",
        real * (double)hb_factor_count(&layout, partition->num_elements));
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
  if (variant->backend == HB_BACKEND_GPU) {
    /* The index is marked while the numbering is there; the lists are made after that. */
    const double terms = (double)partition->num_elements * hb_surface_per_element(n);
    add(entries, "making of assembly lists", 2.0 * sizeof(hb_local) * terms + 12.0 * points);
    add(entries, "page-locked, set-up and exchange", 6.0 * 8.0 * (1 << 19) + 2.0 * real * shared);
    return;
  }
  /* The three arrays of the bandwidth measurement are freed before the others are made. */
  const double stream = 3.0 * (double)hb_bandwidth_array_bytes(comm);
  if (stream > entries->total)
    add(entries, "bandwidth measurement (above)", stream - entries->total);
}

void hb_figures_device_memory(const struct hb_options *options, const struct hb_box *box,
                              const struct hb_partition *partition,
                              const struct hb_problem *problem,
                              const struct hb_helmholtz_variant *variant,
                              struct hb_entries *entries) {
  const int n = box->degree + 1;
  const struct hb_geometry geometry = hb_problem_geometry(problem);
  const struct hb_factor_layout layout = hb_geometry_device_layout(&geometry, n);
  const double real = (double)hb_precision_bytes(options->precision);
  double shared;
  const double points = lattice_points(box, partition, &shared), elements = partition->num_elements;
  const double terms = elements * hb_surface_per_element(n);
  const double surface = points - elements * hb_interior_per_element(n);
  *entries = (struct hb_entries){0};
  if (variant->backend == HB_BACKEND_HOST) return;
  add(entries, "geometric factors",
      real * (double)hb_factor_count(&layout, partition->num_elements));
  add(entries, "element surfaces", real * terms);
  add(entries, "surface index", sizeof(hb_local) * terms);
  /* Pairs, and the terms of points on edges and corners of elements, which have more than two. */
  add(entries, "assembly lists",
      sizeof(hb_local) * (2.0 * surface + elements * (8.0 + 12.0 * (n - 2))));
  add(entries, "solution x", real * points);
  add(entries, "right-hand side b", real * points);
  add(entries, "residual r", real * points);
  add(entries, "direction p, twice", 2.0 * real * points);
  add(entries, "operator result w", real * points);
  if (options->preconditioner == HB_JACOBI) add(entries, "inverse diagonal", real * points);
  add(entries, "partial sums", 8.0 * fmax(elements + 2.0, 2.0 * HB_ASSEMBLY_PARTIALS));
  add(entries, "exchange", (2.0 * real + 3.0 * sizeof(hb_local)) * shared);
  add(entries, "set-up", 6.0 * 8.0 * (1 << 19));
  /* Three arrays, freed before the others are made. */
  if (entries->total < 3.0 * LEAST_STREAM_BYTES)
    add(entries, "bandwidth measurement (above)", 3.0 * LEAST_STREAM_BYTES - entries->total);
}

hb_global hb_figures_device_stream_bytes(const struct hb_entries *device_memory) {
  const double third = device_memory->total / 3.0;
  const double least = LEAST_STREAM_BYTES, most = 512.0 * (1 << 20);
  return (hb_global)(third < least ? least : third > most ? most : third);
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

/* Bytes that this rank and those that share its device need together. */
static double needed_on_device(const struct hb_comm *comm, const struct hb_device_binding *binding,
                               const double *needed) {
  double sum = 0.0;
  for (int rank = 0; rank < binding->num_ranks; rank++)
    if (hb_device_binding_same(binding, rank, comm->rank)) sum += needed[rank];
  return sum;
}

enum hb_status hb_figures_check_device_memory(const struct hb_comm *comm,
                                              const struct hb_device_binding *binding,
                                              const struct hb_entries *entries) {
  enum hb_status status = HB_OK;
  const struct hb_device_record *mine = &binding->records[comm->rank];
  struct hb_device_info info;
  double *needed = NULL, together = 0.0;
  HB_ALLOC(needed, comm->size, "memory needed by ranks");
  HB_TRY(hb_device_info(binding->device, &info));
done:
  status = hb_comm_agree(comm, status);
  if (status == HB_OK) {
    MPI_Allgather(&entries->total, 1, MPI_DOUBLE, needed, 1, MPI_DOUBLE, comm->mpi);
    together = needed_on_device(comm, binding, needed);
    if (together > (double)info.memory_free_bytes)
      status = hb_error_record(
          HB_MACHINE_FAILED, __FILE__, __LINE__,
          "GPU memory: rank %d's device %d (%s, %s on %s), shared by %d rank(s), needs %.3f GB and "
          "has %.3f GB free; take fewer elements, a lower degree or more GPUs",
          comm->rank, mine->index, mine->name, mine->pci_bus_id, mine->host,
          hb_device_binding_ranks_sharing(binding, comm->rank), 1e-9 * together,
          1e-9 * (double)info.memory_free_bytes);
    status = hb_comm_agree(comm, status);
  }
  hb_free(needed);
  return status;
}

static void host_traffic(const struct hb_solver *solver, struct hb_entries *entries) {
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const struct hb_helmholtz *h = &solver->op->helmholtz;
  const double real = (double)hb_precision_bytes(solver->op->precision);
  const double points = numbering->num_points, elements = numbering->num_elements;
  const double surface = numbering->num_points - numbering->surface_start;
  add(entries, "geometric factors: read",
      elements * hb_geometry_read_bytes(&h->geometry, h->n, solver->op->precision));
  add(entries, "surface index: read", sizeof(hb_local) * elements * hb_surface_per_element(h->n));
  add(entries, "p: operator reads; update reads, writes", real * 3.0 * points);
  add(entries, "w: operator writes; update reads", real * 2.0 * points);
  add(entries, "w on surfaces: operator reads; update clears", real * 2.0 * surface);
  add(entries, "r: residual reads, writes; update of p reads", real * 3.0 * points);
  add(entries, "x: update reads, writes", real * 2.0 * points);
  if (solver->dinv != NULL) add(entries, "inverse diagonal: read twice", real * 2.0 * points);
}

static void device_traffic(const struct hb_solver *solver, struct hb_entries *entries) {
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const struct hb_helmholtz *h = &solver->op->helmholtz;
  const double real = (double)hb_precision_bytes(solver->op->precision);
  const double points = numbering->num_points, elements = numbering->num_elements;
  const double terms = elements * hb_surface_per_element(h->n);
  const double surface = numbering->num_points - numbering->surface_start;
  add(entries, "geometric factors: operator reads",
      elements * hb_geometry_read_bytes(&h->geometry, h->n, solver->op->precision));
  add(entries, "surface index: operator reads", sizeof(hb_local) * terms);
  add(entries, "r: operator reads", real * points);
  add(entries, "p: operator reads, writes", real * 2.0 * points);
  add(entries, "x: operator reads, writes", real * 2.0 * points);
  if (solver->dinv != NULL) add(entries, "inverse diagonal: operator reads", real * points);
  add(entries, "w inside elements: operator writes", real * numbering->surface_start);
  add(entries, "element surfaces: operator writes", real * terms);
  entries->operator_count = entries->count;
  add(entries, "w inside elements: residual reads", real * numbering->surface_start);
  add(entries, "element surfaces: residual reads", real * terms);
  add(entries, "assembly lists: residual reads",
      sizeof(hb_local) * (2.0 * surface + solver->op->device->num_extra));
  add(entries, "r: residual reads, writes", real * 2.0 * points);
  if (solver->dinv != NULL) add(entries, "inverse diagonal: residual reads", real * points);
  entries->pass_count = entries->count;
}

void hb_figures_traffic(const struct hb_solver *solver, struct hb_entries *entries) {
  *entries = (struct hb_entries){0};
  const double message = (double)hb_gather_scatter_bytes(solver->mesh->gs, solver->op->precision);
  if (solver->device != NULL) {
    device_traffic(solver, entries);
    if (message > 0.0) add(entries, "exchange: packing writes, sum reads", 2.0 * message);
  } else {
    host_traffic(solver, entries);
    if (message > 0.0) add(entries, "exchange: pack, send, receive, sum", 6.0 * message);
  }
}

/* This rank's seconds of the two passes of an iteration on a GPU. */
static void pass_figures(const struct hb_solver *solver, const struct hb_solves *solves,
                         const struct hb_entries *traffic, struct hb_figures *figures) {
  const double iterations = (double)figures->iterations * solves->num_timed;
  const struct hb_timers *timers = solver->timers;
  for (int i = 0; i < traffic->pass_count; i++)
    *(i < traffic->operator_count ? &figures->operator_bytes : &figures->residual_bytes) +=
        traffic->entry[i].bytes;
  figures->operator_seconds =
      (timers->seconds[HB_PHASE_OPERATOR] + timers->seconds[HB_PHASE_EXCHANGE]) / iterations;
  figures->residual_seconds = timers->seconds[HB_PHASE_VECTOR] / iterations;
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
  if (solver->device != NULL) pass_figures(solver, solves, &traffic, figures);
  figures->seconds_per_iteration = 1.0 / rate;
  figures->fom_nekbone_gflops = 1e-9 * elements * hb_nekbone_flops(n) * rate;
  figures->dof_iterations_per_s = unique * rate;
  figures->points_iterations_per_s = elements * hb_points_per_element(n) * rate;
  const double vector_flops = (solver->dinv != NULL ? 12.0 : 8.0) * unique;
  figures->useful_gflops =
      1e-9 * rate *
      (elements * hb_helmholtz_flops(n, hb_geometry_has_mass(&solver->op->helmholtz.geometry)) +
       vector_flops);
  figures->bytes_per_s = figures->bytes_per_iteration * rate;
  figures->fraction_of_triad = figures->bytes_per_s / bandwidth->all_triad;
  figures->fraction_of_copy = figures->bytes_per_s / bandwidth->all_copy;
}
