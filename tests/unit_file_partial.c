/* SPDX-License-Identifier: BSD-3-Clause
 * Partial files of several runs under one name: whose they are, what is removed, who replaces what.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/file_partial.h"
#include "io/file_path.h"
#include "tests/check.h"

enum { FOLDER_BYTES = 64, NAME_BYTES = 512 };

static void put(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) abort();
}

static bool holds(const char *path, const char *text) {
  char found[64] = "";
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  found[fread(found, 1, sizeof found - 1, file)] = '\0';
  fclose(file);
  return strcmp(found, text) == 0;
}

/* The number of a process that has ended. */
static pid_t dead_process(void) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child < 0 || waitpid(child, NULL, 0) != child) abort();
  return child;
}

/* The file of this process that was refused the name. */
static void remove_aside(const char *path) {
  char command[2 * NAME_BYTES];
  snprintf(command, sizeof command, "rm -f '%.*s'.*-%ld.vtkhdf", (int)(strlen(path) - 7), path,
           (long)getpid());
  if (system(command) != 0) abort();
}

/* Two runs: each its own file; who comes second is refused, and its file is kept beside. */
static void check_two(struct hb_check *check, const char *path) {
  struct hb_partial first, second;
  char aside[NAME_BYTES], host[64] = "";
  gethostname(host, sizeof host - 1);
  for (char *c = host; *c != '\0'; c++)
    if (*c == '.') *c = '_';
  put(path, "old");
  const struct hb_path_version before = hb_path_version_of(path);
  CHECK_OK(check, hb_partial_make(path, &first));
  CHECK_OK(check, hb_partial_make(path, &second));
  CHECK(check, strcmp(first.name, second.name) != 0 && holds(path, "old"));
  CHECK(check, hb_partial_is_ours(&first) && hb_partial_is_ours(&second));
  put(first.name, "first");
  put(second.name, "second");
  CHECK_OK(check, hb_partial_publish(&first, &before));
  CHECK(check, holds(path, "first") && hb_partial_is_ours(&second));
  snprintf(aside, sizeof aside, "%.*s.%.32s-%ld.1.vtkhdf", (int)(strlen(path) - 7), path, host,
           (long)getpid());
  CHECK_FAILS(check, hb_partial_publish(&second, &before), HB_BAD_INPUT, aside);
  CHECK(check, holds(path, "first") && holds(aside, "second"));
  CHECK(check, access(first.name, F_OK) != 0 && access(second.name, F_OK) != 0);
  hb_partial_abandon(&first); /* nothing is left to do */
  hb_partial_abandon(&second);
  CHECK(check, holds(path, "first") && holds(aside, "second"));
  unlink(aside);
}

/* A file that appears or is written anew since `before` is another program's; one that vanishes is
 * nobody's. */
static void check_versions(struct hb_check *check, const char *path) {
  for (int change = 0; change < 4; change++) {
    struct hb_partial partial;
    if (change == 0)
      unlink(path);
    else
      put(path, "old");
    const struct hb_path_version before = hb_path_version_of(path);
    if (change == 0) put(path, "new");
    if (change == 1) unlink(path);
    if (change == 2) put(path, "longer than it was");
    CHECK_OK(check, hb_partial_make(path, &partial));
    put(partial.name, "mine");
    if (change == 0 || change == 2) {
      CHECK_FAILS(check, hb_partial_publish(&partial, &before), HB_BAD_INPUT, "another program");
      CHECK(check, holds(path, change == 0 ? "new" : "longer than it was"));
      remove_aside(path);
      continue;
    }
    CHECK_OK(check, hb_partial_publish(&partial, &before));
    CHECK(check, holds(path, "mine"));
  }
}

