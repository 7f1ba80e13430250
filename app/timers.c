/* SPDX-License-Identifier: BSD-3-Clause
 * Names and sums of the phases; the second clock. */
#include "app/timers.h"

#include <time.h>

const char *hb_phase_name(enum hb_phase phase) {
  static const char *const names[HB_NUM_PHASES] = {"tuning_s",        "setup_s",  "operator_s",
                                                   "exchange_wait_s", "vector_s", "reduction_s",
                                                   "gates_s",         "output_s", "other_s"};
  return names[phase];
}

double hb_timer_solves(const struct hb_timers *timers) {
  return timers->seconds[HB_PHASE_OPERATOR] + timers->seconds[HB_PHASE_EXCHANGE] +
         timers->seconds[HB_PHASE_VECTOR] + timers->seconds[HB_PHASE_REDUCTION];
}

double hb_timer_other_clock(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
