/* SPDX-License-Identifier: BSD-3-Clause
 * Launching a kernel on the compute stream of a device.  Included by .hip files only. */
#ifndef HB_KERNELS_LAUNCH_H
#define HB_KERNELS_LAUNCH_H

#include "kernels/device.h"
#include "kernels/platform/gpu.h"

/* kernel(arguments...) on `blocks` blocks of `threads`, each with so many bytes of dynamic shared
 * memory, and the check that follows every launch, where `name` stands for the kernel.  The runtime
 * keeps one error a thread, also of calls of other libraries: that is put away before. */
template <typename... parameters, typename... arguments>
static inline enum hb_status hb_launch(struct hb_device *device, const char *name,
                                       void (*kernel)(parameters...), hb_local blocks, int threads,
                                       size_t shared_bytes, const arguments &...given) {
  const hipStream_t stream = static_cast<hipStream_t>(hb_device_stream(device, HB_STREAM_COMPUTE));
  const dim3 grid(static_cast<unsigned>(blocks)), block(static_cast<unsigned>(threads));
  (void)hb_device_may_overlap(device, false);
  (void)hipGetLastError();
  kernel<<<grid, block, shared_bytes, stream>>>(given...);
  return hb_device_check_launch(device, name);
}

/* The same for kernels that begin with hb_follow_launch, one after the other: where the device can
 * do that, the blocks of one stand ready before the launch before it has ended. */
template <typename... parameters, typename... arguments>
static inline enum hb_status
hb_launch_next(struct hb_device *device, const char *name, void (*kernel)(parameters...),
               hb_local blocks, int threads, size_t shared_bytes, const arguments &...given) {
#if defined(HB_ON_NVIDIA)
  if (hb_device_may_overlap(device, true)) {
    cudaLaunchAttribute ready = {};
    cudaLaunchConfig_t config = {};
    ready.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    ready.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared_bytes;
    config.stream = static_cast<hipStream_t>(hb_device_stream(device, HB_STREAM_COMPUTE));
    config.attrs = &ready;
    config.numAttrs = 1;
    (void)hipGetLastError();
    (void)cudaLaunchKernelEx(&config, kernel, static_cast<parameters>(given)...);
    return hb_device_check_launch(device, name);
  }
#endif
  const enum hb_status status =
      hb_launch(device, name, kernel, blocks, threads, shared_bytes, given...);
  (void)hb_device_may_overlap(device, true);
  return status;
}

#endif
