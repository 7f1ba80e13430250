/* SPDX-License-Identifier: BSD-3-Clause
 * Numbering of the unique points, global and local, in closed form: no communication.
 *
 * Global: the points form a lattice of X x Y x Z (hb_box_lattice); id = gx + X (gy + Y gz), where
 * an element's point i on an axis is g = element * degree + i, modulo the lattice if periodic.
 *
 * Local: a rank's elements cover a box of lattice points.  Its vectors hold each once:
 *   [0, surface_start)            inside elements, as helmholtz.h says, block by block
 *   [surface_start, num_private)  on element surfaces, this rank's alone
 *   [num_private, num_owned)      shared with other ranks, owned by this one
 *   [num_owned, num_points)       shared, owned by another rank
 * The owner of a shared point is the lowest rank that has it.  Within a range points are
 * numbered as the blocks of elements first meet them.  Elements that touch a shared point come
 * first: positions [0, num_boundary_elements); within each kind they go in lattice order, x
 * fastest.
 *
 *        rank 0        rank 1          e = 1, 3 of rank 0 touch the boundary, so position
 *      +---+---+     +---+---+         0 1 2 3 holds elements 1 3 0 2;  * is owned by rank 0
 *      | 2 | 3 *     * 2 | 3 |
 *      +---+---*     *---+---+
 *      | 0 | 1 *     * 0 | 1 |
 *      +---+---+     +---+---+  */
#ifndef HB_MESH_NUMBERING_H
#define HB_MESH_NUMBERING_H

#include "mesh/partition.h"

struct hb_numbering {
  int n, lanes;
  hb_local num_elements, num_boundary_elements, num_blocks;
  /* Blocks [0, num_boundary_blocks) hold every boundary element. */
  hb_local num_boundary_blocks;
  hb_local surface_start, num_private, num_owned, num_points;
  hb_local *element; /* owned [position]: ex + cx (ey + cy ez) in the rank's box of elements */
  hb_local *surface_index;  /* owned [block][surface point][lane]; -1 in missing lanes */
  hb_local lattice_size[3]; /* the rank's lattice points per axis; a periodic axis that the rank
                             * spans alone has no second copy of its first plane */
  hb_local *lattice;        /* owned [z][y][x]: local number */
  hb_local num_masked;
  hb_local *masked; /* owned: local numbers on Dirichlet faces */
};

/* Numbers the points of one rank for blocks of `lanes` elements, on up to so many threads, on whose
 * number nothing depends.  Not collective. */
enum hb_status hb_numbering_create(const struct hb_box *box, const struct hb_partition *partition,
                                   int lanes, int threads, struct hb_numbering **numbering);
/* Accepts NULL, clears the caller's pointer. */
void hb_numbering_destroy(struct hb_numbering **numbering);

/* Local number of point (i,j,k) of local element (ex,ey,ez). */
static inline hb_local hb_numbering_point(const struct hb_numbering *numbering,
                                          const hb_local element[3], int i, int j, int k) {
  const int p = numbering->n - 1;
  const hb_local *size = numbering->lattice_size;
  hb_local x = element[0] * p + i, y = element[1] * p + j, z = element[2] * p + k;
  x = x == size[0] ? 0 : x; /* happens only where the rank wraps a periodic axis */
  y = y == size[1] ? 0 : y;
  z = z == size[2] ? 0 : z;
  return numbering->lattice[((ptrdiff_t)z * size[1] + y) * size[0] + x];
}

/* Lattice points per axis of a rank, as in lattice_size. */
void hb_numbering_lattice_size(const struct hb_box *box, const struct hb_partition *partition,
                               hb_local size[3]);

/* Global id of the rank's lattice point c. */
hb_global hb_numbering_global_id(const struct hb_box *box, const struct hb_partition *partition,
                                 const hb_local c[3]);

/* True if other ranks beyond the low (side 0) or high (side 1) end of the axis share its points. */
bool hb_numbering_side_is_shared(const struct hb_box *box, const struct hb_partition *partition,
                                 int axis, int side);

/* Points of the rank's vectors, and at most so many of them that other ranks have too. */
hb_global hb_numbering_num_points(const struct hb_box *box, const struct hb_partition *partition);
hb_global hb_numbering_most_shared(const struct hb_box *box, const struct hb_partition *partition);

/* Bytes that hb_numbering_create will hold on this rank. */
hb_global hb_numbering_bytes(const struct hb_box *box, const struct hb_partition *partition,
                             int lanes);

#endif
