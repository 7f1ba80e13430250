/* SPDX-License-Identifier: BSD-3-Clause
 * HIP runtime: memory, copies, fills. */
#include <cstdio>
#include <cstring>
#include <new>

#include "tests/amdgpu/hip_state.h"

using namespace isarun;
using namespace hipshim;

namespace {
/* device -1: host memory that the device reaches, which has no limit. */
hipError_t allocate(void **p, size_t n, const char *what, int device) {
  State &s = state();
  Lock lock(s.lock);
  static unsigned count;
  *p = nullptr;
  if (s.num_devices == 0) return hipErrorNoDevice;
  if (n == 0) return hipSuccess;
  if (device >= 0 && n > device_memory() - s.used[(size_t)device]) return hipErrorOutOfMemory;
  try {
    *p = s.device.alloc(n, std::string(what) + " " + std::to_string(count++) + " (" +
                               std::to_string(n) + " bytes)");
  } catch (const std::bad_alloc &) {
    return hipErrorOutOfMemory;
  }
  s.allocations[*p] = {n, device};
  if (device >= 0) s.used[(size_t)device] += n;
  return hipSuccess;
}

hipError_t release(void *p, bool host) {
  State &s = state();
  Lock lock(s.lock);
  if (!p) return hipSuccess;
  auto found = s.allocations.find(p);
  if (found == s.allocations.end()) return hipErrorInvalidValue;
  const Allocation a = found->second;
  if (host != (a.device < 0)) return hipErrorInvalidValue;
  if (!host) s.used[(size_t)a.device] -= a.bytes;
  s.allocations.erase(found);
  forget_shared(p);
  s.device.release(p);
  return hipSuccess;
}

/* True: the bytes lie in memory of the device; else says so. */
bool on_device(const char *call, const char *which, const void *p, size_t n) {
  if (state().device.mapped(p, n)) return true;
  fprintf(stderr, "isarun: %s: the %s is no device memory of %zu bytes\n", call, which, n);
  return false;
}

hipError_t copy(void *target, const void *source, size_t n, hipMemcpyKind kind) {
  Lock lock(state().lock);
  if (n == 0) return hipSuccess;
  if (state().num_devices == 0) return hipErrorNoDevice;
  const bool from = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
  const bool to = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
  if (to && !on_device("hipMemcpy", "destination", target, n)) return hipErrorInvalidValue;
  if (from && !on_device("hipMemcpy", "source", source, n)) return hipErrorInvalidValue;
  memmove(target, source, n);
  return hipSuccess;
}

hipError_t fill(void *p, int value, size_t n) {
  Lock lock(state().lock);
  if (n == 0) return hipSuccess;
  if (state().num_devices == 0) return hipErrorNoDevice;
  if (!on_device("hipMemset", "destination", p, n)) return hipErrorInvalidValue;
  memset(p, value, n);
  return hipSuccess;
}
} /* namespace */

extern "C" {
hipError_t hipMalloc(void **p, size_t n) {
  return result(allocate(p, n, "hipMalloc", current_device));
}
hipError_t hipMallocAsync(void **p, size_t n, hipStream_t) { return hipMalloc(p, n); }
hipError_t hipMallocManaged(void **p, size_t n, unsigned) {
  return result(allocate(p, n, "hipMallocManaged", current_device));
}
hipError_t hipHostMalloc(void **p, size_t n, unsigned) {
  return result(allocate(p, n, "hipHostMalloc", -1));
}
hipError_t hipFree(void *p) { return result(release(p, false)); }
hipError_t hipFreeAsync(void *p, hipStream_t) { return result(release(p, false)); }
hipError_t hipHostFree(void *p) { return result(release(p, true)); }
hipError_t hipHostRegister(void *p, size_t n, unsigned) {
  Lock lock(state().lock);
  try {
    state().device.map(p, n, "hipHostRegister");
  } catch (const Error &) {
    return result(hipErrorHostMemoryAlreadyRegistered);
  }
  return result(hipSuccess);
}
hipError_t hipHostUnregister(void *p) {
  Lock lock(state().lock);
  try {
    if (state().allocations.count(p)) return result(hipErrorHostMemoryNotRegistered);
    state().device.unmap(p);
  } catch (const Error &) {
    return result(hipErrorHostMemoryNotRegistered);
  }
  return result(hipSuccess);
}
hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned) {
  *device = host;
  return result(hipSuccess);
}

hipError_t hipMemcpy(void *target, const void *source, size_t n, hipMemcpyKind kind) {
  return result(copy(target, source, n, kind));
}
hipError_t hipMemcpyAsync(void *target, const void *source, size_t n, hipMemcpyKind kind,
                          hipStream_t stream) {
  return result(enqueue(stream, [=]() { return copy(target, source, n, kind); }));
}
hipError_t hipMemcpyWithStream(void *target, const void *source, size_t n, hipMemcpyKind kind,
                               hipStream_t) {
  return result(copy(target, source, n, kind));
}
hipError_t hipMemcpyPeer(void *target, int, const void *source, int, size_t n) {
  return result(copy(target, source, n, hipMemcpyDeviceToDevice));
}
hipError_t hipMemcpy2D(void *target, size_t target_pitch, const void *source, size_t source_pitch,
                       size_t width, size_t height, hipMemcpyKind kind) {
  for (size_t i = 0; i < height; i++) {
    const hipError_t error = copy((char *)target + i * target_pitch,
                                  (const char *)source + i * source_pitch, width, kind);
    if (error) return result(error);
  }
  return result(hipSuccess);
}
hipError_t hipMemset(void *p, int value, size_t n) { return result(fill(p, value, n)); }
hipError_t hipMemsetAsync(void *p, int value, size_t n, hipStream_t stream) {
  return result(enqueue(stream, [=]() { return fill(p, value, n); }));
}

hipError_t hipMemGetInfo(size_t *available, size_t *total) {
  Lock lock(state().lock);
  if (state().num_devices == 0) return result(hipErrorNoDevice);
  if (available) *available = device_memory() - state().used[(size_t)current_device];
  if (total) *total = device_memory();
  return result(hipSuccess);
}

/* For the allocation that p lies in; hipErrorInvalidValue for memory that HIP does not know. */
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *a, const void *p) {
  State &s = state();
  Lock lock(s.lock);
  memset((void *)a, 0, sizeof *a);
  auto after = s.allocations.upper_bound(p);
  if (after == s.allocations.begin()) return result(hipErrorInvalidValue);
  --after;
  const Allocation &found = after->second;
  if ((const char *)p >= (const char *)after->first + found.bytes)
    return result(hipErrorInvalidValue);
  const bool host = found.device < 0;
#if HIP_VERSION_MAJOR >= 6
  a->type = host ? hipMemoryTypeHost : hipMemoryTypeDevice;
#else
  a->memoryType = host ? hipMemoryTypeHost : hipMemoryTypeDevice;
#endif
  a->device = host ? 0 : found.device;
  a->devicePointer = const_cast<void *>(p);
  a->hostPointer = host ? const_cast<void *>(p) : nullptr;
  return result(hipSuccess);
}
}
