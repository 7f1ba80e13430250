/* SPDX-License-Identifier: BSD-3-Clause
 * JSON text by text: what is escaped, what is null, where the commas stand. */
#include "io/json.h"
#include "tests/check.h"

enum { TEXT_BYTES = 4096 };

/* What `write` has written. */
static void check_text(struct hb_check *check, void (*write)(struct hb_json *json),
                       const char *expected) {
  char text[TEXT_BYTES] = "";
  FILE *stream = fmemopen(text, sizeof text, "w");
  if (stream == NULL) abort();
  struct hb_json json = hb_json_begin(stream);
  write(&json);
  fclose(stream);
  CHECK_EQUAL(check, json.depth, 0);
  CHECK(check, strcmp(text, expected) == 0);
  if (strcmp(text, expected) != 0) printf("written: %s", text);
}

static void write_empty(struct hb_json *json) {
  hb_json_open_object(json, NULL);
  hb_json_close(json);
}

static void write_nested(struct hb_json *json) {
  hb_json_open_object(json, NULL);
  hb_json_open_array(json, "a");
  hb_json_integer(json, NULL, 1);
  hb_json_integer(json, NULL, INT64_MIN);
  hb_json_open_object(json, NULL);
  hb_json_truth(json, "yes", true);
  hb_json_truth(json, "no", false);
  hb_json_close(json);
  hb_json_open_array(json, NULL);
  hb_json_close(json);
  hb_json_close(json);
  hb_json_null(json, "b\"");
  hb_json_close(json);
}

static void write_reals(struct hb_json *json) {
  hb_json_open_array(json, NULL);
  hb_json_real(json, NULL, 0.1);
  hb_json_real(json, NULL, 2.26e10);
  hb_json_real(json, NULL, -1e-300);
  hb_json_real(json, NULL, (double)NAN);
  hb_json_real(json, NULL, (double)INFINITY);
  hb_json_real(json, NULL, -(double)INFINITY);
  hb_json_close(json);
}

static void write_texts(struct hb_json *json) {
  static const char *const texts[] = {"",
                                      NULL,
                                      "quote \" backslash \\ slash /",
                                      "\n\t\x01\x1f\x7f",
                                      "\xc3\xa9 \xe2\x82\xac",
                                      "\xc2\x85" /* a control character of two bytes */,
                                      "\377a" /* no UTF-8 */,
                                      "\xe2\x82" /* cut off */};
  hb_json_open_array(json, NULL);
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) hb_json_text(json, NULL, texts[t]);
  hb_json_bytes(json, NULL, "cut here, not there", 8);
  hb_json_bytes(json, NULL, "padded\0\0\0", 9);
  hb_json_close(json);
}

int main(void) {
  struct hb_check check = {0, 0};
  check_text(&check, write_empty, "{}\n");
  check_text(&check, write_nested,
             "{\n\"a\": [1, -9223372036854775808, {\n\"yes\": true,\n\"no\": false}, []],\n"
             "\"b\\\"\": null}\n");
  check_text(&check, write_reals,
             "[0.10000000000000001, 22600000000, -1e-300, null, null, null]\n");
  check_text(&check, write_texts,
             "[\"\", \"\", \"quote \\\" backslash \\\\ slash /\", "
             "\"\\u000a\\u0009\\u0001\\u001f\\u007f\", \"\xc3\xa9 \xe2\x82\xac\", \"\\u0085\", "
             "\"\\ufffda\", \"\\ufffd\\ufffd\", \"cut here\", \"padded\"]\n");
  return hb_check_finish(&check);
}
