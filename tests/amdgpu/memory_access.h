/* SPDX-License-Identifier: BSD-3-Clause
 * Shared by the memory instructions: address spaces, values below a dword, atomic updates. */
#ifndef HB_TESTS_AMDGPU_MEMORY_ACCESS_H
#define HB_TESTS_AMDGPU_MEMORY_ACCESS_H

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/amdgpu/scalar_operands.h"

namespace isarun {
enum Space { GLOBAL, FLAT, SCRATCH };
/* Types of loads below a dword; where their value goes in the register. */
enum SubType { SUB_U8, SUB_I8, SUB_U16, SUB_I16 };
enum Half { WHOLE, LOW_HALF, HIGH_HALF };

/* Number of the first vector register of an operand. */
inline int vector_register(const Operand &o) {
  if (o.kind != KIND_VECTOR) fail("vector register expected");
  return o.reg;
}

inline u32 sub_bytes(SubType type) { return type == SUB_U8 || type == SUB_I8 ? 1 : 2; }
inline u32 sub_load(const u8 *p, SubType type) {
  u16 x;
  switch (type) {
  case SUB_U8: return *p;
  case SUB_I8: return (u32)(i32)(i8)*p;
  case SUB_U16: memcpy(&x, p, 2); return x;
  default: memcpy(&x, p, 2); return (u32)(i32)(i16)x;
  }
}
inline void sub_put(u32 &reg, u32 x, Half half) {
  if (half == WHOLE)
    reg = x;
  else if (half == LOW_HALF)
    reg = (reg & 0xffff0000u) | (x & 0xffff);
  else
    reg = (reg & 0xffff) | x << 16;
}

/* Addresses of all lanes; operand v is vaddr, s is saddr. */
void global_addresses(const Wave &w, const Inst &inst, Space space, int v, int s, u64 *a);
/* Copies n bytes between buf and the address a of lane l. */
void copy_memory(Wave &w, Space space, u64 a, u8 *buf, u32 n, bool write, int l);

/* Replaces the value in mem (1 or 2 dwords) by one made of it and of data. */
using Update = void (*)(u32 *mem, const u32 *data);
template <class T> inline T value_of(const u32 *p) {
  T x;
  memcpy(&x, p, sizeof x);
  return x;
}
template <class T, T (*F)(T, T)> inline void update(u32 *mem, const u32 *data) {
  const T x = F(value_of<T>(mem), value_of<T>(data));
  memcpy(mem, &x, sizeof x);
}
template <class T> inline T at_add(T m, T d) { return m + d; }
template <class T> inline T at_sub(T m, T d) { return m - d; }
template <class T> inline T at_and(T m, T d) { return m & d; }
template <class T> inline T at_or(T m, T d) { return m | d; }
template <class T> inline T at_xor(T m, T d) { return m ^ d; }
template <class T> inline T at_min(T m, T d) { return std::min(m, d); }
template <class T> inline T at_max(T m, T d) { return std::max(m, d); }
template <class T> inline T at_fmin(T m, T d) { return std::fmin(m, d); }
template <class T> inline T at_fmax(T m, T d) { return std::fmax(m, d); }
template <class T> inline T at_swap(T, T d) { return d; }
template <class T> inline T at_inc(T m, T d) { return m >= d ? 0 : m + 1; }
template <class T> inline T at_dec(T m, T d) { return m == 0 || m > d ? d : m - 1; }
/* Compare and swap; the data are new, expected in memory instructions, the reverse in LDS ones. */
template <class T, bool NewFirst> inline void update_compare(u32 *mem, const u32 *data) {
  const T first = value_of<T>(data), second = value_of<T>(data + sizeof(T) / 4);
  const T wanted = NewFirst ? second : first, replacement = NewFirst ? first : second;
  if (value_of<T>(mem) == wanted) memcpy(mem, &replacement, sizeof replacement);
}
} /* namespace isarun */
#endif
