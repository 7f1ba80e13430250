/* SPDX-License-Identifier: BSD-3-Clause
 * Vector ALU: 32-bit and 64-bit integers. */
#include "tests/amdgpu/valu.h"

namespace isarun {
namespace {
u32 bfe_u(u32 a, u32 o, u32 n) {
  o &= 31;
  n &= 31;
  return (a >> o) & ((1u << n) - 1);
}
u32 bfe_i(u32 a, u32 o, u32 n) {
  o &= 31;
  n &= 31;
  if (!n) return 0;
  u32 x = (a >> o) & ((1u << n) - 1);
  if (o + n >= 32) return (u32)((i32)a >> o);
  return (u32)((i32)(x << (32 - n)) >> (32 - n));
}
i32 sx24(u32 x) { return (i32)(x << 8) >> 8; }
u32 perm(u32 a, u32 b, u32 sel) {
  u64 d = (u64)a << 32 | b;
  u32 r = 0;
  for (int i = 0; i < 4; i++) {
    u32 s = sel >> (8 * i) & 255, x;
    if (s < 8)
      x = d >> (8 * s) & 255;
    else if (s < 12) {
      int by = (s - 8) * 2 + 1;
      x = (d >> (8 * by + 7) & 1) ? 255 : 0;
    } else
      x = s == 12 ? 0 : 255;
    r |= x << (8 * i);
  }
  return r;
}
/* Sums and differences; operand 1 is the carry-out where there is one. */
template <bool Sub, bool Rev, bool CarryOut, bool CarryIn>
void x_addsub(Wave &w, const Inst &inst) {
  In<u32> ba, bb, r, in, out;
  int i = CarryOut ? 2 : 1;
  const u32 *a = fetch<u32>(w, inst, i, 0, ba), *b = fetch<u32>(w, inst, i + 1, 1, bb);
  if (Rev) std::swap(a, b);
  const u64 m = wmask(w, inst);
  if (CarryIn) {
    if (inst.num_ops <= i + 2) fail("carry-in operand missing");
    spread_mask(r64(w, inst.op[i + 2]), in.t);
  }
  const u32 saturated = Sub ? 0 : ~0u;
  for (int l = 0; l < 64; l++) {
    const u32 c = CarryIn ? in.t[l] & 1 : 0, x = a[l], y = b[l];
    r.t[l] = Sub ? x - y - c : x + y + c;
    out.t[l] = Sub ? (x < y) | ((x == y) & c) : (r.t[l] < x) | ((r.t[l] == x) & c);
  }
  if (inst.clamp)
    for (int l = 0; l < 64; l++)
      if (out.t[l]) r.t[l] = saturated;
  store(w, inst, 0, r.t, m);
  if (CarryOut) put64(w, inst.op[1], mask_of(out.t) & m);
}
template <bool Signed> void x_mad64(Wave &w, const Inst &inst) { /* vdst2, sdst, a, b, c2 */
  In<u32> ba, bb;
  In<u64> bc, r;
  In<u32> out;
  const u32 *a = fetch<u32>(w, inst, 2, 0, ba), *b = fetch<u32>(w, inst, 3, 1, bb);
  const u64 *c = fetch<u64>(w, inst, 4, 2, bc);
  const u64 m = w.exec();
  for (int l = 0; l < 64; l++) {
    u64 p = Signed ? (u64)((i64)(i32)a[l] * (i64)(i32)b[l]) : (u64)a[l] * b[l];
    u64 x = p + c[l];
    r.t[l] = x;
    out.t[l] = Signed ? (u32)(((p ^ x) & (c[l] ^ x)) >> 63) : x < p;
  }
  store(w, inst, 0, r.t, m);
  put64(w, inst.op[1], mask_of(out.t) & m);
}
template <bool Hi> void x_mbcnt(Wave &w, const Inst &inst) {
  In<u32> ba, bb, r;
  const u32 *a = fetch<u32>(w, inst, 1, 0, ba), *b = fetch<u32>(w, inst, 2, 1, bb);
  for (int l = 0; l < 64; l++) {
    u32 below = Hi ? (l > 32 ? (u32)((1ull << (l - 32)) - 1) : 0) : (l >= 32 ? ~0u : (1u << l) - 1);
    r.t[l] = b[l] + __builtin_popcount(a[l] & below);
  }
  store(w, inst, 0, r.t, wmask(w, inst));
}
void x_cndmask(Wave &w, const Inst &inst) {
  In<u32> ba, bb, r;
  const u32 *a = fetch<u32>(w, inst, 1, 0, ba), *b = fetch<u32>(w, inst, 2, 1, bb);
  u64 c = inst.num_ops > 3 ? r64(w, inst.op[3]) : w.vcc();
  In<u32> on;
  spread_mask(c, on.t);
  for (int l = 0; l < 64; l++) r.t[l] = (b[l] & on.t[l]) | (a[l] & ~on.t[l]);
  store(w, inst, 0, r.t, wmask(w, inst));
}
} /* namespace */

void reg_valu_int(OpTable &t) {
  t.reg("v_add_u32", x_addsub<false, false, false, false>);
  t.reg("v_sub_u32", x_addsub<true, false, false, false>);
  t.reg("v_subrev_u32", x_addsub<true, true, false, false>);
  t.reg("v_add_co_u32", x_addsub<false, false, true, false>);
  t.reg("v_sub_co_u32", x_addsub<true, false, true, false>);
  t.reg("v_subrev_co_u32", x_addsub<true, true, true, false>);
  t.reg("v_addc_co_u32", x_addsub<false, false, true, true>);
  t.reg("v_subb_co_u32", x_addsub<true, false, true, true>);
  t.reg("v_subbrev_co_u32", x_addsub<true, true, true, true>);
  BINARY("v_add_i32", u32, u32, u32, a + b);
  BINARY("v_sub_i32", u32, u32, u32, a - b);
  BINARY("v_mul_lo_u32", u32, u32, u32, a * b);
  BINARY("v_mul_hi_u32", u32, u32, u32, (u32)((u64)a * b >> 32));
  BINARY("v_mul_hi_i32", u32, i32, i32, (u32)((i64)a * b >> 32));
  BINARY("v_mul_u32_u24", u32, u32, u32, (a & 0xffffff) * (b & 0xffffff));
  BINARY("v_mul_hi_u32_u24", u32, u32, u32, (u32)((u64)(a & 0xffffff) * (b & 0xffffff) >> 32));
  BINARY("v_mul_i32_i24", u32, u32, u32, (u32)((i64)sx24(a) * sx24(b)));
  BINARY("v_mul_hi_i32_i24", u32, u32, u32, (u32)((i64)sx24(a) * sx24(b) >> 32));
  BINARY("v_and_b32", u32, u32, u32, a & b);
  BINARY("v_or_b32", u32, u32, u32, a | b);
  BINARY("v_xor_b32", u32, u32, u32, a ^ b);
  BINARY("v_xnor_b32", u32, u32, u32, ~(a ^ b));
  BINARY("v_min_u32", u32, u32, u32, a < b ? a : b);
  BINARY("v_max_u32", u32, u32, u32, a > b ? a : b);
  BINARY("v_min_i32", i32, i32, i32, a < b ? a : b);
  BINARY("v_max_i32", i32, i32, i32, a > b ? a : b);
  BINARY("v_lshlrev_b32", u32, u32, u32, b << (a & 31));
  BINARY("v_lshrrev_b32", u32, u32, u32, b >> (a & 31));
  BINARY("v_ashrrev_i32", i32, u32, i32, b >> (a & 31));
  BINARY("v_lshlrev_b64", u64, u32, u64, b << (a & 63));
  BINARY("v_lshrrev_b64", u64, u32, u64, b >> (a & 63));
  BINARY("v_ashrrev_i64", i64, u32, i64, b >> (a & 63));
  BINARY("v_bfm_b32", u32, u32, u32, ((1u << (a & 31)) - 1) << (b & 31));
  BINARY("v_bcnt_u32_b32", u32, u32, u32, (u32)__builtin_popcount(a) + b);
  t.reg("v_mbcnt_lo_u32_b32", x_mbcnt<false>);
  t.reg("v_mbcnt_hi_u32_b32", x_mbcnt<true>);
  t.reg("v_cndmask_b32", x_cndmask);
  TERNARY("v_mad_u32_u24", u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff) + c);
  TERNARY("v_mad_i32_i24", u32, u32, u32, u32, (u32)((i64)sx24(a) * sx24(b)) + c);
  TERNARY("v_add3_u32", u32, u32, u32, u32, a + b + c);
  TERNARY("v_lshl_add_u32", u32, u32, u32, u32, (a << (b & 31)) + c);
  TERNARY("v_add_lshl_u32", u32, u32, u32, u32, (a + b) << (c & 31));
  TERNARY("v_lshl_or_b32", u32, u32, u32, u32, (a << (b & 31)) | c);
  TERNARY("v_and_or_b32", u32, u32, u32, u32, (a & b) | c);
  TERNARY("v_or3_b32", u32, u32, u32, u32, a | b | c);
  TERNARY("v_xad_u32", u32, u32, u32, u32, (a ^ b) + c);
  TERNARY("v_lshl_add_u64", u64, u64, u32, u64, (a << (b & 7)) + c);
  TERNARY("v_bfe_u32", u32, u32, u32, u32, bfe_u(a, b, c));
  TERNARY("v_bfe_i32", u32, u32, u32, u32, bfe_i(a, b, c));
  TERNARY("v_bfi_b32", u32, u32, u32, u32, (a & b) | (~a & c));
  TERNARY("v_alignbit_b32", u32, u32, u32, u32, (u32)(((u64)a << 32 | b) >> (c & 31)));
  TERNARY("v_alignbyte_b32", u32, u32, u32, u32, (u32)(((u64)a << 32 | b) >> (8 * (c & 3))));
  TERNARY("v_perm_b32", u32, u32, u32, u32, perm(a, b, c));
  TERNARY("v_sad_u32", u32, u32, u32, u32, (a > b ? a - b : b - a) + c);
  TERNARY("v_min3_u32", u32, u32, u32, u32, std::min(std::min(a, b), c));
  TERNARY("v_max3_u32", u32, u32, u32, u32, std::max(std::max(a, b), c));
  TERNARY("v_med3_u32", u32, u32, u32, u32, imed3(a, b, c));
  TERNARY("v_min3_i32", i32, i32, i32, i32, std::min(std::min(a, b), c));
  TERNARY("v_max3_i32", i32, i32, i32, i32, std::max(std::max(a, b), c));
  TERNARY("v_med3_i32", i32, i32, i32, i32, imed3(a, b, c));
  t.reg("v_mad_u64_u32", x_mad64<false>);
  t.reg("v_mad_i64_i32", x_mad64<true>);
}
} /* namespace isarun */
