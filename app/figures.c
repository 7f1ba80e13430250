/* SPDX-License-Identifier: BSD-3-Clause
 * Memory, traffic and figures of merit. */
#include "app/figures.h"

#include <string.h>

#include "app/cg_host.h"
#include "app/gates.h"
#include "app/operator_device.h"
#include "app/operator_host.h"
#include "app/output_plan.h"
#include "kernels/memory.h"

static void add(struct hb_entries *entries, const char *name, hb_global bytes) {
  hb_entries_add(entries, name, (double)bytes);
}

static hb_global preconditioner_bytes(const struct hb_plan *plan) {
  return hb_preconditioner_bytes(plan->options->preconditioner, plan->options->precision,
                                 hb_plan_points(plan));
}

/* Vectors of the solve on the host, where the solve is there. */
static void add_host_solve(const struct hb_plan *plan, struct hb_entries *entries) {
  const hb_global vector = hb_cg_host_vector_bytes(plan->options->precision, hb_plan_points(plan));
  add(entries, "residual r", vector);
  add(entries, "direction p", vector);
  add(entries, "operator result w", vector);
}

/* What the gates hold there. */
static void add_host_gates(const struct hb_plan *plan, struct hb_entries *entries) {
  add(entries, "exact solution (gates)", hb_gates_exact_bytes(plan));
  add(entries, "reference of gates", hb_gates_reference_bytes(plan));
  add(entries, "work of gates, three vectors", 3 * hb_gates_vector_bytes(plan));
}

static void add_page_locked(const struct hb_plan *plan, struct hb_entries *entries) {
  add(entries, "page-locked, exchange",
      hb_device_exchange_pinned_bytes(&plan->box, &plan->partition, plan->options->precision));
}

enum hb_status hb_figures_memory(const struct hb_plan *plan, struct hb_entries *entries) {
  const struct hb_options *options = plan->options;
  const bool on_gpu = hb_backend_on_gpu(plan->backend);
  const int lanes = hb_backend_lanes(plan->backend, options->precision);
  *entries = (struct hb_entries){.entry = NULL};
  const bool stored = plan->geometry.mode == HB_GEOMETRY_STORED;
  if (!on_gpu)
    add(entries, stored ? "geometric factors" : "geometry", hb_operator_host_geometry_bytes(plan));
  add(entries, "numbering", hb_numbering_bytes(&plan->box, &plan->partition, lanes));
  add(entries, "solution x", hb_solver_vector_bytes(plan));
  add(entries, "right-hand side b", hb_solver_vector_bytes(plan));
  if (!on_gpu) add_host_solve(plan, entries);
  if (preconditioner_bytes(plan) > 0) add(entries, "inverse diagonal", preconditioner_bytes(plan));
  if (!on_gpu) add_host_gates(plan, entries);
  add(entries, "exchange", hb_gather_scatter_memory(&plan->box, &plan->partition));
  add(entries, "residual history", hb_cg_bytes(options->iterations));
  if (hb_output_wanted(options) && hb_output_has_fields(options))
    add(entries, "output", hb_output_bytes(plan->comm, &plan->box, &plan->partition));
  if (on_gpu) add_page_locked(plan, entries);
  /* The three arrays of the bandwidth measurement are freed before the others are made. */
  const double stream = on_gpu ? 0.0 : 3.0 * (double)hb_bandwidth_array_bytes(plan->comm);
  if (stream > entries->total)
    hb_entries_add(entries, "bandwidth measurement (above)", stream - entries->total);
  return entries->status;
}

/* Of an array of the bandwidth measurement on a GPU, beyond caches; on an interpreter, where such
 * arrays take a second and the figure means nothing, few. */
static double least_stream_bytes(const struct hb_plan *plan) {
  return hb_backend_is_interpreted(plan->backend) ? 64.0 * (1 << 10) : 16.0 * (1 << 20);
}

