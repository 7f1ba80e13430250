/* SPDX-License-Identifier: BSD-3-Clause
 * The rank's lattice of points as a device has it (kernels/geometry/lattice.h), made from the mesh
 * and the problem. */
#ifndef HB_APP_DEVICE_LATTICE_H
#define HB_APP_DEVICE_LATTICE_H

#include "app/problem.h"
#include "kernels/geometry/lattice.h"

/* Terms of the position along an axis, of elements first .. last - 1 in coordinates of the rank's
 * box: value[(e - first) n + i]; borrowed. */
struct hb_lattice_axis {
  hb_local first, last;
  const struct hb_box_axis_value *value;
};

/* Not collective.  The lattice with arrays of its own on the device, but for the index of surface
 * points, which stays borrowed.  Freed by hb_device_lattice_free, also after a failure. */
enum hb_status hb_device_lattice_init(struct hb_device *device, const struct hb_mesh *mesh,
                                      const struct hb_problem *problem,
                                      const struct hb_lattice_axis axis[3],
                                      const hb_local *d_surface_index,
                                      struct hb_device_lattice *lattice);
void hb_device_lattice_free(struct hb_device_lattice *lattice);

/* Bytes that grow with the rank's part. */
static inline hb_global hb_device_lattice_bytes(hb_local num_elements) {
  return (hb_global)num_elements * (hb_global)sizeof(hb_local);
}

#endif
