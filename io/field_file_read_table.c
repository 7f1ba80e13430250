/* SPDX-License-Identifier: BSD-3-Clause
 * Reads attributes, and tables of any columns, into a summary. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "io/field_file_read_internal.h"

enum { ATTRIBUTE_BYTES = 16 }; /* the least that one takes in the file, without its name */

/* Text of variable length, which HDF5 allocates. */
static enum hb_status read_variable_text(struct hb_field_file_summary *summary, const char *path,
                                         hid_t id, hid_t type, struct hb_read_attribute *into) {
  enum hb_status status = HB_OK;
  hid_t memory = H5I_INVALID_HID, space = H5I_INVALID_HID;
  char *text = NULL;
  bool allowed = false;
  HB_TRY(hb_hdf5_check(memory = H5Tcopy(type), "copy type of attribute", into->name));
  HB_TRY(hb_hdf5_check(space = H5Aget_space(id), "get space of attribute", into->name));
  HB_TRY(hb_hdf5_check(H5Aread(id, memory, &text), "read attribute", into->name));
  const size_t length = text == NULL ? 0 : strlen(text);
  status = hb_read_charge(summary, path, (hb_global)length, &allowed);
  if (status == HB_OK && allowed)
    status = hb_copy_text(text == NULL ? "" : text, length, &into->text);
  const herr_t reclaimed = H5Dvlen_reclaim(memory, space, H5P_DEFAULT, &text);
  HB_TRY(status);
  HB_TRY(hb_hdf5_check(reclaimed, "free attribute", into->name));
done:
  hb_hdf5_release(&space);
  hb_hdf5_release(&memory);
  return status;
}

/* Text of fixed length, either padding. */
static enum hb_status read_fixed_text(struct hb_field_file_summary *summary, const char *path,
                                      hid_t id, hid_t type, struct hb_read_attribute *into) {
  enum hb_status status = HB_OK;
  const size_t size = H5Tget_size(type);
  char *fixed = NULL;
  bool allowed = false;
  HB_TRY(hb_hdf5_check(size > 0 ? 0 : -1, "get size of attribute", into->name));
  HB_TRY(hb_read_charge(summary, path, hb_read_count(size), &allowed));
  if (!allowed) goto done;
  HB_ALLOC(fixed, size, "text of an attribute");
  HB_TRY(hb_hdf5_check(H5Aread(id, type, fixed), "read attribute", into->name));
  HB_TRY(hb_copy_text(fixed, strnlen(fixed, size), &into->text));
done:
  hb_free(fixed);
  return status;
}

static enum hb_status read_text_attribute(struct hb_field_file_summary *summary, const char *path,
                                          hid_t id, hid_t type, struct hb_read_attribute *into) {
  const bool variable = H5Tis_variable_str(type) > 0;
  into->kind = HB_ATTRIBUTE_TEXT;
  into->as_written =
      !variable && H5Tget_cset(type) == H5T_CSET_UTF8 && H5Tget_strpad(type) == H5T_STR_NULLPAD;
  return variable ? read_variable_text(summary, path, id, type, into)
                  : read_fixed_text(summary, path, id, type, into);
}

/* In hexadecimal: it need not fit into a signed integer. */
static enum hb_status read_unsigned(hid_t id, struct hb_read_attribute *into) {
  enum hb_status status = HB_OK;
  uint64_t value = 0;
  char words[32];
  into->kind = HB_ATTRIBUTE_TEXT;
  HB_TRY(hb_hdf5_check(H5Aread(id, H5T_NATIVE_UINT64, &value), "read", into->name));
  snprintf(words, sizeof words, "0x%016llx", (unsigned long long)value);
  HB_TRY(hb_copy_text(words, strlen(words), &into->text));
done:
  return status;
}