enum hb_status hb_figures_device_memory(const struct hb_plan *plan, struct hb_entries *entries) {
  *entries = (struct hb_entries){.entry = NULL};
  if (!hb_backend_on_gpu(plan->backend)) return HB_OK;
  const struct hb_operator_device_bytes bytes = hb_operator_device_bytes(plan);
  add(entries, plan->geometry.mode == HB_GEOMETRY_STORED ? "geometric factors" : "geometry",
      bytes.geometry);
  add(entries, "element surfaces", bytes.surfaces);
  add(entries, "surface index", bytes.surface_index);
  add(entries, "assembly lists", bytes.lists);
  add(entries, "places of elements", bytes.places);
  add(entries, "solution x", bytes.vector);
  add(entries, "right-hand side b", bytes.vector);
  add(entries, "residual r", bytes.vector);
  add(entries, "direction p, twice", 2 * bytes.vector);
  add(entries, "operator result w", bytes.vector);
  if (preconditioner_bytes(plan) > 0) add(entries, "inverse diagonal", preconditioner_bytes(plan));
  add(entries, "partial sums", bytes.partials);
  add(entries, "exchange",
      hb_device_exchange_bytes(&plan->box, &plan->partition, plan->options->precision));
  const hb_global set_up = hb_operator_device_set_up_bytes(plan);
  const hb_global gates = hb_gates_device_bytes(plan);
  add(entries, "set-up, gates", set_up > gates ? set_up : gates); /* one after the other */
  /* Three arrays, freed before the others are made. */
  if (entries->total < 3.0 * least_stream_bytes(plan))
    hb_entries_add(entries, "bandwidth measurement (above)",
                   3.0 * least_stream_bytes(plan) - entries->total);
  return entries->status;
}

hb_global hb_figures_stream_bytes(const struct hb_plan *plan,
                                  const struct hb_entries *device_memory) {
  const double third = device_memory->total / 3.0;
  const double least = least_stream_bytes(plan);
  const double most = hb_backend_is_interpreted(plan->backend) ? least : 512.0 * (1 << 20);
  if (!hb_backend_on_gpu(plan->backend)) return hb_bandwidth_array_bytes(plan->comm);
  return (hb_global)(third < least ? least : third > most ? most : third);
}

/* A rank of this node, as the others see it. */
struct neighbour {
  double needed;
  char group[HB_MEMORY_GROUP_BYTES];
};

/* Bytes that all ranks need which share the limit, and how many they are. */
static double needed_under(const struct hb_memory_limit *limit, const struct neighbour *neighbours,
                           const struct hb_comm *comm, int *ranks) {
  double needed = 0.0;
  *ranks = 0;
  for (int r = 0; r < comm->node_size; r++) {
    if (limit->sharer == HB_MEMORY_OF_PROCESS && r != comm->node_rank) continue;
    if (limit->sharer == HB_MEMORY_OF_GROUP &&
        !hb_memory_in_group(neighbours[r].group, limit->group))
      continue;
    needed += neighbours[r].needed;
    ++*ranks;
  }
  return needed;
}

static enum hb_status check_limit(const struct hb_memory_limit *limit,
                                  const struct neighbour *neighbours, const struct hb_comm *comm) {
  enum hb_status status = HB_OK;
  int ranks = 0;
  const double needed = needed_under(limit, neighbours, comm, &ranks);
  const double available = (double)limit->available;
  if (needed <= available) return HB_OK;
  switch (limit->sharer) {
  case HB_MEMORY_OF_NODE:
    HB_FAIL(HB_MACHINE_FAILED,
            "memory: the %d ranks of a node need %.3f GB, it has %.3f GB available; take fewer "
            "elements, a lower degree or more nodes",
            ranks, 1e-9 * needed, 1e-9 * available);
  case HB_MEMORY_OF_GROUP:
    HB_FAIL(HB_MACHINE_FAILED,
            "memory: %d ranks of a node need %.3f GB, their group %s (container, job, step or "
            "task) has %.3f GB available; ask for more, or take fewer elements or more nodes",
            ranks, 1e-9 * needed, limit->group, 1e-9 * available);
  default:
    HB_FAIL(HB_MACHINE_FAILED,
            "memory: rank %d needs %.3f GB, its own limit (ulimit -v or -d) leaves %.3f GB "
            "available; raise it, or take fewer elements or more ranks",
            comm->rank, 1e-9 * needed, 1e-9 * available);
  }
done:
  return status;
}

enum hb_status hb_figures_check_memory(const struct hb_comm *comm, const struct hb_entries *entries,
                                       const char *root, bool *known) {
  enum hb_status status = HB_OK;
  struct hb_memory_limits limits;
  struct neighbour mine = {.needed = entries->total}, *all = NULL;
  double asked = 0.0;
  hb_memory_read_limits(root, &limits);
  memcpy(mine.group, limits.own_group, sizeof mine.group);
  all = hb_allocate(comm->node_size, sizeof *all, "memory of the ranks of a node");
  HB_TRY(hb_comm_agree(comm, all != NULL ? HB_OK : HB_MACHINE_FAILED));
  MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, comm->node);
  for (int l = 0; l < limits.count && status == HB_OK; l++)
    status = check_limit(&limits.limit[l], all, comm);
  asked = limits.machine_known ? 1.0 : 0.0;
  hb_comm_min(comm, 1, &asked);
  *known = asked > 0.0;
  HB_TRY(hb_comm_agree(comm, status));
