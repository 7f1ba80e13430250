/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of the output file: compound datasets, or plain arrays of one column. */
#include <string.h>

#include "io/checksum.h"
#include "io/field_file_internal.h"

static size_t column_bytes(const struct hb_field_file_column *column) {
  switch (column->kind) {
  case HB_COLUMN_INT32: return sizeof(int32_t);
  case HB_COLUMN_INT64: return sizeof(int64_t);
  case HB_COLUMN_REAL: return sizeof(double);
  case HB_COLUMN_TEXT: return (size_t)column->width;
  case HB_COLUMN_BOOL: return sizeof(int8_t);
  }
  return 0;
}

static size_t row_bytes(const struct hb_field_file_table *table) {
  size_t bytes = 0;
  for (int c = 0; c < table->num_columns; c++) bytes += column_bytes(&table->columns[c]);
  return bytes;
}

hb_global hb_file_table_bytes(const struct hb_field_file_table *table) {
  hb_global bytes = 0;
  return hb_multiply(table->num_rows, (hb_global)row_bytes(table), &bytes) ? bytes : -1;
}

/* A new type of the column, to be closed by the caller. */
static enum hb_status column_type(const struct hb_field_file_column *column, hid_t *type) {
  enum hb_status status = HB_OK;
  hid_t like = H5T_NATIVE_DOUBLE;
  if (column->kind == HB_COLUMN_TEXT) {
    HB_TRY(hb_hdf5_fixed_text((size_t)column->width, H5T_CSET_UTF8, type));
    goto done;
  }
  if (column->kind == HB_COLUMN_BOOL) {
    HB_TRY(hb_hdf5_truth(type));
    goto done;
  }
  if (column->kind == HB_COLUMN_INT32) like = H5T_NATIVE_INT32;
  if (column->kind == HB_COLUMN_INT64) like = H5T_NATIVE_INT64;
  HB_TRY(hb_hdf5_check(*type = H5Tcopy(like), "make type of column", column->name));
done:
  return status;
}

/* The packed row type: in the file and in memory alike. */
static enum hb_status row_type(const struct hb_field_file_table *table, hid_t *type) {
  enum hb_status status = HB_OK;
  hid_t member = H5I_INVALID_HID;
  size_t offset = 0;
  if (table->columns[0].name == NULL) {
    HB_TRY(column_type(&table->columns[0], type));
    goto done;
  }
  *type = H5Tcreate(H5T_COMPOUND, row_bytes(table));
  HB_TRY(hb_hdf5_check(*type, "make row type of", table->path));
  for (int c = 0; c < table->num_columns; c++) {
    const struct hb_field_file_column *column = &table->columns[c];
    HB_TRY(column_type(column, &member));
    HB_TRY(
        hb_hdf5_check(H5Tinsert(*type, column->name, offset, member), "add column", column->name));
    hb_hdf5_release(&member);
    offset += column_bytes(column);
  }
done:
  hb_hdf5_release(&member);
  return status;
}

