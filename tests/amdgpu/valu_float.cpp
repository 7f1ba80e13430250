/* SPDX-License-Identifier: BSD-3-Clause
 * Vector ALU: arithmetic of f32 and f64. */
#include "tests/amdgpu/valu.h"

namespace isarun {
namespace {
template <class T> T fmed3(T a, T b, T c) {
  if (a != a || b != b || c != c) return fmin_(fmin_(a, b), c);
  T m = fmax_(fmax_(a, b), c);
  if (m == a) return fmax_(b, c);
  if (m == b) return fmax_(a, c);
  return fmax_(a, b);
}
} /* namespace */

void reg_valu_float(OpTable &t) {
  BINARY("v_add_f32", float, float, float, a + b);
  BINARY("v_sub_f32", float, float, float, a - b);
  BINARY("v_subrev_f32", float, float, float, b - a);
  BINARY("v_mul_f32", float, float, float, product(a, b));
  BINARY("v_mul_legacy_f32", float, float, float, (a == 0 || b == 0) ? 0.0f : product(a, b));
  BINARY("v_min_f32", float, float, float, fmin_(a, b));
  BINARY("v_max_f32", float, float, float, fmax_(a, b));
  BINARY("v_ldexp_f32", float, float, i32, std::ldexp(a, b));
  BINARY("v_add_f64", double, double, double, a + b);
  BINARY("v_mul_f64", double, double, double, product(a, b));
  BINARY("v_min_f64", double, double, double, fmin_(a, b));
  BINARY("v_max_f64", double, double, double, fmax_(a, b));
  BINARY("v_ldexp_f64", double, double, i32, std::ldexp(a, b));
  TERNARY("v_fma_f32", float, float, float, float, std::fma(a, b, c));
  TERNARY("v_fma_f64", double, double, double, double, std::fma(a, b, c));
  TERNARY("v_mad_f32", float, float, float, float, product(a, b) + c);
  TERNARY("v_mad_legacy_f32", float, float, float, float,
          ((a == 0 || b == 0) ? 0.0f : product(a, b)) + c);
  TERNARY("v_fma_legacy_f32", float, float, float, float,
          (a == 0 || b == 0) ? c : std::fma(a, b, c));
  TERNARY("v_fmamk_f32", float, float, float, float, std::fma(a, b, c));
  TERNARY("v_fmaak_f32", float, float, float, float, std::fma(a, b, c));
  TERNARY("v_madmk_f32", float, float, float, float, product(a, b) + c);
  TERNARY("v_madak_f32", float, float, float, float, product(a, b) + c);
  ACCUMULATE("v_fmac_f32", float, float, std::fma(a, b, d));
  ACCUMULATE("v_mac_f32", float, float, product(a, b) + d);
  ACCUMULATE("v_fmac_f64", double, double, std::fma(a, b, d));
  TERNARY("v_min3_f32", float, float, float, float, fmin_(fmin_(a, b), c));
  TERNARY("v_max3_f32", float, float, float, float, fmax_(fmax_(a, b), c));
  TERNARY("v_med3_f32", float, float, float, float, fmed3(a, b, c));
}
} /* namespace isarun */
