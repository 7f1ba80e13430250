/* SPDX-License-Identifier: BSD-3-Clause
 * The step of an iteration from p.Ap.  Included by .hip files only; contract: step.h. */
#ifndef HB_KERNELS_VECTORS_STEP_DIRECTION_H
#define HB_KERNELS_VECTORS_STEP_DIRECTION_H

#include <cfloat>

#include "kernels/platform/gpu.h"
#include "kernels/step.h"

__device__ static inline bool hb_is_positive(double sum) { return sum > 0.0 && sum <= DBL_MAX; }

/* alpha = r.z / p.Ap, or 0 and the end.  By one thread of a launch. */
__device__ static inline void hb_take_direction(const hb_device_steps &steps, double p_dot_w) {
  hb_device_step *const step = steps.d_step;
  hb_device_step_record &record = steps.records[step->iteration % steps.num_records];
  const uint64_t now = hb_clock();
  const bool positive = hb_is_positive(p_dot_w);
  step->alpha = positive ? step->rz / p_dot_w : 0.0;
  if (!positive) step->stopped = 1;
  step->passes++;
  record.p_dot_w = p_dot_w;
  record.alpha = step->alpha;
  record.operator_ticks = now - step->clock;
  record.passes = step->passes;
  record.number = step->iteration + 1;
  step->clock = now;
}

#endif
