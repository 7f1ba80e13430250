/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels of floating-point functions. */
#ifndef HB_TESTS_AMDGPU_SELFTEST_KERNELS_MATH_H
#define HB_TESTS_AMDGPU_SELFTEST_KERNELS_MATH_H

#include <hip/hip_runtime.h>

#define K extern "C" __global__

K void math64(const double *a, const double *b, double *o, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  double x = a[t], y = b[t];
  double *p = o + 16 * (size_t)t;
  p[0] = x / y;
  p[1] = sqrt(fabs(x));
  p[2] = exp(x * 0.1);
  p[3] = log(fabs(x) + 1e-3);
  p[4] = sin(x);
  p[5] = cos(x);
  p[6] = pow(fabs(x), y * 0.1);
  p[7] = rsqrt(fabs(x) + 1e-6);
  p[8] = fmod(x, y);
  p[9] = floor(x) + ceil(y) + trunc(x * 3) + rint(y * 7);
  p[10] = fmax(x, y) - fmin(x, 2 * y);
  p[11] = ldexp(x, (int)y & 15);
  p[12] = isnan(x) || isinf(y) ? 1 : 0;
  p[13] = copysign(x, y);
  p[14] = tanh(x);
  p[15] = cbrt(x);
}
K void math32(const float *a, const float *b, float *o, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float x = a[t], y = b[t];
  float *p = o + 16 * (size_t)t;
  p[0] = x / y;
  p[1] = sqrtf(fabsf(x));
  p[2] = expf(x * 0.1f);
  p[3] = logf(fabsf(x) + 1e-3f);
  p[4] = sinf(x);
  p[5] = cosf(x);
  p[6] = powf(fabsf(x), y * 0.1f);
  p[7] = rsqrtf(fabsf(x) + 1e-6f);
  p[8] = fmodf(x, y);
  p[9] = floorf(x) + ceilf(y) + truncf(x * 3) + rintf(y * 7);
  p[10] = fmaxf(x, y) - fminf(x, 2 * y);
  p[11] = ldexpf(x, (int)y & 15);
  p[12] = (float)(int)x + (float)(unsigned)fabsf(y) + (float)(long long)(x * 1000);
  p[13] = copysignf(x, y);
  p[14] = (float)((double)x * y);
  p[15] = fmaf(x, y, 1.0f);
}

K void packed(const float2 *a, const float2 *b, float2 *o, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float2 x = a[t], y = b[t];
  float2 r;
  r.x = x.x * y.x + 1.5f;
  r.y = x.y * y.y + 1.5f;
  for (int i = 0; i < 4; i++) {
    r.x = r.x * x.x + y.x;
    r.y = r.y * x.y + y.y;
  }
  float2 q;
  q.x = x.y + y.x;
  q.y = x.x - y.y;
  o[2 * t] = r;
  o[2 * t + 1] = q;
}
K void denorm(const float *a, float *o) {
  int t = threadIdx.x;
  o[t] = a[t] * 0.5f;
  o[64 + t] = a[t] + a[t];
  o[128 + t] = fmaf(a[t], 0.25f, a[t]);
}
#endif
