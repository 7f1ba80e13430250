/* SPDX-License-Identifier: BSD-3-Clause
 * Launches: kernel arguments, the state that waves begin with, the schedule of waves and groups. */
#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>

#include "tests/amdgpu/code_object.h"
#include "tests/amdgpu/wave.h"

namespace isarun {
namespace {
enum { MAX_THREADS = 1024, MAX_LDS = 65536, DYNAMIC_STACK = 16384 };
/* Bits of Kernel::props: what stands in the first scalar registers, in this order. */
enum Property {
  PRIVATE_BUFFER = 1,
  DISPATCH_POINTER = 2,
  QUEUE_POINTER = 4,
  KERNARG_POINTER = 8,
  DISPATCH_ID = 16,
  FLAT_SCRATCH = 32,
  PRIVATE_SIZE = 64,
  DYNAMIC_STACK_USED = 1 << 11
};

/* Memory with an alignment inside of a vector. */
struct AlignedBytes {
  std::vector<u8> bytes;
  u8 *p;
  AlignedBytes(size_t n, size_t alignment)
      : bytes(n + alignment, 0),
        p((u8 *)(((u64)bytes.data() + alignment - 1) & ~((u64)alignment - 1))) {}
};

/* Ranges that are mapped for the duration of a launch. */
struct Mappings {
  Device::Impl &device;
  std::vector<u64> mapped;
  explicit Mappings(Device::Impl &d) : device(d) {}
  Mappings(const Mappings &) = delete;
  Mappings &operator=(const Mappings &) = delete;
  ~Mappings() {
    for (u64 lo : mapped) device.remove(lo);
  }
  void add(const void *p, u64 n, bool writable, const char *name) {
    if (!n || device.covers((u64)p, n)) return;
    device.add((u64)p, n, writable, name);
    mapped.push_back((u64)p);
  }
};

class Launch {
public:
  Launch(Device &device, const Kernel &kernel, Dim3 grid, Dim3 block, size_t dynamic_lds,
         const void *kernarg, size_t bytes);
  void run();
  Stats stats;

private:
  const Kernel &k;
  ModuleImpl &m;
  Device &device;
  const Options &opt;
  const Dim3 grid, block;
  const size_t dynamic_lds, lds;
  const u32 threads, num_waves;
  size_t kernarg_bytes;
  AlignedBytes kernarg;
  u64 scratch_per_wave;
  AlignedBytes scratch;
  alignas(64) u8 packet[64] = {}, queue[256] = {};
  Mappings mappings;
  Group group;
  std::mt19937_64 random;
  u32 entry = 0, arch_registers = 0, acc_registers = 0;
  u32 gx = 0, gy = 0, gz = 0;
  Wave *current = nullptr;

