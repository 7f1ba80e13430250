/* SPDX-License-Identifier: BSD-3-Clause
 * Copy and triad on a device: times that can be, for whole tiles and odd ends; no memory kept, also
 * when there is not enough. */
#include <string.h>

#include "kernels/vectors/stream.h"
#include "tests/device_data.h"

static bool is_time(double seconds) { return seconds > 0.0 && seconds < INFINITY; }

/* hb_stream_device itself fails if the arrays do not hold what the passes must leave. */
static void check_counts(struct hb_check *check, struct hb_device *device) {
  const hb_global counts[] = {1, 2, 2047, 2048, 2049, 100003};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int passes = 1; passes <= 3; passes += 2) {
      double copy_s = (double)NAN, triad_s = (double)NAN;
      CHECK_OK(check, hb_stream_device(device, counts[i], passes, &copy_s, &triad_s));
      CHECK(check, is_time(copy_s));
      CHECK(check, is_time(triad_s));
      CHECK_EQUAL(check, hb_device_memory_use().live_allocations, 0);
    }
}

static void check_too_large(struct hb_check *check, struct hb_device *device) {
  struct hb_device_info info = {.memory_bytes = 0};
  double copy_s = 0.0, triad_s = 0.0;
  CHECK_OK(check, hb_device_info(device, &info));
  CHECK_FAILS(check, hb_stream_device(device, info.memory_bytes, 1, &copy_s, &triad_s),
              HB_MACHINE_FAILED, "bandwidth array");
  CHECK(check, !is_time(copy_s) && !is_time(triad_s));
  CHECK_EQUAL(check, hb_device_memory_use().live_allocations, 0);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  if (device != NULL) {
    check_counts(&check, device);
    check_too_large(&check, device);
  }
  CHECK(&check, !is_time(0.0) && !is_time(-1e-3) && !is_time(INFINITY) && !is_time((double)NAN));
  return hb_device_check_finish(&check, &device);
}
