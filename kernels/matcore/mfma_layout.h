/* SPDX-License-Identifier: BSD-3-Clause
 * AMD's matrix instructions in f64 and f32 (MFMA): their table and, in closed form, their layouts.
 *
 * A wavefront of 64 lanes holds every operand.  Element (block, row, col) stands in lane `lane`,
 * register `slot` of the operand; in f64 a slot is a pair of registers.  A: row = i, col = k.  B:
 * row = k, col = j.  C and D: row = i, col = j.  With b the block, M x N the tile, and s = 2 in
 * xf32, else 1, the values of k that a lane holds:
 *     A:  lane = i + M b + M blocks (k / s)          slot = k % s
 *     B:  lane = j + N b + N blocks (k / s)          slot = k % s
 *     D:  f64 16x16   lane = j + 16 (i % 4)          slot = i / 4
 *         f64 4x4     lane = j + 4 b + 16 i          slot = 0
 *         4x4 f32     lane = j + 4 b                 slot = i
 *         other f32   lane = j + N ((i / 4) % (64 / N))
 *                     slot = i % 4 + 4 (i / (256 / N)) + (M N / 64) b
 * Modifiers (cbsz, abid, blgp) are 0.
 * Checked by a test against AMD's matrix instruction calculator, element by element. */
#ifndef HB_KERNELS_MATCORE_MFMA_LAYOUT_H
#define HB_KERNELS_MATCORE_MFMA_LAYOUT_H

#include "kernels/matcore/tile_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HB_MFMA_LANES = 64 };

enum hb_mfma_kind { HB_MFMA_F32 = 0, HB_MFMA_F64 = 1, HB_MFMA_XF32 = 2 };

struct hb_mfma {
  const char *name;
  enum hb_mfma_kind kind;
  int m, n, k, blocks;
};

int hb_mfma_count(void);
const struct hb_mfma *hb_mfma_at(int i);

/* By its name, or by the mnemonic that gfx942 has for it; NULL if there is none. */
const struct hb_mfma *hb_mfma_find(const char *name);

/* The layout of an operand, one of A B C D; every lane and slot of it holds one element. */
struct hb_tile_layout hb_mfma_layout(const struct hb_mfma *instruction, char operand);

/* element -> place and its inverse; HB_BAD_INPUT, with the range in words, if there is none, also
 * of an operand that is not one of A B C D. */
enum hb_status hb_mfma_lane(const struct hb_mfma *instruction, char operand,
                            struct hb_tile_element element, struct hb_tile_place *place);
enum hb_status hb_mfma_element(const struct hb_mfma *instruction, char operand,
                               struct hb_tile_place place, struct hb_tile_element *element);

#ifdef __cplusplus
}
#endif

#endif
