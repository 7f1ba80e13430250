/* SPDX-License-Identifier: BSD-3-Clause
 * The passes of a conjugate gradient iteration on a device. */
#include "app/cg_device.h"

#include <math.h>

/* A vector on the device, from the host if `values` is not NULL. */
static enum hb_status allocate(struct hb_cg_device *cg, const void *values, const char *what,
                               void **d_vector) {
  enum hb_status status = HB_OK;
  const struct hb_operator *op = &cg->od->op;
  *d_vector = hb_device_allocate(cg->od->device, op->mesh->numbering->num_points,
                                 hb_precision_bytes(op->precision), what);
  if (*d_vector == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  if (values != NULL) HB_TRY(hb_operator_from_host(op, values, *d_vector));
done:
  return status;
}

/* Keeps the first failure, after which the sums are NaN. */
static void finish_sums(struct hb_cg_device *cg, enum hb_status status, int number,
                        const double *from, double *sums) {
  if (status != HB_OK && cg->passes.failure == HB_OK) cg->passes.failure = status;
  for (int c = 0; c < number; c++) sums[c] = cg->passes.failure == HB_OK ? from[c] : (double)NAN;
}

/* r.z by way of the host. */
static enum hb_status dot(struct hb_cg_device *cg, double *sum) {
  enum hb_status status = HB_OK;
  const struct hb_operator *op = &cg->od->op;
  HB_TRY(hb_operator_to_host(op, cg->d_r, cg->r));
  HB_TRY(hb_operator_to_host(op, cg->d_z, cg->z));
  *sum = op->ops->dot(op->mesh->numbering->num_owned, cg->r, cg->z);
done:
  return status;
}

/* z from r, and sums[1] = r.z, where the passes have not done it. */
static void precondition(struct hb_cg_device *cg, double sums[2]) {
  struct hb_preconditioner *preconditioner = cg->passes.system.preconditioner;
  double result[2] = {sums[0], sums[1]};
  if (!preconditioner->fuses) {
    enum hb_status status = preconditioner->type->apply(preconditioner, cg->d_r, cg->d_z);
    if (status == HB_OK && cg->passes.failure == HB_OK) status = dot(cg, &result[1]);
    finish_sums(cg, status, 2, result, sums);
  }
  cg->rz = sums[1];
}

static void start(struct hb_cg_passes *passes, double sums[2]) {
  struct hb_cg_device *cg = hb_cg_device(passes);
  struct hb_operator_device *od = cg->od;
  const hb_global bytes = hb_operator_vector_bytes(&od->op);
  enum hb_status status = HB_OK;
  hb_local num_partials = 0;
  cg->d_p = od->d_u;
  cg->d_p_old = cg->d_p_other;
  HB_TRY(hb_device_set_zero(od->device, HB_STREAM_COMPUTE, cg->d_x, bytes));
  HB_TRY(hb_device_set_zero(od->device, HB_STREAM_COMPUTE, cg->d_p, bytes));
  HB_TRY(hb_device_copy(od->device, HB_STREAM_COMPUTE, cg->d_r, cg->d_b, bytes));
  HB_TRY(od->kernels.dots(od->device, passes->system.num_owned, cg->d_dinv, cg->d_r, od->d_partials,
                          &num_partials));
  HB_TRY(hb_device_reduce(od->device, num_partials, 2, od->d_partials, od->sums + 1));
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
done:
  finish_sums(cg, status, 2, od->sums + 1, sums);
  precondition(cg, sums);
}

enum hb_status hb_cg_device_residual(struct hb_cg_device *cg, struct hb_device_factor alpha,
                                     double *d_pairs, hb_local *num_pairs) {
  enum hb_status status = HB_OK;
  struct hb_operator_device *od = cg->od;
  *num_pairs = 0;
  for (int part = HB_ASSEMBLY_PRIVATE; part <= HB_ASSEMBLY_SHARED; part++)
    HB_TRY(od->kernels.residual(&od->assembly, (enum hb_assembly_part)part, alpha, cg->d_dinv,
                                od->d_w, cg->d_r, d_pairs, num_pairs));
done:
  return status;
}

static void limit(struct hb_cg_passes *passes, const struct hb_cg_limits *limits) {
  struct hb_cg_device *cg = hb_cg_device(passes);
  if (cg->ahead == NULL) return;
  const enum hb_status status = hb_cg_ahead_begin(cg->ahead, cg->rz, limits);
  if (passes->failure == HB_OK) passes->failure = status;
}

/* Launches the operator on the new direction and the reduction of p.Ap. */
static enum hb_status launch_direction(struct hb_cg_device *cg, double alpha, double beta) {
  enum hb_status status = HB_OK;
  struct hb_operator_device *od = cg->od;
  hb_local num_partials = 0;
  const struct hb_device_direction step = {.alpha = alpha,
                                           .beta = beta,
                                           .d_dinv = cg->d_dinv,
                                           .d_r = cg->d_z,
                                           .d_p_old = cg->d_p_old,
                                           .d_p = cg->d_p,
                                           .d_x = cg->d_x};
  HB_TRY(hb_operator_device_launch(od, true, &step, NULL, od->d_w, &num_partials));
  HB_TRY(hb_device_reduce(od->device, num_partials, 1, od->d_partials, od->sums));
  HB_TRY(hb_device_mark(od->device, HB_EVENT_SCALARS, HB_STREAM_COMPUTE));
done:
  return status;
}

static double direction(struct hb_cg_passes *passes, double alpha, double beta,
                        struct hb_timers *timers) {
  struct hb_cg_device *cg = hb_cg_device(passes);
  struct hb_operator_device *od = cg->od;
  double sum, mark = hb_timer_mark(timers);
  void *d_p_old = cg->d_p;
  cg->d_p = cg->d_p_old;
  cg->d_p_old = d_p_old;
  hb_timer_enter(timers, HB_PHASE_OPERATOR);
  if (cg->ahead != NULL) {
    enum hb_status status = passes->failure;
    if (status == HB_OK) status = hb_cg_ahead_direction(cg->ahead, timers, &sum);
    finish_sums(cg, status, 1, &sum, &sum);
    return sum;
  }
  enum hb_status status = launch_direction(cg, alpha, beta);
  hb_timer_count(timers, HB_PHASE_OPERATOR, &mark);
  const enum hb_status posted = hb_device_exchange_post(od->exchange);
  hb_timer_enter(timers, HB_PHASE_EXCHANGE);
  const enum hb_status finished = hb_device_exchange_finish(od->exchange);
  hb_timer_count(timers, HB_PHASE_EXCHANGE, &mark);
  hb_timer_enter(timers, HB_PHASE_OPERATOR);
  if (status == HB_OK) status = posted;
  if (status == HB_OK) status = finished;
  if (status == HB_OK) status = hb_device_wait_host(od->device, HB_EVENT_SCALARS);
  hb_timer_count(timers, HB_PHASE_OPERATOR, &mark);
  finish_sums(cg, status, 1, od->sums, &sum);
  return sum;
}

static void residual(struct hb_cg_passes *passes, double alpha, struct hb_timers *timers,
                     double sums[2]) {
  struct hb_cg_device *cg = hb_cg_device(passes);
  struct hb_operator_device *od = cg->od;
  enum hb_status status = passes->failure;
  hb_local num_partials = 0;
  double mark = hb_timer_mark(timers);
  HB_TRY(status);
  if (cg->ahead != NULL) {
    HB_TRY(hb_cg_ahead_residual(cg->ahead, alpha, od->sums + 1));
  } else {
    HB_TRY(hb_cg_device_residual(cg, (struct hb_device_factor){.value = alpha}, od->d_partials,
                                 &num_partials));
    HB_TRY(hb_device_reduce(od->device, num_partials, 2, od->d_partials, od->sums + 1));
    HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
  }
done:
  finish_sums(cg, status, 2, cg->od->sums + 1, sums);
  precondition(cg, sums);
  hb_timer_count(timers, HB_PHASE_VECTOR, &mark);
}

static void finish(struct hb_cg_passes *passes, double alpha) {
  const struct hb_cg_device *cg = hb_cg_device(passes);
  enum hb_status status = passes->failure;
  HB_TRY(status);
  HB_TRY(cg->od->kernels.add_scaled(cg->od->device, passes->system.num_points, alpha, cg->d_p,
                                    cg->d_x));
  HB_TRY(hb_device_synchronise(cg->od->device, HB_STREAM_COMPUTE));
done:
  passes->failure = status;
}

static enum hb_status fetch_solution(struct hb_cg_passes *passes) {
  const struct hb_cg_device *cg = hb_cg_device(passes);
  return hb_operator_to_host(&cg->od->op, cg->d_x, passes->system.x);
}

static enum hb_status fetch_residual(const struct hb_cg_passes *passes, void *r) {
  const struct hb_cg_device *cg = (const struct hb_cg_device *)passes;
  return hb_operator_to_host(&cg->od->op, cg->d_r, r);
}

static hb_global bytes(const struct hb_cg_passes *passes) {
  const struct hb_cg_device *cg = (const struct hb_cg_device *)passes;
  const int vectors = 4 + (cg->d_dinv != NULL ? 1 : 0) + (cg->d_z != cg->d_r ? 1 : 0);
  return vectors * hb_operator_vector_bytes(&cg->od->op) +
         (cg->ahead != NULL ? hb_cg_ahead_bytes() : 0);
}

static void destroy(struct hb_cg_passes *passes) {
  struct hb_cg_device *cg = hb_cg_device(passes);
  struct hb_device *device = cg->od->device;
  hb_cg_ahead_destroy(&cg->ahead);
  if (cg->d_z != cg->d_r) hb_device_free(device, cg->d_z);
  hb_device_free(device, cg->d_b);
  hb_device_free(device, cg->d_dinv);
  hb_device_free(device, cg->d_r);
  hb_device_free(device, cg->d_x);
  hb_device_free(device, cg->d_p_other);
  hb_free(cg->r);
  hb_free(cg->z);
  hb_free(cg);
}

static const struct hb_cg_passes_type type = {.start = start,
                                              .limit = limit,
                                              .direction = direction,
                                              .residual = residual,
                                              .finish = finish,
                                              .fetch_solution = fetch_solution,
                                              .fetch_residual = fetch_residual,
                                              .bytes = bytes,
                                              .destroy = destroy};

struct hb_cg_device *hb_cg_device(struct hb_cg_passes *passes) {
  HB_ASSERT(passes->type == &type);
  return (struct hb_cg_device *)passes;
}

/* What a preconditioner that does not fuse takes. */
static enum hb_status allocate_unfused(struct hb_cg_device *cg) {
  enum hb_status status = HB_OK;
  const struct hb_cg_system *system = &cg->passes.system;
  const size_t size = hb_precision_bytes(system->precision);
  HB_TRY(allocate(cg, NULL, "preconditioned residual", &cg->d_z));
  cg->r = hb_allocate(system->num_points, size, "residual");
  cg->z = hb_allocate(system->num_points, size, "preconditioned residual");
  if (cg->r == NULL || cg->z == NULL) status = HB_MACHINE_FAILED;
done:
  return status;
}

enum hb_status hb_cg_device_create(struct hb_operator_device *od, const struct hb_cg_system *system,
                                   struct hb_cg_passes **passes) {
  enum hb_status status = HB_OK;
  const struct hb_preconditioner *preconditioner = system->preconditioner;
  struct hb_cg_device *cg = NULL;
  *passes = NULL;
  HB_ALLOC(cg, 1, "conjugate gradients on the device");
  *cg = (struct hb_cg_device){.passes = {.type = &type, .system = *system}, .od = od};
  *passes = &cg->passes;
  HB_TRY(allocate(cg, system->b, "right-hand side", &cg->d_b));
  HB_TRY(allocate(cg, NULL, "residual", &cg->d_r));
  HB_TRY(allocate(cg, NULL, "solution", &cg->d_x));
  HB_TRY(allocate(cg, NULL, "search direction", &cg->d_p_other));
  cg->d_z = cg->d_r;
  if (preconditioner->diagonal != NULL)
    HB_TRY(allocate(cg, preconditioner->diagonal, "inverse diagonal", &cg->d_dinv));
  if (!preconditioner->fuses) HB_TRY(allocate_unfused(cg));
  if (preconditioner->fuses && system->comm->size == 1)
    HB_TRY(hb_cg_ahead_create(cg, system->graphs, &cg->ahead));
done:
  if (status != HB_OK) hb_cg_passes_destroy(passes);
  return status;
}
