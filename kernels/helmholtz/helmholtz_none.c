/* SPDX-License-Identifier: BSD-3-Clause
 * helmholtz_device.h in a build without GPU: an error. */
#include "kernels/helmholtz/helmholtz_device.h"

#define OTHERS(bits)                                                                               \
  enum hb_status hb_helmholtz_device_diagonal_##bits(const struct hb_device_helmholtz *helmholtz,  \
                                                     hb_local begin, hb_local end,                 \
                                                     const void *d_factors, void *d_w) {           \
    return hb_built_without_gpu(helmholtz, begin, end, d_factors, d_w);                            \
  }

OTHERS(f64)
OTHERS(f32)
