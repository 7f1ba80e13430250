/* SPDX-License-Identifier: BSD-3-Clause
 * The gates on what is reported of the timed solves: their times, counts and figures of merit. */
#ifndef HB_APP_GATE_FIGURES_H
#define HB_APP_GATE_FIGURES_H

#include "app/gates.h"

/* Collective.  Judges three gates.
 *   clock    a timed solve on a rank took as long as its phases together, to rounding, and as long
 *            as the second clock says, to one part in a hundred; reported is the slowest rank.
 *            Observed: the largest difference in units of what is granted.
 *   counts   an iteration is one pass of the operator, which counts them itself, and one row of the
 *            history, which is cleared before each solve; the solve came to the end that it says.
 *            Observed: passes and rows too many or too few.
 *   figures  the figures of merit follow from points, iterations and seconds, computed anew.
 *            Observed: the largest relative difference. */
enum hb_status hb_gate_figures(const struct hb_solver *solver, const struct hb_solves *solves,
                               struct hb_gates *gates);

#endif
