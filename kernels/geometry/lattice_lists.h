/* SPDX-License-Identifier: BSD-3-Clause
 * Assembly lists (assembly.h) on a device, from where elements are: which of them have a point is
 * known by its coordinates.  The plain form is hb_assembly_lists_create, which sorts. */
#ifndef HB_KERNELS_GEOMETRY_LATTICE_LISTS_H
#define HB_KERNELS_GEOMETRY_LATTICE_LISTS_H

#include "kernels/geometry/lattice.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hb_device_lists {
  struct hb_device_lattice lattice;
  const hb_local *d_position; /* [ez][ey][ex]: the element's */
  hb_local *d_index;          /* [element][surface point]: numbers, as surface_index */
  hb_local *d_start;          /* [element]: see below */
  hb_local *d_pair, *d_extra; /* as in assembly.h */
};

/* d_start = how many entries of `extra` the points take that the element is the first to have. */
enum hb_status hb_lattice_count_extra(const struct hb_device_lists *lists);
/* d_start: of each element the first of its entries of `extra`.  Fills pair and extra, and sets
 * HB_OWNS_POINT in d_index where an element is the first to have a point. */
enum hb_status hb_lattice_fill_lists(const struct hb_device_lists *lists);
/* Marks the pairs of points on Dirichlet faces, [count] numbers. */
enum hb_status hb_lattice_mask_lists(const struct hb_device_lists *lists, hb_local count,
                                     const hb_local *d_masked);

#ifdef __cplusplus
}
#endif

#endif
