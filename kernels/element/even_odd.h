/* SPDX-License-Identifier: BSD-3-Clause
 * Q = diag(w) D along a line in the registers of a lane, by even and odd parts (NVIDIA).
 *
 * D(n-1-k, n-1-l) = -D(k,l), so that with the halves e, o of u, even and odd about the middle,
 *     (Q u)(k) = E e + O o,   (Q u)(n-1-k) = O o - E e,   E, O = (Q(k,l) +- Q(k,n-1-l)) / 2:
 * six operations a point instead of eight at n = 8.  Summation by parts, Q + Q' = diag(-1,0..0,1),
 * makes O = -E' but for the corner, both ways: few enough numbers for uniform registers. */
#ifndef HB_KERNELS_ELEMENT_EVEN_ODD_H
#define HB_KERNELS_ELEMENT_EVEN_ODD_H

#include "kernels/platform/gpu.h"

/* An argument of a kernel by value: E, its corner and O's of Q and of -Q'; and of plane k the GLL
 * weight, its inverse and the GLL point. */
template <int N> struct hb_uniform_line {
  static constexpr int half = N / 2, rest = N - half;
  double even[half][rest], corner[2][2];
  double weight[N], inverse[N], point[N];

  /* D [n][n]; basis [2][n]: points and weights; on the host */
  hb_uniform_line(const void *matrix, const void *basis) {
    const double *D = static_cast<const double *>(matrix);
    const double *points = static_cast<const double *>(basis), *weights = points + N;
    for (int k = 0; k < N; k++) {
      point[k] = points[k];
      weight[k] = weights[k];
      inverse[k] = 1.0 / weights[k];
    }
    for (int k = 0; k < half; k++)
      for (int l = 0; l < rest; l++) {
        const bool middle = N % 2 != 0 && l == half;
        even[k][l] =
            weights[k] * (middle ? D[k * N + l] : 0.5 * (D[k * N + l] + D[k * N + N - 1 - l]));
      }
    for (int back = 0; back < 2; back++) {
      corner[back][0] = even[0][0] + 0.5 * back;
      corner[back][1] = 0.5 * weights[0] * (D[0] - D[N - 1]) + 0.5 * back;
    }
  }

  __device__ double even_part(int back, int k, int l) const {
    return k == 0 && l == 0 ? corner[back][0] : even[k][l];
  }
  __device__ double odd_part(int back, int k, int l) const {
    return k == 0 && l == 0 ? corner[back][1] : -even[l][k];
  }

  /* v[k] = sum_m Q[k][m] v[m], or v[k] = sum_m Q[m][k] v[m], for both points of a lane. */
  template <bool BACK> __device__ void contract(hb_plane (&v)[N]) const {
#pragma unroll
    for (int s = 0; s < 2; s++) {
      double e[rest], o[half];
#pragma unroll
      for (int l = 0; l < half; l++) {
        e[l] = v[l].v[s] + v[N - 1 - l].v[s];
        o[l] = v[l].v[s] - v[N - 1 - l].v[s];
      }
      if (N % 2 != 0) e[rest - 1] = v[half].v[s];
#pragma unroll
      for (int k = 0; k < half; k++) {
        double a = even_part(BACK, k, 0) * e[0], b = odd_part(BACK, k, 0) * o[0];
#pragma unroll
        for (int l = 1; l < rest; l++) a = fma(even_part(BACK, k, l), e[l], a);
#pragma unroll
        for (int l = 1; l < half; l++) b = fma(odd_part(BACK, k, l), o[l], b);
        v[k].v[s] = BACK ? -a - b : a + b;
        v[N - 1 - k].v[s] = BACK ? a - b : b - a;
      }
      if (N % 2 == 0) continue;
      double b = (BACK ? even[0][half] : -even[0][half]) * o[0];
#pragma unroll
      for (int l = 1; l < half; l++) b = fma(BACK ? even[l][half] : -even[l][half], o[l], b);
      v[half].v[s] = b;
    }
  }
};

#endif
