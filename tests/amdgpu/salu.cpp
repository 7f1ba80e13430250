/* SPDX-License-Identifier: BSD-3-Clause
 * Scalar ALU: moves, arithmetic, logic, comparisons. */
#include <algorithm>

#include "tests/amdgpu/scalar_operands.h"

namespace isarun {
namespace {
u32 a32(Wave &w, const Inst &inst) { return r32(w, inst.op[1]); }
u32 b32(Wave &w, const Inst &inst) { return r32(w, inst.op[2]); }
u64 a64(Wave &w, const Inst &inst) { return r64(w, inst.op[1]); }
u64 b64(Wave &w, const Inst &inst) { return r64(w, inst.op[2]); }
template <class F> void log32(Wave &w, const Inst &inst, F f) {
  u32 r = f(a32(w, inst), b32(w, inst));
  put32(w, inst.op[0], r);
  w.scc = r != 0;
}
template <class F> void log64(Wave &w, const Inst &inst, F f) {
  u64 r = f(a64(w, inst), b64(w, inst));
  put64(w, inst.op[0], r);
  w.scc = r != 0;
}
u32 bfe32(u32 a, u32 b, bool sg) {
  u32 o = b & 31, n = b >> 16 & 127;
  if (!n) return 0;
  if (n > 32) n = 32;
  u64 x = (sg ? (u64)(i64)(i32)a : (u64)a) >> o;
  if (n == 32) return (u32)x;
  x &= (1ull << n) - 1;
  if (sg && (x >> (n - 1) & 1)) x |= ~0ull << n;
  return (u32)x;
}
u64 bfe64(u64 a, u32 b, bool sg) {
  u32 o = b & 63, n = b >> 16 & 127;
  if (!n) return 0;
  u64 x = sg ? (u64)((i64)a >> o) : a >> o;
  if (n >= 64) return x;
  x &= (1ull << n) - 1;
  if (sg && (x >> (n - 1) & 1)) x |= ~0ull << n;
  return x;
}
u32 brev32(u32 a) {
  u32 r = 0;
  for (int i = 0; i < 32; i++) {
    r = r << 1 | (a & 1);
    a >>= 1;
  }
  return r;
}
u64 wqm(u64 x) {
  u64 r = 0;
  for (int i = 0; i < 64; i += 4)
    if (x >> i & 15) r |= 15ull << i;
  return r;
}
} /* namespace */

#define LOGIC(n, e)                                                                                \
  t.reg("s_" n "_b32",                                                                             \
        [](Wave &w, const Inst &inst) { log32(w, inst, [](u32 a, u32 b) -> u32 { return e; }); }); \
  t.reg("s_" n "_b64",                                                                             \
        [](Wave &w, const Inst &inst) { log64(w, inst, [](u64 a, u64 b) -> u64 { return e; }); })
/* The operands are 0 and 1; operand 1 of COMPARE_K is a constant of type C. */
#define COMPARE(n, T, e)                                                                           \
  t.reg("s_cmp_" n, [](Wave &w, const Inst &inst) {                                                \
    const T a = (T)r32(w, inst.op[0]), b = (T)r32(w, inst.op[1]);                                  \
    w.scc = e;                                                                                     \
  })
#define COMPARE_K(n, T, C, e)                                                                      \
  t.reg("s_cmpk_" n, [](Wave &w, const Inst &inst) {                                               \
    const T a = (T)r32(w, inst.op[0]), b = (T)(C)inst.op[1].c32;                                   \
    w.scc = e;                                                                                     \
  })

namespace {
void reg_moves(OpTable &t) {
  t.reg("s_mov_b32", [](Wave &w, const Inst &inst) { put32(w, inst.op[0], a32(w, inst)); });
  t.reg("s_mov_b64", [](Wave &w, const Inst &inst) { put64(w, inst.op[0], a64(w, inst)); });
  t.reg("s_movk_i32",
        [](Wave &w, const Inst &inst) { put32(w, inst.op[0], (u32)(i32)(i16)a32(w, inst)); });
  t.reg("s_cmov_b32", [](Wave &w, const Inst &inst) {
    if (w.scc) put32(w, inst.op[0], a32(w, inst));
  });
  t.reg("s_cmov_b64", [](Wave &w, const Inst &inst) {
    if (w.scc) put64(w, inst.op[0], a64(w, inst));
  });
  t.reg("s_cmovk_i32", [](Wave &w, const Inst &inst) {
    if (w.scc) put32(w, inst.op[0], (u32)(i32)(i16)a32(w, inst));
  });
  t.reg("s_cselect_b32", [](Wave &w, const Inst &inst) {
    put32(w, inst.op[0], w.scc ? a32(w, inst) : b32(w, inst));
  });
  t.reg("s_cselect_b64", [](Wave &w, const Inst &inst) {
    put64(w, inst.op[0], w.scc ? a64(w, inst) : b64(w, inst));
  });
}

void reg_bits(OpTable &t) {
  t.reg("s_not_b32", [](Wave &w, const Inst &inst) {
    u32 r = ~a32(w, inst);
    put32_scc(w, inst, r);
  });
  t.reg("s_not_b64", [](Wave &w, const Inst &inst) {
    u64 r = ~a64(w, inst);
    put64_scc(w, inst, r);
  });
  t.reg("s_wqm_b64", [](Wave &w, const Inst &inst) {
    u64 r = wqm(a64(w, inst));
    put64_scc(w, inst, r);
  });
  t.reg("s_wqm_b32", [](Wave &w, const Inst &inst) {
    u32 r = (u32)wqm(a32(w, inst));
    put32_scc(w, inst, r);
  });
  t.reg("s_quadmask_b32", [](Wave &w, const Inst &inst) {
    u32 x = a32(w, inst), r = 0;
    for (int i = 0; i < 8; i++)
      if (x >> (4 * i) & 15) r |= 1u << i;
    put32_scc(w, inst, r);
  });
  t.reg("s_quadmask_b64", [](Wave &w, const Inst &inst) {
    u64 x = a64(w, inst), r = 0;
    for (int i = 0; i < 16; i++)
      if (x >> (4 * i) & 15) r |= 1ull << i;
    put64_scc(w, inst, r);
  });
  t.reg("s_brev_b32",
        [](Wave &w, const Inst &inst) { put32(w, inst.op[0], brev32(a32(w, inst))); });
  t.reg("s_brev_b64", [](Wave &w, const Inst &inst) {
    u64 x = a64(w, inst);
    put64(w, inst.op[0], (u64)brev32((u32)x) << 32 | brev32((u32)(x >> 32)));
  });
  t.reg("s_bcnt1_i32_b32", [](Wave &w, const Inst &inst) {
    u32 r = __builtin_popcount(a32(w, inst));
    put32_scc(w, inst, r);
  });
  t.reg("s_bcnt1_i32_b64", [](Wave &w, const Inst &inst) {
    u32 r = __builtin_popcountll(a64(w, inst));
    put32_scc(w, inst, r);
  });
  t.reg("s_bcnt0_i32_b32", [](Wave &w, const Inst &inst) {
    u32 r = 32 - __builtin_popcount(a32(w, inst));
    put32_scc(w, inst, r);
  });
  t.reg("s_bcnt0_i32_b64", [](Wave &w, const Inst &inst) {
    u32 r = 64 - __builtin_popcountll(a64(w, inst));
    put32_scc(w, inst, r);
  });
}

void reg_bit_searches(OpTable &t) {
  t.reg("s_ff1_i32_b32", [](Wave &w, const Inst &inst) {
    u32 x = a32(w, inst);
    put32(w, inst.op[0], x ? __builtin_ctz(x) : ~0u);
  });
  t.reg("s_ff1_i32_b64", [](Wave &w, const Inst &inst) {
    u64 x = a64(w, inst);
    put32(w, inst.op[0], x ? __builtin_ctzll(x) : ~0u);
  });
  t.reg("s_ff0_i32_b32", [](Wave &w, const Inst &inst) {
    u32 x = ~a32(w, inst);
    put32(w, inst.op[0], x ? __builtin_ctz(x) : ~0u);
  });
  t.reg("s_ff0_i32_b64", [](Wave &w, const Inst &inst) {
    u64 x = ~a64(w, inst);
    put32(w, inst.op[0], x ? __builtin_ctzll(x) : ~0u);
  });
  t.reg("s_flbit_i32_b32", [](Wave &w, const Inst &inst) {
    u32 x = a32(w, inst);
    put32(w, inst.op[0], x ? __builtin_clz(x) : ~0u);
  });
  t.reg("s_flbit_i32_b64", [](Wave &w, const Inst &inst) {
    u64 x = a64(w, inst);
    put32(w, inst.op[0], x ? __builtin_clzll(x) : ~0u);
  });
  t.reg("s_flbit_i32", [](Wave &w, const Inst &inst) {
    u32 x = a32(w, inst);
    if ((i32)x < 0) x = ~x;
    put32(w, inst.op[0], x ? __builtin_clz(x) : ~0u);
  });
  t.reg("s_flbit_i32_i64", [](Wave &w, const Inst &inst) {
    u64 x = a64(w, inst);
    if ((i64)x < 0) x = ~x;
    put32(w, inst.op[0], x ? __builtin_clzll(x) : ~0u);
  });
  t.reg("s_sext_i32_i8",
        [](Wave &w, const Inst &inst) { put32(w, inst.op[0], (u32)(i32)(i8)a32(w, inst)); });
  t.reg("s_sext_i32_i16",
        [](Wave &w, const Inst &inst) { put32(w, inst.op[0], (u32)(i32)(i16)a32(w, inst)); });
  t.reg("s_abs_i32", [](Wave &w, const Inst &inst) {
    u32 x = a32(w, inst);
    if ((i32)x < 0) x = -x;
    put32(w, inst.op[0], x);
    w.scc = x != 0;
  });
  t.reg("s_bitset0_b32",
        [](Wave &w, const Inst &inst) { w.s[inst.op[0].reg] &= ~(1u << (a32(w, inst) & 31)); });
  t.reg("s_bitset1_b32",
        [](Wave &w, const Inst &inst) { w.s[inst.op[0].reg] |= 1u << (a32(w, inst) & 31); });
  t.reg("s_bitset0_b64", [](Wave &w, const Inst &inst) {
    put64(w, inst.op[0], w.s64(inst.op[0].reg) & ~(1ull << (a32(w, inst) & 63)));
  });
  t.reg("s_bitset1_b64", [](Wave &w, const Inst &inst) {
    put64(w, inst.op[0], w.s64(inst.op[0].reg) | 1ull << (a32(w, inst) & 63));
  });
  t.reg("s_bitreplicate_b64_b32", [](Wave &w, const Inst &inst) {
    u32 x = a32(w, inst);
    u64 r = 0;
    for (int i = 0; i < 32; i++)
      if (x >> i & 1) r |= 3ull << (2 * i);
    put64(w, inst.op[0], r);
  });

  t.reg("s_movrels_b32", [](Wave &w, const Inst &inst) {
    Operand o = inst.op[1];
    o.reg += (u16)w.s[S_M0];
    put32(w, inst.op[0], r32(w, o));
  });
  t.reg("s_movrels_b64", [](Wave &w, const Inst &inst) {
    Operand o = inst.op[1];
    o.reg += (u16)w.s[S_M0];
    put64(w, inst.op[0], r64(w, o));
  });
  t.reg("s_movreld_b32", [](Wave &w, const Inst &inst) {
    Operand o = inst.op[0];
    o.reg += (u16)w.s[S_M0];
    put32(w, o, a32(w, inst));
  });
  t.reg("s_movreld_b64", [](Wave &w, const Inst &inst) {
    Operand o = inst.op[0];
    o.reg += (u16)w.s[S_M0];
    put64(w, o, a64(w, inst));
  });
}

void reg_arithmetic(OpTable &t) {
  t.reg("s_add_u32", [](Wave &w, const Inst &inst) {
    u64 r = (u64)a32(w, inst) + b32(w, inst);
    put32(w, inst.op[0], (u32)r);
    w.scc = r >> 32;
  });
  t.reg("s_sub_u32", [](Wave &w, const Inst &inst) {
    u32 a = a32(w, inst), b = b32(w, inst);
    put32(w, inst.op[0], a - b);
    w.scc = a < b;
  });
  t.reg("s_addc_u32", [](Wave &w, const Inst &inst) {
    u64 r = (u64)a32(w, inst) + b32(w, inst) + w.scc;
    put32(w, inst.op[0], (u32)r);
    w.scc = r >> 32;
  });
  t.reg("s_subb_u32", [](Wave &w, const Inst &inst) {
    u32 a = a32(w, inst), b = b32(w, inst);
    u32 c = w.scc;
    put32(w, inst.op[0], a - b - c);
    w.scc = (u64)a < (u64)b + c;
  });
  t.reg("s_add_i32", [](Wave &w, const Inst &inst) {
    u32 a = a32(w, inst), b = b32(w, inst), r = a + b;
    put32(w, inst.op[0], r);
    w.scc = (i32)((a ^ r) & (b ^ r)) < 0;
  });
  t.reg("s_sub_i32", [](Wave &w, const Inst &inst) {
    u32 a = a32(w, inst), b = b32(w, inst), r = a - b;
    put32(w, inst.op[0], r);
    w.scc = (i32)((a ^ b) & (a ^ r)) < 0;
  });
  t.reg("s_addk_i32", [](Wave &w, const Inst &inst) {
    u32 a = w.s[inst.op[0].reg], b = (u32)(i32)(i16)a32(w, inst), r = a + b;
    put32(w, inst.op[0], r);
    w.scc = (i32)((a ^ r) & (b ^ r)) < 0;
  });
  t.reg("s_mulk_i32", [](Wave &w, const Inst &inst) {
    put32(w, inst.op[0], w.s[inst.op[0].reg] * (u32)(i32)(i16)a32(w, inst));
  });
  t.reg("s_mul_i32",
        [](Wave &w, const Inst &inst) { put32(w, inst.op[0], a32(w, inst) * b32(w, inst)); });
  t.reg("s_mul_hi_u32", [](Wave &w, const Inst &inst) {
    put32(w, inst.op[0], (u32)((u64)a32(w, inst) * b32(w, inst) >> 32));
  });
  t.reg("s_mul_hi_i32", [](Wave &w, const Inst &inst) {
    put32(w, inst.op[0], (u32)((i64)(i32)a32(w, inst) * (i64)(i32)b32(w, inst) >> 32));
  });
}

void reg_minima(OpTable &t) {
  t.reg("s_min_i32", [](Wave &w, const Inst &inst) {
    i32 a = a32(w, inst), b = b32(w, inst);
    put32(w, inst.op[0], a < b ? a : b);
    w.scc = a < b;
  });
  t.reg("s_max_i32", [](Wave &w, const Inst &inst) {
    i32 a = a32(w, inst), b = b32(w, inst);
    put32(w, inst.op[0], a > b ? a : b);
    w.scc = a > b;
  });
  t.reg("s_min_u32", [](Wave &w, const Inst &inst) {
    u32 a = a32(w, inst), b = b32(w, inst);
    put32(w, inst.op[0], a < b ? a : b);
    w.scc = a < b;
  });
  t.reg("s_max_u32", [](Wave &w, const Inst &inst) {
    u32 a = a32(w, inst), b = b32(w, inst);
    put32(w, inst.op[0], a > b ? a : b);
    w.scc = a > b;
  });
  t.reg("s_absdiff_i32", [](Wave &w, const Inst &inst) {
    i64 d = (i64)(i32)a32(w, inst) - (i32)b32(w, inst);
    u32 r = (u32)(d < 0 ? -d : d);
    put32_scc(w, inst, r);
  });
  t.reg("s_lshl1_add_u32", [](Wave &w, const Inst &inst) {
    u64 r = ((u64)a32(w, inst) << 1) + b32(w, inst);
    put32(w, inst.op[0], (u32)r);
    w.scc = r >> 32 != 0;
  });
  t.reg("s_lshl2_add_u32", [](Wave &w, const Inst &inst) {
    u64 r = ((u64)a32(w, inst) << 2) + b32(w, inst);
    put32(w, inst.op[0], (u32)r);
    w.scc = r >> 32 != 0;
  });
  t.reg("s_lshl3_add_u32", [](Wave &w, const Inst &inst) {
    u64 r = ((u64)a32(w, inst) << 3) + b32(w, inst);
    put32(w, inst.op[0], (u32)r);
    w.scc = r >> 32 != 0;
  });
  t.reg("s_lshl4_add_u32", [](Wave &w, const Inst &inst) {
    u64 r = ((u64)a32(w, inst) << 4) + b32(w, inst);
    put32(w, inst.op[0], (u32)r);
    w.scc = r >> 32 != 0;
  });
  t.reg("s_pack_ll_b32_b16", [](Wave &w, const Inst &inst) {
    put32(w, inst.op[0], (a32(w, inst) & 0xffff) | b32(w, inst) << 16);
  });
  t.reg("s_pack_lh_b32_b16", [](Wave &w, const Inst &inst) {
    put32(w, inst.op[0], (a32(w, inst) & 0xffff) | (b32(w, inst) & 0xffff0000u));
  });
  t.reg("s_pack_hh_b32_b16", [](Wave &w, const Inst &inst) {
    put32(w, inst.op[0], a32(w, inst) >> 16 | (b32(w, inst) & 0xffff0000u));
  });
}

void reg_logic(OpTable &t) {
  LOGIC("and", a & b);
  LOGIC("or", a | b);
  LOGIC("xor", a ^ b);
  LOGIC("andn2", a & ~b);
  LOGIC("orn2", a | ~b);
  LOGIC("nand", ~(a & b));
  LOGIC("nor", ~(a | b));
  LOGIC("xnor", ~(a ^ b));
  t.reg("s_lshl_b32", [](Wave &w, const Inst &inst) {
    u32 r = a32(w, inst) << (b32(w, inst) & 31);
    put32_scc(w, inst, r);
  });
  t.reg("s_lshr_b32", [](Wave &w, const Inst &inst) {
    u32 r = a32(w, inst) >> (b32(w, inst) & 31);
    put32_scc(w, inst, r);
  });
  t.reg("s_ashr_i32", [](Wave &w, const Inst &inst) {
    u32 r = (u32)((i32)a32(w, inst) >> (b32(w, inst) & 31));
    put32_scc(w, inst, r);
  });
  t.reg("s_lshl_b64", [](Wave &w, const Inst &inst) {
    u64 r = a64(w, inst) << (b32(w, inst) & 63);
    put64_scc(w, inst, r);
  });
  t.reg("s_lshr_b64", [](Wave &w, const Inst &inst) {
    u64 r = a64(w, inst) >> (b32(w, inst) & 63);
    put64_scc(w, inst, r);
  });
  t.reg("s_ashr_i64", [](Wave &w, const Inst &inst) {
    u64 r = (u64)((i64)a64(w, inst) >> (b32(w, inst) & 63));
    put64_scc(w, inst, r);
  });
  t.reg("s_bfm_b32", [](Wave &w, const Inst &inst) {
    put32(w, inst.op[0], ((1u << (a32(w, inst) & 31)) - 1) << (b32(w, inst) & 31));
  });
  t.reg("s_bfm_b64", [](Wave &w, const Inst &inst) {
    put64(w, inst.op[0], ((1ull << (a32(w, inst) & 63)) - 1) << (b32(w, inst) & 63));
  });
  t.reg("s_bfe_u32", [](Wave &w, const Inst &inst) {
    u32 r = bfe32(a32(w, inst), b32(w, inst), false);
    put32_scc(w, inst, r);
  });
  t.reg("s_bfe_i32", [](Wave &w, const Inst &inst) {
    u32 r = bfe32(a32(w, inst), b32(w, inst), true);
    put32_scc(w, inst, r);
  });
  t.reg("s_bfe_u64", [](Wave &w, const Inst &inst) {
    u64 r = bfe64(a64(w, inst), b32(w, inst), false);
    put64_scc(w, inst, r);
  });
  t.reg("s_bfe_i64", [](Wave &w, const Inst &inst) {
    u64 r = bfe64(a64(w, inst), b32(w, inst), true);
    put64_scc(w, inst, r);
  });
}

void reg_comparisons(OpTable &t) {
  COMPARE("eq_i32", i32, a == b);
  COMPARE("lg_i32", i32, a != b);
  COMPARE("gt_i32", i32, a > b);
  COMPARE("ge_i32", i32, a >= b);
  COMPARE("lt_i32", i32, a < b);
  COMPARE("le_i32", i32, a <= b);
  COMPARE("eq_u32", u32, a == b);
  COMPARE("lg_u32", u32, a != b);
  COMPARE("gt_u32", u32, a > b);
  COMPARE("ge_u32", u32, a >= b);
  COMPARE("lt_u32", u32, a < b);
  COMPARE("le_u32", u32, a <= b);
  COMPARE_K("eq_i32", i32, i16, a == b);
  COMPARE_K("lg_i32", i32, i16, a != b);
  COMPARE_K("gt_i32", i32, i16, a > b);
  COMPARE_K("ge_i32", i32, i16, a >= b);
  COMPARE_K("lt_i32", i32, i16, a < b);
  COMPARE_K("le_i32", i32, i16, a <= b);
  COMPARE_K("eq_u32", u32, u16, a == b);
  COMPARE_K("lg_u32", u32, u16, a != b);
  COMPARE_K("gt_u32", u32, u16, a > b);
  COMPARE_K("ge_u32", u32, u16, a >= b);
  COMPARE_K("lt_u32", u32, u16, a < b);
  COMPARE_K("le_u32", u32, u16, a <= b);
  t.reg("s_cmp_eq_u64",
        [](Wave &w, const Inst &inst) { w.scc = r64(w, inst.op[0]) == r64(w, inst.op[1]); });
  t.reg("s_cmp_lg_u64",
        [](Wave &w, const Inst &inst) { w.scc = r64(w, inst.op[0]) != r64(w, inst.op[1]); });
  t.reg("s_bitcmp0_b32", [](Wave &w, const Inst &inst) {
    w.scc = !(r32(w, inst.op[0]) >> (r32(w, inst.op[1]) & 31) & 1);
  });
  t.reg("s_bitcmp1_b32", [](Wave &w, const Inst &inst) {
    w.scc = r32(w, inst.op[0]) >> (r32(w, inst.op[1]) & 31) & 1;
  });
  t.reg("s_bitcmp0_b64", [](Wave &w, const Inst &inst) {
    w.scc = !(r64(w, inst.op[0]) >> (r32(w, inst.op[1]) & 63) & 1);
  });
  t.reg("s_bitcmp1_b64", [](Wave &w, const Inst &inst) {
    w.scc = r64(w, inst.op[0]) >> (r32(w, inst.op[1]) & 63) & 1;
  });
}
} /* namespace */

void reg_salu(OpTable &t) {
  reg_moves(t);
  reg_bits(t);
  reg_bit_searches(t);
  reg_arithmetic(t);
  reg_minima(t);
  reg_logic(t);
  reg_comparisons(t);
}
} /* namespace isarun */
