/* SPDX-License-Identifier: BSD-3-Clause
 * Passes over vectors on a device against sums in long double: y + alpha x, the two dot products,
 * the sum of partial sums; counts around the sizes of waves, blocks and tiles; bitwise repeatable.
 */
#include "kernels/vectors/assembly.h"

#include <string.h>

#include "tests/device_data.h"

static const hb_local COUNTS[] = {0, 1, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 4099, 20000};
enum { NUM_COUNTS = sizeof COUNTS / sizeof *COUNTS, MOST_COMPONENTS = 3 };

static void fill_random(enum hb_precision precision, const struct hb_mirror *mirror,
                        hb_global count, uint64_t seed) {
  struct hb_random random = {seed};
  hb_fill(precision, mirror->h, mirror->count, HB_SENTINEL);
  for (hb_global i = 0; i < count; i++)
    hb_real_set(precision, mirror->h, i, hb_random_value(&random));
}

/* Entries of y that are wrong: a product and a sum, rounded each; nothing behind them written. */
static long count_wrong(enum hb_precision p, hb_local count, double alpha,
                        const struct hb_mirror *x, const struct hb_mirror *y, const void *y_old) {
  long wrong = 0;
  for (hb_global i = 0; i < y->count; i++) {
    const double old = hb_real_at(p, y_old, i), step = alpha * hb_real_at(p, x->h, i);
    const double bound = 2.0 * hb_precision_epsilon(p) * (fabs(old) + fabs(step));
    const double value = hb_real_at(p, y->h, i);
    if (i < count ? !(fabs(value - (old + step)) <= bound) : value != HB_SENTINEL) wrong++;
  }
  return wrong;
}

static void check_add_scaled(struct hb_check *check, struct hb_device *device, enum hb_precision p,
                             hb_local count) {
  enum hb_status status = HB_OK;
  const double alpha = -0.8125; /* exact in both precisions */
  struct hb_mirror x = {0, 0, NULL, NULL}, y = {0, 0, NULL, NULL};
  void *y_old = NULL;
  HB_TRY(hb_mirror_init(device, count + HB_GUARD, hb_precision_bytes(p), &x));
  HB_TRY(hb_mirror_init(device, count + HB_GUARD, hb_precision_bytes(p), &y));
  HB_ALLOC(y_old, y.bytes, "test");
  fill_random(p, &x, count, 1);
  fill_random(p, &y, count, 2);
  memcpy(y_old, y.h, (size_t)y.bytes);
  HB_TRY(hb_mirror_upload(device, &x));
  HB_TRY(hb_mirror_upload(device, &y));
  HB_TRY(p == HB_F64 ? hb_device_add_scaled_f64(device, count, alpha, x.d, y.d)
                     : hb_device_add_scaled_f32(device, count, alpha, x.d, y.d));
  HB_TRY(hb_mirror_download(device, &y));
  CHECK_EQUAL(check, count_wrong(p, count, alpha, &x, &y, y_old), 0);
  if (count > 0) { /* planted: one entry of the last block wrong by a little */
    hb_real_set(p, x.h, count - 1, hb_real_at(p, x.h, count - 1) + 16.0 * hb_precision_epsilon(p));
    CHECK_EQUAL(check, count_wrong(p, count, alpha, &x, &y, y_old), 1);
  }
done:
  CHECK_EQUAL(check, status, HB_OK);
  hb_mirror_free(device, &x);
  hb_mirror_free(device, &y);
  hb_free(y_old);
}

/* Partial sums of the dot products into poison, from pair HB_FIRST_PARTIAL on. */
static enum hb_status run_dots(struct hb_device *device, enum hb_precision p, hb_local count,
                               const void *dinv, const struct hb_mirror *r,
                               const struct hb_mirror *partials, hb_local *num_partials) {
  enum hb_status status = HB_OK;
  *num_partials = HB_FIRST_PARTIAL;
  hb_fill(HB_F64, partials->h, partials->count, (double)NAN);
  HB_TRY(hb_mirror_upload(device, partials));
  HB_TRY(p == HB_F64 ? hb_device_dots_f64(device, count, dinv, r->d, partials->d, num_partials)
                     : hb_device_dots_f32(device, count, dinv, r->d, partials->d, num_partials));
  HB_TRY(hb_mirror_download(device, partials));
done:
  return status;
}

