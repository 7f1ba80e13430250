/* SPDX-License-Identifier: BSD-3-Clause
 * Every table of vector passes against plain loops in double: all counts around a vector's length,
 * all splits into owned and surface, aligned or not, with and without a preconditioner. */
#include <string.h>

#include "kernels/vectors/vector_ops.h"
#include "tests/check.h"
#include "tests/kernel_data.h"

enum { MAX_COUNT = 1000, OFFSET_MAX = 1, GUARD = 17, ROOM = MAX_COUNT + OFFSET_MAX + GUARD };
static const double ALPHA = 0.7, BETA = -0.3;

/* Arrays of the precision, before and after a call; the passes get them `offset` entries in. */
enum { W, R, P, X, DINV, NUM_ARRAYS };
static struct data {
  const struct hb_vector_ops *ops;
  enum hb_precision p;
  int offset;
  double eps;
  _Alignas(64) double before[NUM_ARRAYS][ROOM]; /* or floats, in the first half */
  _Alignas(64) double after[NUM_ARRAYS][ROOM];
} d;

static void *array(int which) {
  return (char *)d.after[which] + (size_t)d.offset * hb_precision_bytes(d.p);
}
static double old(int which, hb_local i) { return hb_real_at(d.p, d.before[which], d.offset + i); }
static double now(int which, hb_local i) { return hb_real_at(d.p, d.after[which], d.offset + i); }

static void reset(uint64_t seed) {
  struct hb_random random = {seed};
  for (int which = 0; which < NUM_ARRAYS; which++)
    for (int i = 0; i < ROOM; i++)
      hb_real_set(d.p, d.before[which], i,
                  which == DINV ? 1.5 + hb_random_value(&random) : hb_random_value(&random));
  memcpy(d.after, d.before, sizeof d.after);
}

/* Entries [begin, end) of an array are bitwise as before; so is everything before and behind. */
static bool unchanged(int which, hb_local begin, hb_local end) {
  const size_t size = hb_precision_bytes(d.p);
  const size_t from = (size_t)(d.offset + begin) * size, to = (size_t)(d.offset + end) * size;
  return hb_same_bits((char *)d.before[which] + from, (char *)d.after[which] + from, to - from);
}
static bool kept_outside(int which, hb_local count) {
  return unchanged(which, -d.offset, 0) && unchanged(which, count, ROOM - d.offset);
}

/* The tables convert alpha and beta to their precision first; an entry is then rounded once or
 * twice: two units of the magnitudes. */
static double alpha(void) { return hb_round_to(d.p, ALPHA); }
static double beta(void) { return hb_round_to(d.p, BETA); }

/* Sums of `count` products in double. */
static double sum_bound(hb_local count, double magnitude) {
  return hb_precision_epsilon(HB_F64) * (count + 2) * magnitude;
}

static void check_update_residual(struct hb_check *check, hb_local count, hb_local owned,
                                  hb_local surface_start, bool with_dinv) {
  double sums[2] = {NAN, NAN}, again[2] = {NAN, NAN}, rr = 0.0, rz = 0.0, size = 0.0;
  const void *dinv = with_dinv ? array(DINV) : NULL;
  long wrong = 0;
  d.ops->update_residual(count, owned, surface_start, ALPHA, dinv, array(W), array(R), sums);
  for (hb_local i = 0; i < count; i++) {
    const double expected = old(R, i) - alpha() * old(W, i), r = now(R, i);
    const double bound = 2.0 * d.eps * (fabs(old(R, i)) + fabs(alpha() * old(W, i)));
    if (!(fabs(r - expected) <= bound)) wrong++;
    if (i >= surface_start && now(W, i) != 0.0) wrong++;
    if (i >= owned) continue;
    rr += r * r;
    rz += r * r * (with_dinv ? old(DINV, i) : 1.0);
    size += r * r * (with_dinv ? fabs(old(DINV, i)) : 1.0);
  }
  CHECK_EQUAL(check, wrong, 0);
  CHECK(check, unchanged(W, 0, surface_start) && kept_outside(W, count));
  CHECK(check, kept_outside(R, count) && unchanged(DINV, -d.offset, ROOM - d.offset));
  /* z = dinv r is rounded to the precision before it enters the sum. */
  CHECK_NEAR(check, sums[0], rr, sum_bound(owned, rr));
  CHECK_NEAR(check, sums[1], rz, sum_bound(owned, size) + (with_dinv ? d.eps : 0.0) * size);
  double first[ROOM];
  memcpy(first, d.after[R], sizeof first);
  memcpy(d.after, d.before, sizeof d.after);
  d.ops->update_residual(count, owned, surface_start, ALPHA, dinv, array(W), array(R), again);
  CHECK(check, hb_same_bits(sums, again, sizeof sums));
  CHECK(check, hb_same_bits(first, d.after[R], sizeof first));
}

