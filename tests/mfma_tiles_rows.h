/* SPDX-License-Identifier: BSD-3-Clause
 * The lane maps of mfma_tiles.h, which is C++, for a test in C. */
#ifndef HB_TESTS_MFMA_TILES_ROWS_H
#define HB_TESTS_MFMA_TILES_ROWS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { HB_NUM_MFMA_TILES = 4 };

struct hb_mfma_tile_row {
  const char *instruction; /* as in mfma_layout.h */
  int is_double, m, n, k, blocks, slots, cycles;
};

struct hb_mfma_tile_row hb_mfma_tile_at(int tile);

/* element = block, row, column that `lane` holds in `slot` of operand A, B or D. */
void hb_mfma_tile_element(int tile, char operand, int lane, int slot, int element[3]);

#ifdef __cplusplus
}
#endif

#endif
