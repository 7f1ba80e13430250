/* SPDX-License-Identifier: BSD-3-Clause
 * One device variant of the operator against the reference in double: orders, precisions, mass,
 * ragged blocks, parts of the elements, directions; what is written and left alone; repeated calls;
 * and that a wrong operator is seen.  The tests of the variants are this with their functions. */
#ifndef HB_TESTS_DEVICE_OPERATOR_H
#define HB_TESTS_DEVICE_OPERATOR_H

#include "tests/device_data.h"

/* What a launch over elements [begin, end) is asked for. */
struct hb_device_launch {
  hb_local begin, end;
  bool with_mass, with_direction, with_dinv;
  double alpha, beta; /* of the direction; exact in both precisions */
};

/* What the comparison found, each 0 if the variant keeps the contract. */
struct hb_device_faults {
  long entries;  /* wrong entries of w and d_surface */
  long vectors;  /* of p and x */
  long partials; /* of the partial sums: missing, not a number, outside their place */
  int dot;       /* u.w wrong */
  int repeated;  /* a second call is not bitwise the same */
};

static inline bool hb_device_has_faults(const struct hb_device_faults *f) {
  return f->entries != 0 || f->vectors != 0 || f->partials != 0 || f->dot != 0 || f->repeated != 0;
}

/* p of a direction at a point, or u; and the sum of magnitudes that went into it. */
static inline double hb_expected_input(const struct hb_device_case *c,
                                       const struct hb_device_launch *launch, hb_local point,
                                       double *magnitude) {
  const enum hb_precision p = c->host.elements->precision;
  double value = hb_real_at(p, launch->with_direction ? c->r.h : c->u.h, point), old = 0.0;
  if (launch->with_direction) {
    if (launch->with_dinv) value *= hb_real_at(p, c->dinv.h, point);
    old = launch->beta * hb_real_at(p, c->p_old.h, point);
  }
  *magnitude = fabs(value) + fabs(old);
  return value + old;
}

/* What the launch must give.  Freed by hb_reference_free, also after a failure. */
static inline enum hb_status hb_device_expect(const struct hb_device_case *c,
                                              const struct hb_device_launch *launch,
                                              struct hb_reference *x) {
  enum hb_status status = HB_OK;
  const struct hb_elements *e = c->host.elements;
  HB_TRY(hb_elements_reference(e, c->h.num_elements, 1, launch->with_mass, x));
  for (hb_global i = 0; i < hb_reference_entries(x); i++)
    x->u[i] = hb_expected_input(c, launch, c->host.index[i], &x->u_magnitude[i]);
  hb_reference_apply(x);
done:
  return status;
}

static inline bool hb_is_owned_by(const struct hb_device_case *c, hb_local point,
                                  const struct hb_device_launch *launch) {
  return c->owner[point] >= launch->begin && c->owner[point] < launch->end;
}

/* Random vectors of a direction; NaN where no element reads, in p where it must be written; the
 * sentinel where nothing may be. */
static inline enum hb_status hb_device_case_direct(struct hb_device_case *c,
                                                   const struct hb_device_launch *launch) {
  enum hb_status status = HB_OK;
  const enum hb_precision p = c->host.elements->precision;
  struct hb_random random = {(uint64_t)(c->h.n + 31)};
  struct hb_mirror *vectors[] = {&c->r, &c->dinv, &c->p_old, &c->p, &c->x};
  for (hb_local i = 0; i < c->host.num_points; i++) {
    const bool exists = c->owner[i] >= 0, owned = hb_is_owned_by(c, i, launch);
    const double r = hb_random_value(&random), dinv = 1.0 + 0.5 * hb_random_value(&random);
    const double p_old = hb_random_value(&random), x = hb_random_value(&random);
    hb_real_set(p, c->r.h, i, exists ? r : (double)NAN);
    hb_real_set(p, c->dinv.h, i, exists ? dinv : (double)NAN);
    hb_real_set(p, c->p_old.h, i, exists ? p_old : (double)NAN);
    hb_real_set(p, c->p.h, i, owned ? (double)NAN : HB_SENTINEL);
    hb_real_set(p, c->x.h, i, owned ? x : HB_SENTINEL);
  }
  for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
    HB_TRY(hb_mirror_upload(c->device, vectors[v]));
done:
  return status;
}

