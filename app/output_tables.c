/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of the tables, on rank 0, and the attributes that say where a file comes from. */
#include "app/output_tables.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/output_content.h"
#include "app/output_tuning.h"
#include "build_info.h"
#include "io/schema.h"

enum { HOST_BYTES = 64, DEVICE_BYTES = 256, NAME_BYTES = 24 };

/* One row of /timings/per_rank: the phases, then the whole run. */
struct rank_row {
  int32_t rank;
  double seconds[HB_NUM_PHASES + 1];
};
struct machine_row {
  int32_t rank;
  char host[HOST_BYTES], device[DEVICE_BYTES];
  double copy_bytes_per_s, triad_bytes_per_s;
};
struct summary_row {
  char phase[NAME_BYTES];
  double min_s, median_s, mean_s, max_s;
  int32_t max_rank;
};
struct sample_row {
  int32_t repeat, rank;
  double seconds;
};
struct residual_row {
  int32_t iteration;
  double norm, relative;
};
struct gate_row {
  char name[NAME_BYTES];
  double observed, bound;
  bool passed;
};

struct hb_output_tables {
  const struct hb_comm *comm; /* borrowed */
  /* Rows; owned, those of all ranks on rank 0 only. */
  struct rank_row *ranks;
  struct machine_row *machine;
  struct summary_row summary[HB_NUM_PHASES + 1];
  struct sample_row *samples;
  struct residual_row *residuals;
  struct gate_row gates[HB_NUM_GATES];
  struct hb_output_tuning *tuning; /* on a GPU */
  double *sorted;                  /* owned: work space of the summary */
  int num_residuals, num_tuning;
  hb_global num_samples;
  struct hb_output_content content; /* owned lists, which point into the rows and the texts below */
  char host[HOST_BYTES], processor[256], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  char failed[256], kernel_shape[HB_SHAPE_WORD_BYTES], kernel_choice[HB_PATH_BYTES + 64];
  const char *command_line; /* borrowed */
};

static const char *phase_name(int phase) {
  return phase < HB_NUM_PHASES ? hb_phase_name((enum hb_phase)phase) : "total_s";
}

/* ---- rows ------------------------------------------------------------------------------- */

static void fill_residuals(const struct hb_cg *cg, struct hb_output_tables *tables) {
  for (int i = 0; i <= cg->iterations; i++)
    tables->residuals[i] = (struct residual_row){
        i, cg->history[i], cg->history[0] > 0.0 ? cg->history[i] / cg->history[0] : 0.0};
}

static void fill_gates(const struct hb_gates *gates, struct hb_output_tables *tables) {
  for (int g = 0; g < HB_NUM_GATES; g++) {
    const struct hb_gate *gate = &gates->gate[g];
    tables->gates[g] =
        (struct gate_row){.observed = gate->observed, .bound = gate->bound, .passed = gate->passed};
    snprintf(tables->gates[g].name, NAME_BYTES, "%s", gate->name);
    if (gate->passed) continue;
    const size_t used = strlen(tables->failed);
    snprintf(tables->failed + used, sizeof tables->failed - used, "%s%s", used > 0 ? "," : "",
             gate->name);
  }
}

static void gather_samples(const struct hb_results *results, struct hb_output_tables *tables) {
  const struct hb_comm *comm = tables->comm;
  const int count = results->solves->num_timed;
  for (int repeat = 0; repeat < count; repeat++) {
    struct sample_row mine = {repeat, comm->rank, results->solves->rank_seconds[repeat]};
    struct sample_row *rows =
        comm->rank == 0 ? tables->samples + (ptrdiff_t)repeat * comm->size : NULL;
    MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, rows, (int)sizeof mine, MPI_BYTE, 0, comm->mpi);
  }
}

static void gather_machine(const struct hb_results *results, struct hb_output_tables *tables) {
  struct machine_row mine = {.rank = tables->comm->rank,
                             .copy_bytes_per_s = results->bandwidth->copy_bytes_per_s,
                             .triad_bytes_per_s = results->bandwidth->triad_bytes_per_s};
  memcpy(mine.host, tables->host, HOST_BYTES);
  hb_backend_device_words(results->solver->plan->backend, tables->comm->rank, DEVICE_BYTES,
                          mine.device);
  MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, tables->machine, (int)sizeof mine, MPI_BYTE, 0,
             tables->comm->mpi);
}

/* One phase of the summary from the rows of all ranks. */
static void summarise(struct hb_output_tables *tables, int phase, struct summary_row *row) {
  const int size = tables->comm->size;
  double *sorted = tables->sorted, sum = 0.0;
  *row = (struct summary_row){.max_rank = 0};
  snprintf(row->phase, NAME_BYTES, "%s", phase_name(phase));
  for (int q = 0; q < size; q++) {
    sorted[q] = tables->ranks[q].seconds[phase];
    sum += sorted[q];
    if (sorted[q] > sorted[row->max_rank]) row->max_rank = q;
  }
  row->median_s = hb_times_sort(size, sorted);
  row->min_s = sorted[0];
  row->max_s = sorted[size - 1];
  row->mean_s = sum / size;
}

enum hb_status hb_output_tables_gather_times(struct hb_output_tables *tables,
                                             const struct hb_results *results) {
  struct rank_row mine = {.rank = tables->comm->rank};
  for (int phase = 0; phase < HB_NUM_PHASES; phase++)
    mine.seconds[phase] = results->timers->seconds[phase];
  mine.seconds[HB_NUM_PHASES] = hb_timer_now() - results->timers->started;
  MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, tables->ranks, (int)sizeof mine, MPI_BYTE, 0,
             tables->comm->mpi);
  for (int phase = 0; tables->comm->rank == 0 && phase <= HB_NUM_PHASES; phase++)
    summarise(tables, phase, &tables->summary[phase]);
  return HB_OK;
}

