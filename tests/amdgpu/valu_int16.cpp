/* SPDX-License-Identifier: BSD-3-Clause
 * Vector ALU: 16-bit integers and f16. */
#include "tests/amdgpu/valu.h"

namespace isarun {
void reg_valu_int16(OpTable &t) {
  BINARY("v_add_f16", f16, f16, f16, a + b);
  BINARY("v_sub_f16", f16, f16, f16, a - b);
  BINARY("v_subrev_f16", f16, f16, f16, b - a);
  BINARY("v_mul_f16", f16, f16, f16, a * b);
  BINARY("v_min_f16", f16, f16, f16, hmin(a, b));
  BINARY("v_max_f16", f16, f16, f16, hmax(a, b));
  t.reg("v_fma_f16", [](Wave &w, const Inst &inst) {
    keep16<f16>(w, inst, [](f16 a, f16 b, f16 c) -> f16 {
      return (f16)((double)a * (double)b + (double)c);
    });
  });
  ACCUMULATE("v_fmac_f16", f16, f16, (f16)((double)a * (double)b + (double)d));

  BINARY("v_add_u16", u16, u16, u16, (u16)(a + b));
  BINARY("v_sub_u16", u16, u16, u16, (u16)(a - b));
  BINARY("v_subrev_u16", u16, u16, u16, (u16)(b - a));
  BINARY("v_add_i16", u16, u16, u16, (u16)(a + b));
  BINARY("v_sub_i16", u16, u16, u16, (u16)(a - b));
  BINARY("v_mul_lo_u16", u16, u16, u16, (u16)((u32)a * b));
  BINARY("v_lshlrev_b16", u16, u16, u16, (u16)(b << (a & 15)));
  BINARY("v_lshrrev_b16", u16, u16, u16, (u16)(b >> (a & 15)));
  BINARY("v_ashrrev_i16", i16, u16, i16, (i16)(b >> (a & 15)));
  BINARY("v_min_u16", u16, u16, u16, a < b ? a : b);
  BINARY("v_max_u16", u16, u16, u16, a > b ? a : b);
  BINARY("v_min_i16", i16, i16, i16, a < b ? a : b);
  BINARY("v_max_i16", i16, i16, i16, a > b ? a : b);
  t.reg("v_mad_u16", [](Wave &w, const Inst &inst) {
    keep16<u16>(w, inst, [](u16 a, u16 b, u16 c) -> u16 { return (u16)((u32)a * b + c); });
  });
  TERNARY("v_mad_legacy_u16", u16, u16, u16, u16, (u16)((u32)a * b + c));
  t.reg("v_mad_i16", [](Wave &w, const Inst &inst) {
    keep16<u16>(w, inst, [](u16 a, u16 b, u16 c) -> u16 { return (u16)((u32)a * b + c); });
  });
  TERNARY("v_mad_legacy_i16", u16, u16, u16, u16, (u16)((u32)a * b + c));
  TERNARY("v_min3_u16", u16, u16, u16, u16, std::min(std::min(a, b), c));
  TERNARY("v_max3_u16", u16, u16, u16, u16, std::max(std::max(a, b), c));
  TERNARY("v_med3_u16", u16, u16, u16, u16, imed3(a, b, c));
  TERNARY("v_min3_i16", i16, i16, i16, i16, std::min(std::min(a, b), c));
  TERNARY("v_max3_i16", i16, i16, i16, i16, std::max(std::max(a, b), c));
  TERNARY("v_med3_i16", i16, i16, i16, i16, imed3(a, b, c));
  BINARY("v_cvt_pk_u16_u32", u32, u32, u32, std::min(a, 65535u) | std::min(b, 65535u) << 16);
  BINARY("v_cvt_pk_i16_i32", u32, i32, i32,
         (u32)(u16)imed3(a, -32768, 32767) | (u32)(u16)imed3(b, -32768, 32767) << 16);
  TERNARY("v_mad_u32_u16", u32, u16, u16, u32, (u32)a * b + c);
  TERNARY("v_mad_i32_i16", u32, i16, i16, u32, (u32)((i32)a * b) + c);
  t.reg("v_pack_b32_f16", [](Wave &w, const Inst &inst) {
    In<u16> ba, bb;
    In<u32> r;
    const u16 *a = fetch<u16>(w, inst, 1, 0, ba), *b = fetch<u16>(w, inst, 2, 1, bb);
    for (int l = 0; l < 64; l++) r.t[l] = a[l] | (u32)b[l] << 16;
    store(w, inst, 0, r.t, w.exec());
  });
}
} /* namespace isarun */
