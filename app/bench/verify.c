/* SPDX-License-Identifier: BSD-3-Clause
 * The checks of the parts. */
#include "app/bench/verify.h"

#include <math.h>
#include <string.h>

#include "app/bench/verify_solve.h"
#include "app/cg_device.h"
#include "app/cg_host.h"
#include "app/consensus.h"
#include "app/gates_internal.h"
#include "kernels/helmholtz/compare.h"
#include "kernels/tune/autotune.h"
#include "kernels/vectors/stream.h"

/* Points of the elements that the tuner works on, at most; numbers of a sum. */
enum { TUNER_POINTS = 1 << 22, SEED = 77003, STREAM_COUNT = 1001 };

/* Largest error over its bound of each check. */
struct findings {
  double kernel, apply, exchange, step, solve, dot, launch, all_reduce, stream;
};

/* What the tuner has found already of the kernel in use, on the rank where it was asked. */
static bool tuner_has_found(const struct hb_backend *backend, double *ratio) {
  const struct hb_tuning *tuning = backend->tuning;
  if (backend->comm->rank != 0 || !hb_tuning_timed(tuning)) return false;
  for (int c = 0; c < tuning->count; c++) {
    const struct hb_candidate *candidate = &tuning->candidates[c];
    if (!candidate->chosen || candidate->kernel.variant != backend->kernel.variant) continue;
    *ratio = candidate->error / candidate->bound;
    return candidate->verdict == HB_VERIFIED;
  }
  return false;
}

/* The tuner's verdict on the kernel in use. */
static enum hb_status ask_tuner(const struct hb_bench_work *work, double *ratio) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = work->solver;
  const struct hb_backend *backend = solver->plan->backend;
  const struct hb_gll *gll = &solver->mesh->gll;
  const hb_local most = (hb_local)(TUNER_POINTS / hb_points_per_element(gll->n));
  const hb_local num_elements = solver->mesh->numbering->num_elements;
  struct hb_candidate candidate = {.kernel = backend->kernel, .error = NAN, .bound = NAN};
  const struct hb_autotune request = {.device = backend->device,
                                      .operator_kind = HB_TUNED_SCALAR,
                                      .n = gll->n,
                                      .geometry = solver->plan->geometry,
                                      .precision = solver->op->precision,
                                      .with_dinv = solver->preconditioner->diagonal != NULL,
                                      .points = gll->nodes,
                                      .weights = gll->weights,
                                      .D = gll->D,
                                      .num_elements = num_elements < most ? num_elements : most,
                                      .seconds = 0.0};
  int chosen = -1;
  if (tuner_has_found(backend, ratio)) return HB_OK;
  status = hb_autotune(&request, 1, &candidate, &chosen);
  if (candidate.verdict == HB_UNTRIED) HB_TRY(status);
  hb_error_clear();
  status = HB_OK;
  *ratio = candidate.verdict == HB_VERIFIED ? candidate.error / candidate.bound : HUGE_VAL;
done:
  return status;
}

/* Collective.  The kernel by the tuner and by the gate. */
static enum hb_status check_kernel(const struct hb_bench_work *work, double *ratio) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = work->solver;
  struct hb_gates gates = {.seed = SEED};
  double tuner = 0.0;
  if (hb_backend_on_gpu(solver->plan->backend))
    HB_TRY(hb_comm_agree(solver->plan->comm, ask_tuner(work, &tuner)));
  HB_TRY(hb_gate_kernel_alone(solver, &gates));
  *ratio = hb_max(tuner, gates.gate[HB_GATE_KERNEL].observed / gates.gate[HB_GATE_KERNEL].bound);
done:
  return status;
}

/* Collective.  The operator as a whole, and the sum of its elements' results on the host. */
static enum hb_status check_apply(const struct hb_bench_work *work, struct hb_gate_work *vectors,
                                  double *ratio) {
  const struct hb_solver *solver = work->solver;
  struct hb_operator *op = solver->op;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  double most = 0.0, worst = 0.0;
  hb_gate_set_random(solver, SEED, true, vectors->u);
  hb_operator_multiply(op, HB_OPERATOR_FULL, vectors->u, vectors->w);
  memset(vectors->v, 0, (size_t)hb_operator_vector_bytes(op));
  hb_operator_apply_blocks(op, 0, numbering->num_blocks, vectors->u, vectors->v);
  hb_gather_scatter_start(solver->mesh->gs, op->precision, vectors->v);
  hb_gather_scatter_finish(solver->mesh->gs, op->precision, vectors->v);
  op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, vectors->v);
  for (hb_local i = 0; i < numbering->num_points; i++)
    most = hb_max(most, fabs(hb_real_at(op->precision, vectors->v, i)));
  hb_comm_max(solver->plan->comm, 1, &most);
  const double bound = hb_helmholtz_tolerance(op->helmholtz.n, op->precision, 8.0 * most);
  for (hb_local i = 0; i < numbering->num_points; i++)
    worst = hb_max(worst, hb_scaled_difference(hb_real_at(op->precision, vectors->w, i),
                                               hb_real_at(op->precision, vectors->v, i), bound));
  *ratio = most > 0.0 ? worst : HUGE_VAL;
  return hb_comm_agree(solver->plan->comm, op->failure);
}

