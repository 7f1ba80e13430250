/* SPDX-License-Identifier: BSD-3-Clause
 * Checks of what the caller wants written, and how many bytes it takes. */
#include <string.h>

#include "io/field_file_internal.h"
#include "io/schema.h"

enum { MAX_FIELD_NAME = 128, FILE_OVERHEAD_BYTES = 64 * 1024 };

hb_global hb_field_file_bytes(int n, const hb_global elements[3], int num_components,
                              enum hb_precision precision) {
  const hb_global nodes = (hb_global)n * n * n, p = n - 1, cells = p * p * p;
  const hb_global real_bytes = (hb_global)hb_precision_bytes(precision);
  hb_global all = 0, points = 0, bytes = 0;
  if (!hb_multiply(elements[0], elements[1], &all) || !hb_multiply(all, elements[2], &all) ||
      !hb_multiply(all, nodes, &points) || points > HB_GLOBAL_MAX / (2 * HB_SCHEMA_CORNERS))
    return -1;
  const bool wide = points > INT32_MAX || HB_SCHEMA_CORNERS * all * cells > INT32_MAX;
  const hb_global id_bytes = wide ? 8 : 4, element_id_bytes = all > INT32_MAX ? 8 : 4;
  const hb_global cell_bytes = (HB_SCHEMA_CORNERS + 1) * id_bytes + 1 + element_id_bytes + 4;
  const hb_global element_bytes = nodes * (3 + num_components) * real_bytes + cells * cell_bytes;
  return hb_multiply(all, element_bytes, &bytes) ? bytes : -1;
}

hb_global hb_file_content_bytes(const struct hb_field_file_content *content) {
  hb_global bytes = FILE_OVERHEAD_BYTES;
  int num_components = 0;
  for (int f = 0; f < content->num_fields; f++) num_components += content->field[f].components;
  if (content->fields) {
    const hb_global fields =
        hb_field_file_bytes(content->n, content->elements, num_components, content->precision);
    if (fields < 0) return -1;
    bytes += fields;
  }
  for (int t = 0; t < content->num_tables; t++) {
    const hb_global table = hb_file_table_bytes(&content->tables[t]);
    if (table < 0 || table > HB_GLOBAL_MAX - bytes) return -1;
    bytes += table;
  }
  return bytes;
}

static bool is_plain_name(const char *name) {
  const char *allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const size_t length = name == NULL ? 0 : strlen(name);
  return length > 0 && length < MAX_FIELD_NAME && strspn(name, allowed) == length;
}

static enum hb_status check_mesh(const struct hb_field_file_content *content) {
  enum hb_status status = HB_OK;
  if (content->n < HB_MIN_DEGREE + 1 || content->n > HB_MAX_N)
    HB_FAIL(HB_BAD_INPUT, "output file: %d nodes per direction, allowed are %d to %d", content->n,
            HB_MIN_DEGREE + 1, HB_MAX_N);
  for (int axis = 0; axis < 3; axis++) {
    const hb_global all = content->elements[axis], start = content->element_start[axis];
    const hb_local count = content->element_count[axis];
    if (all < 1 || start < 0 || count < 0 || start > all - count)
      HB_FAIL(HB_BAD_INPUT, "output file: elements %lld to %lld of %lld along axis %d",
              (long long)start, (long long)(start + count), (long long)all, axis);
  }
  if (hb_field_file_bytes(content->n, content->elements, 0, HB_F64) < 0)
    HB_FAIL(HB_BAD_INPUT, "output file: %lld x %lld x %lld elements are more than 64 bit count",
            (long long)content->elements[0], (long long)content->elements[1],
            (long long)content->elements[2]);
done:
  return status;
}

