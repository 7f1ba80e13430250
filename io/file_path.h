/* SPDX-License-Identifier: BSD-3-Clause
 * What the writer does with paths: checks, and reservation of disk space (names: file_partial.h).
 * Of one process; nothing here communicates. */
#ifndef HB_IO_FILE_PATH_H
#define HB_IO_FILE_PATH_H

#include "kernels/base.h"

/* Disk space that is reserved beyond a file's size. */
enum { HB_PATH_SPARE_BYTES = 1 << 20 };

/* Folder of `path`, "." if it names none; folder[PATH_MAX]. */
void hb_path_folder(const char *path, char *folder);

/* See hb_field_file_check_path.  The second: of a file whose name ends in `suffix` or, if that is
 * not NULL, in `other`. */
enum hb_status hb_path_check(const char *path, hb_global needed_bytes);
enum hb_status hb_path_check_named(const char *path, const char *suffix, const char *other,
                                   hb_global needed_bytes);
/* The same for a name that ends in anything. */
enum hb_status hb_path_check_any(const char *path, hb_global needed_bytes);

/* Bytes free for this user on the file system of `path` (a file or folder); -1: unknown. */
hb_global hb_path_available_bytes(const char *path);

/* Fails with HB_MACHINE_FAILED, and the numbers, if fewer than needed_bytes are known to be free in
 * the folder of `path`, or if a file may not be as large. */
enum hb_status hb_path_check_space(const char *path, hb_global needed_bytes);

/* Makes sure that file `path` can grow to its present size, and by some spare bytes, without the
 * disk running full. */
enum hb_status hb_path_reserve(const char *path);

#endif
