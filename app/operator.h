/* SPDX-License-Identifier: BSD-3-Clause
 * The assembled Helmholtz operator of a rank: factors, local variant, exchange, mask.
 *
 *   w = Z' Q' A_local Q Z u      Q: assembled to elements, Z: zero on Dirichlet faces
 *
 * Elements that touch a rank boundary first, the exchange started, the other elements, the exchange
 * finished.  Vectors are as numbering.h says, in the operator's precision. */
#ifndef HB_APP_OPERATOR_H
#define HB_APP_OPERATOR_H

#include "app/problem.h"
#include "app/timers.h"
#include "app/watch.h"
#include "kernels/helmholtz/variants.h"

/* Entry i of a vector of the given precision. */
static inline double hb_real_at(enum hb_precision precision, const void *values, ptrdiff_t i) {
  return precision == HB_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

struct hb_operator_device; /* operator_device.h */

struct hb_operator {
  const struct hb_mesh *mesh;                 /* borrowed */
  const struct hb_helmholtz_variant *variant; /* borrowed, as the table */
  const struct hb_vector_ops *ops;
  enum hb_precision precision;
  struct hb_shape shape; /* of the variant; zeros on the host */
  struct hb_helmholtz helmholtz;
  void *D, *factors, *scratch;       /* owned; factors and scratch NULL on a device */
  struct hb_operator_device *device; /* owned; NULL on the host */
  enum hb_status failure;            /* of the device in an application: the first */
  struct hb_timers *timers;          /* borrowed; NULL: not timed */
};

/* Collective.  Computes the factors of the rank's elements; mass [num_points] receives the rank's
 * partial diagonal mass (its own elements, h2 left out).  watcher may be NULL.
 * HB_BAD_INPUT names an element that the mesh inverts. */
enum hb_status hb_operator_create(const struct hb_mesh *mesh, const struct hb_problem *problem,
                                  const struct hb_helmholtz_variant *variant,
                                  enum hb_precision precision, double *mass,
                                  const struct hb_watcher *watcher, struct hb_operator **op);
/* Collective.  The same with the factors on a device and an operator that is applied there, by a
 * kernel that the device has. */
enum hb_status
hb_operator_create_on_device(const struct hb_mesh *mesh, const struct hb_problem *problem,
                             const struct hb_kernel *kernel, enum hb_precision precision,
                             struct hb_device *device, bool gpu_aware, double *mass,
                             const struct hb_watcher *watcher, struct hb_operator **op);
/* Not collective.  Accepts NULL, clears the caller's pointer. */
void hb_operator_destroy(struct hb_operator **op);

enum hb_operator_part {
  HB_OPERATOR_FULL,      /* as in the equation; u must be zero on Dirichlet faces */
  HB_OPERATOR_UNMASKED,  /* without Z */
  HB_OPERATOR_STIFFNESS, /* without Z and without the h2 term */
};

/* Vectors of the following are on the host also where the operator is on a device; a failure of the
 * device is kept in op->failure and makes results NaN. */

/* Collective.  w = A u; the surface entries of w must be zero on entry.  u_dot_w, if not NULL,
 * receives this rank's part of u'Au: the sum over its elements before assembly. */
void hb_operator_apply(struct hb_operator *op, enum hb_operator_part part, const void *u, void *w,
                       double *u_dot_w);

/* Collective.  The same for any w: clears it first. */
void hb_operator_multiply(struct hb_operator *op, enum hb_operator_part part, const void *u,
                          void *w);

/* Collective.  inverse [num_points] = 1 / sum of the elements' diagonals, 0 on Dirichlet
 * faces. */
void hb_operator_inverse_diagonal(struct hb_operator *op, void *inverse);

/* Not collective.  The variant itself on blocks [begin, end), as hb_helmholtz_apply says; and one
 * block's factors [point][f][lane] as the variant has them, in double. */
double hb_operator_apply_blocks(struct hb_operator *op, hb_local begin, hb_local end, const void *u,
                                void *w);
enum hb_status hb_operator_block_factors(const struct hb_operator *op, hb_local block,
                                         double *factors);

#endif
