/* SPDX-License-Identifier: BSD-3-Clause
 * Exchange between lanes through the LDS hardware; no LDS memory is touched. */
#include "tests/amdgpu/memory_access.h"
#include "tests/amdgpu/vector_operands.h"

namespace isarun {
namespace {
int swizzle_source(u32 offset, int l) {
  if (offset & 0x8000) return (l & ~3) | (int)(offset >> (2 * (l & 3)) & 3);
  const u32 and_mask = offset & 31, or_mask = offset >> 5 & 31, xor_mask = offset >> 10 & 31;
  return (l & 32) | (int)((((u32)(l & 31) & and_mask) | or_mask) ^ xor_mask);
}

void swizzle(Wave &w, const Inst &inst) {
  const u64 exec = w.exec();
  const u32 *data = w.v[vector_register(inst.op[1])];
  u32 r[LANES];
  for (int l = 0; l < LANES; l++) {
    const int s = swizzle_source((u32)inst.offset & 0xffff, l);
    r[l] = (exec >> s & 1) ? data[s] : 0;
  }
  put_lanes(w.v[vector_register(inst.op[0])], r, exec);
}

/* Each lane reads from the lane that it names. */
void bpermute(Wave &w, const Inst &inst) {
  const u64 exec = w.exec();
  const u32 *a = w.v[vector_register(inst.op[1])], *data = w.v[vector_register(inst.op[2])];
  u32 r[LANES];
  for (int l = 0; l < LANES; l++) {
    const u32 s = (a[l] + (u32)inst.offset) / 4 & 63;
    r[l] = (exec >> s & 1) ? data[s] : 0;
  }
  put_lanes(w.v[vector_register(inst.op[0])], r, exec);
}

/* Each lane writes to the lane that it names. */
void permute(Wave &w, const Inst &inst) {
  const u64 exec = w.exec();
  const u32 *a = w.v[vector_register(inst.op[1])], *data = w.v[vector_register(inst.op[2])];
  u32 r[LANES] = {};
  for (int l = 0; l < LANES; l++)
    if (exec >> l & 1) r[(a[l] + (u32)inst.offset) / 4 & 63] = data[l];
  put_lanes(w.v[vector_register(inst.op[0])], r, exec);
}
} /* namespace */

void reg_lds_lanes(OpTable &t) {
  t.reg("ds_swizzle_b32", swizzle);
  t.reg("ds_bpermute_b32", bpermute);
  t.reg("ds_permute_b32", permute);
  t.reg("ds_nop", [](Wave &, const Inst &) {});
}
} /* namespace isarun */
