/* SPDX-License-Identifier: BSD-3-Clause
 * Jacobi's preconditioner: M is the assembled diagonal of the operator. */
#ifndef HB_APP_JACOBI_H
#define HB_APP_JACOBI_H

#include "app/operator.h"
#include "app/preconditioner.h"

/* Collective.  As hb_preconditioner_create; it fuses. */
enum hb_status hb_jacobi_create(struct hb_operator *op, struct hb_preconditioner **preconditioner);

/* Bytes of its diagonal. */
hb_global hb_jacobi_bytes(enum hb_precision precision, hb_global num_points);

#endif
