/* SPDX-License-Identifier: BSD-3-Clause
 * A preconditioner of conjugate gradients:  z = M^-1 r,  M symmetric and positive definite.
 *
 * An object with functions of its own; jacobi.c is one.  Vectors of apply lie where the operator's
 * solve has them (hb_operator_to_host brings them to the host).  Where z = d r with a diagonal d,
 * or z = r, the preconditioner fuses: the passes of a solve then form z themselves, on the way, and
 * apply is not called. */
#ifndef HB_APP_PRECONDITIONER_H
#define HB_APP_PRECONDITIONER_H

#include "app/options.h"

struct hb_operator; /* operator.h */
struct hb_preconditioner;

struct hb_preconditioner_type {
  /* Collective, also after a failure of this rank.  z = M^-1 r, [num_points]; zero on Dirichlet
   * faces where r is. */
  enum hb_status (*apply)(struct hb_preconditioner *preconditioner, const void *r, void *z);
  /* Collective.  Bounds of the eigenvalues of M^-1, those of Dirichlet faces left out. */
  void (*range)(const struct hb_preconditioner *preconditioner, double *smallest, double *largest);
  /* Bytes that it holds. */
  hb_global (*bytes)(const struct hb_preconditioner *preconditioner);
  void (*destroy)(struct hb_preconditioner *preconditioner);
};

struct hb_preconditioner {
  const struct hb_preconditioner_type *type;
  bool fuses;
  const void *diagonal; /* d [num_points] on the host, if it fuses; NULL: z = r */
};

/* Collective.  For the operator, which stays borrowed.  A failure of the operator is in its
 * `failure`. */
enum hb_status hb_preconditioner_create(enum hb_preconditioner_kind kind, struct hb_operator *op,
                                        struct hb_preconditioner **preconditioner);
/* Not collective.  Accepts NULL, clears the caller's pointer. */
void hb_preconditioner_destroy(struct hb_preconditioner **preconditioner);

/* Bytes that hb_preconditioner_create will hold for vectors of so many points. */
hb_global hb_preconditioner_bytes(enum hb_preconditioner_kind kind, enum hb_precision precision,
                                  hb_global num_points);

/* z = d r by way of the host, for those that fuse and are applied all the same; d NULL: z = r. */
enum hb_status hb_preconditioner_apply_diagonal(const struct hb_operator *op, const void *d,
                                                const void *r, void *z);

#endif
