/* SPDX-License-Identifier: BSD-3-Clause
 * Contraction of cubes in LDS with a small matrix, by matrix instructions (AMD, device code).
 *
 *   out(m,c) = sum_l D(m,l) in(l,c),  or D(l,m);  or out += that
 *
 * along axis 0, 1 or 2 of every cube, columns c as in mfma_cube.h.  A wave takes a column group at
 * a time.  Its lane holds `rows` rows of one column: row k s + b_row(lane) is what operand B of
 * K-step s wants, and the result comes out in the same rows, so that a result can be the next
 * operand without passing through LDS.  The matrix stays in registers as operand A.  All M-tiles
 * use an operand B once it is read, which also keeps several accumulators in flight.
 *
 * Rows beyond n are zeros, by selection; lanes beyond the last column repeat that column and drop
 * the result.  Every lane reaches every matrix instruction. */
#ifndef HB_KERNELS_ELEMENT_MFMA_CONTRACTION_H
#define HB_KERNELS_ELEMENT_MFMA_CONTRACTION_H

#include "kernels/platform/gpu.h"

#include "kernels/element/mfma_cube.h"
#include "kernels/element/mfma_tiles.h"

/* Each tile's name, its accumulator and its instruction. */
template <typename tile> struct hb_tile_code;
template <> struct hb_tile_code<hb_tile_f64_16x16x4> {
  static constexpr hb_matrix_tile name = HB_MATRIX_16X16X4;
  typedef hb_double4 accumulator;
  __device__ static accumulator run(double a, double b, accumulator c) {
    return hb_mfma_16x16x4(a, b, c);
  }
};
template <> struct hb_tile_code<hb_tile_f64_4x4x4> {
  static constexpr hb_matrix_tile name = HB_MATRIX_4X4X4;
  typedef double accumulator;
  __device__ static accumulator run(double a, double b, accumulator c) {
    return hb_mfma_4x4x4(a, b, c);
  }
};
template <> struct hb_tile_code<hb_tile_f32_16x16x4> {
  static constexpr hb_matrix_tile name = HB_MATRIX_16X16X4;
  typedef hb_float4 accumulator;
  __device__ static accumulator run(float a, float b, accumulator c) {
    return hb_mfma_16x16x4(a, b, c);
  }
};
template <> struct hb_tile_code<hb_tile_f32_4x4x1> {
  static constexpr hb_matrix_tile name = HB_MATRIX_4X4X1;
  typedef hb_float4 accumulator;
  __device__ static accumulator run(float a, float b, accumulator c) {
    return hb_mfma_4x4x1(a, b, c);
  }
};

/* Value `slot` of an accumulator. */
template <typename vector> __device__ static inline auto hb_slot(const vector &c, int slot) {
  return c[slot];
}
__device__ static inline double hb_slot(const double &c, int) { return c; }
template <typename vector, typename real>
__device__ static inline void hb_set_slot(vector &c, int slot, real value) {
  c[slot] = value;
}
__device__ static inline void hb_set_slot(double &c, int, double value) { c = value; }

/* Row of D that a lane's row `row` of operand A takes, both counted within an M-tile: that which
 * makes d_row(lane, slot) of the result the row k slot + b_row(lane). */
template <typename tile> __device__ static inline int hb_matrix_row(int row) { return row; }
template <> __device__ inline int hb_matrix_row<hb_tile_f32_16x16x4>(int row) {
  return row % 4 * 4 + row / 4;
}

/* Waves that share the columns of some elements; cubes of these are `stride` slots apart. */
struct hb_team {
  int rank, waves, columns, stride;
};

/* A lane's column. */
struct hb_column {
  int element, c; /* of the team; c = a + n b */
  int first[3];   /* slot of its row(0) along each axis */
  bool present;
};

