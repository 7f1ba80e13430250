/* SPDX-License-Identifier: BSD-3-Clause
 * Copy and triad, the measure of memory bandwidth that figures are compared with.
 *
 *   copy   c[i] = a[i]              16 bytes an entry
 *   triad  a[i] = b[i] + s c[i]     24 bytes an entry
 *
 * Bytes as the program sees them (no write-allocate), the convention of STREAM (McCalpin). */
#ifndef HB_KERNELS_VECTORS_STREAM_H
#define HB_KERNELS_VECTORS_STREAM_H

#include "kernels/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HB_COPY_BYTES = 16, HB_TRIAD_BYTES = 24 };

/* a, b and c do not overlap. */
void hb_stream_copy(hb_global count, const double *a, double *c);
void hb_stream_triad(hb_global count, double s, const double *b, const double *c, double *a);

/* Both on a device: seconds of the fastest of `passes`, three arrays of
 * `count` doubles each, allocated and freed here. */
enum hb_status hb_stream_device(struct hb_device *device, hb_global count, int passes,
                                double *copy_s, double *triad_s);

#ifdef __cplusplus
}
#endif

#endif
