/* SPDX-License-Identifier: BSD-3-Clause
 * Set-up of elements on a device, from the terms of the axes. */
#include "kernels/geometry/lattice_at.h"
#include "kernels/launch.h"

enum { THREADS = 256, MOST_BLOCKS = 1 << 16 };

/* Blocks for so many points, which threads take one after the other. */
static hb_local blocks_for(hb_global points) {
  const hb_global blocks = (points - 1) / THREADS + 1;
  const hb_global most = MOST_BLOCKS;
  return static_cast<hb_local>(blocks < most ? blocks : most);
}

__device__ static inline int64_t first_point() {
  return static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
}
__device__ static inline int64_t all_threads() { return static_cast<int64_t>(gridDim.x) * THREADS; }

__global__ void __launch_bounds__(THREADS)
    hb_fill_elements(const hb_device_lattice lattice, hb_local begin, hb_local count, double *d_x,
                     double *d_h1, double *d_h2) {
  const int n = lattice.n, points = n * n * n, origin[3] = {0, 0, 0};
  for (int64_t q = first_point(); q < static_cast<int64_t>(count) * points; q += all_threads()) {
    const hb_local element = static_cast<hb_local>(q / points);
    const int point = static_cast<int>(q % points);
    const int ijk[3] = {point % n, point / n % n, point / (n * n)};
    hb_local e[3];
    double x[3], from[3];
    hb_lattice_element(lattice, begin + element, e);
    hb_lattice_position(lattice, e, ijk, x);
    hb_lattice_position(lattice, e, origin, from);
#pragma unroll
    for (int a = 0; a < 3; a++)
      d_x[(static_cast<ptrdiff_t>(element) * 3 + a) * points + point] = x[a] - from[a];
    if (d_h1 == nullptr) continue;
    const hb_lattice_values values = hb_lattice_values_at(lattice.problem, x);
    d_h1[q] = values.h1;
    d_h2[q] = values.h2;
  }
}

__global__ void __launch_bounds__(THREADS)
    hb_place_values(const hb_device_lattice lattice, hb_local begin, hb_local count,
                    const double *d_values, double *d_w, double *d_surface) {
  const int n = lattice.n, m = n - 2, points = n * n * n;
  const ptrdiff_t inside = m * m * m;
  for (int64_t q = first_point(); q < static_cast<int64_t>(count) * points; q += all_threads()) {
    const ptrdiff_t element = begin + static_cast<ptrdiff_t>(q / points);
    const int point = static_cast<int>(q % points);
    const int ijk[3] = {point % n, point / n % n, point / (n * n)};
    const int before = hb_lattice_inside_before(n, ijk);
    if (hb_lattice_inside(n, ijk))
      d_w[element * inside + before] = d_values[q];
    else
      d_surface[element * (points - inside) + point - before] = d_values[q];
  }
}

extern "C" {

enum hb_status hb_lattice_fill(const struct hb_device_lattice *lattice, hb_local begin,
                               hb_local end, double *d_x, double *d_h1, double *d_h2) {
  HB_ASSERT(begin >= 0 && end <= lattice->num_elements);
  if (begin >= end) return HB_OK;
  return hb_launch(
      lattice->device, "lattice_fill", hb_fill_elements,
      blocks_for(static_cast<hb_global>(end - begin) * hb_points_per_element(lattice->n)), THREADS,
      0, *lattice, begin, end - begin, d_x, d_h1, d_h2);
}

enum hb_status hb_lattice_place(const struct hb_device_lattice *lattice, hb_local begin,
                                hb_local end, const double *d_values, double *d_w,
                                double *d_surface) {
  HB_ASSERT(begin >= 0 && end <= lattice->num_elements);
  if (begin >= end) return HB_OK;
  return hb_launch(
      lattice->device, "lattice_place", hb_place_values,
      blocks_for(static_cast<hb_global>(end - begin) * hb_points_per_element(lattice->n)), THREADS,
      0, *lattice, begin, end - begin, d_values, d_w, d_surface);
}

} /* extern "C" */
