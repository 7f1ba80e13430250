/* SPDX-License-Identifier: BSD-3-Clause
 * Names of the geometry modes. */
#include "kernels/geometry/geometry.h"

const char *hb_geometry_mode_name(enum hb_geometry_mode mode) {
  static const char *const names[HB_NUM_GEOMETRY_MODES] = {[HB_GEOMETRY_STORED] = "stored",
                                                           [HB_GEOMETRY_NODES] = "nodes",
                                                           [HB_GEOMETRY_TRILINEAR] = "trilinear",
                                                           [HB_GEOMETRY_AFFINE] = "affine"};
  return (unsigned)mode < HB_NUM_GEOMETRY_MODES ? names[mode] : "unknown";
}
