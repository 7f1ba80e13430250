/* SPDX-License-Identifier: BSD-3-Clause
 * Case files of any bytes: refused with words, or read to values that --dry-run prints back alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/options_table.h"
#include "tests/fuzz.h"

/* The text that options are printed as; the caller frees it. */
static char *echo_of(const struct hb_options *options, size_t *bytes) {
  char *text = NULL;
  FILE *stream = open_memstream(&text, bytes);
  FUZZ_REQUIRE(stream != NULL);
  hb_options_echo(stream, options);
  fclose(stream);
  return text;
}

static enum hb_status read_copy(const void *text, size_t bytes, struct hb_options *options) {
  char *copy = malloc(bytes + 1); /* exactly the room that is promised */
  FUZZ_REQUIRE(copy != NULL);
  if (bytes > 0) memcpy(copy, text, bytes);
  hb_options_defaults(options);
  const enum hb_status status = hb_options_read("case.ini", copy, bytes, options);
  free(copy);
  return status;
}

static void check_echo(const struct hb_options *options) {
  struct hb_options again;
  size_t bytes = 0, bytes_again = 0;
  char *text = echo_of(options, &bytes);
  FUZZ_REQUIRE(read_copy(text, bytes, &again) == HB_OK);
  char *text_again = echo_of(&again, &bytes_again);
  FUZZ_REQUIRE(bytes == bytes_again && memcmp(text, text_again, bytes) == 0);
  free(text);
  free(text_again);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct hb_options options;
  hb_error_clear();
  const enum hb_status status = read_copy(data, size, &options);
  FUZZ_REQUIRE(status == HB_OK || status == HB_BAD_INPUT);
  FUZZ_REQUIRE((status == HB_OK) == (hb_error_message()[0] == '\0'));
  if (status == HB_OK) check_echo(&options);
  FUZZ_REQUIRE(hb_memory_use().live_allocations == 0);
  return 0;
}
