/* SPDX-License-Identifier: BSD-3-Clause
 * What each rank takes for its own work, apart from waiting for others: the operator's kernel
 * alone, the work of the timed solves, the memory's bandwidth, and what a reduction takes.
 *
 * The kernel is timed after the timed solves, which it does not touch: all ranks at once, each on
 * all of its elements, without exchange or sums; on a GPU between two events of the stream, on the
 * host by the clock.  So a rank that is slow only now and then may pass there; on the host the work
 * of the timed solves shows it, which holds no waits (on a GPU it does, and is not known). */
#ifndef HB_APP_OWN_TIME_H
#define HB_APP_OWN_TIME_H

#include "app/bandwidth.h"
#include "app/solver.h"
#include "io/slow_ranks.h"

/* One rank's. */
struct hb_own_time {
  struct hb_rank_speed speed;
  double kernel_median_s;                     /* speed.kernel_s is the least of the samples */
  double reduction_least_s, reduction_mean_s; /* of the timed solves; the mean holds the waits */
};

struct hb_own_times {
  int count; /* of ranks; 0 but on rank 0 */
  struct hb_own_time mine;
  struct hb_own_time *rank;                   /* owned [count], as the next: of rank 0 */
  int *slow;                                  /* bits of io/slow_ranks.h */
  struct hb_slow_medians medians;             /* rank 0's, as the next */
  double reduction_least_s, reduction_mean_s; /* over all ranks; NaN: there was none */
};

/* Collective.  After the timed solves, which solver->timers have counted. */
enum hb_status hb_own_times_measure(const struct hb_solver *solver, const struct hb_solves *solves,
                                    const struct hb_bandwidth *bandwidth,
                                    struct hb_own_times *times);
void hb_own_times_destroy(struct hb_own_times *times);

#endif
