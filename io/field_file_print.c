/* SPDX-License-Identifier: BSD-3-Clause
 * Prints the summary of an output file for people. */
#include <string.h>

#include "io/field_file_read.h"
#include "io/schema.h"
#include "io/text.h"

enum { MAX_ROWS = 16 }; /* of tables printed row by row */

/* Text of a file, at most `length` bytes, in at least `width` places: what would steer a terminal,
 * control characters and bytes that are no UTF-8, becomes ?. */
static void put(FILE *stream, const char *text, size_t length, int width) {
  int places = 0;
  for (size_t at = 0; at < length && text[at] != '\0'; places++) {
    const size_t bytes = hb_shown_bytes(text + at, length - at);
    if (bytes > 0)
      fwrite(text + at, 1, bytes, stream);
    else
      fputc('?', stream);
    at += bytes > 0 ? bytes : 1;
  }
  for (; places < width; places++) fputc(' ', stream);
}

static void put_text(FILE *stream, const char *text, int width) {
  put(stream, text != NULL ? text : "", text != NULL ? strlen(text) : 0, width);
}

static void print_value(FILE *stream, const struct hb_read_attribute *attribute) {
  switch (attribute->kind) {
  case HB_ATTRIBUTE_TEXT:
    put_text(stream, attribute->text, 0);
    fputc('\n', stream);
    break;
  case HB_ATTRIBUTE_INTEGER: fprintf(stream, "%lld\n", (long long)attribute->integer); break;
  case HB_ATTRIBUTE_REAL: fprintf(stream, "%.9g\n", attribute->real); break;
  }
}

/* Attributes of one group after another: "/" is called run. */
static void print_attributes(const struct hb_field_file_summary *summary, FILE *stream) {
  const char *group = "";
  for (int a = 0; a < summary->num_attributes; a++) {
    const struct hb_read_attribute *attribute = &summary->attributes[a];
    if (strcmp(group, attribute->object) != 0) {
      fputc('\n', stream);
      put_text(stream, strcmp(attribute->object, "/") == 0 ? "run" : attribute->object + 1, 0);
      fprintf(stream, ":\n");
    }
    group = attribute->object;
    if (strcmp(attribute->name, HB_SCHEMA_NODE_ORDERING) == 0) continue; /* the same always */
    fprintf(stream, "  ");
    put_text(stream, attribute->name, 29);
    print_value(stream, attribute);
  }
}

static void print_mesh(const struct hb_field_file_summary *summary, FILE *stream) {
  const hb_global n = hb_summary_integer(summary, HB_SCHEMA_NODES, 0);
  fprintf(stream, "mesh: %lld x %lld x %lld elements of degree %lld, %lld nodes with copies\n",
          (long long)hb_summary_integer(summary, HB_SCHEMA_ELEMENTS_X, 0),
          (long long)hb_summary_integer(summary, HB_SCHEMA_ELEMENTS_Y, 0),
          (long long)hb_summary_integer(summary, HB_SCHEMA_ELEMENTS_Z, 0),
          (long long)(n > 0 ? n - 1 : 0),
          (long long)hb_summary_integer(summary, HB_SCHEMA_ALL_POINTS, 0));
}

static void print_cell(FILE *stream, const struct hb_read_column *column, hb_global row) {
  const size_t at = (size_t)row;
  switch (column->kind) {
  case HB_COLUMN_TEXT:
    put(stream, column->text + at * (size_t)column->width, (size_t)column->width, column->width);
    break;
  case HB_COLUMN_REAL: fprintf(stream, "%-14.6g", column->reals[at]); break;
  case HB_COLUMN_BOOL: fprintf(stream, "%-6s", column->integers[at] ? "yes" : "no"); break;
  default: fprintf(stream, "%-10lld", (long long)column->integers[at]); break;
  }
  fprintf(stream, "  ");
}

static void print_table(const struct hb_read_table *table, FILE *stream) {
  fputc('\n', stream);
  put_text(stream, table->path + 1, 0);
  fprintf(stream, " (%lld rows):", (long long)table->num_rows);
  for (int c = 0; c < table->num_columns; c++) {
    fprintf(stream, "%s ", c > 0 ? "," : "");
    put_text(stream, table->columns[c].name, 0);
  }
  fputc('\n', stream);
  for (hb_global row = 0; row < table->num_rows && row < MAX_ROWS; row++) {
    fprintf(stream, "  ");
    for (int c = 0; c < table->num_columns; c++) print_cell(stream, &table->columns[c], row);
    fprintf(stream, "\n");
  }
  if (table->num_rows > MAX_ROWS)
    fprintf(stream, "  ... %lld more\n", (long long)table->num_rows - MAX_ROWS);
}

