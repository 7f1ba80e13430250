/* SPDX-License-Identifier: BSD-3-Clause
 * A finished solve as one output file. */
#ifndef HB_APP_OUTPUT_H
#define HB_APP_OUTPUT_H

#include "app/report.h"

/* Collective.  Writes mesh, fields (solution, exact_solution, error, residual), timings, residual
 * history, gates and configuration; the time it takes is added to the timers (in
 * the file itself: up to its tables).  watcher may be NULL.  *overtaken, on rank 0: another run has
 * written the name since the plan, and its file is replaced. */
enum hb_status hb_output_write(const struct hb_results *results, struct hb_timers *timers,
                               const char *command_line, const struct hb_watcher *watcher,
                               bool *overtaken);

#endif
