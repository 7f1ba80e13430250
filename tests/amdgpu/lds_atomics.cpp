/* SPDX-License-Identifier: BSD-3-Clause
 * Atomics on LDS. */
#include "tests/amdgpu/lds.h"

namespace isarun {
namespace {
/* RETURNS: operand 0 takes the old value.  Two data come in two operands. */
template <bool RETURNS, u32 DWORDS, u32 NX, Update F> void atomic(Wave &w, const Inst &inst) {
  const u32 k = RETURNS ? 1 : 0;
  u64 a[LANES];
  lds_addresses(w, inst.op[k], (u32)inst.offset, a);
  note_lds_access(w, a, w.exec(), 4 * DWORDS, true);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    u32 data[NX], mem[DWORDS], old[DWORDS];
    for (u32 j = 0; j < NX; j++)
      data[j] = w.v[vector_register(inst.op[k + 1 + j / DWORDS]) + (int)(j % DWORDS)][l];
    u8 *p = lds_at(w, a[l], sizeof mem, true, l, true);
    memcpy(mem, p, sizeof mem);
    memcpy(old, mem, sizeof mem);
    F(mem, data);
    memcpy(p, mem, sizeof mem);
    if (RETURNS)
      for (u32 d = 0; d < DWORDS; d++) w.v[vector_register(inst.op[0]) + (int)d][l] = old[d];
  }
}

/* "add_u32": ds_add_u32 and ds_add_rtn_u32. */
template <u32 DWORDS, u32 NX, Update F>
void reg_atomic(OpTable &t, const std::string &name, const std::string &type) {
  t.reg("ds_" + name + "_" + type, atomic<false, DWORDS, NX, F>);
  t.reg("ds_" + name + "_rtn_" + type, atomic<true, DWORDS, NX, F>);
}
} /* namespace */

void reg_lds_atomics(OpTable &t) {
  reg_atomic<1, 1, update<u32, at_add>>(t, "add", "u32");
  reg_atomic<2, 2, update<u64, at_add>>(t, "add", "u64");
  reg_atomic<1, 1, update<u32, at_sub>>(t, "sub", "u32");
  reg_atomic<2, 2, update<u64, at_sub>>(t, "sub", "u64");
  reg_atomic<1, 1, update<u32, at_and>>(t, "and", "b32");
  reg_atomic<2, 2, update<u64, at_and>>(t, "and", "b64");
  reg_atomic<1, 1, update<u32, at_or>>(t, "or", "b32");
  reg_atomic<2, 2, update<u64, at_or>>(t, "or", "b64");
  reg_atomic<1, 1, update<u32, at_xor>>(t, "xor", "b32");
  reg_atomic<2, 2, update<u64, at_xor>>(t, "xor", "b64");
  reg_atomic<1, 1, update<i32, at_min>>(t, "min", "i32");
  reg_atomic<1, 1, update<i32, at_max>>(t, "max", "i32");
  reg_atomic<1, 1, update<u32, at_min>>(t, "min", "u32");
  reg_atomic<1, 1, update<u32, at_max>>(t, "max", "u32");
  reg_atomic<2, 2, update<i64, at_min>>(t, "min", "i64");
  reg_atomic<2, 2, update<i64, at_max>>(t, "max", "i64");
  reg_atomic<2, 2, update<u64, at_min>>(t, "min", "u64");
  reg_atomic<2, 2, update<u64, at_max>>(t, "max", "u64");
  reg_atomic<1, 1, update<u32, at_inc>>(t, "inc", "u32");
  reg_atomic<1, 1, update<u32, at_dec>>(t, "dec", "u32");
  reg_atomic<1, 1, update<float, at_add>>(t, "add", "f32");
  reg_atomic<2, 2, update<double, at_add>>(t, "add", "f64");
  reg_atomic<1, 1, update<float, at_fmin>>(t, "min", "f32");
  reg_atomic<1, 1, update<float, at_fmax>>(t, "max", "f32");
  reg_atomic<2, 2, update<double, at_fmin>>(t, "min", "f64");
  reg_atomic<2, 2, update<double, at_fmax>>(t, "max", "f64");
  reg_atomic<1, 2, update_compare<u32, false>>(t, "cmpst", "b32");
  reg_atomic<2, 4, update_compare<u64, false>>(t, "cmpst", "b64");
  t.reg("ds_wrxchg_rtn_b32", atomic<true, 1, 1, update<u32, at_swap>>);
  t.reg("ds_wrxchg_rtn_b64", atomic<true, 2, 2, update<u64, at_swap>>);
}
} /* namespace isarun */