done:
  hb_free(all);
  return status;
}

double hb_figures_geometry_bytes(const struct hb_solver *solver) {
  const struct hb_helmholtz *h = &solver->op->helmholtz;
  return hb_geometry_read_bytes(&h->geometry, h->n, solver->op->precision) /
         hb_points_per_element(h->n);
}

/* "geometric factors: WHAT", or of geometry that is not stored. */
static void add_geometry(const struct hb_solver *solver, const char *stored, const char *kept,
                         struct hb_entries *entries) {
  const struct hb_helmholtz *h = &solver->op->helmholtz;
  hb_entries_add(entries, h->geometry.mode == HB_GEOMETRY_STORED ? stored : kept,
                 (double)solver->mesh->numbering->num_elements *
                     hb_geometry_read_bytes(&h->geometry, h->n, solver->op->precision));
}

static void host_traffic(const struct hb_solver *solver, struct hb_traffic *traffic) {
  struct hb_entries *entries = &traffic->entries;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const struct hb_helmholtz *h = &solver->op->helmholtz;
  const double real = (double)hb_precision_bytes(solver->op->precision);
  const double points = numbering->num_points, elements = numbering->num_elements;
  const double surface = numbering->num_points - numbering->surface_start;
  add_geometry(solver, "geometric factors: read", "geometry: read", entries);
  hb_entries_add(entries, "surface index: read",
                 sizeof(hb_local) * elements * hb_surface_per_element(h->n));
  hb_entries_add(entries, "p: operator reads; update reads, writes", real * 3.0 * points);
  hb_entries_add(entries, "w: operator writes; update reads", real * 2.0 * points);
  hb_entries_add(entries, "w on surfaces: operator reads; update clears", real * 2.0 * surface);
  hb_entries_add(entries, "r: residual reads, writes; update of p reads", real * 3.0 * points);
  hb_entries_add(entries, "x: update reads, writes", real * 2.0 * points);
  if (solver->preconditioner->diagonal != NULL)
    hb_entries_add(entries, "inverse diagonal: read twice", real * 2.0 * points);
}

static void device_traffic(const struct hb_solver *solver, struct hb_traffic *traffic) {
  struct hb_entries *entries = &traffic->entries;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const struct hb_helmholtz *h = &solver->op->helmholtz;
  const double real = (double)hb_precision_bytes(solver->op->precision);
  const double points = numbering->num_points, elements = numbering->num_elements;
  const double terms = elements * hb_surface_per_element(h->n);
  const double surface = numbering->num_points - numbering->surface_start;
  add_geometry(solver, "geometric factors: operator reads", "geometry: operator reads", entries);
  hb_entries_add(entries, "surface index: operator reads", sizeof(hb_local) * terms);
  hb_entries_add(entries, "r: operator reads", real * points);
  hb_entries_add(entries, "p: operator reads, writes", real * 2.0 * points);
  hb_entries_add(entries, "x: operator reads, writes", real * 2.0 * points);
  if (solver->preconditioner->diagonal != NULL)
    hb_entries_add(entries, "inverse diagonal: operator reads", real * points);
  hb_entries_add(entries, "w inside elements: operator writes", real * numbering->surface_start);
  hb_entries_add(entries, "element surfaces: operator writes", real * terms);
  traffic->operator_count = entries->count;
  hb_entries_add(entries, "w inside elements: residual reads", real * numbering->surface_start);
  hb_entries_add(entries, "element surfaces: residual reads", real * terms);
  hb_entries_add(entries, "assembly lists: residual reads",
                 sizeof(hb_local) * (2.0 * surface + hb_operator_device(solver->op)->num_extra));
  hb_entries_add(entries, "r: residual reads, writes", real * 2.0 * points);
  if (solver->preconditioner->diagonal != NULL)
    hb_entries_add(entries, "inverse diagonal: residual reads", real * points);
  traffic->pass_count = entries->count;
}

