/* SPDX-License-Identifier: BSD-3-Clause
 * Application of the assembled operator. */
#include "app/operator.h"

#include <math.h>
#include <string.h>

#include "app/operator_device.h"
#include "app/operator_setup.h"

/* Arrays of a host operator. */
static enum hb_status allocate_host(struct hb_operator *op) {
  const struct hb_helmholtz *h = &op->helmholtz;
  const size_t size = hb_precision_bytes(op->precision);
  const struct hb_factor_layout layout = hb_geometry_host_layout(&h->geometry, h->n, h->lanes);
  op->factors = hb_allocate(hb_factor_count(&layout, h->num_elements), size, "geometric factors");
  op->scratch = hb_allocate(hb_helmholtz_scratch_count(h->n, h->lanes), size, "operator scratch");
  return op->factors != NULL && op->scratch != NULL ? HB_OK : HB_MACHINE_FAILED;
}

/* device NULL: on the host. */
static enum hb_status create(const struct hb_mesh *mesh, const struct hb_problem *problem,
                             const struct hb_kernel *kernel, enum hb_precision precision,
                             struct hb_device *device, bool gpu_aware, double *mass,
                             const struct hb_watcher *watcher, struct hb_operator **op_out) {
  enum hb_status status = HB_OK;
  struct hb_operator *op = NULL;
  const struct hb_numbering *numbering = mesh->numbering;
  const int n = mesh->gll.n, lanes = kernel->variant->lanes[precision];
  *op_out = NULL;
  HB_ASSERT(numbering->lanes == lanes);
  HB_ALLOC(op, 1, "operator");
  *op = (struct hb_operator){.mesh = mesh,
                             .variant = kernel->variant,
                             .shape = kernel->shape,
                             .ops = kernel->variant->vector_ops[precision],
                             .precision = precision};
  op->D = hb_allocate((hb_global)n * n, hb_precision_bytes(precision), "differentiation matrix");
  if (op->D == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  op->ops->from_double(n * n, mesh->gll.D, op->D);
  op->helmholtz = (struct hb_helmholtz){.n = n,
                                        .lanes = lanes,
                                        .geometry = hb_problem_geometry(problem),
                                        .num_elements = numbering->num_elements,
                                        .surface_start = numbering->surface_start,
                                        .surface_index = numbering->surface_index,
                                        .D = op->D};
  if (device != NULL) {
    HB_TRY(hb_operator_device_create(op, device, gpu_aware, &op->device));
    HB_TRY(hb_operator_device_setup(op, problem, watcher, mass));
  } else {
    HB_TRY(allocate_host(op));
    op->helmholtz.factors = op->factors;
    op->helmholtz.scratch = op->scratch;
    HB_TRY(hb_operator_setup_factors(op, problem, watcher, mass));
  }
done:
  status = hb_comm_agree(mesh->comm, status);
  if (status == HB_OK)
    *op_out = op;
  else
    hb_operator_destroy(&op);
  return status;
}

enum hb_status hb_operator_create(const struct hb_mesh *mesh, const struct hb_problem *problem,
                                  const struct hb_helmholtz_variant *variant,
                                  enum hb_precision precision, double *mass,
                                  const struct hb_watcher *watcher, struct hb_operator **op) {
  const struct hb_kernel kernel = {.variant = variant};
  return create(mesh, problem, &kernel, precision, NULL, false, mass, watcher, op);
}

enum hb_status
hb_operator_create_on_device(const struct hb_mesh *mesh, const struct hb_problem *problem,
                             const struct hb_kernel *kernel, enum hb_precision precision,
                             struct hb_device *device, bool gpu_aware, double *mass,
                             const struct hb_watcher *watcher, struct hb_operator **op) {
  return create(mesh, problem, kernel, precision, device, gpu_aware, mass, watcher, op);
}

void hb_operator_destroy(struct hb_operator **op) {
  if (*op == NULL) return;
  hb_free((*op)->D);
  hb_free((*op)->factors);
  hb_free((*op)->scratch);
  hb_operator_device_destroy(&(*op)->device);
  hb_free(*op);
  *op = NULL;
}

/* Keeps the first failure; what was to be computed becomes NaN. */
static void keep_failure(struct hb_operator *op, enum hb_status status, void *w, double *u_dot_w) {
  const size_t size = hb_precision_bytes(op->precision);
  if (status == HB_OK) return;
  if (op->failure == HB_OK) op->failure = status;
  memset(w, 0xff, (size_t)op->mesh->numbering->num_points * size); /* all bits set is a NaN */
  if (u_dot_w != NULL) *u_dot_w = (double)NAN;
}

static void apply_on_host(struct hb_operator *op, enum hb_operator_part part, const void *u,
                          void *w, double *u_dot_w) {
  const struct hb_numbering *numbering = op->mesh->numbering;
  hb_helmholtz_apply *apply = op->variant->apply[op->precision];
  const bool with_mass = part != HB_OPERATOR_STIFFNESS;
  const hb_local boundary = numbering->num_boundary_blocks;
  double mark = hb_timer_mark(op->timers);
  double sum = apply(&op->helmholtz, 0, boundary, with_mass, u, w);
  hb_gather_scatter_start(op->mesh->gs, op->precision, w);
  sum += apply(&op->helmholtz, boundary, numbering->num_blocks, with_mass, u, w);
  hb_timer_count(op->timers, HB_PHASE_OPERATOR, &mark);
  hb_gather_scatter_finish(op->mesh->gs, op->precision, w);
  hb_timer_count(op->timers, HB_PHASE_EXCHANGE, &mark);
  if (part == HB_OPERATOR_FULL) op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, w);
  hb_timer_count(op->timers, HB_PHASE_OPERATOR, &mark);
  if (u_dot_w != NULL) *u_dot_w = sum;
}

void hb_operator_apply(struct hb_operator *op, enum hb_operator_part part, const void *u, void *w,
                       double *u_dot_w) {
  if (op->device == NULL)
    apply_on_host(op, part, u, w, u_dot_w);
  else
    keep_failure(op, hb_operator_device_multiply(op->device, part, u, w, u_dot_w), w, u_dot_w);
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
  if (op->device != NULL) {
    keep_failure(op, hb_operator_device_diagonal(op->device, inverse), inverse, NULL);
  } else {
    memset(inverse, 0, (size_t)numbering->num_points * size);
    op->variant->diagonal[op->precision](&op->helmholtz, inverse);
    hb_gather_scatter_start(op->mesh->gs, op->precision, inverse);
    hb_gather_scatter_finish(op->mesh->gs, op->precision, inverse);
  }
  op->ops->invert(numbering->num_points, inverse);
  op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, inverse);
}

double hb_operator_apply_blocks(struct hb_operator *op, hb_local begin, hb_local end, const void *u,
                                void *w) {
  double sum = 0.0;
  if (op->device == NULL)
    return op->variant->apply[op->precision](&op->helmholtz, begin, end, true, u, w);
  keep_failure(op, hb_operator_device_apply_elements(op->device, begin, end, u, w, &sum), w, &sum);
  return sum;
}

enum hb_status hb_operator_block_factors(const struct hb_operator *op, hb_local block,
                                         double *factors) {
  const struct hb_helmholtz *h = &op->helmholtz;
  const struct hb_factor_layout layout = hb_geometry_host_layout(&h->geometry, h->n, h->lanes);
  if (op->device != NULL) return hb_operator_device_factors(op->device, block, factors);
  for (ptrdiff_t i = 0; i < layout.block; i++)
    factors[i] = hb_real_at(op->precision, op->factors, block * layout.block + i);
  return HB_OK;
}
