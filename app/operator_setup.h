/* SPDX-License-Identifier: BSD-3-Clause
 * Set-up of the operator's factors from the mesh. */
#ifndef HB_APP_OPERATOR_SETUP_H
#define HB_APP_OPERATOR_SETUP_H

#include "app/operator.h"

/* Fills op->factors and the rank's partial mass [num_points].  Not collective.
 * HB_BAD_INPUT names the first element whose map is not invertible. */
enum hb_status hb_operator_setup_factors(struct hb_operator *op, const struct hb_problem *problem,
                                         const struct hb_watcher *watcher, double *mass);

#endif
