/* SPDX-License-Identifier: BSD-3-Clause
 * Set-up of the operator's factors from the mesh. */
#ifndef HB_APP_OPERATOR_SETUP_H
#define HB_APP_OPERATOR_SETUP_H

#include "app/operator.h"

/* Fills op->factors and the rank's partial mass [num_points].  Not collective.
 * HB_BAD_INPUT names the first element whose map is not invertible. */
enum hb_status hb_operator_setup_factors(struct hb_operator *op, const struct hb_problem *problem,
                                         const struct hb_watcher *watcher, double *mass);

/* Not collective.  HB_BAD_INPUT that names the element at this position of the numbering unless its
 * smallest Jacobian is > 0. */
enum hb_status hb_operator_check_jacobian(const struct hb_mesh *mesh, hb_local position,
                                          double min_jacobian);

/* Not collective.  Adds an element's masses, values [k][j][i][lanes] of lane 0, to mass
 * [num_points]. */
void hb_operator_add_mass(const struct hb_mesh *mesh, const hb_local element[3], int lanes,
                          const double *values, double *mass);

#endif
