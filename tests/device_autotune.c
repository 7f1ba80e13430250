/* SPDX-License-Identifier: BSD-3-Clause
 * The tuner: right candidates are verified and timed; wrong ones, though they be faster, and
 * failing ones never win; ties go to the simpler. */
#include "kernels/tune/autotune.h"
#include "tests/device_data.h"

enum { TIMED_ELEMENTS = 6, MAX_PLANTED = 8 };

static struct hb_autotune request_of(struct hb_device *device, const struct hb_gll *gll,
                                     enum hb_tuned_operator operator_kind,
                                     enum hb_precision precision, enum hb_factor_set factors) {
  return (struct hb_autotune){.device = device,
                              .operator_kind = operator_kind,
                              .n = gll->n,
                              .geometry = {.mode = HB_GEOMETRY_STORED, .factors = factors},
                              .precision = precision,
                              .with_dinv = factors == HB_FACTORS_WITH_MASS,
                              .points = gll->nodes,
                              .weights = gll->weights,
                              .D = gll->D,
                              .num_elements = TIMED_ELEMENTS,
                              .seconds = 1e-4};
}

/* ---- candidates that must not win ------------------------------------------------------------ */

/* What the planted candidates are made from. */
static const struct hb_helmholtz_variant *sound;

static enum hb_status apply_soundly(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                    hb_local end, bool with_mass,
                                    const struct hb_device_direction *direction, const void *d_u,
                                    void *d_w, hb_local *num_partials,
                                    enum hb_precision precision) {
  return sound->device.apply[precision](helmholtz, begin, end, with_mass, direction, d_u, d_w,
                                        num_partials);
}

/* Nothing at all, not even partial sums. */
static enum hb_status apply_nothing(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                    hb_local end, bool with_mass,
                                    const struct hb_device_direction *direction, const void *d_u,
                                    void *d_w, hb_local *num_partials) {
  (void)helmholtz, (void)begin, (void)end, (void)with_mass;
  (void)direction, (void)d_u, (void)d_w, (void)num_partials;
  return HB_OK;
}

/* A launch without effect, as of a kernel whose body is compiled for another architecture. */
static enum hb_status apply_silently(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                     hb_local end, bool with_mass,
                                     const struct hb_device_direction *direction, const void *d_u,
                                     void *d_w, hb_local *num_partials) {
  (void)helmholtz, (void)with_mass, (void)direction, (void)d_u, (void)d_w;
  *num_partials += end - begin;
  return HB_OK;
}

/* The last element of a launch is missing. */
static enum hb_status apply_fewer(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                  hb_local end, bool with_mass,
                                  const struct hb_device_direction *direction, const void *d_u,
                                  void *d_w, hb_local *num_partials) {
  return apply_soundly(helmholtz, begin, end - 1, with_mass, direction, d_u, d_w, num_partials,
                       HB_F64);
}

/* Exchanges G00 and G11 of elements [begin, end) on the device, in f64. */
static enum hb_status swap_factors(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                   hb_local end) {
  enum hb_status status = HB_OK;
  const size_t points = (size_t)hb_points_per_element(helmholtz->n);
  const size_t bytes = points * sizeof(double);
  const struct hb_factor_layout layout =
      hb_geometry_device_layout(&helmholtz->geometry, helmholtz->n);
  double *G00 = NULL, *G11 = NULL;
  HB_ALLOC(G00, points, "test");
  HB_ALLOC(G11, points, "test");
  for (hb_local e = begin; e < end; e++) {
    double *d = (double *)(uintptr_t)helmholtz->d_factors + hb_factor_at(&layout, e, 0, 0);
    HB_TRY(hb_device_download(helmholtz->device, G00, d, (hb_global)bytes));
    HB_TRY(hb_device_download(helmholtz->device, G11, d + 3 * points, (hb_global)bytes));
    HB_TRY(hb_device_upload(helmholtz->device, d, G11, (hb_global)bytes));
    HB_TRY(hb_device_upload(helmholtz->device, d + 3 * points, G00, (hb_global)bytes));
  }
done:
  hb_free(G00);
  hb_free(G11);
  return status;
}

