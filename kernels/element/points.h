/* SPDX-License-Identifier: BSD-3-Clause
 * What the device kernels of an operator share: their argument, where a point of an element lies,
 * and loading and storing of points.  Included by .hip files only. */
#ifndef HB_KERNELS_ELEMENT_POINTS_H
#define HB_KERNELS_ELEMENT_POINTS_H

#include "kernels/platform/gpu.h"

#include "kernels/element/element.h"
#include "kernels/real.h"
#include "kernels/step.h"

/* The operator's arrays with their type, vectors assembled or local as its contract says
 * (helmholtz_device.h); kernels take it by value. */
template <typename real> struct hb_element_data {
  hb_local begin, end; /* elements of this launch */
  hb_local blocks;     /* and its blocks */
  int num_factors;     /* values at a point, of stored geometry its factors (geometry.h) */
  bool with_mass;
  const hb_local *surface_index;
  const real *D, *factors, *u;
  real *w, *surface;
  double *partials;
  real alpha, beta;           /* of the direction, as the following */
  const hb_device_step *step; /* NULL, or where alpha and beta are instead */
  const real *dinv, *r, *p_old;
  real *p, *x;
  /* Of geometry that is not stored: [element][v]; GLL points and weights, [2][n]; whether h1 and h2
   * are the last of the values at points, and else what they are. */
  const real *elements, *basis;
  bool varying;
  real h1, h2;

  __device__ const hb_element_data &all() const { return *this; }
};

template <typename real> __device__ static inline real hb_alpha(const hb_element_data<real> &data) {
  return data.step != nullptr ? static_cast<real>(hb_uniform(&data.step->alpha)) : data.alpha;
}
template <typename real> __device__ static inline real hb_beta(const hb_element_data<real> &data) {
  return data.step != nullptr ? static_cast<real>(hb_uniform(&data.step->beta)) : data.beta;
}
/* Is there nothing to do any more?  The same for all threads of a launch. */
template <typename real>
__device__ static inline bool hb_is_stopped(const hb_element_data<real> &data) {
  return data.step != nullptr && hb_uniform(&data.step->stopped) != 0;
}

/* An array's value so many bytes from a start that all lanes share: the address of such a load or
 * store is a scalar register and 32 bits of a lane's. */
template <typename real>
__device__ static inline const real *hb_byte(const real *start, unsigned bytes) {
  return reinterpret_cast<const real *>(reinterpret_cast<const char *>(start) + bytes);
}
template <typename real> __device__ static inline real *hb_byte(real *start, unsigned bytes) {
  return reinterpret_cast<real *>(reinterpret_cast<char *>(start) + bytes);
}

/* Numbers of interior and surface points, and where point (k,j,i) stands among its kind. */
template <int N> struct hb_points {
  static constexpr int cube = N * N * N, interior = (N - 2) * (N - 2) * (N - 2);
  static constexpr int surface = cube - interior, ring = 4 * N - 4;

  __device__ static bool inside(int k, int j, int i) {
    return k > 0 && k < N - 1 && j > 0 && j < N - 1 && i > 0 && i < N - 1;
  }
  __device__ static int interior_number(int k, int j, int i) {
    return ((k - 1) * (N - 2) + j - 1) * (N - 2) + i - 1;
  }
  __device__ static int surface_number(int k, int j, int i) {
    if (k == 0) return j * N + i;
    if (k == N - 1) return N * N + (N - 2) * ring + j * N + i;
    const int start = N * N + (k - 1) * ring;
    if (j == 0) return start + i;
    if (j == N - 1) return start + N + 2 * (N - 2) + i;
    return start + N + 2 * (j - 1) + (i > 0 ? 1 : 0);
  }
};

/* One point: its place in the assembled vectors, and whether this element writes it there. */
struct hb_place {
  ptrdiff_t index;
  bool owner;
};