/* A value that is neither text nor a number is left at 0 and not as_written. */
static enum hb_status read_value(struct hb_field_file_summary *summary, const char *path, hid_t id,
                                 struct hb_read_attribute *into) {
  enum hb_status status = HB_OK;
  hid_t type = H5Aget_type(id), space = H5Aget_space(id);
  HB_TRY(hb_hdf5_check(type, "get type of attribute", into->name));
  HB_TRY(hb_hdf5_check(space, "get space of attribute", into->name));
  const H5T_class_t class = H5Tget_class(type);
  const enum hb_number number = hb_number_of(type);
  if (H5Sget_simple_extent_npoints(space) != 1) goto done;
  if (class == H5T_STRING) {
    HB_TRY(read_text_attribute(summary, path, id, type, into));
  } else if (number == HB_NUMBER_F32 || number == HB_NUMBER_F64) {
    into->kind = HB_ATTRIBUTE_REAL;
    into->as_written = number == HB_NUMBER_F64;
    HB_TRY(hb_hdf5_check(H5Aread(id, H5T_NATIVE_DOUBLE, &into->real), "read", into->name));
  } else if (class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_NONE) {
    HB_TRY(read_unsigned(id, into)); /* as are checksums */
  } else if (class == H5T_INTEGER) {
    into->as_written = number == HB_NUMBER_INT64;
    HB_TRY(hb_hdf5_check(H5Aread(id, H5T_NATIVE_INT64, &into->integer), "read", into->name));
  }
done:
  hb_hdf5_release(&space);
  hb_hdf5_release(&type);
  return status;
}

/* Above 0 ends the walk, as does a failure. */
static herr_t visit_attribute(hid_t object, const char *name, const H5A_info_t *info,
                              void *context) {
  enum hb_status status = HB_OK;
  struct hb_attribute_walk *walk = context;
  struct hb_field_file_summary *summary = walk->summary;
  const hb_global bytes = (hb_global)strlen(name) + ATTRIBUTE_BYTES;
  hid_t id = H5I_INVALID_HID;
  bool allowed = false;
  (void)info;
  HB_TRY(hb_read_charge(summary, walk->path, bytes, &allowed));
  if (!allowed) goto done;
  HB_TRY(hb_list_grow((void **)&summary->attributes, summary->num_attributes,
                      sizeof *summary->attributes));
  struct hb_read_attribute *attribute = &summary->attributes[summary->num_attributes++];
  *attribute = (struct hb_read_attribute){.kind = HB_ATTRIBUTE_INTEGER};
  HB_TRY(hb_copy_text(walk->path, strlen(walk->path), &attribute->object));
  HB_TRY(hb_copy_text(name, strlen(name), &attribute->name));
  HB_TRY(hb_hdf5_check(id = H5Aopen(object, name, H5P_DEFAULT), "open attribute", name));
  HB_TRY(read_value(summary, walk->path, id, attribute));
done:
  hb_hdf5_release(&id);
  walk->status = status;
  return status != HB_OK ? -1 : allowed ? 0 : 1;
}

enum hb_status hb_walk_attributes(struct hb_field_file_summary *summary, hid_t object,
                                  const char *path, H5A_operator2_t visit) {
  struct hb_attribute_walk walk = {.summary = summary, .path = path, .status = HB_OK};
  hsize_t index = 0;
  if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &index, visit, &walk) < 0 &&
      walk.status == HB_OK)
    walk.status = hb_hdf5_check(-1, "list the attributes of", path);
  return walk.status;
}

enum hb_status hb_read_attributes(struct hb_field_file_summary *summary, hid_t object,
                                  const char *path) {
  return hb_walk_attributes(summary, object, path, visit_attribute);
}

