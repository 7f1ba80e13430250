/* SPDX-License-Identifier: BSD-3-Clause
 * The empty file: all groups, attributes and datasets, made by rank 0 alone. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "io/checksum.h"
#include "io/field_file_internal.h"
#include "io/schema.h"

static enum hb_status write_list(struct hb_field_file *file, hid_t hdf5, int count,
                                 const struct hb_field_file_attribute *attributes) {
  enum hb_status status = HB_OK;
  for (int a = 0; a < count; a++) {
    const char *object = attributes[a].object == NULL ? "/" : attributes[a].object;
    HB_TRY(hb_hdf5_make_group(hdf5, object));
    HB_TRY(hb_hdf5_write_attribute(hdf5, object, &attributes[a], &file->metadata));
  }
done:
  return status;
}

static struct hb_field_file_attribute text(const char *name, const char *value) {
  return (struct hb_field_file_attribute){NULL, name, HB_ATTRIBUTE_TEXT, value, 0, 0.0};
}

static struct hb_field_file_attribute integer(const char *name, hb_global value) {
  return (struct hb_field_file_attribute){NULL, name, HB_ATTRIBUTE_INTEGER, NULL, value, 0.0};
}

/* The root attributes that follow from the mesh, the library and the clock. */
static enum hb_status write_own_attributes(struct hb_field_file *file, hid_t hdf5) {
  enum hb_status status = HB_OK;
  const struct hb_field_file_content *content = file->content;
  char created[32] = "", version[32] = "";
  unsigned major = 0, minor = 0, release = 0;
  struct tm utc;
  const time_t now = time(NULL);
  if (gmtime_r(&now, &utc) != NULL) strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
  HB_TRY(hb_hdf5_check(H5get_libversion(&major, &minor, &release), "ask for", "HDF5's version"));
  snprintf(version, sizeof version, "%u.%u.%u", major, minor, release);
  const struct hb_field_file_attribute own[] = {
      text(HB_SCHEMA_SCHEMA, HB_SCHEMA_NAME),
      integer(HB_SCHEMA_SCHEMA_VERSION, HB_SCHEMA_VERSION),
      text(HB_SCHEMA_HAS_FIELDS, content->fields ? "yes" : "no"),
      text(HB_SCHEMA_CREATED, created),
      text(HB_SCHEMA_HDF5_VERSION, version),
      integer(HB_SCHEMA_RANKS, file->comm->size),
      integer(HB_SCHEMA_ORDER, content->n - 1),
      integer(HB_SCHEMA_NODES, content->n),
      integer(HB_SCHEMA_ELEMENTS, file->num_elements),
      integer(HB_SCHEMA_ELEMENTS_X, content->elements[0]),
      integer(HB_SCHEMA_ELEMENTS_Y, content->elements[1]),
      integer(HB_SCHEMA_ELEMENTS_Z, content->elements[2]),
      integer(HB_SCHEMA_PERIODIC_X, content->periodic[0]),
      integer(HB_SCHEMA_PERIODIC_Y, content->periodic[1]),
      integer(HB_SCHEMA_PERIODIC_Z, content->periodic[2]),
      integer(HB_SCHEMA_ALL_POINTS, file->num_points),
      integer(HB_SCHEMA_PIECES, file->pieces),
      text(HB_SCHEMA_NODE_FAMILY, HB_SCHEMA_NODE_FAMILY_TEXT),
      text(HB_SCHEMA_NODE_ORDERING, HB_SCHEMA_NODE_ORDERING_TEXT),
  };
  const struct hb_field_file_attribute complete = integer(HB_SCHEMA_COMPLETE, 0);
  uint64_t uncounted = 0; /* the mark changes */
  HB_TRY(write_list(file, hdf5, (int)(sizeof own / sizeof *own), own));
  HB_TRY(hb_hdf5_write_attribute(hdf5, "/", &complete, &uncounted));
done:
  return status;
}

static enum hb_status write_options(struct hb_field_file *file, hid_t hdf5) {
  enum hb_status status = HB_OK;
  const struct hb_field_file_content *content = file->content;
  char name[HB_HDF5_NAME_BYTES];
  HB_TRY(hb_hdf5_make_group(hdf5, HB_SCHEMA_CONFIGURATION));
  for (int o = 0; o < content->num_options; o++) {
    const struct hb_field_file_option *option = &content->options[o];
    struct hb_field_file_attribute attribute = text(name, option->value);
    attribute.object = HB_SCHEMA_CONFIGURATION;
    const int length = snprintf(name, sizeof name, "%s.%s", option->section, option->name);
    if (length < 0 || (size_t)length >= sizeof name)
      HB_FAIL(HB_BAD_INPUT, "output file: option '%.100s' has a name of more than %d bytes",
              option->name, HB_HDF5_NAME_BYTES - 1);
    HB_TRY(write_list(file, hdf5, 1, &attribute));
  }
done:
  return status;
}

