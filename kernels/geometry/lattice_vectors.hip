/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors at the points of a lattice, and passes over them.
 * Compiled per precision. */
#include "kernels/geometry/lattice_at.h"
#include "kernels/geometry/lattice_vectors.h"
#include "kernels/launch.h"
#include "kernels/real.h"

enum { THREADS = 256, MOST_BLOCKS = 1 << 16 };

static hb_local blocks_for(hb_global points, hb_local most) {
  const hb_global blocks = (points - 1) / THREADS + 1;
  return static_cast<hb_local>(blocks < most ? blocks : most);
}

__device__ static inline int64_t first_point() {
  return static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
}
__device__ static inline int64_t all_threads() { return static_cast<int64_t>(gridDim.x) * THREADS; }

/* A point of an element: its number, whether the element owns it, and where it is. */
struct lattice_point {
  hb_local number, e[3];
  bool owns;
  int ijk[3];

  __device__ lattice_point(const hb_device_lattice &lattice, int64_t q) {
    const int n = lattice.n, points = n * n * n, point = static_cast<int>(q % points);
    const hb_local position = static_cast<hb_local>(q / points);
    ijk[0] = point % n;
    ijk[1] = point / n % n;
    ijk[2] = point / (n * n);
    const hb_local marked = hb_lattice_number(lattice, position, ijk);
    number = marked & HB_LOCAL_MAX;
    owns = marked < 0;
    if (owns) hb_lattice_element(lattice, position, e);
  }
};

__device__ static double solution_at(const hb_device_lattice &lattice, const lattice_point &point) {
  double x[3];
  hb_lattice_position(lattice, point.e, point.ijk, x);
  return hb_lattice_values_at(lattice.problem, x).u;
}

__global__ void __launch_bounds__(THREADS)
    HB_REAL_NAME(hb_set_points)(const hb_device_lattice lattice, int kind, int64_t seed,
                                hb_real *vector) {
  const int n = lattice.n;
  const int64_t all = static_cast<int64_t>(lattice.num_elements) * (n * n * n);
  for (int64_t q = first_point(); q < all; q += all_threads()) {
    const lattice_point point(lattice, q);
    if (!point.owns) continue;
    const bool given = kind != HB_LATTICE_RANDOM && kind != HB_LATTICE_ONE &&
                       hb_lattice_given(lattice, point.e, point.ijk);
    double value = 1.0;
    if (kind == HB_LATTICE_CLEAR_GIVEN && !given) continue;
    if (kind == HB_LATTICE_RANDOM || kind == HB_LATTICE_RANDOM_INSIDE)
      value = hb_lattice_random(hb_lattice_id(lattice, point.e, point.ijk), seed);
    const bool wanted = given == (kind == HB_LATTICE_EXACT_GIVEN);
    if (wanted && (kind == HB_LATTICE_EXACT_INSIDE || kind == HB_LATTICE_EXACT_GIVEN))
      value = solution_at(lattice, point);
    vector[point.number] = wanted ? static_cast<hb_real>(value) : hb_real(0);
  }
}

/* What a thread has found. */
struct found {
  double sum[HB_POINT_SUMS], largest[HB_POINT_LARGEST];
};

/* The block's, in a fixed order, to its place among the partial results. */
__device__ static void store_found(const found &mine, double *partials) {
  __shared__ double s_sums[THREADS / HB_WAVE], s_largest[THREADS];
  const int thread = static_cast<int>(threadIdx.x);
  double *to = partials + static_cast<ptrdiff_t>(blockIdx.x) * HB_POINT_VALUES;
#pragma unroll
  for (int s = 0; s < HB_POINT_SUMS; s++) {
    const double sum = hb_block_sum(mine.sum[s], thread, THREADS, s_sums);
    if (thread == 0) to[s] = sum;
    __syncthreads();
  }
#pragma unroll
  for (int l = 0; l < HB_POINT_LARGEST; l++) {
    s_largest[thread] = mine.largest[l];
    for (int half = THREADS / 2; half > 0; half /= 2) {
      __syncthreads();
      if (thread < half) s_largest[thread] = hb_larger(s_largest[thread], s_largest[thread + half]);
    }
    if (thread == 0) to[HB_POINT_SUMS + l] = s_largest[0];
    __syncthreads();
  }
}

__global__ void __launch_bounds__(THREADS)
    HB_REAL_NAME(hb_error_points)(const hb_device_lattice lattice, hb_local num_owned,
                                  const hb_real *x, double *partials) {
  const int n = lattice.n;
  const int64_t all = static_cast<int64_t>(lattice.num_elements) * (n * n * n);
  found mine = {};
  for (int64_t q = first_point(); q < all; q += all_threads()) {
    const lattice_point point(lattice, q);
    if (!point.owns) continue;
    const double u = solution_at(lattice, point);
    const double error = static_cast<double>(x[point.number]) - u;
    if (point.number < num_owned) {
      mine.sum[0] += error * error;
      mine.sum[1] += u * u;
      mine.largest[0] = hb_larger(mine.largest[0], fabs(error));
      mine.largest[1] = hb_larger(mine.largest[1], fabs(u));
    }
    if (!hb_lattice_given(lattice, point.e, point.ijk)) continue;
    mine.largest[2] = hb_larger(mine.largest[2], fabs(error));
    mine.largest[3] = hb_larger(mine.largest[3], fabs(u));
  }
  store_found(mine, partials);
}