static enum hb_status check_fields(const struct hb_field_file_content *content) {
  enum hb_status status = HB_OK;
  if (!content->fields) goto done;
  if (content->gll_nodes == NULL || content->gll_weights == NULL || content->fill_points == NULL)
    HB_FAIL(HB_BAD_INPUT, "output file: nodes, weights or positions are missing");
  for (int f = 0; f < content->num_fields; f++) {
    const struct hb_field_file_field *field = &content->field[f];
    if (!is_plain_name(field->name))
      HB_FAIL(HB_BAD_INPUT, "output file: field name '%s': letters, digits and _ are allowed",
              field->name == NULL ? "" : field->name);
    if ((field->components != 1 && field->components != 3) || field->fill == NULL)
      HB_FAIL(HB_BAD_INPUT, "output file: field '%s': %d components%s; allowed are 1 and 3",
              field->name, field->components, field->fill == NULL ? ", no fill function" : "");
  }
done:
  return status;
}

static enum hb_status check_attributes(const struct hb_field_file_content *content) {
  static const char *const required[] = HB_SCHEMA_CALLER_ATTRIBUTES;
  enum hb_status status = HB_OK;
  for (size_t r = 0; r < sizeof required / sizeof *required; r++) {
    bool found = false;
    for (int a = 0; a < content->num_attributes; a++) {
      const struct hb_field_file_attribute *attribute = &content->attributes[a];
      const bool root = attribute->object == NULL || strcmp(attribute->object, "/") == 0;
      if (root && attribute->kind == HB_ATTRIBUTE_TEXT && strcmp(attribute->name, required[r]) == 0)
        found = true;
    }
    if (!found) HB_FAIL(HB_BAD_INPUT, "output file: text attribute '%s' is missing", required[r]);
  }
done:
  return status;
}

static enum hb_status check_columns(const struct hb_field_file_table *table) {
  enum hb_status status = HB_OK;
  for (int c = 0; c < table->num_columns; c++) {
    const struct hb_field_file_column *column = &table->columns[c];
    if (column->name == NULL && table->num_columns > 1)
      HB_FAIL(HB_BAD_INPUT, "output file: table %s: column %d has no name", table->path, c);
    if (column->kind == HB_COLUMN_TEXT && column->width < 1)
      HB_FAIL(HB_BAD_INPUT, "output file: table %s: column %d has %d bytes of text", table->path, c,
              column->width);
  }
done:
  return status;
}

static bool path_is_free(const char *path) {
  const size_t vtk = strlen(HB_SCHEMA_VTK);
  const bool under_vtk =
      strncmp(path, HB_SCHEMA_VTK, vtk) == 0 && (path[vtk] == '/' || path[vtk] == '\0');
  return path[0] == '/' && path[1] != '\0' && strlen(path) < HB_HDF5_NAME_BYTES && !under_vtk &&
         strcmp(path, HB_SCHEMA_FIELDS) != 0;
}

static enum hb_status check_tables(const struct hb_field_file_content *content) {
  static const char *const required[] = HB_SCHEMA_CALLER_TABLES;
  enum hb_status status = HB_OK;
  for (int t = 0; t < content->num_tables; t++) {
    const struct hb_field_file_table *table = &content->tables[t];
    if (!path_is_free(table->path))
      HB_FAIL(HB_BAD_INPUT, "output file: a table cannot be called '%s'", table->path);
    if (table->num_columns < 1 || table->num_rows < 0)
      HB_FAIL(HB_BAD_INPUT, "output file: table %s: %d columns, %lld rows", table->path,
              table->num_columns, (long long)table->num_rows);
    HB_TRY(check_columns(table));
  }
  for (size_t r = 0; r < sizeof required / sizeof *required; r++) {
    bool found = false;
    for (int t = 0; t < content->num_tables; t++)
      if (strcmp(content->tables[t].path, required[r]) == 0) found = true;
    if (!found) HB_FAIL(HB_BAD_INPUT, "output file: table '%s' is missing", required[r]);
  }
done:
  return status;
}

enum hb_status hb_file_check_content(const struct hb_field_file_content *content) {
  enum hb_status status = HB_OK;
  HB_TRY(check_mesh(content));
  HB_TRY(check_fields(content));
  HB_TRY(check_attributes(content));
  HB_TRY(check_tables(content));
  if (hb_file_content_bytes(content) < 0)
    HB_FAIL(HB_BAD_INPUT, "output file: more bytes than 64 bit count");
done:
  return status;
}
