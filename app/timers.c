/* SPDX-License-Identifier: BSD-3-Clause
 * Names of the phases, and the median of times. */
#include "app/timers.h"

#include <stdlib.h>

static int compare_times(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double hb_times_sort(int count, double *seconds) {
  qsort(seconds, (size_t)count, sizeof *seconds, compare_times);
  return 0.5 * (seconds[(count - 1) / 2] + seconds[count / 2]);
}

const char *hb_phase_name(enum hb_phase phase) {
  static const char *const names[HB_NUM_PHASES] = {"tuning_s",        "setup_s",  "operator_s",
                                                   "exchange_wait_s", "vector_s", "reduction_s",
                                                   "gates_s",         "output_s", "other_s"};
  return names[phase];
}
