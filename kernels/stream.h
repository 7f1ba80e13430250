/* SPDX-License-Identifier: BSD-3-Clause
 * Copy and triad, the measure of memory bandwidth that figures are compared with.
 *
 *   copy   c[i] = a[i]              16 bytes an entry
 *   triad  a[i] = b[i] + s c[i]     24 bytes an entry
 *
 * Bytes as the program sees them (no write-allocate), the convention of STREAM (McCalpin). */
#ifndef HB_KERNELS_STREAM_H
#define HB_KERNELS_STREAM_H

#include "kernels/base.h"

enum { HB_COPY_BYTES = 16, HB_TRIAD_BYTES = 24 };

void hb_stream_copy(hb_global count, const double *restrict a, double *restrict c);
void hb_stream_triad(hb_global count, double s, const double *restrict b, const double *restrict c,
                     double *restrict a);

#endif
