/* SPDX-License-Identifier: BSD-3-Clause
 * Paths: checks, and reservation of disk space. */
#include "io/file_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io/file_partial.h"
#include "io/schema.h"

enum { STAT_BLOCK_BYTES = 512, ADDED_BYTES = 72 };

void hb_path_folder(const char *path, char *folder) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL)
    snprintf(folder, PATH_MAX, ".");
  else if (slash == path)
    snprintf(folder, PATH_MAX, "/");
  else
    snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path), path);
}

/* Does it end in the suffix, with a name before? */
static bool ends_in(const char *path, const char *suffix) {
  const size_t length = strlen(path), bytes = strlen(suffix);
  return length > bytes && strcmp(path + length - bytes, suffix) == 0 &&
         path[length - bytes - 1] != '/';
}

static enum hb_status check_name(const char *path, const char *suffix, const char *other) {
  enum hb_status status = HB_OK;
  if (!ends_in(path, suffix) && (other == NULL || !ends_in(path, other)))
    HB_FAIL(HB_BAD_INPUT, "output file '%s': the name must be NAME%s%s%s", path, suffix,
            other != NULL ? " or NAME" : "", other != NULL ? other : "");
done:
  return status;
}

/* Room for what is added to the name of the partial file. */
static enum hb_status check_length(const char *path) {
  enum hb_status status = HB_OK;
  const char *slash = strrchr(path, '/');
  const size_t length = strlen(path), base = slash == NULL ? length : strlen(slash + 1);
  if (length + ADDED_BYTES >= PATH_MAX)
    HB_FAIL(HB_BAD_INPUT, "output file: the path has %zu bytes, more than the %d allowed", length,
            PATH_MAX - ADDED_BYTES - 1);
  if (base + ADDED_BYTES > NAME_MAX)
    HB_FAIL(HB_BAD_INPUT, "output file: the name has %zu bytes, more than the %d allowed", base,
            NAME_MAX - ADDED_BYTES);
done:
  return status;
}

/* Makes and removes a file beside `path`: the only test that every file system answers truly. */
static enum hb_status probe_folder(const char *path, const char *folder) {
  enum hb_status status = HB_OK;
  char probe[PATH_MAX + ADDED_BYTES];
  snprintf(probe, sizeof probe, "%s.probe.XXXXXX", path);
  const int file = mkstemp(probe);
  if (file < 0)
    HB_FAIL(HB_BAD_INPUT, "output file '%s': cannot make a file in folder '%s': %s", path, folder,
            strerror(errno));
  close(file);
  unlink(probe);
done:
  return status;
}

/* What is there already must be a plain file that may be written. */
static enum hb_status check_old(const char *path, const char *target) {
  enum hb_status status = HB_OK;
  struct stat info;
  if (stat(target, &info) != 0) return HB_OK;
  if (S_ISDIR(info.st_mode)) HB_FAIL(HB_BAD_INPUT, "output file '%s': this is a folder", path);
  if (!S_ISREG(info.st_mode))
    HB_FAIL(HB_BAD_INPUT, "output file '%s': this is no plain file", path);
  /* root may write any file: what nobody is to write is kept from it, too */
  const bool read_only = (info.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0;
  if (read_only || access(target, W_OK) != 0)
    HB_FAIL(HB_BAD_INPUT,
            "output file '%s': this file is there and cannot be written: %s; make it writable, "
            "remove it or take another name",
            path, read_only ? "it is read-only" : strerror(errno));
done:
  return status;
}

enum hb_status hb_path_check(const char *path, hb_global needed_bytes) {
  return hb_path_check_named(path, HB_SCHEMA_SUFFIX, HB_SCHEMA_SUFFIX_2, needed_bytes);
}

enum hb_status hb_path_check_named(const char *path, const char *suffix, const char *other,
                                   hb_global needed_bytes) {
  enum hb_status status = HB_OK;
  HB_TRY(check_length(path));
  HB_TRY(check_name(path, suffix, other));
  HB_TRY(hb_path_check_any(path, needed_bytes));
done:
  return status;
}

enum hb_status hb_path_check_any(const char *path, hb_global needed_bytes) {
  enum hb_status status = HB_OK;
  char folder[PATH_MAX], target[PATH_MAX];
  struct stat info;
  HB_TRY(check_length(path));
  HB_TRY(hb_path_follow(path, target));
  HB_TRY(check_length(target));
  hb_path_folder(target, folder);
  if (stat(folder, &info) != 0)
    HB_FAIL(HB_BAD_INPUT, "output file '%s': folder '%s': %s", path, folder, strerror(errno));
  if (!S_ISDIR(info.st_mode))
    HB_FAIL(HB_BAD_INPUT, "output file '%s': '%s' is not a folder", path, folder);
  HB_TRY(check_old(path, target));
  HB_TRY(probe_folder(target, folder));
  HB_TRY(hb_path_check_space(target, needed_bytes));
done:
  return status;
}

hb_global hb_path_available_bytes(const char *path) {
  struct statvfs info;
  if (statvfs(path, &info) != 0 || info.f_blocks == 0) return -1; /* some systems tell nothing */
  hb_global bytes = 0;
  if (!hb_multiply((hb_global)info.f_bavail, (hb_global)info.f_frsize, &bytes)) return -1;
  return bytes;
}

enum hb_status hb_path_check_space(const char *path, hb_global needed_bytes) {
  enum hb_status status = HB_OK;
  char folder[PATH_MAX];
  hb_path_folder(path, folder);
  const hb_global available = hb_path_available_bytes(folder);
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      (rlim_t)needed_bytes > limit.rlim_cur)
    HB_FAIL(HB_MACHINE_FAILED,
            "output file '%s': File too large: %lld bytes needed, %lld bytes available in a file "
            "(ulimit -f)",
            path, (long long)needed_bytes, (long long)limit.rlim_cur);
  if (available >= 0 && available < needed_bytes)
    HB_FAIL(HB_MACHINE_FAILED,
            "output file '%s': disk full: %lld bytes needed, %lld bytes available in '%s'", path,
            (long long)needed_bytes, (long long)available, folder);
done:
  return status;
}

enum hb_status hb_path_reserve(const char *path) {
  enum hb_status status = HB_OK;
  struct stat info;
  const hb_global available = hb_path_available_bytes(path);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0 || fstat(file, &info) != 0)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot open: %s", path, strerror(errno));
  const hb_global needed = (hb_global)info.st_size + HB_PATH_SPARE_BYTES;
  int failure = fallocate(file, 0, 0, needed) == 0 ? 0 : errno;
  if (failure == EOPNOTSUPP || failure == ENOSYS) {
    /* No reservation here: the free space has to do. */
    const hb_global missing = needed - (hb_global)info.st_blocks * STAT_BLOCK_BYTES;
    failure = available >= 0 && available < missing ? ENOSPC : 0;
  }
  if (failure != 0)
    HB_FAIL(HB_MACHINE_FAILED,
            "output file '%s': cannot reserve its space: %s: %lld bytes needed, %lld bytes "
            "available",
            path, strerror(failure), (long long)needed, (long long)available);
done:
  if (file >= 0) close(file);
  return status;
}
