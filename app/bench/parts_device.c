/* SPDX-License-Identifier: BSD-3-Clause
 * The parts as kernels of a device. */
#include "app/bench/parts_internal.h"

#include <math.h>

#include "app/cg_device.h"

static enum hb_status apply(struct hb_cg_device *cg, const struct hb_device_direction *direction) {
  struct hb_operator_device *od = cg->od;
  hb_local num_partials = 0;
  return od->kernels.apply(&od->helmholtz, 0, od->op.mesh->numbering->num_blocks, true, direction,
                           direction == NULL ? cg->d_p : NULL, od->d_w, &num_partials);
}

static enum hb_status apply_alone(struct hb_cg_device *cg) { return apply(cg, NULL); }

static enum hb_status apply_and_update(struct hb_cg_device *cg) {
  void *d_p_old = cg->d_p;
  cg->d_p = cg->d_p_old;
  cg->d_p_old = d_p_old;
  const struct hb_device_direction step = {.alpha = HB_BENCH_ALPHA,
                                           .beta = HB_BENCH_BETA,
                                           .d_dinv = cg->d_dinv,
                                           .d_r = cg->d_z,
                                           .d_p_old = cg->d_p_old,
                                           .d_p = cg->d_p,
                                           .d_x = cg->d_x};
  return apply(cg, &step);
}

/* *num_partials: pairs of the sums. */
static enum hb_status update_and_sum(struct hb_cg_device *cg, hb_local *num_partials) {
  enum hb_status status = HB_OK;
  struct hb_operator_device *od = cg->od;
  *num_partials = 0;
  for (int part = HB_ASSEMBLY_PRIVATE; part <= HB_ASSEMBLY_SHARED; part++)
    HB_TRY(od->kernels.residual(&od->assembly, (enum hb_assembly_part)part,
                                (struct hb_device_factor){.value = HB_BENCH_STEP}, cg->d_dinv,
                                od->d_w, cg->d_r, od->d_partials, num_partials));
done:
  return status;
}

static enum hb_status update_residual(struct hb_cg_device *cg) {
  hb_local num_partials = 0;
  return update_and_sum(cg, &num_partials);
}

static enum hb_status pack(struct hb_cg_device *cg) {
  return cg->od->kernels.pack(&cg->od->assembly, cg->od->exchange->d_send);
}

static enum hb_status dot(struct hb_cg_device *cg) {
  struct hb_operator_device *od = cg->od;
  hb_local num_partials = 0;
  return od->kernels.dots(od->device, cg->passes.system.num_owned, cg->d_dinv, cg->d_r,
                          od->d_partials, &num_partials);
}

/* All of it, however far it comes: no neighbour waits for ever. */
static enum hb_status exchange(struct hb_cg_device *cg) {
  struct hb_operator_device *od = cg->od;
  enum hb_status status = hb_device_mark(od->device, HB_EVENT_PACKED, HB_STREAM_COMPUTE);
  if (status == HB_OK) status = hb_device_exchange_start(od->exchange);
  const enum hb_status posted = hb_device_exchange_post(od->exchange);
  const enum hb_status finished = hb_device_exchange_finish(od->exchange);
  HB_TRY(status);
  HB_TRY(posted);
  HB_TRY(finished);
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
done:
  return status;
}

enum hb_status hb_bench_step_device(struct hb_bench_work *work, double sums[2]) {
  enum hb_status status = HB_OK;
  struct hb_cg_device *cg = hb_cg_device(work->passes);
  struct hb_operator_device *od = cg->od;
  hb_local num_partials = 0;
  sums[0] = sums[1] = (double)NAN;
  status = apply_and_update(cg);
  if (status == HB_OK) status = pack(cg);
  const enum hb_status exchanged = exchange(cg);
  HB_TRY(status);
  HB_TRY(exchanged);
  HB_TRY(update_and_sum(cg, &num_partials));
  HB_TRY(hb_device_reduce(od->device, num_partials, 2, od->d_partials, od->sums));
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
  sums[0] = od->sums[0];
  sums[1] = od->sums[1];
done:
  return status;
}

enum hb_status hb_bench_fetch_device(const struct hb_bench_work *work, void *p) {
  return hb_operator_to_host(work->solver->op, hb_cg_device(work->passes)->d_p, p);
}

static enum hb_status launch(struct hb_cg_device *cg) {
  return hb_device_reduce(cg->od->device, 1, 1, cg->od->d_partials, cg->od->sums);
}

static enum hb_status launch_and_wait(struct hb_cg_device *cg) {
  enum hb_status status = HB_OK;
  HB_TRY(launch(cg));
  HB_TRY(hb_device_synchronise(cg->od->device, HB_STREAM_COMPUTE));
done:
  return status;
}

typedef enum hb_status pass_on_device(struct hb_cg_device *cg);

/* Between two marks in the stream. */
static enum hb_status by_device_clock(struct hb_cg_device *cg, pass_on_device *pass, int repeats,
                                      double *seconds) {
  enum hb_status status = HB_OK;
  HB_TRY(hb_device_time_start(cg->od->device));
  for (int i = 0; i < repeats; i++) HB_TRY(pass(cg));
  HB_TRY(hb_device_time_stop(cg->od->device, seconds));
done:
  return status;
}

/* An exchange goes on after a failure: the other ranks wait for it. */
static enum hb_status by_host_clock(struct hb_cg_device *cg, pass_on_device *pass, int repeats,
                                    double *seconds) {
  enum hb_status status = HB_OK;
  const double start = hb_timer_now();
  for (int i = 0; i < repeats; i++) {
    const enum hb_status done = pass(cg);
    if (status == HB_OK) status = done;
  }
  HB_TRY(status);
  HB_TRY(hb_device_synchronise(cg->od->device, HB_STREAM_COMPUTE));
  *seconds = hb_timer_now() - start;
done:
  return status;
}

enum hb_status hb_bench_run_device(struct hb_bench_work *work, enum hb_bench_part part, int repeats,
                                   double *seconds) {
  static pass_on_device *const kernels[HB_NUM_BENCH_PARTS] = {[HB_BENCH_OPERATOR] = apply_alone,
                                                              [HB_BENCH_OPERATOR_UPDATES] =
                                                                  apply_and_update,
                                                              [HB_BENCH_RESIDUAL] = update_residual,
                                                              [HB_BENCH_PACKING] = pack,
                                                              [HB_BENCH_DOT] = dot};
  static pass_on_device *const waits[HB_NUM_BENCH_PARTS] = {[HB_BENCH_EXCHANGE] = exchange,
                                                            [HB_BENCH_LAUNCH] = launch,
                                                            [HB_BENCH_LAUNCH_WAIT] =
                                                                launch_and_wait};
  struct hb_cg_device *cg = hb_cg_device(work->passes);
  return kernels[part] != NULL ? by_device_clock(cg, kernels[part], repeats, seconds)
                               : by_host_clock(cg, waits[part], repeats, seconds);
}
