/* SPDX-License-Identifier: BSD-3-Clause
 * Shared by the set-up of a solve and its repeats. */
#ifndef HB_APP_SOLVER_INTERNAL_H
#define HB_APP_SOLVER_INTERNAL_H

#include "app/solver.h"

/* Collective.  The solution on Dirichlet faces into x there; other points of x stay. */
enum hb_status hb_solver_set_dirichlet(struct hb_solver *solver);

#endif
