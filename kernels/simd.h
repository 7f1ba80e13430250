/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors of the instruction set a file is compiled for (compiler vector extensions), and the
 * register-blocked contraction.  Included by files compiled once per instruction set, whose
 * external names end in the precision and the set, for example _f64_v3. */
#ifndef HB_KERNELS_SIMD_H
#define HB_KERNELS_SIMD_H

#include <string.h>

#include "kernels/base.h"
#include "kernels/real.h"

#define HB_PASTE3_(a, b, c) a##_##b##_##c
#define HB_PASTE3(a, b, c)  HB_PASTE3_(a, b, c)
#if HB_REAL_BITS == 64
#define HB_ISA_NAME(name) HB_PASTE3(name, f64, HB_ISA)
#else
#define HB_ISA_NAME(name) HB_PASTE3(name, f32, HB_ISA)
#endif

#define HB_INLINE static inline __attribute__((always_inline))

/* Instances of an always-inlined function with n a compile-time constant, one an order.  Where
 * HB_ANY_ORDER is defined (debug and sanitizer builds) there is one for all, with n a variable: the
 * same source, compiled in seconds. */
#ifdef HB_ANY_ORDER
#define HB_FOR_EACH_ORDER(DO) DO(0)
#define HB_ORDER(constant, n) (n)
#define HB_ORDER_CASE(n)      ((n) >= 2 && (n) <= HB_MAX_N ? 0 : -1)
#else
#define HB_FOR_EACH_ORDER(DO)                                                                      \
  DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) DO(16)
#define HB_ORDER(constant, n) ((void)(n), (constant))
#define HB_ORDER_CASE(n)      (n)
#endif

enum { HB_SIMD_LANES = HB_VECTOR_BYTES / (int)sizeof(hb_real) };

typedef hb_real hb_vec __attribute__((vector_size(HB_VECTOR_BYTES), may_alias));
typedef hb_real hb_vec_unaligned
    __attribute__((vector_size(HB_VECTOR_BYTES), may_alias, aligned(HB_REAL_BITS / 8)));

/* A part: what a register holds of a vector. */
#if defined(__SSE2__) && !defined(__AVX__)
#define HB_REGISTER_BYTES 16
#else
#define HB_REGISTER_BYTES HB_VECTOR_BYTES
#endif
enum { HB_PARTS = HB_VECTOR_BYTES / HB_REGISTER_BYTES };
typedef hb_real hb_part __attribute__((vector_size(HB_REGISTER_BYTES), may_alias));

HB_INLINE hb_vec hb_vec_load(const hb_real *p) { return *(const hb_vec_unaligned *)p; }
HB_INLINE void hb_vec_store(hb_real *p, hb_vec v) { *(hb_vec_unaligned *)p = v; }

/* Makes the compiler forget what it knows of memory: else it carries the results of one register
 * tile over to the next contraction, in more registers than there are. */
#define HB_FORGET() __asm__ volatile("" ::: "memory")

/* Sum of the lanes, in lane order. */
HB_INLINE double hb_vec_sum(hb_vec v) {
  double sum = 0.0;
  for (int lane = 0; lane < HB_SIMD_LANES; lane++) sum += (double)v[lane];
  return sum;
}

/* A matrix in memory: element (r, c) at r * row + c * column; all strides in vectors or reals. */
struct hb_strides {
  int row, column;
};

/* One register tile of  out(r,c) (+)= sum_m A(r,m) in(m,c),  r < rows <= 4, c < columns <= 3, a
 * part of the vectors at a time, as large as a register. */
