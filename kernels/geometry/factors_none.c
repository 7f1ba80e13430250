/* SPDX-License-Identifier: BSD-3-Clause
 * Device part of factors.h in a build without GPU: an error. */
#include "kernels/geometry/factors.h"

#define OTHERS(bits)                                                                               \
  enum hb_status hb_geometric_factors_device_##bits(const struct hb_device_geometry *geometry) {   \
    return hb_built_without_gpu(geometry);                                                         \
  }                                                                                                \
  enum hb_status hb_geometry_expand_device_##bits(const struct hb_device_kept *kept) {             \
    return hb_built_without_gpu(kept);                                                             \
  }

OTHERS(f64)
OTHERS(f32)
