/* SPDX-License-Identifier: BSD-3-Clause
 * Which ranks are slow by their own time: what they did themselves, not what they waited for.
 * Numbers in, numbers out: the report names them, and the check of the output file finds them anew.
 *
 * A rank is slow in
 *   kernel   if its application of the operator alone, without exchange, took longer
 *   work     if operator and vector work of the timed solves took longer, where that holds no waits
 *   copy     if it copies memory slower
 * by more than HB_SLOW_PART than the median over the ranks.  Of the first two both the seconds and
 * the seconds an element must be so: ranks with more elements take longer, and ranks with few do
 * not take shorter in proportion.  NaN is not known, and no part of a median. */
#ifndef HB_IO_SLOW_RANKS_H
#define HB_IO_SLOW_RANKS_H

#include "kernels/base.h"

#define HB_SLOW_PART 0.1

enum { HB_SLOW_KERNEL = 1, HB_SLOW_WORK = 2, HB_SLOW_COPY = 4 };

struct hb_rank_speed {
  hb_global elements;
  double kernel_s;         /* of one application to all of its elements */
  double work_s;           /* an iteration; NaN where waits cannot be told from work, as on a GPU */
  double copy_bytes_per_s; /* while all ranks copy */
};

struct hb_slow_medians {
  double kernel_s, kernel_element_s, work_s, work_element_s, copy_bytes_per_s; /* NaN: not known */
};

/* slow [count]: what each rank is slow in, as bits; 0: nothing. */
enum hb_status hb_slow_ranks_find(hb_global count, const struct hb_rank_speed *speeds, int *slow,
                                  struct hb_slow_medians *medians);

#endif
