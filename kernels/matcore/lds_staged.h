/* SPDX-License-Identifier: BSD-3-Clause
 * LDS cycles of one element: the staged matrix-core kernel, and the scalar kernels beside it.
 *
 * Staged kernel: point (i,j,k) lies in slot i + (n+PAD) j + (n+PAD) n k of a cube, or in
 * slot ^ mask(i,j,k) with a swizzle; D(row,col) in row + (n+PAD) col.  Six contractions
 *
 *   out(m,c) = sum_l D(m,l) in(l,c)     gradient axis 0, 1, 2, then divergence (D transposed)
 *
 * over columns c = a + n b, a and b being the two other axes.  An instruction takes M rows, K of
 * the contraction index, and N columns a block, the blocks side by side, all with the same A; its
 * lanes hold what mfma_layout.h says.  4x4x1 takes 2, 4, .. elements at once while their columns
 * fit into its 64 (n <= 5), cubes one after the other.
 *
 * Convention of the figures:
 *   1. a service group costs a cycle even with all lanes masked; a result register whose rows are
 *      all beyond n is not stored;
 *   2. counted are B reads (once a K-step for all M-tiles, or for each) and result stores of the
 *      six contractions; reads of the two that accumulate (divergence axis 1, 2) only if asked;
 *   3. nine linear passes over the padded slots: stage 1, pointwise 3 + 3, write-back 1, zeroing 1;
 *      each wavefront of an element walks its share, rounded up;
 *   4. one wavefront an element, unless asked;
 *   5. D apart: A reads, again for every column group.
 *
 * Source: the strategies of Neko's Ax-helm (github.com/ExtremeFLOW/neko), cycles by the bank model
 * of lds_banks.h.  Nothing here is a measurement. */
#ifndef HB_KERNELS_MATCORE_LDS_STAGED_H
#define HB_KERNELS_MATCORE_LDS_STAGED_H

#include "kernels/element/shape.h"
#include "kernels/matcore/lds_banks.h"

enum { HB_LDS_MAX_PAD = 16, HB_LDS_LINEAR_PASSES = 9, HB_LDS_INDEX_BITS = 4 };

/* Bit b of index x (0 i, 1 j, 2 k) flips the bits mask[x][b] of the slot. */
struct hb_lds_swizzle {
  int mask[3][HB_LDS_INDEX_BITS];
};

struct hb_lds_staged {
  int n; /* 2 .. 16 */
  enum hb_precision precision;
  enum hb_matrix_tile tile;
  int pad;                              /* 0 .. HB_LDS_MAX_PAD */
  const struct hb_lds_swizzle *swizzle; /* borrowed; NULL: none */
  int wavefronts;                       /* an element, 1 .. 16 */
  int linear_passes;
  bool reread_b;         /* B read again for every M-tile */
  bool accumulate_reads; /* counted */
};

/* Of `elements` elements, which is 1 except for a tile that batches. */
struct hb_lds_staged_cycles {
  int elements;
  int axis_read[3], axis_store[3]; /* of one contraction along the axis; reads with B read once */
  int axis_degree[3];              /* the worst of these reads */
  int b_reads, stores, accumulate, linear;
  int cube;    /* the sum of the four */
  int d_reads; /* apart */
  int issue;   /* cycles of one contraction's matrix instructions on one SIMD */
  int steps;   /* dependent steps of one accumulator's chain */
};

/* Of AMD's tiles 4x4x4 is there in f64, 4x4x1 in f32, 16x16x4 in both. */
bool hb_lds_tile_has(enum hb_matrix_tile tile, enum hb_precision precision);

/* Cycles that one instruction of the tile occupies its SIMD (mfma_table.h). */
int hb_lds_tile_cycles(enum hb_matrix_tile tile, enum hb_precision precision);

/* The convention above, without padding. */
struct hb_lds_staged hb_lds_staged_of(int n, enum hb_precision precision, enum hb_matrix_tile tile);

/* HB_BAD_INPUT: out of range, or a swizzle that puts two points into one slot or out of the cube.
 */
enum hb_status hb_lds_staged_count(const struct hb_lds_staged *staged,
                                   struct hb_lds_staged_cycles *cycles);

/* The staged kernel's swizzle (mfma_cube.h) of f64 n = 4 and 8, f32 n = 8, which is without
 * conflict on any axis; false for others. */
bool hb_lds_known_swizzle(int n, enum hb_precision precision, enum hb_matrix_tile tile,
                          struct hb_lds_swizzle *swizzle);

/* Scalar kernels, unpadded, 2 <= n <= 16.  Loading D is not counted, reading it is.
 * 1d: a thread a point, four cubes written, two reads (D, cube) a term of the six contractions.
 * kstep: a thread a column of points, plane by plane: three planes written and, a term, D(k,l)
 * twice and eight reads (D and plane, two axes, both directions). */
enum hb_status hb_lds_count_1d(int n, enum hb_precision precision, int *cycles);
enum hb_status hb_lds_count_kstep(int n, enum hb_precision precision, int *cycles);

/* kstep as it is shipped: rows of an odd length, D along k from scalar registers, `planes` of them
 * (1 to n) between two barriers, which share the reads of D. */
enum hb_status hb_lds_count_kstep_planes(int n, enum hb_precision precision, int planes,
                                         int *cycles);

#endif