static void check_update_direction(struct hb_check *check, hb_local count, bool with_dinv) {
  const void *dinv = with_dinv ? array(DINV) : NULL;
  long wrong = 0;
  d.ops->update_direction(count, ALPHA, BETA, dinv, array(R), array(P), array(X));
  for (hb_local i = 0; i < count; i++) {
    const double z = old(R, i) * (with_dinv ? old(DINV, i) : 1.0), p = old(P, i);
    const double x_bound = 2.0 * d.eps * (fabs(old(X, i)) + fabs(alpha() * p));
    const double p_bound = 2.0 * d.eps * (fabs(z) + fabs(beta() * p));
    if (!(fabs(now(X, i) - (old(X, i) + alpha() * p)) <= x_bound)) wrong++;
    if (!(fabs(now(P, i) - (z + beta() * p)) <= p_bound)) wrong++;
  }
  CHECK_EQUAL(check, wrong, 0);
  CHECK(check, kept_outside(X, count) && kept_outside(P, count));
  CHECK(check, unchanged(R, -d.offset, ROOM - d.offset));
  CHECK(check, unchanged(DINV, -d.offset, ROOM - d.offset));
}

static void check_add_scaled(struct hb_check *check, hb_local count) {
  long wrong = 0;
  d.ops->add_scaled(count, ALPHA, array(P), array(X));
  for (hb_local i = 0; i < count; i++) {
    const double expected = old(X, i) + alpha() * old(P, i);
    const double bound = 2.0 * d.eps * (fabs(old(X, i)) + fabs(alpha() * old(P, i)));
    if (!(fabs(now(X, i) - expected) <= bound)) wrong++;
  }
  CHECK_EQUAL(check, wrong, 0);
  CHECK(check, kept_outside(X, count) && unchanged(P, -d.offset, ROOM - d.offset));
}

static void check_sums(struct hb_check *check, hb_local owned) {
  double sums[2] = {NAN, NAN}, again[2] = {NAN, NAN}, expected[2] = {0.0, 0.0};
  double product = 0.0, size = 0.0;
  const double dot = d.ops->dot(owned, array(P), array(X));
  const double dot_again = d.ops->dot(owned, array(P), array(X));
  for (hb_local i = 0; i < owned; i++) {
    const double residual = old(X, i) - old(W, i), drift = residual - old(R, i);
    product += old(P, i) * old(X, i);
    size += fabs(old(P, i) * old(X, i));
    expected[0] += residual * residual;
    expected[1] += drift * drift;
  }
  CHECK_NEAR(check, dot, product, sum_bound(owned, size));
  CHECK(check, hb_same_bits(&dot, &dot_again, sizeof dot));
  d.ops->compare_residual(owned, array(X), array(W), array(R), sums);
  d.ops->compare_residual(owned, array(X), array(W), array(R), again);
  for (int q = 0; q < 2; q++) /* differences of numbers below 1, squared: rounded a few times */
    CHECK_NEAR(check, sums[q], expected[q],
               sum_bound(owned, expected[q]) + 8.0 * hb_precision_epsilon(HB_F64) * owned);
  CHECK(check, hb_same_bits(sums, again, sizeof sums));
  for (int which = 0; which < NUM_ARRAYS; which++)
    CHECK(check, unchanged(which, -d.offset, ROOM - d.offset));
}