static void print_gates(const struct hb_field_file_summary *summary, FILE *stream) {
  const struct hb_read_table *table = hb_summary_table(summary, HB_SCHEMA_GATES);
  const struct hb_read_column *name = hb_table_column(table, "name");
  const struct hb_read_column *observed = hb_table_column(table, "observed");
  const struct hb_read_column *bound = hb_table_column(table, "bound");
  const struct hb_read_column *passed = hb_table_column(table, "passed");
  const struct hb_read_column *verdict = hb_table_column(table, "verdict");
  if (table == NULL) {
    fprintf(stream, "\ngates: none in this file\n");
    return;
  }
  fprintf(stream, "\ngates: %s\n",
          summary->gates_failed ? "FAIL"
          : summary->gates_open ? "INCONCLUSIVE"
                                : "PASS");
  if (name == NULL || name->text == NULL || observed == NULL || observed->reals == NULL ||
      bound == NULL || bound->reals == NULL || passed == NULL || passed->integers == NULL)
    return; /* the layout check says so */
  for (hb_global row = 0; row < table->num_rows; row++) {
    fprintf(stream, "  ");
    put(stream, name->text + row * name->width, (size_t)name->width, 24);
    fprintf(stream, " observed %-12.4g bound %-12.4g ", observed->reals[row], bound->reals[row]);
    if (verdict != NULL && verdict->text != NULL)
      put(stream, verdict->text + row * verdict->width, (size_t)verdict->width, 0);
    else
      put_text(stream, passed->integers[row] == 1 ? "PASS" : "FAIL", 0);
    fputc('\n', stream);
  }
}

static enum hb_status print_timings(const struct hb_field_file_summary *summary, FILE *stream) {
  enum hb_status status = HB_OK;
  const struct hb_read_table *table = hb_summary_table(summary, HB_SCHEMA_TIMINGS);
  if (table == NULL || table->num_rows == 0) goto done;
  fprintf(stream, "\ntimings, %lld ranks:%15s%14s%14s%14s\n", (long long)table->num_rows, "min (s)",
          "median (s)", "max (s)", "max/mean");
  for (int c = 0; c < table->num_columns; c++) {
    const struct hb_read_column *column = &table->columns[c];
    struct hb_statistics of;
    if (column->reals == NULL) continue;
    HB_TRY(hb_statistics_of(column->reals, table->num_rows, &of));
    fprintf(stream, "  ");
    put_text(stream, column->name, 21);
    fprintf(stream, "%14.6g%14.6g%14.6g%14.3f\n", of.min, of.median, of.max, of.imbalance);
  }
done:
  return status;
}

static void print_residuals(const struct hb_field_file_summary *summary, FILE *stream) {
  const struct hb_read_table *table = hb_summary_table(summary, HB_SCHEMA_RESIDUALS);
  const struct hb_read_column *norm = hb_table_column(table, "residual_norm");
  const struct hb_read_column *relative = hb_table_column(table, "relative_residual");
  if (norm == NULL || norm->reals == NULL || relative == NULL || relative->reals == NULL ||
      table->num_rows < 1)
    return;
  const hb_global last = table->num_rows - 1;
  fprintf(stream, "\nresidual: %lld iterations, norm %.6g to %.6g, relative %.6g to %.6g\n",
          (long long)last, norm->reals[0], norm->reals[last], relative->reals[0],
          relative->reals[last]);
}

static void print_ranges(const struct hb_field_file_summary *summary, FILE *stream) {
  if (summary->num_ranges == 0) return;
  fprintf(stream, "\nfields: %29s%18s\n", "min", "max");
  for (int r = 0; r < summary->num_ranges; r++) {
    const struct hb_read_range *range = &summary->ranges[r];
    const char *name = strrchr(range->path, '/') + 1;
    fprintf(stream, "  ");
    put_text(stream, name, 21);
    if (range->min > range->max)
      fprintf(stream, "no finite value\n");
    else
      fprintf(stream, "%16.9g  %16.9g\n", range->min, range->max);
  }
}

static bool has_own_section(const char *path) {
  static const char *const own[] = {HB_SCHEMA_TIMINGS, HB_SCHEMA_RESIDUALS, HB_SCHEMA_GATES};
  for (size_t o = 0; o < sizeof own / sizeof *own; o++)
    if (strcmp(path, own[o]) == 0) return true;
  return false;
}

enum hb_status hb_field_file_print(const struct hb_field_file_summary *summary, FILE *stream) {
  enum hb_status status = HB_OK;
  fprintf(stream, "file: ");
  put_text(stream, summary->path, 0);
  fputc('\n', stream);
  print_mesh(summary, stream);
  print_attributes(summary, stream);
  print_gates(summary, stream);
  HB_TRY(print_timings(summary, stream));
  print_residuals(summary, stream);
  print_ranges(summary, stream);
  for (int t = 0; t < summary->num_tables; t++)
    if (!has_own_section(summary->tables[t].path)) print_table(&summary->tables[t], stream);
  fprintf(stream, "\nlayout: %s\n", summary->num_faults == 0 ? "PASS" : "FAIL");
  for (int f = 0; f < summary->num_faults; f++) {
    fprintf(stream, "  ");
    put_text(stream, summary->faults[f], 0);
    fputc('\n', stream);
  }
done:
  return status;
}
