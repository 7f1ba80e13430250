/* SPDX-License-Identifier: BSD-3-Clause
 * The operator by FP64 tensor cores of NVIDIA: which kernel a launch takes, and how many blocks.
 * Compiled for nvidia, in f64. */
#include "kernels/helmholtz/launch.h"
#include "kernels/helmholtz/tensor_block.h"
#include "kernels/helmholtz/tensor_formed.h"
#include "kernels/helmholtz/tensor_warp.h"

/* Blocks that are resident at a time on a multiprocessor; the runtime is made ready for them, and
 * stays so for launches of the kernel that need more. */
static enum hb_status ask_resident(const void *kernel, int threads, size_t shared_bytes,
                                   int *multiprocessors, int *resident) {
  int index = 0;
  hipFuncAttributes attributes = {};
  hipError_t error = hipGetDevice(&index);
  if (error == hipSuccess)
    error = hipDeviceGetAttribute(multiprocessors, hipDeviceAttributeMultiprocessorCount, index);
  if (error == hipSuccess) error = hipFuncGetAttributes(&attributes, kernel);
  if (error == hipSuccess && static_cast<int>(shared_bytes) > attributes.maxDynamicSharedSizeBytes)
    error = hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(shared_bytes));
  if (error == hipSuccess)
    error = hipOccupancyMaxActiveBlocksPerMultiprocessor(resident, kernel, threads, shared_bytes);
  if (error == hipSuccess && *resident > 0) return HB_OK;
  (void)hipGetLastError();
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__,
                         "helmholtz_tensor: a block of %d threads and %zu bytes of shared memory "
                         "does not fit: %s",
                         threads, shared_bytes, hipGetErrorString(error));
}

/* As many blocks as are resident at a time, at most `wanted` (0: any number) on a multiprocessor;
 * each of them goes on from element to element.  The runtime is asked once a device, kernel and
 * size: four questions a launch cost as much as a small kernel. */
static enum hb_status resident_blocks(const struct hb_device_helmholtz *h, const void *kernel,
                                      int threads, size_t shared_bytes, int wanted,
                                      hb_local *blocks) {
  enum hb_status status = HB_OK;
  int *kept = hb_device_kept(h->device, kernel, shared_bytes); /* 2^16 multiprocessors + blocks */
  int multiprocessors = *kept >> 16, resident = *kept & 0xffff;
  if (resident == 0) {
    HB_TRY(ask_resident(kernel, threads, shared_bytes, &multiprocessors, &resident));
    *kept = multiprocessors << 16 | resident;
  }
  if (wanted > 0 && resident > wanted) resident = wanted;
  *blocks = multiprocessors * resident;
done:
  return status;
}

/* For n <= 8: shape.wavefronts warps on a multiprocessor, each with room for shape.ahead
 * groups' factors. */
template <int GEOMETRY, int N, int MODE>
static enum hb_status launch_warps(const struct hb_device_helmholtz *h,
                                   const hb_element_data<double> &data, int num_images,
                                   hb_local *blocks) {
  enum hb_status status = HB_OK;
  using geometry = hb_warp_geometry<N>;
  const hb_uniform_matrix<double, N> D(h->D, h->d_D);
  const int num_slots = h->shape.ahead == 2 ? 2 : 1;
  const auto kernel = hb_tensor_warp<GEOMETRY, N, MODE>;
  const int slot = hb_factor_pieces<N, geometry::cube>::size(geometry::elements, data.num_factors);
  const size_t shared_bytes = geometry::shared_bytes(slot, num_slots, num_images);
  const hb_local groups = (data.end - data.begin - 1) / geometry::elements + 1;
  HB_TRY(resident_blocks(h, reinterpret_cast<const void *>(kernel), HB_WAVE, shared_bytes,
                         h->shape.wavefronts, blocks));
  if (*blocks > groups) *blocks = groups;
  HB_TRY(hb_launch_next(h->device, "helmholtz_tensor", kernel, *blocks, HB_WAVE, shared_bytes, data,
                        D, num_slots));
done:
  return status;
}

/* The same for geometry that is not stored. */
template <int GEOMETRY, int N, int MODE, int COEFFICIENTS>
static enum hb_status launch_formed(const struct hb_device_helmholtz *h,
                                    const hb_element_data<double> &data, int num_images,
                                    hb_local *blocks) {
  enum hb_status status = HB_OK;
  using geometry = hb_warp_geometry<N>;
  const hb_uniform_line<N> line(h->D, h->basis);
  const int num_slots = h->shape.ahead == 2 && data.num_factors > 0 ? 2 : 1;
  const auto kernel = hb_tensor_formed<GEOMETRY, N, MODE, COEFFICIENTS>;
  const int slot = hb_factor_pieces<N, geometry::cube>::size(geometry::elements, data.num_factors);
  using formed = hb_formed_work<GEOMETRY, N, MODE, COEFFICIENTS>;
  const size_t shared_bytes =
      geometry::shared_bytes(slot, num_slots, num_images - 1) + formed::own_bytes(data);
  const hb_local groups = (data.end - data.begin - 1) / geometry::elements + 1;
  HB_TRY(resident_blocks(h, reinterpret_cast<const void *>(kernel), HB_WAVE, shared_bytes,
                         h->shape.wavefronts, blocks));
  if (*blocks > groups) *blocks = groups;
  HB_TRY(hb_launch_next(h->device, "helmholtz_tensor", kernel, *blocks, HB_WAVE, shared_bytes, data,
                        line, num_slots));
done:
  return status;
}

