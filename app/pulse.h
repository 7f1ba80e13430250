/* SPDX-License-Identifier: BSD-3-Clause
 * Where a rank is, published for the watchdogs of its node: a few stores to memory that they share.
 * One writer each; readers look at it only when nothing has moved for long. */
#ifndef HB_APP_PULSE_H
#define HB_APP_PULSE_H

#include <stdatomic.h>
#include <stdio.h>

#include "kernels/base.h"

enum { HB_PULSE_STAGE_BYTES = 48 };

struct hb_pulse {
  _Alignas(64) atomic_ullong steps; /* grows with all that the rank does */
  atomic_int phase;                 /* of the timed part of a solve; -1: of none */
  atomic_int waits;                 /* 1: in MPI, for other ranks */
  atomic_int solve, iteration;      /* from 1 on; 0: of none */
  char stage[HB_PULSE_STAGE_BYTES]; /* "setting up" */
  int rank;
  long process;
  _Alignas(64) atomic_ullong beats; /* by the rank's watchdog: grows while the process runs */
};

/* Not collective, as all below; pulse NULL: nobody watches. */
static inline void hb_pulse_step(struct hb_pulse *pulse) {
  if (pulse == NULL) return;
  atomic_store_explicit(&pulse->steps,
                        atomic_load_explicit(&pulse->steps, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

/* A phase of a solve begins. */
static inline void hb_pulse_phase(struct hb_pulse *pulse, int phase, bool waits) {
  if (pulse == NULL) return;
  atomic_store_explicit(&pulse->phase, phase, memory_order_relaxed);
  atomic_store_explicit(&pulse->waits, waits ? 1 : 0, memory_order_relaxed);
  hb_pulse_step(pulse);
}

static inline void hb_pulse_iteration(struct hb_pulse *pulse, int solve, int iteration) {
  if (pulse == NULL) return;
  atomic_store_explicit(&pulse->solve, solve, memory_order_relaxed);
  atomic_store_explicit(&pulse->iteration, iteration, memory_order_relaxed);
  hb_pulse_step(pulse);
}

/* A stage of the run begins, outside solves. */
static inline void hb_pulse_stage(struct hb_pulse *pulse, const char *stage) {
  if (pulse == NULL) return;
  snprintf(pulse->stage, sizeof pulse->stage, "%s", stage);
  hb_pulse_iteration(pulse, 0, 0);
  hb_pulse_phase(pulse, -1, false);
}

#endif
