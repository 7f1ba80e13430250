/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of the output file's tables, gathered on rank 0. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/output_tables_internal.h"

static void fill_residuals(const struct hb_cg *cg, struct hb_output_tables *tables) {
  for (int i = 0; i <= cg->iterations; i++)
    tables->residuals[i] = (struct residual_row){
        i, cg->history[i], cg->history[0] > 0.0 ? cg->history[i] / cg->history[0] : 0.0};
}

static void fill_gates(const struct hb_gates *gates, struct hb_output_tables *tables) {
  for (int g = 0; g < HB_NUM_GATES; g++) {
    const struct hb_gate *gate = &gates->gate[g];
    tables->gates[g] = (struct gate_row){.observed = gate->observed,
                                         .bound = gate->bound,
                                         .passed = gate->verdict == HB_GATE_PASSES};
    snprintf(tables->gates[g].name, NAME_BYTES, "%s", gate->name);
    snprintf(tables->gates[g].verdict, NAME_BYTES, "%s", hb_gate_verdict_word(gate->verdict));
    snprintf(tables->gates[g].covered_by, COVER_BYTES, "%s",
             gate->covered_by != NULL ? gate->covered_by : "");
    if (gate->verdict != HB_GATE_FAILS) continue;
    const size_t used = strlen(tables->failed);
    snprintf(tables->failed + used, sizeof tables->failed - used, "%s%s", used > 0 ? "," : "",
             gate->name);
  }
}

static void gather_samples(const struct hb_results *results, struct hb_output_tables *tables) {
  const struct hb_comm *comm = tables->comm;
  const int count = results->solves->num_timed;
  for (int repeat = 0; repeat < count; repeat++) {
    struct sample_row *mine = &tables->own_samples[repeat];
    struct sample_row *rows =
        comm->rank == 0 ? tables->samples + (ptrdiff_t)repeat * comm->size : NULL;
    *mine = (struct sample_row){repeat, comm->rank, results->solves->rank_seconds[repeat]};
    MPI_Gather(mine, (int)sizeof *mine, MPI_BYTE, rows, (int)sizeof *mine, MPI_BYTE, 0, comm->mpi);
  }
}

static void place_of(const struct hb_place *place, struct machine_row *row) {
  memcpy(row->processors, place->processors, sizeof row->processors);
  memcpy(row->numa_nodes, place->numa_nodes, sizeof row->numa_nodes);
  memcpy(row->pci_bus_id, place->pci_bus_id, sizeof row->pci_bus_id);
  row->device_numa_node = place->device_numa;
}

static void fill_own(const struct hb_own_times *own, struct hb_output_tables *tables) {
  for (int rank = 0; rank < own->count; rank++) {
    const struct hb_own_time *of = &own->rank[rank];
    tables->own[rank] = (struct own_row){.rank = rank,
                                         .elements = of->speed.elements,
                                         .kernel = of->speed.kernel_s,
                                         .kernel_median = of->kernel_median_s,
                                         .work = of->speed.work_s,
                                         .reduction_least = of->reduction_least_s,
                                         .reduction_mean = of->reduction_mean_s,
                                         .slow = own->slow[rank] != 0};
  }
}

static void gather_machine(const struct hb_results *results, struct hb_output_tables *tables) {
  struct machine_row *mine = &tables->own_machine;
  *mine = (struct machine_row){.rank = tables->comm->rank,
                               .copy_bytes_per_s = results->bandwidth->copy_bytes_per_s,
                               .triad_bytes_per_s = results->bandwidth->triad_bytes_per_s};
  memcpy(mine->host, tables->host, HOST_BYTES);
  hb_backend_device_words(results->solver->plan->backend, tables->comm->rank, DEVICE_BYTES,
                          mine->device);
  place_of(&results->placement->mine, mine);
  MPI_Gather(mine, (int)sizeof *mine, MPI_BYTE, tables->machine, (int)sizeof *mine, MPI_BYTE, 0,
             tables->comm->mpi);
}

/* One phase of the summary from the rows of all ranks. */
static void summarise(struct hb_output_tables *tables, int phase, struct summary_row *row) {
  const int size = tables->comm->size;
  double *sorted = tables->sorted, sum = 0.0;
  *row = (struct summary_row){.max_rank = 0};
  snprintf(row->phase, NAME_BYTES, "%s", hb_output_phase_name(phase));
  for (int q = 0; q < size; q++) {
    sorted[q] = tables->ranks[q].seconds[phase];
    sum += sorted[q];
    if (sorted[q] > sorted[row->max_rank]) row->max_rank = q;
  }
  row->median_s = hb_sort_median(size, sorted);
  row->min_s = sorted[0];
  row->max_s = sorted[size - 1];
  row->mean_s = sum / size;
}