/* As in device_assembly.c: products in double, dinv r rounded to the precision. */
static void check_sums(struct hb_check *check, enum hb_precision p, hb_local count,
                       const struct hb_mirror *dinv, const struct hb_mirror *r,
                       const double sums[2]) {
  long double rr = 0, rz = 0;
  for (hb_local i = 0; i < count; i++) {
    const long double value = hb_real_at(p, r->h, i);
    rr += value * value;
    rz += value * value * (dinv != NULL ? hb_real_at(p, dinv->h, i) : 1.0);
  }
  const double bound = ((double)count + 2.0) * hb_precision_epsilon(HB_F64) * (double)rr;
  CHECK_NEAR(check, sums[0], (double)rr, bound);
  CHECK_NEAR(check, sums[1], (double)rz, bound + hb_precision_epsilon(p) * (double)rr);
}

static void check_dots(struct hb_check *check, struct hb_device *device, enum hb_precision p,
                       hb_local count, bool with_dinv) {
  enum hb_status status = HB_OK;
  struct hb_mirror r = {0, 0, NULL, NULL}, dinv = {0, 0, NULL, NULL};
  struct hb_mirror partials = {0, 0, NULL, NULL};
  double *again = NULL, *sums = NULL;
  hb_local num_partials = 0;
  HB_TRY(hb_mirror_init(device, count + HB_GUARD, hb_precision_bytes(p), &r));
  HB_TRY(hb_mirror_init(device, count + HB_GUARD, hb_precision_bytes(p), &dinv));
  HB_TRY(hb_mirror_init(device, 2 * (HB_FIRST_PARTIAL + HB_ASSEMBLY_PARTIALS), sizeof(double),
                        &partials));
  HB_ALLOC(again, partials.count, "test");
  sums = hb_pinned_allocate(device, 2, sizeof *sums, "test");
  if (sums == NULL) HB_TRY(HB_MACHINE_FAILED);
  fill_random(p, &r, count, 3);
  fill_random(p, &dinv, count, 4);
  HB_TRY(hb_mirror_upload(device, &r));
  HB_TRY(hb_mirror_upload(device, &dinv));
  HB_TRY(run_dots(device, p, count, with_dinv ? dinv.d : NULL, &r, &partials, &num_partials));
  memcpy(again, partials.h, (size_t)partials.bytes);
  HB_TRY(run_dots(device, p, count, with_dinv ? dinv.d : NULL, &r, &partials, &num_partials));
  CHECK(check, hb_same_bits(again, partials.h, (size_t)partials.bytes));
  CHECK(check, num_partials - HB_FIRST_PARTIAL <= HB_ASSEMBLY_PARTIALS);
  long outside = 0;
  for (hb_global i = 0; i < partials.count; i++)
    outside += (i < 2 * HB_FIRST_PARTIAL || i >= 2 * num_partials) && !isnan(again[i]);
  CHECK_EQUAL(check, outside, 0);
  sums[0] = sums[1] = (double)NAN;
  HB_TRY(hb_device_reduce(device, num_partials - HB_FIRST_PARTIAL, 2,
                          (const double *)partials.d + 2 * HB_FIRST_PARTIAL, sums));
  HB_TRY(hb_device_synchronise(device, HB_STREAM_COMPUTE));
  check_sums(check, p, count, with_dinv ? &dinv : NULL, &r, sums);
done:
  CHECK_EQUAL(check, status, HB_OK);
  hb_mirror_free(device, &r);
  hb_mirror_free(device, &dinv);
  hb_mirror_free(device, &partials);
  hb_pinned_free(device, sums);
  hb_free(again);
}