/* Kind of a column of file type `type` of `bytes` bytes; false if the layout knows none such. */
static bool column_kind(hid_t type, size_t bytes, struct hb_read_column *column) {
  if (H5Tget_class(type) == H5T_STRING) {
    column->kind = HB_COLUMN_TEXT;
    column->width = bytes <= INT_MAX ? (int)bytes : 0;
    return column->width > 0 && H5Tis_variable_str(type) == 0 &&
           H5Tget_cset(type) == H5T_CSET_UTF8 && H5Tget_strpad(type) == H5T_STR_NULLPAD;
  }
  if (hb_hdf5_is_truth(type)) {
    column->kind = HB_COLUMN_BOOL;
    return true;
  }
  switch (hb_number_of(type)) {
  case HB_NUMBER_INT32: column->kind = HB_COLUMN_INT32; return true;
  case HB_NUMBER_INT64: column->kind = HB_COLUMN_INT64; return true;
  case HB_NUMBER_F64: column->kind = HB_COLUMN_REAL; return true;
  default: return false;
  }
}

/* Type and place of the column's values in memory. */
static enum hb_status column_memory(struct hb_read_column *column, hb_global rows, hid_t *type,
                                    void **values) {
  enum hb_status status = HB_OK;
  hb_global bytes = 0;
  if (column->kind == HB_COLUMN_TEXT) {
    if (!hb_multiply(rows, column->width, &bytes))
      HB_FAIL(HB_MACHINE_FAILED, "a column of %lld rows of %d bytes is more than can be addressed",
              (long long)rows, column->width);
    HB_ALLOC(column->text, bytes, "text column of a table");
    *values = column->text;
    HB_TRY(hb_hdf5_fixed_text((size_t)column->width, H5T_CSET_UTF8, type));
  } else if (column->kind == HB_COLUMN_REAL) {
    HB_ALLOC(column->reals, rows, "column of a table");
    *values = column->reals;
    HB_TRY(hb_hdf5_check(*type = H5Tcopy(H5T_NATIVE_DOUBLE), "make type of", "column"));
  } else {
    HB_ALLOC(column->integers, rows, "column of a table");
    *values = column->integers;
    if (column->kind == HB_COLUMN_BOOL)
      HB_TRY(hb_hdf5_truth(type)); /* a byte, widened afterwards */
    else
      HB_TRY(hb_hdf5_check(*type = H5Tcopy(H5T_NATIVE_INT64), "make type of", "column"));
  }
done:
  return status;
}

/* Truth values lie in the first bytes of the column's memory. */
static enum hb_status widen_truth(struct hb_field_file_summary *summary,
                                  const struct hb_read_table *table,
                                  struct hb_read_column *column) {
  enum hb_status status = HB_OK;
  const int8_t *narrow = (const int8_t *)column->integers;
  hb_global odd = 0;
  for (hb_global row = table->num_rows - 1; row >= 0; row--) {
    const int8_t value = narrow[row];
    column->integers[row] = value != 0 ? 1 : 0;
    if (value != 0 && value != 1) odd++;
  }
  if (odd > 0)
    HB_TRY(hb_add_fault(summary, "%s: column '%s' has %lld values that are neither true nor false",
                        table->path, column->name, (long long)odd));
done:
  return status;
}

/* Reads one column; of a compound through a type with this member alone. */
static enum hb_status read_column(struct hb_field_file_summary *summary, hid_t dataset,
                                  const struct hb_read_table *table,
                                  struct hb_read_column *column) {
  enum hb_status status = HB_OK;
  hid_t type = H5I_INVALID_HID, member = H5I_INVALID_HID;
  void *values = NULL;
  HB_TRY(column_memory(column, table->num_rows, &member, &values));
  if (table->compound) {
    type = H5Tcreate(H5T_COMPOUND, H5Tget_size(member));
    HB_TRY(hb_hdf5_check(type, "make row type of", table->path));
    HB_TRY(hb_hdf5_check(H5Tinsert(type, column->name, 0, member), "choose column", column->name));
  }
  if (table->num_rows > 0)
    HB_TRY(hb_hdf5_check(
        H5Dread(dataset, table->compound ? type : member, H5S_ALL, H5S_ALL, H5P_DEFAULT, values),
        "read table", table->path));
  if (column->kind == HB_COLUMN_BOOL) HB_TRY(widen_truth(summary, table, column));
done:
  hb_hdf5_release(&member);
  hb_hdf5_release(&type);
  return status;
}

