/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels with private memory, branches, calls, barriers. */
#ifndef HB_TESTS_AMDGPU_SELFTEST_KERNELS_CONTROL_H
#define HB_TESTS_AMDGPU_SELFTEST_KERNELS_CONTROL_H

#include <hip/hip_runtime.h>

#define K extern "C" __global__

K void transpose(const float *in, float *out, int w, int h) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < w && y + j < h) t[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < h && y + j < w) out[(size_t)(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}

template <int N>
__device__ __forceinline__ void contract_body(const double *D, const double *u, double *v) {
  __shared__ double sD[N * N], su[N * N * N];
  int t = threadIdx.x, e = blockIdx.x;
  for (int i = t; i < N * N; i += blockDim.x) sD[i] = D[i];
  for (int i = t; i < N * N * N; i += blockDim.x) su[i] = u[(size_t)e * N * N * N + i];
  __syncthreads();
  for (int p = t; p < N * N * N; p += blockDim.x) {
    int i = p % N, j = p / N % N, k = p / (N * N);
    double x = 0;
#pragma unroll
    for (int l = 0; l < N; l++) x += sD[i * N + l] * su[l + N * (j + N * k)];
    v[(size_t)e * N * N * N + p] = x;
  }
}
K void contract7(const double *D, const double *u, double *v) { contract_body<7>(D, u, v); }
K void contract8(const double *D, const double *u, double *v) { contract_body<8>(D, u, v); }

typedef float f16v __attribute__((ext_vector_type(16)));
K void scratch_index(const int *idx, double *out, int n) {
  double a[40];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 40; i++) a[i] = t * 100 + i;
  for (int i = 0; i < n; i++) {
    int j = idx[(t + i) % 64] % 40, k = idx[(t + 3 * i + 1) % 64] % 40;
    double x = a[j];
    a[j] = a[k] + 1;
    a[k] = x;
  }
  double s = 0;
  for (int i = 0; i < 40; i++) s += a[i] * (i + 1);
  out[t] = s;
}
K void vector_index(const int *idx, float *out,
                    int n) { /* register indexing (s_set_gpr_idx), uniform and not */
  f16v a = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  int t = threadIdx.x;
  for (int i = 0; i < n; i++) {
    a[i & 15] += t;
    int j = idx[(t + i) & 63] & 15;
    a[j] = a[(j * 5 + i) & 15] + 1;
  }
  for (int i = 0; i < 16; i++) out[16 * t + i] = a[i];
}
K __launch_bounds__(1024) void spill(const double *in, double *out, int rounds) {
  double v[96];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 96; i++) v[i] = in[(t * 7 + i * 13) & 1023];
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int i = 0; i < 96; i++) v[i] = v[i] * 0.5 + v[(i * 37 + 11) % 96];
    __syncthreads();
  }
  double s = 0;
#pragma unroll
  for (int i = 0; i < 96; i++) s += v[i] * (i & 7);
  out[t] = s;
}

K void diverge(const int *in, int *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  long long x = in[t];
  int steps = 0;
  while (x != 1) {
    if (x & 1)
      x = 3 * x + 1;
    else
      x >>= 1;
    if (++steps > 500) break;
  }
  int r = 0;
  switch (t % 5) {
  case 0: r = steps; break;
  case 1:
    for (int i = 0; i < (t & 15); i++) {
      if (i == 7) continue;
      r += i * steps;
    }
    break;
  case 2: r = -steps; break;
  case 3:
    do {
      r += 3;
      steps -= 5;
    } while (steps > 0);
    break;
  default: r = steps > 20 ? (t & 1 ? 1 : 2) : 3;
  }
  out[t] = r;
}

__device__ double scale_table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
__constant__ int const_table[4] = {10, 20, 30, 40};
__device__ int call_count;
__device__ __attribute__((noinline)) double helper(double x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s = s * 0.5 + x + i;
  return s;
}
__device__ __attribute__((noinline)) void fill(double *p, int n, double x) {
  for (int i = 0; i < n; i++) p[i] = x + i;
}
K void generic(double *g, double *out, int which) {
  __shared__ double s[64];
  double priv[8];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  double *p = (t + which) % 3 == 0 ? g + t : (t + which) % 3 == 1 ? &s[t] : &priv[t & 7];
  for (int i = 0; i < 8; i++) priv[i] = 1000 + i;
  *p += 0.5;
  fill(priv + 2, 3, *p);
  out[t] =
      helper(*p, t & 7) + scale_table[t & 7] + const_table[t & 3] + priv[2] + priv[4] + priv[7];
  if (t == 0) atomicAdd(&call_count, 1);
}

__device__ __attribute__((noinline)) double f0(double x) { return x + 1; }
__device__ __attribute__((noinline)) double f1(double x) { return x * 3; }
__device__ __attribute__((noinline)) double f2(double x) { return x * x; }
typedef double (*fun)(double);
__device__ fun table[3] = {f0, f1, f2};
__device__ __attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
K void calls(const double *a, double *o,
             const int *which) { /* calls through pointers, uniform and not; recursion */
  int t = threadIdx.x;
  fun f = table[which[blockIdx.x]], g = table[which[t] % 3];
  o[blockIdx.x * blockDim.x + t] = f(a[t]) + g(a[t] + 1) + fib(t % 9);
}
K void big_block(const int *a, int *o) { /* 1024 threads: 16 waves, barriers under a loop */
  __shared__ int s[1024];
  int t = threadIdx.x;
  s[t] = a[t];
  for (int d = 1; d < 1024; d <<= 1) {
    __syncthreads();
    int x = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += x;
  }
  __syncthreads();
  o[t] = s[t];
}
#endif
