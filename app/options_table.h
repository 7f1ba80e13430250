/* SPDX-License-Identifier: BSD-3-Clause
 * The table behind the options: one row an option, and what can be done with a row. */
#ifndef HB_APP_OPTIONS_TABLE_H
#define HB_APP_OPTIONS_TABLE_H

#include "app/options.h"

enum hb_option_type {
  HB_OPTION_INTEGER, /* int or hb_global, told apart by `bytes` */
  HB_OPTION_REAL,    /* double */
  HB_OPTION_CHOICE,  /* an enum whose values 0, 1, ... have the names in `choices` */
  HB_OPTION_YESNO,   /* bool */
  HB_OPTION_TEXT,    /* char[bytes] */
  HB_OPTION_FLAG     /* bool, command line alone: --name without a value */
};

enum {
  HB_OPTION_SHOWN_BYTES = 128, /* a value, a name or a range as it is shown in messages */
  HB_OPTION_WHERE_BYTES = 512, /* "case.ini:12: degree" or "command line: --degree" */
  HB_OPTION_HINT_BYTES = 512
};

struct hb_option {
  const char *section; /* NULL: not in files, command line alone */
  const char *name;    /* in files; on the command line --name, where - and _ are the same */
  const char *alias;   /* another name on the command line, or NULL */
  enum hb_option_type type;
  size_t offset, bytes;     /* of the member in struct hb_options */
  int64_t lowest, highest;  /* integers */
  double low, high;         /* reals; high may be infinite (the value may not) */
  bool low_open, high_open; /* low or high itself is not allowed */
  const char *choices;      /* names separated by single blanks */
  const char *unit;         /* NULL or "" for pure numbers and words */
  const char *preset;       /* default, as text */
  const char *help;         /* one line, without a full stop */
};

int hb_option_count(void);
const struct hb_option *hb_option_at(int index);

/* Index of the row, or -1.  In files: by section (NULL: any section) and name.  On the command
 * line: by name or alias of `length` characters, - and _ being the same; flags included. */
int hb_option_find(const char *section, const char *name);
int hb_option_find_argument(const char *name, size_t length);
bool hb_option_section_known(const char *section);

/* Reads `text` into the row's member.  HB_BAD_INPUT: "`where`: what was given, what is allowed". */
enum hb_status hb_option_set(const struct hb_option *option, const char *where, const char *text,
                             struct hb_options *options);

/* The member as text that hb_option_set reads back to the identical value. */
void hb_option_format(const struct hb_option *option, const struct hb_options *options,
                      char text[HB_PATH_BYTES]);

/* What is allowed: "1..15", "> 0", "none | jacobi", ... */
void hb_option_range(const struct hb_option *option, char text[HB_OPTION_SHOWN_BYTES]);

/* A printable excerpt of what a user gave: control characters become ?, long text is cut. */
void hb_option_shown(const char *given, char text[HB_OPTION_SHOWN_BYTES]);

/* Words on what the user may have meant by an unknown name: a hint of near names, or all of the
 * section (NULL: of the command line).  The second: the same for an unknown section. */
void hb_option_hint(const char *section, const char *name, char text[HB_OPTION_HINT_BYTES]);
void hb_option_section_hint(const char *section, char text[HB_OPTION_HINT_BYTES]);

/* Edits between two names, - being the same as _: 0 is exact; a known name that begins with what
 * was given counts as one edit away, NULL as far away. */
int hb_name_distance(const char *given, const char *known);

/* options_file.c: reads the case file's text of `bytes` characters, which is changed, into
 * `options`.  `path` is for messages. */
enum hb_status hb_options_read(const char *path, char *text, size_t bytes,
                               struct hb_options *options);

#endif
