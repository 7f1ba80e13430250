/* SPDX-License-Identifier: BSD-3-Clause
 * Making of a preconditioner by its name, and the one that does nothing. */
#include "app/preconditioner.h"

#include "app/jacobi.h"

enum hb_status hb_preconditioner_apply_diagonal(const struct hb_operator *op, const void *d,
                                                const void *r, void *z) {
  enum hb_status status = HB_OK;
  const hb_local num_points = op->mesh->numbering->num_points;
  void *values =
      hb_allocate(num_points, hb_precision_bytes(op->precision), "preconditioned vector");
  if (values == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(hb_operator_to_host(op, r, values));
  for (hb_local i = 0; d != NULL && i < num_points; i++) {
    if (op->precision == HB_F64)
      ((double *)values)[i] *= ((const double *)d)[i];
    else
      ((float *)values)[i] *= ((const float *)d)[i];
  }
  HB_TRY(hb_operator_from_host(op, values, z));
done:
  hb_free(values);
  return status;
}

/* ---- none ------------------------------------------------------------------------------------ */

struct identity {
  struct hb_preconditioner preconditioner;
  const struct hb_operator *op; /* borrowed */
};

static enum hb_status identity_apply(struct hb_preconditioner *preconditioner, const void *r,
                                     void *z) {
  const struct identity *identity = (const struct identity *)preconditioner;
  return hb_preconditioner_apply_diagonal(identity->op, NULL, r, z);
}

static void identity_range(const struct hb_preconditioner *preconditioner, double *smallest,
                           double *largest) {
  (void)preconditioner;
  *smallest = *largest = 1.0;
}

static hb_global identity_bytes(const struct hb_preconditioner *preconditioner) {
  (void)preconditioner;
  return 0;
}

static void identity_destroy(struct hb_preconditioner *preconditioner) { hb_free(preconditioner); }

static enum hb_status identity_create(struct hb_operator *op,
                                      struct hb_preconditioner **preconditioner) {
  static const struct hb_preconditioner_type type = {.apply = identity_apply,
                                                     .range = identity_range,
                                                     .bytes = identity_bytes,
                                                     .destroy = identity_destroy};
  enum hb_status status = HB_OK;
  struct identity *identity = NULL;
  HB_ALLOC(identity, 1, "preconditioner");
  *identity = (struct identity){.preconditioner = {.type = &type, .fuses = true}, .op = op};
  *preconditioner = &identity->preconditioner;
done:
  return status;
}

/* ---- by name --------------------------------------------------------------------------------- */

enum hb_status hb_preconditioner_create(enum hb_preconditioner_kind kind, struct hb_operator *op,
                                        struct hb_preconditioner **preconditioner) {
  static enum hb_status (*const create[])(struct hb_operator * op,
                                          struct hb_preconditioner * *preconditioner) = {
      [HB_PLAIN] = identity_create, [HB_JACOBI] = hb_jacobi_create};
  *preconditioner = NULL;
  const enum hb_status status = hb_comm_agree(op->mesh->comm, create[kind](op, preconditioner));
  if (status != HB_OK) hb_preconditioner_destroy(preconditioner);
  return status;
}

void hb_preconditioner_destroy(struct hb_preconditioner **preconditioner) {
  if (*preconditioner == NULL) return;
  (*preconditioner)->type->destroy(*preconditioner);
  *preconditioner = NULL;
}

hb_global hb_preconditioner_bytes(enum hb_preconditioner_kind kind, enum hb_precision precision,
                                  hb_global num_points) {
  return kind == HB_JACOBI ? hb_jacobi_bytes(precision, num_points) : 0;
}
