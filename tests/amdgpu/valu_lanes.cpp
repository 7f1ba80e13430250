/* SPDX-License-Identifier: BSD-3-Clause
 * Vector ALU: exchange between lanes and with scalar registers. */
#include "tests/amdgpu/valu.h"

namespace isarun {
namespace {
u32 lane_of(Wave &w, const Operand &o) { return r32(w, o) & 63; }

} /* namespace */

void reg_valu_lanes(OpTable &t) {
  t.reg("v_readfirstlane_b32", [](Wave &w, const Inst &inst) {
    u64 ex = w.exec();
    int l = ex ? __builtin_ctzll(ex) : 0;
    put32(w, inst.op[0],
          inst.op[1].kind == KIND_VECTOR ? w.v[inst.op[1].reg][l] : r32(w, inst.op[1]));
  });
  t.reg("v_readlane_b32", [](Wave &w, const Inst &inst) {
    u32 l = lane_of(w, inst.op[2]);
    put32(w, inst.op[0],
          inst.op[1].kind == KIND_VECTOR ? w.v[inst.op[1].reg][l] : r32(w, inst.op[1]));
  });
  t.reg("v_writelane_b32", [](Wave &w, const Inst &inst) {
    w.v[inst.op[0].reg][lane_of(w, inst.op[2])] = r32(w, inst.op[1]);
  });
  t.reg("v_swap_b32", [](Wave &w, const Inst &inst) {
    for (u64 m = w.exec(); m; m &= m - 1) {
      int l = __builtin_ctzll(m);
      std::swap(w.v[inst.op[0].reg][l], w.v[inst.op[1].reg][l]);
    }
  });
  t.reg("v_nop", [](Wave &, const Inst &) {});
}
} /* namespace isarun */
