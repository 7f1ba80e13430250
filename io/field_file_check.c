/* SPDX-License-Identifier: BSD-3-Clause
 * Layout check, first part: attributes and tables, from what the reader has collected. */
#include <math.h>
#include <string.h>

#include "io/field_file_read_internal.h"
#include "io/schema.h"

static enum hb_status check_text(struct hb_field_file_summary *summary, const char *name,
                                 const char *expected) {
  enum hb_status status = HB_OK;
  const struct hb_read_attribute *attribute = hb_summary_attribute(summary, "/", name);
  if (attribute == NULL)
    HB_TRY(hb_add_fault(summary, "attribute %s is missing", name));
  else if (attribute->kind != HB_ATTRIBUTE_TEXT || !attribute->as_written)
    HB_TRY(hb_add_fault(summary, "attribute %s is not UTF-8 text of fixed length", name));
  else if (expected != NULL && strcmp(attribute->text, expected) != 0)
    HB_TRY(hb_add_fault(summary, "attribute %s is '%.80s', not '%s'", name, attribute->text,
                        expected));
done:
  return status;
}

/* least <= value <= most */
static enum hb_status check_integer(struct hb_field_file_summary *summary, const char *name,
                                    hb_global least, hb_global most) {
  enum hb_status status = HB_OK;
  const struct hb_read_attribute *attribute = hb_summary_attribute(summary, "/", name);
  if (attribute == NULL)
    HB_TRY(hb_add_fault(summary, "attribute %s is missing", name));
  else if (attribute->kind != HB_ATTRIBUTE_INTEGER || !attribute->as_written)
    HB_TRY(hb_add_fault(summary, "attribute %s is no int64", name));
  else if (attribute->integer < least || attribute->integer > most)
    HB_TRY(hb_add_fault(summary, "attribute %s is %lld, not %s%lld", name,
                        (long long)attribute->integer, least == most ? "" : "at least ",
                        (long long)least));
done:
  return status;
}

/* a b in 64 bit; -1 where it does not fit or either is negative. */
static hb_global product(hb_global a, hb_global b) {
  hb_global ab = 0;
  return a >= 0 && b >= 0 && hb_multiply(a, b, &ab) ? ab : -1;
}

static enum hb_status check_attributes(struct hb_field_file_summary *summary) {
  static const char *const given[] = HB_SCHEMA_CALLER_ATTRIBUTES;
  static const char *const computed[] = {HB_SCHEMA_CREATED, HB_SCHEMA_HDF5_VERSION,
                                         HB_SCHEMA_WRITTEN_BY};
  static const char *const flags[] = {HB_SCHEMA_PERIODIC_X, HB_SCHEMA_PERIODIC_Y,
                                      HB_SCHEMA_PERIODIC_Z};
  static const char *const counts[] = {HB_SCHEMA_ELEMENTS_X, HB_SCHEMA_ELEMENTS_Y,
                                       HB_SCHEMA_ELEMENTS_Z, HB_SCHEMA_RANKS};
  enum hb_status status = HB_OK;
  const hb_global given_n = hb_summary_integer(summary, HB_SCHEMA_NODES, 0);
  const hb_global n = given_n >= 0 && given_n <= HB_MAX_N ? given_n : 0; /* others are faults */
  const hb_global complete = summary->writing ? 0 : 1;
  hb_global elements = 1;
  for (int axis = 0; axis < 3; axis++)
    elements = product(elements, hb_summary_integer(summary, counts[axis], 0));
  HB_TRY(check_text(summary, HB_SCHEMA_SCHEMA, HB_SCHEMA_NAME));
  HB_TRY(check_integer(summary, HB_SCHEMA_SCHEMA_VERSION, HB_SCHEMA_VERSION, HB_SCHEMA_VERSION));
  HB_TRY(check_integer(summary, HB_SCHEMA_COMPLETE, complete, complete));
  for (size_t a = 0; a < sizeof given / sizeof *given; a++)
    HB_TRY(check_text(summary, given[a], NULL));
  for (size_t a = 0; a < sizeof computed / sizeof *computed; a++)
    HB_TRY(check_text(summary, computed[a], NULL));
  for (size_t a = 0; a < sizeof counts / sizeof *counts; a++)
    HB_TRY(check_integer(summary, counts[a], 1, HB_GLOBAL_MAX));
  for (size_t a = 0; a < sizeof flags / sizeof *flags; a++)
    HB_TRY(check_integer(summary, flags[a], 0, 1));
  HB_TRY(check_integer(summary, HB_SCHEMA_NODES, HB_MIN_DEGREE + 1, HB_MAX_N));
  HB_TRY(check_integer(summary, HB_SCHEMA_PIECES, 1, HB_SCHEMA_MOST_PIECES));
  HB_TRY(check_integer(summary, HB_SCHEMA_ORDER, n - 1, n - 1));
  HB_TRY(check_integer(summary, HB_SCHEMA_ELEMENTS, elements, elements));
  const hb_global points = product(elements, n > 0 ? n * n * n : -1);
  HB_TRY(check_integer(summary, HB_SCHEMA_ALL_POINTS, points, points));
  HB_TRY(check_text(summary, HB_SCHEMA_NODE_FAMILY, HB_SCHEMA_NODE_FAMILY_TEXT));
  HB_TRY(check_text(summary, HB_SCHEMA_NODE_ORDERING, HB_SCHEMA_NODE_ORDERING_TEXT));
done:
  return status;
}