template <int GEOMETRY, int N, int MODE>
static enum hb_status launch_coefficients(const struct hb_device_helmholtz *h,
                                          const hb_element_data<double> &data, int num_images,
                                          hb_local *blocks) {
  if (MODE == HB_TENSOR_LOCAL || data.varying)
    return launch_formed<GEOMETRY, N, MODE, HB_ANY_COEFFICIENTS>(h, data, num_images, blocks);
  if constexpr (MODE != HB_TENSOR_LOCAL) {
    if (data.with_mass)
      return launch_formed<GEOMETRY, N, MODE, HB_CONSTANT_WITH_MASS>(h, data, num_images, blocks);
    return launch_formed<GEOMETRY, N, MODE, HB_CONSTANT>(h, data, num_images, blocks);
  }
}

/* For n >= 9. */
template <int GEOMETRY, int N, int MODE>
static enum hb_status launch_blocks(const struct hb_device_helmholtz *h,
                                    const hb_element_data<double> &data, hb_local *blocks) {
  enum hb_status status = HB_OK;
  using geometry = hb_block_geometry<N>;
  const hb_uniform_matrix<double, N> D(h->D, h->d_D);
  const auto kernel = hb_tensor_block<GEOMETRY, N, MODE>;
  const int staged = hb_factor_pieces<N, geometry::plane>::size(geometry::warps * geometry::stages,
                                                                data.num_factors);
  const size_t shared_bytes = geometry::shared_bytes(staged);
  HB_TRY(resident_blocks(h, reinterpret_cast<const void *>(kernel), geometry::threads, shared_bytes,
                         0, blocks));
  if (*blocks > data.end - data.begin) *blocks = data.end - data.begin;
  HB_TRY(hb_launch_next(h->device, "helmholtz_tensor", kernel, *blocks, geometry::threads,
                        shared_bytes, data, D));
done:
  return status;
}

template <int GEOMETRY, int N, int MODE>
static enum hb_status launch(const struct hb_device_helmholtz *h,
                             const hb_element_data<double> &data, int num_images,
                             hb_local *num_partials) {
  enum hb_status status = HB_OK;
  hb_local blocks = 0;
  if constexpr (GEOMETRY != HB_GEOMETRY_STORED)
    HB_TRY((launch_coefficients<GEOMETRY, N, MODE>(h, data, num_images, &blocks)));
  else if constexpr (N <= 8)
    HB_TRY((launch_warps<GEOMETRY, N, MODE>(h, data, num_images, &blocks)));
  else
    HB_TRY((launch_blocks<GEOMETRY, N, MODE>(h, data, &blocks)));
  *num_partials += blocks;
done:
  (void)num_images; /* of n <= 8 alone */
  return status;
}

/* Geometry that is not stored: for n <= 8. */
template <int GEOMETRY, int N>
static constexpr bool is_built = hb_is_built<GEOMETRY, N> &&
                                 (GEOMETRY == HB_GEOMETRY_STORED || N <= 8);

template <int GEOMETRY, int MODE>
static enum hb_status switch_n(const struct hb_device_helmholtz *h,
                               const hb_element_data<double> &data, int num_images,
                               hb_local *num_partials) {
#define LAUNCH(N)                                                                                  \
  case N:                                                                                          \
    if constexpr (is_built<GEOMETRY, N>)                                                           \
      return launch<GEOMETRY, N, MODE>(h, data, num_images, num_partials);                         \
    break;
  switch (h->n) { HB_CASES_FROM_4(LAUNCH) }
#undef LAUNCH
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                         "helmholtz_tensor: n = %d, allowed 4..16", h->n);
}

enum hb_status hb_helmholtz_tensor_f64(const struct hb_device_helmholtz *h, hb_local begin,
                                       hb_local end, bool with_mass,
                                       const struct hb_device_direction *direction, const void *d_u,
                                       void *d_w, hb_local *num_partials) {
  if (begin >= end) return HB_OK;
  const hb_element_data<double> data =
      hb_make_element_data<double>(h, begin, end, with_mass, direction, d_u, d_w, *num_partials);
  return hb_with_mode<HB_GEOMETRY_STORED, HB_GEOMETRY_NODES, HB_GEOMETRY_TRILINEAR,
                      HB_GEOMETRY_AFFINE>(&h->geometry, [&](auto mode) {
    constexpr int GEOMETRY = decltype(mode)::value;
    if (direction == nullptr) return switch_n<GEOMETRY, HB_TENSOR_PLAIN>(h, data, 2, num_partials);
    const int num_images = direction->d_dinv == nullptr ? 4 : 5;
    return switch_n<GEOMETRY, HB_TENSOR_DIRECTION>(h, data, num_images, num_partials);
  });
}

enum hb_status hb_helmholtz_tensor_local_f64(const struct hb_device_helmholtz *h, int components,
                                             hb_local begin, hb_local end, bool with_mass,
                                             const void *d_u, void *d_w, hb_local *num_partials) {
  if (components != 1)
    return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                           "helmholtz_tensor: %d components, allowed: 1", components);
  if (begin >= end) return HB_OK;
  const hb_element_data<double> data =
      hb_make_element_data<double>(h, begin, end, with_mass, nullptr, d_u, d_w, *num_partials);
  return hb_with_mode<HB_GEOMETRY_STORED, HB_GEOMETRY_NODES, HB_GEOMETRY_TRILINEAR,
                      HB_GEOMETRY_AFFINE>(&h->geometry, [&](auto mode) {
    return switch_n<decltype(mode)::value, HB_TENSOR_LOCAL>(h, data, 2, num_partials);
  });
}
