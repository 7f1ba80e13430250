/* SPDX-License-Identifier: BSD-3-Clause
 * A few iterations of conjugate gradients in plain loops, for app/bench/verify*.c only. */
#ifndef HB_APP_BENCH_VERIFY_SOLVE_H
#define HB_APP_BENCH_VERIFY_SOLVE_H

#include "app/bench/parts.h"

/* Collective.  *ratio: largest difference over its bound between a solve of a few iterations by the
 * work's passes and the reference, on this rank.  u, w: vectors of the precision, work. */
enum hb_status hb_bench_verify_solve(struct hb_bench_work *work, void *u, void *w, double *ratio);

/* Collective.  The same of two steps by the very passes that are timed, with fixed numbers: x, p, r
 * and the sums.  A solve on a GPU may launch them otherwise. */
enum hb_status hb_bench_verify_step(struct hb_bench_work *work, void *u, void *w, double *ratio);

#endif
