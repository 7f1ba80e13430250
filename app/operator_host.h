/* SPDX-License-Identifier: BSD-3-Clause
 * The operator (operator.h) on the host. */
#ifndef HB_APP_OPERATOR_HOST_H
#define HB_APP_OPERATOR_HOST_H

#include "app/operator_setup.h"
#include "app/plan.h"

struct hb_operator_host {
  struct hb_operator op;
  void *factors, *elements, *scratch; /* owned; what the geometry's mode keeps */
};

/* Not collective. */
hb_operator_create_type hb_operator_host_create;

/* The operator as what it is; op must be of this kind. */
struct hb_operator_host *hb_operator_host(struct hb_operator *op);

/* Bytes of the factors, or of what is kept for them, that it will hold on this rank. */
hb_global hb_operator_host_geometry_bytes(const struct hb_plan *plan);

#endif
