/* SPDX-License-Identifier: BSD-3-Clause
 * Start and end of the HIP runtime: environment, statistics, images, kernels by host pointer. */
#include "tests/amdgpu/hip_state.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace isarun;

namespace hipshim {
thread_local int current_device;
thread_local hipError_t last_error;
thread_local std::vector<LaunchConfiguration> configurations;

namespace {
const DeviceModel models[] = {
    {"gfx90a", "AMD Instinct MI250X", 110, 1700000, 1600000, 4096, 8 << 20, 0, (size_t)64 << 30},
    {"gfx942", "AMD Instinct MI300X", 304, 2100000, 1300000, 8192, 4 << 20, 4, (size_t)192 << 30},
    {"gfx908", "AMD Instinct MI100", 120, 1502000, 1200000, 4096, 8 << 20, 0, (size_t)32 << 30},
};

std::string environment(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

uint64_t number(const char *name, uint64_t otherwise) {
  const std::string value = environment(name);
  if (value.empty()) return otherwise;
  char *end;
  const uint64_t x = strtoull(value.c_str(), &end, 0);
  if (*end || value[0] == '-') die(std::string(name) + "=" + value + " is no number");
  return x;
}

void at_exit() {
  State &s = state();
  const std::string &warning = s.device.total.first_warning;
  if (!warning.empty()) fprintf(stderr, "isarun: warning: %s\n", warning.c_str());
  if (s.print_stats == 0) return;
  for (auto &k : s.per_kernel) {
    fprintf(stderr, "isarun: %s: %llu launches\n%s", k.first.c_str(),
            (unsigned long long)k.second.launches, k.second.stats.text().c_str());
    if (s.print_stats == 1) continue;
    fprintf(stderr, "largest workgroup: %llu threads, %llu bytes of LDS\n",
            (unsigned long long)k.second.threads, (unsigned long long)k.second.lds);
    for (auto &c : k.second.stats.count)
      fprintf(stderr, "  %llu %s\n", (unsigned long long)c.second, c.first.c_str());
  }
  if (!s.allocations.empty())
    fprintf(stderr, "isarun: %zu allocations were not freed\n", s.allocations.size());
}
} /* namespace */

State::State() {
  const char *const options[][2] = {
      {"ISARUN_RACE", "race"},   {"ISARUN_UNINIT_LDS", "uninit_lds"},
      {"ISARUN_ALIGN", "align"}, {"ISARUN_WAITS", "waits"},
      {"ISARUN_ORDER", "order"}, {"ISARUN_QUANTUM", "quantum"},
      {"ISARUN_BANKS", "banks"}, {"ISARUN_REVERSE_GROUPS", "reverse_groups"}};
  for (auto &o : options) {
    const std::string value = environment(o[0]);
    if (!value.empty() && !set_option(device.opt, o[1], value))
      die(std::string(o[0]) + "=" + value + " is not understood");
  }
  asked_arch = environment("ISARUN_ARCH");
  if (!asked_arch.empty() &&
      std::none_of(std::begin(models), std::end(models),
                   [&](const DeviceModel &m) { return asked_arch == m.arch; }))
    die("ISARUN_ARCH=" + asked_arch + " is not gfx908, gfx90a or gfx942");
  const std::string errors = environment("ISARUN_ERRORS");
  if (!errors.empty() && errors != "rocm6" && errors != "rocm7")
    die("ISARUN_ERRORS=" + errors + " is not rocm6 or rocm7");
  success_clears = errors == "rocm6";
  num_devices = (int)std::min<uint64_t>(number("ISARUN_DEVICES", 1), 64);
  memory_limit = number("ISARUN_MEMORY_BYTES", 0);
  print_stats = number("ISARUN_STATS", 0);
  used.assign((size_t)num_devices, 0);
}

/* Never destroyed: programs call the runtime from their own destructors. */
State &state() {
  static State *const s = [] {
    State *fresh = new State;
    atexit(at_exit);
    return fresh;
  }();
  return *s;
}

hipError_t result(hipError_t error) {
  if (state().success_clears || (error != hipSuccess && error != hipErrorNotReady))
    last_error = error;
  return error;
}

void die(const std::string &message) {
  fprintf(stderr, "isarun: %s\n", message.c_str());
  fflush(stderr);
  abort();
}

std::string architecture() {
  State &s = state();
  if (!s.asked_arch.empty()) return s.asked_arch;
  for (auto &m : models)
    for (auto &image : s.images) {
      const std::vector<std::string> found =
          architectures(image->bytes.data(), image->bytes.size());
      if (std::find(found.begin(), found.end(), m.arch) != found.end()) {
        s.asked_arch = m.arch;
        return m.arch;
      }
    }
  return models[0].arch;
}

const DeviceModel &model() {
  const std::string arch = architecture();
  for (auto &m : models)
    if (arch == m.arch) return m;
  return models[0];
}

size_t device_memory() {
  return state().memory_limit ? state().memory_limit : model().memory_bytes;
}

hipError_t open_image(Image &image) {
  if (image.module) return hipSuccess;
  const std::string arch = architecture();
  const std::vector<std::string> found = architectures(image.bytes.data(), image.bytes.size());
  if (std::find(found.begin(), found.end(), arch) == found.end()) return hipErrorNoBinaryForGpu;
  image.module.reset(new Module(image.bytes.data(), image.bytes.size(), arch));
  state().device.attach(*image.module);
  return hipSuccess;
}

hipError_t find_kernel(const void *function, const Kernel **kernel) {
  State &s = state();
  auto found = s.functions.find(function);
  if (found == s.functions.end()) return hipErrorInvalidDeviceFunction;
  Function &f = found->second;
  try {
    if (!f.kernel) {
      if (hipError_t error = open_image(*f.image)) return error;
      f.kernel = &f.image->module->kernel(f.name);
    }
  } catch (const Error &e) {
    die(e.what());
  }
  *kernel = f.kernel;
  return hipSuccess;
}
} /* namespace hipshim */