enum hb_status hb_file_table_create(hid_t file, const struct hb_field_file_table *table,
                                    uint64_t *metadata) {
  enum hb_status status = HB_OK;
  hid_t type = H5I_INVALID_HID, space = H5I_INVALID_HID, properties = H5I_INVALID_HID;
  hid_t dataset = H5I_INVALID_HID;
  char group[HB_HDF5_NAME_BYTES];
  const hsize_t rows = (hsize_t)table->num_rows;
  const size_t length = (size_t)(strrchr(table->path, '/') - table->path);
  memcpy(group, table->path, length);
  group[length] = '\0';
  HB_TRY(hb_hdf5_make_group(file, length > 0 ? group : "/"));
  HB_TRY(row_type(table, &type));
  HB_TRY(hb_hdf5_check(space = H5Screate_simple(1, &rows, NULL), "make space of", table->path));
  HB_TRY(hb_hdf5_dataset_properties(&properties));
  dataset = H5Dcreate2(file, table->path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  HB_TRY(hb_hdf5_check(dataset, "make table", table->path));
  HB_TRY(hb_hdf5_describe(dataset, table->path, metadata));
  HB_TRY(hb_hdf5_write_text(dataset, table->path, "description", table->description, metadata));
  HB_TRY(hb_hdf5_write_text(dataset, table->path, "units", table->units, metadata));
done:
  hb_hdf5_release(&dataset);
  hb_hdf5_release(&properties);
  hb_hdf5_release(&space);
  hb_hdf5_release(&type);
  return status;
}

/* rows[row][column bytes]: the columns side by side, as the row type says. */
static void pack_rows(const struct hb_field_file_table *table, char *rows) {
  const size_t width = row_bytes(table);
  size_t offset = 0;
  for (int c = 0; c < table->num_columns; c++) {
    const struct hb_field_file_column *column = &table->columns[c];
    const size_t bytes = column_bytes(column);
    const size_t stride = column->stride > 0 ? column->stride : bytes;
    for (size_t row = 0; row < (size_t)table->num_rows; row++)
      memcpy(rows + row * width + offset, (const char *)column->values + row * stride, bytes);
    offset += bytes;
  }
}

/* The rows of a table that has some; *checksum: of them, as they are in memory. */
static enum hb_status write_rows(hid_t file, const struct hb_field_file_table *table,
                                 uint64_t *checksum) {
  enum hb_status status = HB_OK;
  hid_t type = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
  char *rows = NULL;
  for (int c = 0; c < table->num_columns; c++)
    if (table->columns[c].values == NULL)
      HB_FAIL(HB_BAD_INPUT, "output file: table %s: column %d has no values", table->path, c);
  HB_ALLOC(rows, hb_file_table_bytes(table), "rows of a table of the output file");
  pack_rows(table, rows);
  HB_TRY(row_type(table, &type));
  const size_t item = hb_hdf5_checksum_item(type);
  *checksum = hb_checksum(0, hb_file_table_bytes(table) / (hb_global)item, item, rows);
  dataset = H5Dopen2(file, table->path, H5P_DEFAULT);
  HB_TRY(hb_hdf5_check(dataset, "open table", table->path));
  HB_TRY(hb_hdf5_check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows), "write table",
                       table->path));
done:
  hb_hdf5_release(&dataset);
  hb_hdf5_release(&type);
  hb_free(rows);
  return status;
}

enum hb_status hb_file_table_write(hid_t file, const struct hb_field_file_table *table,
                                   uint64_t *checksum) {
  *checksum = 0;
  return table->num_rows > 0 ? write_rows(file, table, checksum) : HB_OK;
}

bool hb_file_table_has_owners(const struct hb_field_file_table *table, int num_ranks) {
  if (table->num_rows < 1 || table->num_rows % num_ranks != 0) return false;
  for (int c = 0; c < table->num_columns; c++)
    if (table->columns[c].mine != NULL) return true;
  return false;
}

hb_global hb_file_table_row_bytes(const struct hb_field_file_table *table) {
  return (hb_global)row_bytes(table);
}

enum hb_status hb_file_table_read(hid_t file, const struct hb_field_file_table *table, void *rows) {
  enum hb_status status = HB_OK;
  hid_t type = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
  HB_TRY(row_type(table, &type));
  dataset = H5Dopen2(file, table->path, H5P_DEFAULT);
  HB_TRY(hb_hdf5_check(dataset, "open table", table->path));
  HB_TRY(hb_hdf5_check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows), "read table",
                       table->path));
done:
  hb_hdf5_release(&dataset);
  hb_hdf5_release(&type);
  return status;
}

const char *hb_file_table_wrong_column(const struct hb_field_file_table *table, hb_global repeat,
                                       const char *row) {
  size_t offset = 0;
  for (int c = 0; c < table->num_columns; c++) {
    const struct hb_field_file_column *column = &table->columns[c];
    const size_t bytes = column_bytes(column);
    const size_t stride = column->stride > 0 ? column->stride : bytes;
    if (column->mine != NULL &&
        memcmp(row + offset, (const char *)column->mine + (size_t)repeat * stride, bytes) != 0)
      return column->name != NULL ? column->name : "value";
    offset += bytes;
  }
  return NULL;
}
