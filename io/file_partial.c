/* SPDX-License-Identifier: BSD-3-Clause
 * Partial files: their names and locks, what is left of dead runs, the change of names. */
#include "io/file_partial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/file_path.h"
#include "io/schema.h"

enum { MOST_LINKS = 40, MOST_TRIES = 100, HOST_BYTES = 33, FILE_MODE = 0666 };
static const double TURN_SECONDS = 60.0;

struct hb_path_version hb_path_version_of(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return (struct hb_path_version){.there = false};
  return (struct hb_path_version){.there = true,
                                  .device = (uint64_t)info.st_dev,
                                  .inode = (uint64_t)info.st_ino,
                                  .bytes = info.st_size,
                                  .seconds = info.st_mtim.tv_sec,
                                  .nanoseconds = info.st_mtim.tv_nsec};
}

static bool is_same_file(const struct hb_path_version *a, const struct hb_path_version *b) {
  return a->there && b->there && a->device == b->device && a->inode == b->inode;
}

static bool is_same_version(const struct hb_path_version *a, const struct hb_path_version *b) {
  if (!a->there || !b->there) return a->there == b->there;
  return is_same_file(a, b) && a->bytes == b->bytes && a->seconds == b->seconds &&
         a->nanoseconds == b->nanoseconds;
}

bool hb_path_is_same(const char *path, const char *other) {
  const struct hb_path_version a = hb_path_version_of(path), b = hb_path_version_of(other);
  return is_same_file(&a, &b);
}

enum hb_status hb_path_follow(const char *path, char target[PATH_MAX]) {
  enum hb_status status = HB_OK;
  char link[PATH_MAX], folder[PATH_MAX], next[2 * PATH_MAX];
  snprintf(target, PATH_MAX, "%s", path);
  for (int links = 0;; links++) {
    const ssize_t length = readlink(target, link, sizeof link - 1);
    if (length < 0) break; /* no link, or not there */
    link[length] = '\0';
    hb_path_folder(target, folder);
    if (link[0] == '/')
      snprintf(next, sizeof next, "%s", link);
    else
      snprintf(next, sizeof next, "%s/%s", folder, link);
    if (links >= MOST_LINKS || strlen(next) >= PATH_MAX)
      HB_FAIL(HB_BAD_INPUT, "output file '%s': its symbolic links come to no end", path);
    memcpy(target, next, strlen(next) + 1);
  }
done:
  return status;
}

/* The host's name as part of a file name. */
static void host_word(char host[HOST_BYTES]) {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') snprintf(name, 5, "host");
  snprintf(host, HOST_BYTES, "%.*s", HOST_BYTES - 1, name);
  for (char *c = host; *c != '\0'; c++)
    if (*c == '/' || *c == '.') *c = '_';
}

/* Of the runs whose files lie beside `target`: the number of the process that made `name`, if that
 * was on this host; 0: another host's, or no partial file of `target`. */
static pid_t maker_of(const char *name, const char *target) {
  char host[HOST_BYTES], begin[PATH_MAX + HOST_BYTES], *end = NULL;
  const char *base = strrchr(target, '/');
  const size_t suffix = strlen(HB_SCHEMA_PARTIAL), length = strlen(name);
  host_word(host);
  snprintf(begin, sizeof begin, "%s.%s-", base == NULL ? target : base + 1, host);
  const size_t first = strlen(begin);
  if (length <= first + suffix || strncmp(name, begin, first) != 0 ||
      strcmp(name + length - suffix, HB_SCHEMA_PARTIAL) != 0)
    return 0;
  const long number = strtol(name + first, &end, 10);
  return *end == '.' && number > 0 && number < INT_MAX ? (pid_t)number : 0;
}