template <typename tile, int N, hb_cube_layout LAYOUT> struct hb_contraction {
  typedef typename tile::real real;
  typedef hb_tile_code<tile> code;
  static constexpr hb_precision precision = sizeof(real) == sizeof(double) ? HB_F64 : HB_F32;
  static constexpr int n = N;
  static constexpr hb_cube_layout layout = LAYOUT;
  static constexpr int width = tile::n * tile::blocks;     /* columns of a group */
  static constexpr int rows = (N + tile::k - 1) / tile::k; /* K-steps */
  static constexpr int tiles = (N + tile::m - 1) / tile::m;
  static constexpr int matrix = rows * tiles;
  static constexpr int slots = hb_cube_slots(N, LAYOUT);
  static constexpr bool whole = N % tile::k == 0;    /* no rows beyond n */
  static constexpr bool even = (N * N) % width == 0; /* no columns beyond the last */
  static_assert(width == hb_tile_columns(code::name) && rows == hb_tile_rows(code::name, N) &&
                    matrix == hb_tile_matrix(code::name, N),
                "mfma_cube.h counts as mfma_tiles.h does");

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % HB_WAVE; }
  /* The same for all lanes of a wave, which the compiler cannot see. */
  __device__ static int wave() {
    return __builtin_amdgcn_readfirstlane(static_cast<int>(threadIdx.x) / HB_WAVE);
  }
  __device__ static int row(int s) { return tile::k * s + tile::b_row(lane()); }
  __device__ static bool has_row(int s) { return whole || s < rows - 1 || row(s) < N; }

  /* Operand A from the matrix [row][column] in memory. */
  __device__ static void load_matrix(const real *D, bool transposed, real (&A)[matrix]) {
#pragma unroll
    for (int q = 0; q < matrix; q++) {
      const int m = tile::m * (q / rows) + hb_matrix_row<tile>(tile::a_row(lane()));
      const int l = tile::k * (q % rows) + tile::a_column(lane());
      const bool inside = m < N && l < N;
      const int place = !inside ? 0 : transposed ? l * N + m : m * N + l;
      const real value = D[place];
      A[q] = inside ? value : real(0);
    }
  }

  /* out(m,c) += sum_l D(m,l) in(l,c) */
  __device__ static void multiply(const real (&A)[matrix], const real (&in)[rows],
                                  real (&out)[rows]) {
    typename code::accumulator sum[tiles];
#pragma unroll
    for (int q = 0; q < tiles * tile::slots; q++)
      hb_set_slot(sum[q / tile::slots], q % tile::slots,
                  q < rows ? out[q < rows ? q : 0] : real(0));
#pragma unroll
    for (int s = 0; s < rows; s++) {
#pragma unroll
      for (int t = 0; t < tiles; t++) sum[t] = code::run(A[t * rows + s], in[s], sum[t]);
    }
#pragma unroll
    for (int q = 0; q < rows; q++) out[q] = hb_slot(sum[q / tile::slots], q % tile::slots);
  }

  /* The lane's column of a group. */
  __device__ static hb_column column(const hb_team &team, int group) {
    const int mine = tile::n * tile::block(lane()) + tile::b_column(lane());
    const int wanted = group * width + mine;
    const bool present = even || wanted < team.columns;
    const unsigned column = static_cast<unsigned>(present ? wanted : team.columns - 1);
    const int element = static_cast<int>(column / (N * N));
    const int c = static_cast<int>(column % (N * N)), cube = element * team.stride;
    return {element,
            c,
            {cube + first_slot<0>(c), cube + first_slot<1>(c), cube + first_slot<2>(c)},
            present};
  }
  __device__ static int groups(const hb_team &team) { return (team.columns + width - 1) / width; }

  /* Slot of column c's row along the axis: hb_cube_slot, where it is linear, in terms of c. */
  template <int AXIS> __device__ static int slot(int c, int row) {
    constexpr int L = hb_cube_leading(N, LAYOUT);
    const int b = static_cast<int>(static_cast<unsigned>(c) / N), a = c - N * b;
    if (LAYOUT == HB_CUBE_SWIZZLED)
      return hb_cube_slot(N, precision, code::name, LAYOUT, AXIS == 0 ? row : a,
                          AXIS == 0   ? a
                          : AXIS == 1 ? row
                                      : b,
                          AXIS == 2 ? row : b);
    if (AXIS == 0) return row + L * c;
    if (AXIS == 1) return c + N * (L - 1) * b + L * row;
    return c + (L - N) * b + L * N * row;
  }
  /* That of row(0), or of row 0 where that one is beyond n. */
  template <int AXIS> __device__ static int first_slot(int c) {
    return slot<AXIS>(c, has_row(0) ? row(0) : 0);
  }
  /* That of row(s), from row(0)'s: swizzled slots are linear in the bits of the indices, and cubes
   * of them start at multiples of their size, a power of two. */
  template <int AXIS> __device__ static int slot_of_step(int first, int s) {
    const int step = slot<AXIS>(0, tile::k * s);
    return LAYOUT == HB_CUBE_SWIZZLED ? first ^ step : first + step;
  }

  template <int AXIS>
  __device__ static void load(const real *cubes, const hb_column &column, real (&in)[rows]) {
    const int first = column.first[AXIS];
#pragma unroll
    for (int s = 0; s < rows; s++) {
      const real value = cubes[has_row(s) ? slot_of_step<AXIS>(first, s) : first];
      in[s] = has_row(s) ? value : real(0);
    }
  }
  template <int AXIS>
  __device__ static void store(real *cubes, const hb_column &column, const real (&out)[rows]) {
    if (!column.present) return;
#pragma unroll
    for (int s = 0; s < rows; s++)
      if (has_row(s)) cubes[slot_of_step<AXIS>(column.first[AXIS], s)] = out[s];
  }

  /* The contraction of all columns of the team; out may be in. */
  template <int AXIS>
  __device__ static void contract(const hb_team &team, const real (&A)[matrix], const real *in,
                                  bool accumulate, real *out) {
    for (int group = team.rank; group < groups(team); group += team.waves) {
      const hb_column c = column(team, group);
      real from[rows], to[rows] = {};
      load<AXIS>(in, c, from);
      if (accumulate) load<AXIS>(out, c, to);
      multiply(A, from, to);
      store<AXIS>(out, c, to);
    }
  }
};