/* Collective.  A sum over the ranks that have a point, of values that are the same there. */
static double check_exchange(const struct hb_bench_work *work, struct hb_gate_work *vectors) {
  const struct hb_solver *solver = work->solver;
  const struct hb_gather_scatter *gs = solver->mesh->gs;
  const enum hb_precision precision = solver->op->precision;
  const hb_local num_points = solver->mesh->numbering->num_points;
  struct hb_long_sum unique = {0.0, 0.0};
  double worst = 0.0, sum;
  hb_gate_set_random(solver, SEED + 1, false, vectors->u);
  hb_gate_set_random(solver, SEED + 1, false, vectors->v);
  for (hb_local i = 0; i < num_points; i++) hb_real_set(precision, vectors->w, i, 1.0);
  hb_gather_scatter_start(solver->mesh->gs, precision, vectors->w);
  hb_gather_scatter_finish(solver->mesh->gs, precision, vectors->w);
  hb_gather_scatter_start(solver->mesh->gs, precision, vectors->v);
  hb_gather_scatter_finish(solver->mesh->gs, precision, vectors->v);
  const double bound = (gs->num_neighbours + 1) * hb_precision_epsilon(precision);
  for (hb_local i = 0; i < num_points; i++) {
    const double multiple = hb_real_at(precision, vectors->w, i);
    const double expected = multiple * hb_real_at(precision, vectors->u, i);
    hb_long_sum_add(&unique, 1.0 / multiple);
    worst = hb_max(worst, hb_scaled_difference(hb_real_at(precision, vectors->v, i), expected,
                                               bound * multiple));
  }
  sum = unique.value;
  hb_comm_sum(solver->plan->comm, 1, &sum);
  const double points = (double)hb_box_num_points(&solver->mesh->box);
  return hb_max(worst, hb_scaled_difference(sum, points, 1e-3));
}

/* |observed - sum| over its bound, of `count` terms that are not negative: they are rounded, and
 * added in any order. */
static double sum_ratio(double observed, const struct hb_long_sum *sum, hb_local count,
                        enum hb_precision precision) {
  return hb_scaled_difference(observed, sum->value,
                              (64.0 + sqrt((double)count)) * hb_precision_epsilon(precision) *
                                  sum->value);
}

/* r.r of what the passes begin with. */
static enum hb_status check_dot_host(const struct hb_bench_work *work, double *ratio) {
  const struct hb_cg_host *cg = hb_cg_host(work->passes);
  const struct hb_cg_system *system = &cg->passes.system;
  struct hb_long_sum sum = {0.0, 0.0};
  for (hb_local i = 0; i < system->num_owned; i++) {
    const double value = hb_real_at(system->precision, cg->r, i);
    hb_long_sum_add(&sum, value * value);
  }
  *ratio = sum_ratio(system->ops->dot(system->num_owned, cg->r, cg->r), &sum, system->num_owned,
                     system->precision);
  return HB_OK;
}

/* r [num_points]: work, receives the passes' residual. */
static enum hb_status check_dot_device(const struct hb_bench_work *work, void *r, double *ratio) {
  enum hb_status status = HB_OK;
  const struct hb_cg_device *cg = hb_cg_device(work->passes);
  const struct hb_cg_system *system = &cg->passes.system;
  const void *dinv = system->preconditioner->diagonal;
  struct hb_operator_device *od = cg->od;
  struct hb_long_sum rr = {0.0, 0.0}, rz = {0.0, 0.0};
  hb_local num_partials = 0;
  HB_TRY(work->passes->type->fetch_residual(work->passes, r));
  for (hb_local i = 0; i < system->num_owned; i++) {
    const double value = hb_real_at(system->precision, r, i);
    hb_long_sum_add(&rr, value * value);
    hb_long_sum_add(&rz,
                    value * value * (dinv != NULL ? hb_real_at(system->precision, dinv, i) : 1.0));
  }
  HB_TRY(od->kernels.dots(od->device, system->num_owned, cg->d_dinv, cg->d_r, od->d_partials,
                          &num_partials));
  HB_TRY(hb_device_reduce(od->device, num_partials, 2, od->d_partials, od->sums));
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
  *ratio = hb_max(sum_ratio(od->sums[0], &rr, system->num_owned, system->precision),
                  sum_ratio(od->sums[1], &rz, system->num_owned, system->precision));
done:
  return status;
}

