/* SPDX-License-Identifier: BSD-3-Clause
 * Geometric factors on a device, in double, from positions or from what a mode keeps; only the
 * factors are rounded to the precision in which they are stored.  For set-up: any n, the points of
 * an element strided over a block of threads.
 * Compiled per precision. */
#include "kernels/launch.h"

#include <float.h>

#include "kernels/geometry/factors.h"
#include "kernels/geometry/metric.h"
#include "kernels/real.h"

/* Threads of a block; it takes as many elements as have a thread for each point, or one element
 * in several rounds. */
enum { THREADS = 1024, MAX_POINTS = HB_MAX_N * HB_MAX_N * HB_MAX_N };

/* D, the weights and, for what a mode keeps, the points as an argument. */
struct geometry_basis {
  double D[HB_MAX_N * HB_MAX_N], weights[HB_MAX_N], points[HB_MAX_N];
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

/* What a mode keeps of the elements, from the first of a launch on. */
struct kept_data {
  const hb_real *point_values, *elements;
  int num_values, num_coefficients; /* at a point */
};

/* Where positions and coefficients are: in arrays, ... */
struct given_positions {
  static constexpr bool wants_mass = true;
  __device__ double position(const geometry_data &data, ptrdiff_t element, int a, int q) const {
    return data.x[(element * 3 + a) * (data.n * data.n * data.n) + q];
  }
  __device__ double h1(const geometry_data &data, ptrdiff_t element, int point) const {
    return data.h1 != nullptr ? data.h1[element * (data.n * data.n * data.n) + point] : 1.0;
  }
  __device__ double h2(const geometry_data &data, ptrdiff_t element, int point) const {
    return data.h2 != nullptr ? data.h2[element * (data.n * data.n * data.n) + point] : 1.0;
  }
};
/* ... or with what a mode keeps. */
struct kept_positions {
  static constexpr bool wants_mass = false;
  const kept_data &kept;

