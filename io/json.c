/* SPDX-License-Identifier: BSD-3-Clause
 * JSON: commas, keys, escapes, numbers. */
#include "io/json.h"

#include <math.h>
#include <string.h>

#include "io/text.h"

static void put_text(FILE *stream, const char *text, size_t length) {
  fputc('"', stream);
  for (size_t at = 0; at < length && text[at] != '\0';) {
    const unsigned char byte = (unsigned char)text[at];
    const size_t bytes = hb_utf8_bytes(text + at, length - at);
    const unsigned char next = bytes == 2 ? (unsigned char)text[at + 1] : 0;
    if (byte == '"' || byte == '\\')
      fprintf(stream, "\\%c", byte);
    else if (byte < 0x20 || byte == 0x7f)
      fprintf(stream, "\\u%04x", byte);
    else if (byte == 0xc2 && next >= 0x80 && next <= 0x9f) /* control characters, too */
      fprintf(stream, "\\u%04x", next);
    else if (bytes == 0)
      fprintf(stream, "\\ufffd");
    else
      fprintf(stream, "%.*s", (int)bytes, text + at);
    at += bytes > 0 ? bytes : 1;
  }
  fputc('"', stream);
}

/* What stands before a value: members of an object have lines of their own. */
static void begin_value(struct hb_json *json, const char *key) {
  if (json->depth == 0) return;
  const int top = json->depth - 1;
  const bool in_object = json->is_object[top];
  HB_ASSERT(in_object == (key != NULL));
  if (json->has_members[top]) fputs(in_object ? "," : ", ", json->stream);
  if (in_object) {
    fputc('\n', json->stream);
    put_text(json->stream, key, strlen(key));
    fputs(": ", json->stream);
  }
  json->has_members[top] = true;
}

static void open(struct hb_json *json, const char *key, bool object) {
  begin_value(json, key);
  HB_ASSERT(json->depth < HB_JSON_MOST_DEPTH);
  fputc(object ? '{' : '[', json->stream);
  json->is_object[json->depth] = object;
  json->has_members[json->depth++] = false;
}

void hb_json_open_object(struct hb_json *json, const char *key) { open(json, key, true); }

void hb_json_open_array(struct hb_json *json, const char *key) { open(json, key, false); }

void hb_json_close(struct hb_json *json) {
  HB_ASSERT(json->depth > 0);
  fputc(json->is_object[--json->depth] ? '}' : ']', json->stream);
  if (json->depth == 0) fputc('\n', json->stream);
}

void hb_json_text(struct hb_json *json, const char *key, const char *text) {
  hb_json_bytes(json, key, text, text == NULL ? 0 : strlen(text));
}

void hb_json_bytes(struct hb_json *json, const char *key, const char *text, size_t length) {
  begin_value(json, key);
  put_text(json->stream, text, length);
}

void hb_json_integer(struct hb_json *json, const char *key, hb_global value) {
  begin_value(json, key);
  fprintf(json->stream, "%lld", (long long)value);
}

void hb_json_real(struct hb_json *json, const char *key, double value) {
  begin_value(json, key);
  if (isfinite(value))
    fprintf(json->stream, "%.17g", value);
  else
    fputs("null", json->stream);
}

void hb_json_truth(struct hb_json *json, const char *key, bool value) {
  begin_value(json, key);
  fputs(value ? "true" : "false", json->stream);
}

void hb_json_null(struct hb_json *json, const char *key) {
  begin_value(json, key);
  fputs("null", json->stream);
}