/* Column `index` of the file's row type: name and kind, then the values.  *left: bytes of a row
 * that no column before it has taken. */
static enum hb_status add_column(struct hb_field_file_summary *summary, hid_t dataset, hid_t row,
                                 struct hb_read_table *table, unsigned index, size_t *left) {
  enum hb_status status = HB_OK;
  struct hb_read_column column = {0};
  hid_t type = table->compound ? H5Tget_member_type(row, index) : H5Tcopy(row);
  char *name = table->compound ? H5Tget_member_name(row, index) : NULL;
  const char *known = name == NULL ? "" : name;
  const size_t bytes = type >= 0 ? H5Tget_size(type) : 0;
  const size_t before = H5Tget_size(row) - *left; /* columns lie side by side */
  if (bytes == 0 || bytes > *left || (table->compound && name == NULL) ||
      (table->compound && H5Tget_member_offset(row, index) != before)) {
    HB_TRY(hb_add_fault(summary, "%s: column %u cannot be described", table->path, index));
    goto done;
  }
  *left -= bytes;
  if (!column_kind(type, bytes, &column)) {
    HB_TRY(hb_add_fault(summary, "%s: column '%s' has a type that the layout does not know",
                        table->path, known));
    goto done;
  }
  HB_TRY(hb_copy_text(known, strlen(known), &column.name));
  table->columns[table->num_columns++] = column;
  HB_TRY(read_column(summary, dataset, table, &table->columns[table->num_columns - 1]));
done:
  if (name != NULL) H5free_memory(name);
  hb_hdf5_release(&type);
  return status;
}

/* The columns of a table that is known to hold its rows. */
static enum hb_status read_columns(struct hb_field_file_summary *summary, hid_t dataset, hid_t type,
                                   struct hb_read_table *table) {
  enum hb_status status = HB_OK;
  const int columns = table->compound ? H5Tget_nmembers(type) : 1;
  size_t left = H5Tget_size(type);
  HB_TRY(hb_hdf5_check(columns, "count columns of", table->path));
  HB_ALLOC(table->columns, columns, "columns of a table");
  for (int c = 0; c < columns; c++)
    HB_TRY(add_column(summary, dataset, type, table, (unsigned)c, &left));
done:
  return status;
}

enum hb_status hb_read_table(struct hb_field_file_summary *summary, hid_t dataset,
                             const char *path) {
  enum hb_status status = HB_OK;
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  hsize_t rows = 0;
  bool allowed = false;
  HB_TRY(hb_hdf5_check(type, "get type of table", path));
  HB_TRY(hb_hdf5_check(space, "get space of table", path));
  HB_TRY(hb_list_grow((void **)&summary->tables, summary->num_tables, sizeof *summary->tables));
  struct hb_read_table *table = &summary->tables[summary->num_tables++];
  *table = (struct hb_read_table){.compound = H5Tget_class(type) == H5T_COMPOUND};
  HB_TRY(hb_copy_text(path, strlen(path), &table->path));
  if (H5Sget_simple_extent_ndims(space) != 1) {
    HB_TRY(hb_add_fault(summary, "%s: a table has one dimension", path));
    goto done;
  }
  HB_TRY(hb_hdf5_check(H5Sget_simple_extent_dims(space, &rows, NULL), "get rows of", path));
  HB_TRY(hb_read_charge_dataset(summary, path, dataset, hb_read_count(rows), H5Tget_size(type),
                                &allowed));
  if (!allowed) goto done;
  table->num_rows = hb_read_count(rows);
  HB_TRY(read_columns(summary, dataset, type, table));
done:
  hb_hdf5_release(&space);
  hb_hdf5_release(&type);
  return status;
}

void hb_read_table_clear(struct hb_read_table *table) {
  for (int c = 0; c < table->num_columns; c++) {
    hb_free(table->columns[c].name);
    hb_free(table->columns[c].integers);
    hb_free(table->columns[c].reals);
    hb_free(table->columns[c].text);
  }
  hb_free(table->columns);
  hb_free(table->path);
}