  u32 dimensions() const { return grid.z * block.z > 1 ? 3 : grid.y * block.y > 1 ? 2 : 1; }
  void check_shape() const;
  void fill_hidden_arguments();
  void fill_packet();
  void prepare_waves();
  void count_registers();
  void start_wave(Wave &w, u64 group_index);
  void set_work_items(Wave &w);
  void set_scalars(Wave &w, u64 group_index);
  void run_group(u64 group_index);
  std::string where() const;
  void collect();
};

Launch::Launch(Device &d, const Kernel &kernel, Dim3 grid_, Dim3 block_, size_t dynamic,
               const void *args, size_t bytes)
    : k(kernel), m(*kernel.mod), device(d), opt(d.opt), grid(grid_), block(block_),
      dynamic_lds(dynamic), lds(kernel.lds + dynamic), threads(block.x * block.y * block.z),
      num_waves((threads + LANES - 1) / LANES),
      /* compilers may widen the last load */
      kernarg_bytes((std::max<size_t>(kernel.kernarg, 4) + 15) & ~(size_t)15),
      kernarg(kernarg_bytes, 64),
      scratch_per_wave(((u64)((kernel.scratch + 3) & ~3u) +
                        ((kernel.props & DYNAMIC_STACK_USED) ? DYNAMIC_STACK : 0)) *
                       LANES),
      scratch(0, 256), mappings(*d.impl), random(d.opt.seed) {
  check_shape();
  if (bytes > kernarg_bytes)
    fail("%zu bytes of kernel arguments, the kernel takes %zu", bytes, kernarg_bytes);
  if (bytes) memcpy(kernarg.p, args, bytes);
  m.decode(k);
  const int first = m.code.find(k.entry);
  if (first < 0) fail("no instruction at its entry 0x%llx", (ull)k.entry);
  entry = (u32)first;
  scratch = AlignedBytes(scratch_per_wave * num_waves, 256);
  fill_hidden_arguments();
  fill_packet();
  mappings.add(kernarg.p, kernarg_bytes, false, "the kernel arguments");
  mappings.add(packet, sizeof packet, false, "the dispatch packet");
  mappings.add(queue, sizeof queue, false, "the queue descriptor");
  for (auto &s : m.segments)
    mappings.add(m.image + s.lo, s.n, s.writable,
                 s.writable ? "the module's variables" : "the module's code and constants");
  count_registers();
  prepare_waves();
}

void Launch::check_shape() const {
  const u64 count = (u64)block.x * block.y * block.z;
  if (!count || !grid.x || !grid.y || !grid.z) fail("empty grid or block");
  if (count > k.max_threads())
    fail("%llu threads a block, at most %u are allowed", (ull)count, k.max_threads());
  if (lds > MAX_LDS) fail("%zu bytes of LDS, a workgroup can have %d", lds, (int)MAX_LDS);
}

void Launch::fill_hidden_arguments() {
  const std::map<std::string, u64> values = {{"hidden_block_count_x", grid.x},
                                             {"hidden_block_count_y", grid.y},
                                             {"hidden_block_count_z", grid.z},
                                             {"hidden_group_size_x", block.x},
                                             {"hidden_group_size_y", block.y},
                                             {"hidden_group_size_z", block.z},
                                             {"hidden_grid_dims", dimensions()},
                                             {"hidden_dynamic_lds_size", dynamic_lds},
                                             {"hidden_private_base", kPrivateBase >> 32},
                                             {"hidden_shared_base", kSharedBase >> 32}};
  for (const Arg &a : k.args) {
    if (a.kind.compare(0, 7, "hidden_") != 0 || a.offset + a.size > kernarg_bytes) continue;
    auto found = values.find(a.kind);
    const u64 value = found == values.end() ? 0 : found->second;
    memcpy(kernarg.p + a.offset, &value, std::min<size_t>(a.size, sizeof value));
  }
}

void Launch::fill_packet() {
  auto put = [&](int offset, auto value) { memcpy(packet + offset, &value, sizeof value); };
  put(0, (u16)2); /* a kernel dispatch */
  put(2, (u16)dimensions());
  put(4, (u16)block.x);
  put(6, (u16)block.y);
  put(8, (u16)block.z);
  put(12, grid.x * block.x);
  put(16, grid.y * block.y);
  put(20, grid.z * block.z);
  put(24, k.scratch);
  put(28, (u32)lds);
  put(32, (u64)m.image);
  put(40, (u64)kernarg.p);
}

/* What the descriptor allocates; gfx908 has as many accumulation registers in a file of their own.
 */
void Launch::count_registers() {
  if (m.arch == "gfx908") {
    arch_registers = acc_registers = ((k.rsrc1 & 63) + 1) * 4;
    return;
  }
  const u32 all = ((k.rsrc1 & 63) + 1) * 8, first_acc = ((k.rsrc3 & 63) + 1) * 4;
  arch_registers = std::min(all, first_acc);
  acc_registers = all > first_acc ? all - first_acc : 0;
}

void Launch::prepare_waves() {
  auto &pool = device.impl->waves;
  while (pool.size() < num_waves) {
    pool.emplace_back(new Wave);
    memset(pool.back()->v, 0xa5, sizeof pool.back()->v);
  }
  group.dev = &device;
  group.mem = device.impl.get();
  group.code = &m.code;
  group.image = m.image;
  group.stats = &stats;
  group.num_waves = num_waves;
  group.gfx940 = m.arch == "gfx940" || m.arch == "gfx942";
  for (u32 i = 0; i < num_waves; i++) group.waves.push_back(pool[i].get());
}

void Launch::set_work_items(Wave &w) {
  const bool packed = m.arch != "gfx908"; /* x, y, z in one register */
  const u32 components = (k.rsrc2 >> 11 & 3) + 1;
  for (u32 l = 0; l < LANES; l++) {
    const u32 t = w.id * LANES + l;
    const u32 id[3] = {t % block.x, t / block.x % block.y, (t / block.x / block.y) & 1023};
    if (packed)
      w.v[0][l] = id[0] | id[1] << 10 | id[2] << 20;
    else
      for (u32 i = 0; i < components && i < 3; i++) w.v[i][l] = id[i];
  }
}

void Launch::set_scalars(Wave &w, u64 group_index) {
  u32 s = 0;
  auto one = [&](u32 x) { w.s[s++] = x; };
  auto two = [&](u64 x) {
    one((u32)x);
    one((u32)(x >> 32));
  };
  const u64 base = (u64)scratch.p;
  if (k.props & PRIVATE_BUFFER) { /* of the dispatch; the wave adds its offset */
    one((u32)base);
    one((u32)(base >> 32 & 0xffff) | 0x80000000u);
    one(0xffffffffu);
    one(0x00e00000u | 1u << 23);
  }
  if (k.props & DISPATCH_POINTER) two((u64)packet);
  if (k.props & QUEUE_POINTER) two((u64)queue);
  if (k.props & KERNARG_POINTER) two((u64)kernarg.p);
  if (k.props & DISPATCH_ID) two(group_index);
  if (k.props & FLAT_SCRATCH) two(base);
  if (k.props & PRIVATE_SIZE) one(k.scratch);
  /* Preloaded arguments are loaded by the prologue at the entry. */
  const u32 user = k.rsrc2 >> 1 & 31, preloaded = k.preload & 127;
  if (s + preloaded != user && s != user)
    fail("%u user SGPRs in the descriptor, %u are known", user, s + preloaded);
  s = user;
  if (k.rsrc2 >> 7 & 1) one(gx);
  if (k.rsrc2 >> 8 & 1) one(gy);
  if (k.rsrc2 >> 9 & 1) one(gz);
  if (k.rsrc2 >> 10 & 1) one(num_waves);
  if ((k.rsrc2 & 1) && !group.gfx940) one((u32)(scratch_per_wave * w.id));
}

/* Registers hold garbage, not zeros. */
void Launch::start_wave(Wave &w, u64 group_index) {
  memset(w.v, 0xa5, sizeof w.v[0] * arch_registers);
  memset(w.v[FIRST_ACC], 0xa5, sizeof w.v[0] * acc_registers);
  memset(w.s, 0xa5, sizeof w.s);
  memset(w.v_vm, 0, sizeof w.v_vm);
  memset(w.v_lg, 0, sizeof w.v_lg);
  memset(w.s_lg, 0, sizeof w.s_lg);
  w.vm_issued = w.vm_done = w.lg_issued = w.lg_done = w.vm_mixed = w.lg_mixed = 0;
  w.scc = w.gidx = w.dma = false;
  w.state = RUN;
  w.pc = entry;
  w.done = 0;
  w.g = &group;
  w.mode = k.rsrc1 >> 12 & 255;
  if (w.mode & 15) fail("rounding mode %u is not modelled (nearest even only)", w.mode & 15);
  w.ftz32 = (w.mode >> 4 & 3) != 3;
  w.scratch = scratch.p + scratch_per_wave * w.id;
  w.scratch_bytes = scratch_per_wave;
  const u32 active = std::min<u32>(LANES, threads - w.id * LANES);
  w.w64(S_EXEC, active == LANES ? ~0ull : (1ull << active) - 1);
  w.w64(S_VCC, 0);
  w.w64(S_FLAT, (u64)w.scratch);
  set_work_items(w);
  set_scalars(w, group_index);
}

void Launch::run_group(u64 group_index) {
  group.lds.assign(lds, 0xcd);
  group.init.assign(lds, 0);
  group.shadow.assign(lds / 4 + 1, Shadow());
  group.epoch = 1;
  if (scratch_per_wave) memset(scratch.p, 0xb7, scratch_per_wave * num_waves);
  std::vector<Wave *> order = group.waves;
  for (u32 i = 0; i < num_waves; i++) {
    order[i]->id = i;
    start_wave(*order[i], group_index);
  }
  if (opt.order == Order::descending) std::reverse(order.begin(), order.end());
  const u64 budget = opt.quantum ? opt.quantum : opt.max_insts;
  for (u32 alive = num_waves; alive > 0;) {
    if (opt.order == Order::random) std::shuffle(order.begin(), order.end(), random);
    u32 waiting = 0;
    for (Wave *w : order) {
      if (w->state == RUN) {
        current = w;
        run_wave(*w, m.code, budget, opt, opt.trace && group_index == 0 && w->id == 0);
        if (w->state == DONE) alive--;
      }
      if (w->state == BARRIER) waiting++;
    }
    if (alive == 0 || waiting < alive) continue;
    for (Wave *w : order)
      if (w->state == BARRIER) w->state = RUN;
    group.epoch++;
  }
  current = nullptr;
}

/* "axhelm<8>: workgroup (0,0,3) wave 1 at 0x1a3c (+0x3c) `ds_read_b64 v[0:1], v2`: " */
std::string Launch::where() const {
  if (!current) return "";
  char text[160];
  const u32 i = current->pc ? current->pc - 1 : 0;
  const Inst &inst = m.code.inst[i];
  snprintf(text, sizeof text, "workgroup (%u,%u,%u) wave %u at 0x%llx (+0x%llx) `", gx, gy, gz,
           current->id, (ull)inst.addr, (ull)(inst.addr - k.entry));
  return text + m.code.text[i] + "`: ";
}

void Launch::run() {
  std::fill(m.code.executed.begin(), m.code.executed.end(), 0);
  const u64 groups = (u64)grid.x * grid.y * grid.z;
  try {
    for (u64 i = 0; i < groups; i++) {
      const u64 index = opt.reverse_groups ? groups - 1 - i : i;
      gx = (u32)(index % grid.x);
      gy = (u32)(index / grid.x % grid.y);
      gz = (u32)(index / grid.x / grid.y);
      run_group(i);
    }
  } catch (const Error &e) {
    throw Error(where() + e.what());
  }
  stats.workgroups = groups;
  stats.waves = groups * num_waves;
  collect();
}

void Launch::collect() {
  const Code &code = m.code;
  std::vector<u64> per_mnemonic(code.mnemonics.size(), 0);
  for (size_t i = 0; i < code.inst.size(); i++)
    if (code.inst[i].bytes) per_mnemonic[code.inst[i].mnemonic] += code.executed[i];
  for (size_t i = 0; i < per_mnemonic.size(); i++) {
    if (per_mnemonic[i]) stats.count[code.mnemonics[i]] = per_mnemonic[i];
    stats.insts += per_mnemonic[i];
  }
}
} /* namespace */

Stats Device::launch_raw(const Kernel &k, Dim3 grid, Dim3 block, size_t dynamic_lds,
                         const void *kernarg, size_t bytes) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    Launch launch(*this, k, grid, block, dynamic_lds, kernarg, bytes);
    launch.run();
    launch.stats.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    total.add(launch.stats);
    return launch.stats;
  } catch (const Error &e) {
    throw Error(k.demangled + ": " + e.what());
  }
}

Stats Device::launch_sized(const Kernel &k, Dim3 grid, Dim3 block, size_t dynamic_lds,
                           const void **p, const size_t *n, size_t count) {
  const size_t wanted = k.explicit_args();
  const char *name = k.demangled.c_str();
  if (count != wanted) fail("%s takes %zu arguments, %zu given", name, wanted, count);
  std::vector<u8> kernarg(k.kernarg + 8, 0);
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) {
    const Arg &a = k.args[i];
    if (n && n[i] != a.size)
      fail("%s: argument %zu has %u bytes, %zu given", name, i, a.size, n[i]);
    if (a.offset + a.size > kernarg.size())
      fail("%s: argument %zu lies outside the kernel arguments", name, i);
    memcpy(&kernarg[a.offset], p[i], a.size);
    bytes = std::max<size_t>(bytes, a.offset + a.size);
  }
  return launch_raw(k, grid, block, dynamic_lds, kernarg.data(), bytes);
}

Stats Device::launch_ptrs(const Kernel &k, Dim3 grid, Dim3 block, size_t dynamic_lds, void **args) {
  return launch_sized(k, grid, block, dynamic_lds, const_cast<const void **>(args), nullptr,
                      k.explicit_args());
}
} /* namespace isarun */
