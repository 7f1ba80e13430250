/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of the separable map over a rank's lattice. */
#include "mesh/geometry.h"

/* s of lattice coordinate `element * degree + i` of the whole axis. */
static double unit_coordinate(const struct hb_box *box, const struct hb_gll *gll, int axis,
                              hb_global element, int i) {
  const double elements = (double)box->elements[axis];
  if (i == 0) return (double)element / elements;
  if (i == box->degree) return (double)(element + 1) / elements;
  return ((double)element + 0.5 * (1.0 + gll->nodes[i])) / elements;
}

enum hb_status hb_geometry_create(const struct hb_box *box, const struct hb_partition *partition,
                                  const struct hb_gll *gll, struct hb_geometry **geometry_out) {
  enum hb_status status = HB_OK;
  struct hb_geometry *geometry = NULL;
  const int p = box->degree;
  *geometry_out = NULL;
  HB_ALLOC(geometry, 1, "geometry");
  *geometry = (struct hb_geometry){.box = box, .degree = p};
  for (int a = 0; a < 3; a++) {
    geometry->size[a] = partition->count[a] * p + 1;
    HB_ALLOC(geometry->axis[a], geometry->size[a], "positions along an axis");
    for (hb_local e = 0; e < partition->count[a]; e++)
      for (int i = 0; i <= p; i++) {
        const double s = unit_coordinate(box, gll, a, partition->start[a] + e, i);
        hb_box_axis(box, a, s, &geometry->axis[a][e * p + i]);
      }
  }
  *geometry_out = geometry;
done:
  if (status != HB_OK) hb_geometry_destroy(&geometry);
  return status;
}

void hb_geometry_destroy(struct hb_geometry **geometry) {
  if (*geometry == NULL) return;
  for (int a = 0; a < 3; a++) hb_free((*geometry)->axis[a]);
  hb_free(*geometry);
  *geometry = NULL;
}

void hb_geometry_element(const struct hb_geometry *geometry, const hb_local element[3], int lanes,
                         double *x) {
  const int p = geometry->degree, n = p + 1;
  const ptrdiff_t points = (ptrdiff_t)n * n * n;
  ptrdiff_t point = 0;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, point++) {
        const hb_local c[3] = {element[0] * p + i, element[1] * p + j, element[2] * p + k};
        double position[3];
        hb_geometry_position(geometry, c, position);
        for (int a = 0; a < 3; a++) x[(a * points + point) * lanes] = position[a];
      }
}
