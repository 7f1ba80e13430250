/* SPDX-License-Identifier: BSD-3-Clause
 * The passes of a conjugate gradient iteration on a device. */
#include "app/cg_device.h"

#include <math.h>

enum hb_status hb_cg_device_create(struct hb_operator_device *od, const struct hb_comm *comm,
                                   const void *b, const void *dinv, struct hb_cg_device **cg_out) {
  enum hb_status status = HB_OK;
  struct hb_device *device = od->device;
  const size_t size = hb_precision_bytes(od->exchange->precision);
  const hb_local num_points = od->numbering->num_points;
  struct hb_cg_device *cg = NULL;
  *cg_out = NULL;
  HB_ALLOC(cg, 1, "conjugate gradients on the device");
  *cg = (struct hb_cg_device){.od = od, .comm = comm};
  cg->d_b = hb_device_allocate(device, num_points, size, "right-hand side");
  cg->d_r = hb_device_allocate(device, num_points, size, "residual");
  cg->d_x = hb_device_allocate(device, num_points, size, "solution");
  cg->d_p_other = hb_device_allocate(device, num_points, size, "search direction");
  if (cg->d_b == NULL || cg->d_r == NULL || cg->d_x == NULL || cg->d_p_other == NULL)
    status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(hb_device_upload(device, cg->d_b, b, hb_operator_device_vector_bytes(cg->od)));
  if (dinv != NULL) {
    cg->d_dinv = hb_device_allocate(device, num_points, size, "inverse diagonal");
    if (cg->d_dinv == NULL) status = HB_MACHINE_FAILED;
    HB_TRY(status);
    HB_TRY(hb_device_upload(device, cg->d_dinv, dinv, hb_operator_device_vector_bytes(cg->od)));
  }
  *cg_out = cg;
done:
  if (status != HB_OK) hb_cg_device_destroy(&cg);
  return status;
}

void hb_cg_device_destroy(struct hb_cg_device **cg_in) {
  struct hb_cg_device *cg = *cg_in;
  if (cg == NULL) return;
  hb_device_free(cg->od->device, cg->d_b);
  hb_device_free(cg->od->device, cg->d_dinv);
  hb_device_free(cg->od->device, cg->d_r);
  hb_device_free(cg->od->device, cg->d_x);
  hb_device_free(cg->od->device, cg->d_p_other);
  hb_free(cg);
  *cg_in = NULL;
}

enum hb_status hb_cg_device_fetch(const struct hb_cg_device *cg, void *x, void *r) {
  enum hb_status status = HB_OK;
  HB_TRY(hb_device_download(cg->od->device, x, cg->d_x, hb_operator_device_vector_bytes(cg->od)));
  HB_TRY(hb_device_download(cg->od->device, r, cg->d_r, hb_operator_device_vector_bytes(cg->od)));
done:
  return status;
}

/* Keeps the first failure, after which the sums are NaN. */
static void finish_sums(struct hb_cg_device *cg, enum hb_status status, int number,
                        const double *from, double *sums) {
  if (status != HB_OK && cg->failure == HB_OK) cg->failure = status;
  for (int c = 0; c < number; c++) sums[c] = cg->failure == HB_OK ? from[c] : (double)NAN;
}

static void start(void *context, double sums[2]) {
  struct hb_cg_device *cg = context;
  struct hb_operator_device *od = cg->od;
  enum hb_status status = HB_OK;
  hb_local num_partials = 0;
  cg->failure = HB_OK;
  cg->d_p = od->d_u;
  cg->d_p_old = cg->d_p_other;
  HB_TRY(hb_device_set_zero(od->device, HB_STREAM_COMPUTE, cg->d_x,
                            hb_operator_device_vector_bytes(cg->od)));
  HB_TRY(hb_device_set_zero(od->device, HB_STREAM_COMPUTE, cg->d_p,
                            hb_operator_device_vector_bytes(cg->od)));
  HB_TRY(hb_device_copy(od->device, HB_STREAM_COMPUTE, cg->d_r, cg->d_b,
                        hb_operator_device_vector_bytes(cg->od)));
  HB_TRY(od->kernels.dots(od->device, od->numbering->num_owned, cg->d_dinv, cg->d_r, od->d_partials,
                          &num_partials));
  HB_TRY(hb_device_reduce(od->device, num_partials, 2, od->d_partials, od->sums + 1));
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
done:
  finish_sums(cg, status, 2, od->sums + 1, sums);
  cg->rz = sums[1];
}

