/* SPDX-License-Identifier: BSD-3-Clause
 * An 8 x 8 plane in the registers of a warp, and its contractions by FP64 tensor cores (m8n8k4).
 *
 * Lane = 4 g + q holds X(g, 2q) and X(g, 2q + 1): the layout of a result (PTX ISA, mma.m8n8k4 with
 * .f64).  The order of the contraction index is free: step s takes the indices 2q + s, so that a
 * result is the next operand as it stands,
 *     as A  it is X     A[g][q] = X(g, 2q + s)
 *     as B  it is X'    B[q][g] = X(g, 2q + s)
 * and X' itself, in the same layout, is the identity times X as B.  No data move between lanes. */
#ifndef HB_KERNELS_ELEMENT_TENSOR_PLANE_H
#define HB_KERNELS_ELEMENT_TENSOR_PLANE_H

#include "kernels/platform/gpu.h"

struct hb_plane {
  double v[2];
};

__device__ static inline hb_plane hb_identity_plane(int lane) {
  const int g = lane / 4, q = lane % 4;
  return {{g == 2 * q ? 1.0 : 0.0, g == 2 * q + 1 ? 1.0 : 0.0}};
}

/* d += A B of one step. */
__device__ static inline void hb_mma_8x8x4(hb_plane &d, double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(d.v[0]), "+d"(d.v[1])
      : "d"(a), "d"(b));
}

/* d[j][i] += sum_m x[j][m] M[i][m];  matrix: lane holds M[g][2q + s]. */
__device__ static inline void hb_plane_columns(hb_plane &d, const hb_plane &x,
                                               const hb_plane &matrix) {
#pragma unroll
  for (int s = 0; s < 2; s++) hb_mma_8x8x4(d, x.v[s], matrix.v[s]);
}

/* d[j][i] += sum_m M[j][m] x[m][i], by way of x'. */
__device__ static inline void hb_plane_rows(hb_plane &d, const hb_plane &x, const hb_plane &matrix,
                                            const hb_plane &identity) {
  hb_plane transposed = {{0.0, 0.0}};
#pragma unroll
  for (int s = 0; s < 2; s++) hb_mma_8x8x4(transposed, identity.v[s], x.v[s]);
#pragma unroll
  for (int s = 0; s < 2; s++) hb_mma_8x8x4(d, matrix.v[s], transposed.v[s]);
}

/* d += A b and e += C b at once, of planes a, c as A and b as B: twice the rate of m8n8k4.  Here,
 * as in two steps of that, the order of the contraction index is free. */
__device__ static inline void hb_mma_16x8x8(hb_plane &d, hb_plane &e, const hb_plane &a,
                                            const hb_plane &c, const hb_plane &b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+d"(d.v[0]), "+d"(d.v[1]), "+d"(e.v[0]), "+d"(e.v[1])
      : "d"(a.v[0]), "d"(c.v[0]), "d"(a.v[1]), "d"(c.v[1]), "d"(b.v[0]), "d"(b.v[1]));
}

/* Place of X(j,i) in a plane of 64 values in shared memory: free of bank conflicts both where a
 * lane has X(g, 2q) and X(g, 2q + 1), which lie together, and where it has X(2q + s, g) or
 * X(q + 4s, g), the plane as B. */
__device__ static inline int hb_turned_place(int j, int i) {
  return (i ^ ((j >> 1 & 1) << 2)) + 8 * (j ^ (j >> 2));
}

/* A 16 x 16 plane: tile [r][c] of it as above, X(8r + g, 8c + 2q + s), for m16n8k16, whose four
 * steps of four take the indices 8c + 2q + s in the order (c,s). */
struct hb_wide_plane {
  double v[2][2][2];
};

/* d += A B for both tiles of rows and tile `c` of columns; b: tiles of one row. */
__device__ static inline void hb_mma_16x8x16(hb_wide_plane &d, int c, const hb_wide_plane &a,
                                             const double (&b)[2][2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
      "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
      : "+d"(d.v[0][c][0]), "+d"(d.v[0][c][1]), "+d"(d.v[1][c][0]), "+d"(d.v[1][c][1])
      : "d"(a.v[0][0][0]), "d"(a.v[1][0][0]), "d"(a.v[0][0][1]), "d"(a.v[1][0][1]),
        "d"(a.v[0][1][0]), "d"(a.v[1][1][0]), "d"(a.v[0][1][1]), "d"(a.v[1][1][1]), "d"(b[0][0]),
        "d"(b[0][1]), "d"(b[1][0]), "d"(b[1][1]));
}

/* d[j][i] += sum_m x[j][m] M[i][m] */
__device__ static inline void hb_plane_columns(hb_wide_plane &d, const hb_wide_plane &x,
                                               const hb_wide_plane &matrix) {
#pragma unroll
  for (int c = 0; c < 2; c++) hb_mma_16x8x16(d, c, x, matrix.v[c]);
}

/* d[j][i] += sum_m M[j][m] x[m][i], by way of x', whose tiles are transposed one by one. */
__device__ static inline void hb_plane_rows(hb_wide_plane &d, const hb_wide_plane &x,
                                            const hb_wide_plane &matrix, const hb_plane &identity) {
  hb_wide_plane transposed;
#pragma unroll
  for (int r = 0; r < 2; r++) {
#pragma unroll
    for (int c = 0; c < 2; c++) {
      hb_plane tile = {{0.0, 0.0}};
#pragma unroll
      for (int s = 0; s < 2; s++) hb_mma_8x8x4(tile, identity.v[s], x.v[c][r][s]);
      transposed.v[r][c][0] = tile.v[0];
      transposed.v[r][c][1] = tile.v[1];
    }
  }
#pragma unroll
  for (int c = 0; c < 2; c++) hb_mma_16x8x16(d, c, matrix, transposed.v[c]);
}

#endif