  __device__ double value(const geometry_data &data, ptrdiff_t element, int v, int q) const {
    return kept.point_values[(element * kept.num_values + v) * (data.n * data.n * data.n) + q];
  }
  __device__ double position(const geometry_data &data, ptrdiff_t element, int a, int q) const {
    return value(data, element, a, q);
  }
  __device__ double h1(const geometry_data &data, ptrdiff_t element, int point) const {
    const int first = kept.num_values - kept.num_coefficients;
    return kept.num_coefficients > 0 ? value(data, element, first, point) : 1.0;
  }
  __device__ double h2(const geometry_data &data, ptrdiff_t element, int point) const {
    return kept.num_coefficients > 1 ? value(data, element, kept.num_values - 1, point) : 1.0;
  }
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
template <typename positions>
__device__ static double store_point(const geometry_data &data, const positions &from,
                                     ptrdiff_t element, int point, double weight,
                                     const double (&d)[3][3]) {
  const ptrdiff_t points = data.n * data.n * data.n;
  double gr[3], gs[3], gt[3]; /* J times the gradients of r, s, t */
  cross(d[1], d[2], gr);
  cross(d[2], d[0], gs);
  cross(d[0], d[1], gt);
  const double J = dot(d[0], gr), mass = weight * J;
  const double h1 = data.h1_scale * from.h1(data, element, point);
  const double h2 = data.h2_scale * from.h2(data, element, point);
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
  if (positions::wants_mass) data.mass[element * points + point] = mass;
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

template <typename positions>
__device__ static inline void form_factors(const geometry_data &data, const geometry_basis &basis,
                                           const positions &from) {
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
      for (int q = first; used && q < points; q += width) x[q] = from.position(data, element, a, q);
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
      smallest =
          smaller(smallest, store_point(data, from, element, point, s_w[i] * s_w[j] * s_w[k], d));
  }
  if (!positions::wants_mass) return;

  __syncthreads();
  if (used) s_x[slot * width + first] = smallest;
  reduce_minimum(s_x, width, slot, first, used);
  if (used && first == 0) data.min_jacobian[element] = s_x[slot * width];
}

__global__ void __launch_bounds__(THREADS)
    HB_REAL_NAME(hb_factors)(const geometry_data data, const geometry_basis basis) {
  form_factors(data, basis, given_positions());
}

/* Of the modes that have a closed form: g = the factors of a point without h1, h2 and weights. */
template <int MODE>
__device__ static inline void form_closed(const geometry_basis &basis, const hb_real *own, int k,
                                          int j, int i, double (&g)[HB_MAX_FACTORS]) {
  if constexpr (MODE == HB_GEOMETRY_TRILINEAR) {
    double x[3][3];
    hb_trilinear_line<double>(own, basis.points[i], basis.points[j]).at(basis.points[k], x);
    hb_metric_factors(hb_form_metric(x), 1.0, 1.0, g);
  } else {
#pragma unroll
    for (int f = 0; f < HB_MAX_FACTORS; f++) g[f] = own[f];
  }
}

template <int MODE, int VALUES>
__device__ static inline void expand_points(const geometry_data &data, const geometry_basis &basis,
                                            const kept_positions &from) {
  const int n = data.n, points = n * n * n, thread = static_cast<int>(threadIdx.x);
  for (int q = thread; q < data.per_block * points; q += THREADS) {
    const int64_t element = static_cast<int64_t>(blockIdx.x) * data.per_block + q / points;
    const int point = q % points, i = point % n, j = point / n % n, k = point / (n * n);
    if (element >= data.count) return;
    const double weight = basis.weights[i] * basis.weights[j] * basis.weights[k];
    const double h1 = data.h1_scale * from.h1(data, element, point) * weight;
    const double h2 = data.h2_scale * from.h2(data, element, point) * weight;
    hb_real *f = data.factors + element * data.num_factors * points + point;
    double g[HB_MAX_FACTORS];
    form_closed<MODE>(basis, from.kept.elements + element * VALUES, k, j, i, g);
#pragma unroll
    for (int c = 0; c < HB_NUM_GEOMETRIC; c++) f[c * points] = static_cast<hb_real>(h1 * g[c]);
    if (data.num_factors == HB_MAX_FACTORS)
      f[HB_MASS_FACTOR * points] = static_cast<hb_real>(h2 * g[HB_MASS_FACTOR]);
  }
}

template <int MODE>
__global__ void __launch_bounds__(THREADS)
    HB_REAL_NAME(hb_expand)(const geometry_data data, const geometry_basis basis,
                            const kept_data kept) {
  if constexpr (MODE == HB_GEOMETRY_NODES)
    form_factors(data, basis, kept_positions{kept});
  else if constexpr (MODE == HB_GEOMETRY_TRILINEAR)
    expand_points<MODE, HB_TRILINEAR_VALUES>(data, basis, kept_positions{kept});
  else
    expand_points<MODE, HB_AFFINE_VALUES>(data, basis, kept_positions{kept});
}

static geometry_basis make_basis(int n, const double *D, const double *weights) {
  geometry_basis basis = {};
  for (int q = 0; q < n * n; q++) basis.D[q] = D[q];
  for (int q = 0; q < n; q++) basis.weights[q] = weights[q];
  return basis;
}

/* Elements of a block. */
static int elements_per_block(int n) {
  const int points = hb_points_per_element(n);
  return points < THREADS ? THREADS / points : 1;
}

enum hb_status HB_REAL_NAME(hb_geometric_factors_device)(const struct hb_device_geometry *g) {
  const int n = g->n, per_block = elements_per_block(n);
  geometry_data data = {};
  HB_ASSERT(n >= 2 && n <= HB_MAX_N && (g->d_h1 == nullptr) == (g->d_h2 == nullptr));
  if (g->count == 0) return HB_OK;
  data.n = n;
  data.num_factors = hb_geometry_num_factors(&g->geometry);
  data.per_block = per_block;
  data.count = g->count;
  data.x = g->d_x;
  data.h1 = g->d_h1;
  data.h2 = g->d_h2;
  data.h1_scale = g->d_h1 != nullptr ? 1.0 : g->h1;
  data.h2_scale = g->d_h2 != nullptr ? 1.0 : g->h2;
  data.factors = static_cast<hb_real *>(g->d_factors);
  data.mass = g->d_mass;
  data.min_jacobian = g->d_min_jacobian;
  return hb_launch(g->device, "geometric_factors", HB_REAL_NAME(hb_factors),
                   (g->count - 1) / per_block + 1, THREADS, 0, data,
                   make_basis(n, g->D, g->weights));
}

enum hb_status HB_REAL_NAME(hb_geometry_expand_device)(const struct hb_device_kept *k) {
  const int n = k->n, per_block = elements_per_block(n);
  const bool ones = k->geometry.varying || k->geometry.mode == HB_GEOMETRY_AFFINE;
  const ptrdiff_t point_values = hb_geometry_num_point_values(&k->geometry);
  geometry_basis basis = make_basis(n, k->D, k->weights);
  geometry_data data = {};
  kept_data kept = {};
  HB_ASSERT(n >= 2 && n <= HB_MAX_N && k->geometry.mode != HB_GEOMETRY_STORED);
  if (k->begin >= k->end) return HB_OK;
  data.n = n;
  data.num_factors = hb_geometry_num_factors(&k->geometry);
  data.per_block = per_block;
  data.count = k->end - k->begin;
  data.h1_scale = ones ? 1.0 : k->geometry.h1;
  data.h2_scale = ones ? 1.0 : k->geometry.h2;
  data.factors = static_cast<hb_real *>(k->d_factors);
  kept.num_values = static_cast<int>(point_values);
  kept.num_coefficients = hb_geometry_num_coefficients(&k->geometry);
  kept.point_values = static_cast<const hb_real *>(k->d_point_values) +
                      k->begin * point_values * hb_points_per_element(n);
  kept.elements = static_cast<const hb_real *>(k->d_elements) +
                  static_cast<ptrdiff_t>(k->begin) * hb_geometry_num_element_values(&k->geometry);
  for (int q = 0; q < n; q++) basis.points[q] = k->points[q];
  const auto run = [&](auto kernel) {
    return hb_launch(k->device, "geometry_expand", kernel, (data.count - 1) / per_block + 1,
                     THREADS, 0, data, basis, kept);
  };
  if (k->geometry.mode == HB_GEOMETRY_NODES)
    return run(HB_REAL_NAME(hb_expand) < HB_GEOMETRY_NODES >);
  if (k->geometry.mode == HB_GEOMETRY_TRILINEAR)
    return run(HB_REAL_NAME(hb_expand) < HB_GEOMETRY_TRILINEAR >);
  return run(HB_REAL_NAME(hb_expand) < HB_GEOMETRY_AFFINE >);
}
