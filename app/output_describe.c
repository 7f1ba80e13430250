/* SPDX-License-Identifier: BSD-3-Clause
 * Tables and attributes of the output file: names, units, and the attributes that say where a file
 * comes from. */
#include "app/output_tables_internal.h"
#include "build_info.h"
#include "io/schema.h"

static void add_table(struct hb_output_tables *tables, const char *path, const char *description,
                      const char *units, hb_global num_rows) {
  hb_output_content_table(&tables->content, path, description, units, num_rows);
}

/* A column of the last table; width: of texts. */
static void add_column(struct hb_output_tables *tables, const char *name, enum hb_column_kind kind,
                       int width, const void *first, size_t stride) {
  const struct hb_field_file_column column = {name, kind, width, first, stride, NULL};
  hb_output_content_column(&tables->content, &column);
}

/* The same of a table with rows of every rank; mine: the value in this rank's own row. */
static void add_rank_column(struct hb_output_tables *tables, const char *name,
                            enum hb_column_kind kind, int width, const void *first, size_t stride,
                            const void *mine) {
  const struct hb_field_file_column column = {name, kind, width, first, stride, mine};
  hb_output_content_column(&tables->content, &column);
}

static void describe_timings(struct hb_output_tables *tables, bool on_gpu) {
  const int size = tables->comm->size;
  add_table(tables, HB_SCHEMA_TIMINGS,
            "seconds of each phase on each rank; operator, exchange wait, vector work and "
            "reductions are sums over the timed solves",
            "s", size);
  const struct rank_row *rank = tables->ranks, *mine = &tables->own_rank;
  const struct machine_row *machine = tables->machine;
  add_rank_column(tables, "rank", HB_COLUMN_INT32, 0, &rank->rank, sizeof *rank, &mine->rank);
  for (int phase = 0; phase <= HB_NUM_PHASES; phase++)
    add_rank_column(tables, hb_output_phase_name(phase), HB_COLUMN_REAL, 0, &rank->seconds[phase],
                    sizeof *rank, &mine->seconds[phase]);
  add_table(tables, HB_SCHEMA_HOSTS, "host of each rank", NULL, size);
  add_rank_column(tables, NULL, HB_COLUMN_TEXT, HOST_BYTES, machine->host, sizeof *machine,
                  tables->own_machine.host);
  if (on_gpu) {
    add_table(tables, HB_SCHEMA_DEVICES, "GPU of each rank: name, architecture, PCI bus id", NULL,
              size);
    add_rank_column(tables, NULL, HB_COLUMN_TEXT, DEVICE_BYTES, machine->device, sizeof *machine,
                    tables->own_machine.device);
  }
  add_table(tables, HB_SCHEMA_TIMING_SUMMARY, "each phase over the ranks", "s", HB_NUM_PHASES + 1);
  struct summary_row *row = tables->summary;
  add_column(tables, "phase", HB_COLUMN_TEXT, NAME_BYTES, row->phase, sizeof *row);
  add_column(tables, "min_s", HB_COLUMN_REAL, 0, &row->min_s, sizeof *row);
  add_column(tables, "median_s", HB_COLUMN_REAL, 0, &row->median_s, sizeof *row);
  add_column(tables, "mean_s", HB_COLUMN_REAL, 0, &row->mean_s, sizeof *row);
  add_column(tables, "max_s", HB_COLUMN_REAL, 0, &row->max_s, sizeof *row);
  add_column(tables, "max_rank", HB_COLUMN_INT32, 0, &row->max_rank, sizeof *row);
  add_table(tables, HB_SCHEMA_TIMING_SAMPLES, "seconds of every timed solve on every rank", "s",
            tables->num_samples);
  const struct sample_row *sample = tables->samples, *own = tables->own_samples;
  add_rank_column(tables, "repeat", HB_COLUMN_INT32, 0, &sample->repeat, sizeof *sample,
                  &own->repeat);
  add_rank_column(tables, "rank", HB_COLUMN_INT32, 0, &sample->rank, sizeof *sample, &own->rank);
  add_rank_column(tables, "seconds", HB_COLUMN_REAL, 0, &sample->seconds, sizeof *sample,
                  &own->seconds);
}

