/* SPDX-License-Identifier: BSD-3-Clause
 * The diagonal of the Helmholtz operator on a device, for the Jacobi preconditioner:
 *   d[k][j][i] = sum_m D[m][i]^2 G00[k][j][m] + D[m][j]^2 G11[k][m][i] + D[m][k]^2 G22[m][j][i]
 *                + 2 D[i][i] D[j][j] G01 + 2 D[i][i] D[k][k] G02 + 2 D[j][j] D[k][k] G12 + M
 * For set-up: any n, the points of an element strided over a block of threads.
 * Compiled per precision. */
#include "kernels/geometry/factors_at.h"
#include "kernels/helmholtz/launch.h"

/* Threads of a block; it takes as many elements as have a thread for each point, or one element
 * in several rounds. */
enum { THREADS = 1024, MAX_POINTS = HB_MAX_N * HB_MAX_N * HB_MAX_N };

/* The contract's arrays with their types. */
struct diagonal_data {
  int n, num_factors, per_block; /* elements a block */
  hb_local num_elements;
  const hb_real *D, *factors;
  hb_real *w, *surface;
};

/* How many interior points come before point (k,j,i) of an element. */
__device__ static inline int interior_before(int n, int k, int j, int i) {
  const int m = n - 2; /* planes, rows, points */
  const int planes = k == 0 ? 0 : k <= m ? k - 1 : m;
  const int rows = k < 1 || k > m || j == 0 ? 0 : j <= m ? j - 1 : m;
  const int inside = k < 1 || k > m || j < 1 || j > m || i == 0 ? 0 : i <= m ? i - 1 : m;
  return (planes * m + rows) * m + inside;
}

__device__ static void store_point(const diagonal_data &data, ptrdiff_t element, int point, int k,
                                   int j, int i, hb_real value) {
  const int n = data.n, m = n - 2, before = interior_before(n, k, j, i);
  const ptrdiff_t interior = m * m * m, surface = n * n * n - interior;
  if (i >= 1 && i <= m && j >= 1 && j <= m && k >= 1 && k <= m)
    data.w[element * interior + before] = value;
  else
    data.surface[element * surface + point - before] = value;
}

template <int MODE>
__global__ void __launch_bounds__(THREADS) HB_REAL_NAME(hb_diagonal)(const diagonal_data data) {
  __shared__ hb_real s_G[MAX_POINTS], s_D[HB_MAX_N * HB_MAX_N];
  const int n = data.n, points = n * n * n, thread = static_cast<int>(threadIdx.x);
  const int width = points < THREADS ? points : THREADS; /* points of an element at a time */
  const int slot = thread / width, first = thread % width;
  const int64_t element = static_cast<int64_t>(blockIdx.x) * data.per_block + slot;
  const bool used = slot < data.per_block && element < data.num_elements;
  const hb_factor_cubes<MODE, hb_real> factors(data.factors + element * data.num_factors * points);
  hb_real *G = s_G + slot * points;
  for (int q = thread; q < n * n; q += THREADS) s_D[q] = data.D[q];
  __syncthreads();

  for (int base = 0; base < points; base += width) {
    const int point = base + first, i = point % n, j = point / n % n, k = point / (n * n);
    const bool present = used && point < points;
    hb_real sum = 0;
    if (present) {
      const hb_real a = s_D[i * n + i], b = s_D[j * n + j], c = s_D[k * n + k];
      const hb_factor_cubes<MODE, hb_real> at_point = factors.of_point(point);
      /* d[k][j][i] = 2 D[i][i] D[j][j] G01 + 2 D[i][i] D[k][k] G02 + 2 D[j][j] D[k][k] G12 + M */
      sum = 2 * (a * b) * at_point.factor(1, points) + 2 * (a * c) * at_point.factor(2, points) +
            2 * (b * c) * at_point.factor(4, points);
      if (data.num_factors == HB_MAX_FACTORS) sum += at_point.factor(HB_MASS_FACTOR, points);
    }
#pragma unroll
    for (int axis = 0; axis < 3; axis++) { /* G00, G11, G22 */
      const int f = axis == 0 ? 0 : axis == 1 ? 3 : 5;
      const int here = axis == 0 ? i : axis == 1 ? j : k;
      const int stride = axis == 0 ? 1 : axis == 1 ? n : n * n, line = point - here * stride;
      __syncthreads(); /* the factor before is no longer read */
      for (int q = first; used && q < points; q += width) G[q] = factors.at(f, q, points);
      __syncthreads();
      /* d[k][j][i] += sum_m D[m][i]^2 G00[k][j][m], then D[m][j]^2 G11[k][m][i], then
       *               D[m][k]^2 G22[m][j][i] */
      for (int m = 0; present && m < n; m++) {
        const hb_real D = s_D[m * n + here];
        sum += D * D * G[line + m * stride];
      }
    }
    if (present) store_point(data, element, point, k, j, i, sum);
  }
}

enum hb_status HB_REAL_NAME(hb_helmholtz_device_diagonal)(const struct hb_device_helmholtz *h,
                                                          hb_local begin, hb_local end,
                                                          const void *d_factors, void *d_w) {
  const int points = hb_points_per_element(h->n);
  const int per_block = points < THREADS ? THREADS / points : 1;
  HB_ASSERT(h->n >= 2 && h->n <= HB_MAX_N && begin >= 0 && end <= h->num_elements);
  if (begin >= end) return HB_OK;
  const ptrdiff_t interior = static_cast<ptrdiff_t>(begin) * hb_interior_per_element(h->n);
  const ptrdiff_t surface = static_cast<ptrdiff_t>(begin) * hb_surface_per_element(h->n);
  const diagonal_data data = {h->n,
                              hb_geometry_num_factors(&h->geometry),
                              per_block,
                              end - begin,
                              static_cast<const hb_real *>(h->d_D),
                              static_cast<const hb_real *>(d_factors),
                              static_cast<hb_real *>(d_w) + interior,
                              static_cast<hb_real *>(h->d_surface) + surface};
  return hb_launch(h->device, "helmholtz_diagonal", HB_REAL_NAME(hb_diagonal) < HB_GEOMETRY_STORED >
                   , (end - begin - 1) / per_block + 1, THREADS, 0, data);
}
