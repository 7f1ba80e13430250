/* SPDX-License-Identifier: BSD-3-Clause
 * Rows, their rates, and their columns as CSV, JSON and HDF5. */
#include "app/bench/results.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "io/json.h"

/* Each row is `columns` once: name, kind, bytes, where. */
struct column {
  const char *name;
  enum hb_column_kind kind;
  size_t bytes, offset;
};
#define COLUMN(kind, member)                                                                       \
  {                                                                                                \
#member, HB_COLUMN_##kind, sizeof(((struct hb_bench_row *)NULL)->member),                      \
        offsetof(struct hb_bench_row, member)                                                      \
  }
static const struct column columns[] = {
    COLUMN(INT32, degree),  COLUMN(INT32, n),           COLUMN(TEXT, precision),
    COLUMN(TEXT, geometry), COLUMN(TEXT, kernel),       COLUMN(TEXT, shape),
    COLUMN(INT32, ranks),   COLUMN(INT64, elements),    COLUMN(INT64, points),
    COLUMN(TEXT, part),     COLUMN(BOOL, right),        COLUMN(REAL, error),
    COLUMN(INT32, samples), COLUMN(INT32, repeats),     COLUMN(REAL, least_s),
    COLUMN(REAL, median_s), COLUMN(REAL, most_s),       COLUMN(REAL, spread_s),
    COLUMN(REAL, bytes),    COLUMN(REAL, flops),        COLUMN(REAL, points_per_s),
    COLUMN(REAL, gflops),   COLUMN(REAL, gbytes_per_s), COLUMN(REAL, fraction_of_copy),
    COLUMN(BOOL, cached)};
enum { NUM_COLUMNS = sizeof columns / sizeof *columns };

void hb_bench_rates(struct hb_bench_row *row, double copy_s, double copy_bytes) {
  row->points_per_s = row->flops > 0.0 ? (double)row->points / row->least_s : NAN;
  if (strcmp(row->part, "triad") == 0) row->points_per_s = NAN;
  row->gflops = 1e-9 * row->flops / row->least_s;
  row->gbytes_per_s = 1e-9 * row->bytes / row->least_s;
  row->fraction_of_copy = row->bytes / row->least_s / (copy_bytes / copy_s);
  if (strcmp(row->part, "exchange") == 0) row->fraction_of_copy = NAN; /* not memory's */
}

enum hb_status hb_bench_results_add(struct hb_bench_results *results,
                                    const struct hb_bench_row *row) {
  enum hb_status status = HB_OK;
  if (results->count == results->capacity) {
    const int capacity = 2 * results->capacity + 64;
    struct hb_bench_row *more = NULL;
    HB_ALLOC(more, capacity, "rows of the benchmark");
    if (results->count > 0) memcpy(more, results->rows, (size_t)results->count * sizeof *more);
    hb_free(results->rows);
    results->rows = more;
    results->capacity = capacity;
  }
  results->rows[results->count++] = *row;
done:
  return status;
}

