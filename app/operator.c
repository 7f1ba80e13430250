/* SPDX-License-Identifier: BSD-3-Clause
 * What all operators have, and the way to each one's own. */
#include "app/operator.h"

#include "app/operator_device.h"
#include "app/operator_host.h"
#include "app/operator_setup.h"

enum hb_status hb_operator_init(const struct hb_operator_type *type,
                                const struct hb_operator_setup *setup, struct hb_operator *op) {
  enum hb_status status = HB_OK;
  const struct hb_mesh *mesh = setup->mesh;
  const struct hb_kernel *kernel = &setup->backend->kernel;
  const struct hb_numbering *numbering = mesh->numbering;
  const int n = mesh->gll.n, lanes = kernel->variant->lanes[setup->precision];
  HB_ASSERT(numbering->lanes == lanes);
  *op = (struct hb_operator){.type = type,
                             .mesh = mesh,
                             .kernel = *kernel,
                             .ops = hb_vector_ops_for(kernel->variant->isa, setup->precision),
                             .precision = setup->precision};
  struct hb_geometry geometry = hb_problem_geometry(setup->problem);
  geometry.mode = kernel->mode;
  op->D =
      hb_allocate((hb_global)n * n, hb_precision_bytes(op->precision), "differentiation matrix");
  op->basis =
      hb_allocate((hb_global)2 * n, hb_precision_bytes(op->precision), "points and weights");
  if (op->D == NULL || op->basis == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  op->ops->from_double(n * n, mesh->gll.D, op->D);
  for (int i = 0; i < n; i++) {
    hb_real_set(op->precision, op->basis, i, mesh->gll.nodes[i]);
    hb_real_set(op->precision, op->basis, n + i, mesh->gll.weights[i]);
  }
  op->helmholtz = (struct hb_helmholtz){.n = n,
                                        .lanes = lanes,
                                        .geometry = geometry,
                                        .num_elements = numbering->num_elements,
                                        .surface_start = numbering->surface_start,
                                        .surface_index = numbering->surface_index,
                                        .D = op->D,
                                        .basis = op->basis};
done:
  return status;
}

enum hb_status hb_operator_create(const struct hb_operator_setup *setup, double *mass,
                                  struct hb_operator **op) {
  static hb_operator_create_type *const create[HB_NUM_BACKENDS] = {
      [HB_BACKEND_HOST] = hb_operator_host_create, [HB_BACKEND_GPU] = hb_operator_device_create};
  *op = NULL;
  const enum hb_status status =
      hb_comm_agree(setup->mesh->comm, create[setup->backend->kind](setup, mass, op));
  if (status != HB_OK) hb_operator_destroy(op);
  return status;
}

void hb_operator_destroy(struct hb_operator **op) {
  if (*op == NULL) return;
  hb_free((*op)->D);
  hb_free((*op)->basis);
  (*op)->type->destroy(*op);
  *op = NULL;
}

void hb_operator_apply(struct hb_operator *op, enum hb_operator_part part, const void *u, void *w,
                       double *u_dot_w) {
  op->type->apply(op, part, u, w, u_dot_w);
}

void hb_operator_multiply(struct hb_operator *op, enum hb_operator_part part, const void *u,
                          void *w) {
  const struct hb_vector_space space = hb_operator_space(op);
  hb_vector_clear(&space, w);
  hb_operator_apply(op, part, u, w, NULL);
}

void hb_operator_diagonal(struct hb_operator *op, void *diagonal) {
  op->type->diagonal(op, diagonal);
}

void hb_operator_inverse_diagonal(struct hb_operator *op, void *inverse) {
  const struct hb_numbering *numbering = op->mesh->numbering;
  hb_operator_diagonal(op, inverse);
  const struct hb_vector_space space = hb_operator_space(op);
  hb_vector_invert(&space, inverse);
  op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, inverse);
}

double hb_operator_apply_blocks(struct hb_operator *op, hb_local begin, hb_local end, const void *u,
                                void *w) {
  return op->type->apply_blocks(op, begin, end, u, w);
}

enum hb_status hb_operator_factors(const struct hb_operator *op, hb_local begin, hb_local end,
                                   double *factors) {
  return op->type->factors(op, begin, end, factors);
}

enum hb_status hb_operator_to_host(const struct hb_operator *op, const void *v, void *values) {
  return op->type->to_host(op, v, values);
}

enum hb_status hb_operator_from_host(const struct hb_operator *op, const void *values, void *v) {
  return op->type->from_host(op, values, v);
}

enum hb_status hb_operator_time_kernel(struct hb_operator *op, int passes, double *seconds) {
  return op->type->time_kernel(op, passes, seconds);
}

enum hb_status hb_operator_create_passes(struct hb_operator *op, const struct hb_cg_system *system,
                                         struct hb_cg_passes **passes) {
  return op->type->create_passes(op, system, passes);
}

hb_global hb_operator_bytes(const struct hb_operator *op) { return op->type->bytes(op); }
