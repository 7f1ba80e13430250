/* SPDX-License-Identifier: BSD-3-Clause
 * The lane maps of mfma_tiles.h as functions that C can call. */
#include "tests/mfma_tiles_rows.h"

#include "kernels/element/mfma_tiles.h"

template <typename tile> static hb_mfma_tile_row row_of(const char *instruction) {
  return {instruction, sizeof(typename tile::real) == sizeof(double),
          tile::m,     tile::n,
          tile::k,     tile::blocks,
          tile::slots, tile::cycles};
}

template <typename tile> static void element_of(char operand, int lane, int slot, int element[3]) {
  element[0] = tile::block(lane);
  if (operand == 'A') {
    element[1] = tile::a_row(lane);
    element[2] = tile::a_column(lane);
  } else if (operand == 'B') {
    element[1] = tile::b_row(lane);
    element[2] = tile::b_column(lane);
  } else {
    element[1] = tile::d_row(lane, slot);
    element[2] = tile::d_column(lane);
  }
}

extern "C" hb_mfma_tile_row hb_mfma_tile_at(int tile) {
  switch (tile) {
  case 0: return row_of<hb_tile_f64_16x16x4>("v_mfma_f64_16x16x4f64");
  case 1: return row_of<hb_tile_f64_4x4x4>("v_mfma_f64_4x4x4f64");
  case 2: return row_of<hb_tile_f32_16x16x4>("v_mfma_f32_16x16x4f32");
  default: return row_of<hb_tile_f32_4x4x1>("v_mfma_f32_4x4x1f32");
  }
}

extern "C" void hb_mfma_tile_element(int tile, char operand, int lane, int slot, int element[3]) {
  switch (tile) {
  case 0: return element_of<hb_tile_f64_16x16x4>(operand, lane, slot, element);
  case 1: return element_of<hb_tile_f64_4x4x4>(operand, lane, slot, element);
  case 2: return element_of<hb_tile_f32_16x16x4>(operand, lane, slot, element);
  default: return element_of<hb_tile_f32_4x4x1>(operand, lane, slot, element);
  }
}
