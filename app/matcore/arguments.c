/* SPDX-License-Identifier: BSD-3-Clause
 * Command-line arguments of helmbone-matcore's models. */
#include "app/matcore/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum hb_status hb_matcore_number(const char *text, const char *what, int lowest, int highest,
                                 int *number) {
  enum hb_status status = HB_OK;
  char *end = NULL;
  errno = 0;
  const long value = strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < lowest || value > highest)
    HB_FAIL(HB_BAD_INPUT, "%s: '%s'; allowed: whole numbers from %d to %d", what, text, lowest,
            highest);
  *number = (int)value;
done:
  return status;
}

enum hb_status hb_matcore_precision(const char *text, enum hb_precision *precision) {
  enum hb_status status = HB_OK;
  if (strcmp(text, "f64") == 0) {
    *precision = HB_F64;
  } else if (strcmp(text, "f32") == 0) {
    *precision = HB_F32;
  } else {
    HB_FAIL(HB_BAD_INPUT, "precision: '%s'; allowed: f64, f32", text);
  }
done:
  return status;
}

static enum hb_status unknown_option(const char *given, const struct hb_matcore_option *options,
                                     int num_options) {
  enum hb_status status = HB_OK;
  char names[256] = "";
  for (int o = 0; o < num_options; o++) {
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", o > 0 ? ", " : "", options[o].name);
  }
  HB_FAIL(HB_BAD_INPUT, "unknown option '%s'; allowed: %s", given, names);
done:
  return status;
}

/* Takes the option at argv[*a], and its value. */
static enum hb_status take_option(int argc, char **argv, int *a,
                                  const struct hb_matcore_option *options, int num_options) {
  enum hb_status status = HB_OK;
  int o = 0;
  while (o < num_options && strcmp(argv[*a], options[o].name) != 0) o++;
  if (o == num_options) return unknown_option(argv[*a], options, num_options);
  if (options[o].flag != NULL) {
    *options[o].flag = true;
    return HB_OK;
  }
  if (*a + 1 >= argc) HB_FAIL(HB_BAD_INPUT, "%s needs a value", argv[*a]);
  (*a)++;
  if (options[o].word != NULL)
    *options[o].word = argv[*a];
  else
    HB_TRY(hb_matcore_number(argv[*a], options[o].name, options[o].lowest, options[o].highest,
                             options[o].number));
done:
  return status;
}

enum hb_status hb_matcore_parse(int argc, char **argv, const struct hb_matcore_option *options,
                                int num_options, const char **words, int max_words,
                                int *num_words) {
  enum hb_status status = HB_OK;
  *num_words = 0;
  for (int a = 1; a < argc; a++) {
    if (argv[a][0] == '-' && argv[a][1] == '-') {
      HB_TRY(take_option(argc, argv, &a, options, num_options));
    } else if (*num_words == max_words) {
      HB_FAIL(HB_BAD_INPUT, "unexpected argument '%s'; allowed besides options: %d", argv[a],
              max_words);
    } else {
      words[(*num_words)++] = argv[a];
    }
  }
done:
  return status;
}
