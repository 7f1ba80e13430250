/* SPDX-License-Identifier: BSD-3-Clause
 * Global, flat and scratch loads and stores, and global loads that go straight to LDS. */
#include "tests/amdgpu/memory_access.h"

namespace isarun {
namespace {
/* n bytes, inside of one dword, of lane l's private memory. */
u8 *private_at(Wave &w, u64 offset, u32 n, int l) {
  const u64 p = (offset / 4) * 256 + (u64)l * 4 + offset % 4;
  if (p + n > w.scratch_bytes)
    fail("private memory access at byte %llu (lane %d): the kernel has %llu bytes a lane",
         (ull)offset, l, (ull)w.scratch_bytes / LANES);
  return w.scratch + p;
}

void copy(u8 *memory, u8 *buf, u32 n, bool write) {
  if (write)
    memcpy(memory, buf, n);
  else
    memcpy(buf, memory, n);
}

/* Do all active lanes access writable memory, or any to read, in one range?  It is found by the
 * first of them. */
template <u32 BYTES> bool in_one_range(Wave &w, const u64 *a, bool write) {
  const u64 exec = w.exec();
  if (exec == 0) return false;
  const int first = __builtin_ctzll(exec);
  resolve_near(w, a[first], BYTES, write, first);
  const Range &r = w.g->mem->ranges[w.g->mem->last];
  const u64 lo = r.lo, most = r.hi - r.lo - BYTES;
  bool all = true;
  if (exec == ~0ull)
    for (int l = 0; l < LANES; l++) all &= a[l] - lo <= most;
  else
    for (u64 m = exec; m; m &= m - 1) all &= a[__builtin_ctzll(m)] - lo <= most;
  return all;
}

template <u32 DWORDS, Space SPACE> void load(Wave &w, const Inst &inst) {
  u64 a[LANES];
  global_addresses(w, inst, SPACE, 1, 2, a);
  u32 *const v = w.v[vector_register(inst.op[0])];
  const u64 exec = w.exec();
  u32 t[DWORDS];
  if (SPACE == GLOBAL && in_one_range<sizeof t>(w, a, false)) {
    for (u64 m = exec; m; m &= m - 1) {
      const int l = __builtin_ctzll(m);
      memcpy(t, (const u8 *)a[l], sizeof t);
      for (u32 d = 0; d < DWORDS; d++) v[d * LANES + (u32)l] = t[d];
    }
    w.g->stats->global_load_bytes += sizeof t * (u64)__builtin_popcountll(exec);
    return;
  }
  for (u64 m = exec; m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    copy_memory(w, SPACE, a[l], (u8 *)t, sizeof t, false, l);
    for (u32 d = 0; d < DWORDS; d++) v[d * LANES + (u32)l] = t[d];
  }
}
template <u32 DWORDS, Space SPACE> void store(Wave &w, const Inst &inst) {
  u64 a[LANES];
  global_addresses(w, inst, SPACE, 0, 2, a);
  const u32 *const v = w.v[vector_register(inst.op[1])];
  const u64 exec = w.exec();
  u32 t[DWORDS];
  if (SPACE == GLOBAL && in_one_range<sizeof t>(w, a, true)) {
    for (u64 m = exec; m; m &= m - 1) {
      const int l = __builtin_ctzll(m);
      for (u32 d = 0; d < DWORDS; d++) t[d] = v[d * LANES + (u32)l];
      memcpy((u8 *)a[l], t, sizeof t);
    }
    w.g->stats->global_store_bytes += sizeof t * (u64)__builtin_popcountll(exec);
    return;
  }
  for (u64 m = exec; m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    for (u32 d = 0; d < DWORDS; d++) t[d] = v[d * LANES + (u32)l];
    copy_memory(w, SPACE, a[l], (u8 *)t, sizeof t, true, l);
  }
}
template <SubType TYPE, Half HALF, Space SPACE> void load_sub(Wave &w, const Inst &inst) {
  u64 a[LANES];
  global_addresses(w, inst, SPACE, 1, 2, a);
  const int r = vector_register(inst.op[0]);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    u8 b[4];
    copy_memory(w, SPACE, a[l], b, sub_bytes(TYPE), false, l);
    sub_put(w.v[r][l], sub_load(b, TYPE), HALF);
  }
}
template <u32 BYTES, Half HALF, Space SPACE> void store_sub(Wave &w, const Inst &inst) {
  u64 a[LANES];
  global_addresses(w, inst, SPACE, 0, 2, a);
  const int r = vector_register(inst.op[1]);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    u32 x = w.v[r][l] >> (HALF == HIGH_HALF ? 16 : 0);
    copy_memory(w, SPACE, a[l], (u8 *)&x, BYTES, true, l);
  }
}

/* LDS address = M0 + offset + 4 lane. */
template <u32 BYTES, SubType TYPE> void load_to_lds(Wave &w, const Inst &inst) {
  u64 a[LANES];
  global_addresses(w, inst, GLOBAL, 0, 1, a);
  const u32 base = (w.s[S_M0] & 0xffff) + (u32)inst.offset;
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    u8 b[4];
    copy_memory(w, GLOBAL, a[l], b, BYTES, false, l);
    const u32 x = BYTES == 4 ? value_of<u32>((const u32 *)b) : sub_load(b, TYPE);
    memcpy(lds_at(w, base + 4 * (u32)l, 4, true, l), &x, 4);
  }
}

