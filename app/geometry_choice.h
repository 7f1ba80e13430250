/* SPDX-License-Identifier: BSD-3-Clause
 * Which geometry modes (geometry.h) can represent the mesh of a run, and those that it may take. */
#ifndef HB_APP_GEOMETRY_CHOICE_H
#define HB_APP_GEOMETRY_CHOICE_H

#include "app/options.h"
#include "kernels/geometry/geometry.h"
#include "mesh/comm.h"
#include "mesh/partition.h"

/* Collective.  *modes: the bits 1 << mode that the options' geometry leaves: the one that it names,
 * or for "auto" all that represent every element to rounding.  HB_BAD_INPUT: the mode that it names
 * does not, says by how much the first element, in the order of the box, is off; or its kernels
 * would form numbers that are out of range (input_range.h). */
enum hb_status hb_geometry_choose(const struct hb_comm *comm, const struct hb_options *options,
                                  const struct hb_box *box, const struct hb_partition *partition,
                                  unsigned *modes);

#endif
