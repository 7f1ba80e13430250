/* SPDX-License-Identifier: BSD-3-Clause
 * The comparison of unit_helmholtz can fail: a variant with each planted fault must be found, and
 * the same variant without it must not. */
#include <string.h>

#include "tests/check.h"
#include "tests/kernel_data.h"

enum { N = 4 };

/* The sound variant that the faulty ones below call; an operator has no argument to pass it by. */
static hb_helmholtz_apply *sound;
static enum hb_precision precision;
static int calls;

static double get(const void *array, hb_global i) { return hb_real_at(precision, array, i); }
static void set(void *array, hb_global i, double value) { hb_real_set(precision, array, i, value); }

static ptrdiff_t interior_start(const struct hb_helmholtz *h, hb_local block) {
  const struct hb_blocks blocks = hb_helmholtz_blocks(h);
  return hb_block_interior_start(&blocks, block);
}
static hb_local first_on_surface(const struct hb_helmholtz *h, hb_local block) {
  const struct hb_blocks blocks = hb_helmholtz_blocks(h);
  return hb_block_surface_index(&blocks, block)[0];
}

static double no_fault(const struct hb_helmholtz *h, hb_local begin, hb_local end, bool with_mass,
                       const void *u, void *w) {
  return sound(h, begin, end, with_mass, u, w);
}

/* Lanes 0 and 1 of one interior point. */
static double swaps_two_lanes(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                              bool with_mass, const void *u, void *w) {
  const double sum = sound(h, begin, end, with_mass, u, w);
  const hb_global at = interior_start(h, begin);
  const double first = get(w, at);
  set(w, at, get(w, at + 1));
  set(w, at + 1, first);
  return sum;
}

static double drops_the_mass(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                             bool with_mass, const void *u, void *w) {
  (void)with_mass;
  return sound(h, begin, end, false, u, w);
}

static double always_adds_the_mass(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                                   bool with_mass, const void *u, void *w) {
  (void)with_mass;
  return sound(h, begin, end, true, u, w);
}

static double wrong_sign_of_G01(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                                bool with_mass, const void *u, void *w) {
  const struct hb_factor_layout layout = hb_geometry_host_layout(&h->geometry, h->n, h->lanes);
  const hb_global count = hb_factor_count(&layout, h->num_elements);
  void *factors = hb_allocate(count, hb_precision_bytes(precision), "test");
  struct hb_helmholtz wrong = *h;
  if (factors == NULL) return 0.0;
  for (hb_global i = 0; i < count; i++)
    set(factors, i, get(h->factors, i) * (i % layout.point / layout.factor == 1 ? -1.0 : 1.0));
  wrong.factors = factors;
  const double sum = sound(&wrong, begin, end, with_mass, u, w);
  hb_free(factors);
  return sum;
}

static double adds_the_interior(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                                bool with_mass, const void *u, void *w) {
  void *before = hb_allocate(h->surface_start, hb_precision_bytes(precision), "test");
  if (before == NULL) return 0.0;
  memcpy(before, w, (size_t)h->surface_start * hb_precision_bytes(precision));
  const double sum = sound(h, begin, end, with_mass, u, w);
  for (hb_global i = 0; i < h->surface_start; i++) set(w, i, get(before, i) + get(w, i));
  hb_free(before);
  return sum;
}

/* One shared point gets the first element's part a second time. */
static double adds_a_surface_point_twice(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                                         bool with_mass, const void *u, void *w) {
  const double sum = sound(h, begin, end, with_mass, u, w);
  const hb_local at = first_on_surface(h, begin);
  set(w, at, 2.0 * get(w, at));
  return sum;
}

/* The product of one point counts twice. */
static double wrong_dot(const struct hb_helmholtz *h, hb_local begin, hb_local end, bool with_mass,
                        const void *u, void *w) {
  const double sum = sound(h, begin, end, with_mass, u, w);
  const hb_global at = interior_start(h, begin);
  return sum + get(u, at) * get(w, at);
}

static double one_nan(const struct hb_helmholtz *h, hb_local begin, hb_local end, bool with_mass,
                      const void *u, void *w) {
  const double sum = sound(h, begin, end, with_mass, u, w);
  set(w, interior_start(h, begin), (double)NAN);
  return sum;
}

/* The vector's last entry is no element's. */
static double writes_where_no_element_is(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                                         bool with_mass, const void *u, void *w) {
  const double sum = sound(h, begin, end, with_mass, u, w);
  hb_global last = h->surface_start;
  while (get(w, last) != HB_SENTINEL) last++;
  set(w, last, 0.0);
  return sum;
}

static double trusts_its_scratch(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                                 bool with_mass, const void *u, void *w) {
  const double stale = 0.0 * get(h->scratch, 0);
  const double sum = sound(h, begin, end, with_mass, u, w);
  const hb_local at = first_on_surface(h, begin);
  set(w, at, get(w, at) + stale);
  return sum;
}

static double writes_behind_its_scratch(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                                        bool with_mass, const void *u, void *w) {
  const double sum = sound(h, begin, end, with_mass, u, w);
  set(h->scratch, hb_helmholtz_scratch_count(h->n, h->lanes), 0.0);
  return sum;
}

/* Every second call differs in the last bit of one entry. */
static double does_not_repeat(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                              bool with_mass, const void *u, void *w) {
  const double sum = sound(h, begin, end, with_mass, u, w);
  const hb_global at = interior_start(h, begin);
  const double value = get(w, at);
  if (calls++ % 2 == 1) set(w, at, value * (1.0 + hb_precision_epsilon(precision)));
  return sum;
}

