/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix products by every builtin: A is M x K, B is K x N, C is M x N, row by row; one wave. */
#ifndef HB_TESTS_AMDGPU_SELFTEST_KERNELS_MATRIX_H
#define HB_TESTS_AMDGPU_SELFTEST_KERNELS_MATRIX_H

#include <hip/hip_runtime.h>

#define K extern "C" __global__

typedef double d4 __attribute__((ext_vector_type(4)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16v __attribute__((ext_vector_type(16)));
typedef float f32v __attribute__((ext_vector_type(32)));

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx942__)
K void mm_f32_16x16x4(const float *A, const float *B, float *C, int Kd) {
  int l = threadIdx.x, g = l / 16, c = l % 16;
  f4 acc = {0, 0, 0, 0};
  for (int k = 0; k < Kd; k += 4)
    acc =
        __builtin_amdgcn_mfma_f32_16x16x4f32(A[c * Kd + k + g], B[(k + g) * 16 + c], acc, 0, 0, 0);
  for (int r = 0; r < 4; r++) C[(4 * g + r) * 16 + c] = acc[r];
}
K void mm_f32_4x4x1(const float *A, const float *B, float *C,
                    int Kd) { /* sixteen 4 x Kd by Kd x 4 */
  int l = threadIdx.x, lo = l % 4, b = l / 4;
  f4 acc = {0, 0, 0, 0};
  for (int k = 0; k < Kd; k++)
    acc = __builtin_amdgcn_mfma_f32_4x4x1f32(A[b * 4 * Kd + lo * Kd + k],
                                             B[b * Kd * 4 + k * 4 + lo], acc, 0, 0, 0);
  for (int r = 0; r < 4; r++) C[b * 16 + r * 4 + lo] = acc[r];
}
K void mm_f32_32x32x2(const float *A, const float *B, float *C, int Kd) {
  int l = threadIdx.x, g = l / 32, c = l % 32;
  f16v acc = {};
  for (int k = 0; k < Kd; k += 2)
    acc =
        __builtin_amdgcn_mfma_f32_32x32x2f32(A[c * Kd + k + g], B[(k + g) * 32 + c], acc, 0, 0, 0);
  for (int s = 0; s < 16; s++) C[(8 * (s / 4) + 4 * g + s % 4) * 32 + c] = acc[s];
}
K void mm_f32_32x32x1(const float *A, const float *B, float *C,
                      int Kd) { /* two 32 x Kd by Kd x 32 */
  int l = threadIdx.x, g = l / 32, c = l % 32;
  f32v acc = {};
  for (int k = 0; k < Kd; k++)
    acc = __builtin_amdgcn_mfma_f32_32x32x1f32(A[g * 32 * Kd + c * Kd + k],
                                               B[g * Kd * 32 + k * 32 + c], acc, 0, 0, 0);
  for (int s = 0; s < 32; s++)
    C[(s / 16) * 1024 + (8 * (s % 16 / 4) + 4 * g + s % 4) * 32 + c] = acc[s];
}
K void mm_f32_16x16x1(const float *A, const float *B, float *C,
                      int Kd) { /* four 16 x Kd by Kd x 16 */
  int l = threadIdx.x, g = l / 16, c = l % 16;
  f16v acc = {};
  for (int k = 0; k < Kd; k++)
    acc = __builtin_amdgcn_mfma_f32_16x16x1f32(A[g * 16 * Kd + c * Kd + k],
                                               B[g * Kd * 16 + k * 16 + c], acc, 0, 0, 0);
  for (int s = 0; s < 16; s++) C[(s / 4) * 256 + (4 * g + s % 4) * 16 + c] = acc[s];
}
/* broadcast of A block abid within groups of 2^cbsz blocks; permuted B */
K void mm_bcast(const float *a, const float *b, float *o) {
  int l = threadIdx.x;
  f4 z = {0, 0, 0, 0};
  f4 x = __builtin_amdgcn_mfma_f32_4x4x1f32(a[l], b[l], z, 2, 3, 0);
  f4 y = __builtin_amdgcn_mfma_f32_4x4x1f32(a[l], b[l], z, 0, 0, 5);
  for (int r = 0; r < 4; r++) {
    o[l * 8 + r] = x[r];
    o[l * 8 + 4 + r] = y[r];
  }
}

#endif

#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx942__)
K void mm_f64_16x16x4(const double *A, const double *B, double *C, int Kd) {
  int l = threadIdx.x, g = l / 16, c = l % 16;
  d4 acc = {0, 0, 0, 0};
  for (int k = 0; k < Kd; k += 4)
    acc =
        __builtin_amdgcn_mfma_f64_16x16x4f64(A[c * Kd + k + g], B[(k + g) * 16 + c], acc, 0, 0, 0);
  for (int r = 0; r < 4; r++) C[(g + 4 * r) * 16 + c] = acc[r];
}
K void mm_f64_4x4x4(const double *A, const double *B, double *C,
                    int Kd) { /* four 4 x Kd by Kd x 4 */
  int l = threadIdx.x, lo = l % 4, b = l / 4 % 4, q = l / 16;
  double acc = 0;
  for (int k = 0; k < Kd; k += 4)
    acc = __builtin_amdgcn_mfma_f64_4x4x4f64(A[b * 4 * Kd + lo * Kd + k + q],
                                             B[b * Kd * 4 + (k + q) * 4 + lo], acc, 0, 0, 0);
  C[b * 16 + q * 4 + lo] = acc;
}
/* C and D in accumulation registers, and a constant C */
K void mm_agpr(const double *A, const double *B, double *C) {
  int l = threadIdx.x, g = l / 16, c = l % 16;
  double a = A[c * 4 + g], b = B[g * 16 + c];
  d4 acc;
#if defined(__gfx90a__)
  asm volatile("v_mfma_f64_16x16x4f64 %0, %1, %2, 1.0\n s_nop 15\n s_nop 7"
               : "=a"(acc)
               : "v"(a), "v"(b));
  asm volatile("v_mfma_f64_16x16x4f64 %0, %1, %2, %0\n s_nop 15\n s_nop 7"
               : "+a"(acc)
               : "v"(a), "v"(b));
#else
  asm volatile("v_mfma_f64_16x16x4_f64 %0, %1, %2, 1.0\n s_nop 15\n s_nop 7"
               : "=a"(acc)
               : "v"(a), "v"(b));
  asm volatile("v_mfma_f64_16x16x4_f64 %0, %1, %2, %0\n s_nop 15\n s_nop 7"
               : "+a"(acc)
               : "v"(a), "v"(b));
#endif
  for (int r = 0; r < 4; r++) C[(g + 4 * r) * 16 + c] = acc[r];
}
#endif
#endif