HB_INLINE void hb_contract_tile(const int n, const int rows, const int columns, const hb_real *A,
                                const struct hb_strides a, const hb_vec *in,
                                const struct hb_strides s, hb_vec *out, const struct hb_strides o,
                                const bool accumulate) {
  hb_part sum[4][3];
#pragma GCC unroll 1
  for (int part = 0; part < HB_PARTS; part++) {
    const hb_part *x_at = (const hb_part *)in + part;
    hb_part *y_at = (hb_part *)out + part;
    HB_FORGET();
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
      for (int c = 0; c < columns; c++)
        sum[r][c] = accumulate ? y_at[(r * o.row + c * o.column) * HB_PARTS] : (hb_part){0};
#pragma GCC unroll 1
    for (int m = 0; m < n; m++) {
      hb_part x[3];
#pragma GCC unroll 3
      for (int c = 0; c < columns; c++) x[c] = x_at[(m * s.row + c * s.column) * HB_PARTS];
#pragma GCC unroll 4
      for (int r = 0; r < rows; r++) {
        const hb_real d = A[r * a.row + m * a.column];
#pragma GCC unroll 3
        for (int c = 0; c < columns; c++) sum[r][c] += d * x[c];
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
      for (int c = 0; c < columns; c++) y_at[(r * o.row + c * o.column) * HB_PARTS] = sum[r][c];
  }
}

/* All n rows of up to three columns: rows in tiles of four and three (two for n = 2 and 5). */
HB_INLINE void hb_contract_few_columns(const int n, const int columns, const hb_real *A,
                                       const struct hb_strides a, const hb_vec *in,
                                       const struct hb_strides s, hb_vec *out,
                                       const struct hb_strides o, const bool accumulate) {
  const int threes = n == 2 ? 0 : n == 5 ? 1 : (4 - n % 4) % 4;
  const int twos = n == 2 || n == 5 ? 1 : 0;
  const int fours = (n - 3 * threes - 2 * twos) / 4;
  int row = 0;
#pragma GCC unroll 1
  for (int tile = 0; tile < fours; tile++, row += 4)
    hb_contract_tile(n, 4, columns, A + row * a.row, a, in, s, out + row * o.row, o, accumulate);
#pragma GCC unroll 1
  for (int tile = 0; tile < threes; tile++, row += 3)
    hb_contract_tile(n, 3, columns, A + row * a.row, a, in, s, out + row * o.row, o, accumulate);
  if (twos)
    hb_contract_tile(n, 2, columns, A + row * a.row, a, in, s, out + row * o.row, o, accumulate);
}

/* Memory to bring to the second cache level meanwhile, `bytes` with every column tile: hardware
 * prefetchers rest while contractions run from cache, and a burst would block the loads. */
struct hb_ahead {
  const char *next;
  int bytes;
};

HB_INLINE void hb_prefetch(struct hb_ahead *ahead) {
  for (int byte = 0; byte < ahead->bytes; byte += 64) __builtin_prefetch(ahead->next + byte, 0, 2);
  ahead->next += ahead->bytes;
}

/* Columns are taken in tiles of three, and of two so that no tile of one is left. */
HB_INLINE int hb_contract_threes(const int columns) {
  return (columns - 2 * ((3 - columns % 3) % 3)) / 3;
}
HB_INLINE int hb_contract_tiles(const int columns) {
  const int threes = hb_contract_threes(columns);
  return threes + (columns - 3 * threes) / 2;
}

/* out(r,c) (+)= sum_m A(r,m) in(m,c),  r, m < n, c < columns; A through strides a, so that the
 * transpose is a matter of swapping them. */
HB_INLINE void hb_contract(const int n, const int columns, const hb_real *A,
                           const struct hb_strides a, const hb_vec *in, const struct hb_strides s,
                           hb_vec *out, const struct hb_strides o, const bool accumulate,
                           struct hb_ahead *ahead) {
  const int threes = hb_contract_threes(columns), tiles = hb_contract_tiles(columns);
#pragma GCC unroll 1
  for (int tile = 0; tile < threes; tile++, in += 3 * s.column, out += 3 * o.column) {
    hb_prefetch(ahead);
    hb_contract_few_columns(n, 3, A, a, in, s, out, o, accumulate);
  }
#pragma GCC unroll 1
  for (int tile = threes; tile < tiles; tile++, in += 2 * s.column, out += 2 * o.column) {
    hb_prefetch(ahead);
    hb_contract_few_columns(n, 2, A, a, in, s, out, o, accumulate);
  }
}

#endif
