/* SPDX-License-Identifier: BSD-3-Clause
 * helmholtz_device.h in a build without GPU: an error. */
#include "kernels/helmholtz/helmholtz_device.h"

#define OTHERS(bits)                                                                               \
  enum hb_status hb_helmholtz_device_diagonal_##bits(const struct hb_device_helmholtz *helmholtz,  \
                                                     void *d_w) {                                  \
    return hb_built_without_gpu(helmholtz, d_w);                                                   \
  }

OTHERS(f64)
OTHERS(f32)
