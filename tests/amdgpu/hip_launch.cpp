/* SPDX-License-Identifier: BSD-3-Clause
 * HIP runtime: registration of what a program carries, launches, attributes of kernels, modules. */
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/amdgpu/code_object.h"
#include "tests/amdgpu/hip_state.h"

using namespace isarun;
using namespace hipshim;

namespace {
enum { MAX_LDS = 65536, MAX_THREADS = 1024 };

hipError_t check_shape(const Kernel &k, dim3 grid, dim3 block, size_t lds) {
  const uint64_t threads = (uint64_t)block.x * block.y * block.z;
  const bool fits = threads > 0 && threads <= k.max_threads() && grid.x && grid.y && grid.z &&
                    k.lds + lds <= MAX_LDS;
  return fits ? hipSuccess : hipErrorInvalidConfiguration;
}

/* args: a pointer to each argument; or raw: their bytes. */
hipError_t launch(const Kernel &k, dim3 grid, dim3 block, size_t lds, void **args, const void *raw,
                  size_t raw_bytes) {
  State &s = state();
  if (hipError_t error = check_shape(k, grid, block, lds)) return error;
  const Dim3 g(grid.x, grid.y, grid.z), b(block.x, block.y, block.z);
  try {
    KernelStats &total = s.per_kernel[k.demangled];
    total.stats.add(raw ? s.device.launch_raw(k, g, b, lds, raw, raw_bytes)
                        : s.device.launch_ptrs(k, g, b, lds, args));
    total.launches++;
    total.threads = std::max<uint64_t>(total.threads, b.x * b.y * b.z);
    total.lds = std::max<uint64_t>(total.lds, k.lds + lds);
  } catch (const Error &e) {
    die(std::string("kernel fault on the interpreted ") + architecture() + ": " + e.what() +
        ". The process ends here, as it does when a device reports a fault.");
  }
  return hipSuccess;
}

/* The same later, with the arguments as they are now. */
std::function<hipError_t()> kept_launch(const Kernel &k, dim3 grid, dim3 block, size_t lds,
                                        void **args) {
  std::vector<std::string> values;
  for (size_t i = 0; i < k.explicit_args(); i++)
    values.emplace_back((const char *)args[i], k.args[i].size);
  return [&k, grid, block, lds, values]() {
    std::vector<void *> pointers;
    for (const std::string &value : values) pointers.push_back((void *)value.data());
    return launch(k, grid, block, lds, pointers.data(), nullptr, 0);
  };
}

std::unique_ptr<Image> copy_image(const void *p) {
  const size_t bytes = image_size(p);
  if (!bytes) return nullptr;
  std::unique_ptr<Image> image(new Image);
  image->bytes.assign((const char *)p, bytes);
  return image;
}
} /* namespace */

extern "C" {
/* Called by the code that the compiler adds to a program. */
void **__hipRegisterFatBinary(const void *data) {
  struct Wrapper {
    uint32_t magic, version;
    const void *binary;
    void *unused;
  };
  Lock lock(state().lock);
  std::unique_ptr<Image> image = copy_image(((const Wrapper *)data)->binary);
  if (!image) die("a program registers device code that is neither a bundle nor a code object");
  state().images.push_back(std::move(image));
  return (void **)state().images.back().get();
}
void __hipUnregisterFatBinary(void **) {}
void __hipRegisterFunction(void **image, const void *host, char *, const char *name, unsigned,
                           void *, void *, void *, void *, int *) {
  Lock lock(state().lock);
  state().functions[host] = {(Image *)image, name, nullptr};
}
void __hipRegisterVar(void **image, void *host, char *, char *name, int, size_t, int, int) {
  Lock lock(state().lock);
  state().variables[host] = {(Image *)image, name};
}
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds, hipStream_t stream) {
  configurations.push_back({grid, block, lds, stream});
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *lds, hipStream_t *stream) {
  if (configurations.empty()) return result(hipErrorMissingConfiguration);
  const LaunchConfiguration &c = configurations.back();
  *grid = c.grid;
  *block = c.block;
  *lds = c.lds;
  *stream = c.stream;
  configurations.pop_back();
  return hipSuccess;
}

hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t lds,
                           hipStream_t stream) {
  Lock lock(state().lock);
  const Kernel *k = nullptr;
  if (state().num_devices == 0) return result(hipErrorNoDevice);
  if (hipError_t error = find_kernel(function, &k)) return result(error);
  if (hipError_t error = check_shape(*k, grid, block, lds)) return result(error);
  return result(enqueue(stream, kept_launch(*k, grid, block, lds, args)));
}
hipError_t hipExtLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t lds,
                              hipStream_t stream, hipEvent_t start, hipEvent_t stop, int) {
  if (start) (void)hipEventRecord(start, stream);
  const hipError_t error = hipLaunchKernel(function, grid, block, args, lds, stream);
  if (stop) (void)hipEventRecord(stop, stream);
  return error;
}
hipError_t hipLaunchCooperativeKernel(const void *, dim3, dim3, void **, unsigned, hipStream_t) {
  return result(hipErrorNotSupported);
}

