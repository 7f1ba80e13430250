/* SPDX-License-Identifier: BSD-3-Clause
 * The Helmholtz operator by plain sums and by f64 matrix instructions.
 *
 * factors: g11 g22 g33 g12 g13 g23 h1, each one value a point. */
#ifndef HB_TESTS_AMDGPU_SELFTEST_KERNELS_HELMHOLTZ_H
#define HB_TESTS_AMDGPU_SELFTEST_KERNELS_HELMHOLTZ_H

#include <hip/hip_runtime.h>

#define K extern "C" __global__

typedef double d4 __attribute__((ext_vector_type(4)));
template <int N>
__device__ __forceinline__ void ax1d(const double *D, const double *u, const double *G, double *w) {
  constexpr int P = N * N * N;
  __shared__ double sD[N * N], su[P], sr[P], ss[P], st[P];
  int t = threadIdx.x;
  size_t e = blockIdx.x;
  for (int i = t; i < N * N; i += blockDim.x) sD[i] = D[i];
  for (int i = t; i < P; i += blockDim.x) su[i] = u[e * P + i];
  __syncthreads();
  for (int p = t; p < P; p += blockDim.x) {
    int i = p % N, j = p / N % N, k = p / (N * N);
    double ur = 0, us = 0, ut = 0;
    for (int l = 0; l < N; l++) {
      ur += sD[i * N + l] * su[l + N * (j + N * k)];
      us += sD[j * N + l] * su[i + N * (l + N * k)];
      ut += sD[k * N + l] * su[i + N * (j + N * l)];
    }
    const double *g = G + e * 7 * P + p;
    double h = g[6 * P];
    sr[p] = h * (g[0] * ur + g[3 * P] * us + g[4 * P] * ut);
    ss[p] = h * (g[3 * P] * ur + g[P] * us + g[5 * P] * ut);
    st[p] = h * (g[4 * P] * ur + g[5 * P] * us + g[2 * P] * ut);
  }
  __syncthreads();
  for (int p = t; p < P; p += blockDim.x) {
    int i = p % N, j = p / N % N, k = p / (N * N);
    double x = 0;
    for (int l = 0; l < N; l++)
      x += sD[l * N + i] * sr[l + N * (j + N * k)] + sD[l * N + j] * ss[i + N * (l + N * k)] +
           sD[l * N + k] * st[i + N * (j + N * l)];
    w[e * P + p] = x;
  }
}
K void ax1d_4(const double *D, const double *u, const double *G, double *w) { ax1d<4>(D, u, G, w); }
K void ax1d_8(const double *D, const double *u, const double *G, double *w) { ax1d<8>(D, u, G, w); }

#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx942__)
template <int N, int AXIS>
__device__ inline int at(int m,
                         int c) { /* point with index m along AXIS, c = a + N b over the others */
  int a = c % N, b = c / N;
  return AXIS == 0 ? m + N * c : AXIS == 1 ? a + N * (m + N * b) : c + N * N * m;
}
/* out(m, c) (+)= sum_l D(m, l) in(l, c), or D(l, m) with T; the waves of a block share the columns
 */
