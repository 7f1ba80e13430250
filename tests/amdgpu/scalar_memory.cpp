/* SPDX-License-Identifier: BSD-3-Clause
 * Scalar loads, plain and through buffer descriptors. */
#include "tests/amdgpu/memory_access.h"

namespace isarun {
namespace {
template <u32 DWORDS> void scalar_load(Wave &w, const Inst &inst) {
  i64 offset = inst.offset;
  if (inst.num_ops > 2) {
    const Operand &o = inst.op[2];
    offset += o.kind == KIND_CONST ? (i64)(i32)o.c32 : (i64)r32(w, o);
  }
  const u64 a = ((r64(w, inst.op[1]) & ~3ull) + (u64)offset) & ~3ull;
  u32 t[DWORDS];
  memcpy(t, resolve_near(w, a, sizeof t, false, -1), sizeof t);
  if (inst.op[0].kind != KIND_SCALAR) fail("scalar destination expected");
  memcpy(&w.s[inst.op[0].reg], t, sizeof t);
}

/* Reads past the end of the buffer give 0. */
template <u32 DWORDS> void scalar_buffer_load(Wave &w, const Inst &inst) {
  const u32 *descriptor = &w.s[inst.op[1].reg];
  const u64 base = ((u64)descriptor[0] | (u64)(descriptor[1] & 0xffff) << 32) & ~3ull;
  u64 offset = (u32)inst.offset;
  if (inst.num_ops > 2) offset += r32(w, inst.op[2]);
  offset &= ~3ull;
  for (u32 d = 0; d < DWORDS; d++) {
    u32 x = 0;
    if (offset + 4 * d + 4 <= descriptor[2])
      memcpy(&x, resolve_near(w, base + offset + 4 * d, 4, false, -1), 4);
    w.s[inst.op[0].reg + d] = x;
  }
}
} /* namespace */

void reg_scalar_memory(OpTable &t) {
  t.reg("s_load_dword", scalar_load<1>);
  t.reg("s_load_dwordx2", scalar_load<2>);
  t.reg("s_load_dwordx4", scalar_load<4>);
  t.reg("s_load_dwordx8", scalar_load<8>);
  t.reg("s_load_dwordx16", scalar_load<16>);
  t.reg("s_buffer_load_dword", scalar_buffer_load<1>);
  t.reg("s_buffer_load_dwordx2", scalar_buffer_load<2>);
  t.reg("s_buffer_load_dwordx4", scalar_buffer_load<4>);
  t.reg("s_buffer_load_dwordx8", scalar_buffer_load<8>);
  t.reg("s_buffer_load_dwordx16", scalar_buffer_load<16>);
}
} /* namespace isarun */
