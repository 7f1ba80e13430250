/* SPDX-License-Identifier: BSD-3-Clause
 * Slow ranks are found by what they did themselves; those that wait for them are not. */
#include "io/slow_ranks.h"
#include "tests/check.h"

enum { RANKS = 5 };

static void level(struct hb_rank_speed *speeds) {
  for (int r = 0; r < RANKS; r++)
    speeds[r] = (struct hb_rank_speed){
        .elements = 64, .kernel_s = 1e-3, .work_s = 2e-3, .copy_bytes_per_s = 8.5e9};
}

/* Rank 2 is slow in `expected`, no other rank is in anything. */
static void check_one(struct hb_check *check, const struct hb_rank_speed *speeds, int expected) {
  struct hb_slow_medians medians;
  int slow[RANKS];
  CHECK_OK(check, hb_slow_ranks_find(RANKS, speeds, slow, &medians));
  for (int r = 0; r < RANKS; r++) CHECK_EQUAL(check, slow[r], r == 2 ? expected : 0);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_rank_speed speeds[RANKS];
  struct hb_slow_medians medians;
  int slow[RANKS];
  level(speeds);
  check_one(&check, speeds, 0);
  speeds[2].kernel_s = 1.09e-3; /* within ten per cent, and beyond */
  speeds[2].copy_bytes_per_s = 7.7e9;
  check_one(&check, speeds, 0);
  speeds[2].kernel_s = 1.11e-3;
  check_one(&check, speeds, HB_SLOW_KERNEL);
  speeds[2].work_s = 2.3e-3;
  speeds[2].copy_bytes_per_s = 0.8e9;
  check_one(&check, speeds, HB_SLOW_KERNEL | HB_SLOW_WORK | HB_SLOW_COPY);
  level(speeds);
  speeds[2].elements = 128; /* twice the work in twice the time */
  speeds[2].kernel_s *= 2.0;
  speeds[2].work_s *= 2.0;
  check_one(&check, speeds, 0);
  speeds[2].kernel_s *= 1.2;
  check_one(&check, speeds, HB_SLOW_KERNEL);
  level(speeds);
  speeds[2].elements = 32; /* half the work in the same time: a launch takes as long */
  check_one(&check, speeds, 0);
  level(speeds);
  speeds[0].elements = 0; /* has nothing to do, and counts in no median */
  speeds[0].kernel_s = speeds[0].work_s = 0.0;
  speeds[1].kernel_s = speeds[1].work_s = (double)NAN; /* not known */
  speeds[2].work_s = 9.0;
  check_one(&check, speeds, HB_SLOW_WORK);
  CHECK_OK(&check, hb_slow_ranks_find(RANKS, speeds, slow, &medians));
  CHECK_NEAR(&check, medians.kernel_element_s, 1e-3 / 64, 1e-18);
  CHECK_NEAR(&check, medians.copy_bytes_per_s, 8.5e9, 1.0);
  for (int r = 0; r < RANKS; r++) speeds[r].work_s = (double)NAN; /* as on GPUs */
  check_one(&check, speeds, 0);
  CHECK_OK(&check, hb_slow_ranks_find(RANKS, speeds, slow, &medians));
  CHECK(&check, isnan(medians.work_s));
  CHECK_OK(&check, hb_slow_ranks_find(1, &speeds[2], slow, &medians)); /* alone */
  CHECK_EQUAL(&check, slow[0], 0);
  level(speeds); /* two: the median is between them */
  speeds[1].copy_bytes_per_s = 0.8e9;
  CHECK_OK(&check, hb_slow_ranks_find(2, speeds, slow, &medians));
  CHECK_EQUAL(&check, slow[0], 0);
  CHECK_EQUAL(&check, slow[1], HB_SLOW_COPY);
  return hb_check_finish(&check);
}
