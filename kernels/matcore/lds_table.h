/* SPDX-License-Identifier: BSD-3-Clause
 * The bank model's standard cases, one row each: what `helmbone-matcore lds table` prints.
 *
 * Names of rows (cycles of one element unless said otherwise; NaN where a column has no meaning):
 *   cube                             contractions and nine linear passes: lds_staged.h's convention
 *   cube B re-read                   B read again for every M-tile
 *   cube four wavefronts with D      four an element, eight linear passes, accumulate reads, D
 *   cube accumulate reads            eight linear passes, accumulate reads
 *   cube XOR                         the same with the known swizzle, in column `unpadded`
 *   element, element B re-read       cube and D
 *   D, B reads, B reads re-read      D; B reads of six contractions
 *   axis A, axis A degree            B reads of one contraction along the axis; their worst degree
 *   1d, kstep                        scalar kernels
 *   memory roof MI250X GCD           CU cycles of nine values a point
 *   issue                            matrix instructions of one contraction on one SIMD
 *   chain loss percent               by one 4-cycle wait between the steps of one accumulator
 *   pad b64 words, pad b128 words    padding that makes f16 fragment reads of 16 rows free of
 *                                    conflict, in column `padded`
 *   pad b128 words consecutive lanes the same if b128 reads were served in consecutive lanes
 *   degree b128 four words           what that padding gives with the real groups */
#ifndef HB_KERNELS_MATCORE_LDS_TABLE_H
#define HB_KERNELS_MATCORE_LDS_TABLE_H

#include "kernels/matcore/lds_staged.h"

struct hb_lds_row {
  const char *name;
  int n; /* 0: none */
  const char *precision, *tile;
  double unpadded, padded; /* NaN: none */
};

int hb_lds_table_rows(void);

/* Fills rows[hb_lds_table_rows()]. */
enum hb_status hb_lds_table(struct hb_lds_row *rows);

#endif