/* Entries of p and x that are wrong after a launch: x starts as c->x.h, which is left as it is.
 * A product and a sum, rounded each, and the rounding of what is stored. */
static inline enum hb_status hb_device_count_vectors(struct hb_device_case *c,
                                                     const struct hb_device_launch *launch,
                                                     long *wrong) {
  enum hb_status status = HB_OK;
  const enum hb_precision p = c->host.elements->precision;
  void *x_now = NULL;
  *wrong = 0;
  HB_TRY(hb_allocate_reals(p, c->x.count, &x_now));
  HB_TRY(hb_mirror_download(c->device, &c->p));
  HB_TRY(hb_device_download(c->device, x_now, c->x.d, c->x.bytes));
  for (hb_local i = 0; i < c->host.num_points; i++) {
    const double new_p = hb_real_at(p, c->p.h, i), new_x = hb_real_at(p, x_now, i);
    const double old_x = hb_real_at(p, c->x.h, i), eps = hb_precision_epsilon(p);
    const bool owned = hb_is_owned_by(c, i, launch);
    double magnitude = 0.0;
    if (owned) {
      const double step = launch->alpha * hb_real_at(p, c->p_old.h, i);
      const double expected = hb_expected_input(c, launch, i, &magnitude);
      if (!(fabs(new_p - expected) <= 2.0 * eps * magnitude)) ++*wrong;
      if (!(fabs(new_x - old_x - step) <= 2.0 * eps * (fabs(old_x) + fabs(step)))) ++*wrong;
    } else if (new_p != HB_SENTINEL)
      ++*wrong;
    if ((!owned || launch->alpha == 0.0) && new_x != old_x) ++*wrong;
  }
done:
  hb_free(x_now);
  return status;
}

/* One launch into poisoned outputs, fetched. */
static inline enum hb_status hb_device_case_launch(struct hb_device_case *c,
                                                   hb_helmholtz_device_apply *apply,
                                                   const struct hb_device_launch *launch,
                                                   hb_local *num_partials) {
  enum hb_status status = HB_OK;
  const struct hb_device_direction direction = {.alpha = launch->alpha,
                                                .beta = launch->beta,
                                                .d_dinv = launch->with_dinv ? c->dinv.d : NULL,
                                                .d_r = c->r.d,
                                                .d_p_old = c->p_old.d,
                                                .d_p = c->p.d,
                                                .d_x = c->x.d};
  *num_partials = HB_FIRST_PARTIAL;
  HB_TRY(hb_device_case_poison(c, launch->begin, launch->end));
  if (launch->with_direction) HB_TRY(hb_device_case_direct(c, launch));
  HB_TRY(apply(&c->h, launch->begin, launch->end, launch->with_mass,
               launch->with_direction ? &direction : NULL, launch->with_direction ? NULL : c->u.d,
               c->w.d, num_partials));
  HB_TRY(hb_device_synchronise(c->device, HB_STREAM_COMPUTE));
  HB_TRY(hb_device_case_fetch(c));
done:
  return status;
}

/* The partial sums and u.w over the launch's elements, of which the reference has x. */
static inline void hb_device_compare_partials(const struct hb_device_case *c,
                                              const struct hb_device_launch *launch,
                                              const struct hb_reference *x, hb_local num_partials,
                                              struct hb_device_faults *f) {
  const double *partials = c->partials.h;
  const ptrdiff_t points = hb_points_per_element(c->h.n);
  double dot = 0.0, expected = 0.0, scale = 0.0;
  for (hb_local e = launch->begin; e < launch->end; e++) { /* sums of sums: few roundings */
    double of_element = 0.0;
    hb_reference_add_dot(x, e * points, (e + 1) * points, &of_element, &scale);
    expected += of_element;
  }
  f->partials = num_partials < HB_FIRST_PARTIAL ||
                (num_partials == HB_FIRST_PARTIAL) != (launch->begin == launch->end);
  if (num_partials - HB_FIRST_PARTIAL > hb_helmholtz_device_partials(launch->end - launch->begin))
    f->partials++;
  for (hb_global i = 0; i < c->partials.count; i++) {
    if (i < HB_FIRST_PARTIAL) f->partials += partials[i] != HB_SENTINEL;
    if (i >= HB_FIRST_PARTIAL && i < num_partials) dot += partials[i];
    if (i >= num_partials) f->partials += !isnan(partials[i]);
  }
  /* As in kernel_data.h: n^3 products an element round at random. */
  f->dot = !hb_agrees(c->h.n, c->host.elements->precision, dot, expected, scale);
}

