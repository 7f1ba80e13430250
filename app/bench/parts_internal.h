/* SPDX-License-Identifier: BSD-3-Clause
 * The parts on the host and on a device, for app/bench/parts*.c only. */
#ifndef HB_APP_BENCH_PARTS_INTERNAL_H
#define HB_APP_BENCH_PARTS_INTERNAL_H

#include "app/bench/parts.h"

/* Steps of the updates that keep numbers bounded, however often they are done. */
static const double HB_BENCH_ALPHA = 1e-3, HB_BENCH_BETA = 0.5, HB_BENCH_STEP = 1e-6;

/* Collective where the part is.  The part `repeats` times, of the kernels and vectors of the host,
 * or of a device; *seconds: of all of them. */
typedef enum hb_status hb_bench_run_here(struct hb_bench_work *work, enum hb_bench_part part,
                                         int repeats, double *seconds);
hb_bench_run_here hb_bench_run_host, hb_bench_run_device;

#endif
