/* SPDX-License-Identifier: BSD-3-Clause
 * Application of the assembled operator. */
#include "app/operator.h"

#include <string.h>

#include "app/operator_setup.h"

enum hb_status hb_operator_create(const struct hb_mesh *mesh, const struct hb_problem *problem,
                                  const struct hb_helmholtz_variant *variant,
                                  enum hb_precision precision, double *mass,
                                  const struct hb_watcher *watcher, struct hb_operator **op_out) {
  enum hb_status status = HB_OK;
  struct hb_operator *op = NULL;
  const struct hb_numbering *numbering = mesh->numbering;
  const int n = mesh->gll.n, lanes = variant->lanes[precision];
  const int num_factors = hb_problem_has_mass(problem) ? HB_MAX_FACTORS : HB_NUM_GEOMETRIC;
  const size_t size = hb_precision_bytes(precision);
  *op_out = NULL;
  HB_ASSERT(numbering->lanes == lanes);
  HB_ALLOC(op, 1, "operator");
  *op = (struct hb_operator){.mesh = mesh,
                             .variant = variant,
                             .ops = variant->vector_ops[precision],
                             .precision = precision};
  op->D = hb_allocate((hb_global)n * n, size, "differentiation matrix");
  op->factors =
      hb_allocate(hb_helmholtz_factor_count(n, lanes, num_factors, numbering->num_elements), size,
                  "geometric factors");
  op->scratch = hb_allocate(hb_helmholtz_scratch_count(n, lanes), size, "operator scratch");
  if (op->D == NULL || op->factors == NULL || op->scratch == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  op->helmholtz = (struct hb_helmholtz){.n = n,
                                        .lanes = lanes,
                                        .num_factors = num_factors,
                                        .num_elements = numbering->num_elements,
                                        .surface_start = numbering->surface_start,
                                        .surface_index = numbering->surface_index,
                                        .D = op->D,
                                        .factors = op->factors,
                                        .scratch = op->scratch};
  op->ops->from_double(n * n, mesh->gll.D, op->D);
  HB_TRY(hb_operator_setup_factors(op, problem, watcher, mass));
done:
  status = hb_comm_agree(mesh->comm, status);
  if (status == HB_OK)
    *op_out = op;
  else
    hb_operator_destroy(&op);
  return status;
}

void hb_operator_destroy(struct hb_operator **op) {
  if (*op == NULL) return;
  hb_free((*op)->D);
  hb_free((*op)->factors);
  hb_free((*op)->scratch);
  hb_free(*op);
  *op = NULL;
}

/* Time since *mark goes to the phase, if anyone counts. */
static void count(struct hb_operator *op, enum hb_phase phase, double *mark) {
  if (op->timers != NULL) hb_timer_add(op->timers, phase, mark);
}

void hb_operator_apply(struct hb_operator *op, enum hb_operator_part part, const void *u, void *w,
                       double *u_dot_w) {
  const struct hb_numbering *numbering = op->mesh->numbering;
  hb_helmholtz_apply *apply = op->variant->apply[op->precision];
  const bool with_mass = part != HB_OPERATOR_STIFFNESS;
  const hb_local boundary = numbering->num_boundary_blocks;
  double mark = op->timers != NULL ? hb_timer_now() : 0.0;
  double sum = apply(&op->helmholtz, 0, boundary, with_mass, u, w);
  hb_gather_scatter_start(op->mesh->gs, op->precision, w);
  sum += apply(&op->helmholtz, boundary, numbering->num_blocks, with_mass, u, w);
  count(op, HB_PHASE_OPERATOR, &mark);
  hb_gather_scatter_finish(op->mesh->gs, op->precision, w);
  count(op, HB_PHASE_EXCHANGE, &mark);
  if (part == HB_OPERATOR_FULL) op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, w);
  count(op, HB_PHASE_OPERATOR, &mark);
  if (u_dot_w != NULL) *u_dot_w = sum;
}

void hb_operator_multiply(struct hb_operator *op, enum hb_operator_part part, const void *u,
                          void *w) {
  const size_t size = hb_precision_bytes(op->precision);
  memset(w, 0, (size_t)op->mesh->numbering->num_points * size);
  hb_operator_apply(op, part, u, w, NULL);
}

void hb_operator_inverse_diagonal(struct hb_operator *op, void *inverse) {
  const struct hb_numbering *numbering = op->mesh->numbering;
  const size_t size = hb_precision_bytes(op->precision);
  memset(inverse, 0, (size_t)numbering->num_points * size);
  op->variant->diagonal[op->precision](&op->helmholtz, inverse);
  hb_gather_scatter_start(op->mesh->gs, op->precision, inverse);
  hb_gather_scatter_finish(op->mesh->gs, op->precision, inverse);
  op->ops->invert(numbering->num_points, inverse);
  op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, inverse);
}
