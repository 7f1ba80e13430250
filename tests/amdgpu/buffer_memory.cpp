/* SPDX-License-Identifier: BSD-3-Clause
 * Buffer loads, stores and atomics, through raw descriptors and those of private memory. */
#include "tests/amdgpu/memory_access.h"

namespace isarun {
namespace {
/* Operands from `first` on: vaddr or off, the descriptor, soffset. */
struct Buffer {
  Wave &w;
  bool is_private;
  u64 base, soffset, bytes;
  u64 offset[LANES];

  Buffer(Wave &wave, const Inst &inst, int first) : w(wave) {
    const Operand &vaddr = inst.op[first], &descriptor = inst.op[first + 1];
    if (descriptor.kind != KIND_SCALAR) fail("buffer descriptor is no SGPR quad");
    const u32 *d = &w.s[descriptor.reg];
    base = (u64)d[0] | (u64)(d[1] & 0xffff) << 32;
    bytes = d[2];
    soffset = r32(w, inst.op[first + 2]);
    const u32 stride = d[1] >> 16 & 0x3fff;
    const bool swizzle = d[1] >> 31, add_lane = d[3] >> 23 & 1;
    is_private = swizzle && add_lane;
    if (!is_private && (swizzle || add_lane || stride))
      fail("structured or swizzled buffer descriptors are not modelled (raw and scratch ones are)");
    if (inst.idxen) fail("buffer access with idxen is not modelled");
    const bool has_vaddr = inst.offen && vaddr.kind == KIND_VECTOR;
    for (int l = 0; l < LANES; l++)
      offset[l] = (u64)(u32)inst.offset + (has_vaddr ? w.v[vaddr.reg][l] : 0);
  }

  static void move(u8 *memory, void *data, u32 n, bool write) {
    if (write)
      memcpy(memory, data, n);
    else
      memcpy(data, memory, n);
  }
  /* Copies the n bytes at byte `extra` of lane l.  False: out of range of a raw buffer, where
   * reads give 0 and writes are dropped. */
  bool copy(u32 extra, void *data, u32 n, bool write, int l) {
    const u64 at = offset[l] + extra;
    if (is_private) {
      const u64 p = base + soffset + (at / 4) * 256 + (u64)l * 4 + at % 4, lo = (u64)w.scratch;
      if (at % 4 + n > 4) fail("private access of %u bytes at %llu crosses a dword", n, (ull)at);
      if (p < lo || p + n > lo + w.scratch_bytes)
        fail("private memory access at byte %llu + %llu/64 (lane %d): the kernel has %llu bytes a "
             "lane",
             (ull)at, (ull)soffset, l, (ull)w.scratch_bytes / LANES);
      move((u8 *)p, data, n, write);
      return true;
    }
    if (at + n > bytes) {
      if (!write) memset(data, 0, n);
      return false;
    }
    move(resolve_near(w, base + soffset + at, n, write, l), data, n, write);
    (write ? w.g->stats->global_store_bytes : w.g->stats->global_load_bytes) += n;
    return true;
  }
};

template <u32 DWORDS> void load(Wave &w, const Inst &inst) {
  Buffer b(w, inst, inst.lds ? 0 : 1);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    for (u32 d = 0; d < DWORDS; d++) {
      u32 x;
      b.copy(4 * d, &x, 4, false, l);
      if (inst.lds) {
        const u32 to = (w.s[S_M0] & 0xffff) + (u32)inst.offset + 4 * (u32)l;
        memcpy(lds_at(w, to, 4, true, l), &x, 4);
      } else {
        w.v[vector_register(inst.op[0]) + (int)d][l] = x;
      }
    }
  }
}
template <u32 DWORDS> void store(Wave &w, const Inst &inst) {
  Buffer b(w, inst, 1);
  const int r = vector_register(inst.op[0]);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    for (u32 d = 0; d < DWORDS; d++) b.copy(4 * d, &w.v[r + (int)d][l], 4, true, l);
  }
}
template <SubType TYPE, Half HALF> void load_sub(Wave &w, const Inst &inst) {
  Buffer b(w, inst, 1);
  const int r = vector_register(inst.op[0]);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    u8 t[4];
    b.copy(0, t, sub_bytes(TYPE), false, l);
    sub_put(w.v[r][l], sub_load(t, TYPE), HALF);
  }
}
template <u32 BYTES, Half HALF> void store_sub(Wave &w, const Inst &inst) {
  Buffer b(w, inst, 1);
  const int r = vector_register(inst.op[0]);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    u32 x = w.v[r][l] >> (HALF == HIGH_HALF ? 16 : 0);
    b.copy(0, &x, BYTES, true, l);
  }
}
template <u32 DWORDS, u32 NX, Update F> void atomic(Wave &w, const Inst &inst) {
  Buffer b(w, inst, 1);
  const int r = vector_register(inst.op[0]);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    u32 data[NX], mem[DWORDS], old[DWORDS];
    for (u32 d = 0; d < NX; d++) data[d] = w.v[r + (int)d][l];
    if (!b.copy(0, mem, sizeof mem, false, l)) continue;
    memcpy(old, mem, sizeof old);
    F(mem, data);
    b.copy(0, mem, sizeof mem, true, l);
    if (inst.glc)
      for (u32 d = 0; d < DWORDS; d++) w.v[r + (int)d][l] = old[d];
  }
}
} /* namespace */

