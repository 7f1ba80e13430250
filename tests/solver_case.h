/* SPDX-License-Identifier: BSD-3-Clause
 * A solver with its plan, as tests of solves make and unmake it. */
#ifndef HB_TESTS_SOLVER_CASE_H
#define HB_TESTS_SOLVER_CASE_H

#include "app/solver.h"

/* Collective.  Plan, tuning and solver; on failure both are NULL. */
static inline enum hb_status solver_case_create(const struct hb_comm *comm,
                                                const struct hb_options *options,
                                                struct hb_timers *timers, struct hb_plan **plan,
                                                struct hb_solver **solver) {
  enum hb_status status = HB_OK;
  *solver = NULL;
  HB_TRY(hb_plan_create(comm, options, plan));
  HB_TRY(hb_backend_tune((*plan)->backend));
  HB_TRY(hb_backend_settle((*plan)->backend));
  HB_TRY(hb_solver_create(*plan, timers, NULL, solver));
done:
  if (status != HB_OK) hb_plan_destroy(plan);
  return status;
}

static inline void solver_case_destroy(struct hb_plan **plan, struct hb_solver **solver) {
  hb_solver_destroy(solver);
  hb_plan_destroy(plan);
}

#endif
