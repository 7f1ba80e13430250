/* SPDX-License-Identifier: BSD-3-Clause
 * State of a launch: the device's memory map, a workgroup with its LDS, a wave with its registers.
 */
#ifndef HB_TESTS_AMDGPU_WAVE_H
#define HB_TESTS_AMDGPU_WAVE_H

#include <cstdlib>

#include "tests/amdgpu/inst.h"

namespace isarun {
/* Generic addresses from here on are LDS, private memory. */
const u64 kSharedBase = 0x0001000000000000ull, kPrivateBase = 0x0002000000000000ull;

/* Addresses lo <= a < hi that kernels may touch. */
struct Range {
  u64 lo, hi;
  bool writable;
  std::string name;
};

struct Device::Impl {
  std::vector<Range> ranges; /* sorted by lo */
  size_t last = 0;           /* the range that was hit last */
  struct Free {
    void operator()(void *p) const { free(p); }
  };
  std::map<u64, std::unique_ptr<void, Free>> own; /* allocations by address */
  std::vector<std::unique_ptr<Wave>> waves;       /* kept from launch to launch */
  void add(u64 lo, u64 n, bool writable, const std::string &name);
  void remove(u64 lo);
  bool covers(u64 lo, u64 n) const;
};

enum Flight : u8 { LANDED, LDS_WRITE, LDS_LOAD };

/* What is known about one LDS dword.  An epoch is the time between two barriers. */
struct Shadow {
  u32 write_epoch = 0, read_epoch = 0; /* of the last write, read; 0: none */
  u32 write_seq = 0;                   /* place of the write in its wave's counter */
  u8 writer = 0, reader = 0;           /* their waves */
  bool atomic : 1;                     /* the write was an atomic */
  bool many : 1;                       /* several waves have read it in read_epoch */
  Flight flight : 2; /* the write may be in flight: from a register, straight from memory */
  Shadow() : atomic(false), many(false), flight(LANDED) {}
};

struct Group {
  Device *dev;
  Device::Impl *mem;
  const Code *code;
  u8 *image; /* the code object in memory */
  Stats *stats;
  std::vector<u8> lds, init; /* bytes; whether each was written */
  std::vector<Shadow> shadow;
  std::vector<Wave *> waves;
  u32 epoch = 1, num_waves = 1;
  u64 clock = 0; /* instructions of all waves */
  bool gfx940 = false;
};

enum State : u8 { RUN, BARRIER, DONE };

struct Wave {
  alignas(64) u32 v[NUM_VECTOR_REGISTERS][LANES];
  u32 s[NUM_SCALAR_REGISTERS];
  bool scc;
  bool gidx; /* VGPR indexing mode */
  bool ftz32;
  State state;
  u32 pc; /* index of the next instruction */
  u32 mode;
  u32 id;
  u64 done; /* instructions executed */
  /* Memory operations issued, and known to be complete: vector memory; LDS, scalar, flat. */
  u32 vm_issued, vm_done, lg_issued, lg_done;
  u32 vm_mixed, lg_mixed; /* last operation that may complete out of order */
  bool dma;               /* the running instruction loads to LDS */
  /* The operation that each register waits for. */
  u32 v_vm[NUM_VECTOR_REGISTERS], v_lg[NUM_VECTOR_REGISTERS], s_lg[NUM_SCALAR_REGISTERS];
  u8 *scratch; /* private memory of the wave: dword d of lane l at (64 d + l) * 4 */
  u64 scratch_bytes;
  Group *g;

  u64 s64(int r) const { return (u64)s[r] | (u64)s[r + 1] << 32; }
  void w64(int r, u64 x) {
    s[r] = (u32)x;
    s[r + 1] = (u32)(x >> 32);
  }
  u64 exec() const { return s64(S_EXEC); }
  u64 vcc() const { return s64(S_VCC); }
};

/* Host address of n bytes at a global address; lane -1: a scalar access.  Throws Error naming the
 * nearest buffer if they do not lie in one, or in a read-only one and `write`. */
u8 *resolve(Wave &w, u64 addr, u32 n, bool write, int lane);
/* The same, inline where the range is that of the last access. */
inline u8 *resolve_near(Wave &w, u64 addr, u32 n, bool write, int lane) {
  const Device::Impl &d = *w.g->mem;
  if (d.last < d.ranges.size()) {
    const Range &r = d.ranges[d.last];
    if (addr >= r.lo && addr + n <= r.hi && (r.writable || !write)) return (u8 *)addr;
  }
  return resolve(w, addr, n, write, lane);
}
/* Counts an offence and keeps the first one's text, or throws Error; nothing if the check is off.
 */
void warn(Wave &w, Check check, uint64_t &counter, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Runs a wave for at most `budget` instructions, to a barrier or to its end. */
void run_wave(Wave &w, Code &code, u64 budget, const Options &opt, bool trace);

/* n bytes of LDS at a, checked as the options say.  atomic: read and written in one. */
u8 *lds_at(Wave &w, u64 a, u32 n, bool write, int lane, bool atomic = false);
/* Cycles that the LDS takes for an access of all lanes in `mask`; see lds_banks.cpp. */
u32 lds_service_cycles(const u64 *addr, u64 mask, u32 bytes, bool write);
} /* namespace isarun */
#endif
