/* SPDX-License-Identifier: BSD-3-Clause
 * What a device has in use against what the audit expects.
 * Compiled per precision. */
#include "kernels/element/element.h"
#include "kernels/helmholtz/audit_at.h"
#include "kernels/launch.h"
#include "kernels/real.h"

enum { THREADS = 256 };

/* |observed - expected| over a unit; NaN stays NaN. */
__device__ static inline double scaled(double observed, double expected, double unit) {
  const double difference = fabs(observed - expected);
  return difference == 0.0 ? 0.0 : difference / unit;
}

/* The block's largest, by all threads. */
__device__ static double block_largest(double mine) {
  __shared__ double s_largest[THREADS];
  const int thread = static_cast<int>(threadIdx.x);
  __syncthreads();
  s_largest[thread] = mine;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) s_largest[thread] = hb_larger(s_largest[thread], s_largest[thread + half]);
  }
  __syncthreads();
  return s_largest[0];
}

/* What the elements contribute at a point of the rank's lattice. */
struct expected {
  double w, w_magnitude, mass, b, b_magnitude;
  hb_local e[3]; /* one of the rank's own that has the point, and the point in it */
  int ijk[3];
};

/* The elements along an axis that have lattice coordinate c: element[t], index[t], t < count. */
struct along {
  int count;
  hb_local element[2];
  int index[2];

  __device__ along(const hb_device_lattice &lattice, int axis, hb_local c) : count(0) {
    const int degree = lattice.n - 1;
    const hb_local e = c / degree;
    const int i = static_cast<int>(c % degree);
    if (e < lattice.last[axis]) element[count] = e, index[count++] = i;
    if (i == 0 && e - 1 >= lattice.first[axis]) element[count] = e - 1, index[count++] = degree;
  }
};

/* Adds what the element contributes at the point. */
__device__ static void add_element(const hb_device_audit &audit, int number, hb_local ex,
                                   hb_local ey, int i, int j, int k, expected &sum) {
  const hb_device_lattice &lattice = audit.lattice;
  const int n = lattice.n, points = n * n * n, point = (k * n + j) * n + i;
  const ptrdiff_t across = lattice.last[0] - lattice.first[0];
  const ptrdiff_t element = (ey - lattice.first[1]) * across + (ex - lattice.first[0]);
  const double *values = audit.d_values[number] + element * HB_AUDIT_VALUES * points + point;
  sum.w += values[0];
  sum.mass += values[points];
  sum.b += values[2 * points];
  sum.b_magnitude += values[3 * points];
  sum.w_magnitude = hb_larger(sum.w_magnitude, audit.d_bound[number][element]);
}

/* below and here: which of d_values have the layers; k of the point in the layer here. */
__device__ static expected gather(const hb_device_audit &audit, const hb_local (&c)[3], int below,
                                  int here) {
  const hb_device_lattice &lattice = audit.lattice;
  const along x(lattice, 0, c[0]), y(lattice, 1, c[1]), z(lattice, 2, c[2]);
  expected sum = {};
  for (int s = 0; s < z.count; s++) {
    const int number = z.index[s] == lattice.n - 1 ? below : here;
    for (int q = 0; q < y.count; q++)
      for (int p = 0; p < x.count; p++) {
        const hb_local e[3] = {x.element[p], y.element[q], z.element[s]};
        bool own = true;
        if (number < 0) continue;
        add_element(audit, number, e[0], e[1], x.index[p], y.index[q], z.index[s], sum);
        for (int a = 0; a < 3; a++) own = own && e[a] >= 0 && e[a] < lattice.count[a];
        if (!own) continue;
        for (int a = 0; a < 3; a++) sum.e[a] = e[a];
        sum.ijk[0] = x.index[p];
        sum.ijk[1] = y.index[q];
        sum.ijk[2] = z.index[s];
      }
  }
  return sum;
}