/* One iteration's steps from sums that are what they are given; the record and the step after. */
struct steps {
  double p_dot_w, rr, rz; /* given */
  struct hb_device_step_record record;
  struct hb_device_step step;
};

static enum hb_status run_steps(struct hb_device *device, const struct hb_device_step *limits,
                                int iterations, struct steps *steps) {
  enum hb_status status = HB_OK;
  const double sums[3] = {steps->p_dot_w, steps->rr, steps->rz};
  double *d_sums = hb_device_allocate(device, 3, sizeof *d_sums, "test");
  struct hb_device_step *d_step = hb_device_allocate(device, 1, sizeof *d_step, "test");
  struct hb_device_step_record *records = hb_pinned_allocate(device, 2, sizeof *records, "test");
  const struct hb_device_steps at = {.d_step = d_step, .records = records, .num_records = 2};
  if (d_sums == NULL || d_step == NULL || records == NULL) HB_TRY(HB_MACHINE_FAILED);
  memset(records, 0, 2 * sizeof *records);
  HB_TRY(hb_device_upload(device, d_sums, sums, (hb_global)sizeof sums));
  HB_TRY(hb_device_step_begin(device, limits->rz, limits->goal, limits->nothing, limits->limit,
                              d_step));
  for (int i = 0; i < iterations; i++) {
    HB_TRY(hb_device_step_direction(device, 1, d_sums, &at));
    HB_TRY(hb_device_step_residual(device, 1, d_sums + 1, &at));
  }
  HB_TRY(hb_device_download(device, &steps->step, d_step, (hb_global)sizeof steps->step));
  steps->record = records[0];
done:
  hb_device_free(device, d_sums);
  hb_device_free(device, d_step);
  hb_pinned_free(device, records);
  return status;
}

/* alpha and beta as the host divides; a p.Ap that is not positive and finite stops before the
 * residual, a goal, a limit or a sum that is no number after it. */
