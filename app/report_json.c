/* SPDX-License-Identifier: BSD-3-Clause
 * The report as JSON, and its file. */
#include "app/report_json.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/output_plan.h"
#include "app/report_environment.h"
#include "io/file_path.h"
#include "io/json.h"
#include "io/table_file.h"

bool hb_report_json_wanted(const struct hb_options *options) {
  return strcmp(options->report, "none") != 0;
}

static enum hb_status check_path(const struct hb_options *options) {
  enum hb_status status = HB_OK;
  HB_TRY(hb_path_check_named(options->report, ".json", NULL, 0));
  if (strcmp(options->report, options->file) == 0 ||
      hb_path_is_same(options->report, options->file) ||
      hb_path_is_same(options->report, options->case_file) ||
      hb_path_is_same(options->report, options->tuning_file))
    HB_FAIL(HB_BAD_INPUT,
            "output file '%s': this is another file of the run; take another name for the report",
            options->report);
  HB_TRY(hb_partial_check_free(options->report));
done:
  return status;
}

enum hb_status hb_report_json_check(const struct hb_comm *comm, const struct hb_options *options,
                                    struct hb_path_version *before) {
  enum hb_status status = HB_OK;
  if (!hb_report_json_wanted(options)) return HB_OK;
  HB_TRY(hb_comm_agree(comm, comm->rank == 0 ? check_path(options) : HB_OK));
  *before = hb_path_version_of(options->report);
done:
  return status;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void put_gates(const struct hb_gates *gates, enum hb_gate_verdict verdict, const char *key,
                      struct hb_json *json) {
  hb_json_open_array(json, key);
  for (int gate = 0; gate < HB_NUM_GATES; gate++)
    if (gates->gate[gate].verdict == verdict) hb_json_text(json, NULL, gates->gate[gate].name);
  hb_json_close(json);
}

static void put_triple(const char *key, const hb_global values[3], struct hb_json *json) {
  hb_json_open_array(json, key);
  for (int a = 0; a < 3; a++) hb_json_integer(json, NULL, values[a]);
  hb_json_close(json);
}

static void put_case(const struct hb_results *results, struct hb_json *json) {
  const struct hb_plan *plan = results->solver->plan;
  const struct hb_placement *placement = results->placement;
  const int *grid = plan->partition.grid;
  hb_global nodes = 0;
  for (int rank = 0; rank < placement->count; rank++) nodes += placement->place[rank].node == rank;
  hb_json_open_object(json, "case");
  hb_json_integer(json, "ranks", plan->comm->size);
  hb_json_integer(json, "nodes", nodes);
  put_triple("rank_grid", (const hb_global[]){grid[0], grid[1], grid[2]}, json);
  hb_json_integer(json, "degree", plan->box.degree);
  put_triple("elements", plan->box.elements, json);
  hb_json_integer(json, "unique_points", hb_box_num_points(&plan->box));
  hb_json_open_array(json, "elements_per_rank");
  hb_json_integer(json, NULL, plan->partition.min_elements);
  hb_json_integer(json, NULL, plan->partition.max_elements);
  hb_json_close(json);
  hb_json_close(json);
}

static void put_figures(const struct hb_results *results, struct hb_json *json) {
  const struct hb_figures *figures = results->figures;
  const bool valid = hb_results_are_valid(results);
  const struct {
    const char *name;
    double value;
  } all[] = {{"fom_nekbone_gflops", figures->fom_nekbone_gflops},
             {"dof_iterations_per_s", figures->dof_iterations_per_s},
             {"points_iterations_per_s", figures->points_iterations_per_s},
             {"seconds_per_iteration", figures->seconds_per_iteration},
             {"useful_gflops", figures->useful_gflops},
             {"fraction_of_triad", figures->fraction_of_triad},
             {"fraction_of_copy", figures->fraction_of_copy}};
  hb_json_open_object(json, "figures");
  for (size_t f = 0; f < sizeof all / sizeof *all; f++)
    if (valid)
      hb_json_real(json, all[f].name, all[f].value);
    else
      hb_json_null(json, all[f].name);
  hb_json_truth(json, "nekbone_comparable", hb_results_are_comparable(results));
  hb_json_close(json);
  hb_json_null(json, "energy");
}

static void put_solves(const struct hb_results *results, struct hb_json *json) {
  const struct hb_solves *solves = results->solves;
  hb_json_open_object(json, "solves");
  hb_json_integer(json, "warmup", solves->num_warmup);
  hb_json_integer(json, "timed", solves->num_timed);
  hb_json_text(json, "why", hb_solves_end_words(solves->why));
  hb_json_integer(json, "iterations", results->figures->iterations);
  hb_json_text(json, "end", hb_cg_end_name(solves->end));
  hb_json_real(json, "min_s", results->figures->min_seconds);
  hb_json_real(json, "median_s", results->figures->median_seconds);
  hb_json_real(json, "max_s", results->figures->max_seconds);
  hb_json_open_array(json, "seconds");
  for (int timed = 0; timed < solves->num_timed; timed++)
    hb_json_real(json, NULL, solves->seconds[timed]);
  hb_json_close(json);
  hb_json_close(json);
}

static void put_warning(void *json, const char *words) { hb_json_text(json, NULL, words); }

static enum hb_status put_ranks(const struct hb_results *results, struct hb_json *json) {
  const struct hb_own_times *own = results->own;
  hb_json_open_object(json, "bandwidth");
  hb_json_real(json, "copy_bytes_per_s", results->bandwidth->all_copy);
  hb_json_real(json, "triad_bytes_per_s", results->bandwidth->all_triad);
  hb_json_integer(json, "array_bytes", results->bandwidth->array_bytes);
  hb_json_close(json);
  hb_json_open_object(json, "reduction");
  hb_json_real(json, "least_s", own->reduction_least_s);
  hb_json_real(json, "mean_s", own->reduction_mean_s);
  hb_json_close(json);
  hb_json_open_array(json, "warnings");
  const enum hb_status status = hb_placement_judge(results->placement, put_warning, json);
  hb_json_close(json);
  hb_json_open_array(json, "slow_ranks");
  for (int rank = 0; rank < own->count; rank++) {
    const struct hb_place *place = &results->placement->place[rank];
    if (own->slow[rank] == 0) continue;
    hb_json_open_object(json, NULL);
    hb_json_integer(json, "rank", rank);
    hb_json_truth(json, "kernel", (own->slow[rank] & HB_SLOW_KERNEL) != 0);
    hb_json_truth(json, "work", (own->slow[rank] & HB_SLOW_WORK) != 0);
    hb_json_truth(json, "copy", (own->slow[rank] & HB_SLOW_COPY) != 0);
    hb_json_text(json, "host", place->host);
    hb_json_text(json, "processors", place->processors);
    hb_json_text(json, "numa_nodes", place->numa_nodes);
    hb_json_text(json, "device", place->device);
    hb_json_text(json, "pci_bus_id", place->pci_bus_id);
    hb_json_close(json);
  }
  hb_json_close(json);
  return status;
}

static void put_entries(const struct hb_entries *entries, const char *key, struct hb_json *json) {
  hb_json_open_object(json, key);
  hb_json_open_array(json, "entries");
  for (int e = 0; e < entries->count; e++) {
    hb_json_open_object(json, NULL);
    hb_json_text(json, "name", entries->entry[e].name);
    hb_json_real(json, "bytes", entries->entry[e].bytes);
    hb_json_close(json);
  }
  hb_json_close(json);
  hb_json_real(json, "total_bytes", entries->total);
  hb_json_close(json);
}

static void put_memory(const struct hb_memory_uses *uses, struct hb_json *json) {
  hb_json_open_object(json, "memory");
  put_entries(&uses->host, "model_host", json);
  put_entries(&uses->device, "model_device", json);
  hb_json_open_object(json, "measured");
  hb_json_open_array(json, "resident_peak_bytes");
  for (int rank = 0; rank < uses->count; rank++)
    if (uses->peaks[rank].resident >= 0)
      hb_json_integer(json, NULL, uses->peaks[rank].resident);
    else
      hb_json_null(json, NULL);
  hb_json_close(json);
  hb_json_open_array(json, "allocated_peak_bytes");
  for (int rank = 0; rank < uses->count; rank++)
    hb_json_integer(json, NULL, uses->peaks[rank].allocated);
  hb_json_close(json);
  hb_json_open_array(json, "device_peak_bytes");
  for (int rank = 0; rank < uses->count; rank++)
    hb_json_integer(json, NULL, uses->peaks[rank].device);
  hb_json_close(json);
  hb_json_close(json);
  hb_json_close(json);
}

static void put_file(const struct hb_results *results, struct hb_json *json) {
  const struct hb_options *options = results->solver->plan->options;
  if (!hb_output_wanted(options)) {
    hb_json_null(json, "file");
    return;
  }
  hb_json_open_object(json, "file");
  hb_json_text(json, "path", options->file);
  hb_json_truth(json, "written", !results->unwritten);
  hb_json_text(json, "written_by", results->written_by);
  hb_json_close(json);
}

/* ---- the output file's tables ---------------------------------------------------------------- */

static void put_cell(const struct hb_field_file_column *column, hb_global row,
                     struct hb_json *json) {
  static const size_t sizes[] = {sizeof(int32_t), sizeof(int64_t), sizeof(double), 0, sizeof(bool)};
  const size_t size = column->kind == HB_COLUMN_TEXT ? (size_t)column->width : sizes[column->kind];
  const size_t stride = column->stride > 0 ? column->stride : size;
  const void *value = (const char *)column->values + (size_t)row * stride;
  int32_t narrow;
  int64_t wide;
  double real;
  bool truth;
  switch (column->kind) {
  case HB_COLUMN_INT32:
    memcpy(&narrow, value, sizeof narrow);
    hb_json_integer(json, NULL, narrow);
    break;
  case HB_COLUMN_INT64:
    memcpy(&wide, value, sizeof wide);
    hb_json_integer(json, NULL, wide);
    break;
  case HB_COLUMN_REAL:
    memcpy(&real, value, sizeof real);
    hb_json_real(json, NULL, real);
    break;
  case HB_COLUMN_BOOL:
    memcpy(&truth, value, sizeof truth);
    hb_json_truth(json, NULL, truth);
    break;
  case HB_COLUMN_TEXT: hb_json_bytes(json, NULL, value, (size_t)column->width); break;
  }
}

static void put_table(const struct hb_field_file_table *table, struct hb_json *json) {
  const bool compound = table->columns[0].name != NULL;
  if (compound) hb_json_open_object(json, table->path);
  for (int c = 0; c < table->num_columns; c++) {
    hb_json_open_array(json, compound ? table->columns[c].name : table->path);
    for (hb_global row = 0; row < table->num_rows; row++) put_cell(&table->columns[c], row, json);
    hb_json_close(json);
  }
  if (compound) hb_json_close(json);
}

/* Attributes of one group; object NULL: of the root. */
static void put_attributes(const struct hb_field_file_content *content, const char *object,
                           const char *key, struct hb_json *json) {
  hb_json_open_object(json, key);
  for (int a = 0; a < content->num_attributes; a++) {
    const struct hb_field_file_attribute *attribute = &content->attributes[a];
    const bool of_root = attribute->object == NULL;
    if (object == NULL ? !of_root : of_root || strcmp(attribute->object, object) != 0) continue;
    if (attribute->kind == HB_ATTRIBUTE_TEXT)
      hb_json_text(json, attribute->name, attribute->text);
    else if (attribute->kind == HB_ATTRIBUTE_INTEGER)
      hb_json_integer(json, attribute->name, attribute->integer);
    else
      hb_json_real(json, attribute->name, attribute->real);
  }
  hb_json_close(json);
}

static void put_content(const struct hb_output_tables *tables, struct hb_json *json) {
  struct hb_field_file_content content = {.pieces = 0};
  hb_output_tables_describe(tables, &content);
  put_attributes(&content, NULL, "run", json);
  put_attributes(&content, "/solver", "solver", json);
  hb_json_open_object(json, "configuration");
  for (int o = 0; o < content.num_options; o++) {
    char name[128];
    snprintf(name, sizeof name, "%s.%s", content.options[o].section, content.options[o].name);
    hb_json_text(json, name, content.options[o].value);
  }
  hb_json_close(json);
  hb_json_open_object(json, "tables");
  for (int t = 0; t < content.num_tables; t++) put_table(&content.tables[t], json);
  hb_json_close(json);
}

/* ---- the file -------------------------------------------------------------------------------- */

struct content {
  const struct hb_results *results;
  const struct hb_output_tables *tables;
};

static enum hb_status put_report(FILE *stream, void *context) {
  enum hb_status status = HB_OK;
  const struct content *content = context;
  const struct hb_results *results = content->results;
  struct hb_json json = hb_json_begin(stream);
  const time_t now = time(NULL);
  struct tm utc = {0};
  char created[32] = "";
  if (gmtime_r(&now, &utc) != NULL) strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "schema", HB_REPORT_SCHEMA);
  hb_json_integer(&json, "schema_version", HB_REPORT_SCHEMA_VERSION);
  hb_json_text(&json, "created_utc", created);
  hb_json_text(&json, "status", hb_results_status(results));
  put_gates(results->gates, HB_GATE_FAILS, "failed", &json);
  put_gates(results->gates, HB_GATE_INCONCLUSIVE, "inconclusive", &json);
  put_case(results, &json);
  put_figures(results, &json);
  put_solves(results, &json);
  HB_TRY(put_ranks(results, &json));
  put_memory(results->memory, &json);
  put_entries(&results->figures->traffic.entries, "traffic", &json);
  put_file(results, &json);
  HB_TRY(hb_environment_put(environ, &json));
  put_content(content->tables, &json);
  hb_json_close(&json);
done:
  return status;
}

enum hb_status hb_report_json_write(const struct hb_results *results,
                                    const struct hb_output_tables *tables,
                                    const struct hb_path_version *before) {
  enum hb_status status = HB_OK;
  const struct hb_plan *plan = results->solver->plan;
  struct content content = {results, tables};
  if (plan->comm->rank == 0)
    status = hb_text_file_write(plan->options->report, before, put_report, &content);
  return hb_comm_agree(plan->comm, status);
}
