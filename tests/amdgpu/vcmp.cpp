/* SPDX-License-Identifier: BSD-3-Clause
 * Vector comparisons and classes. */
#include "tests/amdgpu/vector_operands.h"

namespace isarun {
namespace {
enum { LT, EQ, LE, GT, LG, GE, O, U, NGE, NLG, NGT, NLE, NEQ, NLT, TRU, FLS };
template <class T, int C> inline bool cmp(T a, T b) {
  switch (C) {
  case LT: return a < b;
  case EQ: return a == b;
  case LE: return a <= b;
  case GT: return a > b;
  case LG: return a < b || a > b;
  case GE: return a >= b;
  case O: return a == a && b == b;
  case U: return a != a || b != b;
  case NGE: return !(a >= b);
  case NLG: return !(a < b || a > b);
  case NGT: return !(a > b);
  case NLE: return !(a <= b);
  case NEQ: return !(a == b);
  case NLT: return !(a < b);
  case TRU: return true;
  default: return false;
  }
}
template <class T, int C> void x_cmp(Wave &w, const Inst &inst) {
  Ftz z(wants_ftz<T>(w));
  In<T> ba, bb;
  const T *a = fetch<T>(w, inst, 1, 0, ba), *b = fetch<T>(w, inst, 2, 1, bb);
  alignas(64) u32 f[64];
  for (int l = 0; l < 64; l++) f[l] = cmp<T, C>(a[l], b[l]);
  u64 m = mask_of(f) & w.exec();
  put64(w, inst.op[0], m);
}
template <class T> u32 classify(T x) {
  typedef typename UInt<sizeof(T)>::t B;
  B b;
  memcpy(&b, &x, sizeof b);
  const int mant = sizeof(T) == 8 ? 52 : sizeof(T) == 4 ? 23 : 10;
  const B top = sizeof(T) == 8 ? 2047 : sizeof(T) == 4 ? 255 : 31;
  bool neg = b >> (8 * sizeof(B) - 1);
  B e = b >> mant & top, m = b & (((B)1 << mant) - 1);
  if (e == top) {
    if (m) return (m >> (mant - 1)) ? 2 : 1;
    return neg ? 4 : 512;
  }
  if (e) return neg ? 8 : 256;
  if (m) return neg ? 16 : 128;
  return neg ? 32 : 64;
}
template <class T> void x_class(Wave &w, const Inst &inst) {
  In<T> ba;
  In<u32> bb;
  const T *a = fetch<T>(w, inst, 1, 0, ba);
  const u32 *b = fetch<u32>(w, inst, 2, 1, bb);
  alignas(64) u32 f[64];
  for (int l = 0; l < 64; l++) f[l] = (classify(a[l]) & b[l]) != 0;
  put64(w, inst.op[0], mask_of(f) & w.exec());
}
/* v_cmpx: the result becomes EXEC, too. */
template <Fn COMPARE> void with_exec(Wave &w, const Inst &inst) {
  COMPARE(w, inst);
  w.w64(S_EXEC, r64(w, inst.op[0]));
}
template <class T, int C>
void reg_condition(OpTable &t, const std::string &condition, const std::string &type) {
  t.reg("v_cmp_" + condition + "_" + type, x_cmp<T, C>);
  t.reg("v_cmpx_" + condition + "_" + type, with_exec<x_cmp<T, C>>);
}
template <class T, bool Float> void reg_type(OpTable &t, const std::string &type) {

  reg_condition<T, FLS>(t, "f", type);
  reg_condition<T, LT>(t, "lt", type);
  reg_condition<T, EQ>(t, "eq", type);
  reg_condition<T, LE>(t, "le", type);
  reg_condition<T, GT>(t, "gt", type);
  reg_condition<T, GE>(t, "ge", type);
  if (Float) {
    reg_condition<T, LG>(t, "lg", type);
    reg_condition<T, O>(t, "o", type);
    reg_condition<T, U>(t, "u", type);
    reg_condition<T, NGE>(t, "nge", type);
    reg_condition<T, NLG>(t, "nlg", type);
    reg_condition<T, NGT>(t, "ngt", type);
    reg_condition<T, NLE>(t, "nle", type);
    reg_condition<T, NEQ>(t, "neq", type);
    reg_condition<T, NLT>(t, "nlt", type);
    reg_condition<T, TRU>(t, "tru", type);
  } else {
    reg_condition<T, NEQ>(t, "ne", type);
    reg_condition<T, TRU>(t, "t", type);
  }
}
} /* namespace */
void reg_vcmp(OpTable &t) {
  reg_type<float, true>(t, "f32");
  reg_type<double, true>(t, "f64");
  reg_type<f16, true>(t, "f16");
  reg_type<i32, false>(t, "i32");
  reg_type<u32, false>(t, "u32");
  reg_type<i64, false>(t, "i64");
  reg_type<u64, false>(t, "u64");
  reg_type<i16, false>(t, "i16");
  reg_type<u16, false>(t, "u16");
  t.reg("v_cmp_class_f32", x_class<float>);
  t.reg("v_cmp_class_f64", x_class<double>);
  t.reg("v_cmp_class_f16", x_class<f16>);
  t.reg("v_cmpx_class_f32", with_exec<x_class<float>>);
  t.reg("v_cmpx_class_f64", with_exec<x_class<double>>);
}
} /* namespace isarun */
