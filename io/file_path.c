/* SPDX-License-Identifier: BSD-3-Clause
 * Paths: checks, reservation of disk space, the atomic change of names. */
#include "io/file_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io/schema.h"

enum { SPARE_BYTES = 1 << 20, STAT_BLOCK_BYTES = 512, PROBE_MODE = 0600 };

/* Folder of `path`, "." if it names none; folder[PATH_MAX]. */
static void folder_of(const char *path, char *folder) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL)
    snprintf(folder, PATH_MAX, ".");
  else if (slash == path)
    snprintf(folder, PATH_MAX, "/");
  else
    snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path), path);
}

static enum hb_status check_name(const char *path) {
  enum hb_status status = HB_OK;
  const size_t length = strlen(path), suffix = strlen(HB_SCHEMA_SUFFIX);
  if (length + 32 >= PATH_MAX) /* room for .partial and for the probe's name */
    HB_FAIL(HB_BAD_INPUT, "output file: the path has %zu bytes, more than the %d allowed", length,
            PATH_MAX - 33);
  if (length <= suffix || strcmp(path + length - suffix, HB_SCHEMA_SUFFIX) != 0 ||
      path[length - suffix - 1] == '/')
    HB_FAIL(HB_BAD_INPUT, "output file '%s': the name must be NAME%s", path, HB_SCHEMA_SUFFIX);
done:
  return status;
}

/* Makes and removes a file beside `path`: the only test that every file system answers truly. */
static enum hb_status probe_folder(const char *path, const char *folder) {
  enum hb_status status = HB_OK;
  char probe[PATH_MAX];
  const int length = snprintf(probe, sizeof probe, "%s.probe%ld", path, (long)getpid());
  if (length < 0 || (size_t)length >= sizeof probe)
    HB_FAIL(HB_BAD_INPUT, "output file: the path has more than %d bytes", PATH_MAX - 33);
  const int file = open(probe, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, PROBE_MODE);
  if (file < 0)
    HB_FAIL(HB_BAD_INPUT, "output file '%s': cannot make a file in folder '%s': %s", path, folder,
            strerror(errno));
  close(file);
  unlink(probe);
done:
  return status;
}

enum hb_status hb_path_check(const char *path, hb_global needed_bytes) {
  enum hb_status status = HB_OK;
  char folder[PATH_MAX];
  struct stat info;
  HB_TRY(check_name(path));
  folder_of(path, folder);
  if (stat(folder, &info) != 0)
    HB_FAIL(HB_BAD_INPUT, "output file '%s': folder '%s': %s", path, folder, strerror(errno));
  if (!S_ISDIR(info.st_mode))
    HB_FAIL(HB_BAD_INPUT, "output file '%s': '%s' is not a folder", path, folder);
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
    HB_FAIL(HB_BAD_INPUT, "output file '%s': this is a folder", path);
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
    HB_FAIL(HB_BAD_INPUT, "output file '%s': this is no plain file", path);
  HB_TRY(probe_folder(path, folder));
  HB_TRY(hb_path_check_space(path, needed_bytes));
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
  folder_of(path, folder);
  const hb_global available = hb_path_available_bytes(folder);
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
  const hb_global needed = (hb_global)info.st_size + SPARE_BYTES;
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

enum hb_status hb_path_publish(const char *from, const char *to) {
  enum hb_status status = HB_OK;
  char folder[PATH_MAX];
  int directory = -1;
  const int file = open(from, O_RDWR | O_CLOEXEC);
  if (file < 0 || fsync(file) != 0)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot flush to disk: %s", from, strerror(errno));
  if (rename(from, to) != 0)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot rename '%s': %s", to, from,
            strerror(errno));
  folder_of(to, folder);
  directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0 && errno == EACCES) goto done; /* may be written but not listed */
  if (directory < 0 || (fsync(directory) != 0 && errno != EINVAL))
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot flush folder '%s': %s", to, folder,
            strerror(errno));
done:
  if (file >= 0) close(file);
  if (directory >= 0) close(directory);
  return status;
}
