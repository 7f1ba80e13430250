/* SPDX-License-Identifier: BSD-3-Clause
 * The assembled Helmholtz operator of a rank: factors, local kernel, exchange, mask.
 *
 *   w = Z' Q' A_local Q Z u      Q: assembled to elements, Z: zero on Dirichlet faces
 *
 * Elements that touch a rank boundary first, the exchange started, the other elements, the exchange
 * finished.  Vectors are as numbering.h says, in the operator's precision.
 *
 * An operator is an object with a type: operator_host.c and operator_device.c are the two.  Each
 * has a struct of its own that begins with struct hb_operator, and which nobody else need know. */
#ifndef HB_APP_OPERATOR_H
#define HB_APP_OPERATOR_H

#include "app/backend.h"
#include "app/problem.h"
#include "app/timers.h"
#include "app/vector_passes.h"
#include "app/watch.h"
#include "kernels/helmholtz/variants.h"
#include "kernels/vectors/vector_ops.h"

enum hb_operator_part {
  HB_OPERATOR_FULL,      /* as in the equation; u must be zero on Dirichlet faces */
  HB_OPERATOR_UNMASKED,  /* without Z */
  HB_OPERATOR_STIFFNESS, /* without Z and without the h2 term */
};

struct hb_operator;
struct hb_cg_system; /* cg.h */
struct hb_cg_passes;

/* What an implementation does; the functions below say what each means. */
struct hb_operator_type {
  void (*apply)(struct hb_operator *op, enum hb_operator_part part, const void *u, void *w,
                double *u_dot_w);
  void (*diagonal)(struct hb_operator *op, void *diagonal);
  double (*apply_blocks)(struct hb_operator *op, hb_local begin, hb_local end, const void *u,
                         void *w);
  enum hb_status (*factors)(const struct hb_operator *op, hb_local begin, hb_local end,
                            double *factors);
  enum hb_status (*to_host)(const struct hb_operator *op, const void *v, void *values);
  enum hb_status (*from_host)(const struct hb_operator *op, const void *values, void *v);
  enum hb_status (*time_kernel)(struct hb_operator *op, int passes, double *seconds);
  enum hb_status (*create_passes)(struct hb_operator *op, const struct hb_cg_system *system,
                                  struct hb_cg_passes **passes);
  hb_global (*bytes)(const struct hb_operator *op);
  void (*destroy)(struct hb_operator *op);
};

struct hb_operator {
  const struct hb_operator_type *type;
  const struct hb_mesh *mesh; /* borrowed */
  struct hb_kernel kernel;
  const struct hb_vector_ops *ops; /* borrowed; on the host */
  enum hb_precision precision;
  struct hb_helmholtz helmholtz; /* sizes and lists; factors and scratch those of the host's */
  void *D, *basis;               /* owned, on the host: [n][n]; GLL points and weights [2][n] */
  enum hb_status failure;        /* of an application: the first */
  hb_global num_passes;          /* applications to all of the rank's elements so far */
  struct hb_timers *timers;      /* borrowed; NULL: not timed */
};

/* What an operator is made of; all borrowed. */
struct hb_operator_setup {
  const struct hb_mesh *mesh;
  const struct hb_problem *problem;
  const struct hb_backend *backend; /* its kernel is decided; GPU-aware or not */
  enum hb_precision precision;
  const struct hb_watcher *watcher; /* NULL: nobody watches */
};

/* Collective.  Computes the factors of the rank's elements where the backend is; mass [num_points]
 * receives the rank's partial diagonal mass (its own elements, h2 left out).  HB_BAD_INPUT names an
 * element that the mesh inverts. */
enum hb_status hb_operator_create(const struct hb_operator_setup *setup, double *mass,
                                  struct hb_operator **op);
/* Collective: its exchange ends.  Accepts NULL, clears the caller's pointer. */
void hb_operator_destroy(struct hb_operator **op);

/* Vectors of the following are on the host, wherever the operator is; a failure is kept in
 * op->failure and makes results NaN. */

/* Collective.  w = A u; the surface entries of w must be zero on entry.  u_dot_w, if not NULL,
 * receives this rank's part of u'Au: the sum over its elements before assembly. */
void hb_operator_apply(struct hb_operator *op, enum hb_operator_part part, const void *u, void *w,
                       double *u_dot_w);

/* Collective.  The same for any w: clears it first. */
void hb_operator_multiply(struct hb_operator *op, enum hb_operator_part part, const void *u,
                          void *w);

/* Collective.  diagonal [num_points]: the sum of the elements' diagonals, not masked; inverse
 * [num_points]: 1 / diagonal, 0 on Dirichlet faces. */
void hb_operator_diagonal(struct hb_operator *op, void *diagonal);
void hb_operator_inverse_diagonal(struct hb_operator *op, void *inverse);

/* Not collective.  The kernel itself on blocks [begin, end), as hb_helmholtz_apply says; and the
 * factors [element][point][f] of elements [begin, end) of the numbering, in double, as the kernel
 * has them or, if they are not stored, as they follow from what it has (kept.h).  Threads may ask
 * for factors at the same time; of failures of theirs at least one is recorded whole. */
double hb_operator_apply_blocks(struct hb_operator *op, hb_local begin, hb_local end, const void *u,
                                void *w);
enum hb_status hb_operator_factors(const struct hb_operator *op, hb_local begin, hb_local end,
                                   double *factors);

/* Not collective.  A vector [num_points] from where the solve has it, v, to the host, and back. */
enum hb_status hb_operator_to_host(const struct hb_operator *op, const void *v, void *values);
enum hb_status hb_operator_from_host(const struct hb_operator *op, const void *values, void *v);

/* Not collective.  Seconds of `passes` applications of the kernel, one after the other, to all of
 * the rank's elements: without exchange, mask or sums.  By the device's clock on a device, whose
 * work vectors are overwritten; not counted in num_passes. */
enum hb_status hb_operator_time_kernel(struct hb_operator *op, int passes, double *seconds);

/* Not collective.  The passes of conjugate gradients where this operator is (cg.h). */
enum hb_status hb_operator_create_passes(struct hb_operator *op, const struct hb_cg_system *system,
                                         struct hb_cg_passes **passes);

/* Bytes that it holds, where it is. */
hb_global hb_operator_bytes(const struct hb_operator *op);

/* Vectors of the rank's points on the host, for passes over them. */
static inline struct hb_vector_space hb_operator_space(const struct hb_operator *op) {
  return (struct hb_vector_space){.comm = op->mesh->comm,
                                  .ops = op->ops,
                                  .precision = op->precision,
                                  .count = op->mesh->numbering->num_points};
}

/* Bytes of a vector of the rank's points. */
static inline hb_global hb_operator_vector_bytes(const struct hb_operator *op) {
  return (hb_global)op->mesh->numbering->num_points * (hb_global)hb_precision_bytes(op->precision);
}

#endif
