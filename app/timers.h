/* SPDX-License-Identifier: BSD-3-Clause
 * Where a rank's time goes: one sum of seconds a phase. */
#ifndef HB_APP_TIMERS_H
#define HB_APP_TIMERS_H

#include "app/pulse.h"
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
  double counted; /* up to when a solve's time has been counted */
  /* Of the timed solves, one by one: */
  hb_global num_reductions;
  double least_reduction, all_reductions; /* s */
  struct hb_pulse *pulse;                 /* borrowed; NULL: no watchdog looks */
};

static inline double hb_timer_now(void) { return MPI_Wtime(); }

/* Adds the time since *mark to the phase and moves *mark to now. */
static inline void hb_timer_add(struct hb_timers *timers, enum hb_phase phase, double *mark) {
  const double now = hb_timer_now();
  timers->seconds[phase] += now - *mark;
  *mark = now;
}

/* The phases of a solve follow each other without a gap: what passes between the end of one and the
 * mark of the next belongs to the next, so that their sum is the time of the solve.  For callers
 * that may have no timers (NULL): nothing is read or counted then.  hb_timer_begin and hb_timer_end
 * return the time; what is left at the end goes to the phase. */
static inline double hb_timer_begin(struct hb_timers *timers) {
  const double now = hb_timer_now();
  if (timers != NULL) timers->counted = now;
  return now;
}
static inline double hb_timer_mark(const struct hb_timers *timers) {
  return timers != NULL ? timers->counted : 0.0;
}
/* The phase begins, for watchdogs: nothing is timed.  Vector work is what follows a reduction. */
static inline void hb_timer_enter(const struct hb_timers *timers, enum hb_phase phase) {
  if (timers == NULL || timers->pulse == NULL) return;
  hb_pulse_phase(timers->pulse, (int)phase,
                 phase == HB_PHASE_EXCHANGE || phase == HB_PHASE_REDUCTION);
}
static inline void hb_timer_count(struct hb_timers *timers, enum hb_phase phase, double *mark) {
  if (timers == NULL) return;
  const double begin = *mark;
  hb_timer_add(timers, phase, mark);
  if (phase == HB_PHASE_REDUCTION) {
    const double seconds = *mark - begin;
    if (timers->num_reductions == 0 || seconds < timers->least_reduction)
      timers->least_reduction = seconds;
    timers->all_reductions += seconds;
    timers->num_reductions++;
    hb_timer_enter(timers, HB_PHASE_VECTOR);
  }
  timers->counted = *mark;
}
/* The same for two phases at once, the first having `share` of the time. */
static inline void hb_timer_split(struct hb_timers *timers, enum hb_phase first,
                                  enum hb_phase second, double share, double *mark) {
  if (timers == NULL) return;
  const double start = *mark, before = timers->seconds[first];
  hb_timer_count(timers, first, mark);
  timers->seconds[first] = before + share * (*mark - start);
  timers->seconds[second] += (1.0 - share) * (*mark - start);
}
static inline double hb_timer_end(struct hb_timers *timers, enum hb_phase phase) {
  const double now = hb_timer_now();
  if (timers == NULL) return now;
  timers->seconds[phase] += now - timers->counted;
  timers->counted = now;
  return now;
}

/* Seconds of the phases that split the timed solves. */
double hb_timer_solves(const struct hb_timers *timers);

/* A second clock, of the system and not of MPI, which nobody sets; in seconds. */
double hb_timer_other_clock(void);

/* "setup_s" and so on, as in the output file. */
const char *hb_phase_name(enum hb_phase phase);

#endif
