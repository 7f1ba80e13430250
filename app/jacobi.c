/* SPDX-License-Identifier: BSD-3-Clause
 * Jacobi's preconditioner. */
#include "app/jacobi.h"

#include "app/operator.h"

struct jacobi {
  struct hb_preconditioner preconditioner;
  const struct hb_operator *op; /* borrowed */
  void *inverse;                /* owned [num_points], 0 on Dirichlet faces; on the host */
};

static enum hb_status apply(struct hb_preconditioner *preconditioner, const void *r, void *z) {
  const struct jacobi *jacobi = (const struct jacobi *)preconditioner;
  return hb_preconditioner_apply_diagonal(jacobi->op, jacobi->inverse, r, z);
}

static void range(const struct hb_preconditioner *preconditioner, double *smallest,
                  double *largest) {
  const struct jacobi *jacobi = (const struct jacobi *)preconditioner;
  const struct hb_mesh *mesh = jacobi->op->mesh;
  struct hb_vector_space space = hb_operator_space(jacobi->op);
  space.count = mesh->numbering->num_owned;
  hb_vector_range(&space, jacobi->inverse, smallest, largest);
  hb_comm_max(mesh->comm, 1, largest);
  hb_comm_min(mesh->comm, 1, smallest);
}

static hb_global bytes(const struct hb_preconditioner *preconditioner) {
  const struct hb_operator *op = ((const struct jacobi *)preconditioner)->op;
  return hb_jacobi_bytes(op->precision, op->mesh->numbering->num_points);
}

static void destroy(struct hb_preconditioner *preconditioner) {
  hb_free(((struct jacobi *)preconditioner)->inverse);
  hb_free(preconditioner);
}

enum hb_status hb_jacobi_create(struct hb_operator *op, struct hb_preconditioner **preconditioner) {
  static const struct hb_preconditioner_type type = {
      .apply = apply, .range = range, .bytes = bytes, .destroy = destroy};
  enum hb_status status = HB_OK;
  struct jacobi *jacobi = NULL;
  HB_ALLOC(jacobi, 1, "preconditioner");
  *jacobi = (struct jacobi){.preconditioner = {.type = &type, .fuses = true}, .op = op};
  *preconditioner = &jacobi->preconditioner;
  jacobi->inverse = hb_allocate(op->mesh->numbering->num_points, hb_precision_bytes(op->precision),
                                "inverse diagonal");
  if (jacobi->inverse == NULL) status = HB_MACHINE_FAILED;
  jacobi->preconditioner.diagonal = jacobi->inverse;
done:
  status = hb_comm_agree(op->mesh->comm, status); /* the diagonal is assembled by all */
  if (status == HB_OK) hb_operator_inverse_diagonal(op, jacobi->inverse);
  return status;
}

hb_global hb_jacobi_bytes(enum hb_precision precision, hb_global num_points) {
  return (hb_global)hb_precision_bytes(precision) * num_points;
}
