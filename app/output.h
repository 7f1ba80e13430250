/* SPDX-License-Identifier: BSD-3-Clause
 * A finished solve as one output file. */
#ifndef HB_APP_OUTPUT_H
#define HB_APP_OUTPUT_H

#include "app/report.h"

/* Collective.  Can the options' output file be written?  Checked before the solve, with the room it
 * will need.  HB_OK also if no file is asked for. */
enum hb_status hb_output_check(const struct hb_comm *comm, const struct hb_options *options,
                               const struct hb_box *box);

/* Collective.  Writes mesh, fields (solution, exact_solution, error, residual), timings, residual
 * history, gates and configuration; the time it takes is added to the timers (in
 * the file itself: up to its tables).  solver->cg->r must
 * hold the true residual (hb_gates_run leaves it there).  watcher may be NULL. */
enum hb_status hb_output_write(const struct hb_results *results, struct hb_timers *timers,
                               const char *command_line, const struct hb_watcher *watcher);

#endif