void hb_bench_results_say(struct hb_bench_results *results, const char *name, const char *format,
                          ...) {
  va_list arguments;
  HB_ASSERT(results->num_attributes < HB_BENCH_MOST_ATTRIBUTES);
  char *text = results->attribute[results->num_attributes].text;
  results->attribute[results->num_attributes++].name = name;
  va_start(arguments, format);
  vsnprintf(text, HB_BENCH_TEXT_BYTES, format, arguments);
  va_end(arguments);
  for (char *c = text; *c != '\0'; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
}

void hb_bench_results_destroy(struct hb_bench_results *results) {
  hb_free(results->rows);
  results->rows = NULL;
  results->count = results->capacity = 0;
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

/* A value; what is not a number is nothing. */
static void put_value(FILE *stream, const struct hb_bench_row *row, const struct column *column) {
  const void *value = (const char *)row + column->offset;
  const double real = column->kind == HB_COLUMN_REAL ? *(const double *)value : 0.0;
  switch (column->kind) {
  case HB_COLUMN_INT32: fprintf(stream, "%d", (int)*(const int32_t *)value); break;
  case HB_COLUMN_INT64: fprintf(stream, "%lld", (long long)*(const int64_t *)value); break;
  case HB_COLUMN_BOOL: fputs(*(const bool *)value ? "yes" : "no", stream); break;
  case HB_COLUMN_TEXT: fputs(value, stream); break; /* words without commas */
  case HB_COLUMN_REAL:
    if (isfinite(real)) fprintf(stream, "%.12g", real);
    break;
  }
}

static void print_csv(FILE *stream, const struct hb_bench_results *results) {
  for (int a = 0; a < results->num_attributes; a++)
    fprintf(stream, "# %s: %s\n", results->attribute[a].name, results->attribute[a].text);
  for (int c = 0; c < NUM_COLUMNS; c++)
    fprintf(stream, "%s%s", columns[c].name, c + 1 < NUM_COLUMNS ? "," : "\n");
  for (int r = 0; r < results->count; r++)
    for (int c = 0; c < NUM_COLUMNS; c++) {
      put_value(stream, &results->rows[r], &columns[c]);
      fputc(c + 1 < NUM_COLUMNS ? ',' : '\n', stream);
    }
}

static void put_member(struct hb_json *json, const struct hb_bench_row *row,
                       const struct column *column) {
  const void *value = (const char *)row + column->offset;
  switch (column->kind) {
  case HB_COLUMN_INT32: hb_json_integer(json, column->name, *(const int32_t *)value); break;
  case HB_COLUMN_INT64: hb_json_integer(json, column->name, *(const int64_t *)value); break;
  case HB_COLUMN_BOOL: hb_json_truth(json, column->name, *(const bool *)value); break;
  case HB_COLUMN_TEXT: hb_json_text(json, column->name, value); break;
  case HB_COLUMN_REAL: hb_json_real(json, column->name, *(const double *)value); break;
  }
}

static void print_json(FILE *stream, const struct hb_bench_results *results) {
  struct hb_json json = hb_json_begin(stream);
  hb_json_open_object(&json, NULL);
  for (int a = 0; a < results->num_attributes; a++)
    hb_json_text(&json, results->attribute[a].name, results->attribute[a].text);
  hb_json_open_array(&json, "rows");
  for (int r = 0; r < results->count; r++) {
    hb_json_open_object(&json, NULL);
    for (int c = 0; c < NUM_COLUMNS; c++) put_member(&json, &results->rows[r], &columns[c]);
    hb_json_close(&json);
  }
  hb_json_close(&json);
  hb_json_close(&json);
}

static void print_text(FILE *stream, const struct hb_bench_results *results) {
  hb_bench_print_head(stream, results);
  for (int first = 0, next = 0; first < results->count; first = next) {
    const struct hb_bench_row *row = &results->rows[first];
    for (next = first + 1; next < results->count; next++) {
      const struct hb_bench_row *other = &results->rows[next];
      if (row->degree != other->degree || strcmp(row->precision, other->precision) != 0 ||
          strcmp(row->geometry, other->geometry) != 0 || strcmp(row->kernel, other->kernel) != 0)
        break;
    }
    hb_bench_print_rows(stream, next - first, row);
  }
  hb_bench_print_notes(stream, results);
}

void hb_bench_print(FILE *stream, const struct hb_bench_results *results,
                    enum hb_bench_format format) {
  if (format == HB_BENCH_CSV) print_csv(stream, results);
  if (format == HB_BENCH_JSON) print_json(stream, results);
  if (format == HB_BENCH_TEXT) print_text(stream, results);
}

/* ---- files ----------------------------------------------------------------------------------- */

static enum hb_status write_hdf5(const struct hb_bench_results *results, const char *path) {
  struct hb_field_file_column all[NUM_COLUMNS];
  struct hb_field_file_attribute attributes[HB_BENCH_MOST_ATTRIBUTES];
  for (int c = 0; c < NUM_COLUMNS; c++)
    all[c] = (struct hb_field_file_column){
        .name = columns[c].name,
        .kind = columns[c].kind,
        .width = columns[c].kind == HB_COLUMN_TEXT ? (int)columns[c].bytes : 0,
        .values = results->count > 0 ? (const char *)results->rows + columns[c].offset : NULL,
        .stride = sizeof *results->rows};
  for (int a = 0; a < results->num_attributes; a++)
    attributes[a] = (struct hb_field_file_attribute){.name = results->attribute[a].name,
                                                     .kind = HB_ATTRIBUTE_TEXT,
                                                     .text = results->attribute[a].text};
  const struct hb_field_file_table table = {
      .path = "/bench",
      .description =
          "parts of the operator and the iteration; names that end in _s are seconds, in "
          "_per_s 1/s, gflops 1e9 flop/s, gbytes_per_s 1e9 byte/s",
      .num_rows = results->count,
      .num_columns = NUM_COLUMNS,
      .columns = all};
  const struct hb_table_file content = {results->num_attributes, 1, attributes, &table};
  return hb_table_file_write(path, &content);
}

struct print_request {
  const struct hb_bench_results *results;
  enum hb_bench_format format;
};

static enum hb_status print_file(FILE *stream, void *context) {
  const struct print_request *request = context;
  hb_bench_print(stream, request->results, request->format);
  return HB_OK;
}

enum hb_status hb_bench_write(const struct hb_bench_results *results,
                              const struct hb_bench_options *options) {
  enum hb_status status = HB_OK;
  for (int f = 0; f < options->num_files; f++) {
    struct print_request request = {results, options->file_format[f]};
    if (request.format == HB_BENCH_HDF5)
      HB_TRY(write_hdf5(results, options->file[f]));
    else
      HB_TRY(hb_text_file_write(options->file[f], NULL, print_file, &request));
  }
done:
  return status;
}
