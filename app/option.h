/* SPDX-License-Identifier: BSD-3-Clause
 * Options of any program: a table with one row an option, and the struct that it fills.
 *
 * The rows drive case file, command line, defaults, hints, --help and echo; a program gives nothing
 * but its table.  Files: [section] and `name = value` lines; # and ; begin comments.  Command line:
 * --NAME VALUE, --NAME=VALUE, --FLAG, and plain words; later ones over earlier ones.
 *
 * Nothing here is collective.  HB_BAD_INPUT names the place (file and line, or the argument), the
 * value given and what is allowed.  `options` is the table's struct. */
#ifndef HB_APP_OPTION_H
#define HB_APP_OPTION_H

#include <stdio.h>

#include "kernels/base.h"

enum { HB_PATH_BYTES = 4096 };

enum hb_option_type {
  HB_OPTION_INTEGER, /* int or hb_global, told apart by `bytes` */
  HB_OPTION_REAL,    /* double */
  HB_OPTION_CHOICE,  /* an enum whose values 0, 1, ... have the names in `choices` */
  HB_OPTION_YESNO,   /* bool */
  HB_OPTION_TEXT,    /* char[bytes] */
  HB_OPTION_FILE,    /* char[bytes], the name of a file; a plain word */
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
  int words;               /* > 0: no --name; at most so many plain words, in an array if several */
  bool needed;             /* of words: one must be given */
  size_t offset, bytes;    /* of the member in the struct; of one of an array */
  int64_t lowest, highest; /* integers */
  double low, high;        /* reals; high may be infinite (the value may not) */
  bool low_open, high_open; /* low or high itself is not allowed */
  const char *choices;      /* names separated by single blanks */
  const char *unit;         /* NULL or "" for pure numbers and words */
  const char *preset;       /* default, as text; NULL: the member stays as it was */
  const char *help;         /* one line, without a full stop; NULL: not shown */
};

struct hb_option_table {
  const struct hb_option *rows; /* those of a section, and those without one, stand together */
  int count;
};

/* Offset and size of a member, for rows. */
#define HB_OPTION_MEMBER(of, member)                                                               \
  .offset = offsetof(struct of, member), .bytes = sizeof(((struct of *)NULL)->member)

/* Sets every member whose row has a default. */
void hb_option_defaults(const struct hb_option_table *table, void *options);

/* Reads arguments 1 .. argc - 1.  Words that were not given stay as they were. */
enum hb_status hb_option_read_arguments(const struct hb_option_table *table, int argc, char **argv,
                                        void *options);

/* Is one of the arguments exactly this?  For --help and --version, which come before errors. */
bool hb_option_given(int argc, char **argv, const char *argument);

/* Reads a case file's text of `bytes` characters, which is changed and has room for one more.
 * `path` is for messages. */
enum hb_status hb_option_read_text(const struct hb_option_table *table, const char *path,
                                   char *text, size_t bytes, void *options);

/* The rows as --help has them, under their sections if the table has some; the effective values as
 * a valid case file. */
void hb_option_help(const struct hb_option_table *table, FILE *stream);
void hb_option_echo(const struct hb_option_table *table, FILE *stream, const void *options);

/* Visits every option of a section in order, with its value as text. */
void hb_option_visit(const struct hb_option_table *table, const void *options,
                     void (*visit)(void *context, const char *section, const char *name,
                                   const char *value),
                     void *context);

/* Index of the row, or -1.  In files: by section (NULL: any section) and name.  On the command
 * line: by name or alias of `length` characters, - and _ being the same; flags included. */
int hb_option_find(const struct hb_option_table *table, const char *section, const char *name);
int hb_option_find_argument(const struct hb_option_table *table, const char *name, size_t length);
bool hb_option_section_known(const struct hb_option_table *table, const char *section);

/* Reads `text` into the row's member.  HB_BAD_INPUT: "`where`: what was given, what is allowed". */
enum hb_status hb_option_set(const struct hb_option *option, const char *where, const char *text,
                             void *options);

/* The member as text that hb_option_set reads back to the identical value. */
void hb_option_format(const struct hb_option *option, const void *options,
                      char text[HB_PATH_BYTES]);

/* What is allowed: "1..15", "> 0", "none | jacobi", ... */
void hb_option_range(const struct hb_option *option, char text[HB_OPTION_SHOWN_BYTES]);

/* A printable excerpt of what a user gave: control characters become ?, long text is cut. */
void hb_option_shown(const char *given, char text[HB_OPTION_SHOWN_BYTES]);

/* Words on what the user may have meant by an unknown name: a hint of near names, or all of the
 * section (NULL: of the command line).  The second: the same for an unknown section. */
void hb_option_hint(const struct hb_option_table *table, const char *section, const char *name,
                    char text[HB_OPTION_HINT_BYTES]);
void hb_option_section_hint(const struct hb_option_table *table, const char *section,
                            char text[HB_OPTION_HINT_BYTES]);

/* Edits between two names, - being the same as _: 0 is exact; a known name that begins with what
 * was given counts as one edit away, NULL as far away. */
int hb_name_distance(const char *given, const char *known);

#endif
