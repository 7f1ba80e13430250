/* SPDX-License-Identifier: BSD-3-Clause
 * The measurement of a configuration: verify, warm up, samples of all parts in turn. */
#ifndef HB_APP_BENCH_MEASURE_H
#define HB_APP_BENCH_MEASURE_H

#include "app/bench/case.h"
#include "app/bench/results.h"
#include "app/bench/verify.h"

/* Collective.  Adds the configuration's rows to the results of rank 0, and to *num_wrong the parts
 * that are wrong, on all ranks.  Copy and triad are always measured: fractions are of them. */
enum hb_status hb_bench_measure(struct hb_bench_case *of, const struct hb_bench_options *options,
                                const struct hb_bench_place *place,
                                struct hb_bench_results *results, int *num_wrong);

#endif
