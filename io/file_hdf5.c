/* SPDX-License-Identifier: BSD-3-Clause
 * Errors, property lists, groups and attributes of HDF5. */
#include "io/file_hdf5.h"

#include <stdio.h>
#include <string.h>

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
    char reason[HB_HDF5_NAME_BYTES];
    hb_hdf5_reason(reason);
    HB_FAIL(HB_MACHINE_FAILED, "cannot %s %s: %s", action, name, reason);
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

enum hb_status hb_hdf5_fixed_text(size_t width, hid_t *type) {
  enum hb_status status = HB_OK;
  HB_TRY(hb_hdf5_check(*type = H5Tcopy(H5T_C_S1), "make", "text type"));
  HB_TRY(hb_hdf5_check(H5Tset_size(*type, width), "set size of", "text type"));
  HB_TRY(hb_hdf5_check(H5Tset_strpad(*type, H5T_STR_NULLPAD), "set padding of", "text type"));
  HB_TRY(hb_hdf5_check(H5Tset_cset(*type, H5T_CSET_ASCII), "set characters of", "text type"));
done:
  if (status != HB_OK) hb_hdf5_release(type);
  return status;
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

/* Makes attribute `name` of `object` and writes the one value of `type` at `value`. */
static enum hb_status write_scalar(hid_t object, const char *name, hid_t type, const void *value) {
  enum hb_status status = HB_OK;
  hid_t space = H5I_INVALID_HID, attribute = H5I_INVALID_HID;
  if (H5Aexists(object, name) > 0)
    HB_FAIL(HB_BAD_INPUT, "output file: attribute '%s' is given twice", name);
  HB_TRY(hb_hdf5_check(space = H5Screate(H5S_SCALAR), "make", "scalar space"));
  attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  HB_TRY(hb_hdf5_check(attribute, "make attribute", name));
  HB_TRY(hb_hdf5_check(H5Awrite(attribute, type, value), "write attribute", name));
done:
  hb_hdf5_release(&attribute);
  hb_hdf5_release(&space);
  return status;
}

enum hb_status hb_hdf5_write_text(hid_t object, const char *name, const char *text) {
  enum hb_status status = HB_OK;
  hid_t type = H5I_INVALID_HID;
  if (text == NULL) goto done;
  HB_TRY(hb_hdf5_check(type = H5Tcopy(H5T_C_S1), "make", "text type"));
  HB_TRY(hb_hdf5_check(H5Tset_size(type, H5T_VARIABLE), "set size of", "text type"));
  HB_TRY(hb_hdf5_check(H5Tset_cset(type, H5T_CSET_UTF8), "set characters of", "text type"));
  HB_TRY(write_scalar(object, name, type, &text));
done:
  hb_hdf5_release(&type);
  return status;
}

enum hb_status hb_hdf5_write_attribute(hid_t file, const char *path,
                                       const struct hb_field_file_attribute *attribute) {
  enum hb_status status = HB_OK;
  hid_t object = H5I_INVALID_HID;
  HB_TRY(hb_hdf5_check(object = H5Oopen(file, path, H5P_DEFAULT), "open", path));
  switch (attribute->kind) {
  case HB_ATTRIBUTE_TEXT:
    HB_TRY(hb_hdf5_write_text(object, attribute->name, attribute->text ? attribute->text : ""));
    break;
  case HB_ATTRIBUTE_INTEGER:
    HB_TRY(write_scalar(object, attribute->name, H5T_NATIVE_INT64, &attribute->integer));
    break;
  case HB_ATTRIBUTE_REAL:
    HB_TRY(write_scalar(object, attribute->name, H5T_NATIVE_DOUBLE, &attribute->real));
    break;
  }
done:
  hb_hdf5_release(&object);
  return status;
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
