/* SPDX-License-Identifier: BSD-3-Clause
 * The numbers of a conjugate gradient iteration on a device, which goes on from step to step there
 * without asking the host.
 *
 *   alpha = r.z / p.Ap,   beta = r.z / (r.z before),   by the divisions that the host would do,
 *
 * and the decision to stop (cg.h), after which every pass that is already on its way returns at
 * once: vectors and numbers stay as they were at that step.  For one rank: its sums are the sums.
 */
#ifndef HB_KERNELS_STEP_H
#define HB_KERNELS_STEP_H

#include "kernels/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In device memory.  Passes read alpha, beta and stopped, reductions write all but the limits. */
struct hb_device_step {
  double alpha, beta;   /* 0 at first */
  double rz;            /* r.z of the last residual */
  double goal, nothing; /* stop when r.r <= goal, if goal > 0; or when r.r <= nothing */
  uint64_t clock;       /* the device's, at the last sum */
  int limit, iteration; /* most of them; those done */
  int passes;           /* of the operator, counted where its sum is */
  int stopped;          /* 1: at the limit, a goal, or a sum that is no number or not positive */
};

/* What the host learns of an iteration.  In pinned memory; valid once the stream has passed, if
 * `number` is the iteration's, from 1 on; p_dot_w alone is valid if that is where it stopped. */
struct hb_device_step_record {
  double p_dot_w, alpha, rr, rz;
  uint64_t operator_ticks, vector_ticks; /* of the device's clock, up to each sum */
  int number, passes;
};

/* Where a solve's steps are; iteration i goes to records[i % num_records]. */
struct hb_device_steps {
  struct hb_device_step *d_step;         /* borrowed, as the records */
  struct hb_device_step_record *records; /* pinned */
  int num_records;
};

/* Sets *d_step for a solve from r.z: goal, nothing and limit as above. */
enum hb_status hb_device_step_begin(struct hb_device *device, double rz, double goal,
                                    double nothing, int limit, struct hb_device_step *d_step);
/* After the operator's pass: p.Ap from its partial sums, alpha.  Where they and the points are at
 * most so many, each block of the residual's pass had better do it (hb_assembly_residual). */
enum { HB_STEP_MOST_PARTIALS = 1024, HB_STEP_MOST_POINTS = 1 << 19 };
enum hb_status hb_device_step_direction(struct hb_device *device, hb_local count,
                                        const double *d_partials,
                                        const struct hb_device_steps *steps);
/* After the residual's pass: r.r and r.z from its pairs of partial sums, beta. */
enum hb_status hb_device_step_residual(struct hb_device *device, hb_local count,
                                       const double *d_partials,
                                       const struct hb_device_steps *steps);

#ifdef __cplusplus
}
#endif

#endif