/* Runs a launch twice and compares; HB_OK means that it ran. */
static inline enum hb_status hb_device_case_compare(struct hb_device_case *c,
                                                    hb_helmholtz_device_apply *apply,
                                                    const struct hb_device_launch *launch,
                                                    struct hb_device_faults *f) {
  enum hb_status status = HB_OK;
  struct hb_reference x = {.n = 0};
  void *w = NULL, *surface = NULL, *partials = NULL;
  hb_local num_partials = 0;
  *f = (struct hb_device_faults){0, 0, 0, 0, 0};
  HB_TRY(hb_device_case_launch(c, apply, launch, &num_partials));
  HB_TRY(hb_device_expect(c, launch, &x));
  f->entries = hb_device_case_count_wrong(c, launch->begin, launch->end, x.w, x.w_magnitude);
  if (launch->with_direction) HB_TRY(hb_device_count_vectors(c, launch, &f->vectors));
  hb_device_compare_partials(c, launch, &x, num_partials, f);

  HB_ALLOC(w, c->w.bytes, "test");
  HB_ALLOC(surface, c->surface.bytes, "test");
  HB_ALLOC(partials, c->partials.bytes, "test");
  memcpy(w, c->w.h, (size_t)c->w.bytes);
  memcpy(surface, c->surface.h, (size_t)c->surface.bytes);
  memcpy(partials, c->partials.h, (size_t)c->partials.bytes);
  HB_TRY(hb_device_case_launch(c, apply, launch, &num_partials));
  f->repeated = !hb_same_bits(w, c->w.h, (size_t)c->w.bytes) ||
                !hb_same_bits(surface, c->surface.h, (size_t)c->surface.bytes) ||
                !hb_same_bits(partials, c->partials.h, (size_t)c->partials.bytes);
done:
  hb_reference_free(&x);
  hb_free(w);
  hb_free(surface);
  hb_free(partials);
  return status;
}

static inline void hb_check_launch(struct hb_check *check, struct hb_device_case *c,
                                   hb_helmholtz_device_apply *apply,
                                   struct hb_device_launch launch) {
  struct hb_device_faults faults = {0, 0, 0, 0, 0};
  CHECK_OK(check, hb_device_case_compare(c, apply, &launch, &faults));
  CHECK_EQUAL(check, faults.entries, 0);
  CHECK_EQUAL(check, faults.vectors, 0);
  CHECK_EQUAL(check, faults.partials, 0);
  CHECK_EQUAL(check, faults.dot, 0);
  CHECK_EQUAL(check, faults.repeated, 0);
  if (hb_device_has_faults(&faults))
    printf("  n = %d, f%d, elements %d to %d of %d, %d across, %d factors, mass %d, direction %d, "
           "dinv %d, alpha %g\n",
           c->h.n, c->host.elements->precision == HB_F64 ? 64 : 32, (int)launch.begin,
           (int)launch.end, (int)c->h.num_elements, c->host.elements->across,
           hb_geometry_num_factors(&c->h.geometry), launch.with_mass, launch.with_direction,
           launch.with_dinv, launch.alpha);
}