static void check_conversions(struct hb_check *check, hb_local count) {
  static double wide[ROOM], back[ROOM];
  struct hb_random random = {5};
  long wrong = 0;
  for (int i = 0; i < ROOM; i++) {
    wide[i] = hb_random_value(&random);
    back[i] = HB_SENTINEL;
  }
  d.ops->from_double(count, wide, array(X));
  d.ops->to_double(count, array(P), back);
  d.ops->invert(count, array(DINV));
  for (hb_local i = 0; i < count; i++) {
    if (now(X, i) != hb_round_to(d.p, wide[i])) wrong++;
    if (back[i] != old(P, i)) wrong++;
    if (now(DINV, i) != hb_round_to(d.p, 1.0 / old(DINV, i))) wrong++;
  }
  for (int i = count; i < ROOM; i++)
    if (back[i] != HB_SENTINEL) wrong++;
  CHECK_EQUAL(check, wrong, 0);
  CHECK(check, kept_outside(X, count) && kept_outside(DINV, count));
  CHECK(check, unchanged(P, -d.offset, ROOM - d.offset));
}

/* Every third entry from the end, in no order that a loop would take. */
static void check_set_at(struct hb_check *check, hb_local count) {
  hb_local index[MAX_COUNT] = {0}, chosen = 0;
  long wrong = 0;
  for (hb_local i = count - 1; i >= 0; i -= 3) index[chosen++] = i;
  d.ops->set_at(chosen, index, ALPHA, array(W));
  for (hb_local i = 0; i < count; i++)
    if (now(W, i) != ((count - 1 - i) % 3 == 0 ? alpha() : old(W, i))) wrong++;
  CHECK_EQUAL(check, wrong, 0);
  CHECK(check, kept_outside(W, count));
}

/* Zero, all and all but one owned; the surface from the start, the end and in between. */
static void check_count(struct hb_check *check, hb_local count) {
  const hb_local owned[] = {count, count - count / 3, count > 0 ? count - 1 : 0, count / 2, 0};
  for (size_t q = 0; q < sizeof owned / sizeof *owned; q++) {
    const hb_local starts[] = {0, owned[q] / 3, owned[q] > 0 ? owned[q] - 1 : 0, owned[q]};
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
      for (int with_dinv = 0; with_dinv < 2; with_dinv++) {
        reset((uint64_t)count);
        check_update_residual(check, count, owned[q], starts[s], with_dinv == 1);
      }
    reset((uint64_t)count);
    check_sums(check, owned[q]);
  }
  for (int with_dinv = 0; with_dinv < 2; with_dinv++) {
    reset((uint64_t)count);
    check_update_direction(check, count, with_dinv == 1);
  }
  reset((uint64_t)count);
  check_add_scaled(check, count);
  reset((uint64_t)count);
  check_conversions(check, count);
  reset((uint64_t)count);
  check_set_at(check, count);
}

int main(void) {
  struct hb_check check = {0, 0};
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
    if (variant->backend != HB_BACKEND_HOST || !hb_host_isa_runs(variant->isa)) continue;
    for (int p = HB_F64; p <= HB_F32; p++)
      for (d.offset = 0; d.offset <= OFFSET_MAX; d.offset++) {
        d.ops = hb_vector_ops_for(variant->isa, (enum hb_precision)p);
        d.p = (enum hb_precision)p;
        d.eps = hb_precision_epsilon(d.p);
        for (hb_local count = 0; count <= 2 * HB_MAX_LANES + 3; count++) check_count(&check, count);
        check_count(&check, MAX_COUNT);
      }
  }
  return hb_check_finish(&check);
}
