/* SPDX-License-Identifier: BSD-3-Clause
 * The gate on the problem's formulas: source and gradient belong to the exact solution. */
#ifndef HB_APP_GATE_SOURCE_H
#define HB_APP_GATE_SOURCE_H

#include "app/gates.h"

/* Largest difference of source and gradient from what differences of u and of the flux h1 grad u
 * over short distances give, over what these can tell, at random points of the box:
 *   grad u;  f = h2 u - div(h1 grad u)
 * A wrong source is otherwise seen by its solution alone, and not on a coarse mesh. */
double hb_source_difference(const struct hb_problem *problem, int64_t seed);

/* Not collective, the same on all ranks.  Judges the gate source. */
void hb_gate_source(const struct hb_solver *solver, struct hb_gates *gates);

#endif