template <int N, int AXIS, bool T, bool ACC>
__device__ void c444(const double *sD, const double *in, double *out) {
  int l = threadIdx.x, lo = l % 4, b = l / 4 % 4, q = l / 16;
  for (int g = threadIdx.y; g < N * N / 16; g += blockDim.y) {
    int col = 16 * g + 4 * b + lo;
    double bv[N / 4];
    for (int s = 0; s < N / 4; s++) bv[s] = in[at<N, AXIS>(4 * s + q, col)];
    for (int t = 0; t < N / 4; t++) {
      double acc = ACC ? out[at<N, AXIS>(4 * t + q, col)] : 0;
      for (int s = 0; s < N / 4; s++) {
        int r = 4 * t + lo, c = 4 * s + q;
        acc = __builtin_amdgcn_mfma_f64_4x4x4f64(T ? sD[c * N + r] : sD[r * N + c], bv[s], acc, 0,
                                                 0, 0);
      }
      out[at<N, AXIS>(4 * t + q, col)] = acc;
    }
  }
}
template <int N, int AXIS, bool T, bool ACC>
__device__ void c1616(const double *sD, const double *in, double *out) {
  int l = threadIdx.x, g = l / 16, c = l % 16;
  for (int t = threadIdx.y; t < (N * N + 15) / 16; t += blockDim.y) {
    int col = 16 * t + c;
    double o[4] = {0, 0, 0, 0}; /* no variable index into a vector: clang 15 -O0 miscompiles the
                                   insertion of a double */
    if (ACC)
      for (int r = 0; r < 4; r++)
        if (g + 4 * r < N) o[r] = out[at<N, AXIS>(g + 4 * r, col)];
    d4 acc = {o[0], o[1], o[2], o[3]};
    for (int s = 0; s < N / 4; s++) {
      int k = 4 * s + g;
      double a = c < N ? (T ? sD[k * N + c] : sD[c * N + k]) : 0;
      acc = __builtin_amdgcn_mfma_f64_16x16x4f64(a, in[at<N, AXIS>(k, col)], acc, 0, 0, 0);
    }
    o[0] = acc[0];
    o[1] = acc[1];
    o[2] = acc[2];
    o[3] = acc[3];
    for (int r = 0; r < 4; r++)
      if (g + 4 * r < N) out[at<N, AXIS>(g + 4 * r, col)] = o[r];
  }
}
template <int N, int TILE, int AXIS, bool T, bool ACC>
__device__ void con(const double *D, const double *in, double *out) {
  if (TILE == 4)
    c444<N, AXIS, T, ACC>(D, in, out);
  else
    c1616<N, AXIS, T, ACC>(D, in, out);
}
template <int N, int TILE>
__device__ __forceinline__ void axm(const double *D, const double *u, const double *G, double *w) {
  constexpr int P = N * N * N;
  __shared__ double sD[N * N], su[P], sr[P], ss[P], st[P];
  int t = threadIdx.x + 64 * threadIdx.y, nt = 64 * blockDim.y;
  size_t e = blockIdx.x;
  for (int i = t; i < N * N; i += nt) sD[i] = D[i];
  for (int i = t; i < P; i += nt) su[i] = u[e * P + i];
  __syncthreads();
  con<N, TILE, 0, false, false>(sD, su, sr);
  con<N, TILE, 1, false, false>(sD, su, ss);
  con<N, TILE, 2, false, false>(sD, su, st);
  __syncthreads();
  for (int p = t; p < P; p += nt) {
    const double *g = G + e * 7 * P + p;
    double h = g[6 * P], ur = sr[p], us = ss[p], ut = st[p];
    sr[p] = h * (g[0] * ur + g[3 * P] * us + g[4 * P] * ut);
    ss[p] = h * (g[3 * P] * ur + g[P] * us + g[5 * P] * ut);
    st[p] = h * (g[4 * P] * ur + g[5 * P] * us + g[2 * P] * ut);
  }
  __syncthreads();
  con<N, TILE, 0, true, false>(sD, sr, su);
  __syncthreads();
  con<N, TILE, 1, true, true>(sD, ss, su);
  __syncthreads();
  con<N, TILE, 2, true, true>(sD, st, su);
  __syncthreads();
  for (int i = t; i < P; i += nt) w[e * P + i] = su[i];
}
#define AX(N, T)                                                                                   \
  K __launch_bounds__(1024) void axm_##N##_##T(const double *D, const double *u, const double *G,  \
                                               double *w) {                                        \
    axm<N, T>(D, u, G, w);                                                                         \
  }
AX(4, 4) AX(4, 16) AX(8, 4) AX(8, 16) AX(12, 4) AX(12, 16)
#endif
#endif
