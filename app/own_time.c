/* SPDX-License-Identifier: BSD-3-Clause
 * Samples of the kernel alone, and what the timed solves say of each rank. */
#include "app/own_time.h"

#include <math.h>

enum { SAMPLES = 5, MOST_PASSES = 100 };
static const double SAMPLE_S = 1e-3; /* of a sample at least */

/* Applications a sample, so that it is long against the clock; the one that finds out warms up. */
static enum hb_status passes_of(const struct hb_solver *solver, int *passes) {
  enum hb_status status = HB_OK;
  double seconds = 0.0;
  *passes = 1;
  if (hb_backend_is_interpreted(solver->plan->backend)) return HB_OK;
  HB_TRY(hb_operator_time_kernel(solver->op, 1, &seconds));
  if (seconds < SAMPLE_S / MOST_PASSES)
    *passes = MOST_PASSES;
  else if (seconds < SAMPLE_S)
    *passes = (int)ceil(SAMPLE_S / seconds);
done:
  return status;
}

/* Collective.  Where the GPU is interpreted one sample: its time means nothing. */
static enum hb_status time_kernel(const struct hb_solver *solver, struct hb_own_time *own) {
  const struct hb_comm *comm = solver->plan->comm;
  const int samples = hb_backend_is_interpreted(solver->plan->backend) ? 1 : SAMPLES;
  double seconds[SAMPLES];
  int passes = 1;
  enum hb_status status = passes_of(solver, &passes);
  hb_comm_barrier(comm);
  for (int s = 0; status == HB_OK && s < samples; s++) {
    status = hb_operator_time_kernel(solver->op, passes, &seconds[s]);
    seconds[s] /= passes;
  }
  if (status == HB_OK) {
    own->kernel_median_s = hb_sort_median(samples, seconds);
    own->speed.kernel_s = seconds[0];
  }
  return hb_comm_agree(comm, status);
}

/* Of the timed solves. */
static void count_work(const struct hb_solver *solver, const struct hb_solves *solves,
                       struct hb_own_time *own) {
  const struct hb_timers *timers = solver->timers;
  double iterations = 0.0;
  for (int solve = solves->num_warmup; solve < solves->num_warmup + solves->num_timed; solve++)
    iterations += solves->iterations[solve];
  own->speed.work_s = own->reduction_least_s = own->reduction_mean_s = (double)NAN;
  if (!hb_backend_on_gpu(solver->plan->backend) && iterations > 0.0)
    own->speed.work_s =
        (timers->seconds[HB_PHASE_OPERATOR] + timers->seconds[HB_PHASE_VECTOR]) / iterations;
  if (timers->num_reductions == 0) return;
  own->reduction_least_s = timers->least_reduction;
  own->reduction_mean_s = timers->all_reductions / (double)timers->num_reductions;
}

static enum hb_status judge(struct hb_own_times *times) {
  enum hb_status status = HB_OK;
  const int count = times->count;
  struct hb_rank_speed *speeds = NULL;
  double sum = 0.0, least = INFINITY;
  HB_ALLOC(speeds, count, "speeds of ranks");
  for (int rank = 0; rank < count; rank++) {
    speeds[rank] = times->rank[rank].speed;
    sum += times->rank[rank].reduction_mean_s;
    least = hb_min(least, times->rank[rank].reduction_least_s);
  }
  times->reduction_mean_s = sum / count;
  times->reduction_least_s = least;
  HB_TRY(hb_slow_ranks_find(count, speeds, times->slow, &times->medians));
done:
  hb_free(speeds);
  return status;
}

static enum hb_status allocate(struct hb_own_times *times) {
  enum hb_status status = HB_OK;
  HB_ALLOC(times->rank, times->count, "own times of ranks");
  HB_ALLOC(times->slow, times->count, "own times of ranks");
done:
  return status;
}

enum hb_status hb_own_times_measure(const struct hb_solver *solver, const struct hb_solves *solves,
                                    const struct hb_bandwidth *bandwidth,
                                    struct hb_own_times *times) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = solver->plan->comm;
  struct hb_own_time *mine = &times->mine;
  *times = (struct hb_own_times){.count = comm->rank == 0 ? comm->size : 0};
  HB_TRY(hb_comm_agree(comm, allocate(times)));
  mine->speed.elements = solver->mesh->numbering->num_elements;
  mine->speed.copy_bytes_per_s = bandwidth->copy_bytes_per_s;
  HB_TRY(time_kernel(solver, mine));
  count_work(solver, solves, mine);
  MPI_Gather(mine, (int)sizeof *mine, MPI_BYTE, times->rank, (int)sizeof *mine, MPI_BYTE, 0,
             comm->mpi);
  HB_TRY(hb_comm_agree(comm, comm->rank == 0 ? judge(times) : HB_OK));
done:
  return status;
}

void hb_own_times_destroy(struct hb_own_times *times) {
  hb_free(times->rank);
  hb_free(times->slow);
  *times = (struct hb_own_times){.count = 0};
}