/* Has a process ended?  One that waits for its parent to ask for its end has. */
static bool is_gone(pid_t process) {
  char name[64], line[512] = "";
  if (kill(process, 0) != 0) return errno == ESRCH;
  snprintf(name, sizeof name, "/proc/%ld/stat", (long)process);
  FILE *stream = fopen(name, "r");
  if (stream == NULL) return false; /* unknown: it is there */
  if (fgets(line, sizeof line, stream) == NULL) line[0] = '\0';
  fclose(stream);
  const char *after_name = strrchr(line, ')');
  return after_name != NULL &&
         (strncmp(after_name, ") Z", 3) == 0 || strncmp(after_name, ") X", 3) == 0);
}

/* Removes a file of a run that is gone: its process is, and nobody holds its lock (a process of
 * another container may have the number that is free here). */
static void remove_if_dead(const char *path, pid_t maker) {
  struct stat held, named;
  if (maker != getpid() && !is_gone(maker)) return;
  const int file = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &held) == 0 && S_ISREG(held.st_mode) &&
      lstat(path, &named) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev)
    unlink(path);
  close(file);
}

/* A folder that cannot be listed keeps what is in it. */
static void remove_left_over(const char *target) {
  char folder[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
  hb_path_folder(target, folder);
  DIR *list = opendir(folder);
  if (list == NULL) return;
  for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
    const pid_t maker = maker_of(entry->d_name, target);
    if (maker == 0) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    remove_if_dead(path, maker);
  }
  closedir(list);
}

/* Is that the partial file of a run that writes `target` now?  Its lock says so; or its process, if
 * that is one of this host and the file system has no locks. */
static bool is_being_written(const char *name, const char *path, const char *target) {
  const char *base = strrchr(target, '/');
  const size_t length = strlen(name), suffix = strlen(HB_SCHEMA_PARTIAL);
  base = base == NULL ? target : base + 1;
  const size_t begin = strlen(base);
  if (length <= begin + 1 + suffix || strncmp(name, base, begin) != 0 || name[begin] != '.' ||
      strcmp(name + length - suffix, HB_SCHEMA_PARTIAL) != 0)
    return false;
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  const int failure = flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  close(file);
  const pid_t maker = maker_of(name, target);
  return failure == EWOULDBLOCK ||
         (failure != 0 && maker != 0 && maker != getpid() && !is_gone(maker));
}

enum hb_status hb_partial_check_free(const char *path) {
  enum hb_status status = HB_OK;
  char target[PATH_MAX], folder[PATH_MAX], other[PATH_MAX + NAME_MAX + 2];
  DIR *list = NULL;
  HB_TRY(hb_path_follow(path, target));
  hb_path_folder(target, folder);
  list = opendir(folder);
  if (list == NULL) goto done;
  for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
    snprintf(other, sizeof other, "%s/%s", folder, entry->d_name);
    if (is_being_written(entry->d_name, other, target))
      HB_FAIL(HB_BAD_INPUT,
              "output file '%s': another program is writing it, as '%s'; give each program an "
              "output file of its own",
              path, other);
  }
done:
  if (list != NULL) closedir(list);
  return status;
}

/* The name of try number `number`; further ones where another container has this host's name. */
static void name_partial(struct hb_partial *partial, int number) {
  char host[HOST_BYTES], more[16] = "", name[PATH_MAX + HOST_BYTES + 64];
  host_word(host);
  if (number > 0) snprintf(more, sizeof more, ".%d", number);
  snprintf(name, sizeof name, "%s.%s-%ld%s%s", partial->target, host, (long)getpid(), more,
           HB_SCHEMA_PARTIAL);
  const size_t length = strlen(name); /* below PATH_MAX: hb_path_check has seen to it */
  memcpy(partial->name, name, length < PATH_MAX ? length + 1 : PATH_MAX);
  partial->name[PATH_MAX - 1] = '\0';
}