/* Launches the residual's passes and the reduction of their sums. */
static enum hb_status launch_residual(struct hb_cg_device *cg, struct hb_device_factor alpha) {
  enum hb_status status = HB_OK;
  struct hb_operator_device *od = cg->od;
  hb_local num_partials = 0;
  for (int part = HB_ASSEMBLY_PRIVATE; part <= HB_ASSEMBLY_SHARED; part++)
    HB_TRY(od->kernels.residual(&od->assembly, (enum hb_assembly_part)part, alpha, cg->d_dinv,
                                od->d_w, cg->d_r, od->d_partials, &num_partials));
  HB_TRY(hb_device_reduce(od->device, num_partials, 2, od->d_partials, od->sums + 1));
done:
  return status;
}

/* Launches the operator on the new direction and the reduction of p.Ap.  On a single rank the
 * device divides by it and goes on with the residual. */
static enum hb_status launch_direction(struct hb_cg_device *cg, double alpha, double beta) {
  enum hb_status status = HB_OK;
  struct hb_operator_device *od = cg->od;
  hb_local num_partials = 0;
  const struct hb_device_direction step = {.alpha = alpha,
                                           .beta = beta,
                                           .d_dinv = cg->d_dinv,
                                           .d_r = cg->d_r,
                                           .d_p_old = cg->d_p_old,
                                           .d_p = cg->d_p,
                                           .d_x = cg->d_x};
  HB_TRY(hb_operator_device_launch(od, true, &step, NULL, od->d_w, &num_partials));
  HB_TRY(hb_device_reduce_quotient(od->device, num_partials, od->d_partials, od->sums, cg->rz,
                                   od->d_alpha));
  HB_TRY(hb_device_mark(od->device, HB_EVENT_SCALARS, HB_STREAM_COMPUTE));
  if (cg->comm->size == 1)
    HB_TRY(launch_residual(cg, (struct hb_device_factor){.d_value = od->d_alpha}));
done:
  return status;
}

static double direction(void *context, double alpha, double beta, struct hb_timers *timers) {
  struct hb_cg_device *cg = context;
  struct hb_operator_device *od = cg->od;
  double sum, mark = hb_timer_mark(timers);
  void *d_p_old = cg->d_p;
  cg->d_p = cg->d_p_old;
  cg->d_p_old = d_p_old;
  enum hb_status status = launch_direction(cg, alpha, beta);
  hb_timer_count(timers, HB_PHASE_OPERATOR, &mark);
  const enum hb_status posted = hb_device_exchange_post(od->exchange);
  const enum hb_status finished = hb_device_exchange_finish(od->exchange);
  hb_timer_count(timers, HB_PHASE_EXCHANGE, &mark);
  if (status == HB_OK) status = posted;
  if (status == HB_OK) status = finished;
  if (status == HB_OK) status = hb_device_wait_host(od->device, HB_EVENT_SCALARS);
  hb_timer_count(timers, HB_PHASE_OPERATOR, &mark);
  finish_sums(cg, status, 1, od->sums, &sum);
  return sum;
}

static void residual(void *context, double alpha, struct hb_timers *timers, double sums[2]) {
  struct hb_cg_device *cg = context;
  enum hb_status status = cg->failure;
  double mark = hb_timer_mark(timers);
  HB_TRY(status);
  if (cg->comm->size > 1) HB_TRY(launch_residual(cg, (struct hb_device_factor){.value = alpha}));
  HB_TRY(hb_device_synchronise(cg->od->device, HB_STREAM_COMPUTE));
done:
  hb_timer_count(timers, HB_PHASE_VECTOR, &mark);
  finish_sums(cg, status, 2, cg->od->sums + 1, sums);
  cg->rz = sums[1];
}

static void finish(void *context, double alpha) {
  struct hb_cg_device *cg = context;
  enum hb_status status = cg->failure;
  HB_TRY(status);
  HB_TRY(cg->od->kernels.add_scaled(cg->od->device, cg->od->numbering->num_points, alpha, cg->d_p,
                                    cg->d_x));
  HB_TRY(hb_device_synchronise(cg->od->device, HB_STREAM_COMPUTE));
done:
  cg->failure = status;
}

static enum hb_status status_of(void *context) {
  return ((const struct hb_cg_device *)context)->failure;
}

const struct hb_cg_passes hb_cg_device_passes = {.start = start,
                                                 .direction = direction,
                                                 .residual = residual,
                                                 .finish = finish,
                                                 .status = status_of};