static void describe_own(struct hb_output_tables *tables) {
  const struct own_row *row = tables->own;
  const size_t stride = sizeof *row;
  add_table(tables, HB_SCHEMA_TIMING_OWN,
            "what each rank took for itself: an application of the kernel alone, the work of an "
            "iteration, a reduction; slow: by more than a tenth of the median",
            "s", tables->comm->size);
  add_column(tables, "rank", HB_COLUMN_INT32, 0, &row->rank, stride);
  add_column(tables, "elements", HB_COLUMN_INT64, 0, &row->elements, stride);
  add_column(tables, "kernel_s", HB_COLUMN_REAL, 0, &row->kernel, stride);
  add_column(tables, "kernel_median_s", HB_COLUMN_REAL, 0, &row->kernel_median, stride);
  add_column(tables, "work_s", HB_COLUMN_REAL, 0, &row->work, stride);
  add_column(tables, "reduction_least_s", HB_COLUMN_REAL, 0, &row->reduction_least, stride);
  add_column(tables, "reduction_mean_s", HB_COLUMN_REAL, 0, &row->reduction_mean, stride);
  add_column(tables, "slow", HB_COLUMN_BOOL, 0, &row->slow, stride);
}

static void describe_machine(struct hb_output_tables *tables) {
  const struct machine_row *machine = tables->machine, *mine = &tables->own_machine;
  const size_t stride = sizeof *machine;
  add_table(tables, HB_SCHEMA_MACHINE,
            "memory bandwidth measured by each rank in this run, and where it ran", "byte/s",
            tables->comm->size);
  add_rank_column(tables, "rank", HB_COLUMN_INT32, 0, &machine->rank, stride, &mine->rank);
  add_rank_column(tables, "copy_bytes_per_s", HB_COLUMN_REAL, 0, &machine->copy_bytes_per_s, stride,
                  &mine->copy_bytes_per_s);
  add_rank_column(tables, "triad_bytes_per_s", HB_COLUMN_REAL, 0, &machine->triad_bytes_per_s,
                  stride, &mine->triad_bytes_per_s);
  add_rank_column(tables, "processors", HB_COLUMN_TEXT, sizeof machine->processors,
                  machine->processors, stride, mine->processors);
  add_rank_column(tables, "numa_nodes", HB_COLUMN_TEXT, sizeof machine->numa_nodes,
                  machine->numa_nodes, stride, mine->numa_nodes);
  add_rank_column(tables, "pci_bus_id", HB_COLUMN_TEXT, sizeof machine->pci_bus_id,
                  machine->pci_bus_id, stride, mine->pci_bus_id);
  add_rank_column(tables, "device_numa_node", HB_COLUMN_INT32, 0, &machine->device_numa_node,
                  stride, &mine->device_numa_node);
}

static void describe_solve(struct hb_output_tables *tables) {
  add_table(tables, HB_SCHEMA_RESIDUALS, "residual of the last solve, 2-norm over unique points",
            NULL, tables->num_residuals);
  struct residual_row *residual = tables->residuals;
  add_column(tables, "iteration", HB_COLUMN_INT32, 0, &residual->iteration, sizeof *residual);
  add_column(tables, "residual_norm", HB_COLUMN_REAL, 0, &residual->norm, sizeof *residual);
  add_column(tables, "relative_residual", HB_COLUMN_REAL, 0, &residual->relative, sizeof *residual);
  add_table(tables, HB_SCHEMA_GATES, "what makes the run valid: observed <= bound", NULL,
            HB_NUM_GATES);
  struct gate_row *gate = tables->gates;
  add_column(tables, "name", HB_COLUMN_TEXT, NAME_BYTES, gate->name, sizeof *gate);
  add_column(tables, "observed", HB_COLUMN_REAL, 0, &gate->observed, sizeof *gate);
  add_column(tables, "bound", HB_COLUMN_REAL, 0, &gate->bound, sizeof *gate);
  add_column(tables, "passed", HB_COLUMN_BOOL, 0, &gate->passed, sizeof *gate);
  add_column(tables, "verdict", HB_COLUMN_TEXT, NAME_BYTES, gate->verdict, sizeof *gate);
  add_column(tables, "covered_by", HB_COLUMN_TEXT, COVER_BYTES, gate->covered_by, sizeof *gate);
}

static void describe_tuning(struct hb_output_tables *tables) {
  struct hb_field_file_column columns[HB_TUNING_COLUMNS];
  const int count = hb_output_tuning_columns(tables->tuning, columns);
  add_table(tables, HB_SCHEMA_TUNING,
            "kernels that were compared with the reference, and seconds of a launch; one row and "
            "NaN where nothing was timed",
            NULL, tables->num_tuning);
  for (int c = 0; c < count; c++) hb_output_content_column(&tables->content, &columns[c]);
}

static void add_text(struct hb_output_tables *tables, const char *object, const char *name,
                     const char *text) {
  hb_output_content_text(&tables->content, object, name, text);
}

static void add_integer(struct hb_output_tables *tables, const char *name, hb_global value) {
  hb_output_content_integer(&tables->content, "/solver", name, value);
}

