/* SPDX-License-Identifier: BSD-3-Clause
 * Reading and writing vector operands of all lanes, and functions that apply f to each lane.
 *
 * fetch() gives the 64 values of a source operand with its modifiers, DPP and SDWA applied; store()
 * writes the lanes that are in the mask.  op1, op2, op3, op_accumulate do both around f; their
 * operand 0 is the destination. */
#ifndef HB_TESTS_AMDGPU_VECTOR_OPERANDS_H
#define HB_TESTS_AMDGPU_VECTOR_OPERANDS_H

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "tests/amdgpu/scalar_operands.h"

namespace isarun {
template <class T> struct In { alignas(64) T t[64]; };
template <int N> struct UInt;
template <> struct UInt<2> { typedef u16 t; };
template <> struct UInt<4> { typedef u32 t; };
template <> struct UInt<8> { typedef u64 t; };

inline u32 sdwa_pick(u32 x, int sel, bool sext) {
  if (sel < 4) {
    x = (x >> (8 * sel)) & 255;
    return sext ? (u32)(i32)(i8)x : x;
  }
  if (sel < 6) {
    x = (x >> (16 * (sel - 4))) & 65535;
    return sext ? (u32)(i32)(i16)x : x;
  }
  return x;
}

/* register r for all lanes, DPP applied when asked. */
inline void raw_v(const Wave &w, const Inst &inst, int r, bool dpp, u32 *t) {
  if (!dpp) {
    memcpy(t, w.v[r], 256);
    return;
  }
  u64 ex = w.exec();
  for (int l = 0; l < 64; l++) {
    int s = (*inst.dpp)[l];
    t[l] = (s >= 0 && (ex >> s & 1)) ? w.v[r][s] : 0;
  }
}

/* lanes that the instruction writes. */
inline u64 wmask(const Wave &w, const Inst &inst) {
  u64 ex = w.exec();
  if (!(inst.flags & F_DPP)) return ex;
  u64 m = 0;
  for (int l = 0; l < 64; l++) {
    int s = (*inst.dpp)[l];
    bool ok = (s >= 0 && (ex >> s & 1)) || inst.bound;
    if (ok && (inst.row_mask >> (l / 16) & 1) && (inst.bank_mask >> (l % 16 / 4) & 1))
      m |= 1ull << l;
  }
  return m & ex;
}

/* Pairs of registers, of all lanes, as values of 64 bits. */
template <class T> inline void join_lanes(const u32 *lo, T *t) {
  static_assert(sizeof(T) == 8, "two registers");
  u64 *x = reinterpret_cast<u64 *>(t);
  for (int l = 0; l < LANES; l++) x[l] = (u64)lo[l] | (u64)lo[LANES + l] << 32;
}

/* Any operand with any modifier; a function of its own, since instructions have hundreds. */
template <class T>
__attribute__((noinline)) const T *fetch_any(const Wave &w, const Inst &inst, int oi, int ord,
                                             In<T> &b) {
  const Operand &o = inst.op[oi];
  typedef typename UInt<sizeof(T)>::t U;
  U *t = reinterpret_cast<U *>(b.t);
  if constexpr (sizeof(T) == 4) {
    if (o.kind == KIND_VECTOR) {
      raw_v(w, inst, o.reg, (inst.flags & F_DPP) && ord == 0, t);
    } else {
      u32 x = r32(w, o);
      for (int l = 0; l < 64; l++) t[l] = x;
    }
    if ((inst.flags & F_SDWA) && ord < 2)
      for (int l = 0; l < 64; l++) t[l] = sdwa_pick(t[l], inst.src_sel[ord], o.sext);
  } else if constexpr (sizeof(T) == 8) {
    if (o.kind == KIND_VECTOR) {
      u32 both[2 * LANES];
      const bool d = (inst.flags & F_DPP) && ord == 0;
      raw_v(w, inst, o.reg, d, both);
      raw_v(w, inst, o.reg + 1, d, both + LANES);
      join_lanes(both, t);
    } else {
      u64 x = r64(w, o);
      if (o.kind == KIND_CONST && o.literal && (o.c64 >> 32) == 0) {
        if (std::is_floating_point<T>::value)
          x <<= 32;
        else if (std::is_signed<T>::value)
          x = (u64)(i64)(i32)x;
      }
      for (int l = 0; l < 64; l++) t[l] = x;
    }
  } else {
    u32 x[64];
    if (o.kind == KIND_VECTOR)
      raw_v(w, inst, o.reg, (inst.flags & F_DPP) && ord == 0, x);
    else {
      u32 c = o.kind == KIND_CONST ? (o.literal ? o.c32 : o.c16) : r32(w, o);
      for (int l = 0; l < 64; l++) x[l] = c;
    }
    if ((inst.flags & F_SDWA) && ord < 2)
      for (int l = 0; l < 64; l++) x[l] = sdwa_pick(x[l], inst.src_sel[ord], o.sext);
    int sh = (!(inst.flags & F_SDWA) && (inst.op_sel >> ord & 1)) ? 16 : 0;
    for (int l = 0; l < 64; l++) t[l] = (u16)(x[l] >> sh);
  }
  if (o.mod()) {
    const U sign = (U)((U)1 << (8 * sizeof(U) - 1));
    if (o.abs)
      for (int l = 0; l < 64; l++) t[l] &= (U)~sign;
    if (o.neg)
      for (int l = 0; l < 64; l++) t[l] ^= sign;
  }
  return b.t;
}

/* The common operands, registers as they are, inline. */
template <class T>
inline const T *fetch(const Wave &w, const Inst &inst, int oi, int ord, In<T> &b) {
  const Operand &o = inst.op[oi];
  if constexpr (sizeof(T) >= 4)
    if (o.kind == KIND_VECTOR && !(inst.flags & (F_DPP | F_SDWA)) && !o.mod()) {
      if constexpr (sizeof(T) == 4)
        return reinterpret_cast<const T *>(w.v[o.reg]);
      else
        join_lanes(w.v[o.reg], b.t);
      return b.t;
    }
  return fetch_any<T>(w, inst, oi, ord, b);
}

/* Bits of a mask, one a lane: all ones or none. */
inline void spread_mask(u64 m, u32 *on) {
  const u32 low = (u32)m, high = (u32)(m >> 32);
  for (int l = 0; l < 32; l++) on[l] = 0u - (low >> l & 1);
  for (int l = 0; l < 32; l++) on[32 + l] = 0u - (high >> l & 1);
}
/* The mask of the lanes whose lowest bit is set. */
inline u64 mask_of(const u32 *on) {
  u64 m = 0;
  for (int l = 0; l < LANES; l += 8) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(on + l));
    m |= (u64)(u32)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(x, 31))) << l;
  }
  return m;
}

