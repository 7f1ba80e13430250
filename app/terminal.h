/* SPDX-License-Identifier: BSD-3-Clause
 * Is a person looking, and a line for that person that shows how far the work is. */
#ifndef HB_APP_TERMINAL_H
#define HB_APP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "kernels/base.h"

/* Not collective.  True if standard output ends at a terminal.  A rank that a launcher started may
 * have a terminal of the launcher's making although the launcher writes to a file; then the
 * launcher's own standard output decides (where it can be seen: the launcher is the parent). */
bool hb_terminal_attached(void);

/* A line of progress.  At a terminal (`redraws`) one line is drawn again and again, at most about
 * five times a second; elsewhere there is one plain line a stage. */
struct hb_progress_line {
  FILE *stream;  /* borrowed */
  bool shown;    /* false: prints nothing, for all ranks but one */
  bool redraws;  /* a person is looking */
  int drawn;     /* characters in the line now, 0 = none */
  double last_s; /* when it was drawn */
};

/* Not collective, as all below. */
void hb_progress_init(struct hb_progress_line *line, FILE *stream, bool shown, bool redraws);

/* A stage begins: its name in the line, or as a line "stage: label" of its own. */
void hb_progress_stage(struct hb_progress_line *line, const char *label);

/* At a terminal: "label: done of total (percent)", or without a total (0) "label: done". */
void hb_progress_update(struct hb_progress_line *line, const char *label, hb_global done,
                        hb_global total);

/* Wipes the line, so that what is printed next stands alone. */
void hb_progress_clear(struct hb_progress_line *line);

#endif
