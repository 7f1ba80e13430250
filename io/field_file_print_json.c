/* SPDX-License-Identifier: BSD-3-Clause
 * Prints the summary of an output file as one JSON object. */
#include <math.h>
#include <string.h>

#include "io/field_file_read.h"
#include "io/schema.h"
#include "io/text.h"

/* At most `length` bytes; a byte that is no UTF-8 becomes the replacement character. */
static void put_text(FILE *stream, const char *text, size_t length) {
  fputc('"', stream);
  for (size_t at = 0; at < length && text[at] != '\0';) {
    const unsigned char byte = (unsigned char)text[at];
    const size_t bytes = hb_utf8_bytes(text + at, length - at);
    const unsigned char next = bytes == 2 ? (unsigned char)text[at + 1] : 0;
    if (byte == '"' || byte == '\\')
      fprintf(stream, "\\%c", byte);
    else if (byte < 0x20 || byte == 0x7f)
      fprintf(stream, "\\u%04x", byte);
    else if (byte == 0xc2 && next >= 0x80 && next <= 0x9f) /* control characters, too */
      fprintf(stream, "\\u%04x", next);
    else if (bytes == 0)
      fprintf(stream, "\\ufffd");
    else
      fprintf(stream, "%.*s", (int)bytes, text + at);
    at += bytes > 0 ? bytes : 1;
  }
  fputc('"', stream);
}

static void put_string(FILE *stream, const char *text) {
  put_text(stream, text == NULL ? "" : text, text == NULL ? 0 : strlen(text));
}

static void put_real(FILE *stream, double value) {
  if (isfinite(value))
    fprintf(stream, "%.17g", value);
  else
    fprintf(stream, "null");
}

static void put_key(FILE *stream, const char *key, bool first) {
  fprintf(stream, "%s\n", first ? "" : ",");
  put_string(stream, key);
  fprintf(stream, ": ");
}

/* {"group": {"name": value}}: a group's attributes follow each other. */
static void put_attributes(const struct hb_field_file_summary *summary, FILE *stream) {
  const char *group = NULL;
  fprintf(stream, "{");
  for (int a = 0; a < summary->num_attributes; a++) {
    const struct hb_read_attribute *attribute = &summary->attributes[a];
    const bool opens = group == NULL || strcmp(group, attribute->object) != 0;
    if (opens) {
      if (group != NULL) fprintf(stream, "}");
      put_key(stream, attribute->object, group == NULL);
      fprintf(stream, "{");
    }
    group = attribute->object;
    put_key(stream, attribute->name, opens);
    if (attribute->kind == HB_ATTRIBUTE_TEXT)
      put_string(stream, attribute->text);
    else if (attribute->kind == HB_ATTRIBUTE_REAL)
      put_real(stream, attribute->real);
    else
      fprintf(stream, "%lld", (long long)attribute->integer);
  }
  fprintf(stream, "%s}", group != NULL ? "}" : "");
}

static void put_cell(FILE *stream, const struct hb_read_column *column, hb_global row) {
  if (column->kind == HB_COLUMN_TEXT)
    put_text(stream, column->text + row * column->width, (size_t)column->width);
  else if (column->kind == HB_COLUMN_REAL)
    put_real(stream, column->reals[row]);
  else if (column->kind == HB_COLUMN_BOOL)
    fprintf(stream, "%s", column->integers[row] ? "true" : "false");
  else
    fprintf(stream, "%lld", (long long)column->integers[row]);
}

/* {"column": [values]}; a plain array is [values]. */
static void put_table(const struct hb_read_table *table, FILE *stream) {
  if (table->compound) fprintf(stream, "{");
  if (!table->compound && table->num_columns == 0) fprintf(stream, "null");
  for (int c = 0; c < table->num_columns; c++) {
    if (table->compound) put_key(stream, table->columns[c].name, c == 0);
    fprintf(stream, "[");
    for (hb_global row = 0; row < table->num_rows; row++) {
      fprintf(stream, "%s", row > 0 ? ", " : "");
      put_cell(stream, &table->columns[c], row);
    }
    fprintf(stream, "]");
  }
  if (table->compound) fprintf(stream, "}");
}

static enum hb_status put_timings(const struct hb_field_file_summary *summary, FILE *stream) {
  enum hb_status status = HB_OK;
  const struct hb_read_table *table = hb_summary_table(summary, HB_SCHEMA_TIMINGS);
  bool first = true;
  fprintf(stream, "{");
  for (int c = 0; table != NULL && table->num_rows > 0 && c < table->num_columns; c++) {
    struct hb_statistics of;
    if (table->columns[c].reals == NULL) continue;
    HB_TRY(hb_statistics_of(table->columns[c].reals, table->num_rows, &of));
    put_key(stream, table->columns[c].name, first);
    first = false;
    fprintf(stream, "{\"min\": ");
    put_real(stream, of.min);
    fprintf(stream, ", \"median\": ");
    put_real(stream, of.median);
    fprintf(stream, ", \"max\": ");
    put_real(stream, of.max);
    fprintf(stream, ", \"imbalance\": ");
    put_real(stream, of.imbalance);
    fprintf(stream, "}");
  }
  fprintf(stream, "}");
done:
  return status;
}

static void put_ranges(const struct hb_field_file_summary *summary, FILE *stream) {
  fprintf(stream, "{");
  for (int r = 0; r < summary->num_ranges; r++) {
    const struct hb_read_range *range = &summary->ranges[r];
    put_key(stream, strrchr(range->path, '/') + 1, r == 0);
    fprintf(stream, "{\"min\": ");
    put_real(stream, range->min);
    fprintf(stream, ", \"max\": ");
    put_real(stream, range->max);
    fprintf(stream, ", \"components\": %d, \"not_finite\": %lld}", range->components,
            (long long)range->num_not_finite);
  }
  fprintf(stream, "}");
}

enum hb_status hb_field_file_print_json(const struct hb_field_file_summary *summary, FILE *stream) {
  enum hb_status status = HB_OK;
  const bool gates = hb_summary_table(summary, HB_SCHEMA_GATES) != NULL;
  fprintf(stream, "{\"file\": ");
  put_string(stream, summary->path);
  put_key(stream, "layout", false);
  put_string(stream, summary->num_faults == 0 ? "PASS" : "FAIL");
  put_key(stream, "faults", false);
  fprintf(stream, "[");
  for (int f = 0; f < summary->num_faults; f++) {
    fprintf(stream, "%s", f > 0 ? ", " : "");
    put_string(stream, summary->faults[f]);
  }
  fprintf(stream, "]");
  put_key(stream, "gates", false);
  fprintf(stream, "%s",
          !gates                  ? "null"
          : summary->gates_failed ? "\"FAIL\""
          : summary->gates_open   ? "\"INCONCLUSIVE\""
                                  : "\"PASS\"");
  put_key(stream, "attributes", false);
  put_attributes(summary, stream);
  put_key(stream, "timings", false);
  HB_TRY(put_timings(summary, stream));
  put_key(stream, "fields", false);
  put_ranges(summary, stream);
  put_key(stream, "tables", false);
  fprintf(stream, "{");
  for (int t = 0; t < summary->num_tables; t++) {
    put_key(stream, summary->tables[t].path, t == 0);
    put_table(&summary->tables[t], stream);
  }
  fprintf(stream, "}}\n");
done:
  return status;
}
