/* SPDX-License-Identifier: BSD-3-Clause
 * Text that was not written here: what of it may be shown. */
#include "io/text.h"

#include <string.h>

size_t hb_utf8_bytes(const char *text, size_t left) {
  const unsigned char *byte = (const unsigned char *)text;
  size_t length = 0;
  uint32_t code = 0;
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  if (byte[0] < 0x80) return 1;
  if ((byte[0] & 0xe0) == 0xc0) length = 2, code = byte[0] & 0x1fu;
  if ((byte[0] & 0xf0) == 0xe0) length = 3, code = byte[0] & 0x0fu;
  if ((byte[0] & 0xf8) == 0xf0) length = 4, code = byte[0] & 0x07u;
  if (length == 0 || length > left) return 0;
  for (size_t b = 1; b < length; b++) {
    if ((byte[b] & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte[b] & 0x3fu);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < least[length] || surrogate || code > 0x10ffff ? 0 : length;
}

size_t hb_shown_bytes(const char *text, size_t left) {
  const unsigned char first = (unsigned char)text[0];
  const size_t bytes = hb_utf8_bytes(text, left);
  const bool control = first < 0x20 || first == 0x7f ||
                       (bytes == 2 && first == 0xc2 && (unsigned char)text[1] < 0xa0);
  return control ? 0 : bytes;
}

void hb_shown_copy(const char *text, size_t room, char *copy) {
  const size_t length = strlen(text);
  size_t used = 0;
  for (size_t at = 0; at < length && used + 5 < room;) {
    const size_t bytes = hb_shown_bytes(text + at, length - at);
    memcpy(copy + used, bytes > 0 ? text + at : "?", bytes > 0 ? bytes : 1);
    used += bytes > 0 ? bytes : 1;
    at += bytes > 0 ? bytes : 1;
  }
  copy[used] = '\0';
}
