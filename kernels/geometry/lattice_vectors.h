/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors at the points of a device's lattice (lattice.h), and what their points add up to, for the
 * passes of gates that compare vectors.
 *
 * Vectors are [num_points] of the precision, as in numbering.h.  Sums are in double, in an order
 * fixed by the number of points; a largest value is NaN if one of its values is. */
#ifndef HB_KERNELS_GEOMETRY_LATTICE_VECTORS_H
#define HB_KERNELS_GEOMETRY_LATTICE_VECTORS_H

#include "kernels/geometry/lattice.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a vector is set to at the rank's points. */
enum hb_lattice_values_kind {
  HB_LATTICE_RANDOM,        /* hb_random_at of global point and seed */
  HB_LATTICE_RANDOM_INSIDE, /* the same, 0 where the solution is given */
  HB_LATTICE_EXACT_INSIDE,  /* the solution, 0 where it is given */
  HB_LATTICE_EXACT_GIVEN,   /* the solution where it is given, 0 elsewhere */
  HB_LATTICE_ONE,
  HB_LATTICE_CLEAR_GIVEN /* 0 where the solution is given; others stay */
};

/* What a pass over points finds. */
enum { HB_POINT_SUMS = 4, HB_POINT_LARGEST = 4, HB_POINT_VALUES = 8, HB_POINT_BLOCKS = 1024 };
struct hb_point_sums {
  double sum[HB_POINT_SUMS], largest[HB_POINT_LARGEST];
};

/* Passes over the first `count` points of vectors; of those before `owned` sums are formed. */
enum hb_point_pass {
  HB_POINTS_DOT,      /* sum: a b */
  HB_POINTS_WEIGHTED, /* sum: a a b */
  HB_POINTS_RESIDUAL, /* sums: (a - b)^2, ((a - b) - c)^2, a - b */
  /* a: b, b: A u, c: the diagonal, d: u, e: x, f: 1 / diagonal of a preconditioner, or NULL for 1.
   * With c' = a - b and error = e - d (0 where d is 0), f = 0 left out of the last two:
   * sums: c', error^2 / f, d^2 / f; largest: |c'| / c of all points. */
  HB_POINTS_CONSISTENCY
};
struct hb_point_vectors {
  struct hb_device *device;
  hb_local count, owned;
  const void *d_vectors[6];
  double *d_partials; /* [HB_POINT_BLOCKS][HB_POINT_VALUES], work */
};

typedef enum hb_status hb_lattice_set_type(const struct hb_device_lattice *lattice,
                                           enum hb_lattice_values_kind kind, int64_t seed,
                                           void *d_vector);
typedef enum hb_status hb_points_pass_type(const struct hb_point_vectors *vectors,
                                           enum hb_point_pass pass, struct hb_point_sums *sums);
/* x against the solution u. Sums over owned points: (x - u)^2, u^2; largest there: |x - u|, |u|;
 * and where it is given, of all points of the rank: |x - u|, |u|. */
typedef enum hb_status hb_lattice_error_type(const struct hb_device_lattice *lattice,
                                             hb_local num_owned, const void *d_x,
                                             double *d_partials, struct hb_point_sums *sums);

hb_lattice_set_type hb_lattice_set_f64, hb_lattice_set_f32;
hb_points_pass_type hb_points_pass_f64, hb_points_pass_f32;
hb_lattice_error_type hb_lattice_error_f64, hb_lattice_error_f32;

#ifdef __cplusplus
}
#endif

#endif
