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
  (void)hipGetLastError();
  kernel<<<grid, block, shared_bytes, stream>>>(given...);
  return hb_device_check_launch(device, name);
}

#endif
