/* SPDX-License-Identifier: BSD-3-Clause
 * Interface of the interpreter: executes AMD GPU machine code, wave by wave, on the CPU.
 *
 * A Module holds the code objects of one architecture (gfx908, gfx90a, gfx942), a Device holds
 * memory, options and statistics, Device::launch runs a kernel to its end on the calling thread.
 * Device addresses are host addresses: map() a host buffer, or alloc() one, and pass the pointer.
 *
 * Every failure throws Error, whose text names the kernel, the workgroup, the wave and the
 * instruction where there is one: unknown instruction, access outside every buffer, unwritten LDS
 * that is read, LDS race, missing wait, wrong argument, ...
 * Nothing here is thread-safe: one thread at a time per Device and Module. */
#ifndef HB_TESTS_AMDGPU_ISARUN_H
#define HB_TESTS_AMDGPU_ISARUN_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace isarun {

struct Dim3 {
  uint32_t x, y, z;
  Dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
};

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Check { off, warn, error };
enum class Order { ascending, descending, random };

struct Options {
  Check uninit_lds = Check::error;    /* LDS bytes read before written */
  Check lds_race = Check::error;      /* two waves touch an LDS dword between two barriers, one of
                                         them writing */
  Check misaligned_lds = Check::warn; /* b64, b96, b128 LDS access not aligned to its size */
  Check waits = Check::error;         /* something in flight is touched before its s_waitcnt */
  Order order = Order::ascending;     /* of the waves inside a workgroup */
  bool reverse_groups = false;        /* run the workgroups last to first */
  uint32_t quantum = 0; /* instructions a wave runs before the next; 0: to a barrier */
  uint64_t seed = 1;    /* of the random order */
  uint64_t max_insts = 4000000000ull; /* per wave, guards against endless loops */
  bool bank_model = false;            /* count LDS service cycles (32 banks) */
  bool trace = false;                 /* print every instruction of workgroup 0, wave 0 */
};

/* Sets the option that NAME names ("race", "uninit_lds", "align", "waits", "order", "quantum",
 * "reverse_groups", "banks") from its text; false: no such name, or not a value of it. */
bool set_option(Options &options, const std::string &name, const std::string &value);

struct Stats {
  uint64_t workgroups = 0, waves = 0, insts = 0;
  std::map<std::string, uint64_t> count; /* wave instructions executed per mnemonic */
  uint64_t uninit_lds = 0, lds_race = 0, misaligned_lds = 0, waits = 0; /* warnings */
  std::string first_warning;
  uint64_t global_load_bytes = 0, global_store_bytes = 0; /* active lanes times access size */
  uint64_t lds_read_cycles = 0, lds_write_cycles = 0;     /* only with bank_model */
  uint64_t most_in_flight = 0,
           full = 0;  /* vector memory of a wave, and how often the counter was */
  double seconds = 0; /* of the interpreter, not of a GPU */
  /* Of count over the mnemonics that begin with prefix. */
  uint64_t sum(const std::string &prefix) const;
  void add(const Stats &);
  std::string text() const;
};

struct Arg {
  std::string name, kind;
  uint32_t offset = 0, size = 0;
};

struct ModuleImpl;
struct Kernel {
  std::string name;                           /* as in the symbol table */
  std::string demangled;                      /* up to the parameter list */
  std::vector<Arg> args;                      /* explicit ones first, hidden_* after */
  uint32_t lds = 0, scratch = 0, kernarg = 0; /* bytes: a workgroup, a lane, the arguments */
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;   /* of the kernel descriptor */
  uint16_t props = 0, preload = 0;
  uint64_t entry = 0; /* address in the code object */
  /* From the metadata; vgprs counts the accumulation registers in where they share one file. */
  uint32_t vgprs = 0, agprs = 0, sgprs = 0, vgpr_spills = 0, sgpr_spills = 0, max_workgroup = 0;
  ModuleImpl *mod = nullptr; /* borrowed */
  size_t explicit_args() const;
  uint32_t max_threads() const {
    return max_workgroup && max_workgroup < 1024 ? max_workgroup : 1024;
  }
};

/* Workgroups of `threads` lanes that a compute unit of the kernel's architecture holds at once, by
 * vector registers, LDS and wave slots; 0 if none fits. */
uint32_t blocks_per_compute_unit(const Kernel &kernel, uint32_t threads, size_t dynamic_lds);

/* Architectures of the code objects in an image (see Module), each once, in order. */
std::vector<std::string> architectures(const void *image, size_t bytes);

class Module {
public:
  /* A code object, an offload bundle, or a host object or executable that holds one.
   * arch: which of them; may be empty when only one is present. */
  explicit Module(const std::string &path, const std::string &arch = "");
  Module(const void *image, size_t bytes, const std::string &arch = "");
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  /* By exact symbol, demangled name, or a part of either that fits one kernel only. */
  const Kernel &kernel(const std::string &name) const;
  std::vector<const Kernel *> kernels() const;
  /* Address of a __device__ or __constant__ variable. */
  void *symbol(const std::string &name, size_t *bytes = nullptr) const;
  const std::string &arch() const;
  /* Instructions of the whole code object that the interpreter does not know, with the first
   * address of each; and how often each mnemonic stands in it. */
  std::map<std::string, uint64_t> unknown() const;
  std::map<std::string, uint64_t> static_count() const;
  std::unique_ptr<ModuleImpl> impl; /* owned */
};

class Device {
public:
  Options opt;
  Stats total; /* over all launches */
  Device();
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  /* A borrowed buffer that kernels may touch until unmap(p). */
  void map(const void *p, size_t bytes, const std::string &name = "", bool writable = true);
  void unmap(const void *p);
  /* A buffer of the device's own, filled with garbage, unmapped space around it; freed by release
   * or with the Device.  Throws std::bad_alloc when the host has no such memory. */
  void *alloc(size_t bytes, const std::string &name = "");
  void release(void *p);
  bool mapped(const void *p, size_t bytes) const;
  /* Maps a module's code and variables until the Device ends (a launch maps them for itself). */
  void attach(const Module &m);

  /* kernarg: bytes of the explicit arguments, laid out as the metadata says; the hidden ones are
   * filled in.  Grids are in workgroups. */
  Stats launch_raw(const Kernel &k, Dim3 grid, Dim3 block, size_t dynamic_lds, const void *kernarg,
                   size_t bytes);
  /* args: a pointer to its value for each explicit argument, as hipLaunchKernel takes them. */
  Stats launch_ptrs(const Kernel &k, Dim3 grid, Dim3 block, size_t dynamic_lds, void **args);
  /* Argument values; their number and sizes are checked. */
  template <class... A>
  Stats launch(const Kernel &k, Dim3 grid, Dim3 block, size_t dynamic_lds, const A &...a) {
    const void *p[] = {static_cast<const void *>(&a)..., nullptr};
    const size_t n[] = {sizeof(A)..., 0};
    return launch_sized(k, grid, block, dynamic_lds, p, n, sizeof...(A));
  }
  Stats launch_sized(const Kernel &k, Dim3 grid, Dim3 block, size_t dynamic_lds, const void **p,
                     const size_t *n, size_t count);

  struct Impl;
  std::unique_ptr<Impl> impl; /* owned */
};

} /* namespace isarun */
#endif
