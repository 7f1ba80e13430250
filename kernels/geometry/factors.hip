/* SPDX-License-Identifier: BSD-3-Clause
 * Geometric factors on a device, in double; only the factors are rounded to the precision in which
 * they are stored.  For set-up: any n, the points of an element strided over a block of threads.
 * Compiled per precision. */
#include "kernels/launch.h"

#include <float.h>

#include "kernels/geometry/factors.h"
#include "kernels/real.h"

/* Threads of a block; it takes as many elements as have a thread for each point, or one element
 * in several rounds. */
enum { THREADS = 1024, MAX_POINTS = HB_MAX_N * HB_MAX_N * HB_MAX_N };

/* D and the weights as an argument. */
struct geometry_basis {
  double D[HB_MAX_N * HB_MAX_N], weights[HB_MAX_N];
};

/* The contract's arrays with their types. */
struct geometry_data {
  int n, num_factors, per_block; /* elements a block */
  hb_local count;
  const double *x, *h1, *h2;
  double h1_scale, h2_scale; /* 1 where there are arrays, else h1 and h2 everywhere */
  hb_real *factors;
  double *mass, *min_jacobian;
};

/* hb_min for the device: NaN if one is NaN. */
__device__ static inline double smaller(double a, double b) { return a <= b || a != a ? a : b; }

__device__ static inline void cross(const double (&a)[3], const double (&b)[3], double (&c)[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

__device__ static inline double dot(const double (&a)[3], const double (&b)[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Stores factors and mass of one point with derivatives d[direction][a]; returns J. */
__device__ static double store_point(const geometry_data &data, ptrdiff_t element, int point,
                                     double weight, const double (&d)[3][3]) {
  const ptrdiff_t points = data.n * data.n * data.n, at = element * points + point;
  double gr[3], gs[3], gt[3]; /* J times the gradients of r, s, t */
  cross(d[1], d[2], gr);
  cross(d[2], d[0], gs);
  cross(d[0], d[1], gt);
  const double J = dot(d[0], gr), mass = weight * J;
  double h1 = data.h1_scale, h2 = data.h2_scale;
  if (data.h1 != nullptr) h1 *= data.h1[at];
  if (data.h2 != nullptr) h2 *= data.h2[at];
  const double scale = h1 * weight / J;
  hb_real *f = data.factors + element * data.num_factors * points + point;
  f[0 * points] = static_cast<hb_real>(scale * dot(gr, gr));
  f[1 * points] = static_cast<hb_real>(scale * dot(gr, gs));
  f[2 * points] = static_cast<hb_real>(scale * dot(gr, gt));
  f[3 * points] = static_cast<hb_real>(scale * dot(gs, gs));
  f[4 * points] = static_cast<hb_real>(scale * dot(gs, gt));
  f[5 * points] = static_cast<hb_real>(scale * dot(gt, gt));
  if (data.num_factors == HB_MAX_FACTORS)
    f[HB_MASS_FACTOR * points] = static_cast<hb_real>(h2 * mass);
  data.mass[at] = mass;
  return J;
}

/* s_J [element of the block][point < width]: their minimum comes to point 0, in a fixed order. */
__device__ static void reduce_minimum(double *s_J, int width, int slot, int point, bool used) {
  for (int rest = width; rest > 1;) {
    const int half = (rest + 1) / 2;
    double *J = s_J + slot * width + point;
    __syncthreads();
    if (used && point + half < rest) J[0] = smaller(J[0], J[half]);
    rest = half;
  }
}

__global__ void __launch_bounds__(THREADS)
    HB_REAL_NAME(hb_factors)(const geometry_data data, const geometry_basis basis) {
  __shared__ double s_x[MAX_POINTS], s_D[HB_MAX_N * HB_MAX_N], s_w[HB_MAX_N];
  const int n = data.n, points = n * n * n, thread = static_cast<int>(threadIdx.x);
  const int width = points < THREADS ? points : THREADS; /* points of an element at a time */
  const int slot = thread / width, first = thread % width;
  const int64_t element = static_cast<int64_t>(blockIdx.x) * data.per_block + slot;
  const bool used = slot < data.per_block && element < data.count;
  double smallest = DBL_MAX, *x = s_x + slot * points;
  for (int q = thread; q < n * n; q += THREADS) s_D[q] = basis.D[q];
  for (int q = thread; q < n; q += THREADS) s_w[q] = basis.weights[q];

  for (int base = 0; base < points; base += width) {
    const int point = base + first, i = point % n, j = point / n % n, k = point / (n * n);
    const bool present = used && point < points;
    double d[3][3]; /* d[direction][a] */
#pragma unroll
    for (int a = 0; a < 3; a++) {
      d[0][a] = d[1][a] = d[2][a] = 0.0;
      __syncthreads(); /* the component before is no longer read */
      for (int q = first; used && q < points; q += width)
        x[q] = data.x[(element * 3 + a) * points + q];
      __syncthreads();
      /* xr[a] = sum_m D[i][m] x[a][k][j][m] */
      /* xs[a] = sum_m D[j][m] x[a][k][m][i] */
      /* xt[a] = sum_m D[k][m] x[a][m][j][i] */
      for (int m = 0; present && m < n; m++) {
        d[0][a] += s_D[i * n + m] * x[(k * n + j) * n + m];
        d[1][a] += s_D[j * n + m] * x[(k * n + m) * n + i];
        d[2][a] += s_D[k * n + m] * x[(m * n + j) * n + i];
      }
    }
    if (present)
      smallest = smaller(smallest, store_point(data, element, point, s_w[i] * s_w[j] * s_w[k], d));
  }

  __syncthreads();
  if (used) s_x[slot * width + first] = smallest;
  reduce_minimum(s_x, width, slot, first, used);
  if (used && first == 0) data.min_jacobian[element] = s_x[slot * width];
}

enum hb_status HB_REAL_NAME(hb_geometric_factors_device)(const struct hb_device_geometry *g) {
  const int n = g->n, points = hb_points_per_element(n);
  const int per_block = points < THREADS ? THREADS / points : 1;
  geometry_data data = {};
  geometry_basis basis = {};
  HB_ASSERT(n >= 2 && n <= HB_MAX_N && (g->d_h1 == nullptr) == (g->d_h2 == nullptr));
  if (g->count == 0) return HB_OK;
  data.n = n;
  data.num_factors = hb_geometry_num_factors(&g->geometry);
  data.per_block = per_block;
  data.count = g->count;
  for (int q = 0; q < n * n; q++) basis.D[q] = g->D[q];
  for (int q = 0; q < n; q++) basis.weights[q] = g->weights[q];
  data.x = g->d_x;
  data.h1 = g->d_h1;
  data.h2 = g->d_h2;
  data.h1_scale = g->d_h1 != nullptr ? 1.0 : g->h1;
  data.h2_scale = g->d_h2 != nullptr ? 1.0 : g->h2;
  data.factors = static_cast<hb_real *>(g->d_factors);
  data.mass = g->d_mass;
  data.min_jacobian = g->d_min_jacobian;
  return hb_launch(g->device, "geometric_factors", HB_REAL_NAME(hb_factors),
                   (g->count - 1) / per_block + 1, THREADS, 0, data, basis);
}