enum hb_status hb_figures_traffic(const struct hb_solver *solver, struct hb_traffic *traffic) {
  const double message = (double)hb_gather_scatter_bytes(solver->mesh->gs, solver->op->precision);
  *traffic = (struct hb_traffic){.operator_count = 0};
  if (hb_backend_on_gpu(solver->plan->backend)) {
    device_traffic(solver, traffic);
    if (message > 0.0)
      hb_entries_add(&traffic->entries, "exchange: packing writes, sum reads", 2.0 * message);
  } else {
    host_traffic(solver, traffic);
    if (message > 0.0)
      hb_entries_add(&traffic->entries, "exchange: pack, send, receive, sum", 6.0 * message);
  }
  return traffic->entries.status;
}

void hb_traffic_destroy(struct hb_traffic *traffic) { hb_entries_destroy(&traffic->entries); }

/* This rank's seconds of the two passes of an iteration on a GPU. */
static void pass_figures(const struct hb_solver *solver, const struct hb_solves *solves,
                         struct hb_figures *figures) {
  const double iterations = (double)figures->iterations * solves->num_timed;
  const struct hb_traffic *traffic = &figures->traffic;
  const struct hb_timers *timers = solver->timers;
  for (int i = 0; i < traffic->pass_count; i++)
    *(i < traffic->operator_count ? &figures->operator_bytes : &figures->residual_bytes) +=
        traffic->entries.entry[i].bytes;
  figures->operator_seconds =
      (timers->seconds[HB_PHASE_OPERATOR] + timers->seconds[HB_PHASE_EXCHANGE]) / iterations;
  figures->residual_seconds = timers->seconds[HB_PHASE_VECTOR] / iterations;
}

/* Smallest, median and largest of the timed solves. */
static enum hb_status sort_seconds(const struct hb_solves *solves, struct hb_figures *figures) {
  enum hb_status status = HB_OK;
  const int count = solves->num_timed;
  double *sorted = NULL;
  HB_ALLOC(sorted, count, "sorted times of solves");
  memcpy(sorted, solves->seconds, (size_t)count * sizeof *sorted);
  figures->median_seconds = hb_sort_median(count, sorted);
  figures->min_seconds = sorted[0];
  figures->max_seconds = sorted[count - 1];
done:
  hb_free(sorted);
  return status;
}

static void rates(const struct hb_solver *solver, const struct hb_bandwidth *bandwidth,
                  struct hb_figures *figures) {
  const int n = solver->mesh->gll.n;
  const double elements = (double)hb_box_num_elements(&solver->mesh->box);
  const double unique = (double)hb_box_num_points(&solver->mesh->box);
  const double rate = figures->iterations / figures->median_seconds;
  figures->seconds_per_iteration = 1.0 / rate;
  figures->fom_nekbone_gflops = 1e-9 * elements * hb_nekbone_flops(n) * rate;
  figures->dof_iterations_per_s = unique * rate;
  figures->points_iterations_per_s = elements * hb_points_per_element(n) * rate;
  const double vector_flops = (solver->preconditioner->diagonal != NULL ? 12.0 : 8.0) * unique;
  figures->useful_gflops =
      1e-9 * rate *
      (elements * hb_helmholtz_flops(n, hb_geometry_has_mass(&solver->plan->geometry)) +
       vector_flops);
  figures->bytes_per_s = figures->bytes_per_iteration * rate;
  figures->fraction_of_triad = figures->bytes_per_s / bandwidth->all_triad;
  figures->fraction_of_copy = figures->bytes_per_s / bandwidth->all_copy;
}

enum hb_status hb_figures_compute(const struct hb_solver *solver, const struct hb_solves *solves,
                                  const struct hb_bandwidth *bandwidth,
                                  struct hb_figures *figures) {
  enum hb_status status = HB_OK;
  *figures = (struct hb_figures){.iterations = solver->cg->iterations};
  status = hb_figures_traffic(solver, &figures->traffic);
  if (status == HB_OK) status = sort_seconds(solves, figures);
  HB_TRY(hb_comm_agree(solver->plan->comm, status));
  figures->bytes_per_iteration = figures->traffic.entries.total;
  hb_comm_sum(solver->plan->comm, 1, &figures->bytes_per_iteration);
  if (figures->iterations == 0 || !(figures->median_seconds > 0.0)) return HB_OK;
  if (hb_backend_on_gpu(solver->plan->backend)) pass_figures(solver, solves, figures);
  rates(solver, bandwidth, figures);
done:
  return status;
}

void hb_figures_destroy(struct hb_figures *figures) { hb_traffic_destroy(&figures->traffic); }
