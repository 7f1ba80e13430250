/* SPDX-License-Identifier: BSD-3-Clause
 * Search for a layout of a matrix tile in LDS that its reads and writes pass without conflict.
 *
 * A map says which (row, byte of the row) each lane accesses.  Byte `col` of row `row` lies at
 *
 *   padding   row (row_bytes + 4 words) + col
 *   swizzle   row row_bytes + chunk_bytes (chunk ^ ((row >> shift) & mask)) + col % chunk_bytes,
 *             chunk = col / chunk_bytes, the widest access being one chunk
 *
 * "Free of conflict" means that every group of every access takes one cycle, equal addresses
 * being one.  A padding that leaves an access unaligned is misaligned, which is not the same. */
#ifndef HB_KERNELS_MATCORE_LDS_PAD_H
#define HB_KERNELS_MATCORE_LDS_PAD_H

#include "kernels/matcore/lds_banks.h"
#include "kernels/matcore/mfma_layout.h"

enum { HB_LDS_MAX_ACCESSES = 64, HB_LDS_MAX_ROW_BYTES = 4096, HB_LDS_MAX_PAD_WORDS = 64 };

struct hb_lds_map {
  enum hb_lds_arch arch;
  int dwords;
  bool write, consecutive; /* as in struct hb_lds_access */
  int num_accesses;        /* 0 .. HB_LDS_MAX_ACCESSES */
  struct {
    int row, col; /* col in bytes; row HB_LDS_MASKED for a masked lane */
  } lane[HB_LDS_MAX_ACCESSES][HB_LDS_LANES];
};

struct hb_lds_layout {
  int row_bytes;
  int pad_words;
  int chunk_bytes, shift, mask; /* mask 0: no swizzle */
};

struct hb_lds_map_cost {
  int cycles, ideal; /* of all accesses; ideal: one a group */
  int worst;         /* degree; 0 if misaligned */
  int misaligned;    /* lanes, over all accesses; cycles count the aligned accesses only */
};

/* Fragment reads: lane takes row lane % rows and, of each step, `4 dwords` bytes from byte
 * 4 dwords (lane / rows) on; steps follow each other along the row until it ends.  That is the
 * operand map of the 16x16 and 32x32 instructions with one block: rows = 16, b64 for
 * v_mfma_f32_16x16x16f16 (row lane%16, four f16 from column 4 (lane/16)); b128 takes two of its
 * K-steps at once.  HB_BAD_INPUT: a row that the steps do not fill, or too many of them. */
enum hb_status hb_lds_map_fragment(int rows, int row_bytes, int dwords, struct hb_lds_map *map);

/* Reads of operand A, B or C, or writes of D, of an f64 or f32 instruction, one register (b64, b32)
 * an access; the operand's row is the tile's row.  Blocks lie below each other for A, side by side
 * for the others, and steps follow each other along the row until it ends.  *rows: the tile's. */
enum hb_status hb_lds_map_operand(const struct hb_mfma *mfma, char operand, int row_bytes,
                                  struct hb_lds_map *map, int *rows);

/* Writes (or, with map->write cleared, reads) of the tile row by row: lane follows lane along the
 * row, then the next row. */
enum hb_status hb_lds_map_rows(int rows, int row_bytes, int dwords, struct hb_lds_map *map);

enum hb_status hb_lds_map_count(const struct hb_lds_map *map, const struct hb_lds_layout *layout,
                                struct hb_lds_map_cost *cost);

static inline bool hb_lds_map_is_free(const struct hb_lds_map_cost *cost) {
  return cost->misaligned == 0 && cost->cycles == cost->ideal;
}

/* Smallest padding, 0 .. max_words, free of conflict for all maps; -1 in *words if there is none.
 */
enum hb_status hb_lds_find_pad(const struct hb_lds_map *maps, int num_maps, int row_bytes,
                               int max_words, int *words);

/* Best swizzle without padding: fewest cycles over all maps, then the smallest mask, then the
 * smallest shift.  Masks are 0, 1, 3, 7, .. as far as mask + 1 divides the chunks of a row; shifts
 * 0 .. 4.  *conflict_free: none is left. */
enum hb_status hb_lds_find_swizzle(const struct hb_lds_map *maps, int num_maps, int row_bytes,
                                   struct hb_lds_layout *layout, bool *conflict_free);

#endif
