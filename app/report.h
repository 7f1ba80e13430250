/* SPDX-License-Identifier: BSD-3-Clause
 * What rank 0 prints: a page of `key: value` lines and tables, and one RESULT line last.  Figures
 * are in plain notation (plain.h); only observed values and bounds of gates have exponents. */
#ifndef HB_APP_REPORT_H
#define HB_APP_REPORT_H

#include <stdio.h>

#include "app/figures.h"
#include "app/gates.h"
#include "app/memory_use.h"
#include "app/own_time.h"
#include "app/placement.h"

/* Everything that is known of a finished solve; all borrowed. */
struct hb_results {
  const struct hb_solver *solver;
  const struct hb_solves *solves;
  const struct hb_gates *gates;
  const struct hb_figures *figures;
  const struct hb_bandwidth *bandwidth;
  const struct hb_own_times *own;
  const struct hb_placement *placement;
  const struct hb_timers *timers;
  const struct hb_memory_uses *memory;
  const char *written_by; /* how the output file came about; "": not, or without fields */
  bool unwritten;         /* the output file could not be written */
  bool file_is_wrong;     /* it was read back, and is not what it should be */
  bool report_unwritten;  /* the report for machines could not be written */
};

/* Not collective; called on rank 0.  What will be solved, where, with how much memory. */
void hb_report_plan(FILE *stream, const struct hb_plan *plan, const struct hb_entries *memory,
                    const struct hb_entries *device_memory);

/* Collective; rank 0 prints.  A page: phases with imbalance, own times and slow ranks, solves,
 * traffic, gates; memory and traffic in a line each, of the gates those that did not pass.  With
 * the option verbose every entry and every gate has its line. */
void hb_report_results(FILE *stream, const struct hb_results *results);

/* Not collective; called on rank 0.  The figures of merit, if the run is VALID. */
void hb_report_figures(FILE *stream, const struct hb_results *results);

/* Not collective; called on rank 0.  Tells of each rank that is slow by its own time, in what, and
 * where it is: host, processors, GPU, PCI id.  Of many the first ones, and how many more. */
void hb_report_slow(const struct hb_own_times *own, const struct hb_placement *placement,
                    hb_tell *tell, void *context);

/* Not collective; called on rank 0.  The last line:
 *   RESULT status=VALID fom_nekbone_gflops=... dof_iterations_per_s=... ...
 *   RESULT status=UNWRITTEN fom_...  (valid, but the output file could not be written)
 *   RESULT status=INVALID failed=GATE,GATE ...             (without figures of merit)
 * file=not_written stands in it, whatever the gates say, if that file could not be written, and
 * report=not_written if the one for machines could not. */
void hb_report_verdict(FILE *stream, const struct hb_results *results);

/* VALID: the gates say so, and the file, if there is one, is right. */
bool hb_results_are_valid(const struct hb_results *results);
/* The word of the RESULT line. */
const char *hb_results_status(const struct hb_results *results);
/* Comparable with Nekbone's and hipBone's figures? */
bool hb_results_are_comparable(const struct hb_results *results);

#endif
