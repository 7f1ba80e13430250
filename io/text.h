/* SPDX-License-Identifier: BSD-3-Clause
 * Text that was not written here, as names in a damaged file: what of it may be shown. */
#ifndef HB_IO_TEXT_H
#define HB_IO_TEXT_H

#include "kernels/base.h"

/* Bytes of the UTF-8 character that begins at text, of which `left` bytes are there, or 0 if there
 * is none; the second: also if it is a control character, which would steer a terminal. */
size_t hb_utf8_bytes(const char *text, size_t left);
size_t hb_shown_bytes(const char *text, size_t left);

/* As much of the text as fits, with ? for what may not be shown. */
void hb_shown_copy(const char *text, size_t room, char *copy);

#endif
