/* SPDX-License-Identifier: BSD-3-Clause
 * Where the elements of a matrix instruction's operand live, as sums of digits, and the inverse.
 *
 * Element (block, row, col) of operand A, B, C or D of  D[b] = A[b] B[b] + C[b],
 *     d[b][i][j] = sum_k a[b][i][k] b[b][k][j] + c[b][i][j],
 * is held by lane `lane` in register `slot` of the operand.  A: row = i, col = k.  B: row = k,
 * col = j.  C and D: row = i, col = j.
 *
 * A layout is a list of digits.  A digit takes ((x / divisor) % radix) of one coordinate x and adds
 * stride times it to the lane or to the slot; so
 *     lane = sum of stride ((x / divisor) % radix)     over the digits of the lane,
 *     x    = sum of divisor ((place / stride) % radix) over the digits of x,
 * and both maps are exact and need no table. */
#ifndef HB_KERNELS_MATCORE_TILE_LAYOUT_H
#define HB_KERNELS_MATCORE_TILE_LAYOUT_H

#include "kernels/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum hb_tile_axis { HB_TILE_BLOCK = 0, HB_TILE_ROW = 1, HB_TILE_COL = 2 };
enum { HB_TILE_AXES = 3, HB_TILE_MAX_DIGITS = 8 };

struct hb_tile_digit {
  enum hb_tile_axis axis;
  int divisor, radix, stride;
  bool in_slot; /* else in the lane */
};

struct hb_tile_layout {
  int extent[HB_TILE_AXES]; /* blocks, rows, cols */
  int lanes, slots;
  int num_digits;
  struct hb_tile_digit digits[HB_TILE_MAX_DIGITS];
};

struct hb_tile_element {
  int at[HB_TILE_AXES]; /* block, row, col */
};
struct hb_tile_place {
  int lane, slot;
};

/* Appends a digit; digits of radix 1 are left out. */
void hb_tile_add(struct hb_tile_layout *layout, struct hb_tile_digit digit);

/* element -> place.  HB_BAD_INPUT with the range in the message if the element is none. */
enum hb_status hb_tile_place(const struct hb_tile_layout *layout, struct hb_tile_element element,
                             struct hb_tile_place *place);

/* place -> element, the inverse.  HB_BAD_INPUT with the range in the message if there is no such
 * lane or slot, or if it holds no element. */
enum hb_status hb_tile_element(const struct hb_tile_layout *layout, struct hb_tile_place place,
                               struct hb_tile_element *element);

/* Elements of the operand: blocks x rows x cols. */
static inline int hb_tile_count(const struct hb_tile_layout *layout) {
  return layout->extent[HB_TILE_BLOCK] * layout->extent[HB_TILE_ROW] * layout->extent[HB_TILE_COL];
}

/* The e-th element, e = (block rows + row) cols + col. */
struct hb_tile_element hb_tile_at(const struct hb_tile_layout *layout, int e);

/* NVIDIA's mma.sync in f64 (one warp of 32 lanes, a slot is one f64 register).
 * With g = lane / 4, q = lane % 4:  a[s] = A[g + 8 (s % 2)][q + 4 (s / 2)] (m8n8k4: A[g][q]),
 * b[s] = B[q + 4 s][g],  d[s] = D[g + 8 (s / 2)][2 q + s % 2].
 * Source: PTX ISA, "Matrix Fragments for mma.m8n8k4 / m16n8k4 / m16n8k8 / m16n8k16", f64. */
struct hb_mma_sync {
  const char *name;
  int m, n, k;
  const char *since; /* first architecture that has it */
};
int hb_mma_sync_count(void);
const struct hb_mma_sync *hb_mma_sync_at(int i);
const struct hb_mma_sync *hb_mma_sync_find(const char *name); /* NULL: none of that name */

/* `operand` is one of A B C D. */
struct hb_tile_layout hb_mma_sync_layout(const struct hb_mma_sync *instruction, char operand);

#ifdef __cplusplus
}
#endif

#endif