static enum hb_status check_configuration(struct hb_field_file_summary *summary) {
  enum hb_status status = HB_OK;
  int found = 0;
  for (int a = 0; a < summary->num_attributes; a++) {
    const struct hb_read_attribute *attribute = &summary->attributes[a];
    if (strcmp(attribute->object, HB_SCHEMA_CONFIGURATION) != 0) continue;
    found++;
    if (attribute->kind != HB_ATTRIBUTE_TEXT || strchr(attribute->name, '.') == NULL)
      HB_TRY(hb_add_fault(summary, "%s: attribute %s is no text called section.name",
                          HB_SCHEMA_CONFIGURATION, attribute->name));
  }
  if (found == 0) HB_TRY(hb_add_fault(summary, "%s holds no options", HB_SCHEMA_CONFIGURATION));
done:
  return status;
}

/* Column `name` of kind `kind`; *column is NULL, with a fault, if it is not so. */
static enum hb_status need_column(struct hb_field_file_summary *summary,
                                  const struct hb_read_table *table, const char *name,
                                  enum hb_column_kind kind, const struct hb_read_column **column) {
  enum hb_status status = HB_OK;
  *column = hb_table_column(table, name);
  if (*column != NULL && (*column)->kind == kind) goto done;
  *column = NULL;
  HB_TRY(hb_add_fault(summary, "%s: column %s is missing or of another type", table->path, name));
done:
  return status;
}

/* Table `path` with `rows` rows (-1: at least one); *table is NULL, with a fault, if not. */
static enum hb_status need_table(struct hb_field_file_summary *summary, const char *path,
                                 bool compound, hb_global rows,
                                 const struct hb_read_table **table) {
  enum hb_status status = HB_OK;
  *table = hb_summary_table(summary, path);
  if (*table == NULL) {
    HB_TRY(hb_add_fault(summary, "table %s is missing", path));
  } else if ((*table)->compound != compound || (*table)->num_columns == 0) {
    HB_TRY(hb_add_fault(summary, "%s is no %s", path, compound ? "compound table" : "plain array"));
    *table = NULL;
  } else if (rows < 0 ? (*table)->num_rows < 1 : (*table)->num_rows != rows) {
    HB_TRY(hb_add_fault(summary, "%s has %lld rows, not %lld", path, (long long)(*table)->num_rows,
                        (long long)(rows < 0 ? 1 : rows)));
    *table = NULL;
  }
done:
  return status;
}

/* Values 0, 1, 2, ... */
static enum hb_status check_counting(struct hb_field_file_summary *summary, const char *path,
                                     const struct hb_read_column *column, hb_global rows) {
  enum hb_status status = HB_OK;
  for (hb_global row = 0; column != NULL && row < rows; row++)
    if (column->integers[row] != row) {
      HB_TRY(hb_add_fault(summary, "%s: %s of row %lld is %lld", path, column->name, (long long)row,
                          (long long)column->integers[row]));
      break;
    }
done:
  return status;
}

