/* SPDX-License-Identifier: BSD-3-Clause
 * Plain notation. */
#include "app/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hb_plain hb_plain_of(double value, int digits) {
  struct hb_plain plain;
  char scientific[64];
  if (!isfinite(value)) {
    snprintf(plain.text, sizeof plain.text, "%s",
             isnan(value) ? "nan"
             : value > 0  ? "inf"
                          : "-inf");
    return plain;
  }
  /* The exponent after rounding to so many digits. */
  snprintf(scientific, sizeof scientific, "%.*e", digits - 1, value);
  const int exponent = atoi(strchr(scientific, 'e') + 1);
  const int decimals = value == 0.0 ? 1 : digits - 1 - exponent;
  snprintf(plain.text, sizeof plain.text, "%.*f", decimals > 1 ? decimals : 1, value);
  return plain;
}
