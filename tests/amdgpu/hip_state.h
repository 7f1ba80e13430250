/* SPDX-License-Identifier: BSD-3-Clause
 * State of the HIP runtime whose devices are the interpreter, shared by its hip_*.cpp files.
 *
 * All devices share one memory, as the process does; each has its own limit.  Streams are in order
 * and everything has happened when a call returns.  Functions of the runtime return the error and
 * keep it for hipGetLastError, by the rules of ROCm 7, where a later success leaves it, or of ROCm
 * 6, where it takes its place; a fault of a kernel ends the process, as on a device. */
#ifndef HB_TESTS_AMDGPU_HIP_STATE_H
#define HB_TESTS_AMDGPU_HIP_STATE_H

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#include <hip/hip_runtime_api.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <set>

#include "tests/amdgpu/isarun.h"

namespace hipshim {
/* What the real devices report. */
struct DeviceModel {
  const char *arch, *name;
  int compute_units, clock_khz, memory_clock_khz, bus_bits, l2_bytes, minor;
  size_t memory_bytes;
};

/* One image that a program carries; its code is read when it is first needed. */
struct Image {
  std::string bytes;
  std::unique_ptr<isarun::Module> module; /* null until then */
};
struct Function {
  Image *image; /* borrowed */
  std::string name;
  const isarun::Kernel *kernel; /* borrowed, null until first use */
};
struct Variable {
  Image *image; /* borrowed */
  std::string name;
};
struct Event {
  std::chrono::steady_clock::time_point time;
  bool recorded = false, timed = true;
};
struct Allocation {
  size_t bytes;
  int device; /* -1: host memory */
};
struct LaunchConfiguration {
  dim3 grid, block;
  size_t lds;
  hipStream_t stream;
};
struct KernelStats {
  isarun::Stats stats;
  uint64_t launches = 0, threads = 0, lds = 0; /* of the largest workgroup, the last two */
};

/* What was recorded of a stream, in order. */
typedef std::vector<std::function<hipError_t()>> Work;

struct State {
  std::recursive_mutex lock;
  isarun::Device device;
  int num_devices = 1;
  size_t memory_limit = 0;     /* of each device; 0: that of the model */
  bool success_clears = false; /* ISARUN_ERRORS=rocm6: the error of the last call is kept */
  uint64_t print_stats = 0;    /* 1: a table per kernel; more: with the count of every mnemonic */
  std::string asked_arch;      /* by ISARUN_ARCH */
  std::vector<std::unique_ptr<Image>> images;
  std::map<const void *, Function> functions;
  std::map<const void *, Variable> variables;
  std::map<const void *, Allocation> allocations;
  std::vector<size_t> used; /* bytes, per device */
  std::set<const void *> streams, events;
  std::map<const void *, std::unique_ptr<Work>> recordings; /* of streams that are recorded */
  std::map<const void *, std::unique_ptr<Work>> graphs;     /* what hipGraph_t and Exec stand for */
  std::map<std::string, KernelStats> per_kernel;
  State(); /* from the environment; a value that is not understood ends the process */
};
State &state();
using Lock = std::lock_guard<std::recursive_mutex>;

/* Per host thread, as in HIP. */
extern thread_local int current_device;
extern thread_local hipError_t last_error;
extern thread_local std::vector<LaunchConfiguration> configurations;

/* Keeps an error, or by the older rules a success, for hipGetLastError and hands it on. */
hipError_t result(hipError_t error);
/* Prints one paragraph to standard error and aborts. */
[[noreturn]] void die(const std::string &message);

/* Does the work now, or, if the stream is being recorded, keeps it. */
hipError_t enqueue(hipStream_t stream, const std::function<hipError_t()> &work);

/* Of an allocation that is about to be freed: it is no longer shared with other processes. */
void forget_shared(const void *p);

/* Architecture of the devices: the asked one, else the first in the program that is known. */
std::string architecture();
const DeviceModel &model();
size_t device_memory();

/* Sets the module of the image for the devices' architecture; hipErrorNoBinaryForGpu if there is
 * none in it. */
hipError_t open_image(Image &image);
/* A registered kernel; hipErrorInvalidDeviceFunction if it is none. */
hipError_t find_kernel(const void *function, const isarun::Kernel **kernel);
} /* namespace hipshim */
#endif