template <typename real, int N>
__device__ static inline hb_place hb_find_point(const hb_element_data<real> &data,
                                                ptrdiff_t element, int k, int j, int i) {
  using points = hb_points<N>;
  if (points::inside(k, j, i))
    return {element * points::interior + points::interior_number(k, j, i), true};
  const hb_local entry =
      data.surface_index[element * points::surface + points::surface_number(k, j, i)];
  return {entry & HB_LOCAL_MAX, entry < 0};
}

/* values[q] = u at COUNT places of an element; with DIRECTION, p = dinv r + beta p_old, written by
 * its owner together with x += alpha p_old.  All loads come before the stores, so that they are in
 * flight together, and all values are formed before the first store, so that no store is waited
 * for.  Threads that are not `present` only load. */
template <bool DIRECTION, int COUNT, typename real>
__device__ static inline void hb_load_points(const hb_element_data<real> &data, bool present,
                                             const hb_place *place, real *values) {
  if (!DIRECTION) {
#pragma unroll
    for (int q = 0; q < COUNT; q++) values[q] = data.u[place[q].index];
    return;
  }
  real p_old[COUNT], x[COUNT];
  const real alpha = hb_alpha(data), beta = hb_beta(data);
  const bool step = alpha != 0;
#pragma unroll
  for (int q = 0; q < COUNT; q++) {
    values[q] = data.r[place[q].index];
    p_old[q] = data.p_old[place[q].index];
  }
  if (data.dinv != nullptr) {
#pragma unroll
    for (int q = 0; q < COUNT; q++) values[q] *= data.dinv[place[q].index];
  }
#pragma unroll
  for (int q = 0; q < COUNT; q++)
    x[q] = step && present && place[q].owner ? data.x[place[q].index] : real(0);
#pragma unroll
  for (int q = 0; q < COUNT; q++) {
    values[q] = fma(beta, p_old[q], values[q]);
    x[q] = fma(alpha, p_old[q], x[q]);
    hb_form_now(values[q], x[q]);
  }
#pragma unroll
  for (int q = 0; q < COUNT; q++) {
    if (!present || !place[q].owner) continue;
    data.p[place[q].index] = values[q];
    if (step) data.x[place[q].index] = x[q];
  }
}

/* The element's result at a point: interior points to w, the others to the element's surface. */
template <typename real, int N>
__device__ static inline void hb_store_point(const hb_element_data<real> &data, ptrdiff_t element,
                                             int k, int j, int i, real value) {
  using points = hb_points<N>;
  if (points::inside(k, j, i))
    data.w[element * points::interior + points::interior_number(k, j, i)] = value;
  else
    data.surface[element * points::surface + points::surface_number(k, j, i)] = value;
}

/* LAUNCH(n) for 4 <= n <= 16, as cases of a switch; HB_FEW_ORDERS: of each kind one, in builds that
 * show that the kernels compile and no more. */
#ifdef HB_FEW_ORDERS
#define HB_CASES_FROM_4(LAUNCH) LAUNCH(4) LAUNCH(7) LAUNCH(16)
#else
#define HB_CASES_FROM_4(LAUNCH)                                                                    \
  LAUNCH(4)                                                                                        \
  LAUNCH(5)                                                                                        \
  LAUNCH(6)                                                                                        \
  LAUNCH(7)                                                                                        \
  LAUNCH(8)                                                                                        \
  LAUNCH(9)                                                                                        \
  LAUNCH(10)                                                                                       \
  LAUNCH(11)                                                                                       \
  LAUNCH(12)                                                                                       \
  LAUNCH(13)                                                                                       \
  LAUNCH(14)                                                                                       \
  LAUNCH(15)                                                                                       \
  LAUNCH(16)
#endif

/* Calls LAUNCH(n) for the n given, 2 <= n <= 16. */
#define HB_SWITCH_N(n, LAUNCH)                                                                     \
  switch (n) {                                                                                     \
    LAUNCH(2)                                                                                      \
    LAUNCH(3)                                                                                      \
    HB_CASES_FROM_4(LAUNCH)                                                                        \
  }

#endif