/* Dataset `path` of `rows` numbers, written at once. */
static enum hb_status write_small(struct hb_field_file *file, hid_t hdf5, const char *path,
                                  hid_t type, hb_global count, const void *values) {
  enum hb_status status = HB_OK;
  hid_t space = H5I_INVALID_HID, properties = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
  const hsize_t rows = (hsize_t)count;
  const size_t item = hb_hdf5_checksum_item(type);
  HB_TRY(hb_hdf5_check(space = H5Screate_simple(1, &rows, NULL), "make space of", path));
  HB_TRY(hb_hdf5_dataset_properties(&properties));
  dataset = H5Dcreate2(hdf5, path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  HB_TRY(hb_hdf5_check(dataset, "make", path));
  HB_TRY(
      hb_hdf5_check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write", path));
  HB_TRY(hb_hdf5_describe(dataset, path, &file->metadata));
  HB_TRY(
      hb_hdf5_write_checksum(hdf5, path, HB_SCHEMA_CHECKSUM, hb_checksum(0, count, item, values)));
done:
  hb_hdf5_release(&dataset);
  hb_hdf5_release(&properties);
  hb_hdf5_release(&space);
  return status;
}

/* Of every piece, times `factor`: per element. */
static enum hb_status write_counts(struct hb_field_file *file, hid_t hdf5, const char *path,
                                   hb_global factor) {
  enum hb_status status = HB_OK;
  int64_t *counts = NULL;
  const hb_global all = file->num_elements;
  HB_ALLOC(counts, file->pieces, "sizes of the pieces of the output file");
  for (int q = 0; q < file->pieces; q++)
    counts[q] = factor * (hb_file_piece_first(all, file->pieces, q + 1) -
                          hb_file_piece_first(all, file->pieces, q));
  HB_TRY(write_small(file, hdf5, path, H5T_NATIVE_INT64, file->pieces, counts));
done:
  hb_free(counts);
  return status;
}

/* Version and Type, in the exact types that readers of VTK insist on. */
static enum hb_status write_vtk_header(struct hb_field_file *file, hid_t hdf5) {
  static const int64_t version[2] = {1, 0};
  enum hb_status status = HB_OK;
  const hsize_t two = 2;
  hid_t group = H5I_INVALID_HID, space = H5I_INVALID_HID, scalar = H5I_INVALID_HID;
  hid_t type = H5I_INVALID_HID, attribute = H5I_INVALID_HID;
  HB_TRY(hb_hdf5_check(group = H5Gopen2(hdf5, HB_SCHEMA_VTK, H5P_DEFAULT), "open", HB_SCHEMA_VTK));
  HB_TRY(hb_hdf5_check(space = H5Screate_simple(1, &two, NULL), "make space of", "Version"));
  attribute = H5Acreate2(group, "Version", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
  HB_TRY(hb_hdf5_check(attribute, "make attribute", "Version"));
  HB_TRY(hb_hdf5_check(H5Awrite(attribute, H5T_NATIVE_INT64, version), "write", "Version"));
  hb_hdf5_release(&attribute);
  HB_TRY(hb_hdf5_check(scalar = H5Screate(H5S_SCALAR), "make space of", "Type"));
  file->metadata += hb_checksum_words(HB_SCHEMA_VTK, "Version", version, sizeof version);
  file->metadata +=
      hb_checksum_words(HB_SCHEMA_VTK, "Type", HB_SCHEMA_VTK_TYPE, sizeof HB_SCHEMA_VTK_TYPE - 1);
  HB_TRY(hb_hdf5_fixed_text(HB_SCHEMA_VTK_TYPE_BYTES, H5T_CSET_ASCII, &type));
  attribute = H5Acreate2(group, "Type", type, scalar, H5P_DEFAULT, H5P_DEFAULT);
  HB_TRY(hb_hdf5_check(attribute, "make attribute", "Type"));
  HB_TRY(hb_hdf5_check(H5Awrite(attribute, type, HB_SCHEMA_VTK_TYPE), "write", "Type"));
done:
  hb_hdf5_release(&attribute);
  hb_hdf5_release(&type);
  hb_hdf5_release(&scalar);
  hb_hdf5_release(&space);
  hb_hdf5_release(&group);
  return status;
}

static enum hb_status make_array(struct hb_field_file *file, hid_t hdf5,
                                 struct hb_file_array *array) {
  enum hb_status status = HB_OK;
  hid_t space = H5I_INVALID_HID, properties = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
  const hsize_t shape[2] = {(hsize_t)array->rows, (hsize_t)array->components};
  space = H5Screate_simple(array->components > 1 ? 2 : 1, shape, NULL);
  HB_TRY(hb_hdf5_check(space, "make space of", array->path));
  HB_TRY(hb_hdf5_dataset_properties(&properties));
  dataset = H5Dcreate2(hdf5, array->path, array->type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  HB_TRY(hb_hdf5_check(dataset, "make", array->path));
  const haddr_t offset = H5Dget_offset(dataset);
  HB_TRY(hb_hdf5_check(offset == HADDR_UNDEF ? -1 : 0, "find the place of", array->path));
  array->offset = (hb_global)offset;
  HB_TRY(hb_hdf5_describe(dataset, array->path, &file->metadata));
  HB_TRY(hb_hdf5_write_text(dataset, array->path, "units", array->units, &file->metadata));
  HB_TRY(hb_hdf5_write_text(dataset, array->path, "long_name", array->long_name, &file->metadata));
done:
  hb_hdf5_release(&dataset);
  hb_hdf5_release(&properties);
  hb_hdf5_release(&space);
  return status;
}

static enum hb_status make_fields(struct hb_field_file *file, hid_t hdf5) {
  enum hb_status status = HB_OK;
  const struct hb_field_file_content *content = file->content;
  const hb_global n = file->n, p = n - 1;
  HB_TRY(hb_hdf5_make_group(hdf5, HB_SCHEMA_VTK));
  HB_TRY(write_vtk_header(file, hdf5));
  HB_TRY(write_counts(file, hdf5, HB_SCHEMA_NUM_POINTS, n * n * n));
  HB_TRY(write_counts(file, hdf5, HB_SCHEMA_NUM_CELLS, p * p * p));
  HB_TRY(write_counts(file, hdf5, HB_SCHEMA_NUM_IDS, HB_SCHEMA_CORNERS * p * p * p));
  HB_TRY(hb_hdf5_make_group(hdf5, HB_SCHEMA_POINT_DATA));
  HB_TRY(hb_hdf5_make_group(hdf5, HB_SCHEMA_CELL_DATA));
  for (int a = 0; a < file->num_arrays; a++) HB_TRY(make_array(file, hdf5, &file->arrays[a]));
  HB_TRY(hb_hdf5_check(
      H5Lcreate_soft(HB_SCHEMA_POINT_DATA, hdf5, HB_SCHEMA_FIELDS, H5P_DEFAULT, H5P_DEFAULT),
      "make link", HB_SCHEMA_FIELDS));
  HB_TRY(hb_hdf5_make_group(hdf5, HB_SCHEMA_REFERENCE));
  HB_TRY(write_small(file, hdf5, HB_SCHEMA_GLL_NODES, H5T_NATIVE_DOUBLE, n, content->gll_nodes));
  HB_TRY(
      write_small(file, hdf5, HB_SCHEMA_GLL_WEIGHTS, H5T_NATIVE_DOUBLE, n, content->gll_weights));
done:
  return status;
}

enum hb_status hb_file_make_layout(struct hb_field_file *file) {
  enum hb_status status = HB_OK;
  const struct hb_field_file_content *content = file->content;
  hid_t access = H5I_INVALID_HID, hdf5 = H5I_INVALID_HID;
  HB_TRY(hb_hdf5_access_serial(&access));
  hdf5 = H5Fcreate(file->partial, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  HB_TRY(hb_hdf5_check(hdf5, "make", file->partial));
  HB_TRY(write_own_attributes(file, hdf5));
  HB_TRY(write_list(file, hdf5, content->num_attributes, content->attributes));
  HB_TRY(write_options(file, hdf5));
  if (content->fields) HB_TRY(make_fields(file, hdf5));
  for (int t = 0; t < content->num_tables; t++)
    HB_TRY(hb_file_table_create(hdf5, &content->tables[t], &file->metadata));
  const herr_t closed = H5Fclose(hdf5);
  hdf5 = H5I_INVALID_HID;
  HB_TRY(hb_hdf5_check(closed, "close", file->partial));
done:
  hb_hdf5_release(&hdf5);
  hb_hdf5_release(&access);
  return status;
}
