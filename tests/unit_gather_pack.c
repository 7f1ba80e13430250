/* SPDX-License-Identifier: BSD-3-Clause
 * Packing by index, and sums in exactly the order given: numbers whose sum depends on it. */
#include <string.h>

#include "kernels/vectors/gather_pack.h"
#include "tests/check.h"
#include "tests/kernel_data.h"

enum { COUNT = 1000, VALUES = 700, SUMS = 300, MAX_PARTS = 8 };

static void pack(enum hb_precision p, hb_local count, const hb_local *index, const void *values,
                 void *buffer) {
  if (p == HB_F64)
    hb_gather_pack_f64(count, index, values, buffer);
  else
    hb_gather_pack_f32(count, index, values, buffer);
}

static void sum(enum hb_precision p, hb_local count, const hb_local *start, const hb_local *source,
                const void *received, void *shared) {
  if (p == HB_F64)
    hb_gather_sum_f64(count, start, source, received, shared);
  else
    hb_gather_sum_f32(count, start, source, received, shared);
}

static void check_pack(struct hb_check *check, enum hb_precision p) {
  struct hb_random random = {7};
  hb_local index[COUNT];
  double values[VALUES], buffer[COUNT + 1]; /* or floats */
  for (int i = 0; i < VALUES; i++) hb_real_set(p, values, i, hb_random_value(&random));
  for (int s = 0; s < COUNT; s++) index[s] = (hb_local)(hb_random_bits(&random) % VALUES);
  hb_fill(p, buffer, COUNT + 1, HB_SENTINEL);
  pack(p, 0, index, values, buffer);
  CHECK(check, hb_real_at(p, buffer, 0) == HB_SENTINEL);
  pack(p, COUNT, index, values, buffer);
  for (int s = 0; s < COUNT; s++)
    CHECK(check, hb_real_at(p, buffer, s) == hb_real_at(p, values, index[s]));
  CHECK(check, hb_real_at(p, buffer, COUNT) == HB_SENTINEL);
}

/* 1 is lost beside `big`, so each order of big, 1, -big has its own sum. */
static void check_known_order(struct hb_check *check, enum hb_precision p) {
  const double big = p == HB_F64 ? 0x1p60 : 0x1p30;
  const hb_local start[] = {0, 3, 6, 9, 10, 11, 11};
  const hb_local source[] = {0, -1, 1, 0, 1, -1, -1, 0, 1, -1, 2};
  const double expected[] = {0.0, 1.0, 0.0, 1.0, 5.0, 0.0};
  double received[3], shared[7];
  hb_real_set(p, received, 0, big);
  hb_real_set(p, received, 1, -big);
  hb_real_set(p, received, 2, 5.0);
  hb_fill(p, shared, 7, 1.0);
  sum(p, 0, start, source, received, shared);
  CHECK(check, hb_real_at(p, shared, 0) == 1.0);
  sum(p, 6, start, source, received, shared);
  for (int s = 0; s < 6; s++) CHECK(check, hb_real_at(p, shared, s) == expected[s]);
  CHECK(check, hb_real_at(p, shared, 6) == 1.0);
}

/* Random numbers of all sizes against a plain loop in the precision, bitwise; and the reverse order
 * must differ somewhere, or the check says nothing. */
static void check_random_order(struct hb_check *check, enum hb_precision p) {
  struct hb_random random = {8};
  hb_local start[SUMS + 1] = {0}, source[SUMS * MAX_PARTS];
  double received[SUMS * MAX_PARTS], shared[SUMS], own[SUMS];
  int order_matters = 0;
  for (int s = 0; s < SUMS; s++) {
    const hb_local parts = 1 + (hb_local)(hb_random_bits(&random) % MAX_PARTS);
    const hb_local place = start[s] + (hb_local)(hb_random_bits(&random) % (uint64_t)parts);
    start[s + 1] = start[s] + parts;
    hb_real_set(p, shared, s, hb_random_value(&random));
    hb_real_set(p, own, s, hb_real_at(p, shared, s));
    for (hb_local q = start[s]; q < start[s + 1]; q++) source[q] = q == place ? -1 : q;
  }
  for (int q = 0; q < SUMS * MAX_PARTS; q++)
    hb_real_set(p, received, q,
                ldexp(hb_random_value(&random), (int)(hb_random_bits(&random) % 24) - 12));
  sum(p, SUMS, start, source, received, shared);
  for (int s = 0; s < SUMS; s++) {
    double forth = 0.0, back = 0.0;
    for (hb_local q = start[s]; q < start[s + 1]; q++)
      forth = hb_round_to(
          p, forth + (source[q] < 0 ? hb_real_at(p, own, s) : hb_real_at(p, received, source[q])));
    for (hb_local q = start[s + 1] - 1; q >= start[s]; q--)
      back = hb_round_to(
          p, back + (source[q] < 0 ? hb_real_at(p, own, s) : hb_real_at(p, received, source[q])));
    CHECK(check, hb_real_at(p, shared, s) == forth);
    if (back != forth) order_matters++;
  }
  CHECK(check, order_matters > SUMS / 10);
}

int main(void) {
  struct hb_check check = {0, 0};
  for (int p = HB_F64; p <= HB_F32; p++) {
    check_pack(&check, (enum hb_precision)p);
    check_known_order(&check, (enum hb_precision)p);
    check_random_order(&check, (enum hb_precision)p);
  }
  return hb_check_finish(&check);
}
