/* SPDX-License-Identifier: BSD-3-Clause
 * The operator by matrix instructions on cubes in LDS (AMD).
 *
 * A wave holds columns along k in registers in the order in which a matrix instruction takes and
 * gives them, so the contractions along k need no LDS; those along i and j have a cube each:
 *
 *   u to registers and cubes                                                       | barrier
 *   cube i <- D u along i, cube j <- D u along j                                   | barrier
 *   ut along k; the factors; cube i <- gr, cube j <- gs; w <- M u + D^T gt along k | barrier
 *   cube i <- D^T gr along i, cube j <- D^T gs along j                             | barrier
 *   w + cube i + cube j
 *
 * u and w stay in registers if the wave has one column group, and else in a third cube.  Nothing is
 * accumulated through LDS.  A wave alone with its elements needs no barriers.
 * Compiled for amd, per precision. */
#include "kernels/helmholtz/launch.h"
#include "kernels/helmholtz/staged_passes.h"

template <typename geometry>
__global__ void __launch_bounds__(geometry::threads)
    hb_staged(const hb_element_data<typename geometry::real> data, const staged_launch launch) {
  typedef typename geometry::contraction contraction;
  typedef typename geometry::real real;
  extern __shared__ double s_memory[];
  hb_follow_launch();
  if (hb_is_stopped(data)) return;
  const staged_place<geometry> place(launch, data.begin, data.end, hb_block(data.blocks),
                                     reinterpret_cast<real *>(s_memory));
  typename geometry::matrix A, At;
  typename geometry::factors G;
  typename geometry::values u;
  double sum = 0.0;
  if (!geometry::scarce) contraction::load_matrix(data.D, false, A);
  contraction::load_matrix(data.D, true, At);
  if constexpr (geometry::nodes) form_from_nodes<geometry>(data, launch, place, A, G);
  begin_component<geometry, true>(data, launch, 0, place, G, u);
  const int components = geometry::local ? launch.components : 1;
  for (int component = 0; component < components; component++) {
    if (component > 0) begin_component<geometry, false>(data, launch, component, place, G, u);
    if (geometry::ahead && !geometry::one) load_first_factors<geometry>(data, place, G);
    if (geometry::scarce) contraction::load_matrix(data.D + hb_opaque_zero(), false, A);
    hb_team_sync(launch.alone != 0);
    /* ur[k][j][i] = sum_m D[i][m] u[k][j][m] */
    /* us[k][j][i] = sum_m D[j][m] u[k][m][i] */
    contract_both<geometry>(place, A, geometry::one ? place.s_i : place.s_u, place.s_u);
    hb_team_sync(launch.alone != 0);
    sum += contract_k<geometry>(data, place, A, At, G, u);
    hb_team_sync(launch.alone != 0);
    /* w[k][j][i] += sum_m D[m][i] gr[k][j][m] + D[m][j] gs[k][m][i] */
    contract_both<geometry>(place, At, place.s_i, place.s_j);
    hb_team_sync(launch.alone != 0);
    end_component<geometry>(data, launch, component, place, u);
  }
  __syncthreads(); /* the cubes make room for the sums */
  const int thread = static_cast<int>(threadIdx.x);
  sum = hb_block_sum(sum, thread, launch.wavefronts * HB_WAVE, s_memory);
  if (thread == 0) data.partials[hb_block(data.blocks)] = sum;
}

template <typename geometry>
static enum hb_status launch_kernel(const struct hb_device_helmholtz *h,
                                    const hb_element_data<hb_real> &data,
                                    const staged_launch &launch, hb_local *num_partials) {
  const auto bytes =
      static_cast<size_t>(hb_staged_lds_bytes(&h->shape, geometry::precision, geometry::n));
  return hb_launch_elements(h, "helmholtz_staged", hb_staged<geometry>, launch.elements,
                            launch.wavefronts * HB_WAVE, bytes, num_partials, data, launch);
}

static enum hb_status no_shape(const struct hb_device_helmholtz *h) {
  char words[96];
  hb_shape_words(&h->shape, words);
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                         "helmholtz_staged: no such shape for n = %d, geometry %s: %s", h->n,
                         hb_geometry_mode_name(h->geometry.mode), words);
}

/* Factors that are formed need registers: up to n = 12, and, from nodes, which are in shapes of one
 * group alone, while the first shape of every precision is of these. */
