/* SPDX-License-Identifier: BSD-3-Clause
 * One rank's part of the box: everything that later stages read of the mesh. */
#ifndef HB_MESH_MESH_H
#define HB_MESH_MESH_H

#include "mesh/gather_scatter.h"
#include "mesh/positions.h"

struct hb_mesh {
  const struct hb_comm *comm; /* borrowed */
  struct hb_box box;
  struct hb_gll gll;
  struct hb_partition partition;
  struct hb_numbering *numbering; /* owned, as the following */
  struct hb_positions *positions;
  struct hb_gather_scatter *gs;
};

/* Collective; the arguments must be the same on all ranks, but for what is a rank's own in the
 * partition, which is of this box over the ranks of comm.  For blocks of `lanes` elements. */
enum hb_status hb_mesh_create(const struct hb_comm *comm, const struct hb_box *box,
                              const struct hb_partition *partition, int lanes,
                              struct hb_mesh **mesh);
/* Collective, as hb_gather_scatter_destroy.  Accepts NULL, clears the caller's pointer. */
void hb_mesh_destroy(struct hb_mesh **mesh);

/* Coordinates in the rank's box of elements of the element at a position of the numbering. */
static inline void hb_mesh_element(const struct hb_mesh *mesh, hb_local position,
                                   hb_local element[3]) {
  const hb_local e = mesh->numbering->element[position], *count = mesh->partition.count;
  element[0] = e % count[0];
  element[1] = e / count[0] % count[1];
  element[2] = e / count[0] / count[1];
}

#endif
