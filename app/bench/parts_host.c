/* SPDX-License-Identifier: BSD-3-Clause
 * The parts as passes of the host. */
#include "app/bench/parts_internal.h"

#include <string.h>

#include "app/cg_host.h"
#include "kernels/vectors/gather_pack.h"

/* What a pass works on. */
struct host {
  struct hb_solver *solver;
  struct hb_cg_host *cg;
  void *zeros;
  double sum; /* of what passes return, so that they are needed */
};

static void apply(struct host *host) {
  struct hb_operator *op = host->solver->op;
  host->sum += op->kernel.variant->host.apply[op->precision](
      &op->helmholtz, 0, op->mesh->numbering->num_blocks, true, host->cg->p, host->cg->w);
}

static void update_and_apply(struct host *host) {
  const struct hb_cg_system *system = &host->cg->passes.system;
  system->ops->update_direction(system->num_points, HB_BENCH_ALPHA, HB_BENCH_BETA,
                                system->preconditioner->diagonal, host->cg->z, host->cg->p,
                                system->x);
  apply(host);
}

static void update_residual(struct host *host) {
  const struct hb_cg_system *system = &host->cg->passes.system;
  double sums[2];
  system->ops->update_residual(system->num_points, system->num_owned, system->surface_start,
                               HB_BENCH_STEP, system->preconditioner->diagonal, host->cg->w,
                               host->cg->r, sums);
  host->sum += sums[0];
}

static void pack(struct host *host) {
  const struct hb_gather_scatter *gs = host->solver->mesh->gs;
  const hb_local count = gs->start[gs->num_neighbours];
  if (host->solver->op->precision == HB_F64)
    hb_gather_pack_f64(count, gs->index, host->cg->p, gs->send);
  else
    hb_gather_pack_f32(count, gs->index, host->cg->p, gs->send);
}

static void dot(struct host *host) {
  const struct hb_cg_system *system = &host->cg->passes.system;
  host->sum += system->ops->dot(system->num_owned, host->cg->r, host->cg->p);
}

static void exchange(struct host *host) {
  const enum hb_precision precision = host->solver->op->precision;
  hb_gather_scatter_start(host->solver->mesh->gs, precision, host->zeros);
  hb_gather_scatter_finish(host->solver->mesh->gs, precision, host->zeros);
}

enum hb_status hb_bench_step_host(struct hb_bench_work *work, double sums[2]) {
  struct host host = {work->solver, hb_cg_host(work->passes), work->zeros, 0.0};
  const struct hb_cg_system *system = &work->passes->system;
  const struct hb_numbering *numbering = work->solver->mesh->numbering;
  void *w = host.cg->w; /* zero on surfaces, as update_residual leaves it */
  update_and_apply(&host);
  hb_gather_scatter_start(work->solver->mesh->gs, system->precision, w);
  hb_gather_scatter_finish(work->solver->mesh->gs, system->precision, w);
  system->ops->set_at(numbering->num_masked, numbering->masked, 0.0, w);
  system->ops->update_residual(system->num_points, system->num_owned, system->surface_start,
                               HB_BENCH_STEP, system->preconditioner->diagonal, w, host.cg->r,
                               sums);
  return HB_OK;
}

enum hb_status hb_bench_fetch_host(const struct hb_bench_work *work, void *p) {
  memcpy(p, hb_cg_host(work->passes)->p, (size_t)hb_operator_vector_bytes(work->solver->op));
  return HB_OK;
}

enum hb_status hb_bench_run_host(struct hb_bench_work *work, enum hb_bench_part part, int repeats,
                                 double *seconds) {
  static void (*const pass[HB_NUM_BENCH_PARTS])(struct host *) = {
      [HB_BENCH_OPERATOR] = apply,
      [HB_BENCH_OPERATOR_UPDATES] = update_and_apply,
      [HB_BENCH_RESIDUAL] = update_residual,
      [HB_BENCH_PACKING] = pack,
      [HB_BENCH_DOT] = dot,
      [HB_BENCH_EXCHANGE] = exchange};
  enum hb_status status = HB_OK;
  struct host host = {work->solver, hb_cg_host(work->passes), work->zeros, 0.0};
  const double start = hb_timer_now();
  for (int i = 0; i < repeats; i++) pass[part](&host);
  *seconds = hb_timer_now() - start;
  if (host.sum != host.sum)
    HB_FAIL(HB_MACHINE_FAILED, "%s: a sum is not a number", hb_bench_part_names()[part]);
done:
  return status;
}
