/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels on global memory, LDS and atomics. */
#ifndef HB_TESTS_AMDGPU_SELFTEST_KERNELS_MEMORY_H
#define HB_TESTS_AMDGPU_SELFTEST_KERNELS_MEMORY_H

#include <hip/hip_runtime.h>

#define K extern "C" __global__

K void vadd(const double *a, const double *b, double *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

K void reduce(const double *a, double *out, float *fout, unsigned *cnt, double *maxout, int n) {
  __shared__ double s[256];
  int t = threadIdx.x;
  double x = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) x += a[i];
  s[t] = x;
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w >>= 1) {
    if (t < w) s[t] += s[t + w];
    __syncthreads();
  }
  if (t == 0) {
    atomicAdd(out, s[0]);
    atomicAdd(fout, (float)s[0]);
    atomicAdd(cnt, 1u);
    unsigned long long *p = (unsigned long long *)maxout;
    unsigned long long old = *p, seen;
    do {
      seen = old;
      if (__longlong_as_double(seen) >= s[0]) break;
      old = atomicCAS(p, seen, (unsigned long long)__double_as_longlong(s[0]));
    } while (old != seen);
  }
}

K void wide(const float4 *a, double *o) { /* b128, 2-address and st64 LDS forms, dwordx3 */
  __shared__ float4 s[64];
  __shared__ double d[64 * 4];
  struct F3 {
    float x, y, z;
  };
  __shared__ F3 f[64];
  int t = threadIdx.x;
  s[t] = a[t];
  d[t] = a[t].x;
  d[t + 64] = a[t].y;
  d[t + 128] = a[t].z;
  d[t + 192] = a[t].w;
  f[t] = {a[t].y, a[t].z, a[t].w};
  __syncthreads();
  float4 v = s[63 - t];
  F3 w = f[t ^ 1];
  o[t] = v.x + 2.0 * v.y + 3.0 * v.z + 4.0 * v.w + d[(t + 1) & 63] * d[((t + 1) & 63) + 64] +
         d[t ^ 3] + d[t ^ 2] + w.x * w.y - w.z;
}
#ifdef __OPTIMIZE__ /* at -O0 the constraint "s" is given a vector register */
typedef int i4 __attribute__((ext_vector_type(4)));
K void rawbuf(const float *a, float *o,
              int bytes) { /* a raw buffer: reads past its end give 0, stores are dropped */
  int t = threadIdx.x;
  i4 ra = {(int)(size_t)a, (int)((size_t)a >> 32), bytes, 0x00020000},
     ro = {(int)(size_t)o, (int)((size_t)o >> 32), bytes, 0x00020000};
  float x;
  int off = 4 * t;
  asm volatile("buffer_load_dword %0, %1, %2, 0 offen offset:8\n s_waitcnt vmcnt(0)"
               : "=v"(x)
               : "v"(off), "s"(ra)
               : "memory");
  x += 1;
  asm volatile("buffer_store_dword %0, %1, %2, 0 offen\n s_waitcnt vmcnt(0)" ::"v"(x), "v"(off),
               "s"(ro)
               : "memory");
}
#endif
K void dynlds(const int *in, int *out) {
  extern __shared__ int s[];
  __shared__ int fixed[64];
  int t = threadIdx.x, n = blockDim.x;
  s[t] = in[blockIdx.x * n + t];
  if (t < 64) fixed[t] = t * 1000;
  __syncthreads();
  out[blockIdx.x * n + t] = s[n - 1 - t] + fixed[t & 63];
}

K void fatomics(const double *a, double *o, float *f, double *viaLds) {
  __shared__ double s;
  __shared__ float sf;
  int t = threadIdx.x;
  if (t == 0) {
    s = 0;
    sf = 0;
  }
  __syncthreads();
  unsafeAtomicAdd(o + (t & 3), a[t]);
  unsafeAtomicAdd(f + (t & 1), (float)a[t]);
  atomicAdd(&s, a[t]);
  atomicAdd(&sf, (float)a[t]);
  __syncthreads();
  if (t == 0) {
    viaLds[0] = s;
    viaLds[1] = sf;
  }
}
K void iatomics(int *o, unsigned long long *q) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  o[8 + t] = atomicAdd(&o[0], 1);
  atomicMax(&o[1], t * 7 % 101);
  atomicMin(&o[2], t * 7 % 101);
  atomicOr((unsigned *)&o[3], 1u << (t & 31));
  atomicXor((unsigned *)&o[4], (unsigned)t);
  atomicAnd((unsigned *)&o[5], ~(1u << (t & 7)));
  atomicSub(&o[6], 2);
  atomicAdd(q, 1ull << 33);
  atomicMax(q + 1, (unsigned long long)t << 40);
  atomicExch(q + 2, 5ull);
}
/* 70 loads before the first wait. */
K void many_loads(const float *a, float *o) {
  const float *p = a + threadIdx.x;
  float x;
  asm volatile("s_waitcnt vmcnt(0)\n .rept 70\n global_load_dword %0, %1, off\n .endr\n "
               "s_waitcnt vmcnt(0)"
               : "=&v"(x)
               : "v"(p)
               : "memory");
  o[threadIdx.x] = x;
}
#if (defined(__gfx940__) || defined(__gfx942__)) && defined(__OPTIMIZE__)
K void load_lds(const float *a, float *o) {
  __shared__ float s[128];
  int t = threadIdx.x, w = __builtin_amdgcn_readfirstlane(t / 64);
  /* the builtin crashes clang 19's post-RA scheduler here */
  const float *p = a + 63 + 64 * w - t % 64;
  unsigned to = __builtin_amdgcn_readfirstlane(
      (unsigned)(size_t)(__attribute__((address_space(3))) float *)(s + 64 * w));
  asm volatile(
      "s_mov_b32 m0, %1\n s_nop 0\n global_load_lds_dword %0, off\n s_waitcnt vmcnt(0)" ::"v"(p),
      "s"(to)
      : "memory");
  __syncthreads();
  o[t] = s[127 - t];
}
#endif
#endif
