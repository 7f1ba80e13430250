/* SPDX-License-Identifier: BSD-3-Clause
 * peer.h on HIP: AMD's own, or its names on the CUDA runtime. */
#include "kernels/peer.h"

#include <cstring>

#include "kernels/launch.h"

enum { THREADS = 256, MOST_BLOCKS = 4096 };

static_assert(sizeof(hipIpcMemHandle_t) == HB_PEER_HANDLE_BYTES, "a handle fits as it is");

/* Read past the caches that may hold what was there before: the memory is another process's. */
template <typename real>
__global__ void __launch_bounds__(THREADS)
    hb_read_peers(const struct hb_peer_parts parts, real *d_to) {
  const hb_global total = parts.start[parts.count];
  const hb_global step = static_cast<hb_global>(gridDim.x) * THREADS;
  int q = 0;
  for (hb_global i = static_cast<hb_global>(blockIdx.x) * THREADS + threadIdx.x; i < total;
       i += step) {
    while (i >= parts.start[q + 1]) q++;
    d_to[i] = static_cast<const volatile real *>(parts.d_from[q])[i - parts.start[q]];
  }
}

template <typename real>
static enum hb_status read_peers(struct hb_device *device, const struct hb_peer_parts *parts,
                                 void *d_to) {
  const hipStream_t stream = static_cast<hipStream_t>(hb_device_stream(device, HB_STREAM_COPY));
  const hb_local tiles = (parts->start[parts->count] - 1) / THREADS + 1;
  const dim3 grid(static_cast<unsigned>(tiles < MOST_BLOCKS ? tiles : MOST_BLOCKS));
  (void)hipGetLastError(); /* of others */
  hb_read_peers<real><<<grid, dim3(THREADS), 0, stream>>>(*parts, static_cast<real *>(d_to));
  return hb_device_check_launch(device, "hb_read_peers");
}

static enum hb_status check(hipError_t error, const char *call, int line) {
  if (error == hipSuccess) return HB_OK;
  (void)hipGetLastError();
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, line, "%s: %s: %s", call,
                         hipGetErrorName(error), hipGetErrorString(error));
}

enum hb_status hb_peer_export(struct hb_device *, void *d_pointer, struct hb_peer_handle *handle) {
  hipIpcMemHandle_t made;
  memset(&made, 0, sizeof made);
  const enum hb_status status =
      check(hipIpcGetMemHandle(&made, d_pointer), "handle of a device's memory", __LINE__);
  memcpy(handle->bytes, &made, sizeof made);
  return status;
}

enum hb_status hb_peer_open(struct hb_device *, const struct hb_peer_handle *handle,
                            void **d_pointer) {
  hipIpcMemHandle_t given;
  memcpy(&given, handle->bytes, sizeof given);
  *d_pointer = NULL;
  return check(hipIpcOpenMemHandle(d_pointer, given, hipIpcMemLazyEnablePeerAccess),
               "opening another process's device memory", __LINE__);
}

void hb_peer_close(struct hb_device *, void *d_pointer) {
  if (d_pointer == NULL) return;
  const hipError_t error = hipIpcCloseMemHandle(d_pointer);
  if (error == hipSuccess) return;
  (void)hipGetLastError();
  hb_error_remark(__FILE__, __LINE__, "closing another process's device memory: %s: %s",
                  hipGetErrorName(error), hipGetErrorString(error));
}

enum hb_status hb_peer_gather(struct hb_device *device, size_t size,
                              const struct hb_peer_parts *parts, void *d_to) {
  if (parts->start[parts->count] == 0) return HB_OK;
  return size == sizeof(double) ? read_peers<double>(device, parts, d_to)
                                : read_peers<float>(device, parts, d_to);
}
