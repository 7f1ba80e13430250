/* SPDX-License-Identifier: BSD-3-Clause
 * A guarded child: its results, and every way in which it may not come to one. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "io/guard.h"
#include "tests/check.h"

enum { MEMORY_BYTES = 64 << 20 };
static const struct hb_guard_limits no_limits = {0, 0};

static int give_result(void *context) { return *(int *)context; }

static int die_of_signal(void *context) {
  raise(*(int *)context);
  return 0;
}

static int leave(void *context) { _exit(*(int *)context); }

static int go_in_circles(void *context) {
  volatile int *turns = context;
  while (*turns >= 0) *turns = (*turns + 1) % 1000;
  return 0;
}

/* 1: so many bytes can be had. */
static int take_memory(void *context) {
  const size_t *bytes = context;
  void *memory = malloc(*bytes);
  const int code = memory != NULL;
  free(memory);
  return code;
}

static int print_in_child(void *context) {
  FILE *stream = context;
  fprintf(stream, "child");
  return 0;
}

static void check_results(struct hb_check *check) {
  for (int result = 0; result <= HB_GUARD_MAX_CODE; result += 21) {
    int code = -1, given = result;
    CHECK_OK(check, hb_guard_run(&no_limits, give_result, &given, &code));
    CHECK_EQUAL(check, code, result);
  }
}

/* Where a parent that ignores SIGCHLD has started the program. */
static void check_ignored_children(struct hb_check *check) {
  int code = -1, given = 1;
  signal(SIGCHLD, SIG_IGN);
  CHECK_OK(check, hb_guard_run(&no_limits, give_result, &given, &code));
  CHECK_EQUAL(check, code, given);
}

static void check_ends(struct hb_check *check) {
  int code = -1, segmentation = SIGSEGV, aborted = SIGABRT, killed = SIGKILL, one = 1, high = 200;
  CHECK_FAILS(check, hb_guard_run(&no_limits, die_of_signal, &segmentation, &code),
              HB_MACHINE_FAILED, "the process was ended by signal 11 (");
  CHECK_FAILS(check, hb_guard_run(&no_limits, die_of_signal, &aborted, &code), HB_MACHINE_FAILED,
              "the process was ended by signal 6 (");
  CHECK_FAILS(check, hb_guard_run(&no_limits, die_of_signal, &killed, &code), HB_MACHINE_FAILED,
              "the process was ended by signal 9 (");
  CHECK_FAILS(check, hb_guard_run(&no_limits, leave, &one, &code), HB_MACHINE_FAILED,
              "ended by a library with exit code 1");
  CHECK_FAILS(check, hb_guard_run(&no_limits, leave, &high, &code), HB_MACHINE_FAILED,
              "ended by a library with exit code 200");
  CHECK_EQUAL(check, code, -1);
}

static void check_time(struct hb_check *check) {
  const struct hb_guard_limits second = {.cpu_seconds = 1};
  int code = -1, turns = 0;
  CHECK_FAILS(check, hb_guard_run(&second, go_in_circles, &turns, &code), HB_MACHINE_FAILED,
              "the process came to no end in 1 s of processor time");
}

static void check_memory(struct hb_check *check) {
  const struct hb_guard_limits limits = {.memory_bytes = MEMORY_BYTES};
  size_t within = MEMORY_BYTES / 2, beyond = 4 * (size_t)MEMORY_BYTES;
  int code = -1;
  CHECK_OK(check, hb_guard_run(&limits, take_memory, &within, &code));
  CHECK_EQUAL(check, code, 1);
  CHECK_OK(check, hb_guard_run(&no_limits, take_memory, &beyond, &code));
  CHECK_EQUAL(check, code, 1);
#ifndef __SANITIZE_ADDRESS__
  CHECK_OK(check, hb_guard_run(&limits, take_memory, &beyond, &code));
  CHECK_EQUAL(check, code, 0);
#endif
}

/* What stands in a buffer when the child starts is written once, before what the child writes. */
static void check_output(struct hb_check *check) {
  char path[] = "/tmp/unit_guard.XXXXXX", text[64] = "";
  const int file = mkstemp(path);
  FILE *stream = file < 0 ? NULL : fdopen(file, "w+");
  int code = -1;
  CHECK(check, stream != NULL);
  if (stream == NULL) return;
  fprintf(stream, "parent ");
  CHECK_OK(check, hb_guard_run(&no_limits, print_in_child, stream, &code));
  rewind(stream);
  CHECK(check, fgets(text, sizeof text, stream) != NULL && strcmp(text, "parent child") == 0);
  fclose(stream);
  unlink(path);
}

int main(void) {
  struct hb_check check = {0, 0};
  check_results(&check);
  check_ignored_children(&check);
  check_ends(&check);
  check_time(&check);
  check_memory(&check);
  check_output(&check);
  return hb_check_finish(&check);
}