/* ---- descriptions ----------------------------------------------------------------------- */

static void add_table(struct hb_output_tables *tables, const char *path, const char *description,
                      const char *units, hb_global num_rows) {
  hb_output_content_table(&tables->content, path, description, units, num_rows);
}

/* A column of the last table; width: of texts. */
static void add_column(struct hb_output_tables *tables, const char *name, enum hb_column_kind kind,
                       int width, const void *first, size_t stride) {
  const struct hb_field_file_column column = {name, kind, width, first, stride};
  hb_output_content_column(&tables->content, &column);
}

static void describe_timings(struct hb_output_tables *tables, bool on_gpu) {
  const int size = tables->comm->size;
  add_table(tables, HB_SCHEMA_TIMINGS,
            "seconds of each phase on each rank; operator, exchange wait, vector work and "
            "reductions are sums over the timed solves",
            "s", size);
  struct rank_row *rank = tables->ranks;
  add_column(tables, "rank", HB_COLUMN_INT32, 0, &rank->rank, sizeof *rank);
  for (int phase = 0; phase <= HB_NUM_PHASES; phase++)
    add_column(tables, phase_name(phase), HB_COLUMN_REAL, 0, &rank->seconds[phase], sizeof *rank);
  add_table(tables, HB_SCHEMA_HOSTS, "host of each rank", NULL, size);
  add_column(tables, NULL, HB_COLUMN_TEXT, HOST_BYTES, tables->machine->host,
             sizeof *tables->machine);
  if (on_gpu) {
    add_table(tables, HB_SCHEMA_DEVICES, "GPU of each rank: name, architecture, PCI bus id", NULL,
              size);
    add_column(tables, NULL, HB_COLUMN_TEXT, DEVICE_BYTES, tables->machine->device,
               sizeof *tables->machine);
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
  struct sample_row *sample = tables->samples;
  add_column(tables, "repeat", HB_COLUMN_INT32, 0, &sample->repeat, sizeof *sample);
  add_column(tables, "rank", HB_COLUMN_INT32, 0, &sample->rank, sizeof *sample);
  add_column(tables, "seconds", HB_COLUMN_REAL, 0, &sample->seconds, sizeof *sample);
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
  add_table(tables, HB_SCHEMA_MACHINE, "memory bandwidth measured by each rank in this run",
            "byte/s", tables->comm->size);
  struct machine_row *machine = tables->machine;
  add_column(tables, "rank", HB_COLUMN_INT32, 0, &machine->rank, sizeof *machine);
  add_column(tables, "copy_bytes_per_s", HB_COLUMN_REAL, 0, &machine->copy_bytes_per_s,
             sizeof *machine);
  add_column(tables, "triad_bytes_per_s", HB_COLUMN_REAL, 0, &machine->triad_bytes_per_s,
             sizeof *machine);
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
  add_text(tables, NULL, "precision", results->solver->op->precision == HB_F64 ? "f64" : "f32");
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
  add_text(tables, "/solver", "status", gates->all_passed ? "VALID" : "INVALID");
  add_text(tables, "/solver", "failed_gates", tables->failed);
  add_text(tables, "/solver", "end", hb_cg_end_name(results->solves->end));
  add_integer(tables, "iterations", figures->iterations);
  add_integer(tables, "unique_points", hb_box_num_points(&results->solver->mesh->box));
  add_real(tables, "true_relative_residual", gates->true_residual);
  add_real(tables, "rms_error", gates->rms_error);
  add_real(tables, "max_error", gates->max_error);
  add_real(tables, "smallest_eigenvalue_seen", gates->smallest_eigenvalue);
  add_real(tables, "largest_eigenvalue_seen", gates->largest_eigenvalue);
  add_real(tables, "box_volume", hb_box_volume(&results->solver->mesh->box));
  add_real(tables, "min_solve_s", figures->min_seconds);
  add_real(tables, "median_solve_s", figures->median_seconds);
  add_real(tables, "max_solve_s", figures->max_seconds);
  if (!gates->all_passed) return;
  add_real(tables, "fom_nekbone_gflops", figures->fom_nekbone_gflops);
  add_real(tables, "dof_iterations_per_s", figures->dof_iterations_per_s);
  add_real(tables, "points_iterations_per_s", figures->points_iterations_per_s);
  add_real(tables, "modelled_bytes_per_iteration", figures->bytes_per_iteration);
  add_real(tables, "fraction_of_triad", figures->fraction_of_triad);
  add_real(tables, "fraction_of_copy", figures->fraction_of_copy);
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
  HB_ALLOC(tables->samples, (hb_global)rows * results->solves->num_timed, "samples");
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
  const bool on_gpu = hb_backend_on_gpu(plan->backend);
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
  hb_options_visit(plan->options, hb_output_content_option, &tables->content);
  describe_timings(tables, on_gpu);
  describe_solve(tables);
  if (on_gpu) describe_tuning(tables);
  describe_run(tables, results);
  describe_figures(tables, results);
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
  hb_free((*tables)->samples);
  hb_free((*tables)->sorted);
  hb_free((*tables)->tuning);
  hb_free((*tables)->residuals);
  hb_output_content_destroy(&(*tables)->content);
  hb_free(*tables);
  *tables = NULL;
}
