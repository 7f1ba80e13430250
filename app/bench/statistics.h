/* SPDX-License-Identifier: BSD-3-Clause
 * Statistics of repeated measurements, and how many repeats one needs. */
#ifndef HB_APP_BENCH_STATISTICS_H
#define HB_APP_BENCH_STATISTICS_H

#include "kernels/base.h"

/* Of samples, seconds.  spread: the median less the least, as the tuner has it: one disturbed
 * sample does not count. */
struct hb_bench_statistics {
  double least, median, most, spread;
};

/* Sorts the samples, count >= 1.  All is NaN if one of them is NaN or negative. */
struct hb_bench_statistics hb_bench_statistics(int count, double *samples);

/* How often something that takes `one` seconds is done between two readings of the clock, so that
 * `samples` of them take `seconds` together; 1..most. */
int hb_bench_repeats(double seconds, int samples, double one, int most);

#endif