struct point_arrays {
  const hb_real *a, *b, *c, *d, *e, *f;
};

__device__ static inline void pass_consistency(const point_arrays &v, int64_t i, bool owned,
                                               found &mine) {
  const double left = static_cast<double>(v.a[i]) - static_cast<double>(v.b[i]);
  mine.largest[0] = hb_larger(mine.largest[0], fabs(left) / static_cast<double>(v.c[i]));
  if (!owned) return;
  const double u = static_cast<double>(v.d[i]);
  const double error = u == 0.0 ? 0.0 : static_cast<double>(v.e[i]) - u;
  const double inverse = v.f != nullptr ? static_cast<double>(v.f[i]) : 1.0;
  mine.sum[0] += left;
  if (inverse == 0.0) return; /* the solution is given */
  mine.sum[1] += error * error / inverse;
  mine.sum[2] += u * u / inverse;
}

__global__ void __launch_bounds__(THREADS)
    HB_REAL_NAME(hb_pass_points)(int pass, hb_local count, hb_local owned, const point_arrays v,
                                 double *partials) {
  found mine = {};
  for (int64_t i = first_point(); i < count; i += all_threads()) {
    const double a = static_cast<double>(v.a[i]), b = static_cast<double>(v.b[i]);
    if (pass == HB_POINTS_CONSISTENCY) {
      pass_consistency(v, i, i < owned, mine);
    } else if (i < owned) {
      mine.sum[0] += pass == HB_POINTS_DOT        ? a * b
                     : pass == HB_POINTS_WEIGHTED ? a * a * b
                                                  : (a - b) * (a - b);
      if (pass != HB_POINTS_RESIDUAL) continue;
      const double off = (a - b) - static_cast<double>(v.c[i]);
      mine.sum[1] += off * off;
      mine.sum[2] += a - b;
    }
  }
  store_found(mine, partials);
}

/* Of the blocks, in their order. */
static enum hb_status collect(struct hb_device *device, hb_local blocks, const double *d_partials,
                              struct hb_point_sums *sums) {
  enum hb_status status = HB_OK;
  double partials[HB_POINT_BLOCKS][HB_POINT_VALUES];
  struct hb_long_sum sum[HB_POINT_SUMS] = {};
  *sums = {};
  HB_TRY(hb_device_download(device, partials, d_partials,
                            blocks * static_cast<hb_global>(sizeof partials[0])));
  for (hb_local block = 0; block < blocks; block++) {
    for (int s = 0; s < HB_POINT_SUMS; s++) hb_long_sum_add(&sum[s], partials[block][s]);
    for (int l = 0; l < HB_POINT_LARGEST; l++)
      sums->largest[l] = hb_max(sums->largest[l], partials[block][HB_POINT_SUMS + l]);
  }
  for (int s = 0; s < HB_POINT_SUMS; s++) sums->sum[s] = sum[s].value;
done:
  return status;
}

enum hb_status HB_REAL_NAME(hb_lattice_set)(const struct hb_device_lattice *lattice,
                                            enum hb_lattice_values_kind kind, int64_t seed,
                                            void *d_vector) {
  const hb_global points =
      static_cast<hb_global>(lattice->num_elements) * hb_points_per_element(lattice->n);
  if (points == 0) return HB_OK;
  return hb_launch(lattice->device, "lattice_set", HB_REAL_NAME(hb_set_points),
                   blocks_for(points, MOST_BLOCKS), THREADS, 0, *lattice, static_cast<int>(kind),
                   seed, static_cast<hb_real *>(d_vector));
}

enum hb_status HB_REAL_NAME(hb_lattice_error)(const struct hb_device_lattice *lattice,
                                              hb_local num_owned, const void *d_x,
                                              double *d_partials, struct hb_point_sums *sums) {
  enum hb_status status = HB_OK;
  const hb_global points =
      static_cast<hb_global>(lattice->num_elements) * hb_points_per_element(lattice->n);
  const hb_local blocks = points == 0 ? 0 : blocks_for(points, HB_POINT_BLOCKS);
  *sums = {};
  if (blocks == 0) return HB_OK;
  HB_TRY(hb_launch(lattice->device, "lattice_error", HB_REAL_NAME(hb_error_points), blocks, THREADS,
                   0, *lattice, num_owned, static_cast<const hb_real *>(d_x), d_partials));
  HB_TRY(collect(lattice->device, blocks, d_partials, sums));
done:
  return status;
}

enum hb_status HB_REAL_NAME(hb_points_pass)(const struct hb_point_vectors *vectors,
                                            enum hb_point_pass pass, struct hb_point_sums *sums) {
  enum hb_status status = HB_OK;
  const hb_local blocks = vectors->count == 0 ? 0 : blocks_for(vectors->count, HB_POINT_BLOCKS);
  const hb_real *array[6];
  *sums = {};
  if (blocks == 0) return HB_OK;
  for (int v = 0; v < 6; v++) array[v] = static_cast<const hb_real *>(vectors->d_vectors[v]);
  HB_TRY(hb_launch(vectors->device, "points_pass", HB_REAL_NAME(hb_pass_points), blocks, THREADS, 0,
                   static_cast<int>(pass), vectors->count, vectors->owned,
                   point_arrays{array[0], array[1], array[2], array[3], array[4], array[5]},
                   vectors->d_partials));
  HB_TRY(collect(vectors->device, blocks, vectors->d_partials, sums));
done:
  return status;
}