enum hb_status hb_output_tables_gather_times(struct hb_output_tables *tables,
                                             const struct hb_results *results) {
  struct rank_row *mine = &tables->own_rank;
  mine->rank = tables->comm->rank;
  for (int phase = 0; phase < HB_NUM_PHASES; phase++)
    mine->seconds[phase] = results->timers->seconds[phase];
  mine->seconds[HB_NUM_PHASES] = hb_timer_now() - results->timers->started;
  MPI_Gather(mine, (int)sizeof *mine, MPI_BYTE, tables->ranks, (int)sizeof *mine, MPI_BYTE, 0,
             tables->comm->mpi);
  for (int phase = 0; tables->comm->rank == 0 && phase <= HB_NUM_PHASES; phase++)
    summarise(tables, phase, &tables->summary[phase]);
  return HB_OK;
}

void hb_output_tables_describe(const struct hb_output_tables *tables,
                               struct hb_field_file_content *content) {
  hb_output_content_describe(&tables->content, content);
}

static void identify(struct hb_output_tables *tables) {
  int length = 0;
  if (gethostname(tables->host, HOST_BYTES - 1) != 0) snprintf(tables->host, HOST_BYTES, "unknown");
  hb_backend_processor(sizeof tables->processor, tables->processor);
  MPI_Get_library_version(tables->mpi, &length);
  tables->mpi[strcspn(tables->mpi, "\n,")] = '\0';
}

/* Rows, as many as this rank needs: one suffices to describe the columns. */
static enum hb_status allocate_rows(const struct hb_results *results,
                                    struct hb_output_tables *tables) {
  enum hb_status status = HB_OK;
  const struct hb_backend *backend = results->solver->plan->backend;
  const int rows = tables->comm->rank == 0 ? tables->comm->size : 1;
  HB_ALLOC(tables->ranks, rows, "timings of ranks");
  HB_ALLOC(tables->machine, rows, "hosts of ranks");
  HB_ALLOC(tables->own, rows, "own times of ranks");
  HB_ALLOC(tables->samples, (hb_global)rows * results->solves->num_timed, "samples");
  HB_ALLOC(tables->own_samples, results->solves->num_timed, "samples of this rank");
  HB_ALLOC(tables->sorted, rows, "sorted times");
  HB_ALLOC(tables->residuals, tables->num_residuals, "residual rows");
  if (hb_backend_on_gpu(backend))
    HB_TRY(hb_output_tuning_create(backend->tuning, &tables->tuning, &tables->num_tuning));
done:
  return status;
}

enum hb_status hb_output_tables_create(const struct hb_results *results, const char *command_line,
                                       struct hb_output_tables **tables_out) {
  enum hb_status status = HB_OK;
  struct hb_output_tables *tables = NULL;
  const struct hb_plan *plan = results->solver->plan;
  *tables_out = NULL;
  HB_ALLOC(tables, 1, "output tables");
  memset(tables, 0, sizeof *tables);
  tables->comm = plan->comm;
  tables->command_line = command_line;
  tables->num_residuals = results->solver->cg->iterations + 1;
  tables->num_samples = (hb_global)results->solves->num_timed * plan->comm->size;
  HB_TRY(allocate_rows(results, tables));
  identify(tables);
  fill_residuals(results->solver->cg, tables);
  fill_gates(results->gates, tables);
  fill_own(results->own, tables);
  hb_options_visit(plan->options, hb_output_content_option, &tables->content);
  hb_output_tables_describe_all(tables, results);
  HB_TRY(tables->content.status);
done:
  status = hb_comm_agree(plan->comm, status);
  if (status == HB_OK) {
    gather_samples(results, tables);
    gather_machine(results, tables);
    *tables_out = tables;
  } else
    hb_output_tables_destroy(&tables);
  return status;
}

void hb_output_tables_destroy(struct hb_output_tables **tables) {
  if (*tables == NULL) return;
  hb_free((*tables)->ranks);
  hb_free((*tables)->machine);
  hb_free((*tables)->own);
  hb_free((*tables)->samples);
  hb_free((*tables)->own_samples);
  hb_free((*tables)->sorted);
  hb_free((*tables)->tuning);
  hb_free((*tables)->residuals);
  hb_output_content_destroy(&(*tables)->content);
  hb_free(*tables);
  *tables = NULL;
}
