/* SPDX-License-Identifier: BSD-3-Clause
 * Checksums of a file that is read: of the data of every dataset, and of all attributes, shapes and
 * types together. */
#include <string.h>

#include "io/checksum.h"
#include "io/field_file_read_internal.h"
#include "io/schema.h"

enum { PIECE_BYTES = 8 << 20, SMALL_ITEMS = 1 << 16, ATTRIBUTE_BYTES = 16 };

/* Checksums and the mark are no part of what is summed up. */
static bool is_summed(const char *path, const char *name) {
  if (strcmp(name, HB_SCHEMA_CHECKSUM) == 0) return false;
  return strcmp(path, "/") != 0 ||
         (strcmp(name, HB_SCHEMA_COMPLETE) != 0 && strcmp(name, HB_SCHEMA_METADATA) != 0);
}

/* Are values of this type the bytes that the file has?  Others hold pointers. */
static bool is_plain_item(hid_t type) {
  const H5T_class_t class = H5Tget_class(type);
  if (class == H5T_STRING) return H5Tis_variable_str(type) == 0;
  return class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_ENUM || class == H5T_OPAQUE ||
         class == H5T_BITFIELD;
}

static bool is_plain(hid_t type) {
  const int members = H5Tget_class(type) == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;
  bool plain = members > 0 || is_plain_item(type);
  for (int m = 0; m < members && plain; m++) {
    hid_t member = H5Tget_member_type(type, (unsigned)m);
    plain = member >= 0 && is_plain_item(member);
    hb_hdf5_release(&member);
  }
  return plain;
}

/* The bytes of an attribute, of a text without NULs at its end; *value is owned by the caller. */
static enum hb_status read_bytes(struct hb_attribute_walk *walk, hid_t attribute, const char *name,
                                 char **value, size_t *bytes) {
  enum hb_status status = HB_OK;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  hb_global all = 0;
  bool allowed = false;
  *bytes = 0;
  HB_TRY(hb_hdf5_check(type, "get type of attribute", name));
  HB_TRY(hb_hdf5_check(space, "get space of attribute", name));
  const hssize_t items = H5Sget_simple_extent_npoints(space);
  if (items <= 0 || !is_plain(type)) goto done;
  if (!hb_multiply((hb_global)items, hb_read_count(H5Tget_size(type)), &all)) all = HB_GLOBAL_MAX;
  HB_TRY(hb_read_charge(walk->summary, walk->path, all, &allowed));
  if (!allowed) goto done;
  HB_ALLOC(*value, all, "bytes of an attribute");
  HB_TRY(hb_hdf5_check(H5Aread(attribute, type, *value), "read attribute", name));
  *bytes = (size_t)all;
  while (H5Tget_class(type) == H5T_STRING && *bytes > 0 && (*value)[*bytes - 1] == '\0') --*bytes;
done:
  hb_hdf5_release(&space);
  hb_hdf5_release(&type);
  return status;
}

static herr_t visit(hid_t object, const char *name, const H5A_info_t *info, void *context) {
  enum hb_status status = HB_OK;
  struct hb_attribute_walk *walk = context;
  hid_t attribute = H5I_INVALID_HID;
  char *value = NULL;
  size_t bytes = 0;
  bool allowed = true;
  (void)info;
  if (!is_summed(walk->path, name)) goto done;
  HB_TRY(hb_read_charge(walk->summary, walk->path, (hb_global)strlen(name) + ATTRIBUTE_BYTES,
                        &allowed));
  if (!allowed) goto done;
  HB_TRY(hb_hdf5_check(attribute = H5Aopen(object, name, H5P_DEFAULT), "open attribute", name));
  HB_TRY(read_bytes(walk, attribute, name, &value, &bytes));
  walk->summary->metadata += hb_checksum_words(walk->path, name, value != NULL ? value : "", bytes);
done:
  hb_free(value);
  hb_hdf5_release(&attribute);
  walk->status = status;
  return status != HB_OK ? -1 : allowed ? 0 : 1;
}

enum hb_status hb_sum_attributes(struct hb_field_file_summary *summary, hid_t object,
                                 const char *path) {
  return hb_walk_attributes(summary, object, path, visit);
}

/* *found is false where there is no such uint64. */
static enum hb_status read_checksum(hid_t object, const char *name, uint64_t *value, bool *found) {
  enum hb_status status = HB_OK;
  hid_t attribute = H5I_INVALID_HID, type = H5I_INVALID_HID, space = H5I_INVALID_HID;
  *found = false;
  if (H5Aexists(object, name) <= 0) goto done;
  HB_TRY(hb_hdf5_check(attribute = H5Aopen(object, name, H5P_DEFAULT), "open attribute", name));
  HB_TRY(hb_hdf5_check(type = H5Aget_type(attribute), "get type of attribute", name));
  HB_TRY(hb_hdf5_check(space = H5Aget_space(attribute), "get space of attribute", name));
  if (H5Tequal(type, H5T_NATIVE_UINT64) <= 0 || H5Sget_simple_extent_npoints(space) != 1) goto done;
  HB_TRY(hb_hdf5_check(H5Aread(attribute, H5T_NATIVE_UINT64, value), "read attribute", name));
  *found = true;
done:
  hb_hdf5_release(&space);
  hb_hdf5_release(&type);
  hb_hdf5_release(&attribute);
  return status;
}

