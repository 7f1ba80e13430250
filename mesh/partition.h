/* SPDX-License-Identifier: BSD-3-Clause
 * Distribution of the box over ranks: a grid of ranks, each with a contiguous box of elements.
 *
 * rank = cx + px (cy + py cz).  Axis a's elements are split as evenly as possible: coordinate c of
 * p gets elements [c E / p, (c + 1) E / p), so counts differ by at most one. */
#ifndef HB_MESH_PARTITION_H
#define HB_MESH_PARTITION_H

#include "mesh/box.h"

struct hb_partition {
  int grid[3];        /* px, py, pz; product = number of ranks */
  int coordinate[3];  /* this rank's cx, cy, cz */
  hb_global start[3]; /* first element per axis */
  hb_local count[3];  /* elements per axis, each >= 1 */
  hb_local num_elements;
  hb_global max_elements, min_elements; /* over all ranks */
};

/* Chooses the grid for `num_ranks`, or checks `requested` where its entries are not 0 (0 = free).
 * Among the grids that leave no rank without elements, it takes the one whose largest rank has
 * least to do: its elements' degree^3 points, and twice the points it shares with other ranks (they
 * are sent and summed); then the most even split.  Not collective: every rank computes the same
 * from the same arguments. HB_BAD_INPUT, with the numbers, if: ranks > elements; requested entries
 * do not multiply to num_ranks; no grid gives every rank an element; a rank's points exceed 2^31
 * - 1. */
enum hb_status hb_partition_create(const struct hb_box *box, int num_ranks, int rank,
                                   const int requested[3], struct hb_partition *partition);

/* Grid of `num_ranks` for boxes given per rank: as near to a cube as its divisors allow, px >= py
 * >= pz, or as requested (0 = free).  HB_BAD_INPUT if the request does not multiply to num_ranks.
 */
enum hb_status hb_partition_rank_grid(int num_ranks, const int requested[3], int grid[3]);

/* First element of coordinate c of p on an axis of `elements`; c = p gives `elements`. */
hb_global hb_partition_split(hb_global elements, int p, int c);

/* Rank at (coordinate + offset) of the grid, wrapped on periodic axes; -1 outside the grid. */
int hb_partition_neighbour(const struct hb_box *box, const struct hb_partition *partition,
                           const int offset[3]);

#endif
