/* SPDX-License-Identifier: BSD-3-Clause
 * The instruction loop of a wave, the check of missing waits, and the special scalar operands. */
#include <algorithm>
#include <cstdio>

#include "tests/amdgpu/scalar_operands.h"

namespace isarun {
u32 special32(const Wave &w, const Operand &o) {
  if (o.kind != KIND_SPECIAL) fail("operand cannot be read as a scalar");
  switch (o.reg) {
  case SP_SCC: return w.scc;
  case SP_VCCZ: return w.vcc() == 0;
  case SP_EXECZ: return w.exec() == 0;
  case SP_SHARED_BASE: return (u32)kSharedBase;
  case SP_PRIVATE_BASE: return (u32)kPrivateBase;
  case SP_SHARED_LIMIT:
  case SP_PRIVATE_LIMIT: return 0xffffffffu;
  default: return 0;
  }
}

u64 special64(const Wave &w, const Operand &o) {
  if (o.kind != KIND_SPECIAL) fail("operand cannot be read as a scalar pair");
  switch (o.reg) {
  case SP_SHARED_BASE: return kSharedBase;
  case SP_PRIVATE_BASE: return kPrivateBase;
  case SP_SHARED_LIMIT: return kSharedBase | 0xffffffffu;
  case SP_PRIVATE_LIMIT: return kPrivateBase | 0xffffffffu;
  default: return special32(w, o);
  }
}

namespace {
int last_register(const Operand &o, int limit) { return std::min(o.reg + o.n, limit); }

void check_vector(Wave &w, const Operand &o, bool vm_ordered, bool lg_ordered, Check check) {
  for (int r = o.reg; r < last_register(o, NUM_VECTOR_REGISTERS); r++) {
    const bool vm = w.v_vm[r] > w.vm_done && !vm_ordered;
    const bool lg = w.v_lg[r] > w.lg_done && !lg_ordered;
    if (!vm && !lg) continue;
    w.v_vm[r] = w.v_lg[r] = 0;
    warn(w, check, w.g->stats->waits,
         "%s%d is used before the load into it is waited for (s_waitcnt)",
         r < FIRST_ACC ? "v" : "a", r & 255);
  }
}

/* A register that an earlier load still has to deliver. */
void check_pending(Wave &w, const Inst &inst, Check check) {
  for (int i = 0; i < inst.num_ops; i++) {
    const Operand &o = inst.op[i];
    if (o.kind == KIND_VECTOR) {
      /* Loads deliver in order: the next one may name the same result. */
      const bool ordered = i == 0 && (inst.flags & F_RES) && !(inst.flags & F_FLAT);
      check_vector(w, o, ordered && (inst.flags & F_VM), ordered && (inst.flags & F_DS), check);
    } else if (o.kind == KIND_SCALAR) {
      for (int r = o.reg; r < last_register(o, NUM_SCALAR_REGISTERS); r++) {
        if (w.s_lg[r] <= w.lg_done) continue;
        w.s_lg[r] = 0;
        warn(w, check, w.g->stats->waits,
             "s%d is used before the load into it is waited for (s_waitcnt)", r);
      }
    }
  }
}

/* vmcnt has six bits: the hardware holds an operation back that it could not count. */
void count_in_flight(Wave &w) {
  const u32 most = 63, there = w.vm_issued - w.vm_done;
  Stats &stats = *w.g->stats;
  stats.full += there > most;
  stats.most_in_flight = std::max<uint64_t>(stats.most_in_flight, std::min(there, most));
}

void issue(Wave &w, const Inst &inst) {
  if (inst.flags & F_VM) {
    w.vm_issued++;
    count_in_flight(w);
  }
  if (inst.flags & (F_DS | F_SM)) w.lg_issued++;
  if (inst.flags & F_FLAT) w.vm_mixed = w.vm_issued;
  if (inst.flags & (F_FLAT | F_SM)) w.lg_mixed = w.lg_issued;
  w.dma = (inst.flags & F_DMA) != 0;
  if (!(inst.flags & F_RES)) return;
  const Operand &o = inst.op[0];
  if (o.kind == KIND_VECTOR) {
    for (int r = o.reg; r < last_register(o, NUM_VECTOR_REGISTERS); r++) {
      if (inst.flags & F_VM) w.v_vm[r] = w.vm_issued;
      if (inst.flags & F_DS) w.v_lg[r] = w.lg_issued;
    }
  } else if (o.kind == KIND_SCALAR) {
    for (int r = o.reg; r < last_register(o, NUM_SCALAR_REGISTERS); r++) w.s_lg[r] = w.lg_issued;
  }
}

/* VGPR indexing: M0 holds the index, and which operands it is added to. */
void run_indexed(Wave &w, const Inst &inst) {
  Inst moved = inst;
  const u32 index = w.s[S_M0] & 255, mode = w.s[S_M0] >> 12;
  for (int i = 0; i < moved.num_ops; i++) {
    const int bit = i == 0 ? 3 : i - 1;
    if ((mode >> bit & 1) && moved.op[i].kind == KIND_VECTOR) moved.op[i].reg += (u16)index;
  }
  moved.fn(w, moved);
}
} /* namespace */

void run_wave(Wave &w, Code &code, u64 budget, const Options &opt, bool trace) {
  const Inst *insts = code.inst.data();
  u64 *executed = code.executed.data();
  const bool waits = opt.waits != Check::off;
  for (u64 left = budget; left > 0 && w.state == RUN; left--) {
    const Inst &inst = insts[w.pc];
    executed[w.pc]++;
    w.pc++;
    w.done++;
    w.g->clock++;
    if (trace)
      fprintf(stderr, "%08llx  %-60s exec %016llx scc %d\n", (ull)inst.addr,
              code.text[w.pc - 1].c_str(), (ull)w.exec(), w.scc);
    if (waits) {
      if (w.vm_issued != w.vm_done || w.lg_issued != w.lg_done) check_pending(w, inst, opt.waits);
      if (inst.flags & F_MEM) issue(w, inst);
    }
    if (w.gidx && (inst.flags & F_VALU))
      run_indexed(w, inst);
    else
      inst.fn(w, inst);
  }
  if (w.done >= opt.max_insts)
    fail("instruction limit of a wave reached (%llu)", (ull)opt.max_insts);
}
} /* namespace isarun */
