/* SPDX-License-Identifier: BSD-3-Clause
 * Gate: the variant in use against the plain reference. */
#ifndef HB_APP_GATE_KERNEL_H
#define HB_APP_GATE_KERNEL_H

#include "app/gates.h"

/* Collective.  Applies the variant to blocks of this run's elements (the first, the last, and some
 * between, on every rank; one, or as many as a kernel of several elements needs to have all of them
 * and a part of the next) and compares with the reference in double.  Observed: largest
 * |difference| over its bound, so the bound is 1. */
enum hb_status hb_gate_kernel(const struct hb_solver *solver, struct hb_gate_work *vectors,
                              struct hb_gates *gates);

#endif
