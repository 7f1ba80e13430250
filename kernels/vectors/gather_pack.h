/* SPDX-License-Identifier: BSD-3-Clause
 * Packing of the points that ranks share, and their sum in rank order after the exchange. */
#ifndef HB_KERNELS_VECTORS_GATHER_PACK_H
#define HB_KERNELS_VECTORS_GATHER_PACK_H

#include "kernels/base.h"

/* buffer[s] = values[index[s]], 0 <= s < count. */
void hb_gather_pack_f64(hb_local count, const hb_local *index, const double *values,
                        double *buffer);
void hb_gather_pack_f32(hb_local count, const hb_local *index, const float *values, float *buffer);

/* shared[s] = sum over source[start[s]] .. source[start[s+1]-1], in that order, where source q >= 0
 * means received[q] and -1 the own partial sum shared[s]. */
void hb_gather_sum_f64(hb_local count, const hb_local *start, const hb_local *source,
                       const double *received, double *shared);
void hb_gather_sum_f32(hb_local count, const hb_local *start, const hb_local *source,
                       const float *received, float *shared);

#endif
