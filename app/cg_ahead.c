/* SPDX-License-Identifier: BSD-3-Clause
 * Launching iterations ahead of the host's reading of their sums. */
#include "app/cg_ahead.h"

#include <string.h>

#include "app/cg_device.h"

/* Launches iteration `number` (from 0 on), or has it recorded. */
static enum hb_status launch_iteration(struct hb_cg_ahead *ahead, int number) {
  enum hb_status status = HB_OK;
  struct hb_cg_device *cg = ahead->cg;
  struct hb_operator_device *od = cg->od;
  const bool even = number % 2 == 0;
  struct hb_device_factor alpha = {.steps = &ahead->steps};
  double *pairs = od->d_partials + HB_STEP_MOST_PARTIALS; /* the residual's, beside the others */
  const struct hb_device_direction direction = {.d_step = ahead->steps.d_step,
                                                .d_dinv = cg->d_dinv,
                                                .d_r = cg->d_z,
                                                .d_p_old = even ? od->d_u : cg->d_p_other,
                                                .d_p = even ? cg->d_p_other : od->d_u,
                                                .d_x = cg->d_x};
  const hb_global passes = od->op.num_passes;
  hb_local num_partials = 0;
  status = hb_operator_device_launch(od, true, &direction, NULL, od->d_w, &num_partials);
  od->op.num_passes = passes; /* the device counts those that it does */
  HB_TRY(status);
  if (num_partials <= ahead->most_partials &&
      od->assembly.num_points <= HB_STEP_MOST_POINTS) { /* the residual does it on its way */
    alpha.num_partials = num_partials;
    alpha.d_partials = od->d_partials;
  } else {
    HB_TRY(hb_device_step_direction(od->device, num_partials, od->d_partials, &ahead->steps));
  }
  HB_TRY(hb_cg_device_residual(cg, alpha, pairs, &num_partials));
  HB_TRY(hb_device_step_residual(od->device, num_partials, pairs, &ahead->steps));
done:
  return status;
}

static enum hb_status launch_iterations(struct hb_cg_ahead *ahead) {
  enum hb_status status = HB_OK;
  for (int number = 0; number < HB_AHEAD_ITERATIONS; number++)
    HB_TRY(launch_iteration(ahead, number));
done:
  return status;
}

/* Without one the iterations are launched kernel by kernel: no failure of the solve. */
static void record_graph(struct hb_cg_ahead *ahead) {
  struct hb_device *device = ahead->cg->od->device;
  enum hb_status status = hb_device_graph_begin(device);
  if (status == HB_OK) {
    status = launch_iterations(ahead);
    const enum hb_status ended = hb_device_graph_end(device, &ahead->graph);
    if (status == HB_OK) status = ended;
  }
  if (status == HB_OK) return;
  hb_device_graph_destroy(&ahead->graph);
  hb_error_clear();
}

enum hb_status hb_cg_ahead_create(struct hb_cg_device *cg, bool graphs,
                                  struct hb_cg_ahead **ahead_out) {
  enum hb_status status = HB_OK;
  struct hb_device *device = cg->od->device;
  struct hb_cg_ahead *ahead = NULL;
  struct hb_device_steps *steps = NULL;
  *ahead_out = NULL;
  HB_ALLOC(ahead, 1, "iterations ahead");
  *ahead = (struct hb_cg_ahead){.cg = cg, .most_partials = HB_STEP_MOST_PARTIALS};
  *ahead_out = ahead;
  steps = &ahead->steps;
  steps->num_records = HB_AHEAD_RECORDS;
  steps->d_step = hb_device_allocate(device, 1, sizeof *steps->d_step, "step");
  steps->records =
      hb_pinned_allocate(device, HB_AHEAD_RECORDS, sizeof *steps->records, "records of iterations");
  if (steps->d_step == NULL || steps->records == NULL) HB_TRY(HB_MACHINE_FAILED);
  if (graphs && !hb_device_waits(device)) record_graph(ahead);
done:
  if (status != HB_OK) hb_cg_ahead_destroy(ahead_out);
  return status;
}

void hb_cg_ahead_destroy(struct hb_cg_ahead **ahead) {
  if (*ahead == NULL) return;
  struct hb_device *device = (*ahead)->cg->od->device;
  hb_device_graph_destroy(&(*ahead)->graph);
  hb_device_free(device, (*ahead)->steps.d_step);
  hb_pinned_free(device, (*ahead)->steps.records);
  hb_free(*ahead);
  *ahead = NULL;
}

