/* SPDX-License-Identifier: BSD-3-Clause
 * Vector ALU: the helpers of division, and the argument reduction of sine and cosine. */
#include <cfenv>
#include <limits>

#include "tests/amdgpu/valu.h"

namespace isarun {
namespace {
template <class T> struct Format;
template <> struct Format<float> {
  typedef u32 Bits;
  enum { mantissa = 23, top_exponent = 255 };
  /* v_div_scale: exponents of numerator and denominator this far apart overflow the quotient;
   * numerators up to this exponent are small; power of two to scale by; where the result of
   * v_div_fixup is zero. */
  enum { overflow = 96, small = 23, scale = 64, underflow = -150 };
};
template <> struct Format<double> {
  typedef u64 Bits;
  enum { mantissa = 52, top_exponent = 2047 };
  enum { overflow = 768, small = 53, scale = 128, underflow = -1075 };
};
template <class T> typename Format<T>::Bits bits(T x) {
  typename Format<T>::Bits u;
  memcpy(&u, &x, sizeof u);
  return u;
}
template <class T> int biased_exponent(T x) {
  return (int)(bits(x) >> Format<T>::mantissa & Format<T>::top_exponent);
}
template <class T> bool is_denormal(T x) { return biased_exponent(x) == 0 && x != 0; }
template <class T> T div_scale(T s0, T d, T n, bool &vcc) {
  typedef Format<T> P;
  vcc = false;
  if (n == 0 || d == 0) return std::numeric_limits<T>::quiet_NaN();
  bool is_d = bits(s0) == bits(d), is_n = bits(s0) == bits(n);
  if (biased_exponent(n) - biased_exponent(d) >= P::overflow) {
    vcc = true;
    return is_d ? std::ldexp(s0, P::scale) : s0;
  }
  if (is_denormal(d)) return std::ldexp(s0, P::scale);
  bool reciprocal_denormal = is_denormal((T)1 / d), quotient_denormal = is_denormal(n / d);
  /* the ISA documents print +128 (+64) here; that overflows, and only the other sign fits
   * v_div_fmas */
  if (reciprocal_denormal && quotient_denormal) {
    vcc = true;
    return is_d ? std::ldexp(s0, -P::scale) : s0;
  }
  if (reciprocal_denormal) return std::ldexp(s0, -P::scale);
  if (quotient_denormal) {
    vcc = true;
    return is_n ? std::ldexp(s0, P::scale) : s0;
  }
  if (biased_exponent(n) <= P::small) return std::ldexp(s0, P::scale);
  return s0;
}
template <class T> void x_div_scale(Wave &w, const Inst &inst) { /* vdst, sdst, s0, s1, s2 */
  In<T> ba, bb, bc, r;
  const T *a = fetch<T>(w, inst, 2, 0, ba), *b = fetch<T>(w, inst, 3, 1, bb),
          *c = fetch<T>(w, inst, 4, 2, bc);
  u64 m = w.exec(), vcc = 0;
  for (u64 q = m; q; q &= q - 1) {
    int l = __builtin_ctzll(q);
    bool f;
    r.t[l] = div_scale<T>(a[l], b[l], c[l], f);
    if (f) vcc |= 1ull << l;
  }
  store(w, inst, 0, r.t, m);
  put64(w, inst.op[1], vcc);
}
/* fma rounded to odd, so that scaling it down to a denormal rounds once */
template <class T> T fma_odd(T a, T b, T c) {
  volatile T va = a, vb = b, vc = c;
  fesetround(FE_TOWARDZERO);
  feclearexcept(FE_INEXACT);
  volatile T r = std::fma(va, vb, vc);
  bool inexact = fetestexcept(FE_INEXACT);
  fesetround(FE_TONEAREST);
  T x = r;
  if (inexact && std::isfinite(x)) {
    typename Format<T>::Bits u = bits(x) | 1;
    memcpy(&x, &u, sizeof x);
  }
  return x;
}
template <class T> void x_div_fmas(Wave &w, const Inst &inst) {
  In<T> ba, bb, bc, r;
  const T *a = fetch<T>(w, inst, 1, 0, ba), *b = fetch<T>(w, inst, 2, 1, bb),
          *c = fetch<T>(w, inst, 3, 2, bc);
  u64 vcc = w.vcc();
  for (int l = 0; l < 64; l++) {
    T x = std::fma(a[l], b[l], c[l]);
    if (vcc >> l & 1) {
      if (biased_exponent(c[l]) > Format<T>::top_exponent / 2)
        x = std::ldexp(x, Format<T>::scale);
      else
        x = std::ldexp(fma_odd(a[l], b[l], c[l]), -Format<T>::scale);
    }
    r.t[l] = x;
  }
  outmod(inst, r.t);
  store(w, inst, 0, r.t, w.exec());
}
template <class T> T div_fixup(T q, T d, T n) {
  typedef Format<T> P;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  bool neg = std::signbit(d) != std::signbit(n);
  T z = 0;
  if (n != n) return n;
  if (d != d) return d;
  if (d == 0 && n == 0) return nan;
  if (std::isinf(d) && std::isinf(n)) return nan;
  if (d == 0 || std::isinf(n)) return neg ? -inf : inf;
  if (std::isinf(d) || n == 0) return neg ? -z : z;
  if (biased_exponent(n) - biased_exponent(d) < P::underflow) return neg ? -z : z;
  if (q != q) return neg ? -inf : inf; /* the quotient overflowed on the way */
  return neg ? -std::fabs(q) : std::fabs(q);
}
/* Argument reduction of sin and cos: 53 bits of 2/pi, taken at a position that the exponent
 * selects. */
const u64 two_over_pi[20] =
    {/* 0.1010..., first bit leftmost */
     0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
     0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
     0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
     0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
     0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b0000ull, 0};
double trig_preop(double x, u32 seg) {
  int e = biased_exponent(x), shift = (int)(seg & 31) * 53;
  if (e > 1077) shift += e - 1077;
  u64 r = 0;
  for (int i = 0; i < 53; i++) {
    int b = shift + i;
    r = r << 1 | (b < 1201 ? two_over_pi[b / 64] >> (63 - b % 64) & 1 : 0);
  }
  return std::ldexp((double)r, -53 - shift + (e >= 1968 ? 128 : 0));
}
} /* namespace */

void reg_valu_divide(OpTable &t) {
  BINARY("v_trig_preop_f64", double, double, u32, trig_preop(a, b));
  TERNARY("v_div_fixup_f32", float, float, float, float, div_fixup(a, b, c));
  TERNARY("v_div_fixup_f64", double, double, double, double, div_fixup(a, b, c));
  t.reg("v_div_scale_f32", x_div_scale<float>);
  t.reg("v_div_scale_f64", x_div_scale<double>);
  t.reg("v_div_fmas_f32", x_div_fmas<float>);
  t.reg("v_div_fmas_f64", x_div_fmas<double>);
}
} /* namespace isarun */