static enum hb_status apply_swapped(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                    hb_local end, bool with_mass,
                                    const struct hb_device_direction *direction, const void *d_u,
                                    void *d_w, hb_local *num_partials) {
  enum hb_status status = HB_OK;
  HB_TRY(swap_factors(helmholtz, begin, end));
  HB_TRY(
      apply_soundly(helmholtz, begin, end, with_mass, direction, d_u, d_w, num_partials, HB_F64));
  HB_TRY(swap_factors(helmholtz, begin, end));
done:
  return status;
}

/* The operator is right, and x is not touched. */
static enum hb_status apply_without_step(const struct hb_device_helmholtz *helmholtz,
                                         hb_local begin, hb_local end, bool with_mass,
                                         const struct hb_device_direction *direction,
                                         const void *d_u, void *d_w, hb_local *num_partials) {
  struct hb_device_direction still = *direction;
  still.alpha = 0.0;
  return apply_soundly(helmholtz, begin, end, with_mass, &still, d_u, d_w, num_partials, HB_F64);
}

/* The operator is right, and the direction's first entry is lost. */
static enum hb_status apply_losing_direction(const struct hb_device_helmholtz *helmholtz,
                                             hb_local begin, hb_local end, bool with_mass,
                                             const struct hb_device_direction *direction,
                                             const void *d_u, void *d_w, hb_local *num_partials) {
  enum hb_status status = HB_OK;
  HB_TRY(
      apply_soundly(helmholtz, begin, end, with_mass, direction, d_u, d_w, num_partials, HB_F64));
  HB_TRY(hb_device_set_zero(helmholtz->device, HB_STREAM_COMPUTE, direction->d_p, sizeof(double)));
done:
  return status;
}

/* The operator is right, and partial sums of earlier launches are written over. */
static enum hb_status apply_losing_sums(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                        hb_local end, bool with_mass,
                                        const struct hb_device_direction *direction,
                                        const void *d_u, void *d_w, hb_local *num_partials) {
  *num_partials = 0;
  return apply_soundly(helmholtz, begin, end, with_mass, direction, d_u, d_w, num_partials, HB_F64);
}

/* Right while it is verified (two launches), and fails when it is timed. */
static int calls;
static enum hb_status apply_failing_later(const struct hb_device_helmholtz *helmholtz,
                                          hb_local begin, hb_local end, bool with_mass,
                                          const struct hb_device_direction *direction,
                                          const void *d_u, void *d_w, hb_local *num_partials) {
  if (++calls > 2)
    return hb_apply_failing(helmholtz, begin, end, with_mass, direction, d_u, d_w, num_partials);
  return apply_soundly(helmholtz, begin, end, with_mass, direction, d_u, d_w, num_partials, HB_F64);
}

static const struct {
  hb_helmholtz_device_apply *apply;
  enum hb_verdict verdict;
} planted[] = {{apply_nothing, HB_WRONG},       {apply_silently, HB_WRONG},
               {apply_fewer, HB_WRONG},         {apply_swapped, HB_WRONG},
               {apply_without_step, HB_WRONG},  {apply_losing_direction, HB_WRONG},
               {apply_losing_sums, HB_WRONG},   {hb_apply_failing, HB_FAILED},
               {apply_failing_later, HB_FAILED}};
enum { NUM_PLANTED = sizeof planted / sizeof *planted };

