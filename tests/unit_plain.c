/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers in plain notation are read whole by the patterns that harnesses use. */
#include <float.h>
#include <regex.h>

#include "app/plain.h"
#include "tests/check.h"

static void check_text(struct hb_check *check, double value, int digits, const char *expected) {
  const struct hb_plain plain = hb_plain_of(value, digits);
  CHECK(check, strcmp(plain.text, expected) == 0);
  if (strcmp(plain.text, expected) != 0) printf("%s, not %s\n", plain.text, expected);
}

int main(void) {
  struct hb_check check = {0, 0};
  static const double values[] = {2.26e10, 7.0,    8.18901e-07, 1.0 / 3.0, 9.9999999e5, DBL_MAX,
                                  DBL_MIN, 5e-324, 123456789.0, 1e-11,     0.0,         1e22};
  regex_t pattern;
  check_text(&check, 2.26e10, 6, "22600000000.0");
  check_text(&check, 7.0, 6, "7.00000");
  check_text(&check, 0.0, 6, "0.0");
  check_text(&check, 8.18901e-07, 6, "0.000000818901");
  check_text(&check, 8.977e-11, 4, "0.00000000008977");
  check_text(&check, 999999.96, 6, "1000000.0");
  check_text(&check, 0.00099999996, 4, "0.001000");
  check_text(&check, -12.5, 3, "-12.5");
  check_text(&check, 123456.7, 2, "123456.7");
  check_text(&check, (double)NAN, 6, "nan");
  check_text(&check, -(double)INFINITY, 6, "-inf");
  CHECK_EQUAL(&check, regcomp(&pattern, "[0-9]+\\.[0-9]*", REG_EXTENDED), 0);
  for (size_t v = 0; v < sizeof values / sizeof *values; v++)
    for (int digits = 1; digits <= HB_PLAIN_MOST_DIGITS; digits++) {
      const struct hb_plain plain = hb_plain_of(values[v], digits);
      regmatch_t match = {-1, -1};
      CHECK_EQUAL(&check, regexec(&pattern, plain.text, 1, &match, 0), 0);
      CHECK(&check, match.rm_so == 0 && (size_t)match.rm_eo == strlen(plain.text));
      CHECK_NEAR(&check, strtod(plain.text, NULL), values[v],
                 5.0 * pow(10.0, -digits) * values[v] + DBL_TRUE_MIN);
    }
  regfree(&pattern);
  return hb_check_finish(&check);
}
