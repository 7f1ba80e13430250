/* SPDX-License-Identifier: BSD-3-Clause
 * Packing and rank-ordered sums of shared points on the host.
 * Compiled per precision. */
#include "kernels/vectors/gather_pack.h"

#include "kernels/real.h"

void HB_REAL_NAME(hb_gather_pack)(hb_local count, const hb_local *index, const hb_real *values,
                                  hb_real *buffer) {
  for (hb_local s = 0; s < count; s++) buffer[s] = values[index[s]];
}

void HB_REAL_NAME(hb_gather_sum)(hb_local count, const hb_local *start, const hb_local *source,
                                 const hb_real *received, hb_real *shared) {
  for (hb_local s = 0; s < count; s++) {
    hb_real sum = 0;
    for (hb_local q = start[s]; q < start[s + 1]; q++)
      sum += source[q] < 0 ? shared[s] : received[source[q]];
    shared[s] = sum;
  }
}