hb_global hb_cg_ahead_bytes(void) {
  return (hb_global)(sizeof(struct hb_device_step) +
                     HB_AHEAD_RECORDS * sizeof(struct hb_device_step_record));
}

enum hb_status hb_cg_ahead_begin(struct hb_cg_ahead *ahead, double rz,
                                 const struct hb_cg_limits *limits) {
  ahead->limit = limits->iterations;
  ahead->launched = ahead->read = ahead->passes = 0;
  memset(ahead->steps.records, 0, HB_AHEAD_RECORDS * sizeof *ahead->steps.records);
  return hb_device_step_begin(ahead->cg->od->device, rz, limits->goal, limits->nothing,
                              limits->iterations, ahead->steps.d_step);
}

static enum hb_event event_of(int iteration) {
  return iteration / HB_AHEAD_ITERATIONS % 2 == 0 ? HB_EVENT_AHEAD_EVEN : HB_EVENT_AHEAD_ODD;
}

/* Waits for the iterations from `read` on that were launched together; the next are on their way
 * then. */
static enum hb_status wait_for_records(struct hb_cg_ahead *ahead) {
  enum hb_status status = HB_OK;
  struct hb_device *device = ahead->cg->od->device;
  while (ahead->launched < ahead->limit && ahead->launched < ahead->read + HB_AHEAD_RECORDS) {
    HB_TRY(ahead->graph != NULL ? hb_device_graph_launch(device, ahead->graph)
                                : launch_iterations(ahead));
    HB_TRY(hb_device_mark(device, event_of(ahead->launched), HB_STREAM_COMPUTE));
    ahead->launched += HB_AHEAD_ITERATIONS;
  }
  HB_TRY(hb_device_wait_host(device, event_of(ahead->read)));
done:
  return status;
}

/* The operator's share of the time, by the device's clock, of the iterations just waited for. */
static double operator_share(const struct hb_cg_ahead *ahead) {
  double of_operator = 0.0, of_vectors = 0.0;
  for (int i = ahead->read; i < ahead->read + HB_AHEAD_ITERATIONS; i++) {
    const struct hb_device_step_record *record = &ahead->steps.records[i % HB_AHEAD_RECORDS];
    if (record->number != i + 1) break; /* stopped before */
    of_operator += (double)record->operator_ticks;
    of_vectors += (double)record->vector_ticks;
  }
  return of_operator + of_vectors > 0.0 ? of_operator / (of_operator + of_vectors) : 1.0;
}

enum hb_status hb_cg_ahead_direction(struct hb_cg_ahead *ahead, struct hb_timers *timers,
                                     double *p_dot_w) {
  enum hb_status status = HB_OK;
  const struct hb_device_step_record *record =
      &ahead->steps.records[ahead->read % HB_AHEAD_RECORDS];
  double mark = hb_timer_mark(timers);
  if (ahead->read % HB_AHEAD_ITERATIONS == 0) {
    HB_TRY(wait_for_records(ahead));
    hb_timer_split(timers, HB_PHASE_OPERATOR, HB_PHASE_VECTOR, operator_share(ahead), &mark);
  }
  if (record->number != ahead->read + 1)
    HB_FAIL(HB_MACHINE_FAILED,
            "the device stopped before iteration %d, for which the host has no reason",
            ahead->read + 1);
  ahead->cg->od->op.num_passes += record->passes - ahead->passes;
  ahead->passes = record->passes;
  *p_dot_w = record->p_dot_w;
done:
  return status;
}

enum hb_status hb_cg_ahead_residual(struct hb_cg_ahead *ahead, double alpha, double sums[2]) {
  enum hb_status status = HB_OK;
  const struct hb_device_step_record *record =
      &ahead->steps.records[ahead->read % HB_AHEAD_RECORDS];
  ahead->read++;
  if (record->alpha != alpha)
    HB_FAIL(HB_MACHINE_FAILED, "iteration %d: the device stepped by %.17g, the host by %.17g",
            ahead->read, record->alpha, alpha);
  sums[0] = record->rr;
  sums[1] = record->rz;
done:
  return status;
}
