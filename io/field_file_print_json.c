/* SPDX-License-Identifier: BSD-3-Clause
 * Prints the summary of an output file as one JSON object. */
#include <string.h>

#include "io/field_file_read.h"
#include "io/json.h"
#include "io/schema.h"

/* {"group": {"name": value}}: a group's attributes follow each other. */
static void put_attributes(const struct hb_field_file_summary *summary, struct hb_json *json) {
  const char *group = NULL;
  hb_json_open_object(json, "attributes");
  for (int a = 0; a < summary->num_attributes; a++) {
    const struct hb_read_attribute *attribute = &summary->attributes[a];
    if (group == NULL || strcmp(group, attribute->object) != 0) {
      if (group != NULL) hb_json_close(json);
      hb_json_open_object(json, attribute->object);
    }
    group = attribute->object;
    if (attribute->kind == HB_ATTRIBUTE_TEXT)
      hb_json_text(json, attribute->name, attribute->text);
    else if (attribute->kind == HB_ATTRIBUTE_REAL)
      hb_json_real(json, attribute->name, attribute->real);
    else
      hb_json_integer(json, attribute->name, attribute->integer);
  }
  if (group != NULL) hb_json_close(json);
  hb_json_close(json);
}

static void put_cell(struct hb_json *json, const struct hb_read_column *column, hb_global row) {
  if (column->kind == HB_COLUMN_TEXT)
    hb_json_bytes(json, NULL, column->text + row * column->width, (size_t)column->width);
  else if (column->kind == HB_COLUMN_REAL)
    hb_json_real(json, NULL, column->reals[row]);
  else if (column->kind == HB_COLUMN_BOOL)
    hb_json_truth(json, NULL, column->integers[row] != 0);
  else
    hb_json_integer(json, NULL, column->integers[row]);
}

/* {"column": [values]}; a plain array is [values]. */
static void put_table(const struct hb_read_table *table, struct hb_json *json) {
  if (!table->compound && table->num_columns == 0) {
    hb_json_null(json, table->path);
    return;
  }
  if (table->compound) hb_json_open_object(json, table->path);
  for (int c = 0; c < table->num_columns; c++) {
    hb_json_open_array(json, table->compound ? table->columns[c].name : table->path);
    for (hb_global row = 0; row < table->num_rows; row++) put_cell(json, &table->columns[c], row);
    hb_json_close(json);
  }
  if (table->compound) hb_json_close(json);
}

static enum hb_status put_timings(const struct hb_field_file_summary *summary,
                                  struct hb_json *json) {
  enum hb_status status = HB_OK;
  const struct hb_read_table *table = hb_summary_table(summary, HB_SCHEMA_TIMINGS);
  hb_json_open_object(json, "timings");
  for (int c = 0; table != NULL && table->num_rows > 0 && c < table->num_columns; c++) {
    struct hb_statistics of;
    if (table->columns[c].reals == NULL) continue;
    HB_TRY(hb_statistics_of(table->columns[c].reals, table->num_rows, &of));
    hb_json_open_object(json, table->columns[c].name);
    hb_json_real(json, "min", of.min);
    hb_json_real(json, "median", of.median);
    hb_json_real(json, "max", of.max);
    hb_json_real(json, "imbalance", of.imbalance);
    hb_json_close(json);
  }
  hb_json_close(json);
done:
  return status;
}

static void put_ranges(const struct hb_field_file_summary *summary, struct hb_json *json) {
  hb_json_open_object(json, "fields");
  for (int r = 0; r < summary->num_ranges; r++) {
    const struct hb_read_range *range = &summary->ranges[r];
    hb_json_open_object(json, strrchr(range->path, '/') + 1);
    hb_json_real(json, "min", range->min);
    hb_json_real(json, "max", range->max);
    hb_json_integer(json, "components", range->components);
    hb_json_integer(json, "not_finite", range->num_not_finite);
    hb_json_close(json);
  }
  hb_json_close(json);
}

enum hb_status hb_field_file_print_json(const struct hb_field_file_summary *summary, FILE *stream) {
  enum hb_status status = HB_OK;
  struct hb_json json = hb_json_begin(stream);
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "file", summary->path);
  hb_json_text(&json, "layout", summary->num_faults == 0 ? "PASS" : "FAIL");
  hb_json_open_array(&json, "faults");
  for (int f = 0; f < summary->num_faults; f++) hb_json_text(&json, NULL, summary->faults[f]);
  hb_json_close(&json);
  if (hb_summary_table(summary, HB_SCHEMA_GATES) == NULL)
    hb_json_null(&json, "gates");
  else
    hb_json_text(&json, "gates",
                 summary->gates_failed ? "FAIL"
                 : summary->gates_open ? "INCONCLUSIVE"
                                       : "PASS");
  put_attributes(summary, &json);
  HB_TRY(put_timings(summary, &json));
  put_ranges(summary, &json);
  hb_json_open_object(&json, "tables");
  for (int t = 0; t < summary->num_tables; t++) put_table(&summary->tables[t], &json);
  hb_json_close(&json);
  hb_json_close(&json);
done:
  return status;
}
