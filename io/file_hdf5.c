/* SPDX-License-Identifier: BSD-3-Clause
 * Errors, property lists, groups and attributes of HDF5. */
#include "io/file_hdf5.h"

#include <stdio.h>
#include <string.h>

#include "io/checksum.h"
#include "io/text.h"

#define HAVE_FILE_LOCKING                                                                          \
  (H5_VERSION_GE(1, 10, 7) && (H5_VERS_MINOR == 10 || H5_VERSION_GE(1, 12, 1)))

void hb_hdf5_silence(void) { H5Eset_auto2(H5E_DEFAULT, NULL, NULL); }

/* Entry 0 of an upward walk is the innermost. */
static herr_t keep_innermost(unsigned entry, const H5E_error2_t *error, void *text) {
  if (entry == 0 && error->desc != NULL) snprintf(text, HB_HDF5_NAME_BYTES, "%s", error->desc);
  return 0;
}

void hb_hdf5_reason(char reason[HB_HDF5_NAME_BYTES]) {
  snprintf(reason, HB_HDF5_NAME_BYTES, "HDF5 gives no reason");
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, reason);
}

enum hb_status hb_hdf5_check(int64_t result, const char *action, const char *name) {
  enum hb_status status = HB_OK;
  if (result < 0) {
    char reason[HB_HDF5_NAME_BYTES], shown[HB_HDF5_NAME_BYTES], because[HB_HDF5_NAME_BYTES];
    hb_hdf5_reason(reason);
    hb_shown_copy(reason, sizeof because, because);
    hb_shown_copy(name != NULL ? name : "", sizeof shown, shown);
    HB_FAIL(HB_MACHINE_FAILED, "cannot %s %s: %s", action, shown, because);
  }
done:
  return status;
}

void hb_hdf5_release(hid_t *id) {
  if (*id >= 0) H5Idec_ref(*id);
  *id = H5I_INVALID_HID;
}

enum hb_status hb_hdf5_access_serial(hid_t *access) {
  enum hb_status status = HB_OK;
  HB_TRY(hb_hdf5_check(*access = H5Pcreate(H5P_FILE_ACCESS), "make", "access list"));
  HB_TRY(hb_hdf5_check(H5Pset_fapl_sec2(*access), "choose", "POSIX driver"));
  /* Without a sieve buffer a write that fails is seen by H5Dwrite, not when the dataset closes. */
  HB_TRY(hb_hdf5_check(H5Pset_sieve_buf_size(*access, 0), "switch off", "sieve buffer"));
#if H5_VERSION_GE(1, 10, 2)
  HB_TRY(hb_hdf5_check(H5Pset_libver_bounds(*access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110), "set",
                       "format version"));
#endif
#if HAVE_FILE_LOCKING
  HB_TRY(hb_hdf5_check(H5Pset_file_locking(*access, 0, 1), "switch off", "file locks"));
#endif
done:
  if (status != HB_OK) hb_hdf5_release(access);
  return status;
}

enum hb_status hb_hdf5_dataset_properties(hid_t *properties) {
  enum hb_status status = HB_OK;
  HB_TRY(hb_hdf5_check(*properties = H5Pcreate(H5P_DATASET_CREATE), "make", "dataset properties"));
  HB_TRY(hb_hdf5_check(H5Pset_layout(*properties, H5D_CONTIGUOUS), "set", "layout"));
  HB_TRY(hb_hdf5_check(H5Pset_alloc_time(*properties, H5D_ALLOC_TIME_EARLY), "set", "allocation"));
  HB_TRY(hb_hdf5_check(H5Pset_fill_time(*properties, H5D_FILL_TIME_NEVER), "set", "filling"));
  HB_TRY(hb_hdf5_check(H5Pset_obj_track_times(*properties, false), "set", "time stamps"));
done:
  if (status != HB_OK) hb_hdf5_release(properties);
  return status;
}

enum hb_status hb_hdf5_fixed_text(size_t width, H5T_cset_t characters, hid_t *type) {
  enum hb_status status = HB_OK;
  HB_TRY(hb_hdf5_check(*type = H5Tcopy(H5T_C_S1), "make", "text type"));
  HB_TRY(hb_hdf5_check(H5Tset_size(*type, width), "set size of", "text type"));
  HB_TRY(hb_hdf5_check(H5Tset_strpad(*type, H5T_STR_NULLPAD), "set padding of", "text type"));
  HB_TRY(hb_hdf5_check(H5Tset_cset(*type, characters), "set characters of", "text type"));
done:
  if (status != HB_OK) hb_hdf5_release(type);
  return status;
}

