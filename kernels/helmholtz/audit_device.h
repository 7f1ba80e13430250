/* SPDX-License-Identifier: BSD-3-Clause
 * The audit (audit.h) of all that a device has set up, on that device: straight from the terms of
 * positions along the axes, by the formulas of audit.h and none of the operator's.
 *
 * Layer by layer of elements of the same z, those around the rank's own among them, so that no
 * exchange is needed: what each element contributes at its points, and then, at every point of the
 * rank's lattice, the sum over the up to eight elements that coordinates say have it, against what
 * is in use.  Neither the operator's factors nor its assembly lists enter what is expected; of the
 * numbering one element's number of each point. */
#ifndef HB_KERNELS_HELMHOLTZ_AUDIT_DEVICE_H
#define HB_KERNELS_HELMHOLTZ_AUDIT_DEVICE_H

#include "kernels/geometry/lattice.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of each element of a layer: A v, mass, right-hand side but for the source, and the sum of its
 * magnitudes, [element][value][k][j][i]; and a bound of what enters an entry of A v, [element]. */
enum { HB_AUDIT_VALUES = 4, HB_AUDIT_BLOCKS = 1024, HB_AUDIT_FOUND = 4 };

struct hb_device_audit {
  struct hb_device_lattice lattice; /* with the elements around */
  const hb_local *d_position;       /* [ez][ey][ex] of the rank's own: the numbering's position */
  hb_local size[3];                 /* the rank's lattice points along each axis */
  int64_t seed;                     /* v = hb_random_at(point, seed) */
  int num_factors;
  double source_scale;    /* largest |f| that the problem allows */
  const hb_local *d_pair; /* in use: the mask (assembly.h) */
  const void *d_w, *d_b;  /* A v and the right-hand side in use, [num_points] */
  double *d_values[2];    /* of two layers, work */
  double *d_bound[2];
  double *d_scratch; /* [HB_AUDIT_BLOCKS][HB_AUDIT_VALUES][n^3], work */
  double *d_found;   /* [HB_AUDIT_BLOCKS][HB_AUDIT_FOUND] */
};

/* Elements of a layer, those around among them. */
static inline hb_global hb_device_audit_layer(const struct hb_device_lattice *lattice) {
  return (hb_global)(lattice->last[0] - lattice->first[0]) * (lattice->last[1] - lattice->first[1]);
}

/* What they contribute, of layer ez, to d_values[number]. */
enum hb_status hb_device_audit_elements(const struct hb_device_audit *audit, hb_local ez,
                                        int number);

/* Compares the planes [z, z + count) of the rank's lattice; the first of them is the last of the
 * layer below, whose contributions are at `below` (-1: there is none), all at `here` (-1: none,
 * then count is 1).  d_found gathers the largest differences so far: of A v, of the right-hand
 * side, each over the rounding unit 1, and the number of points masked wrongly. */
typedef enum hb_status hb_device_audit_compare_type(const struct hb_device_audit *audit, hb_local z,
                                                    hb_local count, int below, int here);
/* The factors of elements at positions [begin, end), d_factors [element - begin][f][k][j][i]: the
 * largest difference to the fourth place of d_found. */
typedef enum hb_status hb_device_audit_factors_type(const struct hb_device_audit *audit,
                                                    hb_local begin, hb_local end,
                                                    const void *d_factors);
hb_device_audit_compare_type hb_device_audit_compare_f64, hb_device_audit_compare_f32;
hb_device_audit_factors_type hb_device_audit_factors_f64, hb_device_audit_factors_f32;

#ifdef __cplusplus
}
#endif

#endif