static void add_real(struct hb_output_tables *tables, const char *name, double value) {
  hb_output_content_real(&tables->content, "/solver", name, value);
}

static void describe_run(struct hb_output_tables *tables, const struct hb_results *results) {
  const struct hb_backend *backend = results->solver->plan->backend;
  const bool on_gpu = hb_backend_on_gpu(backend);
  add_text(tables, NULL, "title", "-div(h1 grad u) + h2 u = f on a box of spectral elements");
  add_text(tables, NULL, "code_version", HB_VERSION);
  add_text(tables, NULL, "git_commit", HB_GIT_COMMIT);
  add_text(tables, NULL, "command_line", tables->command_line);
  add_text(tables, NULL, "hostname", tables->host);
  add_text(tables, NULL, "device", hb_backend_device_name(backend, tables->processor));
  if (on_gpu)
    add_text(tables, NULL, "device_architecture", backend->binding->records[0].architecture);
  add_text(tables, NULL, "backend", hb_backend_name(backend->kind));
  add_text(tables, NULL, "gpu_platform", hb_device_platform());
  add_text(tables, NULL, "gpu_compiler", HB_GPU_COMPILER);
  if (on_gpu) add_text(tables, NULL, "gpu_aware_mpi", backend->gpu_aware_reason);
  add_text(tables, NULL, "exchange", hb_exchange_name(&results->solver->mesh->gs->choice));
  add_text(tables, NULL, "precision", hb_precision_name(results->solver->op->precision));
  add_text(tables, NULL, "compiler", HB_COMPILER);
  add_text(tables, NULL, "compiler_flags", HB_COMPILER_FLAGS);
  add_text(tables, NULL, "mpi_library", tables->mpi);
  add_text(tables, NULL, "kernel", backend->kernel.variant->name);
  if (on_gpu) {
    hb_shape_word(&backend->kernel.shape, tables->kernel_shape);
    hb_tuning_reason_words(backend->tuning, sizeof tables->kernel_choice, tables->kernel_choice);
    add_text(tables, NULL, "kernel_shape", tables->kernel_shape);
    add_text(tables, NULL, "kernel_choice", tables->kernel_choice);
  }
  add_text(tables, NULL, "geometry", hb_geometry_mode_name(results->solver->plan->geometry.mode));
}

static void describe_figures(struct hb_output_tables *tables, const struct hb_results *results) {
  const struct hb_figures *figures = results->figures;
  const struct hb_gates *gates = results->gates;
  add_text(tables, "/solver", "status", hb_gates_status(gates));
  add_text(tables, "/solver", "failed_gates", tables->failed);
  add_text(tables, "/solver", "end", hb_cg_end_name(results->solves->end));
  add_integer(tables, "iterations", figures->iterations);
  add_integer(tables, "unique_points", hb_box_num_points(&results->solver->mesh->box));
  add_real(tables, "true_relative_residual", gates->true_residual);
  add_real(tables, "recurrence_relative_residual", gates->recursive_residual);
  add_real(tables, "rms_error", gates->rms_error);
  add_real(tables, "max_error", gates->max_error);
  add_real(tables, "smallest_eigenvalue_seen", gates->smallest_eigenvalue);
  add_real(tables, "largest_eigenvalue_seen", gates->largest_eigenvalue);
  add_real(tables, "geometry_bytes_per_point", hb_figures_geometry_bytes(results->solver));
  add_real(tables, "box_volume", hb_box_volume(&results->solver->mesh->box));
  add_real(tables, "min_solve_s", figures->min_seconds);
  add_real(tables, "median_solve_s", figures->median_seconds);
  add_real(tables, "max_solve_s", figures->max_seconds);
  if (gates->verdict != HB_GATE_PASSES) return;
  add_real(tables, "fom_nekbone_gflops", figures->fom_nekbone_gflops);
  add_real(tables, "dof_iterations_per_s", figures->dof_iterations_per_s);
  add_real(tables, "points_iterations_per_s", figures->points_iterations_per_s);
  add_real(tables, "modelled_bytes_per_iteration", figures->bytes_per_iteration);
  add_real(tables, "fraction_of_triad", figures->fraction_of_triad);
  add_real(tables, "fraction_of_copy", figures->fraction_of_copy);
}

void hb_output_tables_describe_all(struct hb_output_tables *tables,
                                   const struct hb_results *results) {
  const bool on_gpu = hb_backend_on_gpu(results->solver->plan->backend);
  describe_timings(tables, on_gpu);
  describe_own(tables);
  describe_solve(tables);
  describe_machine(tables);
  if (on_gpu) describe_tuning(tables);
  describe_run(tables, results);
  describe_figures(tables, results);
}
