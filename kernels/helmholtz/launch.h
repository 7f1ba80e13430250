/* SPDX-License-Identifier: BSD-3-Clause
 * Launching the operator's kernels: their argument from the contract's, the geometry mode as a
 * constant, one partial sum a block.  Included by .hip files only; contract: helmholtz_device.h. */
#ifndef HB_KERNELS_HELMHOLTZ_LAUNCH_H
#define HB_KERNELS_HELMHOLTZ_LAUNCH_H

#include <type_traits>

#include "kernels/element/points.h"
#include "kernels/helmholtz/helmholtz_device.h"
#include "kernels/launch.h"

/* The elements' data as an argument of a kernel, which takes all() of it.  On NVIDIA with stored
 * factors alone: of a structure of more than 128 bytes nvcc makes a copy, which takes up to 40
 * registers of a thread (kstep, n = 6 to 14). */
#ifndef HB_ON_NVIDIA
template <int MODE, typename real> using hb_argument_data = hb_element_data<real>;
#else
template <typename real> struct hb_stored_data {
  hb_local begin, end, blocks;
  int16_t num_factors, with_mass;
  const hb_local *surface_index;
  const real *D, *factors, *u_or_r;
  real *w, *surface;
  double *partials;
  real alpha, beta;
  const hb_device_step *step;
  const real *dinv, *p_old;
  real *p, *x;

  hb_stored_data(const hb_element_data<real> &of)
      : begin(of.begin), end(of.end), blocks(of.blocks),
        num_factors(static_cast<int16_t>(of.num_factors)), with_mass(of.with_mass ? 1 : 0),
        surface_index(of.surface_index), D(of.D), factors(of.factors),
        u_or_r(of.u != nullptr ? of.u : of.r), w(of.w), surface(of.surface), partials(of.partials),
        alpha(of.alpha), beta(of.beta), step(of.step), dinv(of.dinv), p_old(of.p_old), p(of.p),
        x(of.x) {}
  __device__ hb_element_data<real> all() const {
    hb_element_data<real> data = {};
    data.begin = begin;
    data.end = end;
    data.blocks = blocks;
    data.num_factors = num_factors;
    data.with_mass = with_mass != 0;
    data.surface_index = surface_index;
    data.D = D;
    data.factors = factors;
    data.u = data.r = u_or_r;
    data.w = w;
    data.surface = surface;
    data.partials = partials;
    data.alpha = alpha;
    data.beta = beta;
    data.step = step;
    data.dinv = dinv;
    data.p_old = p_old;
    data.p = p;
    data.x = x;
    return data;
  }
};
static_assert(sizeof(hb_stored_data<double>) == 128, "no more than nvcc takes as it is");
template <int MODE, typename real>
using hb_argument_data = typename std::conditional<MODE == HB_GEOMETRY_STORED, hb_stored_data<real>,
                                                   hb_element_data<real>>::type;
#endif

/* Arguments of one launch from the contract's. */
template <typename real>
static inline hb_element_data<real>
hb_make_element_data(const struct hb_device_helmholtz *h, hb_local begin, hb_local end,
                     bool with_mass, const struct hb_device_direction *direction, const void *d_u,
                     void *d_w, hb_local num_partials) {
  hb_element_data<real> data = {};
  data.begin = begin;
  data.end = end;
  data.num_factors = hb_geometry_num_point_values(&h->geometry);
  data.with_mass = with_mass && hb_geometry_has_mass(&h->geometry);
  data.surface_index = h->d_surface_index;
  data.D = static_cast<const real *>(h->d_D);
  data.factors = static_cast<const real *>(h->d_factors);
  data.u = static_cast<const real *>(d_u);
  data.w = static_cast<real *>(d_w);
  data.surface = static_cast<real *>(h->d_surface);
  data.partials = h->d_partials + num_partials;
  data.elements = static_cast<const real *>(h->d_elements);
  data.basis = static_cast<const real *>(h->d_basis);
  data.varying = h->geometry.varying;
  data.h1 = static_cast<real>(h->geometry.h1);
  data.h2 = static_cast<real>(h->geometry.h2);
  if (direction == nullptr) return data;
  data.alpha = static_cast<real>(direction->alpha);
  data.beta = static_cast<real>(direction->beta);
  data.step = direction->d_step;
  data.dinv = static_cast<const real *>(direction->d_dinv);
  data.r = static_cast<const real *>(direction->d_r);
  data.p_old = static_cast<const real *>(direction->d_p_old);
  data.p = static_cast<real *>(direction->d_p);
  data.x = static_cast<real *>(direction->d_x);
  return data;
}

/* run(mode), mode::value being the geometry's mode, if it is one of MODES: those that a kernel is
 * there for. */
template <int... MODES, typename function>
static inline enum hb_status hb_with_mode(const struct hb_geometry *geometry, const function &run) {
  enum hb_status status = HB_OK;
  const auto tried = [&](auto mode) {
    if (geometry->mode != decltype(mode)::value) return false;
    status = run(mode);
    return true;
  };
  if ((tried(std::integral_constant<int, MODES>()) || ...)) return status;
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__, "helmholtz: no kernels for geometry %s",
                         hb_geometry_mode_name(geometry->mode));
}

/* Is the kernel of this mode compiled for n?  A LAUNCH without it ends in the error behind it. */
template <int MODE, int N>
static constexpr bool hb_is_built = MODE == HB_GEOMETRY_STORED ||
                                    (HB_RECOMPUTED_ORDERS >> N & 1) != 0;

/* A kernel of which each block takes so many elements of the launch and leaves a partial sum. */
template <typename real, typename argument_data, typename... parameters, typename... arguments>
static inline enum hb_status
hb_launch_elements(const struct hb_device_helmholtz *h, const char *name,
                   void (*kernel)(argument_data, parameters...), int elements, int threads,
                   size_t shared_bytes, hb_local *num_partials, const hb_element_data<real> &data,
                   const arguments &...others) {
  hb_element_data<real> counted = data;
  counted.blocks = (data.end - data.begin - 1) / elements + 1;
  *num_partials += counted.blocks;
  return hb_launch_next(h->device, name, kernel, counted.blocks, threads, shared_bytes, counted,
                        others...);
}

#endif
