/* SPDX-License-Identifier: BSD-3-Clause
 * Vector ALU: packed instructions, and f32 sums of f16 operands. */
#include "tests/amdgpu/valu.h"

namespace isarun {
namespace {
/* Packed f32: f of the low and of the high halves. */
template <class F> void pk_f32(Wave &w, const Inst &inst, int ns, F f) {
  Ftz z(w.ftz32);
  alignas(64) float a[3][2][64], r[2][64];
  for (int s = 0; s < ns; s++) {
    const Operand &o = inst.op[1 + s];
    for (int h = 0; h < 2; h++) {
      bool hi = (h ? inst.op_sel_hi : inst.op_sel) >> s & 1;
      bool neg = (h ? inst.neg_hi : inst.neg_lo) >> s & 1;
      u32 *d = reinterpret_cast<u32 *>(a[s][h]);
      if (o.kind == KIND_VECTOR)
        memcpy(d, w.v[o.reg + hi], 256);
      else {
        u32 x;
        if (o.kind == KIND_SCALAR)
          x = w.s[o.reg + hi];
        else {
          if (hi && o.c32 != 0) fail("packed f32: the high half of a constant is read");
          x = o.c32;
        }
        for (int l = 0; l < 64; l++) d[l] = x;
      }
      if (neg)
        for (int l = 0; l < 64; l++) d[l] ^= 0x80000000u;
    }
  }
  for (int h = 0; h < 2; h++)
    for (int l = 0; l < 64; l++) r[h][l] = f(a[0][h][l], a[1][h][l], a[2][h][l]);
  outmod(inst, r[0]);
  outmod(inst, r[1]);
  u64 m = w.exec();
  put_lanes(w.v[inst.op[0].reg], reinterpret_cast<u32 *>(r[0]), m);
  put_lanes(w.v[inst.op[0].reg + 1], reinterpret_cast<u32 *>(r[1]), m);
}
/* Packed 16 bit. */
template <class T, class F> void pk_16(Wave &w, const Inst &inst, int ns, F f) {
  T a[3][2][64] = {};
  u32 r[64];
  for (int s = 0; s < ns; s++) {
    const Operand &o = inst.op[1 + s];
    for (int h = 0; h < 2; h++) {
      bool hi = (h ? inst.op_sel_hi : inst.op_sel) >> s & 1;
      bool neg = (h ? inst.neg_hi : inst.neg_lo) >> s & 1;
      for (int l = 0; l < 64; l++) {
        u32 x = o.kind == KIND_VECTOR   ? w.v[o.reg][l]
                : o.kind == KIND_SCALAR ? w.s[o.reg]
                : o.literal             ? o.c32
                                        : (u32)o.c16;
        u16 y = (u16)(hi ? x >> 16 : x);
        if (neg) y ^= 0x8000;
        memcpy(&a[s][h][l], &y, 2);
      }
    }
  }
  if (inst.clamp) fail("packed 16-bit clamp is not modelled");
  for (int l = 0; l < 64; l++) {
    T lo = f(a[0][0][l], a[1][0][l], a[2][0][l]), hi = f(a[0][1][l], a[1][1][l], a[2][1][l]);
    u16 x, y;
    memcpy(&x, &lo, 2);
    memcpy(&y, &hi, 2);
    r[l] = x | (u32)y << 16;
  }
  put_lanes(w.v[inst.op[0].reg], r, w.exec());
}
template <class F>
void fmix(Wave &w, const Inst &inst, int half, F f) { /* v_fma_mix*: half -1: f32 result */
  float a[3][64];
  for (int s = 0; s < 3; s++) {
    const Operand &o = inst.op[1 + s];
    bool h16 = inst.op_sel_hi >> s & 1, hi = inst.op_sel >> s & 1;
    for (int l = 0; l < 64; l++) {
      u32 x = o.kind == KIND_VECTOR ? w.v[o.reg][l] : r32(w, o);
      float y;
      if (h16) {
        u16 z = (u16)(o.kind == KIND_CONST && !o.literal ? o.c16 : hi ? x >> 16 : x);
        f16 q;
        memcpy(&q, &z, 2);
        y = (float)q;
      } else
        memcpy(&y, &x, 4);
      if (o.abs) y = std::fabs(y);
      if (o.neg) y = -y;
      a[s][l] = y;
    }
  }
  u64 m = w.exec();
  for (; m; m &= m - 1) {
    int l = __builtin_ctzll(m);
    float r = f(a[0][l], a[1][l], a[2][l]);
    if (inst.clamp) r = !(r > 0) ? 0 : r > 1 ? 1 : r;
    u32 &d = w.v[inst.op[0].reg][l];
    if (half < 0)
      memcpy(&d, &r, 4);
    else {
      f16 q = (f16)r;
      u16 z;
      memcpy(&z, &q, 2);
      d = half ? (d & 0xffff) | (u32)z << 16 : (d & 0xffff0000u) | z;
    }
  }
}

} /* namespace */

#define PACKED_F32(name, operands, e)                                                              \
  t.reg(name, [](Wave &w, const Inst &inst) {                                                      \
    pk_f32(w, inst, operands, [](float a, float b, [[maybe_unused]] float c) { return e; });       \
  })
#define PACKED_16(name, T, operands, e)                                                            \
  t.reg(name, [](Wave &w, const Inst &inst) {                                                      \
    pk_16<T>(w, inst, operands, [](T a, T b, [[maybe_unused]] T c) -> T { return (T)(e); });       \
  })

void reg_valu_packed(OpTable &t) {
  PACKED_F32("v_pk_fma_f32", 3, std::fma(a, b, c));
  PACKED_F32("v_pk_mul_f32", 2, a * b);
  PACKED_F32("v_pk_add_f32", 2, a + b);
  t.reg("v_pk_mov_b32", [](Wave &w, const Inst &inst) {
    alignas(64) u32 r[2][64];
    for (int h = 0; h < 2; h++) {
      const Operand &o = inst.op[1 + h];
      bool hi = inst.op_sel >> h & 1;
      for (int l = 0; l < 64; l++) {
        if (o.kind == KIND_VECTOR)
          r[h][l] = w.v[o.reg + hi][l];
        else if (o.kind == KIND_SCALAR)
          r[h][l] = w.s[o.reg + hi];
        else {
          if (hi && o.c32 != 0) fail("v_pk_mov_b32: the high half of a constant is read");
          r[h][l] = o.c32;
        }
      }
    }
    put_lanes(w.v[inst.op[0].reg], r[0], w.exec());
    put_lanes(w.v[inst.op[0].reg + 1], r[1], w.exec());
  });
  PACKED_16("v_pk_add_u16", u16, 2, a + b);
  PACKED_16("v_pk_sub_u16", u16, 2, a - b);
  PACKED_16("v_pk_add_i16", u16, 2, a + b);
  PACKED_16("v_pk_sub_i16", u16, 2, a - b);
  PACKED_16("v_pk_mul_lo_u16", u16, 2, (u32)a * b);
  PACKED_16("v_pk_mad_u16", u16, 3, (u32)a * b + c);
  PACKED_16("v_pk_mad_i16", u16, 3, (u32)a * b + c);
  PACKED_16("v_pk_min_u16", u16, 2, std::min(a, b));
  PACKED_16("v_pk_max_u16", u16, 2, std::max(a, b));
  PACKED_16("v_pk_min_i16", i16, 2, std::min(a, b));
  PACKED_16("v_pk_max_i16", i16, 2, std::max(a, b));
  PACKED_16("v_pk_lshlrev_b16", u16, 2, b << (a & 15));
  PACKED_16("v_pk_lshrrev_b16", u16, 2, b >> (a & 15));
  PACKED_16("v_pk_ashrrev_i16", i16, 2, b >> (a & 15));
  PACKED_16("v_pk_add_f16", f16, 2, a + b);
  PACKED_16("v_pk_mul_f16", f16, 2, a * b);
  PACKED_16("v_pk_min_f16", f16, 2, hmin(a, b));
  PACKED_16("v_pk_max_f16", f16, 2, hmax(a, b));
  PACKED_16("v_pk_fma_f16", f16, 3, (double)a * (double)b + (double)c);
  t.reg("v_fma_mix_f32", [](Wave &w, const Inst &inst) {
    fmix(w, inst, -1, [](float a, float b, float c) { return std::fma(a, b, c); });
  });
  t.reg("v_fma_mixlo_f16", [](Wave &w, const Inst &inst) {
    fmix(w, inst, 0, [](float a, float b, float c) { return std::fma(a, b, c); });
  });
  t.reg("v_fma_mixhi_f16", [](Wave &w, const Inst &inst) {
    fmix(w, inst, 1, [](float a, float b, float c) { return std::fma(a, b, c); });
  });
  t.reg("v_cvt_pkrtz_f16_f32", [](Wave &w, const Inst &inst) {
    op2<u32, float, float>(w, inst, [](float a, float b) -> u32 {
      return (u32)(u16)_cvtss_sh(a, _MM_FROUND_TO_ZERO) | (u32)(u16)_cvtss_sh(b, _MM_FROUND_TO_ZERO)
                                                              << 16;
    });
  });
}
} /* namespace isarun */
