/* SPDX-License-Identifier: BSD-3-Clause
 * A finished solve as one output file. */
#ifndef HB_APP_OUTPUT_H
#define HB_APP_OUTPUT_H

#include "app/output_tables.h"

/* How a file was written. */
struct hb_output_words {
  char way[160]; /* by which ranks, and why; "": no fields */
};

/* Collective.  Writes mesh, fields (of solution, exact_solution, error, residual those that the
 * options name) and the tables, whose times are gathered anew; the time it takes is added to the
 * timers (in the file itself: up to its tables).  HB_GATE_FAILED: what was read back is not
 * right, and there is no file.  HB_BAD_INPUT: another program has taken the name meanwhile.
 * watcher may be NULL. */
enum hb_status hb_output_write(const struct hb_results *results, struct hb_timers *timers,
                               struct hb_output_tables *tables, const struct hb_watcher *watcher,
                               struct hb_output_words *words);

#endif
