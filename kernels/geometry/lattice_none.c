/* SPDX-License-Identifier: BSD-3-Clause
 * lattice.h, lattice_lists.h and lattice_vectors.h in a build without GPU: an error. */
#include "kernels/geometry/lattice_lists.h"
#include "kernels/geometry/lattice_vectors.h"

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

#define VECTORS(bits)                                                                              \
  enum hb_status hb_lattice_set_##bits(const struct hb_device_lattice *lattice,                    \
                                       enum hb_lattice_values_kind kind, int64_t seed,             \
                                       void *d_vector) {                                           \
    return hb_built_without_gpu(lattice, kind, seed, d_vector);                                    \
  }                                                                                                \
  enum hb_status hb_points_pass_##bits(const struct hb_point_vectors *vectors,                     \
                                       enum hb_point_pass pass, struct hb_point_sums *sums) {      \
    return hb_built_without_gpu(vectors, pass, sums);                                              \
  }                                                                                                \
  enum hb_status hb_lattice_error_##bits(const struct hb_device_lattice *lattice,                  \
                                         hb_local num_owned, const void *d_x, double *d_partials,  \
                                         struct hb_point_sums *sums) {                             \
    return hb_built_without_gpu(lattice, num_owned, d_x, d_partials, sums);                        \
  }

VECTORS(f64)
VECTORS(f32)

enum hb_status hb_lattice_count_extra(const struct hb_device_lists *lists) {
  return hb_built_without_gpu(lists);
}

enum hb_status hb_lattice_fill_lists(const struct hb_device_lists *lists) {
  return hb_built_without_gpu(lists);
}

enum hb_status hb_lattice_mask_lists(const struct hb_device_lists *lists, hb_local count,
                                     const hb_local *d_masked) {
  return hb_built_without_gpu(lists, count, d_masked);
}