/* Orders the team's LDS accesses before it with those after it: a barrier of the block, or, for a
 * wave `alone`, whose LDS accesses are done in their order, of the compiler.  Unlike __syncthreads
 * it leaves loads from memory in flight. */
__device__ static inline void hb_team_sync(bool alone) {
  __asm__ volatile("" ::: "memory");
  if (!alone) __asm__ volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
}

/* Tiles of a precision: 16x16x4, and the one of small blocks. */
template <typename real> struct hb_tiles_of;
template <> struct hb_tiles_of<double> {
  typedef hb_tile_f64_16x16x4 wide;
  typedef hb_tile_f64_4x4x4 small;
};
template <> struct hb_tiles_of<float> {
  typedef hb_tile_f32_16x16x4 wide;
  typedef hb_tile_f32_4x4x1 small;
};

/* Calls function(hb_contraction<...>()) for what is asked for at run time; HB_BAD_INPUT if there is
 * no kernel for it. */
template <typename tile, int N, hb_cube_layout LAYOUT, typename Function>
static inline enum hb_status hb_with_contraction_of(Function function) {
  constexpr hb_precision precision = hb_contraction<tile, 4, HB_CUBE_PLAIN>::precision;
  if constexpr (hb_cube_has_kernel(N, precision, LAYOUT))
    return function(hb_contraction<tile, N, LAYOUT>());
  else
    return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__, "no %s kernel for n = %d, cubes %s",
                           hb_matrix_tile_name(hb_tile_code<tile>::name), N,
                           hb_cube_layout_name(LAYOUT));
}
template <typename real, int N, typename Function>
static inline enum hb_status hb_with_contraction(enum hb_matrix_tile tile,
                                                 enum hb_cube_layout layout, Function function) {
  typedef typename hb_tiles_of<real>::wide wide;
  typedef typename hb_tiles_of<real>::small small;
#define HB_WITH_LAYOUT(LAYOUT)                                                                     \
  if (layout == LAYOUT && tile == hb_tile_code<wide>::name)                                        \
    return hb_with_contraction_of<wide, N, LAYOUT>(function);                                      \
  if (layout == LAYOUT && tile == hb_tile_code<small>::name)                                       \
    return hb_with_contraction_of<small, N, LAYOUT>(function);
  HB_WITH_LAYOUT(HB_CUBE_PLAIN)
  HB_WITH_LAYOUT(HB_CUBE_PADDED)
  HB_WITH_LAYOUT(HB_CUBE_SWIZZLED)
#undef HB_WITH_LAYOUT
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__, "no kernel for tile %s, cubes %s",
                         hb_matrix_tile_name(tile), hb_cube_layout_name(layout));
}

#endif
