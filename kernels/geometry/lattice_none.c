/* SPDX-License-Identifier: BSD-3-Clause
 * lattice.h in a build without GPU: an error. */
#include "kernels/geometry/lattice.h"

enum hb_status hb_lattice_fill(const struct hb_device_lattice *lattice, hb_local begin,
                               hb_local end, double *d_x, double *d_h1, double *d_h2) {
  return hb_built_without_gpu(lattice, begin, end, d_x, d_h1, d_h2);
}

enum hb_status hb_lattice_place(const struct hb_device_lattice *lattice, hb_local begin,
                                hb_local end, const double *d_values, double *d_w,
                                double *d_surface) {
  return hb_built_without_gpu(lattice, begin, end, d_values, d_w, d_surface);
}

#define OTHERS(bits)                                                                               \
  enum hb_status hb_lattice_keep_##bits(                                                           \
      struct hb_device *device, int n, const struct hb_geometry *geometry, hb_local count,         \
      const double *d_x, const double *d_h1, const double *d_h2, void *d_point_values) {           \
    return hb_built_without_gpu(device, n, geometry, count, d_x, d_h1, d_h2, d_point_values);      \
  }

OTHERS(f64)
OTHERS(f32)
