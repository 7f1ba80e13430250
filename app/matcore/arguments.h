/* SPDX-License-Identifier: BSD-3-Clause
 * Command lines of helmbone-matcore's commands: options and plain words from a table. */
#ifndef HB_APP_MATCORE_ARGUMENTS_H
#define HB_APP_MATCORE_ARGUMENTS_H

#include "app/option.h"

struct hb_matcore_usage {
  const char *usage; /* the command with its words, and what it does; lines */
  struct hb_option_table table;
  const char *notes; /* lines after the options; NULL: none */
};

/* Sets defaults and reads the arguments into `options`, the table's struct.  If --help or -h is
 * among them, prints the usage to standard output instead and sets *helped. */
enum hb_status hb_matcore_arguments(const struct hb_matcore_usage *usage, int argc, char **argv,
                                    void *options, bool *helped);

/* Rows: a plain word that must be given, --NAME without and with text. */
#define HB_MATCORE_WORD(of, member, what)                                                          \
  {                                                                                                \
    .name = #member, .type = HB_OPTION_TEXT, .words = 1, .needed = true,                           \
    HB_OPTION_MEMBER(of, member), .help = (what)                                                   \
  }
#define HB_MATCORE_FLAG(of, as, member, what)                                                      \
  { .name = (as), .type = HB_OPTION_FLAG, HB_OPTION_MEMBER(of, member), .help = (what) }
#define HB_MATCORE_TEXT(of, as, member, what)                                                      \
  { .name = (as), .type = HB_OPTION_TEXT, HB_OPTION_MEMBER(of, member), .help = (what) }
#define HB_MATCORE_CHOICE(of, as, member, names, otherwise, what)                                  \
  {                                                                                                \
    .name = (as), .type = HB_OPTION_CHOICE, HB_OPTION_MEMBER(of, member), .choices = (names),      \
    .preset = (otherwise), .help = (what)                                                          \
  }
#define HB_MATCORE_NUMBER(of, as, member, min, max, otherwise, what)                               \
  {                                                                                                \
    .name = (as), .type = HB_OPTION_INTEGER, HB_OPTION_MEMBER(of, member), .lowest = (min),        \
    .highest = (max), .preset = (otherwise), .help = (what)                                        \
  }

#endif
