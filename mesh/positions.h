/* SPDX-License-Identifier: BSD-3-Clause
 * Positions of a rank's points, tabulated per axis: x(s) is separable (box.h).
 *
 * A point's position depends on its global lattice coordinate alone, so it is bitwise the same on
 * every rank and for every partition. */
#ifndef HB_MESH_POSITIONS_H
#define HB_MESH_POSITIONS_H

#include "mesh/gll.h"
#include "mesh/partition.h"

struct hb_positions {
  const struct hb_box *box; /* borrowed */
  int degree;
  hb_local size[3]; /* count * degree + 1 per axis: both ends, also where the axis wraps */
  struct hb_box_axis_value *axis[3]; /* owned [size[a]] */
};

/* Not collective. */
enum hb_status hb_positions_create(const struct hb_box *box, const struct hb_partition *partition,
                                   const struct hb_gll *gll, struct hb_positions **positions);
/* Accepts NULL, clears the caller's pointer. */
void hb_positions_destroy(struct hb_positions **positions);

/* Position of the rank's lattice point c (m); c may be the end of a wrapped axis, where a periodic
 * box still has its far face. */
static inline void hb_positions_at(const struct hb_positions *positions, const hb_local c[3],
                                   double x[3]) {
  hb_box_position(positions->box, &positions->axis[0][c[0]], &positions->axis[1][c[1]],
                  &positions->axis[2][c[2]], x);
}

/* Positions of the points of local element (ex,ey,ez): x[((a n + k) n + j) n + i) * lanes]. */
void hb_positions_element(const struct hb_positions *positions, const hb_local element[3],
                          int lanes, double *x);

#endif
