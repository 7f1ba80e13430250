/* SPDX-License-Identifier: BSD-3-Clause
 * Reading and writing scalar operands: registers, constants, special values. */
#ifndef HB_TESTS_AMDGPU_SCALAR_OPERANDS_H
#define HB_TESTS_AMDGPU_SCALAR_OPERANDS_H

#include "tests/amdgpu/wave.h"

namespace isarun {
u32 special32(const Wave &w, const Operand &o);
u64 special64(const Wave &w, const Operand &o);
inline u32 r32(const Wave &w, const Operand &o) {
  if (o.kind == KIND_SCALAR) return w.s[o.reg];
  if (o.kind == KIND_CONST) return o.c32;
  return special32(w, o);
}
inline u64 r64(const Wave &w, const Operand &o) {
  if (o.kind == KIND_SCALAR) return w.s64(o.reg);
  if (o.kind == KIND_CONST) return o.c64;
  return special64(w, o);
}
/* False: the result is dropped. */
inline bool scalar_destination(const Operand &o) {
  if (o.kind == KIND_SCALAR) return true;
  if (o.kind == KIND_SPECIAL && o.reg == SP_NULL) return false;
  fail("scalar destination expected");
}
inline void put32(Wave &w, const Operand &o, u32 x) {
  if (scalar_destination(o)) w.s[o.reg] = x;
}
inline void put64(Wave &w, const Operand &o, u64 x) {
  if (scalar_destination(o)) w.w64(o.reg, x);
}

/* Operand 0, and SCC = (x != 0). */
inline void put32_scc(Wave &w, const Inst &inst, u32 x) {
  put32(w, inst.op[0], x);
  w.scc = x != 0;
}
inline void put64_scc(Wave &w, const Inst &inst, u64 x) {
  put64(w, inst.op[0], x);
  w.scc = x != 0;
}
} /* namespace isarun */
#endif
