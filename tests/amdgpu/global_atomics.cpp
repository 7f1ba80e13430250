/* SPDX-License-Identifier: BSD-3-Clause
 * Atomics on global and flat addresses. */
#include "tests/amdgpu/memory_access.h"

namespace isarun {
namespace {
/* mem -> old value in `old`, updated value in memory */
void apply(u8 *p, u32 bytes, const u32 *data, Update f, u32 *old) {
  u32 mem[2];
  memcpy(mem, p, bytes);
  memcpy(old, mem, bytes);
  f(mem, data);
  memcpy(p, mem, bytes);
}

/* NX: dwords of data. */
template <Space SPACE, u32 DWORDS, u32 NX, Update F> void atomic(Wave &w, const Inst &inst) {
  const int k = inst.glc ? 1 : 0; /* a returned value is operand 0 */
  u64 a[LANES];
  global_addresses(w, inst, SPACE, k, k + 2, a);
  const int r = vector_register(inst.op[k + 1]);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    u32 data[NX], old[2];
    for (u32 d = 0; d < NX; d++) data[d] = w.v[r + (int)d][l];
    if (SPACE == FLAT && a[l] >> 48 == kSharedBase >> 48) {
      apply(lds_at(w, (u32)a[l], 4 * DWORDS, true, l, true), 4 * DWORDS, data, F, old);
    } else if (SPACE == FLAT && a[l] >> 48 == kPrivateBase >> 48) {
      u32 mem[DWORDS];
      copy_memory(w, FLAT, a[l], (u8 *)mem, sizeof mem, false, l);
      apply((u8 *)mem, sizeof mem, data, F, old);
      copy_memory(w, FLAT, a[l], (u8 *)mem, sizeof mem, true, l);
    } else {
      if (a[l] % (4 * DWORDS)) fail("misaligned atomic at 0x%llx (lane %d)", (ull)a[l], l);
      apply(resolve_near(w, a[l], 4 * DWORDS, true, l), 4 * DWORDS, data, F, old);
    }
    if (inst.glc)
      for (u32 d = 0; d < DWORDS; d++) w.v[vector_register(inst.op[0]) + (int)d][l] = old[d];
  }
}

template <u32 DWORDS, u32 NX, Update F> void reg_atomic(OpTable &t, const std::string &name) {
  t.reg("global_atomic_" + name, atomic<GLOBAL, DWORDS, NX, F>);
  t.reg("flat_atomic_" + name, atomic<FLAT, DWORDS, NX, F>);
}

void add_packed_f16(u32 *mem, const u32 *data) {
  f16 m[2], d[2];
  memcpy(m, mem, 4);
  memcpy(d, data, 4);
  m[0] += d[0];
  m[1] += d[1];
  memcpy(mem, m, 4);
}
} /* namespace */

void reg_global_atomics(OpTable &t) {
  reg_atomic<1, 1, update<u32, at_add>>(t, "add");
  reg_atomic<2, 2, update<u64, at_add>>(t, "add_x2");
  reg_atomic<1, 1, update<u32, at_sub>>(t, "sub");
  reg_atomic<2, 2, update<u64, at_sub>>(t, "sub_x2");
  reg_atomic<1, 1, update<u32, at_and>>(t, "and");
  reg_atomic<2, 2, update<u64, at_and>>(t, "and_x2");
  reg_atomic<1, 1, update<u32, at_or>>(t, "or");
  reg_atomic<2, 2, update<u64, at_or>>(t, "or_x2");
  reg_atomic<1, 1, update<u32, at_xor>>(t, "xor");
  reg_atomic<2, 2, update<u64, at_xor>>(t, "xor_x2");
  reg_atomic<1, 1, update<i32, at_min>>(t, "smin");
  reg_atomic<2, 2, update<i64, at_min>>(t, "smin_x2");
  reg_atomic<1, 1, update<i32, at_max>>(t, "smax");
  reg_atomic<2, 2, update<i64, at_max>>(t, "smax_x2");
  reg_atomic<1, 1, update<u32, at_min>>(t, "umin");
  reg_atomic<2, 2, update<u64, at_min>>(t, "umin_x2");
  reg_atomic<1, 1, update<u32, at_max>>(t, "umax");
  reg_atomic<2, 2, update<u64, at_max>>(t, "umax_x2");
  reg_atomic<1, 1, update<u32, at_swap>>(t, "swap");
  reg_atomic<2, 2, update<u64, at_swap>>(t, "swap_x2");
  reg_atomic<1, 1, update<u32, at_inc>>(t, "inc");
  reg_atomic<2, 2, update<u64, at_inc>>(t, "inc_x2");
  reg_atomic<1, 1, update<u32, at_dec>>(t, "dec");
  reg_atomic<2, 2, update<u64, at_dec>>(t, "dec_x2");
  reg_atomic<1, 2, update_compare<u32, true>>(t, "cmpswap");
  reg_atomic<2, 4, update_compare<u64, true>>(t, "cmpswap_x2");
  reg_atomic<1, 1, update<float, at_add>>(t, "add_f32");
  reg_atomic<2, 2, update<double, at_add>>(t, "add_f64");
  reg_atomic<2, 2, update<double, at_fmin>>(t, "min_f64");
  reg_atomic<2, 2, update<double, at_fmax>>(t, "max_f64");
  reg_atomic<1, 1, add_packed_f16>(t, "pk_add_f16");
}
} /* namespace isarun */
