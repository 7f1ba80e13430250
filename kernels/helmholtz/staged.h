/* SPDX-License-Identifier: BSD-3-Clause
 * How the staged operator cuts its work, for host and device (staged.hip).
 *
 * A block of `wavefronts` works on `elements`.  If there are as many elements as wavefronts or
 * more, each wavefront has its own (alone), else all wavefronts share the column groups of all
 * elements. A wavefront with one group keeps its points in registers and needs two cubes an element
 * in LDS; one with more walks over them and needs a third. */
#ifndef HB_KERNELS_HELMHOLTZ_STAGED_H
#define HB_KERNELS_HELMHOLTZ_STAGED_H

#include "kernels/element/mfma_cube.h"
#include "kernels/helmholtz/helmholtz.h"

enum {
  HB_STAGED_MAX_WAVEFRONTS = 16,
  HB_STAGED_FEW_WAVEFRONTS = 8,    /* most of kernels that take more than 128 registers a lane, */
  HB_STAGED_FEWER_WAVEFRONTS = 4,  /* and of such that take more than 128 without accumulators' */
  HB_STAGED_SMALL_TILE_MAX_N = 12, /* beyond it small tiles hold D in too many registers */
  HB_STAGED_ROOMY_MAX_N = 12,      /* beyond it kernels of one group are short of registers */
  /* Registers of D, its transpose and a group's factors, at most, where these are loaded before
   * they are needed; in kernels for the most and for few wavefronts. */
  HB_STAGED_AHEAD_REGISTERS = 70,
  HB_STAGED_FEW_AHEAD_REGISTERS = 110
};

HB_CUBE_FUNCTION bool hb_staged_is_alone(const struct hb_shape *shape) {
  return shape->elements % shape->wavefronts == 0;
}
/* Column groups that a wavefront has, at most. */
HB_CUBE_FUNCTION int hb_staged_groups(const struct hb_shape *shape, int n) {
  if (hb_staged_is_alone(shape))
    return hb_tile_groups(shape->tile, n, shape->elements / shape->wavefronts);
  return (hb_tile_groups(shape->tile, n, shape->elements) + shape->wavefronts - 1) /
         shape->wavefronts;
}
HB_CUBE_FUNCTION int hb_staged_cubes(bool one_group) { return one_group ? 2 : 3; }

/* Are there kernels for the tile, and such for more than one group?  The latter not for elements of
 * one, nor where three cubes are too large. */
HB_CUBE_FUNCTION bool hb_staged_has_tile(enum hb_matrix_tile tile, enum hb_precision precision,
                                         int n) {
  const enum hb_matrix_tile small = precision == HB_F64 ? HB_MATRIX_4X4X4 : HB_MATRIX_4X4X1;
  return tile == HB_MATRIX_16X16X4 || (tile == small && n <= HB_STAGED_SMALL_TILE_MAX_N);
}
HB_CUBE_FUNCTION bool hb_staged_has_loop(enum hb_matrix_tile tile, enum hb_precision precision,
                                         enum hb_cube_layout layout, int n) {
  const int bytes = precision == HB_F64 ? 8 : 4;
  return hb_tile_groups(tile, n, 1) > 1 &&
         hb_staged_cubes(false) * bytes * hb_cube_slots(n, layout) <= HB_LDS_BYTES;
}

/* Most wavefronts of a kernel.  Tiles 4x4x1 hold a column whole, and a wavefront of theirs has work
 * of its own; on gfx908 half of the registers are for accumulators alone. */
HB_CUBE_FUNCTION int hb_staged_most_wavefronts(enum hb_matrix_tile tile, int n, bool one_group) {
  if (tile == HB_MATRIX_4X4X1 && n > 4) return HB_STAGED_FEWER_WAVEFRONTS;
  return !one_group || (tile == HB_MATRIX_4X4X1 && n == 4) || (tile == HB_MATRIX_4X4X4 && n > 8)
             ? HB_STAGED_FEW_WAVEFRONTS
             : HB_STAGED_MAX_WAVEFRONTS;
}

/* Are the factors of a column group loaded before they are needed? */
HB_CUBE_FUNCTION bool hb_staged_loads_ahead(enum hb_precision precision, enum hb_matrix_tile tile,
                                            int n, bool one_group) {
  const int values = HB_MAX_FACTORS * hb_tile_rows(tile, n) + 2 * hb_tile_matrix(tile, n);
  return values * (precision == HB_F64 ? 2 : 1) <=
         (hb_staged_most_wavefronts(tile, n, one_group) == HB_STAGED_MAX_WAVEFRONTS
              ? HB_STAGED_AHEAD_REGISTERS
              : HB_STAGED_FEW_AHEAD_REGISTERS);
}

#ifdef __cplusplus
extern "C" {
#endif

/* LDS that a block of the shape needs. */
int hb_staged_lds_bytes(const struct hb_shape *shape, enum hb_precision precision, int n);

/* Is there a kernel for the shape? */
bool hb_staged_runs(const struct hb_shape *shape, enum hb_precision precision, int n);

/* Are all factors of an element kept in registers ("reg"), so that the three components of a local
 * vector read them once?  Else each component reads them ("glob"). */
bool hb_staged_keeps_factors(const struct hb_shape *shape, enum hb_precision precision, int n);

#ifdef __cplusplus
}
#endif

#endif
