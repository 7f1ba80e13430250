/* SPDX-License-Identifier: BSD-3-Clause
 * Checks of LDS accesses: bounds, unwritten bytes, races, writes in flight, alignment, banks. */
#include <algorithm>

#include "tests/amdgpu/lds.h"

namespace isarun {
namespace {
void check_written(Wave &w, u64 a, u32 n, int lane) {
  Group &g = *w.g;
  for (u32 i = 0; i < n; i++)
    if (!g.init[a + i])
      return warn(w, g.dev->opt.uninit_lds, g.stats->uninit_lds,
                  "uninitialised LDS read of %u bytes at %llu (lane %d)", n, (ull)a, lane);
}

/* A write is in flight until its wave has waited for it.  Without a barrier between, touching its
 * dword is a race and not a missing wait; a load straight to LDS needs the wait in any case. */
void check_flight(Wave &w, u64 a, u32 n, int lane) {
  Group &g = *w.g;
  for (u32 i = 0; i < n / 4; i++) {
    Shadow &s = g.shadow[a / 4 + i];
    if (s.flight == LANDED) continue;
    const Wave &writer = *g.waves[s.writer];
    const bool load = s.flight == LDS_LOAD;
    const bool pending = s.write_seq > (load ? writer.vm_done : writer.lg_done);
    const bool offence = pending && (load || (&writer != &w && s.write_epoch != g.epoch));
    if (!pending || offence) s.flight = LANDED;
    if (offence)
      warn(w, g.dev->opt.waits, g.stats->waits,
           load ? "LDS dword at %llu (lane %d) is touched while a load to it by wave %u is in "
                  "flight: s_waitcnt vmcnt is missing"
                : "LDS dword at %llu (lane %d) is touched while the write of wave %u is in "
                  "flight: s_waitcnt is missing there before the barrier",
           (ull)(a + 4 * i), lane, s.writer);
  }
}

/* Atomics do not race with each other; nor does a plain read with them, which is how compiled
 * compare-and-swap loops start. */
void check_race(Wave &w, u64 a, u32 n, bool write, int lane, bool atomic) {
  Group &g = *w.g;
  const u8 me = (u8)w.id;
  const char *what = nullptr;
  u32 other = 0;
  for (u32 i = 0; i < n / 4; i++) {
    const Shadow &s = g.shadow[a / 4 + i];
    const bool tolerated = (atomic || !write) && s.atomic;
    if (s.write_epoch == g.epoch && s.writer != me && !tolerated) {
      what = write ? "write after write" : "read after write";
      other = s.writer;
    }
    if (write && !atomic && s.read_epoch == g.epoch && (s.many || s.reader != me)) {
      what = "write after read";
      other = s.reader;
    }
  }
  if (what)
    warn(w, g.dev->opt.lds_race, g.stats->lds_race,
         "LDS race (%s): %u bytes at %llu, lane %d, against wave %u, no barrier between", what, n,
         (ull)a, lane, other);
}
} /* namespace */

u8 *lds_at(Wave &w, u64 a, u32 n, bool write, int lane, bool atomic) {
  Group &g = *w.g;
  const Options &opt = g.dev->opt;
  if (a + n > g.lds.size())
    fail("LDS %s of %u bytes at %llu (lane %d): the workgroup has %zu bytes",
         write ? "write" : "read", n, (ull)a, lane, g.lds.size());
  if ((!write || atomic) && opt.uninit_lds != Check::off) check_written(w, a, n, lane);
  if (write) std::fill_n(&g.init[a], n, (u8)1);
  if (n < 4 || a % 4) return &g.lds[a]; /* smaller accesses are not followed */
  if (opt.waits != Check::off) check_flight(w, a, n, lane);
  if (opt.lds_race != Check::off && g.num_waves > 1) check_race(w, a, n, write, lane, atomic);
  for (u32 i = 0; i < n / 4; i++) {
    Shadow &s = g.shadow[a / 4 + i];
    if (write)
      note_write(s, g.epoch, (u8)w.id, w.dma ? w.vm_issued : w.lg_issued,
                 w.dma ? LDS_LOAD : LDS_WRITE, atomic);
    else
      note_read(s, g.epoch, (u8)w.id);
  }
  return &g.lds[a];
}

void note_lds_access(Wave &w, const u64 *addr, u64 mask, u32 bytes, bool write) {
  const Options &opt = w.g->dev->opt;
  Stats &stats = *w.g->stats;
  if (opt.bank_model)
    (write ? stats.lds_write_cycles : stats.lds_read_cycles) +=
        lds_service_cycles(addr, mask, bytes, write);
  if (opt.misaligned_lds == Check::off || bytes == 1) return;
  const u32 alignment = bytes == 12 ? 16 : bytes;
  if (mask == ~0ull) { /* the common case without a division a lane */
    u64 bits = 0;
    for (int l = 0; l < LANES; l++) bits |= addr[l];
    if (bits % alignment == 0) return;
  }
  for (u64 m = mask; m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    if (addr[l] % alignment)
      return warn(w, opt.misaligned_lds, stats.misaligned_lds,
                  "LDS access of %u bytes at %llu (lane %d) is not aligned", bytes, (ull)addr[l],
                  l);
  }
}
} /* namespace isarun */
