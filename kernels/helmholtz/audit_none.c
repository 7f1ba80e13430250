/* SPDX-License-Identifier: BSD-3-Clause
 * audit_device.h in a build without GPU: an error. */
#include "kernels/helmholtz/audit_device.h"

enum hb_status hb_device_audit_elements(const struct hb_device_audit *audit, hb_local ez,
                                        int number) {
  return hb_built_without_gpu(audit, ez, number);
}

#define OTHERS(bits)                                                                               \
  enum hb_status hb_device_audit_compare_##bits(const struct hb_device_audit *audit, hb_local z,   \
                                                hb_local count, int below, int here) {             \
    return hb_built_without_gpu(audit, z, count, below, here);                                     \
  }                                                                                                \
  enum hb_status hb_device_audit_factors_##bits(                                                   \
      const struct hb_device_audit *audit, hb_local begin, hb_local end, const void *d_factors) {  \
    return hb_built_without_gpu(audit, begin, end, d_factors);                                     \
  }

OTHERS(f64)
OTHERS(f32)
