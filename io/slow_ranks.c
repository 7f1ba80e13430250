/* SPDX-License-Identifier: BSD-3-Clause
 * Ranks against the median of the ranks. */
#include "io/slow_ranks.h"

#include <math.h>

/* One of the numbers of a rank. */
enum number { KERNEL, KERNEL_ELEMENT, WORK, WORK_ELEMENT, COPY };

static double number_of(const struct hb_rank_speed *speed, enum number number) {
  const double elements = speed->elements > 0 ? (double)speed->elements : (double)NAN;
  switch (number) {
  case KERNEL: return elements > 0.0 ? speed->kernel_s : (double)NAN;
  case KERNEL_ELEMENT: return speed->kernel_s / elements;
  case WORK: return elements > 0.0 ? speed->work_s : (double)NAN;
  case WORK_ELEMENT: return speed->work_s / elements;
  default: return speed->copy_bytes_per_s;
  }
}

static double median(hb_global count, const struct hb_rank_speed *speeds, enum number number,
                     double *room) {
  hb_global known = 0;
  for (hb_global rank = 0; rank < count; rank++) {
    room[known] = number_of(&speeds[rank], number);
    if (isfinite(room[known])) known++;
  }
  return known > 0 ? hb_sort_median(known, room) : (double)NAN;
}

static int judge(const struct hb_rank_speed *speed, const struct hb_slow_medians *than) {
  const double most = 1.0 + HB_SLOW_PART, least = 1.0 - HB_SLOW_PART;
  int slow = 0;
  if (number_of(speed, KERNEL) > most * than->kernel_s &&
      number_of(speed, KERNEL_ELEMENT) > most * than->kernel_element_s)
    slow |= HB_SLOW_KERNEL;
  if (number_of(speed, WORK) > most * than->work_s &&
      number_of(speed, WORK_ELEMENT) > most * than->work_element_s)
    slow |= HB_SLOW_WORK;
  if (number_of(speed, COPY) < least * than->copy_bytes_per_s) slow |= HB_SLOW_COPY;
  return slow;
}

enum hb_status hb_slow_ranks_find(hb_global count, const struct hb_rank_speed *speeds, int *slow,
                                  struct hb_slow_medians *medians) {
  enum hb_status status = HB_OK;
  double *room = NULL;
  HB_ALLOC(room, count, "numbers of ranks");
  *medians =
      (struct hb_slow_medians){.kernel_s = median(count, speeds, KERNEL, room),
                               .kernel_element_s = median(count, speeds, KERNEL_ELEMENT, room),
                               .work_s = median(count, speeds, WORK, room),
                               .work_element_s = median(count, speeds, WORK_ELEMENT, room),
                               .copy_bytes_per_s = median(count, speeds, COPY, room)};
  for (hb_global rank = 0; rank < count; rank++) slow[rank] = judge(&speeds[rank], medians);
done:
  hb_free(room);
  return status;
}