inline void put_lanes(u32 *d, const u32 *r, u64 m) {
  if (m == ~0ull) {
    memcpy(d, r, 256);
    return;
  }
  alignas(64) u32 on[LANES];
  spread_mask(m, on);
  for (int l = 0; l < LANES; l++) d[l] = (r[l] & on[l]) | (d[l] & ~on[l]);
}

/* Any result into any form of a destination; see fetch_any. */
template <class R>
__attribute__((noinline)) void store_any(Wave &w, const Inst &inst, int oi, const R *r, u64 m) {
  const Operand &o = inst.op[oi];
  if (o.kind != KIND_VECTOR) fail("vector destination expected");
  if constexpr (sizeof(R) == 8) {
    const u64 *x = reinterpret_cast<const u64 *>(r);
    u32 lo[LANES], hi[LANES];
    for (int l = 0; l < LANES; l++) {
      lo[l] = (u32)x[l];
      hi[l] = (u32)(x[l] >> 32);
    }
    put_lanes(w.v[o.reg], lo, m);
    put_lanes(w.v[o.reg + 1], hi, m);
  } else {
    alignas(64) u32 t[64];
    const u32 *x;
    if constexpr (sizeof(R) == 2) {
      const u16 *h = reinterpret_cast<const u16 *>(r);
      for (int l = 0; l < 64; l++) t[l] = h[l];
      if (!(inst.flags & F_SDWA) && (inst.op_sel >> 3 & 1))
        for (int l = 0; l < 64; l++) t[l] = (t[l] << 16) | (w.v[o.reg][l] & 0xffff);
      x = t;
    } else
      x = reinterpret_cast<const u32 *>(r);
    if ((inst.flags & F_SDWA) && inst.dst_sel < 6) {
      alignas(64) u32 y[64];
      int sh = inst.dst_sel < 4 ? 8 * inst.dst_sel : 16 * (inst.dst_sel - 4),
          wd = inst.dst_sel < 4 ? 8 : 16;
      u32 mask = ((1u << wd) - 1) << sh;
      for (int l = 0; l < 64; l++) {
        u32 f = (x[l] << sh) & mask, old = w.v[o.reg][l];
        if (inst.dst_unused == 0)
          y[l] = f;
        else if (inst.dst_unused == 1) {
          u32 up = (x[l] >> (wd - 1) & 1) ? ~0u : 0;
          u32 above = sh + wd < 32 ? up << (sh + wd) : 0;
          y[l] = f | above;
        } else
          y[l] = f | (old & ~mask);
      }
      put_lanes(w.v[o.reg], y, m);
    } else
      put_lanes(w.v[o.reg], x, m);
  }
}

