/* SPDX-License-Identifier: BSD-3-Clause
 * Iterations of a solve on one rank that the device goes on with by itself
 * (kernels/step.h).
 *
 * The host launches them HB_AHEAD_ITERATIONS at a time, as one graph where the runtime takes one,
 * so that up to twice as many are on their way, and reads afterwards what each of them summed up.
 * It decides by the same rules from the same numbers as without: what the device did beyond the
 * last iteration that the host wants is nothing, as the device stops there too. */
#ifndef HB_APP_CG_AHEAD_H
#define HB_APP_CG_AHEAD_H

#include "app/cg.h"
#include "kernels/step.h"

/* Even: the two directions change places in each. */
enum { HB_AHEAD_ITERATIONS = 4, HB_AHEAD_RECORDS = 2 * HB_AHEAD_ITERATIONS };

struct hb_cg_device; /* cg_device.h */

struct hb_cg_ahead {
  struct hb_cg_device *cg;       /* borrowed */
  struct hb_device_steps steps;  /* owned, as the next; num_records HB_AHEAD_RECORDS */
  struct hb_device_graph *graph; /* of HB_AHEAD_ITERATIONS; NULL: kernel by kernel */
  hb_local most_partials;    /* of p.Ap that the residual sums on its way: HB_STEP_MOST_PARTIALS */
  int limit, launched, read; /* iterations */
  int passes;                /* of the operator, as the device counts them */
};

/* Not collective.  For passes whose vectors are there; graphs: try to record one, and go on kernel
 * by kernel if the runtime refuses. */
enum hb_status hb_cg_ahead_create(struct hb_cg_device *cg, bool graphs, struct hb_cg_ahead **ahead);
/* Accepts NULL, clears the caller's pointer. */
void hb_cg_ahead_destroy(struct hb_cg_ahead **ahead);
/* Bytes that it holds. */
hb_global hb_cg_ahead_bytes(void);

/* Not collective, as the next two: one rank.  From r.z at the start. */
enum hb_status hb_cg_ahead_begin(struct hb_cg_ahead *ahead, double rz,
                                 const struct hb_cg_limits *limits);
/* p.Ap of the next iteration.  The wait for it is counted as the operator's and the vectors', in
 * the proportion that the device's clock has. */
enum hb_status hb_cg_ahead_direction(struct hb_cg_ahead *ahead, struct hb_timers *timers,
                                     double *p_dot_w);
/* The rest of that iteration: sums = {r.r, r.z}.  HB_MACHINE_FAILED if the device's alpha is not
 * the host's. */
enum hb_status hb_cg_ahead_residual(struct hb_cg_ahead *ahead, double alpha, double sums[2]);

#endif
