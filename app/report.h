/* SPDX-License-Identifier: BSD-3-Clause
 * What rank 0 prints: `key: value` lines, and one RESULT line last. */
#ifndef HB_APP_REPORT_H
#define HB_APP_REPORT_H

#include <stdio.h>

#include "app/device_binding.h"
#include "app/figures.h"
#include "app/gates.h"
#include "app/tuning.h"

/* Everything that is known of a finished solve; all borrowed. */
struct hb_results {
  const struct hb_solver *solver;
  const struct hb_solves *solves;
  const struct hb_gates *gates;
  const struct hb_figures *figures;
  const struct hb_bandwidth *bandwidth;
  const struct hb_timers *timers;
  const struct hb_device_binding *binding; /* NULL: on the host, as the next */
  const struct hb_tuning *tuning;
};

/* What is known before a solve; all borrowed.  binding and tuning NULL: on the host. */
struct hb_plan {
  const struct hb_comm *comm;
  const struct hb_options *options;
  const struct hb_box *box;
  const struct hb_partition *partition;
  const struct hb_helmholtz_variant *variant;
  struct hb_geometry geometry;
  const struct hb_device_binding *binding;
  const struct hb_tuning *tuning;
  const struct hb_entries *memory, *device_memory;
};

/* Not collective; called on rank 0.  What will be solved, where, with how much memory. */
void hb_report_plan(FILE *stream, const struct hb_plan *plan);

/* Collective; rank 0 prints.  Timings with imbalance, traffic, gates, figures of merit. */
void hb_report_results(FILE *stream, const struct hb_results *results);

/* Not collective; called on rank 0.  The last line:
 *   RESULT status=VALID fom_nekbone_gflops=... dof_iterations_per_s=... ...
 *   RESULT status=INVALID failed=GATE,GATE ...             (without figures of merit) */
void hb_report_verdict(FILE *stream, const struct hb_results *results);

/* Name of the processor, as the system gives it; "unknown" if it does not. */
void hb_report_processor(size_t size, char *name);

#endif
