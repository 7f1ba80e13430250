/* SPDX-License-Identifier: BSD-3-Clause
 * The table of the matrix instructions' lane layouts, made from mfma_layouts.tsv. */
#ifndef HB_TESTS_AMDGPU_MFMA_H
#define HB_TESTS_AMDGPU_MFMA_H

#include <cstddef>

namespace isarun {
/* Element (row, col) of block `block` of operand A, B or D stands in lane `lane`, register `slot`
 * (f64: pair of registers).  A: row = i, col = k.  B: row = k, col = j.  D: row = i, col = j. */
struct MfmaRow {
  const char *instruction;
  char operand;
  short block, row, col, lane, slot;
};
extern const MfmaRow mfma_rows[];
extern const size_t num_mfma_rows;
} /* namespace isarun */
#endif
