/* SPDX-License-Identifier: BSD-3-Clause
 * Copy and triad on a device, in pairs of doubles, with several loads of a thread in flight. */
#include "kernels/launch.h"

#include <math.h>

#include "kernels/vectors/stream.h"

/* A block takes `tile` neighbouring pairs, a thread `pairs` of them, `threads` apart. */
struct stream_geometry {
  static constexpr int threads = 256, pairs = 4, tile = threads * pairs;
};

struct stream_arrays {
  int64_t num_pairs; /* an odd count is rounded up */
  double2 *a, *b, *c;
};

__device__ static inline int64_t pair_of(int q) { /* the thread's pair q */
  return static_cast<int64_t>(blockIdx.x) * stream_geometry::tile + q * stream_geometry::threads +
         threadIdx.x;
}
/* Whether all of the block's pairs exist: then its loads can stand before its stores. */
__device__ static inline bool tile_is_full(const stream_arrays &arrays) {
  return (static_cast<int64_t>(blockIdx.x) + 1) * stream_geometry::tile <= arrays.num_pairs;
}

/* c[i] = a[i] */
__global__ void __launch_bounds__(stream_geometry::threads) hb_copy(const stream_arrays arrays) {
  constexpr int Q = stream_geometry::pairs;
  if (tile_is_full(arrays)) {
    double2 a[Q];
#pragma unroll
    for (int q = 0; q < Q; q++) a[q] = arrays.a[pair_of(q)];
#pragma unroll
    for (int q = 0; q < Q; q++) arrays.c[pair_of(q)] = a[q];
  } else {
    for (int q = 0; q < Q; q++)
      if (pair_of(q) < arrays.num_pairs) arrays.c[pair_of(q)] = arrays.a[pair_of(q)];
  }
}

__device__ static inline double2 triad(double s, double2 b, double2 c) {
  return make_double2(b.x + s * c.x, b.y + s * c.y);
}

/* a[i] = b[i] + s c[i] */
__global__ void __launch_bounds__(stream_geometry::threads)
    hb_triad(const stream_arrays arrays, double s) {
  constexpr int Q = stream_geometry::pairs;
  if (tile_is_full(arrays)) {
    double2 b[Q], c[Q];
#pragma unroll
    for (int q = 0; q < Q; q++) b[q] = arrays.b[pair_of(q)];
#pragma unroll
    for (int q = 0; q < Q; q++) c[q] = arrays.c[pair_of(q)];
#pragma unroll
    for (int q = 0; q < Q; q++) arrays.a[pair_of(q)] = triad(s, b[q], c[q]);
  } else {
    for (int q = 0; q < Q; q++)
      if (pair_of(q) < arrays.num_pairs)
        arrays.a[pair_of(q)] = triad(s, arrays.b[pair_of(q)], arrays.c[pair_of(q)]);
  }
}

/* Entries of a, b and c, up to a power of two that varies with the place. */
struct stream_values {
  double a, b, c;
};
__device__ static inline double2 value_at(int64_t pair, double value) {
  const double factor = 1 << (pair / 3 % 8);
  return make_double2(factor * value, -factor * value);
}
__device__ static inline bool same(double2 x, double2 y) { return x.x == y.x && x.y == y.y; }

__global__ void __launch_bounds__(stream_geometry::threads)
    hb_stream_fill(const stream_arrays arrays, const stream_values values) {
  for (int q = 0; q < stream_geometry::pairs; q++) {
    const int64_t pair = pair_of(q);
    if (pair >= arrays.num_pairs) continue;
    arrays.a[pair] = value_at(pair, values.a);
    arrays.b[pair] = value_at(pair, values.b);
    arrays.c[pair] = value_at(pair, values.c);
  }
}