/* The lanes in m of the destination; all of a register as it is, inline. */
template <class R> inline void store(Wave &w, const Inst &inst, int oi, const R *r, u64 m) {
  const Operand &o = inst.op[oi];
  if constexpr (sizeof(R) >= 4)
    if (o.kind == KIND_VECTOR && m == ~0ull && !(inst.flags & F_SDWA)) {
      u32 *lo = w.v[o.reg];
      if constexpr (sizeof(R) == 4) {
        memcpy(lo, r, sizeof(u32) * LANES);
      } else {
        const u64 *x = reinterpret_cast<const u64 *>(r);
        for (int l = 0; l < LANES; l++) {
          lo[l] = (u32)x[l];
          lo[LANES + l] = (u32)(x[l] >> 32);
        }
      }
      return;
    }
  store_any(w, inst, oi, r, m);
}

template <class R> __attribute__((noinline)) void outmod_any(const Inst &inst, R *r) {
  if constexpr (std::is_floating_point<R>::value || std::is_same<R, f16>::value) {
    if (inst.omod) {
      R f = inst.omod == 1 ? 2 : inst.omod == 2 ? 4 : (R)0.5;
      for (int l = 0; l < 64; l++) r[l] = r[l] * f;
    }
    if (inst.clamp)
      for (int l = 0; l < 64; l++) r[l] = !(r[l] > 0) ? (R)0 : r[l] > 1 ? (R)1 : r[l];
  } else if (inst.clamp)
    fail("integer clamp is not modelled for this instruction");
}
template <class R> inline void outmod(const Inst &inst, R *r) {
  if (inst.omod || inst.clamp) outmod_any(inst, r);
}

struct Ftz { /* flush f32 denormals while the kernel's mode asks for it */
  bool on;
  unsigned old;
  explicit Ftz(bool o) : on(o), old(0) {
    if (on) {
      old = _mm_getcsr();
      _mm_setcsr(old | 0x8040);
    }
  }
  ~Ftz() {
    if (on) _mm_setcsr(old);
  }
};
template <class... T> inline bool wants_ftz(const Wave &w) {
  return w.ftz32 && (std::is_same<T, float>::value || ...);
}

template <class R, class A, class F> inline void op1(Wave &w, const Inst &inst, F f) {
  Ftz z(wants_ftz<R, A>(w));
  In<A> ba;
  In<R> br;
  const A *a = fetch<A>(w, inst, 1, 0, ba);
  for (int l = 0; l < 64; l++) br.t[l] = f(a[l]);
  outmod(inst, br.t);
  store(w, inst, 0, br.t, wmask(w, inst));
}
template <class R, class A, class B, class F> inline void op2(Wave &w, const Inst &inst, F f) {
  Ftz z(wants_ftz<R, A, B>(w));
  In<A> ba;
  In<B> bb;
  In<R> br;
  const A *a = fetch<A>(w, inst, 1, 0, ba);
  const B *b = fetch<B>(w, inst, 2, 1, bb);
  for (int l = 0; l < 64; l++) br.t[l] = f(a[l], b[l]);
  outmod(inst, br.t);
  store(w, inst, 0, br.t, wmask(w, inst));
}
template <class R, class A, class B, class C, class F>
inline void op3(Wave &w, const Inst &inst, F f) {
  Ftz z(wants_ftz<R, A, B, C>(w));
  In<A> ba;
  In<B> bb;
  In<C> bc;
  In<R> br;
  const A *a = fetch<A>(w, inst, 1, 0, ba);
  const B *b = fetch<B>(w, inst, 2, 1, bb);
  const C *c = fetch<C>(w, inst, 3, 2, bc);
  for (int l = 0; l < 64; l++) br.t[l] = f(a[l], b[l], c[l]);
  outmod(inst, br.t);
  store(w, inst, 0, br.t, wmask(w, inst));
}
template <class R> inline const R *old_dst(const Wave &w, const Inst &inst, In<R> &b) {
  int r = inst.op[0].reg;
  if constexpr (sizeof(R) == 8) {
    u64 *t = reinterpret_cast<u64 *>(b.t);
    for (int l = 0; l < 64; l++) t[l] = (u64)w.v[r][l] | (u64)w.v[r + 1][l] << 32;
    return b.t;
  } else if constexpr (sizeof(R) == 4) {
    return reinterpret_cast<const R *>(w.v[r]);
  } else {
    u16 *t = reinterpret_cast<u16 *>(b.t);
    for (int l = 0; l < 64; l++) t[l] = (u16)w.v[r][l];
    return b.t;
  }
}
/* d = f(a, b, d): fmac. */
template <class R, class A, class F> inline void op_accumulate(Wave &w, const Inst &inst, F f) {
  Ftz z(wants_ftz<R, A>(w));
  In<A> ba, bb;
  In<R> br, bd;
  const A *a = fetch<A>(w, inst, 1, 0, ba);
  const A *b = fetch<A>(w, inst, 2, 1, bb);
  const R *d = old_dst<R>(w, inst, bd);
  for (int l = 0; l < 64; l++) br.t[l] = f(a[l], b[l], d[l]);
  outmod(inst, br.t);
  store(w, inst, 0, br.t, wmask(w, inst));
}

} /* namespace isarun */
#endif
