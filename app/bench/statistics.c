/* SPDX-License-Identifier: BSD-3-Clause
 * Least, median, most. */
#include "app/bench/statistics.h"

#include <math.h>

struct hb_bench_statistics hb_bench_statistics(int count, double *samples) {
  bool all = true;
  for (int i = 0; i < count; i++) all = all && samples[i] >= 0.0;
  if (!all) return (struct hb_bench_statistics){NAN, NAN, NAN, NAN};
  const double median = hb_sort_median(count, samples);
  return (struct hb_bench_statistics){samples[0], median, samples[count - 1], median - samples[0]};
}

int hb_bench_repeats(double seconds, int samples, double one, int most) {
  if (!(seconds > 0.0)) return 1;
  if (!(one > 0.0)) return most;
  const double wanted = ceil(seconds / samples / one);
  return wanted < 1.0 ? 1 : wanted < most ? (int)wanted : most;
}
