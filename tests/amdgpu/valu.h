/* SPDX-License-Identifier: BSD-3-Clause
 * Shared by the vector ALU files: registration of functions of a lane's values, minima, medians. */
#ifndef HB_TESTS_AMDGPU_VALU_H
#define HB_TESTS_AMDGPU_VALU_H

#include <algorithm>

#include "tests/amdgpu/vector_operands.h"

/* Registers in the OpTable t: result of type R from a (type A), b (B), c (C), in each lane. */
#define UNARY(name, R, A, e)                                                                       \
  t.reg(name, [](Wave &w, const Inst &inst) { op1<R, A>(w, inst, [](A a) -> R { return e; }); })
#define BINARY(name, R, A, B, e)                                                                   \
  t.reg(name,                                                                                      \
        [](Wave &w, const Inst &inst) { op2<R, A, B>(w, inst, [](A a, B b) -> R { return e; }); })
#define TERNARY(name, R, A, B, C, e)                                                               \
  t.reg(name, [](Wave &w, const Inst &inst) {                                                      \
    op3<R, A, B, C>(w, inst, [](A a, B b, C c) -> R { return e; });                                \
  })
/* d is the old value of the destination. */
#define ACCUMULATE(name, R, A, e)                                                                  \
  t.reg(name, [](Wave &w, const Inst &inst) {                                                      \
    op_accumulate<R, A>(w, inst, [](A a, A b, R d) -> R { return e; });                            \
  })

namespace isarun {
template <class T> inline T product(T a, T b) { return a * b; }
/* The number where one is NaN; -0 below +0. */
template <class T> inline T fmin_(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T> inline T fmax_(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline f16 hmin(f16 a, f16 b) { return (f16)fmin_<float>((float)a, (float)b); }
inline f16 hmax(f16 a, f16 b) { return (f16)fmax_<float>((float)a, (float)b); }
/* The median. */
template <class T> inline T imed3(T a, T b, T c) {
  T lo = std::min(a, b), hi = std::max(a, b);
  return std::max(lo, std::min(hi, c));
}

/* Three-operand 16-bit instructions leave the other half of the destination alone. */
template <class T, class F> inline void keep16(Wave &w, const Inst &inst, F f) {
  In<T> ba, bb, bc, r;
  const T *a = fetch<T>(w, inst, 1, 0, ba), *b = fetch<T>(w, inst, 2, 1, bb),
          *c = fetch<T>(w, inst, 3, 2, bc);
  for (int l = 0; l < 64; l++) r.t[l] = f(a[l], b[l], c[l]);
  outmod(inst, r.t);
  const u16 *h = reinterpret_cast<const u16 *>(r.t);
  u32 *d = w.v[inst.op[0].reg];
  for (u64 m = w.exec(); m; m &= m - 1) {
    int l = __builtin_ctzll(m);
    d[l] = (inst.op_sel >> 3 & 1) ? (d[l] & 0xffff) | (u32)h[l] << 16 : (d[l] & 0xffff0000u) | h[l];
  }
}
} /* namespace isarun */
#endif
