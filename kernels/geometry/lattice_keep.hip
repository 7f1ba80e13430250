/* SPDX-License-Identifier: BSD-3-Clause
 * What geometry that is not stored keeps at points, on a device.
 * Compiled per precision. */
#include "kernels/geometry/lattice.h"
#include "kernels/launch.h"
#include "kernels/real.h"

enum { THREADS = 256 };

/* Values at the points of elements: three positions or none, and then coefficients. */
__global__ void __launch_bounds__(THREADS)
    HB_REAL_NAME(hb_keep_points)(int points, int num_positions, int num_values, hb_local count,
                                 const double *x, const double *h1, const double *h2,
                                 hb_real *values) {
  for (int64_t element = blockIdx.x; element < count; element += gridDim.x)
    for (int q = static_cast<int>(threadIdx.x); q < num_values * points; q += THREADS) {
      const int v = q / points, point = q % points;
      const double *h = v == num_positions ? h1 : h2;
      const double value =
          v < num_positions ? x[element * 3 * points + q] : h[element * points + point];
      values[element * num_values * points + q] = static_cast<hb_real>(value);
    }
}

enum hb_status HB_REAL_NAME(hb_lattice_keep)(struct hb_device *device, int n,
                                             const struct hb_geometry *geometry, hb_local count,
                                             const double *d_x, const double *d_h1,
                                             const double *d_h2, void *d_point_values) {
  const int num_values = hb_geometry_num_point_values(geometry);
  HB_ASSERT(geometry->mode != HB_GEOMETRY_STORED);
  if (count == 0 || num_values == 0) return HB_OK;
  return hb_launch(device, "lattice_keep", HB_REAL_NAME(hb_keep_points),
                   count < 65536 ? count : 65536, THREADS, 0, hb_points_per_element(n),
                   num_values - hb_geometry_num_coefficients(geometry), num_values, count, d_x,
                   d_h1, d_h2, static_cast<hb_real *>(d_point_values));
}
