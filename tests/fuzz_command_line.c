/* SPDX-License-Identifier: BSD-3-Clause
 * Command lines of any words, one a line of the input: refused with words, or read to values.  The
 * word c.ini names a case file that is there; words that name a file in another folder end it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/options.h"
#include "tests/fuzz.h"

enum { MOST_WORDS = 64 };

static struct hb_comm *comm;
static char program[] = "helmbone";
static char case_file[] = "/tmp/fuzz_command_line.XXXXXX";

static void finish(void) {
  hb_comm_destroy(&comm);
  unlink(case_file);
  MPI_Finalize();
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  static const char text[] = "[mesh]\ndegree = 3\n[run]\nprogress = off\n";
  MPI_Init(argc, argv);
  FUZZ_REQUIRE(hb_comm_create(MPI_COMM_SELF, &comm) == HB_OK);
  const int file = mkstemp(case_file);
  FUZZ_REQUIRE(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1);
  close(file);
  atexit(finish);
  return 0;
}

/* Cuts the text into words; false: one of them names a file in another folder. */
static bool cut(char *text, size_t bytes, int *argc, char **argv) {
  char *end = text + bytes;
  *argc = 0;
  argv[(*argc)++] = program;
  while (text < end && *argc < MOST_WORDS) {
    char *next = memchr(text, '\n', (size_t)(end - text));
    if (next == NULL) next = end;
    *next = '\0';
    if (text[0] != '-' && strchr(text, '/') != NULL) return false;
    argv[(*argc)++] = strcmp(text, "c.ini") == 0 ? case_file : text;
    text = next + 1;
  }
  argv[*argc] = NULL;
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct hb_options options;
  const hb_global live = hb_memory_use().live_allocations;
  char *text = malloc(size + 1), *argv[MOST_WORDS + 1];
  int argc = 0;
  FUZZ_REQUIRE(text != NULL);
  if (size > 0) memcpy(text, data, size);
  hb_error_clear();
  if (cut(text, size, &argc, argv)) {
    const enum hb_status status = hb_options_parse(comm, argc, argv, &options);
    FUZZ_REQUIRE(status == HB_OK || status == HB_BAD_INPUT);
    FUZZ_REQUIRE((status == HB_OK) == (hb_error_message()[0] == '\0'));
  }
  FUZZ_REQUIRE(hb_memory_use().live_allocations == live);
  free(text);
  return 0;
}