/* With and without mass term; all elements, parts, none. */
static inline void hb_check_plain(struct hb_check *check, struct hb_device *device,
                                  const struct hb_elements *elements,
                                  hb_helmholtz_device_apply *apply) {
  const hb_local count = elements->count;
  struct hb_device_case c;
  CHECK_OK(check, hb_device_case_init(device, elements, count, HB_FACTORS_STIFFNESS, &c));
  hb_check_launch(check, &c, apply, (struct hb_device_launch){.begin = 0, .end = count});
  hb_device_case_free(&c);
  CHECK_OK(check, hb_device_case_init(device, elements, count, HB_FACTORS_WITH_MASS, &c));
  const hb_local parts[][2] = {{0, count}, {0, 3}, {3, count}, {2, 5}, {4, 4}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    hb_check_launch(check, &c, apply,
                    (struct hb_device_launch){
                        .begin = parts[i][0], .end = parts[i][1], .with_mass = i % 2 == 0});
  hb_check_launch(check, &c, apply, (struct hb_device_launch){.begin = 0, .end = count});
  hb_device_case_free(&c);
  CHECK_OK(check, hb_device_case_init(device, elements, 1, HB_FACTORS_WITH_MASS, &c));
  hb_check_launch(check, &c, apply,
                  (struct hb_device_launch){.begin = 0, .end = 1, .with_mass = true});
  hb_device_case_free(&c);
}

/* Directions with and without dinv and step, over all elements and parts of them. */
static inline void hb_check_directions(struct hb_check *check, struct hb_device *device,
                                       const struct hb_elements *elements,
                                       hb_helmholtz_device_apply *apply) {
  const hb_local count = elements->count;
  const hb_local parts[][2] = {{0, count}, {0, count}, {0, 3}, {3, count}};
  struct hb_device_case c;
  CHECK_OK(check, hb_device_case_init(device, elements, count, HB_FACTORS_WITH_MASS, &c));
  for (int i = 0; i < 4; i++)
    hb_check_launch(check, &c, apply,
                    (struct hb_device_launch){.begin = parts[i][0],
                                              .end = parts[i][1],
                                              .with_mass = true,
                                              .with_direction = true,
                                              .with_dinv = i % 2 == 0,
                                              .alpha = i == 1 || i == 2 ? 0.0 : 0.375,
                                              .beta = i == 2 ? 0.0 : -0.8125});
  hb_device_case_free(&c);
}

/* Wrong operators, each of which the comparison must see: two factors swapped, an element's result
 * missing, an owner forgotten, u.w of too few elements. */
static inline void hb_check_planted(struct hb_check *check, struct hb_device *device,
                                    const struct hb_elements *elements,
                                    hb_helmholtz_device_apply *apply) {
  const enum hb_precision p = elements->precision;
  const int points = hb_points_per_element(elements->n);
  const struct hb_device_launch all = {
      .begin = 0, .end = elements->count, .with_direction = true, .alpha = 0.5, .beta = 0.25};
  const struct hb_device_launch fewer = {
      .begin = 0, .end = elements->count - 1, .with_direction = true, .alpha = 0.5, .beta = 0.25};
  struct hb_reference x = {.n = 0};
  struct hb_device_faults faults;
  struct hb_device_case c;
  hb_local num_partials = 0;
  CHECK_OK(check, hb_device_case_init(device, elements, elements->count, HB_FACTORS_STIFFNESS, &c));
  hb_local *index = c.index.h;
  CHECK_OK(check, hb_device_case_launch(&c, apply, &fewer, &num_partials)); /* makes the vectors */
  CHECK_OK(check, hb_device_expect(&c, &all, &x));
  CHECK(check, hb_device_case_count_wrong(&c, all.begin, all.end, x.w, x.w_magnitude) >= points);
  hb_reference_free(&x);

  index[0] ^= HB_OWNS_POINT; /* the first is an owner's */
  CHECK_OK(check, hb_mirror_upload(device, &c.index));
  CHECK_OK(check, hb_device_case_compare(&c, apply, &all, &faults));
  CHECK_EQUAL(check, faults.vectors, 2); /* p and x */
  CHECK_EQUAL(check, faults.entries, 0);
  index[0] ^= HB_OWNS_POINT;
  CHECK_OK(check, hb_mirror_upload(device, &c.index));

  for (int i = 0; i < points; i++) { /* G00 and G11 of the first element */
    const double G00 = hb_real_at(p, c.factors.h, i);
    hb_real_set(p, c.factors.h, i, hb_real_at(p, c.factors.h, 3 * points + i));
    hb_real_set(p, c.factors.h, 3 * points + i, G00);
  }
  CHECK_OK(check, hb_mirror_upload(device, &c.factors));
  CHECK_OK(check, hb_device_case_compare(&c, apply, &all, &faults));
  CHECK(check, faults.entries > points / 2 && faults.entries <= points);
  CHECK(check, faults.dot == 1 && faults.partials == 0 && faults.repeated == 0);
  hb_device_case_free(&c);
}

/* The most telling launches: a direction over all elements, a part without, and no mass kept. */
static inline void hb_check_few(struct hb_check *check, struct hb_device *device,
                                const struct hb_elements *elements,
                                hb_helmholtz_device_apply *apply) {
  const hb_local count = elements->count;
  struct hb_device_case c;
  CHECK_OK(check, hb_device_case_init(device, elements, count, HB_FACTORS_WITH_MASS, &c));
  hb_check_launch(check, &c, apply,
                  (struct hb_device_launch){.begin = 0,
                                            .end = count,
                                            .with_mass = true,
                                            .with_direction = true,
                                            .with_dinv = true,
                                            .alpha = 0.375,
                                            .beta = -0.8125});
  hb_check_launch(check, &c, apply, (struct hb_device_launch){.begin = 1, .end = count - 1});
  hb_device_case_free(&c);
  CHECK_OK(check, hb_device_case_init(device, elements, count, HB_FACTORS_STIFFNESS, &c));
  hb_check_launch(check, &c, apply, (struct hb_device_launch){.begin = 0, .end = count});
  hb_device_case_free(&c);
}

/* One shape of a variant, with geometry of a mode: stored in all launches, the others, whose
 * kernels differ in how they come by factors, in a few (HB_TEST_ALL=1: in all too). */
static inline void hb_check_shape(struct hb_check *check, struct hb_device *device, int n,
                                  enum hb_precision p, enum hb_geometry_mode mode, bool varying,
                                  const struct hb_shape *shape, hb_helmholtz_device_apply *apply) {
  struct hb_elements elements;
  const long failed = check->failed;
  CHECK_OK(check, hb_elements_init_mode(n, p, hb_ragged_count(n), 1 + (n + (int)p) % 2,
                                        (uint64_t)(2 * n + (int)p), mode, varying, &elements));
  elements.shape = *shape;
  if (mode == HB_GEOMETRY_STORED || getenv("HB_TEST_ALL") != NULL) {
    hb_check_plain(check, device, &elements, apply);
    hb_check_directions(check, device, &elements, apply);
  } else
    hb_check_few(check, device, &elements, apply);
  if (n == 4 && mode == HB_GEOMETRY_STORED) hb_check_planted(check, device, &elements, apply);
  hb_elements_free(&elements);
  if (check->failed > failed) {
    char words[HB_SHAPE_WORDS_BYTES];
    hb_shape_words(shape, words);
    printf("  geometry %s, %s, shape: %s\n", hb_geometry_mode_name(mode),
           varying ? "varying" : "constant", words);
  }
}

/* One shape, with geometry of every mode that the variant has for n; varying and constant
 * coefficients by turns. */
static inline void hb_check_modes(struct hb_check *check, struct hb_device *device, int n,
                                  enum hb_precision p, const struct hb_helmholtz_variant *variant,
                                  const struct hb_shape *shape) {
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++)
    if (hb_helmholtz_has(variant, (enum hb_geometry_mode)mode, n))
      hb_check_shape(check, device, n, p, (enum hb_geometry_mode)mode, (n + mode + (int)p) % 2 == 0,
                     shape, variant->device.apply[p]);
}

