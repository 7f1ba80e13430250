/* SPDX-License-Identifier: BSD-3-Clause
 * Vector ALU: moves, conversions, roundings, estimates of functions. */
#include <limits>

#include "tests/amdgpu/valu.h"

namespace isarun {
namespace {
template <class Int, class F> Int toint(F x) {
  if (x != x) return 0;
  x = std::trunc(x);
  if (x <= (F)std::numeric_limits<Int>::min()) return std::numeric_limits<Int>::min();
  if (x >= (F)std::numeric_limits<Int>::max()) return std::numeric_limits<Int>::max();
  return (Int)x;
}
double coarse(double x) { /* what the f64 estimate instructions keep */
  u64 b;
  memcpy(&b, &x, 8);
  int e = b >> 52 & 2047;
  if (e == 0 || e == 2047) return x;
  b &= ~((1ull << 28) - 1);
  memcpy(&x, &b, 8);
  return x;
}
template <class T> T fract(T x) {
  T r = x - std::floor(x);
  T top = std::nextafter((T)1, (T)0);
  return r > top ? top : r;
}
template <class T> int frexp_e(T x) {
  if (x == 0 || !std::isfinite(x)) return 0;
  int e;
  (void)std::frexp(x, &e);
  return e;
}
template <class T> T frexp_m(T x) {
  if (!std::isfinite(x)) return x;
  int e;
  return std::frexp(x, &e);
}
u32 ffbh_i(i32 a) {
  if (a == 0 || a == -1) return ~0u;
  u32 x = a < 0 ? ~(u32)a : (u32)a;
  return __builtin_clz(x);
}
u32 brev(u32 a) {
  u32 r = 0;
  for (int i = 0; i < 32; i++) {
    r = r << 1 | (a & 1);
    a >>= 1;
  }
  return r;
}
} /* namespace */

void reg_valu_convert(OpTable &t) {
  UNARY("v_mov_b32", u32, u32, a);
  UNARY("v_mov_b64", u64, u64, a);
  UNARY("v_accvgpr_read_b32", u32, u32, a);
  UNARY("v_accvgpr_write_b32", u32, u32, a);
  UNARY("v_accvgpr_mov_b32", u32, u32, a);
  UNARY("v_not_b32", u32, u32, ~a);
  UNARY("v_bfrev_b32", u32, u32, brev(a));
  UNARY("v_ffbh_u32", u32, u32, a ? (u32)__builtin_clz(a) : ~0u);
  UNARY("v_ffbl_b32", u32, u32, a ? (u32)__builtin_ctz(a) : ~0u);
  UNARY("v_ffbh_i32", u32, i32, ffbh_i(a));
  UNARY("v_cvt_f32_i32", float, i32, (float)a);
  UNARY("v_cvt_f32_u32", float, u32, (float)a);
  UNARY("v_cvt_f64_i32", double, i32, (double)a);
  UNARY("v_cvt_f64_u32", double, u32, (double)a);
  UNARY("v_cvt_f64_f32", double, float, (double)a);
  UNARY("v_cvt_f32_f64", float, double, (float)a);
  UNARY("v_cvt_i32_f32", i32, float, (toint<i32>((double)a)));
  UNARY("v_cvt_u32_f32", u32, float, (toint<u32>((double)a)));
  UNARY("v_cvt_i32_f64", i32, double, (toint<i32>(a)));
  UNARY("v_cvt_u32_f64", u32, double, (toint<u32>(a)));
  UNARY("v_cvt_rpi_i32_f32", i32, float, (toint<i32>(std::floor((double)a + 0.5))));
  UNARY("v_cvt_flr_i32_f32", i32, float, (toint<i32>(std::floor((double)a))));
  UNARY("v_cvt_f32_ubyte0", float, u32, (float)(a & 255));
  UNARY("v_cvt_f32_ubyte1", float, u32, (float)(a >> 8 & 255));
  UNARY("v_cvt_f32_ubyte2", float, u32, (float)(a >> 16 & 255));
  UNARY("v_cvt_f32_ubyte3", float, u32, (float)(a >> 24));
  UNARY("v_cvt_f16_f32", f16, float, (f16)a);
  UNARY("v_cvt_f32_f16", float, f16, (float)a);
  UNARY("v_cvt_f16_u16", f16, u16, (f16)a);
  UNARY("v_cvt_f16_i16", f16, i16, (f16)a);
  UNARY("v_cvt_u16_f16", u16, f16, (toint<u16>((double)a)));
  UNARY("v_cvt_i16_f16", i16, f16, (toint<i16>((double)a)));
  UNARY("v_exp_f32", float, float, std::exp2(a));
  UNARY("v_log_f32", float, float, std::log2(a));
  UNARY("v_rcp_f32", float, float, 1.0f / a);
  UNARY("v_rcp_iflag_f32", float, float, 1.0f / a);
  UNARY("v_rsq_f32", float, float, (float)(1.0 / std::sqrt((double)a)));
  UNARY("v_sqrt_f32", float, float, std::sqrt(a));
  UNARY("v_sin_f32", float, float, (float)std::sin(2 * M_PI * (double)a));
  UNARY("v_cos_f32", float, float, (float)std::cos(2 * M_PI * (double)a));
  UNARY("v_rcp_f64", double, double, coarse(1.0 / a));
  UNARY("v_rsq_f64", double, double, coarse(1.0 / std::sqrt(a)));
  UNARY("v_sqrt_f64", double, double, coarse(std::sqrt(a)));
  UNARY("v_fract_f32", float, float, fract(a));
  UNARY("v_fract_f64", double, double, fract(a));
  UNARY("v_trunc_f32", float, float, std::trunc(a));
  UNARY("v_trunc_f64", double, double, std::trunc(a));
  UNARY("v_ceil_f32", float, float, std::ceil(a));
  UNARY("v_ceil_f64", double, double, std::ceil(a));
  UNARY("v_floor_f32", float, float, std::floor(a));
  UNARY("v_floor_f64", double, double, std::floor(a));
  UNARY("v_rndne_f32", float, float, std::nearbyint(a));
  UNARY("v_rndne_f64", double, double, std::nearbyint(a));
  UNARY("v_frexp_exp_i32_f32", i32, float, frexp_e(a));
  UNARY("v_frexp_exp_i32_f64", i32, double, frexp_e(a));
  UNARY("v_frexp_mant_f32", float, float, frexp_m(a));
  UNARY("v_frexp_mant_f64", double, double, frexp_m(a));
  UNARY("v_rcp_f16", f16, f16, (f16)(1.0f / (float)a));
  UNARY("v_rsq_f16", f16, f16, (f16)(1.0 / std::sqrt((double)a)));
  UNARY("v_sqrt_f16", f16, f16, (f16)std::sqrt((float)a));
  UNARY("v_floor_f16", f16, f16, (f16)std::floor((float)a));
  UNARY("v_ceil_f16", f16, f16, (f16)std::ceil((float)a));
  UNARY("v_trunc_f16", f16, f16, (f16)std::trunc((float)a));
  UNARY("v_rndne_f16", f16, f16, (f16)std::nearbyint((float)a));
}
} /* namespace isarun */
