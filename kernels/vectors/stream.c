/* SPDX-License-Identifier: BSD-3-Clause
 * Copy and triad on the host. */
#include "kernels/vectors/stream.h"

void hb_stream_copy(hb_global count, const double *restrict a, double *restrict c) {
  for (hb_global i = 0; i < count; i++) c[i] = a[i];
}

void hb_stream_triad(hb_global count, double s, const double *restrict b, const double *restrict c,
                     double *restrict a) {
  for (hb_global i = 0; i < count; i++) a[i] = b[i] + s * c[i];
}
