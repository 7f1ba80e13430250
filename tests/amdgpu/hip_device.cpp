/* SPDX-License-Identifier: BSD-3-Clause
 * HIP runtime: devices, their properties, versions, error texts. */
#include <cstdio>
#include <cstring>

#include "tests/amdgpu/hip_state.h"

using namespace hipshim;

namespace {
enum { FIRST_BUS = 0x11 };

hipError_t check_device(int device) {
  if (state().num_devices == 0) return hipErrorNoDevice;
  return device >= 0 && device < state().num_devices ? hipSuccess : hipErrorInvalidDevice;
}

struct ErrorText {
  hipError_t error;
  const char *name, *text;
};
const ErrorText error_texts[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration",
     "invalid configuration argument"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {hipErrorMissingConfiguration, "hipErrorMissingConfiguration",
     "__global__ function call is not configured"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu",
     "no kernel image is available for execution on the device"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorHostMemoryAlreadyRegistered, "hipErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {hipErrorHostMemoryNotRegistered, "hipErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
};
const ErrorText *find_text(hipError_t error) {
  for (auto &t : error_texts)
    if (t.error == error) return &t;
  return nullptr;
}
} /* namespace */

extern "C" {
hipError_t hipInit(unsigned) { return result(state().num_devices ? hipSuccess : hipErrorNoDevice); }
hipError_t hipGetDeviceCount(int *count) {
  *count = state().num_devices;
  return result(*count ? hipSuccess : hipErrorNoDevice);
}
hipError_t hipSetDevice(int device) {
  if (hipError_t error = check_device(device)) return result(error);
  current_device = device;
  return result(hipSuccess);
}
hipError_t hipGetDevice(int *device) {
  if (hipError_t error = check_device(current_device)) return result(error);
  *device = current_device;
  return result(hipSuccess);
}
hipError_t hipDeviceSynchronize() { return result(check_device(current_device)); }
hipError_t hipDeviceReset() { return result(check_device(current_device)); }
hipError_t hipSetDeviceFlags(unsigned) { return result(hipSuccess); }
hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
  if (hipError_t error = check_device(device)) return result(error);
  if (hipError_t error = check_device(peer)) return result(error);
  *can = device != peer;
  return result(hipSuccess);
}
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned) { return result(check_device(peer)); }

hipError_t hipDeviceGetPCIBusId(char *text, int length, int device) {
  if (hipError_t error = check_device(device)) return result(error);
  if (!text || length <= 0) return result(hipErrorInvalidValue);
  snprintf(text, (size_t)length, "%04x:%02x:%02x.0", 0, FIRST_BUS + device, 0);
  return result(hipSuccess);
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t *p, int device) {
  Lock lock(state().lock);
  if (hipError_t error = check_device(device)) return result(error);
  const DeviceModel &m = model();
  memset((void *)p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s (interpreted)", m.name);
  snprintf(p->gcnArchName, sizeof p->gcnArchName, "%s:sramecc+:xnack-", m.arch);
  p->totalGlobalMem = device_memory();
  p->sharedMemPerBlock = p->maxSharedMemoryPerMultiProcessor = 65536;
  p->regsPerBlock = 65536;
  p->warpSize = 64;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsPerMultiProcessor = strcmp(m.arch, "gfx908") == 0 ? 2560 : 2048;
  for (int &n : p->maxThreadsDim) n = 1024;
  for (int &n : p->maxGridSize) n = 2147483647;
  p->clockRate = m.clock_khz;
  p->memoryClockRate = m.memory_clock_khz;
  p->memoryBusWidth = m.bus_bits;
  p->totalConstMem = 2147483647;
  p->major = 9;
  p->minor = m.minor;
  p->multiProcessorCount = m.compute_units;
  p->l2CacheSize = m.l2_bytes;
  p->concurrentKernels = p->canMapHostMemory = p->managedMemory = 1;
  p->pciBusID = FIRST_BUS + device;
  return result(hipSuccess);
}
#if HIP_VERSION_MAJOR < 6
/* The name under which programs that were built with HIP 6 call it, with another structure. */
hipError_t hipGetDevicePropertiesR0600(void *, int) {
  fprintf(stderr,
          "isarun: the program was built with HIP 6 headers, this runtime with HIP %d: "
          "build both with the same\n",
          HIP_VERSION_MAJOR);
  return result(hipErrorNotSupported);
}
#endif

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
  hipDeviceProp_t p;
  if (hipError_t error = hipGetDeviceProperties(&p, device)) return error;
  switch (attribute) {
  case hipDeviceAttributeWarpSize: *value = p.warpSize; break;
  case hipDeviceAttributeMaxThreadsPerBlock:
  case hipDeviceAttributeMaxBlockDimX:
  case hipDeviceAttributeMaxBlockDimY:
  case hipDeviceAttributeMaxBlockDimZ: *value = p.maxThreadsPerBlock; break;
  case hipDeviceAttributeMaxGridDimX:
  case hipDeviceAttributeMaxGridDimY:
  case hipDeviceAttributeMaxGridDimZ: *value = p.maxGridSize[0]; break;
  case hipDeviceAttributeMaxSharedMemoryPerBlock:
  case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor: *value = 65536; break;
  case hipDeviceAttributeMaxRegistersPerBlock: *value = p.regsPerBlock; break;
  case hipDeviceAttributeMultiprocessorCount: *value = p.multiProcessorCount; break;
  case hipDeviceAttributeMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
  case hipDeviceAttributeClockRate: *value = p.clockRate; break;
  case hipDeviceAttributeMemoryClockRate: *value = p.memoryClockRate; break;
  case hipDeviceAttributeMemoryBusWidth: *value = p.memoryBusWidth; break;
  case hipDeviceAttributeL2CacheSize: *value = p.l2CacheSize; break;
  case hipDeviceAttributeComputeCapabilityMajor: *value = p.major; break;
  case hipDeviceAttributeComputeCapabilityMinor: *value = p.minor; break;
  case hipDeviceAttributePciBusId: *value = p.pciBusID; break;
  case hipDeviceAttributePciDeviceId: *value = p.pciDeviceID; break;
  case hipDeviceAttributeManagedMemory:
  case hipDeviceAttributeConcurrentKernels:
  case hipDeviceAttributeCanMapHostMemory: *value = 1; break;
  default: *value = 0; return result(hipErrorInvalidValue);
  }
  return result(hipSuccess);
}

hipError_t hipDriverGetVersion(int *version) {
  *version = HIP_VERSION;
  return result(hipSuccess);
}
hipError_t hipRuntimeGetVersion(int *version) {
  *version = HIP_VERSION;
  return result(hipSuccess);
}

hipError_t hipGetLastError() {
  const hipError_t error = last_error;
  last_error = hipSuccess;
  return error;
}
hipError_t hipPeekAtLastError() { return last_error; }
const char *hipGetErrorName(hipError_t error) {
  const ErrorText *t = find_text(error);
  return t ? t->name : "hipErrorUnknown";
}
const char *hipGetErrorString(hipError_t error) {
  const ErrorText *t = find_text(error);
  return t ? t->text : "unknown error";
}
}
