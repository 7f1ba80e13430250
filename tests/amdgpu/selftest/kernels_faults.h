/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels that are wrong on purpose. */
#ifndef HB_TESTS_AMDGPU_SELFTEST_KERNELS_FAULTS_H
#define HB_TESTS_AMDGPU_SELFTEST_KERNELS_FAULTS_H

#include <hip/hip_runtime.h>

#define K extern "C" __global__

K void bad_oob(double *a, int n) { a[threadIdx.x + n] = 1; }
K void bad_uninit(double *a) {
  __shared__ double s[128];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[(threadIdx.x * 2) & 127];
}
K void bad_race(double *a) {
  __shared__ double s[128];
  s[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = s[127 - threadIdx.x];
}
K void bad_unknown(int *a) {
  int x = a[threadIdx.x];
  asm volatile("v_sad_u8 %0, %0, %0, %0" : "+v"(x));
  a[threadIdx.x] = x;
}
#ifdef __OPTIMIZE__
K void bad_wait(double *a) { /* the load's result is used at once */
  double x, *p = a + threadIdx.x;
  asm volatile("global_load_dwordx2 %0, %1, off\n v_add_f64 %0, %0, 1.0\n s_waitcnt vmcnt(0)"
               : "=&v"(x)
               : "v"(p)
               : "memory");
  *p = x;
}
K void bad_barrier(double *a) { /* an LDS write that nobody waits for before the barrier */
  __shared__ double s[128];
  int t = threadIdx.x;
  unsigned to = (unsigned)(size_t)(__attribute__((address_space(3))) double *)(s + t);
  double x = a[t];
  asm volatile("s_waitcnt vmcnt(0)\n ds_write_b64 %0, %1\n s_barrier" ::"v"(to), "v"(x) : "memory");
  a[t] = s[127 - t];
}
#endif
K void bad_trap(int *a) {
  if (a[threadIdx.x] == 3) __builtin_trap();
  a[threadIdx.x] = 7;
}
#endif