__global__ void __launch_bounds__(THREADS)
    HB_REAL_NAME(hb_audit_points)(const hb_device_audit audit, hb_local z, hb_local count,
                                  int below, int here) {
  const hb_device_lattice &lattice = audit.lattice;
  const hb_global plane = static_cast<hb_global>(audit.size[0]) * audit.size[1];
  const hb_real *w = static_cast<const hb_real *>(audit.d_w);
  const hb_real *b = static_cast<const hb_real *>(audit.d_b);
  double worst[2] = {0.0, 0.0}, wrong = 0.0;
  for (hb_global q = static_cast<hb_global>(blockIdx.x) * THREADS + threadIdx.x; q < plane * count;
       q += static_cast<hb_global>(gridDim.x) * THREADS) {
    const hb_local c[3] = {static_cast<hb_local>(q % audit.size[0]),
                           static_cast<hb_local>(q / audit.size[0] % audit.size[1]),
                           z + static_cast<hb_local>(q / plane)};
    const expected sum = gather(audit, c, below, here);
    const hb_local *own = lattice.count;
    const hb_local position =
        audit
            .d_position[sum.e[0] + own[0] * (sum.e[1] + static_cast<ptrdiff_t>(own[1]) * sum.e[2])];
    const hb_local number = hb_lattice_number(lattice, position, sum.ijk) & HB_LOCAL_MAX;
    const bool given = hb_lattice_given(lattice, sum.e, sum.ijk);
    const ptrdiff_t s = static_cast<ptrdiff_t>(number) - lattice.surface_start;
    const bool masked = s >= 0 && audit.d_pair[2 * s] < 0;
    double right = 0.0, size = 1.0;
    if (!given) {
      double x[3];
      hb_lattice_position(lattice, sum.e, sum.ijk, x);
      right = sum.mass * hb_lattice_values_at(lattice.problem, x).source + sum.b;
      size = sum.mass * audit.source_scale + sum.b_magnitude;
    }
    if (given != masked) wrong += 1.0;
    worst[0] = hb_larger(worst[0], scaled(static_cast<double>(w[number]), sum.w, sum.w_magnitude));
    worst[1] = hb_larger(worst[1], scaled(static_cast<double>(b[number]), right, size));
  }
  double *found = audit.d_found + static_cast<ptrdiff_t>(blockIdx.x) * HB_AUDIT_FOUND;
  const double product = block_largest(worst[0]), right_side = block_largest(worst[1]);
  const double mask = block_largest(wrong);
  if (threadIdx.x != 0) return;
  found[0] = hb_larger(found[0], product);
  found[1] = hb_larger(found[1], right_side);
  found[2] = hb_larger(found[2], mask);
}

/* The largest difference of a point's factors from those formed here, of G over the largest of its
 * diagonal there, of M over itself. */
__device__ static double factors_off(const hb_audit_map &map, int kinds, ptrdiff_t points,
                                     const hb_real *used) {
  const double scale = map.h1 * map.weight / map.J;
  double off = 0.0, size = 0.0;
  int f = 0;
  for (int b = 0; b < 3; b++)
    for (int d = b; d < 3; d++, f++) {
      const double right = scale * (map.c[b][0] * map.c[d][0] + map.c[b][1] * map.c[d][1] +
                                    map.c[b][2] * map.c[d][2]);
      off = hb_larger(off, fabs(static_cast<double>(used[f * points]) - right));
      if (b == d) size = hb_larger(size, right);
    }
  off = off / size;
  if (kinds <= HB_MASS_FACTOR) return off;
  const double mass = map.h2 * map.weight * map.J;
  return hb_larger(off, fabs(static_cast<double>(used[HB_MASS_FACTOR * points]) / mass - 1.0));
}

__global__ void __launch_bounds__(THREADS)
    HB_REAL_NAME(hb_audit_used)(const hb_device_audit audit, hb_local begin, hb_local count,
                                const hb_real *factors) {
  const hb_device_lattice &lattice = audit.lattice;
  const int n = lattice.n, points = n * n * n;
  const int64_t all = static_cast<int64_t>(count) * points;
  double worst = 0.0;
  for (int64_t q = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; q < all;
       q += static_cast<int64_t>(gridDim.x) * THREADS) {
    const ptrdiff_t element = static_cast<ptrdiff_t>(q / points);
    const int point = static_cast<int>(q % points);
    const int ijk[3] = {point % n, point / n % n, point / (n * n)};
    hb_local e[3];
    hb_lattice_element(lattice, static_cast<hb_local>(begin + element), e);
    const hb_audit_map map = hb_audit_map_at(lattice, e, ijk);
    worst = hb_larger(worst, factors_off(map, audit.num_factors, points,
                                         factors + element * audit.num_factors * points + point));
  }
  worst = block_largest(worst);
  double *found = audit.d_found + static_cast<ptrdiff_t>(blockIdx.x) * HB_AUDIT_FOUND;
  if (threadIdx.x == 0) found[3] = hb_larger(found[3], worst);
}

static hb_local blocks_for(hb_global points) {
  const hb_global blocks = (points - 1) / THREADS + 1;
  const hb_global most = HB_AUDIT_BLOCKS;
  return static_cast<hb_local>(blocks < most ? blocks : most);
}

enum hb_status HB_REAL_NAME(hb_device_audit_compare)(const struct hb_device_audit *audit,
                                                     hb_local z, hb_local count, int below,
                                                     int here) {
  const hb_global plane = static_cast<hb_global>(audit->size[0]) * audit->size[1];
  HB_ASSERT(z >= 0 && z + count <= audit->size[2] && (here >= 0 || count == 1));
  if (count == 0) return HB_OK;
  return hb_launch(audit->lattice.device, "audit_compare", HB_REAL_NAME(hb_audit_points),
                   blocks_for(plane * count), THREADS, 0, *audit, z, count, below, here);
}

enum hb_status HB_REAL_NAME(hb_device_audit_factors)(const struct hb_device_audit *audit,
                                                     hb_local begin, hb_local end,
                                                     const void *d_factors) {
  if (begin >= end) return HB_OK;
  return hb_launch(
      audit->lattice.device, "audit_factors", HB_REAL_NAME(hb_audit_used),
      blocks_for(static_cast<hb_global>(end - begin) * hb_points_per_element(audit->lattice.n)),
      THREADS, 0, *audit, begin, end - begin, static_cast<const hb_real *>(d_factors));
}
