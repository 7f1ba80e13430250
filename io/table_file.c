/* SPDX-License-Identifier: BSD-3-Clause
 * Writing of files of tables, and of texts. */
#include "io/table_file.h"

#include <errno.h>
#include <string.h>

#include "io/checksum.h"
#include "io/field_file_internal.h"
#include "io/file_path.h"
#include "io/schema.h"

enum hb_status hb_table_file_check_path(const char *path) { return hb_path_check_any(path, 0); }

/* All that is in the file; *sums: checksums of the tables [num_tables]. */
static enum hb_status fill(hid_t hdf5, const struct hb_table_file *content, uint64_t *sums) {
  enum hb_status status = HB_OK;
  uint64_t metadata = 0;
  for (int a = 0; a < content->num_attributes; a++)
    HB_TRY(hb_hdf5_write_attribute(hdf5, "/", &content->attributes[a], &metadata));
  for (int t = 0; t < content->num_tables; t++) {
    const struct hb_field_file_table *table = &content->tables[t];
    HB_TRY(hb_file_table_create(hdf5, table, &metadata));
    HB_TRY(hb_file_table_write(hdf5, table, &sums[t]));
    HB_TRY(hb_hdf5_write_checksum(hdf5, table->path, HB_SCHEMA_CHECKSUM, sums[t]));
  }
  HB_TRY(hb_hdf5_write_checksum(hdf5, "/", HB_SCHEMA_METADATA, metadata));
done:
  return status;
}

/* About what the file takes. */
static hb_global content_bytes(const struct hb_table_file *content) {
  hb_global bytes = (hb_global)1 << 20;
  for (int t = 0; t < content->num_tables; t++) bytes += hb_file_table_bytes(&content->tables[t]);
  return bytes;
}

/* Closes the file, which may be what fails. */
static enum hb_status close_file(hid_t *hdf5, const char *name) {
  const herr_t closed = H5Fclose(*hdf5);
  *hdf5 = H5I_INVALID_HID;
  return hb_hdf5_check(closed, "close", name);
}

static enum hb_status write_file(const char *name, hid_t access,
                                 const struct hb_table_file *content, uint64_t *sums) {
  enum hb_status status = HB_OK;
  hid_t hdf5 = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  HB_TRY(hb_hdf5_check(hdf5, "make", name));
  HB_TRY(fill(hdf5, content, sums));
  HB_TRY(close_file(&hdf5, name));
done:
  hb_hdf5_release(&hdf5);
  return status;
}

static enum hb_status check_table(hid_t hdf5, const struct hb_field_file_table *table,
                                  uint64_t sum) {
  enum hb_status status = HB_OK;
  const hb_global bytes = hb_file_table_bytes(table);
  char *rows = NULL;
  HB_ALLOC(rows, bytes, "rows of a table");
  HB_TRY(hb_file_table_read(hdf5, table, rows));
  if (hb_checksum(0, bytes, 1, rows) != sum)
    HB_FAIL(HB_GATE_FAILED, "table %s: what the file has is not what was written", table->path);
done:
  hb_free(rows);
  return status;
}

static enum hb_status read_file(const char *name, hid_t access, const struct hb_table_file *content,
                                const uint64_t *sums) {
  enum hb_status status = HB_OK;
  hid_t hdf5 = H5Fopen(name, H5F_ACC_RDONLY, access);
  HB_TRY(hb_hdf5_check(hdf5, "open", name));
  for (int t = 0; t < content->num_tables; t++)
    if (content->tables[t].num_rows > 0) HB_TRY(check_table(hdf5, &content->tables[t], sums[t]));
  HB_TRY(close_file(&hdf5, name));
done:
  hb_hdf5_release(&hdf5);
  return status;
}

enum hb_status hb_table_file_write(const char *path, const struct hb_table_file *content) {
  enum hb_status status = HB_OK;
  const struct hb_path_version before = hb_path_version_of(path);
  struct hb_partial partial = {.lock = -1};
  hid_t access = H5I_INVALID_HID;
  uint64_t *sums = NULL;
  H5dont_atexit();
  hb_hdf5_silence();
  HB_ALLOC(sums, content->num_tables, "checksums of tables");
  HB_TRY(hb_partial_make(path, &partial));
  HB_TRY(hb_path_check_space(partial.target, content_bytes(content))); /* HDF5 bears no full disk */
  HB_TRY(hb_hdf5_access_serial(&access));
  HB_TRY(write_file(partial.name, access, content, sums));
  HB_TRY(read_file(partial.name, access, content, sums));
  HB_TRY(hb_partial_publish(&partial, &before));
done:
  hb_partial_abandon(&partial);
  hb_hdf5_release(&access);
  hb_free(sums);
  return status;
}

enum hb_status hb_text_file_write(const char *path, const struct hb_path_version *before,
                                  enum hb_status (*print)(FILE *stream, void *context),
                                  void *context) {
  enum hb_status status = HB_OK;
  const struct hb_path_version now = hb_path_version_of(path);
  struct hb_partial partial = {.lock = -1};
  FILE *stream = NULL;
  bool whole;
  HB_TRY(hb_partial_make(path, &partial));
  stream = fopen(partial.name, "w");
  if (stream == NULL)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot open: %s", path, strerror(errno));
  errno = 0;
  status = print(stream, context);
  whole = ferror(stream) == 0;
  whole = fclose(stream) == 0 && whole;
  HB_TRY(status);
  if (!whole)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot write: %s", path,
            errno != 0 ? strerror(errno) : "an earlier write has failed");
  HB_TRY(hb_partial_publish(&partial, before != NULL ? before : &now));
done:
  hb_partial_abandon(&partial);
  return status;
}
