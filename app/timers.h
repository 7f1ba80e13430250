/* SPDX-License-Identifier: BSD-3-Clause
 * Where a rank's time goes: one sum of seconds a phase. */
#ifndef HB_APP_TIMERS_H
#define HB_APP_TIMERS_H

#include "mesh/comm.h"

/* Tuning comes before setup, which ends before the first solve.  Operator, exchange wait, vector
 * work and reductions split the timed solves; a reduction's time holds the wait for the slowest
 * rank. */
enum hb_phase {
  HB_PHASE_TUNING, /* the wait for rank 0, which tunes, among it */
  HB_PHASE_SETUP,
  HB_PHASE_OPERATOR,
  HB_PHASE_EXCHANGE,
  HB_PHASE_VECTOR,
  HB_PHASE_REDUCTION,
  HB_PHASE_GATES,
  HB_PHASE_OUTPUT,
  HB_PHASE_OTHER, /* options and plan, bandwidth measurement, warm-up solves */
  HB_NUM_PHASES
};

struct hb_timers {
  double seconds[HB_NUM_PHASES];
  double started; /* of the run */
};

static inline double hb_timer_now(void) { return MPI_Wtime(); }

/* Adds the time since *mark to the phase and moves *mark to now. */
static inline void hb_timer_add(struct hb_timers *timers, enum hb_phase phase, double *mark) {
  const double now = MPI_Wtime();
  timers->seconds[phase] += now - *mark;
  *mark = now;
}

/* The same for callers that may have no timers (NULL): nothing is read or counted then. */
static inline double hb_timer_mark(const struct hb_timers *timers) {
  return timers != NULL ? hb_timer_now() : 0.0;
}
static inline void hb_timer_count(struct hb_timers *timers, enum hb_phase phase, double *mark) {
  if (timers != NULL) hb_timer_add(timers, phase, mark);
}

/* "setup_s" and so on, as in the output file. */
const char *hb_phase_name(enum hb_phase phase);

#endif