enum hb_status hb_partial_make(const char *path, struct hb_partial *partial) {
  enum hb_status status = HB_OK;
  struct stat info;
  *partial = (struct hb_partial){.lock = -1};
  HB_TRY(hb_path_follow(path, partial->target));
  remove_left_over(partial->target);
  for (int number = 0; number < MOST_TRIES && partial->lock < 0; number++) {
    name_partial(partial, number);
    partial->lock = open(partial->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (partial->lock < 0 && errno != EEXIST) break;
  }
  if (partial->lock < 0 || fstat(partial->lock, &info) != 0)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot make '%s': %s", path, partial->name,
            strerror(errno));
  (void)flock(partial->lock, LOCK_EX | LOCK_NB); /* without locks it is never taken for left over */
  partial->device = (uint64_t)info.st_dev;
  partial->inode = (uint64_t)info.st_ino;
done:
  return status;
}

bool hb_partial_is_ours(const struct hb_partial *partial) {
  struct stat info;
  return partial->lock >= 0 && lstat(partial->name, &info) == 0 &&
         (uint64_t)info.st_dev == partial->device && (uint64_t)info.st_ino == partial->inode;
}

/* Waits for this run's turn at the folder, if its file system has such locks; not for ever. */
static void take_turn(int folder) {
  const struct timespec pause = {0, 10 * 1000 * 1000};
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  now = begin;
  while (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
         difftime(now.tv_sec, begin.tv_sec) < TURN_SECONDS) {
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
  }
}

/* NAME.HOST-PID.vtkhdf of NAME.vtkhdf: where a file goes whose name another program has taken. */
static void name_aside(const struct hb_partial *partial, char aside[PATH_MAX]) {
  const char *base = strrchr(partial->target, '/');
  const char *suffix = strrchr(base == NULL ? partial->target : base, '.');
  const size_t whole = strlen(partial->target);
  const size_t stem = suffix == NULL ? whole : (size_t)(suffix - partial->target);
  const size_t length = strlen(partial->name) - whole - strlen(HB_SCHEMA_PARTIAL);
  snprintf(aside, PATH_MAX, "%.*s%.*s%s", (int)stem, partial->target, (int)length,
           partial->name + whole, partial->target + stem);
}

/* Another program's file has the name: this one is kept under another. */
static enum hb_status refuse_name(struct hb_partial *partial) {
  enum hb_status status = HB_OK;
  char aside[PATH_MAX];
  name_aside(partial, aside);
  if (rename(partial->name, aside) != 0)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot rename '%s': %s", partial->target,
            partial->name, strerror(errno));
  close(partial->lock);
  partial->lock = -1;
  HB_FAIL(HB_BAD_INPUT,
          "output file '%s': another program has written it since this one began, and it stays; "
          "this one's is '%s'; give each program an output file of its own",
          partial->target, aside);
done:
  return status;
}

enum hb_status hb_partial_publish(struct hb_partial *partial,
                                  const struct hb_path_version *before) {
  enum hb_status status = HB_OK;
  char folder_name[PATH_MAX];
  hb_path_folder(partial->target, folder_name);
  /* Where it cannot be had (it may be written but not listed, or no file may be opened any more)
   * there are no turns, and the name may be lost in a power failure; the file is complete. */
  const int folder = open(folder_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fsync(partial->lock) != 0)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot flush to disk: %s", partial->name,
            strerror(errno));
  take_turn(folder);
  const struct hb_path_version now = hb_path_version_of(partial->target);
  if (!hb_partial_is_ours(partial))
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': '%s' was removed or replaced by another program",
            partial->target, partial->name);
  if (now.there && !is_same_version(&now, before)) HB_TRY(refuse_name(partial));
  if (rename(partial->name, partial->target) != 0)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot rename '%s': %s", partial->target,
            partial->name, strerror(errno));
  close(partial->lock);
  partial->lock = -1;
  if (folder >= 0) (void)fsync(folder);
done:
  if (folder >= 0) close(folder);
  return status;
}

void hb_partial_abandon(struct hb_partial *partial) {
  if (partial->lock < 0) return;
  if (hb_partial_is_ours(partial)) unlink(partial->name);
  close(partial->lock);
  partial->lock = -1;
}
