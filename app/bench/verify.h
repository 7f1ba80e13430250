/* SPDX-License-Identifier: BSD-3-Clause
 * Is what a part computes right?  Before it is timed: a kernel that does nothing takes no time.
 *
 *   kernel   on a GPU the tuner's comparison of the kernel in use with the reference (autotune.h);
 *            everywhere the gate's, on this mesh, on each rank (gate_kernel.c)
 *   apply    A u of a random u, as an operator without a direction has it, packing, exchange and
 *            assembly among it, with the elements' results summed on the host
 *   exchange of ones and of random values that are equal on all ranks: multiples by the number of
 *            ranks that have a point, which add up to the points of the box
 *   step     the passes that are timed, three times with fixed numbers, with the same in plain
 * loops: x, p, r and the sums solve    three iterations of conjugate gradients by the passes that
 * are timed, with the same in plain loops: x, r and the norms sums     dot products and reductions
 * with plain sums; the sum over ranks; copy and triad
 *
 * An error is given as observed over its bound: at most 1 is right, NaN is not. */
#ifndef HB_APP_BENCH_VERIFY_H
#define HB_APP_BENCH_VERIFY_H

#include "app/bench/parts.h"

struct hb_bench_verdict {
  double ratio[HB_NUM_BENCH_PARTS]; /* largest error over its bound, of all ranks */
};

static inline bool hb_bench_is_right(const struct hb_bench_verdict *verdict,
                                     enum hb_bench_part part) {
  return verdict->ratio[part] <= 1.0;
}

/* Collective.  HB_MACHINE_FAILED if the device or memory fails; wrong results are a verdict. */
enum hb_status hb_bench_verify(struct hb_bench_work *work, struct hb_bench_verdict *verdict);

#endif