/* Simpler than the sound one by their rows, and some of them faster. */
static void check_planted(struct hb_check *check, struct hb_device *device,
                          const struct hb_gll *gll) {
  struct hb_helmholtz_variant variants[NUM_PLANTED];
  struct hb_candidate candidates[NUM_PLANTED + 1];
  struct hb_autotune request =
      request_of(device, gll, HB_TUNED_SCALAR, HB_F64, HB_FACTORS_WITH_MASS);
  int chosen = -1;
  calls = 0;
  for (int i = 0; i <= NUM_PLANTED; i++) {
    candidates[i] = (struct hb_candidate){.kernel = {.variant = sound}, .row = i};
    if (i == NUM_PLANTED) continue;
    variants[i] = *sound;
    variants[i].device.apply[HB_F64] = planted[i].apply;
    candidates[i].kernel.variant = &variants[i];
  }
  CHECK_OK(check, hb_autotune(&request, NUM_PLANTED + 1, candidates, &chosen));
  CHECK_EQUAL(check, chosen, NUM_PLANTED);
  for (int i = 0; i < NUM_PLANTED; i++) {
    CHECK_EQUAL(check, candidates[i].verdict, planted[i].verdict);
    CHECK(check, !candidates[i].chosen && !candidates[i].tied);
    CHECK(check, !(candidates[i].seconds > 0.0));
    CHECK_EQUAL(check, strcmp(candidates[i].failure, "planted failure") == 0,
                planted[i].verdict == HB_FAILED);
  }
  CHECK(check, candidates[NUM_PLANTED].chosen && candidates[NUM_PLANTED].seconds > 0.0);
  CHECK(check, isnan(candidates[0].error) && candidates[3].error > 1e6 * candidates[3].bound);
  CHECK_EQUAL(check, strlen(hb_error_message()), 0);
  calls = 0;
  CHECK_FAILS(check, hb_autotune(&request, NUM_PLANTED, candidates, &chosen), HB_MACHINE_FAILED,
              "none of 9 kernels agrees with the reference");
  CHECK_EQUAL(check, chosen, -1);
}

/* Right for as few elements as a table's kernel has in a block, and wrong for more: as of waves
 * that go on from element to element, wrong from the second round on. */
enum { FIRST_ROUND = 64, MANY_ELEMENTS = 2000 };
static enum hb_status apply_first_round(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                        hb_local end, bool with_mass,
                                        const struct hb_device_direction *direction,
                                        const void *d_u, void *d_w, hb_local *num_partials) {
  return apply_soundly(helmholtz, begin, end - (end - begin > FIRST_ROUND), with_mass, direction,
                       d_u, d_w, num_partials, HB_F64);
}

static void check_rounds(struct hb_check *check, struct hb_device *device,
                         const struct hb_gll *gll) {
  struct hb_helmholtz_variant variant = *sound;
  struct hb_candidate candidates[2] = {
      {.kernel = {.variant = &variant, .shape = {.tile = HB_MATRIX_8X8X4, .wavefronts = 1}},
       .row = 0},
      {.kernel = {.variant = sound}, .row = 1}};
  struct hb_autotune request =
      request_of(device, gll, HB_TUNED_SCALAR, HB_F64, HB_FACTORS_STIFFNESS);
  int chosen = -1;
  variant.device.apply[HB_F64] = apply_first_round;
  request.num_elements = MANY_ELEMENTS;
  CHECK_OK(check, hb_autotune(&request, 2, candidates, &chosen));
  CHECK_EQUAL(check, candidates[0].verdict, HB_WRONG);
  CHECK_EQUAL(check, chosen, 1);
}

/* ---- candidates of the table ----------------------------------------------------------------- */

/* Every row's first shape and its last, in the table's order. */
static int pick(int count, const struct hb_candidate *all, struct hb_candidate *picked) {
  int num_picked = 0;
  for (int c = 0; c < count && num_picked < MAX_PLANTED; c++)
    if (c == 0 || all[c].row != all[c - 1].row || c == count - 1 || all[c].row != all[c + 1].row)
      picked[num_picked++] = all[c];
  return num_picked;
}

static void check_right(struct hb_check *check, const struct hb_autotune *request, int count,
                        struct hb_candidate *candidates) {
  int chosen = -1, num_chosen = 0;
  CHECK_OK(check, hb_autotune(request, count, candidates, &chosen));
  for (int c = 0; c < count; c++) {
    const struct hb_candidate *candidate = &candidates[c];
    CHECK_EQUAL(check, candidate->verdict, HB_VERIFIED);
    if (candidate->verdict != HB_VERIFIED)
      printf("  n = %d, %s: %s, error %g, bound %g %s\n", request->n,
             candidate->kernel.variant->name, hb_verdict_name(candidate->verdict), candidate->error,
             candidate->bound, candidate->failure);
    CHECK(check, candidate->error > 0.0 && candidate->error <= candidate->bound);
    CHECK(check, candidate->seconds > 0.0 && candidate->spread >= 0.0);
    num_chosen += candidate->chosen;
  }
  CHECK_EQUAL(check, num_chosen, 1);
  CHECK(check, chosen >= 0 && candidates[chosen].chosen);
}

