/* SPDX-License-Identifier: BSD-3-Clause
 * The gate on the solution's values on Dirichlet faces. */
#ifndef HB_APP_GATE_BOUNDARY_H
#define HB_APP_GATE_BOUNDARY_H

#include "app/gates.h"

/* Collective.  Judges the gate boundary: the largest |x - u| over the points on Dirichlet faces, as
 * the box has them, against rounding to the operator's precision.  Nothing else looks at these
 * values where the iteration is cut off.  exact [num_points]: u. */
enum hb_status hb_gate_boundary(const struct hb_solver *solver, const double *exact,
                                struct hb_gates *gates);

#endif
