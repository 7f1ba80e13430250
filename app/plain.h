/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers in plain notation, which patterns like [0-9]+\.[0-9]* read whole: no exponent, and always
 * a point. */
#ifndef HB_APP_PLAIN_H
#define HB_APP_PLAIN_H

#include <stddef.h>

/* Of any double: 308 digits before the point, or after it the zeros of the least one. */
enum { HB_PLAIN_BYTES = 384, HB_PLAIN_MOST_DIGITS = 17 };

struct hb_plain {
  char text[HB_PLAIN_BYTES];
};

/* With `digits` significant digits (1 to 17), more before the point if it is large: 22600000000.0,
 * 0.000000818901, 0.0; "nan", "inf", "-inf". */
struct hb_plain hb_plain_of(double value, int digits);

#endif
