/* SPDX-License-Identifier: BSD-3-Clause
 * Writes one JSON value (RFC 8259), member by member, to a stream.
 *
 * Text is UTF-8: what is none becomes the replacement character, and control characters, quotes and
 * backslashes are escaped.  Numbers that are none (NaN, infinity) are null.  Reals have all their
 * digits.  Errors of the stream stay in it: the caller asks ferror at the end. */
#ifndef HB_IO_JSON_H
#define HB_IO_JSON_H

#include <stdio.h>

#include "kernels/base.h"

enum { HB_JSON_MOST_DEPTH = 16 };

struct hb_json {
  FILE *stream; /* borrowed */
  int depth;    /* of what is open */
  bool is_object[HB_JSON_MOST_DEPTH], has_members[HB_JSON_MOST_DEPTH];
};

static inline struct hb_json hb_json_begin(FILE *stream) {
  return (struct hb_json){.stream = stream};
}

/* key: of the member, where an object is open; NULL in an array and at the top. */
void hb_json_open_object(struct hb_json *json, const char *key);
void hb_json_open_array(struct hb_json *json, const char *key);
void hb_json_close(struct hb_json *json);

/* text NULL: "".  The second: at most `length` bytes, up to a NUL. */
void hb_json_text(struct hb_json *json, const char *key, const char *text);
void hb_json_bytes(struct hb_json *json, const char *key, const char *text, size_t length);
void hb_json_integer(struct hb_json *json, const char *key, hb_global value);
void hb_json_real(struct hb_json *json, const char *key, double value);
void hb_json_truth(struct hb_json *json, const char *key, bool value);
void hb_json_null(struct hb_json *json, const char *key);

#endif
