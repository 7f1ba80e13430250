/* SPDX-License-Identifier: BSD-3-Clause
 * The sum of partial sums in one block, in an order fixed by their number; and the steps that
 * follow from such sums. */
#include <cfloat>

#include "kernels/launch.h"
#include "kernels/vectors/assembly.h"
#include "kernels/vectors/step_direction.h"

enum { THREADS = 1024, FLIGHT = 8 }; /* loads of a thread under way together */

/* sums[c] = sum over i of partials[i][c], c < COUNT, valid on thread 0.  Every thread of the block
 * must call it. */
template <int COUNT> struct block_sums {
  double sums[COUNT];

  __device__ block_sums(hb_local count, int components, const double *partials) {
    __shared__ double s_sums[COUNT][THREADS / HB_WAVE];
    const int thread = static_cast<int>(threadIdx.x), lane = thread % HB_WAVE;
    constexpr int Q = FLIGHT / COUNT;
    double part[COUNT][Q] = {};
    for (int64_t i = thread; i < count; i += THREADS * Q)
#pragma unroll
      for (int q = 0; q < Q; q++) { /* loads without a condition go out together */
        const int64_t wanted = i + q * THREADS;
#pragma unroll
        for (int c = 0; c < COUNT; c++) {
          const double value = partials[(wanted < count ? wanted : i) * components + c];
          part[c][q] += wanted < count ? value : 0.0;
        }
      }
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
      double sum = 0.0;
      for (int q = 0; q < Q; q++) sum += part[c][q];
      sum = hb_wave_sum(sum);
      if (lane == 0) s_sums[c][thread / HB_WAVE] = sum;
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < COUNT; c++)
      sums[c] = hb_wave_sum(lane < THREADS / HB_WAVE ? s_sums[c][lane] : 0.0);
    __syncthreads();
  }
};

/* sums[c] = sum over i of partials[i][c] */
__global__ void __launch_bounds__(THREADS)
    hb_reduce(hb_local count, int components, const double *partials, double *sums) {
  for (int c = 0; c < components; c++) {
    const block_sums<1> sum(count, components, partials + c);
    if (threadIdx.x == 0) sums[c] = sum.sums[0];
  }
}

__global__ static void hb_step_begin(hb_device_step start, hb_device_step *step) {
  start.clock = hb_clock();
  *step = start;
}

/* alpha = r.z / p.Ap */
__global__ void __launch_bounds__(THREADS)
    hb_step_direction(hb_local count, const double *partials, const hb_device_steps steps) {
  hb_follow_launch();
  if (steps.d_step->stopped != 0) return;
  const block_sums<1> sum(count, 1, partials);
  if (threadIdx.x == 0) hb_take_direction(steps, sum.sums[0]);
}

/* beta = r.z / (r.z before) */
__global__ void __launch_bounds__(THREADS)
    hb_step_residual(hb_local count, const double *partials, const hb_device_steps steps) {
  hb_follow_launch();
  hb_device_step *const step = steps.d_step;
  if (step->stopped != 0) return;
  const block_sums<2> sum(count, 2, partials);
  const double rr = sum.sums[0], rz = sum.sums[1];
  if (threadIdx.x != 0) return;
  hb_device_step_record &record = steps.records[step->iteration % steps.num_records];
  const uint64_t now = hb_clock();
  const bool goes_on =
      rr <= DBL_MAX && rr > step->nothing && !(step->goal > 0.0 && rr <= step->goal);
  record.rr = rr;
  record.rz = rz;
  record.vector_ticks = now - step->clock;
  step->beta = rz / step->rz;
  step->rz = rz;
  step->iteration++;
  step->stopped = goes_on && step->iteration < step->limit ? 0 : 1;
  step->clock = now;
}

extern "C" {

enum hb_status hb_device_reduce(struct hb_device *device, hb_local count, int components,
                                const double *d_partials, double *sums) {
  return hb_launch(device, "reduce", hb_reduce, 1, THREADS, 0, count, components, d_partials, sums);
}

enum hb_status hb_device_step_begin(struct hb_device *device, double rz, double goal,
                                    double nothing, int limit, struct hb_device_step *d_step) {
  hb_device_step start = {};
  start.rz = rz;
  start.goal = goal;
  start.nothing = nothing;
  start.limit = limit;
  return hb_launch(device, "step_begin", hb_step_begin, 1, 1, 0, start, d_step);
}

enum hb_status hb_device_step_direction(struct hb_device *device, hb_local count,
                                        const double *d_partials,
                                        const struct hb_device_steps *steps) {
  return hb_launch_next(device, "step_direction", hb_step_direction, 1, THREADS, 0, count,
                        d_partials, *steps);
}

enum hb_status hb_device_step_residual(struct hb_device *device, hb_local count,
                                       const double *d_partials,
                                       const struct hb_device_steps *steps) {
  return hb_launch_next(device, "step_residual", hb_step_residual, 1, THREADS, 0, count, d_partials,
                        *steps);
}

} /* extern "C" */
