/* SPDX-License-Identifier: BSD-3-Clause
 * The gate on the solution's values on Dirichlet faces. */
#ifndef HB_APP_GATE_BOUNDARY_H
#define HB_APP_GATE_BOUNDARY_H

#include "app/gates.h"

/* Not collective.  largest: |x - u| and |u| over the rank's points on Dirichlet faces, as the box
 * has them; exact [num_points]: u. */
void hb_gate_boundary_errors(const struct hb_solver *solver, const double *exact,
                             double largest[2]);

/* Judges the gate boundary by these, of all ranks, against rounding to the operator's precision.
 * Nothing else looks at these values where the iteration is cut off. */
void hb_gate_boundary_judge(const struct hb_solver *solver, const double largest[2],
                            struct hb_gates *gates);

#endif
