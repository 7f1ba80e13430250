/* SPDX-License-Identifier: BSD-3-Clause
 * The parts on the host and on a device, for app/bench/parts*.c only. */
#ifndef HB_APP_BENCH_PARTS_INTERNAL_H
#define HB_APP_BENCH_PARTS_INTERNAL_H

#include "app/bench/parts.h"

/* Steps of the updates: numbers stay bounded, however often a pass is repeated. */
static const double HB_BENCH_ALPHA = 0.25, HB_BENCH_BETA = 0.5, HB_BENCH_STEP = 0.125;

/* Collective where the part is.  The part `repeats` times, of the kernels and vectors of the host,
 * or of a device; *seconds: of all of them. */
typedef enum hb_status hb_bench_run_here(struct hb_bench_work *work, enum hb_bench_part part,
                                         int repeats, double *seconds);
hb_bench_run_here hb_bench_run_host, hb_bench_run_device;

/* Collective.  The very passes that are timed, one after the other, with the constants above:
 *   x += alpha p;  p = z + beta p;  w = A p, assembled;  r -= step w
 * sums: r.r and r.z of this rank.  To be compared with the same in plain loops. */
typedef enum hb_status hb_bench_step_here(struct hb_bench_work *work, double sums[2]);
hb_bench_step_here hb_bench_step_host, hb_bench_step_device;

/* Not collective.  p [num_points] on the host. */
typedef enum hb_status hb_bench_fetch_here(const struct hb_bench_work *work, void *p);
hb_bench_fetch_here hb_bench_fetch_host, hb_bench_fetch_device;

#endif