template <Space SPACE> void reg_space(OpTable &t, const std::string &space) {
  t.reg(space + "_load_dword", load<1, SPACE>);
  t.reg(space + "_load_dwordx2", load<2, SPACE>);
  t.reg(space + "_load_dwordx3", load<3, SPACE>);
  t.reg(space + "_load_dwordx4", load<4, SPACE>);
  t.reg(space + "_store_dword", store<1, SPACE>);
  t.reg(space + "_store_dwordx2", store<2, SPACE>);
  t.reg(space + "_store_dwordx3", store<3, SPACE>);
  t.reg(space + "_store_dwordx4", store<4, SPACE>);
  t.reg(space + "_load_ubyte", load_sub<SUB_U8, WHOLE, SPACE>);
  t.reg(space + "_load_sbyte", load_sub<SUB_I8, WHOLE, SPACE>);
  t.reg(space + "_load_ushort", load_sub<SUB_U16, WHOLE, SPACE>);
  t.reg(space + "_load_sshort", load_sub<SUB_I16, WHOLE, SPACE>);
  t.reg(space + "_load_ubyte_d16", load_sub<SUB_U8, LOW_HALF, SPACE>);
  t.reg(space + "_load_sbyte_d16", load_sub<SUB_I8, LOW_HALF, SPACE>);
  t.reg(space + "_load_short_d16", load_sub<SUB_U16, LOW_HALF, SPACE>);
  t.reg(space + "_load_ubyte_d16_hi", load_sub<SUB_U8, HIGH_HALF, SPACE>);
  t.reg(space + "_load_sbyte_d16_hi", load_sub<SUB_I8, HIGH_HALF, SPACE>);
  t.reg(space + "_load_short_d16_hi", load_sub<SUB_U16, HIGH_HALF, SPACE>);
  t.reg(space + "_store_byte", store_sub<1, WHOLE, SPACE>);
  t.reg(space + "_store_short", store_sub<2, WHOLE, SPACE>);
  t.reg(space + "_store_byte_d16_hi", store_sub<1, HIGH_HALF, SPACE>);
  t.reg(space + "_store_short_d16_hi", store_sub<2, HIGH_HALF, SPACE>);
}
} /* namespace */

void global_addresses(const Wave &w, const Inst &inst, Space space, int v, int s, u64 *a) {
  const Operand &vaddr = inst.op[v];
  const bool has_saddr = s < inst.num_ops && inst.op[s].kind != KIND_OFF;
  const u64 offset = (u64)(i64)inst.offset;
  if (space == SCRATCH) {
    const u64 base = offset + (has_saddr ? (u64)(i64)(i32)r32(w, inst.op[s]) : 0);
    for (int l = 0; l < LANES; l++)
      a[l] = (u32)(base + (vaddr.kind == KIND_VECTOR ? w.v[vaddr.reg][l] : 0));
    return;
  }
  const u32 *lo = w.v[vector_register(vaddr)], *hi = lo + LANES;
  if (space == GLOBAL && has_saddr) {
    const u64 base = r64(w, inst.op[s]) + offset;
    for (int l = 0; l < LANES; l++) a[l] = base + lo[l];
  } else {
    for (int l = 0; l < LANES; l++) a[l] = ((u64)lo[l] | (u64)hi[l] << 32) + offset;
  }
}

void copy_memory(Wave &w, Space space, u64 a, u8 *buf, u32 n, bool write, int l) {
  if (space == FLAT && a >> 48 == kSharedBase >> 48)
    return copy(lds_at(w, (u32)a, n, write, l), buf, n, write);
  const bool flat_private = space == FLAT && a >> 48 == kPrivateBase >> 48;
  if (space == SCRATCH || flat_private) {
    if (flat_private) a = (u32)a;
    for (u32 i = 0; i < n;) {
      const u32 piece = std::min<u32>(n - i, 4 - (u32)((a + i) & 3));
      copy(private_at(w, a + i, piece, l), buf + i, piece, write);
      i += piece;
    }
    return;
  }
  copy(resolve_near(w, a, n, write, l), buf, n, write);
  (write ? w.g->stats->global_store_bytes : w.g->stats->global_load_bytes) += n;
}

void reg_global_memory(OpTable &t) {
  reg_space<GLOBAL>(t, "global");
  reg_space<FLAT>(t, "flat");
  reg_space<SCRATCH>(t, "scratch");
  t.reg("global_load_lds_dword", load_to_lds<4, SUB_U8>);
  t.reg("global_load_lds_ubyte", load_to_lds<1, SUB_U8>);
  t.reg("global_load_lds_sbyte", load_to_lds<1, SUB_I8>);
  t.reg("global_load_lds_ushort", load_to_lds<2, SUB_U16>);
  t.reg("global_load_lds_sshort", load_to_lds<2, SUB_I16>);
}
} /* namespace isarun */
