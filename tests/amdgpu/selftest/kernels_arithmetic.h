/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels of integers, lanes, arguments and indices. */
#ifndef HB_TESTS_AMDGPU_SELFTEST_KERNELS_ARITHMETIC_H
#define HB_TESTS_AMDGPU_SELFTEST_KERNELS_ARITHMETIC_H

#include <hip/hip_runtime.h>

#define K extern "C" __global__

struct Par {
  double a[3];
  float f;
  char c;
  short h;
  long long q;
};
K void many_args(double a, int b, Par p, float c, const double *x, unsigned char d, long long e,
                 double *out, short f, Par q, bool g) {
  int t = threadIdx.x;
  out[t] = a + b + p.a[0] + p.a[1] * 2 + p.a[2] * 3 + p.f + p.c + p.h + (double)p.q + c + x[t] + d +
           (double)e + f + q.a[t % 3] + q.f + q.c + q.h + (double)q.q + (g ? 0.5 : 0.25);
}

K void ids(int *o) {
  int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int bid = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int *p = o + 8 * (size_t)(bid * blockDim.x * blockDim.y * blockDim.z + tid);
  p[0] = threadIdx.x;
  p[1] = threadIdx.y;
  p[2] = threadIdx.z;
  p[3] = blockIdx.x;
  p[4] = blockIdx.y;
  p[5] = blockIdx.z;
  p[6] = blockDim.x * 10000 + blockDim.y * 100 + blockDim.z;
  p[7] = gridDim.x * 10000 + gridDim.y * 100 + gridDim.z;
}

K void ints(const unsigned *a, const unsigned *b, unsigned long long *o, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  unsigned x = a[t], y = b[t] | 1;
  unsigned long long X = (unsigned long long)x << 32 | (y * 2654435761u),
                     Y = (unsigned long long)y << 9 | (x & 511) | 1;
  unsigned long long *p = o + 24 * (size_t)t;
  p[0] = x / y;
  p[1] = x % y;
  p[2] = (unsigned)((int)x / (int)y);
  p[3] = (unsigned)((int)x % (int)y);
  p[4] = X / Y;
  p[5] = X % Y;
  p[6] = X * Y;
  p[7] = (unsigned long long)((long long)X / (long long)Y);
  p[8] = __popc(x) + 100 * __popcll(X);
  p[9] = __clz(x) + 100 * __clzll(X);
  p[10] = __brev(x);
  p[11] = __ffs(x) + 100 * __ffsll(X);
  p[12] = X << (y & 63);
  p[13] = X >> (y & 63);
  p[14] = (unsigned long long)((long long)X >> (y & 63));
  p[15] = __umulhi(x, y);
  p[16] = (unsigned)__mulhi((int)x, (int)y);
  p[17] = min((int)x, (int)y) ^ max(x, y);
  p[18] = X > Y ? X - Y : Y - X;
  p[19] = (unsigned)abs((int)x);
  p[20] = (x >> 5 & 0x3ff) | (x << 7 & 0xff00);
  p[21] = (unsigned)(signed char)x + (unsigned short)(y >> 3);
  p[22] = x << (y & 31) | y >> (32 - (y & 31) & 31);
  p[23] = (unsigned long long)((long long)(int)x * (int)y + (long long)Y);
}
K void bytes(const unsigned char *a, const short *b, unsigned char *c, short *d, signed char *e,
             int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned char sb[256];
  __shared__ short sh[256];
  if (t < n) {
    sb[threadIdx.x] = a[t];
    sh[threadIdx.x] = b[t];
  }
  __syncthreads();
  if (t < n) {
    int m = min((int)blockDim.x, n - (int)(blockIdx.x * blockDim.x)) - 1 - threadIdx.x;
    c[t] = (unsigned char)(sb[m] * 3 + 1);
    d[t] = (short)(sh[m] - sb[threadIdx.x]);
    e[t] = (signed char)(sh[m] >> 3);
  }
}

K void lanes(const int *a, int *o) {
  int l = threadIdx.x, x = a[l];
  int *p = o + 16 * l;
  p[0] = __shfl_xor(x, 5);
  p[1] = __shfl_down(x, 3);
  p[2] = __shfl_up(x, 2);
  p[3] = __shfl(x, (l * 7 + 3) & 63);
  p[4] = __shfl(x, l & 3, 16);
  unsigned long long m = __ballot(x & 1);
  p[5] = (int)(m >> (l & 32));
  p[6] = __any(x == a[3]);
  p[7] = __all(x > -100000);
  p[8] = __builtin_amdgcn_mov_dpp(x, 0x1B, 0xf, 0xf, true);           /* quad_perm 3,2,1,0 */
  p[9] = __builtin_amdgcn_update_dpp(-7, x, 0x111, 0xf, 0xf, false);  /* row_shr:1 */
  p[10] = __builtin_amdgcn_update_dpp(0, x, 0x140, 0xf, 0xf, true);   /* row_mirror */
  p[11] = __builtin_amdgcn_update_dpp(-9, x, 0x142, 0xa, 0xf, false); /* row_bcast:15 */
  p[12] = __builtin_amdgcn_ds_swizzle(x, 0x041F);                     /* swap neighbours */
  p[13] = __builtin_amdgcn_readlane(x, 17) + __builtin_amdgcn_readfirstlane(x);
  p[14] = __builtin_amdgcn_ds_permute(((l * 5) & 63) * 4, x);
  p[15] = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
K void wave_sum(const double *a, double *o) {
  double x = a[blockIdx.x * 64 + threadIdx.x];
  for (int d = 32; d; d >>= 1) x += __shfl_down(x, d);
  if (threadIdx.x == 0) o[blockIdx.x] = x;
}
#endif
