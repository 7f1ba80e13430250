/* SPDX-License-Identifier: BSD-3-Clause
 * Command-line arguments of helmbone-matcore's models: options from a table, and plain words. */
#ifndef HB_APP_MATCORE_ARGUMENTS_H
#define HB_APP_MATCORE_ARGUMENTS_H

#include "kernels/base.h"

/* Exactly one of the pointers is set; it is borrowed and holds the default before. */
struct hb_matcore_option {
  const char *name; /* "--pad" */
  bool *flag;       /* set to true, no value follows */
  int *number;      /* lowest .. highest */
  const char **word;
  int lowest, highest;
};

/* Sorts argv[1 .. argc-1] into options and at most `max_words` words (the pointers stay argv's).
 * HB_BAD_INPUT, saying what was given and what is allowed: an unknown option, a missing value, a
 * number with other text or out of range, too many words. */
enum hb_status hb_matcore_parse(int argc, char **argv, const struct hb_matcore_option *options,
                                int num_options, const char **words, int max_words, int *num_words);

/* A whole number in the range, or HB_BAD_INPUT naming `what`. */
enum hb_status hb_matcore_number(const char *text, const char *what, int lowest, int highest,
                                 int *number);

/* "f64" or "f32". */
enum hb_status hb_matcore_precision(const char *text, enum hb_precision *precision);

#endif
