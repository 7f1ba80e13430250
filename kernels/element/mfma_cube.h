/* SPDX-License-Identifier: BSD-3-Clause
 * Cubes of n^3 points in LDS, and how matrix instructions cut the work on them, for host and
 * device.
 *
 *   plain, padded   slot(i,j,k) = i + L j + L n k, L = n or n + 1
 *   swizzled        slot(i,j,k) = (i + n j + n^2 k) ^ the masks of the bits that j and k have set
 *
 * A contraction sees n^2 columns c = a + n b of n rows, a and b being the two other axes in the
 * order i, j, k.  Elements of a block lie one after the other, and so do their columns. */
#ifndef HB_KERNELS_ELEMENT_MFMA_CUBE_H
#define HB_KERNELS_ELEMENT_MFMA_CUBE_H

#include "kernels/element/shape.h"

#if defined(__HIP__)
#define HB_CUBE_FUNCTION __host__ __device__ static constexpr inline
#elif defined(__cplusplus)
#define HB_CUBE_FUNCTION static constexpr inline
#else
#define HB_CUBE_FUNCTION static inline
#endif

enum { HB_CUBE_INDEX_BITS = 4, HB_LDS_BYTES = 65536 /* that a block may have */ };

HB_CUBE_FUNCTION int hb_cube_leading(int n, enum hb_cube_layout layout) {
  return layout == HB_CUBE_PADDED ? n + 1 : n;
}
HB_CUBE_FUNCTION int hb_cube_slots(int n, enum hb_cube_layout layout) {
  return hb_cube_leading(n, layout) * n * n;
}

/* Has the padded layout fewer bank conflicts than the plain one?  If 4 divides n, except for n = 4
 * in f32. */
HB_CUBE_FUNCTION bool hb_cube_padding_helps(int n, enum hb_precision precision) {
  return n % 4 == 0 && !(n == 4 && precision == HB_F32);
}

/* Is a swizzle known that leaves no axis a bank conflict? */
HB_CUBE_FUNCTION bool hb_cube_has_swizzle(int n, enum hb_precision precision) {
  return n == 8 || n == 16 || (n == 4 && precision == HB_F64);
}

/* Bits of the slot that bit `bit` of index `axis` (1 j, 2 k) flips in the swizzled layout. */
HB_CUBE_FUNCTION int hb_cube_mask(int n, enum hb_precision precision, enum hb_matrix_tile tile,
                                  int axis, int bit) {
  if (n == 16)
    return axis == 1 ? 1 << bit : axis == 2 && bit == 0 && precision == HB_F32 ? 0x10 : 0;
  if (precision == HB_F64 && n == 8)
    return axis == 1 ? (bit == 1 ? 0x1 : bit == 2 ? 0x2 : 0) : axis == 2 && bit == 0 ? 0xc : 0;
  if (precision == HB_F64 && n == 4) return axis == 2 ? (bit == 0 ? 0x5 : bit == 1 ? 0xa : 0) : 0;
  if (precision == HB_F32 && n == 8 && tile == HB_MATRIX_4X4X1)
    return axis == 1   ? (bit == 2 ? 0x1 : 0)
           : axis == 2 ? (bit == 0   ? 0xa
                          : bit == 1 ? 0x14
                                     : 0)
                       : 0;
  if (precision == HB_F32 && n == 8)
    return axis == 1   ? (bit == 2 ? 0xa : 0)
           : axis == 2 ? (bit == 0   ? 0x15
                          : bit == 2 ? 0x10
                                     : 0)
                       : 0;
  return 0;
}

/* The slot of point (i,j,k) in its cube. */
HB_CUBE_FUNCTION int hb_cube_slot(int n, enum hb_precision precision, enum hb_matrix_tile tile,
                                  enum hb_cube_layout layout, int i, int j, int k) {
  const int L = hb_cube_leading(n, layout);
  int slot = i + L * (j + n * k);
  if (layout == HB_CUBE_SWIZZLED)
    for (int bit = 0; bit < HB_CUBE_INDEX_BITS; bit++) {
      if ((j >> bit & 1) != 0) slot ^= hb_cube_mask(n, precision, tile, 1, bit);
      if ((k >> bit & 1) != 0) slot ^= hb_cube_mask(n, precision, tile, 2, bit);
    }
  return slot;
}

/* Are there kernels for it?  Padding evens out an even n alone; two cubes must fit into LDS. */
HB_CUBE_FUNCTION bool hb_cube_has_kernel(int n, enum hb_precision precision,
                                         enum hb_cube_layout layout) {
  const int bytes = precision == HB_F64 ? 8 : 4;
  if (n < (precision == HB_F64 ? 4 : 2) || n > HB_MAX_N) return false;
  if (2 * bytes * hb_cube_slots(n, layout) > HB_LDS_BYTES) return false;
  return layout == HB_CUBE_PLAIN || (layout == HB_CUBE_PADDED && n % 2 == 0) ||
         (layout == HB_CUBE_SWIZZLED && hb_cube_has_swizzle(n, precision));
}

/* Columns that one instruction takes, its blocks side by side: a column group. */
HB_CUBE_FUNCTION int hb_tile_columns(enum hb_matrix_tile tile) {
  return tile == HB_MATRIX_4X4X1 ? 64 : 16;
}
/* Rows of its column that a lane holds. */
HB_CUBE_FUNCTION int hb_tile_rows(enum hb_matrix_tile tile, int n) {
  return tile == HB_MATRIX_4X4X1 ? n : (n + 3) / 4;
}
/* Numbers of a lane that hold D, or its transpose. */
HB_CUBE_FUNCTION int hb_tile_matrix(enum hb_matrix_tile tile, int n) {
  return hb_tile_rows(tile, n) * (tile == HB_MATRIX_16X16X4 ? 1 : (n + 3) / 4);
}
/* Column groups of `elements` elements. */
HB_CUBE_FUNCTION int hb_tile_groups(enum hb_matrix_tile tile, int n, int elements) {
  return (elements * n * n + hb_tile_columns(tile) - 1) / hb_tile_columns(tile);
}

#endif
