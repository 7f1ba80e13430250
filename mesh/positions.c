/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of the separable map over a rank's lattice. */
#include "mesh/positions.h"

/* s of lattice coordinate `element * degree + i` of the whole axis. */
static double unit_coordinate(const struct hb_box *box, const struct hb_gll *gll, int axis,
                              hb_global element, int i) {
  const double elements = (double)box->elements[axis];
  if (i == 0) return (double)element / elements;
  if (i == box->degree) return (double)(element + 1) / elements;
  return ((double)element + 0.5 * (1.0 + gll->nodes[i])) / elements;
}

enum hb_status hb_positions_create(const struct hb_box *box, const struct hb_partition *partition,
                                   const struct hb_gll *gll, struct hb_positions **positions_out) {
  enum hb_status status = HB_OK;
  struct hb_positions *positions = NULL;
  const int p = box->degree;
  *positions_out = NULL;
  HB_ALLOC(positions, 1, "positions");
  *positions = (struct hb_positions){.box = box, .degree = p};
  for (int a = 0; a < 3; a++) {
    positions->size[a] = partition->count[a] * p + 1;
    HB_ALLOC(positions->axis[a], positions->size[a], "positions along an axis");
    for (hb_local e = 0; e < partition->count[a]; e++)
      for (int i = 0; i <= p; i++) {
        const double s = unit_coordinate(box, gll, a, partition->start[a] + e, i);
        hb_box_axis(box, a, s, &positions->axis[a][e * p + i]);
      }
  }
  *positions_out = positions;
done:
  if (status != HB_OK) hb_positions_destroy(&positions);
  return status;
}

void hb_positions_destroy(struct hb_positions **positions) {
  if (*positions == NULL) return;
  for (int a = 0; a < 3; a++) hb_free((*positions)->axis[a]);
  hb_free(*positions);
  *positions = NULL;
}

void hb_positions_element(const struct hb_positions *positions, const hb_local element[3],
                          int lanes, double *x) {
  const int p = positions->degree, n = p + 1;
  const ptrdiff_t points = (ptrdiff_t)n * n * n;
  ptrdiff_t point = 0;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, point++) {
        const hb_local c[3] = {element[0] * p + i, element[1] * p + j, element[2] * p + k};
        double position[3];
        hb_positions_at(positions, c, position);
        for (int a = 0; a < 3; a++) x[(a * points + point) * lanes] = position[a];
      }
}