static void check_steps(struct hb_check *check, struct hb_device *device) {
  const double nan_value = (double)NAN, infinite = (double)INFINITY;
  const struct hb_device_step limits = {.rz = 2.1, .goal = 1e-3, .nothing = 1e-9, .limit = 5};
  const struct {
    double p_dot_w, rr, rz;
    int iteration, stopped, passes;
  } cases[] = {{7.3, 0.5, 0.7, 1, 0, 1},      {1e-300, 0.5, 0.7, 1, 0, 1},
               {0.0, 0.5, 0.7, 0, 1, 1},      {-2.0, 0.5, 0.7, 0, 1, 1},
               {infinite, 0.5, 0.7, 0, 1, 1}, {nan_value, 0.5, 0.7, 0, 1, 1},
               {7.3, 1e-3, 0.7, 1, 1, 1},     {7.3, 1.001e-3, 0.7, 1, 0, 1},
               {7.3, infinite, 0.7, 1, 1, 1}, {7.3, nan_value, 0.7, 1, 1, 1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct steps steps = {.p_dot_w = cases[c].p_dot_w, .rr = cases[c].rr, .rz = cases[c].rz};
    CHECK_OK(check, run_steps(device, &limits, 1, &steps));
    const bool steps_on = cases[c].iteration > 0;
    const double alpha = steps_on ? limits.rz / cases[c].p_dot_w : 0.0;
    CHECK(check, steps.step.alpha == alpha && steps.record.alpha == alpha);
    CHECK(check, steps.step.beta == (steps_on ? cases[c].rz / limits.rz : 0.0));
    CHECK(check, steps.step.rz == (steps_on ? cases[c].rz : limits.rz));
    CHECK_EQUAL(check, steps.step.iteration, cases[c].iteration);
    CHECK_EQUAL(check, steps.step.stopped, cases[c].stopped);
    CHECK_EQUAL(check, steps.step.passes, cases[c].passes);
    CHECK_EQUAL(check, steps.record.number, 1);
    CHECK(check, steps.record.p_dot_w == cases[c].p_dot_w ||
                     (isnan(steps.record.p_dot_w) && isnan(cases[c].p_dot_w)));
    if (steps_on)
      CHECK(check, steps.record.rz == cases[c].rz &&
                       (steps.record.rr == cases[c].rr || isnan(cases[c].rr)));
  }
  struct steps more = {.p_dot_w = 7.3, .rr = 0.5, .rz = 0.7};
  CHECK_OK(check, run_steps(device, &limits, 8, &more)); /* stays where it stopped */
  CHECK_EQUAL(check, more.step.iteration, 5);
  CHECK_EQUAL(check, more.step.passes, 5);
  CHECK_EQUAL(check, more.record.number, 5);
  const struct hb_device_step open = {.rz = 2.1, .goal = 0.0, .nothing = 0.5, .limit = 5};
  CHECK_OK(check, run_steps(device, &open, 1, &more)); /* goal 0 is none, nothing counts */
  CHECK_EQUAL(check, more.step.stopped, 1);
}

/* Sums of `count` terms each against long double; a term left out is seen. */
static void check_reduce(struct hb_check *check, struct hb_device *device, hb_local count,
                         int components) {
  enum hb_status status = HB_OK;
  struct hb_mirror partials = {0, 0, NULL, NULL};
  double *sums = NULL, first[MOST_COMPONENTS];
  const hb_global terms = (hb_global)count * components;
  HB_TRY(hb_mirror_init(device, terms + HB_GUARD, sizeof(double), &partials));
  sums = hb_pinned_allocate(device, MOST_COMPONENTS + 1, sizeof *sums, "test");
  if (sums == NULL) HB_TRY(HB_MACHINE_FAILED);
  fill_random(HB_F64, &partials, terms, 5);
  const double *values = partials.h;
  HB_TRY(hb_mirror_upload(device, &partials));
  for (int repeat = 0; repeat < 2; repeat++) {
    for (int c = 0; c <= MOST_COMPONENTS; c++) sums[c] = c < components ? (double)NAN : HB_SENTINEL;
    HB_TRY(hb_device_reduce(device, count, components, partials.d, sums));
    HB_TRY(hb_device_synchronise(device, HB_STREAM_COMPUTE));
    if (repeat == 0) memcpy(first, sums, sizeof first);
  }
  CHECK(check, hb_same_bits(first, sums, sizeof first));
  for (int c = 0; c <= MOST_COMPONENTS; c++) {
    long double expected = 0, size = 0;
    for (hb_local i = 0; i < count && c < components; i++) {
      expected += values[(hb_global)i * components + c];
      size += fabs(values[(hb_global)i * components + c]);
    }
    const double bound = (double)count * hb_precision_epsilon(HB_F64) * (double)size;
    if (c >= components)
      CHECK(check, sums[c] == HB_SENTINEL);
    else
      CHECK_NEAR(check, sums[c], (double)expected, bound);
    if (c < components && count > 0) /* planted: without the last term */
      CHECK(check, !(fabs(sums[c] - (double)expected + values[terms - components + c]) <= bound));
  }
done:
  CHECK_EQUAL(check, status, HB_OK);
  hb_mirror_free(device, &partials);
  hb_pinned_free(device, sums);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  for (int i = 0; i < NUM_COUNTS && device != NULL; i++) {
    for (int p = HB_F64; p <= HB_F32; p++) {
      check_add_scaled(&check, device, (enum hb_precision)p, COUNTS[i]);
      check_dots(&check, device, (enum hb_precision)p, COUNTS[i], false);
      check_dots(&check, device, (enum hb_precision)p, COUNTS[i], true);
    }
    for (int components = 1; components <= MOST_COMPONENTS; components++)
      check_reduce(&check, device, COUNTS[i], components);
  }
  if (device != NULL) check_steps(&check, device);
  return hb_device_check_finish(&check, &device);
}
