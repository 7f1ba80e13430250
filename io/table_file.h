/* SPDX-License-Identifier: BSD-3-Clause
 * Files of tables without a solve: one HDF5 file with attributes and tables, or a text; each
 * appears under its name when it is complete, and an older file survives every failure.
 *
 * The HDF5 file has the attributes that the caller gives, on the root group; its tables, whose
 * columns, units, descriptions and checksums are as in the output file (schema.h, checksum.h); and
 * metadata_checksum.  Not collective: one process writes. */
#ifndef HB_IO_TABLE_FILE_H
#define HB_IO_TABLE_FILE_H

#include <stdio.h>

#include "io/field_file.h"

struct hb_table_file {
  int num_attributes, num_tables;
  const struct hb_field_file_attribute *attributes; /* borrowed, as all; of the root group */
  const struct hb_field_file_table *tables;
};

/* Not collective.  Can a file of this name be written?  HB_BAD_INPUT says why not. */
enum hb_status hb_table_file_check_path(const char *path);

/* Not collective.  Writes and reads back.  HB_MACHINE_FAILED if that fails, HB_GATE_FAILED if what
 * is read is not what was written. */
enum hb_status hb_table_file_write(const char *path, const struct hb_table_file *content);

/* Not collective.  The text that `print` writes to its stream; its failure is that of the file.
 * before: what was under the name, NULL: what is now (hb_partial_publish). */
enum hb_status hb_text_file_write(const char *path, const struct hb_path_version *before,
                                  enum hb_status (*print)(FILE *stream, void *context),
                                  void *context);

#endif
