/* SPDX-License-Identifier: BSD-3-Clause
 * What the device kernels of the operator share: their argument, where a point of an element lies,
 * and loading and storing of points.  Included by .hip files only; contract: helmholtz_device.h. */
#ifndef HB_KERNELS_ELEMENT_POINTS_H
#define HB_KERNELS_ELEMENT_POINTS_H

#include "kernels/platform/gpu.h"

#include "kernels/helmholtz/helmholtz_device.h"
#include "kernels/real.h"

/* helmholtz_device.h's arrays with their type; kernels take it by value. */
template <typename real> struct hb_element_data {
  hb_local begin, end; /* elements of this launch */
  int num_factors;
  bool with_mass;
  const hb_local *surface_index;
  const real *D, *factors, *u;
  real *w, *surface;
  double *partials;
  real alpha, beta; /* of the direction, as the following */
  const real *dinv, *r, *p_old;
  real *p, *x;
};

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
 * flight together.  Threads that are not `present` only load. */
template <bool DIRECTION, int COUNT, typename real>
__device__ static inline void hb_load_points(const hb_element_data<real> &data, bool present,
                                             const hb_place *place, real *values) {
  if (!DIRECTION) {
#pragma unroll
    for (int q = 0; q < COUNT; q++) values[q] = data.u[place[q].index];
    return;
  }
  real p_old[COUNT], x[COUNT];
  const bool step = data.alpha != 0;
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
    values[q] = fma(data.beta, p_old[q], values[q]);
    if (!present || !place[q].owner) continue;
    data.p[place[q].index] = values[q];
    if (step) data.x[place[q].index] = fma(data.alpha, p_old[q], x[q]);
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

/* Arguments of one launch from the contract's. */
template <typename real>
static inline hb_element_data<real>
hb_make_element_data(const struct hb_device_helmholtz *h, hb_local begin, hb_local end,
                     bool with_mass, const struct hb_device_direction *direction, const void *d_u,
                     void *d_w, hb_local num_partials) {
  hb_element_data<real> data = {};
  data.begin = begin;
  data.end = end;
  data.num_factors = hb_geometry_num_factors(&h->geometry);
  data.with_mass = with_mass && hb_geometry_has_mass(&h->geometry);
  data.surface_index = h->d_surface_index;
  data.D = static_cast<const real *>(h->d_D);
  data.factors = static_cast<const real *>(h->d_factors);
  data.u = static_cast<const real *>(d_u);
  data.w = static_cast<real *>(d_w);
  data.surface = static_cast<real *>(h->d_surface);
  data.partials = h->d_partials + num_partials;
  if (direction == nullptr) return data;
  data.alpha = static_cast<real>(direction->alpha);
  data.beta = static_cast<real>(direction->beta);
  data.dinv = static_cast<const real *>(direction->d_dinv);
  data.r = static_cast<const real *>(direction->d_r);
  data.p_old = static_cast<const real *>(direction->d_p_old);
  data.p = static_cast<real *>(direction->d_p);
  data.x = static_cast<real *>(direction->d_x);
  return data;
}

/* LAUNCH(n) for 4 <= n <= 16, as cases of a switch. */
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

/* Calls LAUNCH(n) for the n given, 2 <= n <= 16. */
#define HB_SWITCH_N(n, LAUNCH)                                                                     \
  switch (n) {                                                                                     \
    LAUNCH(2)                                                                                      \
    LAUNCH(3)                                                                                      \
    HB_CASES_FROM_4(LAUNCH)                                                                        \
  }

#endif