/* Every mode's candidates are right on elements that the tuner made up for it. */
static void check_table(struct hb_check *check, struct hb_device *device, const struct hb_gll *gll,
                        enum hb_precision precision, enum hb_factor_set factors, bool varying) {
  struct hb_autotune request = request_of(device, gll, HB_TUNED_SCALAR, precision, factors);
  struct hb_device_info info;
  CHECK_OK(check, hb_device_info(device, &info));
  request.geometry.varying = varying;
  request.geometry.h1 = 0.75;
  request.geometry.h2 = 1.25;
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++) {
    struct hb_candidate *all = NULL, picked[MAX_PLANTED];
    int count = 0;
    CHECK_OK(check, hb_autotune_list(HB_TUNED_SCALAR, info.architecture, 1u << mode, gll->n,
                                     precision, &all, &count));
    if (mode == HB_GEOMETRY_STORED)
      CHECK(check, count >= 2 && strcmp(all[0].kernel.variant->name, "1d") == 0);
    for (int c = 1; c < count; c++) CHECK(check, all[c].row >= all[c - 1].row);
    for (int c = 0; c < count; c++) {
      CHECK(check, all[c].verdict == HB_UNTRIED && isnan(all[c].seconds) && isnan(all[c].error));
      CHECK_EQUAL(check, all[c].kernel.mode, mode);
    }
    if (count > 0) check_right(check, &request, pick(count, all, picked), picked);
    hb_free(all);
  }
}

/* Candidates of two modes in one list: each on its own data, and one is chosen. */
static void check_two_modes(struct hb_check *check, struct hb_device *device,
                            const struct hb_gll *gll) {
  const unsigned modes = 1u << HB_GEOMETRY_STORED | 1u << HB_GEOMETRY_NODES;
  const struct hb_autotune request =
      request_of(device, gll, HB_TUNED_SCALAR, HB_F64, HB_FACTORS_STIFFNESS);
  struct hb_candidate *all = NULL, picked[MAX_PLANTED];
  struct hb_device_info info;
  int count = 0, stored = 0;
  CHECK_OK(check, hb_device_info(device, &info));
  CHECK_OK(check, hb_autotune_list(HB_TUNED_SCALAR, info.architecture, modes, gll->n, HB_F64, &all,
                                   &count));
  while (stored < count && all[stored].kernel.mode == HB_GEOMETRY_STORED) stored++;
  CHECK(check, stored > 0);
  if (stored < count) {
    picked[0] = all[0];
    picked[1] = all[stored];
    check_right(check, &request, 2, picked);
    struct hb_autotune of = request;
    of.geometry.mode = HB_GEOMETRY_NODES; /* whatever is said here */
    CHECK_NEAR(check, hb_autotune_element_bytes(&of, modes),
               hb_autotune_element_bytes(&request, modes), 0.0);
  }
  hb_free(all);
}

/* ---- local vectors --------------------------------------------------------------------------- */

