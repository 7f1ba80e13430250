/* SPDX-License-Identifier: BSD-3-Clause
 * The matrix instructions that the operator's kernels use: which element each lane holds, and the
 * instruction itself.
 *
 *     D[b][i][j] = C[b][i][j] + sum_k A[b][i][k] B[b][k][j]
 *
 * Lane maps are those of mfma_layout.h, written so that a compiler can fold them; unit_mfma_layout
 * compares them with that table, element by element.  Kernels take them from here, nowhere else. */
#ifndef HB_KERNELS_ELEMENT_MFMA_TILES_H
#define HB_KERNELS_ELEMENT_MFMA_TILES_H

#if defined(__HIP__) || defined(__CUDACC__)
#define HB_EVERYWHERE __host__ __device__
#else
#define HB_EVERYWHERE
#endif

/* What lane `lane` holds.  A: rows i, columns k.  B: rows k, columns j.  D (and C): rows i, columns
 * j, one row a slot.  Accumulators have `slots` values a lane. */
struct hb_tile_f64_16x16x4 {
  typedef double real;
  enum { m = 16, n = 16, k = 4, blocks = 1, slots = 4, cycles = 32 };
  HB_EVERYWHERE static int block(int) { return 0; }
  HB_EVERYWHERE static int a_row(int lane) { return lane % 16; }
  HB_EVERYWHERE static int a_column(int lane) { return lane / 16; }
  HB_EVERYWHERE static int b_row(int lane) { return lane / 16; }
  HB_EVERYWHERE static int b_column(int lane) { return lane % 16; }
  HB_EVERYWHERE static int d_row(int lane, int slot) { return lane / 16 + 4 * slot; }
  HB_EVERYWHERE static int d_column(int lane) { return lane % 16; }
};

struct hb_tile_f64_4x4x4 {
  typedef double real;
  enum { m = 4, n = 4, k = 4, blocks = 4, slots = 1, cycles = 16 };
  HB_EVERYWHERE static int block(int lane) { return lane / 4 % 4; }
  HB_EVERYWHERE static int a_row(int lane) { return lane % 4; }
  HB_EVERYWHERE static int a_column(int lane) { return lane / 16; }
  HB_EVERYWHERE static int b_row(int lane) { return lane / 16; }
  HB_EVERYWHERE static int b_column(int lane) { return lane % 4; }
  HB_EVERYWHERE static int d_row(int lane, int) { return lane / 16; }
  HB_EVERYWHERE static int d_column(int lane) { return lane % 4; }
};

struct hb_tile_f32_16x16x4 {
  typedef float real;
  enum { m = 16, n = 16, k = 4, blocks = 1, slots = 4, cycles = 32 };
  HB_EVERYWHERE static int block(int) { return 0; }
  HB_EVERYWHERE static int a_row(int lane) { return lane % 16; }
  HB_EVERYWHERE static int a_column(int lane) { return lane / 16; }
  HB_EVERYWHERE static int b_row(int lane) { return lane / 16; }
  HB_EVERYWHERE static int b_column(int lane) { return lane % 16; }
  HB_EVERYWHERE static int d_row(int lane, int slot) { return 4 * (lane / 16) + slot; }
  HB_EVERYWHERE static int d_column(int lane) { return lane % 16; }
};

struct hb_tile_f32_4x4x1 {
  typedef float real;
  enum { m = 4, n = 4, k = 1, blocks = 16, slots = 4, cycles = 8 };
  HB_EVERYWHERE static int block(int lane) { return lane / 4; }
  HB_EVERYWHERE static int a_row(int lane) { return lane % 4; }
  HB_EVERYWHERE static int a_column(int) { return 0; }
  HB_EVERYWHERE static int b_row(int) { return 0; }
  HB_EVERYWHERE static int b_column(int lane) { return lane % 4; }
  HB_EVERYWHERE static int d_row(int, int slot) { return slot; }
  HB_EVERYWHERE static int d_column(int lane) { return lane % 4; }
};

#if defined(__HIP__)

/* Accumulators: `slots` values of a lane. */
typedef double hb_double4 __attribute__((ext_vector_type(4)));
typedef float hb_float4 __attribute__((ext_vector_type(4)));

/* Does the architecture being compiled for have the instructions?  A kernel without them traps:
 * it must not look like a fast one. */
#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx942__) || defined(__gfx950__)
#define HB_HAS_MFMA_F64 1
#define HB_HAS_MFMA_F32 1
#elif defined(__gfx908__)
#define HB_HAS_MFMA_F32 1
#endif

/* Between a matrix instruction and one that reads its result as A or B, where branches are between
 * them: the hardware waits for nothing, and compilers count on the longest way through the branches
 * alone (tests/isa_hazards.py).  Eleven wait states are the most that one of 16x16x4 needs,
 * nineteen on gfx950. */
__device__ static inline void hb_matrix_result_is_there() {
#if defined(HB_HAS_MFMA_F64)
#if defined(__gfx950__)
  __asm__ volatile("s_nop 7");
#endif
  __asm__ volatile("s_nop 7\n\ts_nop 2");
  __builtin_amdgcn_sched_barrier(0);
#endif
}

/* MFMA ignores EXEC: every lane of the wave must reach these, with 0 where it has nothing. */
__device__ static inline hb_double4 hb_mfma_16x16x4(double a, double b, hb_double4 c) {
#if defined(HB_HAS_MFMA_F64)
  return __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, c, 0, 0, 0);
#else
  (void)a, (void)b;
  __builtin_trap();
  return c;
#endif
}
__device__ static inline double hb_mfma_4x4x4(double a, double b, double c) {
#if defined(HB_HAS_MFMA_F64)
  return __builtin_amdgcn_mfma_f64_4x4x4f64(a, b, c, 0, 0, 0);
#else
  (void)a, (void)b;
  __builtin_trap();
  return c;
#endif
}
__device__ static inline hb_float4 hb_mfma_16x16x4(float a, float b, hb_float4 c) {
#if defined(HB_HAS_MFMA_F32)
  return __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0);
#else
  (void)a, (void)b;
  __builtin_trap();
  return c;
#endif
}
__device__ static inline hb_float4 hb_mfma_4x4x1(float a, float b, hb_float4 c) {
#if defined(HB_HAS_MFMA_F32)
  return __builtin_amdgcn_mfma_f32_4x4x1f32(a, b, c, 0, 0, 0);
#else
  (void)a, (void)b;
  __builtin_trap();
  return c;
#endif
}

#endif

#endif
