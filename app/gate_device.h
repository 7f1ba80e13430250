/* SPDX-License-Identifier: BSD-3-Clause
 * What the gates have on a device. */
#ifndef HB_APP_GATE_DEVICE_H
#define HB_APP_GATE_DEVICE_H

#include "app/cg_device.h"
#include "app/device_lattice.h"
#include "app/gates_internal.h"
#include "kernels/helmholtz/audit_device.h"

/* The gates' vectors are those of the operator and of the iteration that nobody needs after its
 * end: work.u and work.v its two directions, work.w the operator's result, x the solution, which
 * they take from the host anew, as it is written. */
struct hb_gate_device {
  struct hb_operator_device *od; /* borrowed, as the next */
  struct hb_cg_device *cg;
  struct hb_device_lattice lattice; /* with the elements around the rank's own; owned */
  struct hb_point_sums error;       /* of x against the exact solution, this rank's */
};

#endif