void reg_buffer_memory(OpTable &t) {
  t.reg("buffer_load_dword", load<1>);
  t.reg("buffer_load_dwordx2", load<2>);
  t.reg("buffer_load_dwordx3", load<3>);
  t.reg("buffer_load_dwordx4", load<4>);
  t.reg("buffer_store_dword", store<1>);
  t.reg("buffer_store_dwordx2", store<2>);
  t.reg("buffer_store_dwordx3", store<3>);
  t.reg("buffer_store_dwordx4", store<4>);
  t.reg("buffer_load_ubyte", load_sub<SUB_U8, WHOLE>);
  t.reg("buffer_load_sbyte", load_sub<SUB_I8, WHOLE>);
  t.reg("buffer_load_ushort", load_sub<SUB_U16, WHOLE>);
  t.reg("buffer_load_sshort", load_sub<SUB_I16, WHOLE>);
  t.reg("buffer_load_ubyte_d16", load_sub<SUB_U8, LOW_HALF>);
  t.reg("buffer_load_sbyte_d16", load_sub<SUB_I8, LOW_HALF>);
  t.reg("buffer_load_short_d16", load_sub<SUB_U16, LOW_HALF>);
  t.reg("buffer_load_ubyte_d16_hi", load_sub<SUB_U8, HIGH_HALF>);
  t.reg("buffer_load_sbyte_d16_hi", load_sub<SUB_I8, HIGH_HALF>);
  t.reg("buffer_load_short_d16_hi", load_sub<SUB_U16, HIGH_HALF>);
  t.reg("buffer_store_byte", store_sub<1, WHOLE>);
  t.reg("buffer_store_short", store_sub<2, WHOLE>);
  t.reg("buffer_store_byte_d16_hi", store_sub<1, HIGH_HALF>);
  t.reg("buffer_store_short_d16_hi", store_sub<2, HIGH_HALF>);
  t.reg("buffer_atomic_add", atomic<1, 1, update<u32, at_add>>);
  t.reg("buffer_atomic_add_x2", atomic<2, 2, update<u64, at_add>>);
  t.reg("buffer_atomic_sub", atomic<1, 1, update<u32, at_sub>>);
  t.reg("buffer_atomic_and", atomic<1, 1, update<u32, at_and>>);
  t.reg("buffer_atomic_or", atomic<1, 1, update<u32, at_or>>);
  t.reg("buffer_atomic_xor", atomic<1, 1, update<u32, at_xor>>);
  t.reg("buffer_atomic_smin", atomic<1, 1, update<i32, at_min>>);
  t.reg("buffer_atomic_smax", atomic<1, 1, update<i32, at_max>>);
  t.reg("buffer_atomic_umin", atomic<1, 1, update<u32, at_min>>);
  t.reg("buffer_atomic_umax", atomic<1, 1, update<u32, at_max>>);
  t.reg("buffer_atomic_swap", atomic<1, 1, update<u32, at_swap>>);
  t.reg("buffer_atomic_cmpswap", atomic<1, 2, update_compare<u32, true>>);
  t.reg("buffer_atomic_cmpswap_x2", atomic<2, 4, update_compare<u64, true>>);
  t.reg("buffer_atomic_add_f32", atomic<1, 1, update<float, at_add>>);
  t.reg("buffer_atomic_add_f64", atomic<2, 2, update<double, at_add>>);
}
} /* namespace isarun */
