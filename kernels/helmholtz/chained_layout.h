/* SPDX-License-Identifier: BSD-3-Clause
 * How the points of elements lie in the lanes of one wave, for the operator chained in registers.
 *
 * Planes (j,i) of several elements, all of the same k, form one matrix X of 16 rows and 16 columns
 * in the accumulator of the 16x16x4 tile: column c and row group g belong to lane 16 g + c, and its
 * slots are `run` neighbours i of one line (j,k):
 *
 *     groups and slots  (element down, i)      `down` elements below each other, 4 / down groups
 *     columns           (element across, j)    `across` elements side by side
 *
 * A result lies as an operand B does, row group and slot in place of K-step, so it can be the next
 * operand as it is; and as operand A it is read transposed.  Since the order of the summed index is
 * free, only the matrices that are multiplied with know which row is which point.  Where as many
 * elements fit below as beside each other, columns are named as rows are, and one operand serves
 * for both. */
#ifndef HB_KERNELS_HELMHOLTZ_CHAINED_LAYOUT_H
#define HB_KERNELS_HELMHOLTZ_CHAINED_LAYOUT_H

#ifdef __cplusplus
#define HB_CHAINED_CONSTANT constexpr static inline
#else
#define HB_CHAINED_CONSTANT static inline
#endif

HB_CHAINED_CONSTANT int hb_chained_down(int n) { return n <= 4 ? 4 : n <= 8 ? 2 : 1; }
HB_CHAINED_CONSTANT int hb_chained_across(int n) { return 16 / n; }
HB_CHAINED_CONSTANT int hb_chained_elements(int n) {
  return hb_chained_across(n) * hb_chained_down(n);
}
/* Points i of a lane: slots in use, and K-steps of a contraction over rows. */
HB_CHAINED_CONSTANT int hb_chained_run(int n) { return (n * hb_chained_down(n) + 3) / 4; }
/* K-steps of a contraction over columns. */
HB_CHAINED_CONSTANT int hb_chained_steps(int n) { return (n * hb_chained_across(n) + 3) / 4; }

/* The bits 1 << n of geometry that is not stored: of others registers do not hold what is kept
 * beside u and w, which of nodes is three cubes. */
#define HB_CHAINED_NODES     0x0ffcu
#define HB_CHAINED_TRILINEAR 0x7ffcu
#define HB_CHAINED_AFFINE    0x1fffcu

#if defined(__HIP__)

#include "kernels/element/mfma_tiles.h"

template <typename real> struct hb_chained_tile;
template <> struct hb_chained_tile<double> {
  using tile = hb_tile_f64_16x16x4;
  using matrix = hb_double4;
};
template <> struct hb_chained_tile<float> {
  using tile = hb_tile_f32_16x16x4;
  using matrix = hb_float4;
};

/* One index of a plane: i, or j; `element` counts down, or across.  Where not `used` it is another
 * one's copy, whose results are right but must not be summed. */
struct hb_chained_index {
  int element, at;
  bool used;
};

template <typename real, int N> struct hb_chained_layout {
  using tile = typename hb_chained_tile<real>::tile;
  static constexpr int across = hb_chained_across(N), down = hb_chained_down(N);
  static constexpr int elements = hb_chained_elements(N);
  static constexpr int run = hb_chained_run(N), steps = hb_chained_steps(N);
  static constexpr int groups = 4 / down; /* of a line */
  static constexpr bool square = across == down;
  static constexpr bool full = groups * run == N; /* no copies of points */

  /* Row group g, slot r.  The last runs of a line end with it, so that they stay inside. */
  __device__ static int first(int g) {
    const int start = g % groups * run;
    return full || start < N - run ? start : N - run;
  }
  __device__ static hb_chained_index row(int g, int r) {
    const int at = first(g) + (r < run ? r : run - 1);
    return {g / groups, at, r < run && (full || at >= g % groups * run)};
  }
  /* The row group and slot of row h of the tile: the inverse of tile::d_row. */
  __device__ static int group_of(int h) { return h / tile::d_row(16, 0) % 4; }
  __device__ static int slot_of(int h) { return h / tile::d_row(0, 1) % 4; }
  __device__ static hb_chained_index tile_row(int h) { return row(group_of(h), slot_of(h)); }

  /* Column of the tile; transposed it is the row of the same number, so that those in the slots of
   * the first `steps` K-steps are used. */
  __device__ static hb_chained_index tile_column(int c) {
    if (square) return tile_row(c);
    const int q = group_of(c) * steps + slot_of(c);
    const bool used = slot_of(c) < steps && q < across * N;
    return used ? hb_chained_index{q / N, q % N, true} : hb_chained_index{across - 1, N - 1, false};
  }
};

/* Constant operands of a wave.  If the layout is square, the same values serve as A for rows and as
 * B for columns, and those for columns are not used. */
template <typename real, int N> struct hb_chained_matrices {
  using layout = hb_chained_layout<real, N>;
  using tile = typename layout::tile;
  static constexpr int R = layout::run, S = layout::steps, C = layout::square ? 0 : S;
  real rows[R], rows_transposed[R];               /* as A: D[i][m], D[m][i] */
  real columns[C + 1], columns_transposed[C + 1]; /* as B: D[j][m], D[m][j] */
  real identity[R];                               /* as B */

  /* Matrix entry between two indices; 0 between elements and for copies. */
  __device__ static real entry(const real *D, hb_chained_index from, hb_chained_index summed,
                               bool transposed) {
    const real value = D[transposed ? summed.at * N + from.at : from.at * N + summed.at];
    return from.element == summed.element && summed.used ? value : real(0);
  }
  __device__ static real form_identity(int lane, int s) {
    return tile::b_column(lane) == tile::d_row(lane, s) ? 1 : 0;
  }
  __device__ void form(const real *D, int lane) {
    const hb_chained_index row = layout::tile_row(tile::a_row(lane));
    const hb_chained_index column = layout::tile_column(tile::b_column(lane));
#pragma unroll
    for (int s = 0; s < R; s++) {
      const hb_chained_index summed = layout::row(tile::a_column(lane), s);
      rows[s] = entry(D, row, summed, false);
      rows_transposed[s] = entry(D, row, summed, true);
      identity[s] = form_identity(lane, s);
    }
#pragma unroll
    for (int s = 0; s < C; s++) {
      const hb_chained_index summed = layout::tile_column(tile::d_row(lane, s));
      columns[s] = entry(D, column, summed, false);
      columns_transposed[s] = entry(D, column, summed, true);
    }
  }
  /* Instead of D, diag(weights) D. */
  __device__ void weigh(const real *weights, int lane) {
    const hb_chained_index row = layout::tile_row(tile::a_row(lane));
    const hb_chained_index column = layout::tile_column(tile::b_column(lane));
#pragma unroll
    for (int s = 0; s < R; s++) {
      rows[s] *= weights[row.at];
      rows_transposed[s] *= weights[layout::row(tile::a_column(lane), s).at];
    }
#pragma unroll
    for (int s = 0; s < C; s++) {
      columns[s] *= weights[column.at];
      columns_transposed[s] *= weights[layout::tile_column(tile::d_row(lane, s)).at];
    }
  }
  __device__ real column(int s) const { return layout::square ? rows[s] : columns[s]; }
  __device__ real column_transposed(int s) const {
    return layout::square ? rows_transposed[s] : columns_transposed[s];
  }
};

#endif

#endif