/* The row of that name, or NULL. */
static inline const struct hb_helmholtz_variant *hb_find_row(const char *name) {
  for (int row = 0; row < hb_helmholtz_num_variants(); row++)
    if (strcmp(hb_helmholtz_variant(row)->name, name) == 0) return hb_helmholtz_variant(row);
  return NULL;
}

/* The whole test of a variant: its geometry modes, precisions, and shapes on this device. */
static inline int hb_check_device_variant(const char *name) {
  const struct hb_helmholtz_variant *variant = hb_find_row(name);
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  struct hb_device_info info = {.architecture = ""};
  int checked = 0;
  CHECK(&check, variant != NULL);
  if (variant == NULL) return hb_check_finish(&check);
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  if (device != NULL) CHECK_OK(&check, hb_device_info(device, &info));
  for (int n = 2; n <= HB_MAX_N && device != NULL; n++)
    for (int p = HB_F64; p <= HB_F32; p++) {
      if (!hb_device_is_tried(n, (enum hb_precision)p)) continue;
      struct hb_shape shape[HB_MAX_SHAPES];
      const int count =
          hb_helmholtz_variant_shapes(variant, info.architecture, n, (enum hb_precision)p, shape);
      for (int s = 0; s < count; s++, checked++)
        hb_check_modes(&check, device, n, (enum hb_precision)p, variant, &shape[s]);
    }
  if (checked == 0) {
    printf("skipped: the variant does not run on %s\n", info.architecture);
    (void)hb_device_check_finish(&check, &device);
    return HB_CHECK_SKIPPED;
  }
  printf("shapes checked: %d\n", checked);
  return hb_device_check_finish(&check, &device);
}

#endif