enum { FORMED_MAX_N = HB_STAGED_ROOMY_MAX_N, NODES_MAX_N = 8 };
template <int MODE, int N>
static constexpr bool has_kernel = hb_is_built<MODE, N> &&
                                   (MODE != HB_GEOMETRY_TRILINEAR || N <= FORMED_MAX_N) &&
                                   (MODE != HB_GEOMETRY_NODES || N <= NODES_MAX_N);

/* Chooses the kernel for the shape's tile, layout and number of column groups. */
template <int MODE, int N, bool LOCAL>
static enum hb_status launch_shape(const struct hb_device_helmholtz *h,
                                   const hb_element_data<hb_real> &data,
                                   const staged_launch &launch, hb_local *num_partials) {
  const auto run = [&](auto contraction) {
    typedef decltype(contraction) c;
    constexpr bool has_tile = hb_staged_has_tile(c::code::name, c::precision, N);
    constexpr bool has_loop = hb_staged_has_loop(c::code::name, c::precision, c::layout, N);
    const bool one = hb_staged_groups(&h->shape, N) == 1;
    if constexpr (has_tile)
      if (one)
        return launch_kernel<staged_geometry<MODE, c, true, LOCAL>>(h, data, launch, num_partials);
    if constexpr (has_tile && has_loop && MODE != HB_GEOMETRY_NODES)
      return launch_kernel<staged_geometry<MODE, c, false, LOCAL>>(h, data, launch, num_partials);
    return no_shape(h);
  };
  return hb_with_contraction<hb_real, N>(h->shape.tile, h->shape.layout, run);
}

template <int MODE, bool LOCAL>
static enum hb_status apply(const struct hb_device_helmholtz *h,
                            const hb_element_data<hb_real> &data, int components,
                            bool with_direction, hb_local *num_partials) {
  constexpr hb_precision precision = sizeof(hb_real) == sizeof(double) ? HB_F64 : HB_F32;
  const struct hb_shape *shape = &h->shape;
  if (!hb_staged_runs(shape, precision, h->n)) return no_shape(h);
  const bool alone = hb_staged_is_alone(shape);
  const staged_launch launch = {shape->wavefronts,
                                shape->elements,
                                alone ? shape->elements / shape->wavefronts : shape->elements,
                                components,
                                alone ? 1 : shape->wavefronts,
                                alone ? 1 : 0,
                                with_direction,
                                static_cast<ptrdiff_t>(h->num_elements) *
                                    hb_points_per_element(h->n)};
#define LAUNCH(N)                                                                                  \
  case N:                                                                                          \
    if constexpr (has_kernel<MODE, N>)                                                             \
      return launch_shape<MODE, N, LOCAL>(h, data, launch, num_partials);                          \
    break;
  HB_SWITCH_N(h->n, LAUNCH)
#undef LAUNCH
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                         "helmholtz_staged: n = %d, allowed 2..16", h->n);
}

enum hb_status HB_REAL_NAME(hb_helmholtz_staged)(const struct hb_device_helmholtz *h,
                                                 hb_local begin, hb_local end, bool with_mass,
                                                 const struct hb_device_direction *direction,
                                                 const void *d_u, void *d_w,
                                                 hb_local *num_partials) {
  if (begin >= end) return HB_OK;
  const hb_element_data<hb_real> data =
      hb_make_element_data<hb_real>(h, begin, end, with_mass, direction, d_u, d_w, *num_partials);
  return hb_with_mode<HB_GEOMETRY_STORED, HB_GEOMETRY_NODES, HB_GEOMETRY_TRILINEAR,
                      HB_GEOMETRY_AFFINE>(&h->geometry, [&](auto mode) {
    return apply<decltype(mode)::value, false>(h, data, 1, direction != nullptr, num_partials);
  });
}

enum hb_status HB_REAL_NAME(hb_helmholtz_staged_local)(const struct hb_device_helmholtz *h,
                                                       int components, hb_local begin, hb_local end,
                                                       bool with_mass, const void *d_u, void *d_w,
                                                       hb_local *num_partials) {
  if (components != 1 && components != 3)
    return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                           "helmholtz_staged: %d components, allowed 1 and 3", components);
  if (begin >= end) return HB_OK;
  const hb_element_data<hb_real> data =
      hb_make_element_data<hb_real>(h, begin, end, with_mass, nullptr, d_u, d_w, *num_partials);
  return hb_with_mode<HB_GEOMETRY_STORED>(&h->geometry, [&](auto mode) {
    return apply<decltype(mode)::value, true>(h, data, components, false, num_partials);
  });
}