/* The reference itself, by way of the host. */
static enum hb_status apply_local_on_host(const struct hb_device_helmholtz *h, int components,
                                          hb_local begin, hb_local end, bool with_mass,
                                          const void *d_u, void *d_w, hb_local *num_partials) {
  enum hb_status status = HB_OK;
  const size_t points = (size_t)hb_points_per_element(h->n), size = sizeof(double);
  const size_t kinds = (size_t)hb_geometry_num_factors(&h->geometry),
               count = (size_t)h->num_elements;
  double *read = NULL, *factors = NULL, *u = NULL, *w = NULL, sum = 0.0;
  HB_ALLOC(read, points * kinds, "test");
  HB_ALLOC(factors, points * kinds, "test");
  HB_ALLOC(u, points, "test");
  HB_ALLOC(w, points, "test");
  for (int c = 0; c < components; c++)
    for (size_t e = (size_t)begin; e < (size_t)end; e++) {
      const size_t first = ((size_t)c * count + e) * points;
      HB_TRY(hb_device_download(h->device, read, (const double *)h->d_factors + e * kinds * points,
                                (hb_global)(points * kinds * size)));
      for (size_t i = 0; i < points * kinds; i++)
        factors[i % points * kinds + i / points] = read[i];
      HB_TRY(hb_device_download(h->device, u, (const double *)d_u + first,
                                (hb_global)(points * size)));
      hb_helmholtz_host_f64(h->n, 1, (int)kinds, with_mass, h->D, factors, u, w);
      for (size_t i = 0; i < points; i++) sum += u[i] * w[i];
      HB_TRY(hb_device_upload(h->device, (double *)d_w + first, w, (hb_global)(points * size)));
    }
  HB_TRY(hb_device_upload(h->device, h->d_partials + (*num_partials)++, &sum, sizeof sum));
done:
  hb_free(read);
  hb_free(factors);
  hb_free(u);
  hb_free(w);
  return status;
}

static enum hb_status apply_local_fewer(const struct hb_device_helmholtz *h, int components,
                                        hb_local begin, hb_local end, bool with_mass,
                                        const void *d_u, void *d_w, hb_local *num_partials) {
  return apply_local_on_host(h, components - 1, begin, end, with_mass, d_u, d_w, num_partials);
}

static void check_vector(struct hb_check *check, struct hb_device *device,
                         const struct hb_gll *gll) {
  struct hb_autotune request =
      request_of(device, gll, HB_TUNED_VECTOR, HB_F64, HB_FACTORS_STIFFNESS);
  struct hb_helmholtz_variant variants[2] = {*sound, *sound};
  struct hb_candidate candidates[2] = {{.kernel = {.variant = &variants[0]}, .row = 0},
                                       {.kernel = {.variant = &variants[1]}, .row = 1}};
  struct hb_candidate *all = NULL, picked[MAX_PLANTED];
  struct hb_device_info info;
  int count = 0, chosen = -1;
  variants[0].device.apply_local[HB_F64] = apply_local_fewer;
  variants[1].device.apply_local[HB_F64] = apply_local_on_host;
  CHECK_OK(check, hb_autotune(&request, 2, candidates, &chosen));
  CHECK_EQUAL(check, candidates[0].verdict, HB_WRONG);
  CHECK_EQUAL(check, candidates[1].verdict, HB_VERIFIED);
  CHECK_EQUAL(check, chosen, 1);
  CHECK_OK(check, hb_device_info(device, &info));
  CHECK_OK(check, hb_autotune_list(HB_TUNED_VECTOR, info.architecture, 1u << HB_GEOMETRY_STORED,
                                   gll->n, HB_F64, &all, &count));
  for (int c = 0; c < count; c++)
    CHECK_EQUAL(check, all[c].kernel.variant->device.max_components, 3);
  if (count > 0) check_right(check, &request, pick(count, all, picked), picked);
  hb_free(all);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  struct hb_gll small, large;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  CHECK_OK(&check, hb_gll_init(2, &small));
  CHECK_OK(&check, hb_gll_init(7, &large));
  CHECK_OK(&check,
           hb_helmholtz_find_variant("kstep", HB_BACKEND_GPU, HB_GEOMETRY_STORED, small.n, &sound));
  if (device != NULL) {
    check_planted(&check, device, &small);
    check_rounds(&check, device, &small);
    check_vector(&check, device, &small);
    for (int p = HB_F64; p <= HB_F32; p++)
      check_table(&check, device, &small, (enum hb_precision)p,
                  p == HB_F64 ? HB_FACTORS_STIFFNESS : HB_FACTORS_WITH_MASS, p == HB_F32);
    check_table(&check, device, &large, HB_F64, HB_FACTORS_WITH_MASS, false);
    check_two_modes(&check, device, &small);
  }
  return hb_device_check_finish(&check, &device);
}
