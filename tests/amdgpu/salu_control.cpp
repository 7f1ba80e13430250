/* SPDX-License-Identifier: BSD-3-Clause
 * Scalar instructions on EXEC, branches, waits, barriers, mode registers. */
#include <algorithm>

#include "tests/amdgpu/scalar_operands.h"

namespace isarun {
namespace {
u32 a32(Wave &w, const Inst &inst) { return r32(w, inst.op[1]); }
u64 a64(Wave &w, const Inst &inst) { return r64(w, inst.op[1]); }
template <class F> void saveexec(Wave &w, const Inst &inst, F f) {
  u64 s = r64(w, inst.op[1]), e = w.exec(), n = f(s, e);
  put64(w, inst.op[0], e);
  w.w64(S_EXEC, n);
  w.scc = n != 0;
}
void jump(Wave &w, u64 addr) {
  int i = w.g->code->find(addr);
  if (i < 0) fail("branch to 0x%llx, which is no instruction", (ull)addr);
  w.pc = i;
}
u64 here_next(const Inst &inst) { return inst.addr + inst.bytes; }
void branch(Wave &w, const Inst &inst, bool taken) {
  if (taken) jump(w, inst.addr + 4 + 4 * (i64)(i16)(u16)inst.op[0].c32);
}
u32 getreg(Wave &w, u32 h) {
  u32 id = h & 63, off = h >> 6 & 31, size = (h >> 11 & 31) + 1, x = 0;
  switch (id) {
  case 1: x = w.mode; break;
  case 2: x = w.scc | (w.exec() == 0) << 9 | (w.vcc() == 0) << 10; break;
  case 3: x = 0; break;
  case 4: x = w.id & 15; break;
  case 15: x = (u32)(kSharedBase >> 48) << 16 | (u32)(kPrivateBase >> 48); break;
  case 20: x = 0; break;
  default: fail("s_getreg of hardware register %u is not modelled", id);
  }
  x >>= off;
  return size == 32 ? x : x & ((1u << size) - 1);
}
void setreg(Wave &w, u32 h, u32 v) {
  u32 id = h & 63, off = h >> 6 & 31, size = (h >> 11 & 31) + 1;
  if (id == 3) return;
  if (id != 1) fail("s_setreg of hardware register %u is not modelled", id);
  u32 m = (size == 32 ? ~0u : (1u << size) - 1) << off;
  w.mode = (w.mode & ~m) | ((v << off) & m);
  if (w.mode & 15) fail("rounding mode %u is not modelled (nearest even only)", w.mode & 15);
  w.ftz32 = (w.mode >> 4 & 3) != 3;
}
} /* namespace */

#define SAVE_EXEC(n, e)                                                                            \
  t.reg("s_" n "_b64", [](Wave &w, const Inst &inst) {                                             \
    saveexec(w, inst, [](u64 s, u64 x) -> u64 { return e; });                                      \
  })

void reg_salu_control(OpTable &t) {
  /* exec */
  SAVE_EXEC("and_saveexec", s & x);
  SAVE_EXEC("or_saveexec", s | x);
  SAVE_EXEC("xor_saveexec", s ^ x);
  SAVE_EXEC("andn2_saveexec", s & ~x);
  SAVE_EXEC("orn2_saveexec", s | ~x);
  SAVE_EXEC("nand_saveexec", ~(s & x));
  SAVE_EXEC("nor_saveexec", ~(s | x));
  SAVE_EXEC("xnor_saveexec", ~(s ^ x));
  SAVE_EXEC("andn1_saveexec", ~s & x);
  SAVE_EXEC("orn1_saveexec", ~s | x);
  t.reg("s_andn1_wrexec_b64", [](Wave &w, const Inst &inst) {
    u64 r = ~a64(w, inst) & w.exec();
    w.w64(S_EXEC, r);
    put64_scc(w, inst, r);
  });
  t.reg("s_andn2_wrexec_b64", [](Wave &w, const Inst &inst) {
    u64 r = a64(w, inst) & ~w.exec();
    w.w64(S_EXEC, r);
    put64_scc(w, inst, r);
  });

  /* control */
  t.reg("s_branch", [](Wave &w, const Inst &inst) { branch(w, inst, true); });
  t.reg("s_cbranch_scc0", [](Wave &w, const Inst &inst) { branch(w, inst, !w.scc); });
  t.reg("s_cbranch_scc1", [](Wave &w, const Inst &inst) { branch(w, inst, w.scc); });
  t.reg("s_cbranch_vccz", [](Wave &w, const Inst &inst) { branch(w, inst, w.vcc() == 0); });
  t.reg("s_cbranch_vccnz", [](Wave &w, const Inst &inst) { branch(w, inst, w.vcc() != 0); });
  t.reg("s_cbranch_execz", [](Wave &w, const Inst &inst) { branch(w, inst, w.exec() == 0); });
  t.reg("s_cbranch_execnz", [](Wave &w, const Inst &inst) { branch(w, inst, w.exec() != 0); });
  t.reg("s_getpc_b64",
        [](Wave &w, const Inst &inst) { put64(w, inst.op[0], (u64)w.g->image + here_next(inst)); });
  t.reg("s_setpc_b64",
        [](Wave &w, const Inst &inst) { jump(w, r64(w, inst.op[0]) - (u64)w.g->image); });
  t.reg("s_swappc_b64", [](Wave &w, const Inst &inst) {
    u64 to = a64(w, inst);
    put64(w, inst.op[0], (u64)w.g->image + here_next(inst));
    jump(w, to - (u64)w.g->image);
  });
  t.reg("s_call_b64", [](Wave &w, const Inst &inst) {
    put64(w, inst.op[0], (u64)w.g->image + here_next(inst));
    jump(w, inst.addr + 4 + 4 * (i64)(i16)(u16)inst.op[1].c32);
  });
  t.reg("s_waitcnt",
        [](Wave &w,
           const Inst &inst) { /* inst.offset: the 16-bit field */
                               u32 x = (u32)inst.offset, vm = (x & 15) | (x >> 14 & 3) << 4,
                                   lg = x >> 8 & 15;
                               if (vm == 0)
                                 w.vm_done = w.vm_issued;
                               else if (vm != 63 && w.vm_issued > vm && w.vm_mixed <= w.vm_done)
                                 w.vm_done = std::max(w.vm_done, w.vm_issued - vm);
                               if (lg == 0)
                                 w.lg_done = w.lg_issued;
                               else if (lg != 15 && w.lg_issued > lg && w.lg_mixed <= w.lg_done)
                                 w.lg_done = std::max(w.lg_done, w.lg_issued - lg);
        });
  t.reg("s_barrier", [](Wave &w, const Inst &) { w.state = BARRIER; });
  t.reg("s_endpgm", [](Wave &w, const Inst &) { w.state = DONE; });
  t.reg("s_endpgm_saved", [](Wave &w, const Inst &) { w.state = DONE; });
  t.reg("s_trap", [](Wave &, const Inst &) {
    fail("s_trap: the kernel aborts (assert, __builtin_trap or unreachable code)");
  });
  t.reg("s_getreg_b32",
        [](Wave &w, const Inst &inst) { put32(w, inst.op[0], getreg(w, inst.op[1].c32)); });
  t.reg("s_setreg_b32", [](Wave &w, const Inst &inst) { setreg(w, inst.op[0].c32, a32(w, inst)); });
  t.reg("s_setreg_imm32_b32",
        [](Wave &w, const Inst &inst) { setreg(w, inst.op[0].c32, a32(w, inst)); });
  t.reg("s_set_gpr_idx_on", [](Wave &w, const Inst &inst) {
    w.s[S_M0] =
        (w.s[S_M0] & 0xffff0f00u) | (r32(w, inst.op[0]) & 255) | (inst.op[1].c32 & 15) << 12;
    w.gidx = true;
  });
  t.reg("s_set_gpr_idx_off", [](Wave &w, const Inst &) { w.gidx = false; });
  t.reg("s_set_gpr_idx_idx", [](Wave &w, const Inst &inst) {
    w.s[S_M0] = (w.s[S_M0] & ~255u) | (r32(w, inst.op[0]) & 255);
  });
  t.reg("s_set_gpr_idx_mode", [](Wave &w, const Inst &inst) {
    w.s[S_M0] = (w.s[S_M0] & 0xffff0fffu) | (inst.op[0].c32 & 15) << 12;
  });
  t.reg("s_memtime", [](Wave &w, const Inst &inst) { put64(w, inst.op[0], w.g->clock); });
  t.reg("s_memrealtime", [](Wave &w, const Inst &inst) { put64(w, inst.op[0], w.g->clock); });
  for (const char *n : {"s_nop",           "s_sleep",          "s_setprio",
                        "s_sethalt_0",     "s_icache_inv",     "s_dcache_inv",
                        "s_dcache_wb",     "s_dcache_inv_vol", "s_dcache_wb_vol",
                        "s_inst_prefetch", "s_incperflevel",   "s_decperflevel",
                        "s_ttracedata",    "s_clause",         "s_code_end",
                        "s_sched_barrier", "buffer_wbl2",      "buffer_inv",
                        "buffer_invl2",    "buffer_wbinvl1",   "buffer_wbinvl1_vol",
                        "s_waitcnt_vscnt", "v_clrexcp",        "s_set_gpr_idx_none"})
    t.reg(n, [](Wave &, const Inst &) {});
}
} /* namespace isarun */