enum hb_status hb_hdf5_truth(hid_t *type) {
  static const int8_t no = 0, yes = 1;
  enum hb_status status = HB_OK;
  HB_TRY(hb_hdf5_check(*type = H5Tenum_create(H5T_NATIVE_INT8), "make", "type of truth values"));
  HB_TRY(hb_hdf5_check(H5Tenum_insert(*type, "FALSE", &no), "name", "FALSE"));
  HB_TRY(hb_hdf5_check(H5Tenum_insert(*type, "TRUE", &yes), "name", "TRUE"));
done:
  if (status != HB_OK) hb_hdf5_release(type);
  return status;
}

bool hb_hdf5_is_truth(hid_t type) {
  hid_t truth = H5I_INVALID_HID;
  bool is = false;
  if (H5Tget_class(type) == H5T_ENUM && hb_hdf5_truth(&truth) == HB_OK)
    is = H5Tequal(type, truth) > 0;
  hb_hdf5_release(&truth);
  return is;
}

enum hb_status hb_hdf5_make_group(hid_t file, const char *path) {
  enum hb_status status = HB_OK;
  hid_t group = H5I_INVALID_HID;
  char part[HB_HDF5_NAME_BYTES];
  const size_t length = strlen(path);
  if (path[0] != '/' || length >= sizeof part)
    HB_FAIL(HB_BAD_INPUT, "group '%s': a path begins with / and has fewer than %d bytes", path,
            HB_HDF5_NAME_BYTES);
  for (size_t end = 1; end <= length; end++) {
    if (path[end] != '/' && path[end] != '\0') continue;
    if (path[end - 1] == '/') continue; /* "/" itself, or a doubled or closing slash */
    memcpy(part, path, end);
    part[end] = '\0';
    if (H5Lexists(file, part, H5P_DEFAULT) > 0) continue;
    group = H5Gcreate2(file, part, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    HB_TRY(hb_hdf5_check(group, "make group", part));
    hb_hdf5_release(&group);
  }
done:
  return status;
}

/* An attribute that is to be: of which object, and what its value is. */
struct scalar {
  hid_t object;
  const char *path, *name;
  const void *value;
  size_t bytes; /* of the value, as the checksum counts it */
};

/* Makes the attribute and writes its one value of `type`. */
static enum hb_status write_scalar(const struct scalar *scalar, hid_t type, uint64_t *metadata) {
  enum hb_status status = HB_OK;
  hid_t space = H5I_INVALID_HID, attribute = H5I_INVALID_HID;
  const char *name = scalar->name;
  if (H5Aexists(scalar->object, name) > 0)
    HB_FAIL(HB_BAD_INPUT, "output file: attribute '%s' is given twice", name);
  HB_TRY(hb_hdf5_check(space = H5Screate(H5S_SCALAR), "make", "scalar space"));
  attribute = H5Acreate2(scalar->object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  HB_TRY(hb_hdf5_check(attribute, "make attribute", name));
  HB_TRY(hb_hdf5_check(H5Awrite(attribute, type, scalar->value), "write attribute", name));
  *metadata += hb_checksum_words(scalar->path, name, scalar->value, scalar->bytes);
done:
  hb_hdf5_release(&attribute);
  hb_hdf5_release(&space);
  return status;
}

enum hb_status hb_hdf5_write_text(hid_t object, const char *path, const char *name,
                                  const char *text, uint64_t *metadata) {
  enum hb_status status = HB_OK;
  hid_t type = H5I_INVALID_HID;
  if (text == NULL) goto done;
  const size_t length = strlen(text);
  const struct scalar scalar = {object, path, name, text, length};
  HB_TRY(hb_hdf5_fixed_text(length > 0 ? length : 1, H5T_CSET_UTF8, &type));
  HB_TRY(write_scalar(&scalar, type, metadata));
done:
  hb_hdf5_release(&type);
  return status;
}

enum hb_status hb_hdf5_write_attribute(hid_t file, const char *path,
                                       const struct hb_field_file_attribute *attribute,
                                       uint64_t *metadata) {
  enum hb_status status = HB_OK;
  hid_t object = H5I_INVALID_HID;
  HB_TRY(hb_hdf5_check(object = H5Oopen(file, path, H5P_DEFAULT), "open", path));
  struct scalar scalar = {object, path, attribute->name, &attribute->integer, sizeof(int64_t)};
  switch (attribute->kind) {
  case HB_ATTRIBUTE_TEXT:
    HB_TRY(hb_hdf5_write_text(object, path, attribute->name, attribute->text ? attribute->text : "",
                              metadata));
    break;
  case HB_ATTRIBUTE_INTEGER: HB_TRY(write_scalar(&scalar, H5T_NATIVE_INT64, metadata)); break;
  case HB_ATTRIBUTE_REAL:
    scalar.value = &attribute->real;
    HB_TRY(write_scalar(&scalar, H5T_NATIVE_DOUBLE, metadata));
    break;
  }
done:
  hb_hdf5_release(&object);
  return status;
}

enum hb_status hb_hdf5_write_checksum(hid_t file, const char *path, const char *name,
                                      uint64_t value) {
  enum hb_status status = HB_OK;
  uint64_t uncounted = 0; /* checksums are not among what checksums cover */
  hid_t object = H5I_INVALID_HID;
  HB_TRY(hb_hdf5_check(object = H5Oopen(file, path, H5P_DEFAULT), "open", path));
  const struct scalar scalar = {object, path, name, &value, sizeof value};
  HB_TRY(write_scalar(&scalar, H5T_NATIVE_UINT64, &uncounted));
done:
  hb_hdf5_release(&object);
  return status;
}

/* Letter and bytes of a type, as numpy has them: "f8", "S24", "b1"; V is any other. */
static void put_type(hid_t type, size_t room, char *words) {
  const H5T_class_t class = H5Tget_class(type);
  char letter = 'V';
  if (class == H5T_FLOAT) letter = 'f';
  if (class == H5T_INTEGER) letter = H5Tget_sign(type) == H5T_SGN_2 ? 'i' : 'u';
  if (class == H5T_STRING) letter = H5Tis_variable_str(type) > 0 ? 'O' : 'S';
  if (hb_hdf5_is_truth(type)) letter = 'b';
  snprintf(words, room, "%c%zu", letter, H5Tget_size(type));
}

/* "NAME=f8," of column c. */
static void put_column(hid_t row, unsigned c, size_t room, char *words) {
  const hid_t type = H5Tget_member_type(row, c);
  char *name = H5Tget_member_name(row, c);
  hid_t open = type;
  const int used = snprintf(words, room, "%s%.*s=", c > 0 ? "," : "", HB_HDF5_NAME_BYTES - 1,
                            name != NULL ? name : "");
  if (used > 0 && (size_t)used < room) put_type(type, room - (size_t)used, words + used);
  if (name != NULL) H5free_memory(name);
  hb_hdf5_release(&open);
}

enum hb_status hb_hdf5_describe(hid_t dataset, const char *path, uint64_t *metadata) {
  enum { COLUMN_BYTES = HB_HDF5_NAME_BYTES + 32, SHAPE_BYTES = 24 };
  enum hb_status status = HB_OK;
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  hsize_t shape[H5S_MAX_RANK] = {0};
  char *words = NULL;
  HB_TRY(hb_hdf5_check(type, "get type of", path));
  HB_TRY(hb_hdf5_check(space, "get space of", path));
  const int rank = H5Sget_simple_extent_dims(space, shape, NULL);
  const bool compound = H5Tget_class(type) == H5T_COMPOUND;
  const int columns = compound ? H5Tget_nmembers(type) : 1;
  HB_TRY(hb_hdf5_check(rank, "get shape of", path));
  HB_TRY(hb_hdf5_check(columns, "count columns of", path));
  const size_t room = SHAPE_BYTES * (size_t)(rank + 1) + COLUMN_BYTES * (size_t)(columns + 1);
  HB_ALLOC(words, room, "description of a dataset");
  size_t used = 0;
  words[0] = '\0';
  for (int d = 0; d < rank; d++)
    used += (size_t)snprintf(words + used, room - used, "%s%llu", d > 0 ? "x" : "",
                             (unsigned long long)shape[d]);
  used += (size_t)snprintf(words + used, room - used, " ");
  if (!compound) put_type(type, room - used, words + used);
  for (int c = 0; compound && c < columns; c++, used += strlen(words + used))
    put_column(type, (unsigned)c, room - used, words + used);
  *metadata += hb_checksum_words(path, "", words, strlen(words));
done:
  hb_free(words);
  hb_hdf5_release(&space);
  hb_hdf5_release(&type);
  return status;
}

size_t hb_hdf5_checksum_item(hid_t type) {
  const H5T_class_t class = H5Tget_class(type);
  const size_t bytes = H5Tget_size(type);
  const bool number = class == H5T_INTEGER || class == H5T_FLOAT;
  return number && (bytes == 2 || bytes == 4 || bytes == 8) ? bytes : 1;
}

enum hb_status hb_hdf5_set_integer(hid_t file, const char *name, hb_global value) {
  enum hb_status status = HB_OK;
  hid_t attribute = H5I_INVALID_HID;
  attribute = H5Aopen_by_name(file, "/", name, H5P_DEFAULT, H5P_DEFAULT);
  HB_TRY(hb_hdf5_check(attribute, "open attribute", name));
  HB_TRY(hb_hdf5_check(H5Awrite(attribute, H5T_NATIVE_INT64, &value), "write attribute", name));
done:
  hb_hdf5_release(&attribute);
  return status;
}