/* What is read of a dataset: rows of row_bytes each, as the file has them. */
struct data {
  hid_t id, type;
  hb_global rows, width, row_bytes;
  size_t item;
};

/* The checksum of the data, read in pieces; false: it cannot be read. */
static enum hb_status sum_data(const struct data *data, uint64_t *sum, bool *readable) {
  enum hb_status status = HB_OK;
  char *values = NULL;
  hid_t memory = H5I_INVALID_HID, space = H5I_INVALID_HID;
  const hb_global fit = data->row_bytes < PIECE_BYTES ? PIECE_BYTES / data->row_bytes : 1;
  const hb_global most = data->rows < fit ? data->rows : fit;
  const hb_global items = data->row_bytes / (hb_global)data->item; /* of a row */
  *sum = 0;
  *readable = true;
  HB_ALLOC(values, most * data->row_bytes, "piece of an array of the file");
  for (hb_global first = 0; first < data->rows && *readable; first += most) {
    const hb_global count = data->rows - first < most ? data->rows - first : most;
    const hsize_t start[2] = {(hsize_t)first, 0};
    const hsize_t shape[2] = {(hsize_t)count, (hsize_t)data->width};
    space = H5Dget_space(data->id);
    memory = H5Screate_simple(2, shape, NULL);
    *readable = space >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, shape, NULL) >= 0 &&
                H5Dread(data->id, data->type, memory, space, H5P_DEFAULT, values) >= 0;
    hb_hdf5_release(&memory);
    hb_hdf5_release(&space);
    if (*readable) *sum += hb_checksum(first * items, count * items, data->item, values);
  }
done:
  hb_free(values);
  return status;
}

/* False, with a fault, for data that no checksum of the layout can be of. */
static enum hb_status describe(struct hb_field_file_summary *summary, const char *path,
                               struct data *data, bool *right) {
  enum hb_status status = HB_OK;
  hid_t space = H5Dget_space(data->id);
  hsize_t shape[H5S_MAX_RANK] = {0};
  hb_global items = 0;
  HB_TRY(hb_hdf5_check(space, "get space of", path));
  const int rank = H5Sget_simple_extent_ndims(space);
  *right = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, shape, NULL) == rank &&
           is_plain(data->type) && H5Tget_size(data->type) > 0;
  data->rows = hb_read_count(shape[0]);
  data->width = rank == 2 ? hb_read_count(shape[1]) : 1;
  data->item = *right ? hb_hdf5_checksum_item(data->type) : 1;
  *right = *right && data->width > 0 &&
           hb_multiply(data->width, hb_read_count(H5Tget_size(data->type)), &data->row_bytes) &&
           hb_multiply(data->rows, data->row_bytes, &items);
  if (!*right) HB_TRY(hb_add_fault(summary, "%s: data that has no checksum", path));
done:
  hb_hdf5_release(&space);
  return status;
}

enum hb_status hb_check_data(struct hb_field_file_summary *summary, hid_t dataset,
                             const char *path) {
  enum hb_status status = HB_OK;
  struct data data = {.id = dataset, .type = H5I_INVALID_HID};
  uint64_t said = 0, sum = 0;
  bool found = false, allowed = false, readable = true;
  const hb_global version = hb_summary_integer(summary, HB_SCHEMA_SCHEMA_VERSION, 0);
  if (version != HB_SCHEMA_VERSION) goto done; /* another fault says so */
  HB_TRY(hb_hdf5_describe(dataset, path, &summary->metadata));
  HB_TRY(read_checksum(dataset, HB_SCHEMA_CHECKSUM, &said, &found));
  if (!found) {
    HB_TRY(hb_add_fault(summary, "%s: attribute checksum is missing", path));
    goto done;
  }
  HB_TRY(hb_hdf5_check(data.type = H5Dget_type(dataset), "get type of", path));
  HB_TRY(describe(summary, path, &data, &allowed));
  /* The writer has read its large arrays already, on all ranks. */
  if (!allowed || (summary->writing && data.rows > SMALL_ITEMS &&
                   strncmp(path, HB_SCHEMA_VTK, strlen(HB_SCHEMA_VTK)) == 0))
    goto done;
  HB_TRY(
      hb_read_charge_dataset(summary, path, dataset, data.rows, (size_t)data.row_bytes, &allowed));
  if (!allowed) goto done;
  HB_TRY(sum_data(&data, &sum, &readable));
  if (!readable)
    HB_TRY(hb_add_fault(summary, "%s: the data cannot be read", path));
  else if (sum != said)
    HB_TRY(hb_add_fault(summary, "%s: the data is not what was written (checksum)", path));
done:
  hb_hdf5_release(&data.type);
  return status;
}

enum hb_status hb_check_metadata(struct hb_field_file_summary *summary, hid_t root) {
  enum hb_status status = HB_OK;
  uint64_t said = 0;
  bool found = false;
  HB_TRY(read_checksum(root, HB_SCHEMA_METADATA, &said, &found));
  if (!found)
    HB_TRY(hb_add_fault(summary, "attribute %s is missing", HB_SCHEMA_METADATA));
  else if (said != summary->metadata)
    HB_TRY(hb_add_fault(summary, "attributes, names, shapes or types are not what was written "
                                 "(metadata_checksum)"));
done:
  return status;
}
