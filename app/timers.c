/* SPDX-License-Identifier: BSD-3-Clause
 * Names of the phases. */
#include "app/timers.h"

const char *hb_phase_name(enum hb_phase phase) {
  static const char *const names[HB_NUM_PHASES] = {"tuning_s",        "setup_s",  "operator_s",
                                                   "exchange_wait_s", "vector_s", "reduction_s",
                                                   "gates_s",         "output_s", "other_s"};
  return names[phase];
}