static enum hb_status check_finite(struct hb_field_file_summary *summary, const char *path,
                                   const struct hb_read_column *column, hb_global rows) {
  enum hb_status status = HB_OK;
  if (summary->writing) return HB_OK; /* an iteration that ended so is written, and not valid */
  for (hb_global row = 0; column != NULL && row < rows; row++)
    if (!isfinite(column->reals[row])) {
      HB_TRY(hb_add_fault(summary, "%s: %s of row %lld is not finite", path, column->name,
                          (long long)row));
      break;
    }
done:
  return status;
}

static enum hb_status check_timings(struct hb_field_file_summary *summary) {
  enum hb_status status = HB_OK;
  const hb_global ranks = hb_summary_integer(summary, HB_SCHEMA_RANKS, 0);
  const struct hb_read_table *table = NULL;
  const struct hb_read_column *rank = NULL;
  HB_TRY(need_table(summary, HB_SCHEMA_TIMINGS, true, ranks, &table));
  if (table != NULL) {
    HB_TRY(need_column(summary, table, "rank", HB_COLUMN_INT32, &rank));
    HB_TRY(check_counting(summary, table->path, rank, table->num_rows));
  }
  for (int c = 0; table != NULL && c < table->num_columns; c++) {
    const struct hb_read_column *column = &table->columns[c];
    const size_t length = strlen(column->name);
    if (column == rank) continue;
    if (column->kind != HB_COLUMN_REAL || length < 3 ||
        strcmp(column->name + length - 2, "_s") != 0)
      HB_TRY(hb_add_fault(summary, "%s: column %s is no f64 called NAME_s", table->path,
                          column->name));
    else
      HB_TRY(check_finite(summary, table->path, column, table->num_rows));
  }
  HB_TRY(need_table(summary, HB_SCHEMA_HOSTS, false, ranks, &table));
  if (table != NULL && table->columns[0].kind != HB_COLUMN_TEXT)
    HB_TRY(hb_add_fault(summary, "%s is no text of fixed length", table->path));
done:
  return status;
}

static enum hb_status check_residuals(struct hb_field_file_summary *summary) {
  enum hb_status status = HB_OK;
  const struct hb_read_table *table = NULL;
  const struct hb_read_column *column = NULL;
  HB_TRY(need_table(summary, HB_SCHEMA_RESIDUALS, true, -1, &table));
  if (table == NULL) goto done;
  HB_TRY(need_column(summary, table, "iteration", HB_COLUMN_INT32, &column));
  HB_TRY(check_counting(summary, table->path, column, table->num_rows));
  HB_TRY(need_column(summary, table, "residual_norm", HB_COLUMN_REAL, &column));
  HB_TRY(check_finite(summary, table->path, column, table->num_rows));
  HB_TRY(need_column(summary, table, "relative_residual", HB_COLUMN_REAL, &column));
  HB_TRY(check_finite(summary, table->path, column, table->num_rows));
done:
  return status;
}

/* What the gates say is looked at by hb_check_run. */
static enum hb_status check_gates(struct hb_field_file_summary *summary) {
  enum hb_status status = HB_OK;
  const struct hb_read_table *table = hb_summary_table(summary, HB_SCHEMA_GATES);
  const struct hb_read_column *column = NULL;
  if (table == NULL) goto done;
  HB_TRY(need_column(summary, table, "name", HB_COLUMN_TEXT, &column));
  HB_TRY(need_column(summary, table, "observed", HB_COLUMN_REAL, &column));
  HB_TRY(need_column(summary, table, "bound", HB_COLUMN_REAL, &column));
  HB_TRY(need_column(summary, table, "passed", HB_COLUMN_BOOL, &column));
done:
  return status;
}

enum hb_status hb_check_description(struct hb_field_file_summary *summary) {
  enum hb_status status = HB_OK;
  HB_TRY(check_attributes(summary));
  HB_TRY(check_configuration(summary));
  HB_TRY(check_timings(summary));
  HB_TRY(check_residuals(summary));
  HB_TRY(check_gates(summary));
done:
  return status;
}
