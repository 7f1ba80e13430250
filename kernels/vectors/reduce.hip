/* SPDX-License-Identifier: BSD-3-Clause
 * The sum of partial sums in one block, in an order fixed by their number. */
#include <cfloat>

#include "kernels/launch.h"
#include "kernels/vectors/assembly.h"

enum { THREADS = 1024, FLIGHT = 8 }; /* loads of a thread under way together */

/* sums[c] = sum over i of partials[i][c];  quotient = numerator / sums[0] */
__global__ void __launch_bounds__(THREADS)
    hb_reduce(hb_local count, int components, const double *partials, double *sums,
              double numerator, double *quotient) {
  __shared__ double s_sums[THREADS / HB_WAVE];
  const int thread = static_cast<int>(threadIdx.x);
  for (int c = 0; c < components; c++) {
    double sum = 0.0, part[FLIGHT] = {};
    for (int64_t i = thread; i < count; i += THREADS * FLIGHT)
#pragma unroll
      for (int q = 0; q < FLIGHT; q++) { /* loads without a condition go out together */
        const int64_t wanted = i + q * THREADS;
        const double value = partials[(wanted < count ? wanted : i) * components + c];
        part[q] += wanted < count ? value : 0.0;
      }
    for (int q = 0; q < FLIGHT; q++) sum += part[q];
    sum = hb_block_sum(sum, thread, THREADS, s_sums);
    if (thread == 0) sums[c] = sum;
    if (thread == 0 && quotient != nullptr)
      *quotient = sum > 0.0 && sum <= DBL_MAX ? numerator / sum : 0.0;
    __syncthreads();
  }
}

static enum hb_status launch(struct hb_device *device, hb_local count, int components,
                             const double *d_partials, double *sums, double numerator,
                             double *d_quotient) {
  return hb_launch(device, "reduce", hb_reduce, 1, THREADS, 0, count, components, d_partials, sums,
                   numerator, d_quotient);
}

extern "C" {

enum hb_status hb_device_reduce(struct hb_device *device, hb_local count, int components,
                                const double *d_partials, double *sums) {
  return launch(device, count, components, d_partials, sums, 0.0, nullptr);
}

enum hb_status hb_device_reduce_quotient(struct hb_device *device, hb_local count,
                                         const double *d_partials, double *sums, double numerator,
                                         double *d_quotient) {
  return launch(device, count, 1, d_partials, sums, numerator, d_quotient);
}

} /* extern "C" */