/* ---- attributes of kernels */
hipError_t hipFuncGetAttributes(hipFuncAttributes *a, const void *function) {
  Lock lock(state().lock);
  const Kernel *k = nullptr;
  if (hipError_t error = find_kernel(function, &k)) return result(error);
  memset(a, 0, sizeof *a);
  a->sharedSizeBytes = k->lds;
  a->localSizeBytes = k->scratch;
  a->numRegs = (int)k->vgprs;
  a->maxThreadsPerBlock = (int)k->max_threads();
  a->maxDynamicSharedSizeBytes = MAX_LDS - (int)k->lds;
  return result(hipSuccess);
}
hipError_t hipFuncSetAttribute(const void *function, hipFuncAttribute attribute, int value) {
  Lock lock(state().lock);
  const Kernel *k = nullptr;
  if (hipError_t error = find_kernel(function, &k)) return result(error);
  const bool too_large = attribute == hipFuncAttributeMaxDynamicSharedMemorySize &&
                         (value < 0 || k->lds + (size_t)value > MAX_LDS);
  return result(too_large ? hipErrorInvalidValue : hipSuccess);
}
hipError_t hipFuncSetCacheConfig(const void *, hipFuncCache_t) { return result(hipSuccess); }
hipError_t hipFuncSetSharedMemConfig(const void *, hipSharedMemConfig) {
  return result(hipSuccess);
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                        int threads, size_t lds) {
  Lock lock(state().lock);
  const Kernel *k = nullptr;
  if (hipError_t error = find_kernel(function, &k)) return result(error);
  if (threads <= 0) return result(hipErrorInvalidValue);
  *blocks = (int)blocks_per_compute_unit(*k, (uint32_t)threads, lds);
  return result(hipSuccess);
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                 int threads, size_t lds,
                                                                 unsigned) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, lds);
}

/* ---- modules */
hipError_t hipModuleLoadData(hipModule_t *module, const void *data) {
  Lock lock(state().lock);
  std::unique_ptr<Image> image = copy_image(data);
  if (!image) return result(hipErrorInvalidImage);
  try {
    if (hipError_t error = open_image(*image)) return result(error);
  } catch (const Error &e) {
    fprintf(stderr, "isarun: %s\n", e.what());
    return result(hipErrorInvalidImage);
  }
  *module = (hipModule_t)image.get();
  state().images.push_back(std::move(image));
  return result(hipSuccess);
}
hipError_t hipModuleUnload(hipModule_t) { return result(hipSuccess); }
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
  Lock lock(state().lock);
  try {
    *function = (hipFunction_t) & ((Image *)module)->module->kernel(name);
  } catch (const Error &) {
    return result(hipErrorNotFound);
  }
  return result(hipSuccess);
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gx, unsigned gy, unsigned gz,
                                 unsigned bx, unsigned by, unsigned bz, unsigned lds, hipStream_t,
                                 void **args, void **extra) {
  Lock lock(state().lock);
  const Kernel &k = *(const Kernel *)function;
  const dim3 grid(gx, gy, gz), block(bx, by, bz);
  const void *raw = nullptr;
  size_t bytes = 0;
  for (void **e = args ? nullptr : extra; e && *e != HIP_LAUNCH_PARAM_END; e += 2) {
    if (*e == HIP_LAUNCH_PARAM_BUFFER_POINTER) raw = e[1];
    if (*e == HIP_LAUNCH_PARAM_BUFFER_SIZE) bytes = *(size_t *)e[1];
  }
  return result(launch(k, grid, block, lds, args, raw, bytes));
}

/* ---- variables of the device */
hipError_t hipGetSymbolAddress(void **p, const void *symbol) {
  Lock lock(state().lock);
  auto found = state().variables.find(symbol);
  if (found == state().variables.end()) return result(hipErrorInvalidSymbol);
  Image &image = *found->second.image;
  if (hipError_t error = open_image(image)) return result(error);
  *p = image.module->symbol(found->second.name);
  return result(hipSuccess);
}
hipError_t hipGetSymbolSize(size_t *bytes, const void *symbol) {
  Lock lock(state().lock);
  void *p;
  if (hipError_t error = hipGetSymbolAddress(&p, symbol)) return error;
  const Variable &v = state().variables[symbol];
  v.image->module->symbol(v.name, bytes);
  return result(hipSuccess);
}
hipError_t hipMemcpyToSymbol(const void *symbol, const void *source, size_t n, size_t offset,
                             hipMemcpyKind) {
  Lock lock(state().lock);
  size_t bytes;
  void *p;
  if (hipError_t error = hipGetSymbolSize(&bytes, symbol)) return error;
  if (offset > bytes || n > bytes - offset) return result(hipErrorInvalidValue);
  (void)hipGetSymbolAddress(&p, symbol);
  memcpy((char *)p + offset, source, n);
  return result(hipSuccess);
}
hipError_t hipMemcpyFromSymbol(void *target, const void *symbol, size_t n, size_t offset,
                               hipMemcpyKind) {
  Lock lock(state().lock);
  size_t bytes;
  void *p;
  if (hipError_t error = hipGetSymbolSize(&bytes, symbol)) return error;
  if (offset > bytes || n > bytes - offset) return result(hipErrorInvalidValue);
  (void)hipGetSymbolAddress(&p, symbol);
  memcpy(target, (char *)p + offset, n);
  return result(hipSuccess);
}
}
