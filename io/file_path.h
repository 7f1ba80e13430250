/* SPDX-License-Identifier: BSD-3-Clause
 * What the writer does with paths: checks, reservation of disk space, the atomic change of names.
 * Of one process; nothing here communicates. */
#ifndef HB_IO_FILE_PATH_H
#define HB_IO_FILE_PATH_H

#include "kernels/base.h"

/* See hb_field_file_check_path. */
enum hb_status hb_path_check(const char *path, hb_global needed_bytes);

/* Bytes free for this user on the file system of `path` (a file or folder); -1: unknown. */
hb_global hb_path_available_bytes(const char *path);

/* Fails with HB_MACHINE_FAILED, and the numbers, if fewer than needed_bytes are known to be free in
 * the folder of `path`. */
enum hb_status hb_path_check_space(const char *path, hb_global needed_bytes);

/* Makes sure that file `path` can grow to its present size, and by some spare bytes, without the
 * disk running full. */
enum hb_status hb_path_reserve(const char *path);

/* Flushes file `from` to disk and renames it to `to`, in a way that survives a power failure. */
enum hb_status hb_path_publish(const char *from, const char *to);

#endif
