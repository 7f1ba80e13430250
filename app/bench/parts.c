/* SPDX-License-Identifier: BSD-3-Clause
 * Parts that are the same everywhere, and the way to each one's own. */
#include "app/bench/parts.h"

#include <math.h>
#include <string.h>

#include "app/bench/parts_internal.h"
#include "app/consensus.h"
#include "app/gates.h"
#include "kernels/vectors/stream.h"

enum { SEED = 20240607 };

const char *const *hb_bench_part_names(void) {
  static const char *const names[HB_NUM_BENCH_PARTS] = {
      "operator",   "operator_updates", "residual",    "packing",   "dot",  "exchange",
      "all_reduce", "launch",           "launch_wait", "iteration", "copy", "triad"};
  return names;
}

unsigned hb_bench_parts_there(bool on_gpu, int num_ranks) {
  const unsigned ranks =
      1u << HB_BENCH_PACKING | 1u << HB_BENCH_EXCHANGE | 1u << HB_BENCH_ALL_REDUCE;
  const unsigned launches = 1u << HB_BENCH_LAUNCH | 1u << HB_BENCH_LAUNCH_WAIT;
  return ((1u << HB_NUM_BENCH_PARTS) - 1u) & ~(num_ranks > 1 ? 0u : ranks) &
         ~(on_gpu ? 0u : launches);
}

enum hb_status hb_bench_work_create(struct hb_solver *solver, hb_global stream_bytes,
                                    struct hb_bench_work *work) {
  enum hb_status status = HB_OK;
  const struct hb_operator *op = solver->op;
  *work = (struct hb_bench_work){.solver = solver, .stream_bytes = stream_bytes};
  hb_gate_set_random(solver, SEED, true, solver->b);
  hb_cg_passes_destroy(&solver->passes); /* they hold the former right-hand side */
  const struct hb_cg_system system = hb_solver_system(solver);
  if (!hb_backend_on_gpu(solver->plan->backend)) {
    work->zeros = hb_allocate(system.num_points, hb_precision_bytes(op->precision), "zeros");
    if (work->zeros == NULL) status = HB_MACHINE_FAILED;
    if (status == HB_OK) memset(work->zeros, 0, (size_t)hb_operator_vector_bytes(op));
  }
  if (status == HB_OK) status = hb_operator_create_passes(solver->op, &system, &solver->passes);
  work->passes = solver->passes;
  return hb_comm_agree(solver->plan->comm, status);
}

void hb_bench_work_destroy(struct hb_bench_work *work) { hb_free(work->zeros); }

/* Collective.  Solves of a fixed number of iterations, as a run times them; of one iteration. */
static enum hb_status run_solves(struct hb_bench_work *work, int repeats, double *seconds) {
  enum hb_status status = HB_OK;
  const struct hb_cg_request request = {.tolerance = 0.0};
  struct hb_cg *cg = work->solver->cg;
  const double start = hb_timer_now();
  int iterations = 0;
  for (int i = 0; i < repeats; i++) {
    HB_TRY(hb_cg_solve(cg, work->passes, &request));
    iterations += cg->iterations;
  }
  *seconds = (hb_timer_now() - start) / iterations * repeats;
  if (iterations == 0 || cg->end > HB_CG_COUNT)
    HB_FAIL(HB_MACHINE_FAILED, "iteration: %s", hb_cg_end_name(cg->end));
done:
  return status;
}

static enum hb_status run_all_reduce(const struct hb_bench_work *work, int repeats,
                                     double *seconds) {
  struct hb_consensus consensus = hb_consensus_begin(work->solver->plan->comm);
  const double start = hb_timer_now();
  for (int i = 0; i < repeats; i++) {
    double value = 1.0;
    hb_consensus_sum(&consensus, 1, &value);
  }
  *seconds = hb_timer_now() - start;
  return hb_consensus_end(&consensus, repeats);
}

enum hb_status hb_bench_run(struct hb_bench_work *work, enum hb_bench_part part, int repeats,
                            double *seconds) {
  enum hb_status status = HB_OK;
  const bool on_gpu = hb_backend_on_gpu(work->solver->plan->backend);
  double all = NAN;
  *seconds = NAN;
  if (part == HB_BENCH_ITERATION)
    HB_TRY(run_solves(work, repeats, &all));
  else if (part == HB_BENCH_ALL_REDUCE)
    HB_TRY(run_all_reduce(work, repeats, &all));
  else
    HB_TRY((on_gpu ? hb_bench_run_device : hb_bench_run_host)(work, part, repeats, &all));
  *seconds = all / repeats;
done:
  return status;
}

enum hb_status hb_bench_stream(const struct hb_bench_work *work, double seconds[2],
                               double bytes[2]) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = work->solver->plan->comm;
  const double count = (double)(work->stream_bytes / (hb_global)sizeof(double));
  struct hb_bandwidth bandwidth;
  seconds[0] = seconds[1] = NAN;
  bytes[0] = count * HB_COPY_BYTES;
  bytes[1] = count * HB_TRIAD_BYTES;
  HB_TRY(hb_bandwidth_measure(work->solver->plan->backend, work->stream_bytes, &bandwidth));
  seconds[0] = comm->size * bytes[0] / bandwidth.all_copy;
  seconds[1] = comm->size * bytes[1] / bandwidth.all_triad;
done:
  return status;
}
