/* SPDX-License-Identifier: BSD-3-Clause
 * Tuning files of any bytes: one that is ours keeps its decisions when another is added, one that
 * is not stays as it was. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/tuning_file.h"
#include "tests/fuzz.h"

static char folder[64], path[96];

static void finish(void) {
  unlink(path);
  rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  struct stat about;
  const bool memory = stat("/dev/shm", &about) == 0 && access("/dev/shm", W_OK) == 0;
  (void)argc, (void)argv;
  snprintf(folder, sizeof folder, "%s/fuzz_tuning_file.XXXXXX", memory ? "/dev/shm" : "/tmp");
  FUZZ_REQUIRE(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/tuning.txt", folder);
  atexit(finish);
  return 0;
}

static void write_file(const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "wb");
  FUZZ_REQUIRE(file != NULL);
  FUZZ_REQUIRE(fwrite(data, 1, size, file) == size);
  FUZZ_REQUIRE(fclose(file) == 0);
}

static bool holds(const uint8_t *data, size_t size) {
  bool same = true;
  FILE *file = fopen(path, "rb");
  FUZZ_REQUIRE(file != NULL);
  for (size_t i = 0; i < size; i++) same = same && fgetc(file) == data[i];
  same = same && fgetc(file) == EOF;
  fclose(file);
  return same;
}

static enum hb_status find(const char *key, struct hb_tuning_decision *decision, bool *found) {
  char warning[HB_TUNING_WARNING_BYTES];
  memset(decision, 0, sizeof *decision);
  hb_error_clear();
  const enum hb_status status = hb_tuning_file_find(path, key, decision, found, warning);
  FUZZ_REQUIRE(status == HB_OK || status == HB_BAD_INPUT);
  FUZZ_REQUIRE((status == HB_OK) == (hb_error_message()[0] == '\0'));
  FUZZ_REQUIRE(memchr(warning, '\0', sizeof warning) != NULL);
  return status;
}

/* Seconds are written with seven digits. */
static bool same(const struct hb_tuning_decision *a, const struct hb_tuning_decision *b) {
  const bool seconds = a->seconds == b->seconds || (isnan(a->seconds) && isnan(b->seconds)) ||
                       fabs(a->seconds - b->seconds) <= 1e-6 * fabs(a->seconds);
  return seconds && strcmp(a->kernel, b->kernel) == 0 &&
         memcmp(&a->shape, &b->shape, sizeof a->shape) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct hb_tuning_decision added = {.kernel = "kstep", .seconds = 3e-5};
  struct hb_tuning_decision before, after;
  bool found_before = false, found_after = false;
  write_file(data, size);
  const enum hb_status ours = find("operator=b", &before, &found_before);
  hb_error_clear();
  const enum hb_status kept = hb_tuning_file_keep(path, "operator=a", &added);
  FUZZ_REQUIRE(kept == ours);
  if (ours == HB_OK) {
    FUZZ_REQUIRE(find("operator=a", &after, &found_after) == HB_OK);
    FUZZ_REQUIRE(found_after && same(&added, &after));
    FUZZ_REQUIRE(find("operator=b", &after, &found_after) == HB_OK);
    FUZZ_REQUIRE(found_before == found_after && (!found_before || same(&before, &after)));
  } else {
    FUZZ_REQUIRE(holds(data, size));
  }
  FUZZ_REQUIRE(hb_memory_use().live_allocations == 0);
  return 0;
}