/* What another program has done to the partial file costs it, not the file that is there. */
static void check_taken_away(struct hb_check *check, const char *path) {
  struct hb_partial partial;
  put(path, "old");
  const struct hb_path_version before = hb_path_version_of(path);
  for (int replaced = 0; replaced < 2; replaced++) {
    CHECK_OK(check, hb_partial_make(path, &partial));
    CHECK_EQUAL(check, unlink(partial.name), 0);
    if (replaced) put(partial.name, "not ours");
    CHECK(check, !hb_partial_is_ours(&partial));
    CHECK_FAILS(check, hb_partial_publish(&partial, &before), HB_MACHINE_FAILED,
                "was removed or replaced");
    hb_partial_abandon(&partial);
    CHECK(check, holds(path, "old"));
    if (replaced) CHECK(check, holds(partial.name, "not ours"));
    unlink(partial.name);
  }
}

/* Of what lies about, that of a dead process of this host goes, if nobody holds it. */
static void check_left_over(struct hb_check *check, const char *path) {
  struct hb_partial partial;
  char host[64] = "", dead[NAME_BYTES], held[NAME_BYTES], living[NAME_BYTES], other[NAME_BYTES];
  gethostname(host, sizeof host - 1);
  for (char *c = host; *c != '\0'; c++)
    if (*c == '.') *c = '_';
  snprintf(dead, sizeof dead, "%s.%.32s-%d.partial", path, host, (int)dead_process());
  snprintf(held, sizeof held, "%s.%.32s-%d.partial", path, host, (int)dead_process());
  snprintf(living, sizeof living, "%s.%.32s-%d.partial", path, host, (int)getppid());
  snprintf(other, sizeof other, "%s.another-%d.partial", path, (int)dead_process());
  put(dead, "dead");
  put(held, "held");
  put(living, "living");
  put(other, "other");
  const int file = open(held, O_RDWR);
  CHECK(check, file >= 0 && flock(file, LOCK_EX) == 0);
  CHECK_FAILS(check, hb_partial_check_free(path), HB_BAD_INPUT, held); /* the lock tells */
  CHECK_OK(check, hb_partial_make(path, &partial));
  CHECK(check, access(dead, F_OK) != 0);
  CHECK(check, holds(held, "held") && holds(living, "living") && holds(other, "other"));
  hb_partial_abandon(&partial);
  CHECK(check, access(partial.name, F_OK) != 0);
  close(file);
  CHECK_OK(check, hb_partial_check_free(path)); /* nobody holds what is left */
  unlink(held);
  unlink(living);
  unlink(other);
}

static void check_links(struct hb_check *check, const char *folder) {
  char link[NAME_BYTES], target[NAME_BYTES], found[PATH_MAX];
  snprintf(link, sizeof link, "%s/link.vtkhdf", folder);
  snprintf(target, sizeof target, "%s/target", folder);
  CHECK_EQUAL(check, symlink("target", link), 0);
  CHECK_OK(check, hb_path_follow(link, found));
  CHECK(check, strcmp(found, target) == 0); /* not there yet */
  put(target, "x");
  CHECK(check, hb_path_is_same(link, target) && !hb_path_is_same(link, folder));
  CHECK_OK(check, hb_path_follow(target, found));
  CHECK(check, strcmp(found, target) == 0);
  unlink(link);
  CHECK_EQUAL(check, symlink(link, link), 0);
  CHECK_FAILS(check, hb_path_follow(link, found), HB_BAD_INPUT, "no end");
  unlink(link);
  unlink(target);
}

int main(void) {
  struct hb_check check = {0, 0};
  char folder[FOLDER_BYTES] = "/tmp/unit_file_partial_XXXXXX", path[NAME_BYTES];
  CHECK(&check, mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/a.vtkhdf", folder);
  check_two(&check, path);
  check_versions(&check, path);
  check_taken_away(&check, path);
  check_left_over(&check, path);
  check_links(&check, folder);
  unlink(path);
  CHECK_EQUAL(&check, rmdir(folder), 0); /* nothing is left */
  return hb_check_finish(&check);
}
