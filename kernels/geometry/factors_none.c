/* SPDX-License-Identifier: BSD-3-Clause
 * Device part of factors.h in a build without GPU: an error. */
#include "kernels/geometry/factors.h"

#define OTHERS(bits)                                                                               \
  enum hb_status hb_geometric_factors_device_##bits(const struct hb_device_geometry *geometry) {   \
    return hb_built_without_gpu(geometry);                                                         \
  }

OTHERS(f64)
OTHERS(f32)
