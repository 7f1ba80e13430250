/* SPDX-License-Identifier: BSD-3-Clause
 * Where the points of an output file have to be: the map of the box (mesh/box.h) that its options
 * describe, at the nodes of its elements.  Not collective. */
#ifndef HB_IO_FIELD_POSITIONS_H
#define HB_IO_FIELD_POSITIONS_H

#include "mesh/box.h"
#include "mesh/gll.h"

struct hb_field_file_summary; /* field_file_read.h */

/* Without pointers, to be sent to other processes. */
struct hb_field_map {
  bool known; /* false: the file does not say enough */
  struct hb_box box;
};

/* From the options in the file's configuration, and its numbers of elements and degree. */
struct hb_field_map hb_summary_map(const struct hb_field_file_summary *summary);

/* Of the nodes of an element at (ex,ey,ez) in the box, points [k][j][i][3] in m, how many are not
 * where the map has them, but for rounding. */
hb_global hb_field_map_wrong_points(const struct hb_field_map *map, const struct hb_gll *gll,
                                    const hb_global element[3], enum hb_precision precision,
                                    const void *points);

#endif