/* The smallest kernel gives back the number that it is given. */
static enum hb_status check_launch(const struct hb_bench_work *work, double *ratio) {
  enum hb_status status = HB_OK;
  const double number = 3.25;
  struct hb_operator_device *od = hb_cg_device(work->passes)->od;
  HB_TRY(hb_device_upload(od->device, od->d_partials, &number, sizeof number));
  HB_TRY(hb_device_reduce(od->device, 1, 1, od->d_partials, od->sums));
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
  *ratio = od->sums[0] == number ? 0.0 : HUGE_VAL;
done:
  return status;
}

/* Collective. */
static void check_all_reduce(const struct hb_comm *comm, double *ratio) {
  struct hb_consensus consensus = hb_consensus_begin(comm);
  double sum = comm->rank + 1.0;
  hb_consensus_sum(&consensus, 1, &sum);
  *ratio = sum == 0.5 * comm->size * (comm->size + 1.0) ? 0.0 : HUGE_VAL;
}

/* On the host; a device's are checked whenever they are timed (stream.h). */
static double check_stream(void) {
  double a[STREAM_COUNT], b[STREAM_COUNT], c[STREAM_COUNT];
  bool right = true;
  for (int i = 0; i < STREAM_COUNT; i++) a[i] = 2.0 * i, b[i] = 1.0 - i, c[i] = -1.0;
  hb_stream_copy(STREAM_COUNT, a, c);
  hb_stream_triad(STREAM_COUNT, 0.5, b, c, a);
  for (int i = 0; i < STREAM_COUNT; i++) right = right && c[i] == 2.0 * i && a[i] == 1.0;
  return right ? 0.0 : HUGE_VAL;
}

static void judge(const struct findings *found, struct hb_bench_verdict *verdict) {
  const double messages = hb_max(found->apply, found->exchange);
  const double alone = hb_max(found->kernel, found->apply);
  const double updates = hb_max(hb_max(alone, messages), found->step);
  const double all = hb_max(hb_max(alone, messages), found->solve);
  const double ratio[HB_NUM_BENCH_PARTS] = {[HB_BENCH_OPERATOR] = alone,
                                            [HB_BENCH_OPERATOR_UPDATES] = updates,
                                            [HB_BENCH_RESIDUAL] = updates,
                                            [HB_BENCH_PACKING] = messages,
                                            [HB_BENCH_DOT] = found->dot,
                                            [HB_BENCH_EXCHANGE] = messages,
                                            [HB_BENCH_ALL_REDUCE] = found->all_reduce,
                                            [HB_BENCH_LAUNCH] = found->launch,
                                            [HB_BENCH_LAUNCH_WAIT] = found->launch,
                                            [HB_BENCH_ITERATION] = all,
                                            [HB_BENCH_COPY] = found->stream,
                                            [HB_BENCH_TRIAD] = found->stream};
  /* The maximum over ranks keeps no NaN apart. */
  for (int part = 0; part < HB_NUM_BENCH_PARTS; part++)
    verdict->ratio[part] = ratio[part] >= 0.0 ? ratio[part] : HUGE_VAL;
}

/* Collective. */
static enum hb_status look(struct hb_bench_work *work, struct hb_gate_work *vectors,
                           struct findings *found) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = work->solver->plan->comm;
  const bool on_gpu = hb_backend_on_gpu(work->solver->plan->backend);
  double ignored[2];
  HB_TRY(check_kernel(work, &found->kernel));
  HB_TRY(check_apply(work, vectors, &found->apply));
  found->exchange = check_exchange(work, vectors);
  HB_TRY(hb_bench_verify_step(work, vectors->u, vectors->w, &found->step));
  HB_TRY(hb_bench_verify_solve(work, vectors->u, vectors->w, &found->solve));
  work->passes->type->start(work->passes, ignored); /* whatever the solve has left */
  status =
      on_gpu ? check_dot_device(work, vectors->u, &found->dot) : check_dot_host(work, &found->dot);
  if (status == HB_OK && on_gpu) status = check_launch(work, &found->launch);
  HB_TRY(hb_comm_agree(comm, status));
  check_all_reduce(comm, &found->all_reduce);
  if (!on_gpu) found->stream = check_stream();
done:
  return status;
}

enum hb_status hb_bench_verify(struct hb_bench_work *work, struct hb_bench_verdict *verdict) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = work->solver->plan->comm;
  struct hb_gate_work vectors = {NULL, NULL, NULL};
  struct findings found = {.kernel = 0.0};
  HB_TRY(hb_comm_agree(comm, hb_gate_work_create(work->solver, &vectors)));
  HB_TRY(look(work, &vectors, &found));
  judge(&found, verdict);
  hb_comm_max(comm, HB_NUM_BENCH_PARTS, verdict->ratio);
done:
  hb_gate_work_destroy(&vectors);
  return status;
}