/* Takes the first blocks whatever it is asked for. */
static double ignores_the_first_block(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                                      bool with_mass, const void *u, void *w) {
  return sound(h, 0, end - begin, with_mass, u, w);
}

/* A result in double with the accuracy of single; in single, with the accuracy of half. */
static double too_few_digits(const struct hb_helmholtz *h, hb_local begin, hb_local end,
                             bool with_mass, const void *u, void *w) {
  const double sum = sound(h, begin, end, with_mass, u, w);
  const double unit = precision == HB_F64 ? 0x1p-24 : 0x1p-11;
  for (hb_global i = 0; i < h->surface_start; i++) set(w, i, get(w, i) * (1.0 + unit));
  return sum;
}

/* `found`: which of the comparison's answers must say so. */
enum part { NONE, ENTRIES, DOT, REPEATED, SPLIT, SCRATCH };
static const struct {
  const char *name;
  hb_helmholtz_apply *apply;
  enum part found;
  bool with_mass;
} faulty[] = {
    {"no fault", no_fault, NONE, true},
    {"no fault, without mass", no_fault, NONE, false},
    {"swaps two lanes", swaps_two_lanes, ENTRIES, true},
    {"drops the mass", drops_the_mass, ENTRIES, true},
    {"drops the mass (u.w)", drops_the_mass, DOT, true},
    {"always adds the mass", always_adds_the_mass, ENTRIES, false},
    {"wrong sign of G01", wrong_sign_of_G01, ENTRIES, true},
    {"wrong sign of G01 (u.w)", wrong_sign_of_G01, DOT, true},
    {"adds the interior", adds_the_interior, ENTRIES, true},
    {"adds a surface point twice", adds_a_surface_point_twice, ENTRIES, true},
    {"wrong u.w", wrong_dot, DOT, true},
    {"one NaN", one_nan, ENTRIES, true},
    {"writes where no element is", writes_where_no_element_is, ENTRIES, true},
    {"trusts its scratch", trusts_its_scratch, ENTRIES, true},
    {"writes behind its scratch", writes_behind_its_scratch, SCRATCH, true},
    {"does not repeat", does_not_repeat, REPEATED, true},
    {"ignores the first block", ignores_the_first_block, SPLIT, true},
    {"too few digits", too_few_digits, ENTRIES, true},
};

static void check_faults(struct hb_check *check, const struct hb_case *c, const char *variant) {
  for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++) {
    struct hb_faults f = {0, 0, 0, 0, 0};
    calls = 0;
    CHECK_OK(check, hb_case_compare(c, faulty[i].apply, faulty[i].with_mass, &f));
    const enum part found = faulty[i].found;
    const bool answer = found == NONE       ? !hb_has_faults(&f)
                        : found == ENTRIES  ? f.entries != 0
                        : found == DOT      ? f.dot != 0
                        : found == REPEATED ? f.repeated != 0
                        : found == SPLIT    ? f.split != 0
                                            : f.scratch != 0;
    CHECK(check, answer);
    if (!answer)
      printf("  \"%s\" in %s, f%d: %ld entries, dot %d, repeated %d, split %d, scratch %d\n",
             faulty[i].name, variant, precision == HB_F64 ? 64 : 32, f.entries, f.dot, f.repeated,
             f.split, f.scratch);
  }
}

/* Entries that are wrong in one place only are counted as one. */
static void check_count(struct hb_check *check, const struct hb_case *c) {
  struct hb_faults f = {0, 0, 0, 0, 0};
  CHECK_OK(check, hb_case_compare(c, swaps_two_lanes, true, &f));
  CHECK_EQUAL(check, f.entries, 2);
  CHECK_OK(check, hb_case_compare(c, one_nan, true, &f));
  CHECK_EQUAL(check, f.entries, 1);
  CHECK_OK(check, hb_case_compare(c, writes_where_no_element_is, true, &f));
  CHECK_EQUAL(check, f.entries, 1);
}

/* The check of the file itself: a NaN is never near anything. */
static void check_near(struct hb_check *check) {
  struct hb_check inner = {0, HB_CHECK_MAX_PRINTED}; /* failures beyond those printed */
  CHECK_NEAR(&inner, (double)NAN, 0.0, 1.0);
  CHECK_NEAR(&inner, 0.0, (double)NAN, 1.0);
  CHECK_NEAR(&inner, 0.0, 0.0, (double)NAN);
  CHECK_NEAR(&inner, 1.0, -1.0, 1.0);
  CHECK(&inner, false);
  CHECK_EQUAL(&inner, 1, 2);
  CHECK_EQUAL(check, inner.failed, HB_CHECK_MAX_PRINTED + 6);
}

int main(void) {
  struct hb_check check = {0, 0};
  check_near(&check);
  for (int p = HB_F64; p <= HB_F32; p++)
    for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
      const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
      struct hb_elements elements;
      struct hb_case c;
      if (variant->backend != HB_BACKEND_HOST || !hb_host_isa_runs(variant->isa)) continue;
      precision = (enum hb_precision)p;
      sound = variant->host.apply[p];
      const int lanes = variant->lanes[p], count = 2 * lanes + 3;
      CHECK_OK(&check, hb_elements_init(N, precision, count, 2, 1, &elements));
      CHECK_OK(&check, hb_case_init(&elements, lanes, count, HB_FACTORS_WITH_MASS, &c));
      check_faults(&check, &c, variant->name);
      check_count(&check, &c);
      hb_case_free(&c);
      hb_elements_free(&elements);
    }
  return hb_check_finish(&check);
}