/* wrong = 1 if an entry is not as given. */
__global__ void __launch_bounds__(stream_geometry::threads)
    hb_stream_verify(const stream_arrays arrays, const stream_values values, int *wrong) {
  for (int q = 0; q < stream_geometry::pairs; q++) {
    const int64_t pair = pair_of(q);
    if (pair >= arrays.num_pairs) continue;
    if (!same(arrays.a[pair], value_at(pair, values.a)) ||
        !same(arrays.b[pair], value_at(pair, values.b)) ||
        !same(arrays.c[pair], value_at(pair, values.c)))
      *wrong = 1;
  }
}

/* One launch of a kernel over the arrays. */
template <typename... Arguments>
static enum hb_status launch(struct hb_device *device, const char *name,
                             void (*kernel)(const stream_arrays, Arguments...),
                             const stream_arrays &arrays, Arguments... arguments) {
  const int64_t blocks = (arrays.num_pairs - 1) / stream_geometry::tile + 1;
  if (blocks > HB_LOCAL_MAX)
    return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__, "%s: arrays of %lld pairs", name,
                           static_cast<long long>(arrays.num_pairs));
  return hb_launch(device, name, kernel, static_cast<hb_local>(blocks), stream_geometry::threads, 0,
                   arrays, arguments...);
}

/* Times the passes, the first untimed, and follows in `values` what they do. */
static enum hb_status run_passes(struct hb_device *device, int passes, const stream_arrays &arrays,
                                 stream_values *values, double *copy_s, double *triad_s) {
  enum hb_status status = HB_OK;
  const double s = 0.5;
  for (int pass = 0; pass <= passes; pass++) {
    double copy = INFINITY, triad = INFINITY;
    HB_TRY(hb_device_time_start(device));
    HB_TRY(launch(device, "stream_copy", hb_copy, arrays));
    HB_TRY(hb_device_time_stop(device, &copy));
    HB_TRY(hb_device_time_start(device));
    HB_TRY(launch(device, "stream_triad", hb_triad, arrays, s));
    HB_TRY(hb_device_time_stop(device, &triad));
    values->c = values->a;
    values->a = values->b + s * values->c; /* rounded once: s c is exact */
    if (pass > 0) *copy_s = fmin(*copy_s, copy);
    if (pass > 0) *triad_s = fmin(*triad_s, triad);
  }
done:
  return status;
}

enum hb_status hb_stream_device(struct hb_device *device, hb_global count, int passes,
                                double *copy_s, double *triad_s) {
  enum hb_status status = HB_OK;
  stream_arrays arrays = {(count - 1) / 2 + 1, nullptr, nullptr, nullptr};
  stream_values values = {1.0, 2.0, 0.0};
  int *d_wrong = nullptr, wrong = 0;
  HB_ASSERT(count > 0 && passes > 0);
  *copy_s = *triad_s = INFINITY;
  double2 **const places[] = {&arrays.a, &arrays.b, &arrays.c};
  for (double2 **place : places) {
    *place = static_cast<double2 *>(
        hb_device_allocate(device, arrays.num_pairs, sizeof(double2), "bandwidth array"));
    if (*place == nullptr) HB_TRY(HB_MACHINE_FAILED);
  }
  d_wrong = static_cast<int *>(hb_device_allocate(device, 1, sizeof *d_wrong, "bandwidth check"));
  if (d_wrong == nullptr) HB_TRY(HB_MACHINE_FAILED);
  HB_TRY(hb_device_set_zero(device, HB_STREAM_COMPUTE, d_wrong, sizeof *d_wrong));
  HB_TRY(launch(device, "stream_fill", hb_stream_fill, arrays, values));
  HB_TRY(run_passes(device, passes, arrays, &values, copy_s, triad_s));
  HB_TRY(launch(device, "stream_verify", hb_stream_verify, arrays, values, d_wrong));
  HB_TRY(hb_device_download(device, &wrong, d_wrong, sizeof wrong));
  if (wrong != 0)
    HB_FAIL(HB_MACHINE_FAILED, "copy and triad of %lld doubles left wrong values on the device",
            static_cast<long long>(count));
done:
  for (double2 **place : {&arrays.a, &arrays.b, &arrays.c}) hb_device_free(device, *place);
  hb_device_free(device, d_wrong);
  return status;
}
