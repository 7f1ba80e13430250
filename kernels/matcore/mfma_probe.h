/* SPDX-License-Identifier: BSD-3-Clause
 * Executes matrix instructions of AMD on a device, register by register, and compares what comes
 * out with the layout of mfma_layout.h, one element at a time. */
#ifndef HB_KERNELS_MATCORE_MFMA_PROBE_H
#define HB_KERNELS_MATCORE_MFMA_PROBE_H

#include "kernels/device.h"
#include "kernels/matcore/mfma_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most slots of D: 32x32x1, two blocks. */
enum { HB_MFMA_MAX_SLOTS = 32 };

/* Runs the instruction `count` times, C = 0: d_a, d_b [run][lane], d_d [run][lane][slot] of its
 * precision.  HB_BAD_INPUT if this program has no code for it (xf32; f64 on gfx908; NVIDIA). */
enum hb_status hb_mfma_execute(struct hb_device *device, const struct hb_mfma *instruction,
                               int count, const void *d_a, const void *d_b, void *d_d);

/* Where an element stands, as hb_mfma_lane says; tests pass another map, which must be found out.
 */
typedef enum hb_status hb_mfma_map(const struct hb_mfma *instruction, char operand,
                                   struct hb_tile_element element, struct hb_tile_place *place);

struct hb_mfma_reading {
  int elements[2], wrong[2]; /* of A, of B: elements read out one by one, and those elsewhere */
};

/* One-hot: for every element of A, a 1 in its place and a number of its own in every element of B;
 * then the other way round.  With  d[b][i][j] = sum_k a[b][i][k] b[b][k][j]  each of the results
 * shows one row or column of the other operand, in the places of D, and zeros elsewhere. */
enum hb_status hb_mfma_read_out(struct hb_device *device, const struct hb_mfma *instruction,
                                hb_mfma_map *map, struct hb_mfma_reading *reading);

#ifdef __cplusplus
}
#endif

#endif
