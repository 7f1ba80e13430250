/* SPDX-License-Identifier: BSD-3-Clause
 * A device operator on local vectors against the reference in double: orders, precisions, shapes,
 * components, mass, parts of the elements; what is written and left alone; repeated calls; and that
 * a wrong operator is seen.  The tests of the variants are this with their functions. */
#ifndef HB_TESTS_DEVICE_HELMHOLTZ_LOCAL_H
#define HB_TESTS_DEVICE_HELMHOLTZ_LOCAL_H

#include "tests/device_data.h"

/* The operator on local vectors of the first elements. */
struct hb_local_case {
  struct hb_device_case of; /* D, factors, partial sums */
  int components;
  struct hb_mirror u, w;           /* [component][element][k][j][i], w with a guard */
  void *u_kept;                    /* u, of which a launch's copy has gaps */
  struct hb_reference expected[2]; /* [with_mass]: on u */
};

/* What a launch is asked for. */
struct hb_local_launch {
  hb_local begin, end;
  bool with_mass;
};

/* What the comparison found, each 0 if the variant keeps the contract. */
struct hb_local_faults {
  long entries;  /* wrong entries of w */
  long partials; /* of the partial sums: missing, not a number, outside their place */
  int dot;       /* u.w wrong */
  int repeated;  /* a second call is not bitwise the same */
};

static inline void hb_local_case_free(struct hb_local_case *c) {
  hb_mirror_free(c->of.device, &c->u);
  hb_mirror_free(c->of.device, &c->w);
  hb_free(c->u_kept);
  for (int mass = 0; mass < 2; mass++) hb_reference_free(&c->expected[mass]);
  c->u_kept = NULL;
  hb_device_case_free(&c->of);
}

/* Without and with mass. */
static inline enum hb_status hb_local_case_refer(struct hb_local_case *c) {
  enum hb_status status = HB_OK;
  const struct hb_elements *e = c->of.host.elements;
  for (int mass = 0; mass < 2; mass++) {
    struct hb_reference *x = &c->expected[mass];
    HB_TRY(hb_elements_reference(e, e->count, c->components, mass == 1, x));
    for (hb_global i = 0; i < hb_reference_entries(x); i++)
      x->u_magnitude[i] = fabs(x->u[i] = hb_real_at(e->precision, c->u_kept, i));
    hb_reference_apply(x);
  }
done:
  return status;
}

/* All of `elements`, which must outlive the case, and random u.  Freed by hb_local_case_free, also
 * after a failure. */
static inline enum hb_status hb_local_case_init(struct hb_device *device,
                                                const struct hb_elements *elements,
                                                enum hb_factor_set factors, int components,
                                                struct hb_local_case *c) {
  enum hb_status status = HB_OK;
  const enum hb_precision p = elements->precision;
  const size_t real = hb_precision_bytes(p);
  const hb_global all =
      (hb_global)components * elements->count * hb_points_per_element(elements->n);
  struct hb_random random = {(uint64_t)(elements->n + 57)};
  memset(c, 0, sizeof *c);
  c->components = components;
  HB_TRY(hb_device_case_init(device, elements, elements->count, factors, &c->of));
  c->of.h.d_surface_index = NULL;
  c->of.h.d_surface = NULL;
  HB_TRY(hb_mirror_init(device, all, real, &c->u));
  HB_TRY(hb_mirror_init(device, all + HB_GUARD, real, &c->w));
  HB_TRY(hb_allocate_reals(p, all, &c->u_kept));
  for (hb_global i = 0; i < all; i++) hb_real_set(p, c->u_kept, i, hb_random_value(&random));
  HB_TRY(hb_local_case_refer(c));
done:
  return status;
}

/* Is entry i of u or w of an element of the launch? */
static inline bool hb_local_is_asked(const struct hb_local_case *c,
                                     const struct hb_local_launch *launch, hb_global i) {
  const hb_global element = i / hb_points_per_element(c->of.h.n) % c->of.h.num_elements;
  return i < c->u.count && element >= launch->begin && element < launch->end;
}

/* One launch, fetched: u is NaN in all other elements; what must be written is NaN before, all else
 * the sentinel. */
static inline enum hb_status hb_local_case_launch(struct hb_local_case *c,
                                                  hb_helmholtz_device_apply_local *apply,
                                                  const struct hb_local_launch *launch,
                                                  hb_local *num_partials) {
  enum hb_status status = HB_OK;
  const enum hb_precision p = c->of.host.elements->precision;
  struct hb_device *device = c->of.device;
  struct hb_mirror *partials = &c->of.partials;
  *num_partials = HB_FIRST_PARTIAL;
  for (hb_global i = 0; i < c->u.count; i++)
    hb_real_set(p, c->u.h, i,
                hb_local_is_asked(c, launch, i) ? hb_real_at(p, c->u_kept, i) : (double)NAN);
  for (hb_global i = 0; i < c->w.count; i++)
    hb_real_set(p, c->w.h, i, hb_local_is_asked(c, launch, i) ? (double)NAN : HB_SENTINEL);
  hb_fill(HB_F64, partials->h, partials->count, (double)NAN);
  hb_fill(HB_F64, partials->h, HB_FIRST_PARTIAL, HB_SENTINEL);
  HB_TRY(hb_mirror_upload(device, &c->u));
  HB_TRY(hb_mirror_upload(device, &c->w));
  HB_TRY(hb_mirror_upload(device, partials));
  HB_TRY(apply(&c->of.h, c->components, launch->begin, launch->end, launch->with_mass, c->u.d,
               c->w.d, num_partials));
  HB_TRY(hb_device_synchronise(device, HB_STREAM_COMPUTE));
  HB_TRY(hb_mirror_download(device, &c->w));
  HB_TRY(hb_mirror_download(device, partials));
done:
  return status;
}

/* Entries of w farther from the reference than the tolerance of their magnitude; where the launch
 * has nothing to write, entries that are not the sentinel. */
static inline long hb_local_count_wrong(const struct hb_local_case *c,
                                        const struct hb_local_launch *launch) {
  const enum hb_precision p = c->of.host.elements->precision;
  const struct hb_reference *x = &c->expected[launch->with_mass];
  long wrong = 0;
  for (hb_global i = 0; i < c->w.count; i++) {
    const double value = hb_real_at(p, c->w.h, i);
    if (hb_local_is_asked(c, launch, i))
      wrong += !hb_agrees(c->of.h.n, p, value, x->w[i], x->w_magnitude[i]);
    else
      wrong += value != HB_SENTINEL;
  }
  return wrong;
}

/* The partial sums, and u.w over the launch's elements and all components. */
static inline void hb_local_compare_partials(const struct hb_local_case *c,
                                             const struct hb_local_launch *launch,
                                             hb_local num_partials, struct hb_local_faults *f) {
  const struct hb_reference *x = &c->expected[launch->with_mass];
  const enum hb_precision p = c->of.host.elements->precision;
  const double *partials = c->of.partials.h;
  double dot = 0.0, expected = 0.0, scale = 0.0;
  for (hb_global i = 0; i < c->u.count; i++)
    if (hb_local_is_asked(c, launch, i)) hb_reference_add_dot(x, i, i + 1, &expected, &scale);
  f->partials = num_partials < HB_FIRST_PARTIAL ||
                (num_partials == HB_FIRST_PARTIAL) != (launch->begin == launch->end);
  if (num_partials - HB_FIRST_PARTIAL > hb_helmholtz_device_partials(launch->end - launch->begin))
    f->partials++;
  for (hb_global i = 0; i < c->of.partials.count; i++) {
    if (i < HB_FIRST_PARTIAL) f->partials += partials[i] != HB_SENTINEL;
    if (i >= HB_FIRST_PARTIAL && i < num_partials) dot += partials[i];
    if (i >= num_partials) f->partials += !isnan(partials[i]);
  }
  /* As in kernel_data.h: n^3 products an element round at random. */
  f->dot = !hb_agrees(c->of.h.n, p, dot, expected, scale);
}

/* Runs a launch twice and compares; HB_OK means that it ran. */
static inline enum hb_status hb_local_case_compare(struct hb_local_case *c,
                                                   hb_helmholtz_device_apply_local *apply,
                                                   const struct hb_local_launch *launch,
                                                   struct hb_local_faults *f) {
  enum hb_status status = HB_OK;
  const struct hb_mirror *partials = &c->of.partials;
  void *w = NULL, *first_partials = NULL;
  hb_local num_partials = 0;
  *f = (struct hb_local_faults){0, 0, 0, 0};
  HB_TRY(hb_local_case_launch(c, apply, launch, &num_partials));
  f->entries = hb_local_count_wrong(c, launch);
  hb_local_compare_partials(c, launch, num_partials, f);
  HB_ALLOC(w, c->w.bytes, "test");
  HB_ALLOC(first_partials, partials->bytes, "test");
  memcpy(w, c->w.h, (size_t)c->w.bytes);
  memcpy(first_partials, partials->h, (size_t)partials->bytes);
  HB_TRY(hb_local_case_launch(c, apply, launch, &num_partials));
  f->repeated = !hb_same_bits(w, c->w.h, (size_t)c->w.bytes) ||
                !hb_same_bits(first_partials, partials->h, (size_t)partials->bytes);
done:
  hb_free(w);
  hb_free(first_partials);
  return status;
}

static inline void hb_check_local_launch(struct hb_check *check, struct hb_local_case *c,
                                         hb_helmholtz_device_apply_local *apply, hb_local begin,
                                         hb_local end, bool with_mass) {
  const struct hb_local_launch launch = {begin, end, with_mass};
  struct hb_local_faults faults = {0, 0, 0, 0};
  char words[HB_SHAPE_WORDS_BYTES];
  CHECK_OK(check, hb_local_case_compare(c, apply, &launch, &faults));
  CHECK_EQUAL(check, faults.entries, 0);
  CHECK_EQUAL(check, faults.partials, 0);
  CHECK_EQUAL(check, faults.dot, 0);
  CHECK_EQUAL(check, faults.repeated, 0);
  if (faults.entries == 0 && faults.partials == 0 && faults.dot == 0 && faults.repeated == 0)
    return;
  hb_shape_words(&c->of.h.shape, words);
  printf("  n = %d, f%d, %d components, elements %d to %d of %d, %d factors, mass %d, shape: %s\n",
         c->of.h.n, c->of.host.elements->precision == HB_F64 ? 64 : 32, c->components, (int)begin,
         (int)end, (int)c->of.h.num_elements, hb_geometry_num_factors(&c->of.h.geometry), with_mass,
         words);
}

/* Wrong operators, each of which the comparison must see: an element's result missing, a component
 * taken for another, two factors swapped. */
static inline void hb_check_local_planted(struct hb_check *check, struct hb_local_case *c,
                                          hb_helmholtz_device_apply_local *apply) {
  const enum hb_precision p = c->of.host.elements->precision;
  const int points = hb_points_per_element(c->of.h.n);
  const hb_local count = c->of.h.num_elements;
  const struct hb_local_launch all = {0, count, false}, fewer = {0, count - 1, false};
  struct hb_local_faults faults = {0, 0, 0, 0};
  hb_local num_partials = 0;
  CHECK_OK(check, hb_local_case_launch(c, apply, &fewer, &num_partials));
  CHECK_EQUAL(check, hb_local_count_wrong(c, &all), (long)c->components * points);
  hb_local_compare_partials(c, &all, num_partials, &faults);
  CHECK_EQUAL(check, faults.dot, 1);

  double *first = c->expected[0].w,
         *second = first + (c->components > 1 ? (ptrdiff_t)count * points : points);
  for (int i = 0; i < points; i++) { /* the next component's, or else the next element's */
    const double expected = first[i];
    first[i] = second[i];
    second[i] = expected;
  }
  CHECK_OK(check, hb_local_case_launch(c, apply, &all, &num_partials));
  CHECK(check, hb_local_count_wrong(c, &all) > points);
  for (int i = 0; i < points; i++) {
    const double expected = first[i];
    first[i] = second[i];
    second[i] = expected;
  }

  for (int i = 0; i < points; i++) { /* G00 and G11 of the first element */
    const double G00 = hb_real_at(p, c->of.factors.h, i);
    hb_real_set(p, c->of.factors.h, i, hb_real_at(p, c->of.factors.h, 3 * points + i));
    hb_real_set(p, c->of.factors.h, 3 * points + i, G00);
  }
  CHECK_OK(check, hb_mirror_upload(c->of.device, &c->of.factors));
  CHECK_OK(check, hb_local_case_compare(c, apply, &all, &faults));
  CHECK(check, faults.entries > c->components * points / 2);
  CHECK(check, faults.entries <= c->components * points);
  CHECK(check, faults.dot == 1 && faults.partials == 0 && faults.repeated == 0);
}

/* All launches of one shape, or, with `few`, the most telling ones. */
static inline void hb_check_local_shape(struct hb_check *check, struct hb_device *device,
                                        const struct hb_elements *elements, bool few,
                                        int components, hb_helmholtz_device_apply_local *apply) {
  const hb_local count = elements->count;
  const hb_local parts[][2] = {{0, count}, {1, count - 1}, {0, 3}, {3, count}, {4, 4}};
  const size_t num_parts = few ? 2 : sizeof parts / sizeof *parts;
  struct hb_local_case c;
  CHECK_OK(check, hb_local_case_init(device, elements, HB_FACTORS_WITH_MASS, components, &c));
  for (size_t i = 0; i < num_parts; i++)
    hb_check_local_launch(check, &c, apply, parts[i][0], parts[i][1], i % 2 == 0);
  if (!few && elements->n == 4) hb_check_local_planted(check, &c, apply);
  hb_local_case_free(&c);
  if (few) return;
  CHECK_OK(check, hb_local_case_init(device, elements, HB_FACTORS_STIFFNESS, components, &c));
  hb_check_local_launch(check, &c, apply, 0, count, false);
  hb_local_case_free(&c);
}

/* Numbers of components that the variant does not have are refused before anything is written. */
static inline void hb_check_local_refusals(struct hb_check *check, struct hb_device *device,
                                           const struct hb_elements *elements, int max_components,
                                           hb_helmholtz_device_apply_local *apply) {
  const hb_local count = elements->count;
  struct hb_local_case c;
  hb_local num_partials = HB_FIRST_PARTIAL;
  CHECK_OK(check, hb_local_case_init(device, elements, HB_FACTORS_STIFFNESS, 1, &c));
  CHECK_FAILS(check, apply(&c.of.h, 2, 0, count, false, c.u.d, c.w.d, &num_partials), HB_BAD_INPUT,
              "components");
  if (max_components == 1)
    CHECK_FAILS(check, apply(&c.of.h, 3, 0, count, false, c.u.d, c.w.d, &num_partials),
                HB_BAD_INPUT, "components");
  CHECK_EQUAL(check, num_partials, HB_FIRST_PARTIAL);
  hb_local_case_free(&c);
}

/* Geometry that is not stored, of the modes that the variant has; varying and constant coefficients
 * by turns. */
static inline void hb_check_local_modes(struct hb_check *check, struct hb_device *device,
                                        const struct hb_helmholtz_variant *variant, int n,
                                        enum hb_precision p, const struct hb_shape *shape) {
  for (int mode = HB_GEOMETRY_STORED + 1; mode < HB_NUM_GEOMETRY_MODES; mode++) {
    struct hb_elements elements;
    const long failed = check->failed;
    if (!hb_helmholtz_has(variant, (enum hb_geometry_mode)mode, n)) continue;
    CHECK_OK(check, hb_elements_init_mode(n, p, hb_ragged_count(n), 1, (uint64_t)(2 * n + (int)p),
                                          (enum hb_geometry_mode)mode, (n + mode + (int)p) % 2 == 1,
                                          &elements));
    elements.shape = *shape;
    for (int components = 1; components <= variant->device.max_components; components += 2)
      hb_check_local_shape(check, device, &elements, true, components,
                           variant->device.apply_local[p]);
    hb_elements_free(&elements);
    if (check->failed > failed)
      printf("  geometry %s\n", hb_geometry_mode_name((enum hb_geometry_mode)mode));
  }
}

/* One order and precision: the first shape thoroughly, the others at least.  Returns their number
 * on this device. */
static inline int hb_check_local_order(struct hb_check *check, struct hb_device *device,
                                       const struct hb_helmholtz_variant *variant, int n,
                                       enum hb_precision p) {
  struct hb_shape shapes[HB_MAX_SHAPES] = {{.tile = HB_MATRIX_NONE}};
  struct hb_device_info info;
  struct hb_elements elements;
  CHECK_OK(check, hb_device_info(device, &info));
  const int num_shapes =
      variant->device.shapes == NULL ? 1 : variant->device.shapes(info.architecture, n, p, shapes);
  CHECK(check, num_shapes >= 0 && num_shapes <= HB_MAX_SHAPES);
  if (num_shapes == 0) return 0;
  CHECK_OK(check,
           hb_elements_init(n, p, hb_ragged_count(n), 1, (uint64_t)(2 * n + (int)p), &elements));
  elements.shape = shapes[0];
  hb_check_local_refusals(check, device, &elements, variant->device.max_components,
                          variant->device.apply_local[p]);
  for (int s = 0; s < num_shapes; s++) {
    elements.shape = shapes[s];
    for (int components = 1; components <= variant->device.max_components; components += 2)
      hb_check_local_shape(check, device, &elements, s > 0, components,
                           variant->device.apply_local[p]);
  }
  hb_elements_free(&elements);
  hb_check_local_modes(check, device, variant, n, p, &shapes[0]);
  return num_shapes;
}

/* The whole test of a variant, of which the orders, and the device part's apply_local,
 * max_components and shapes are used. */
static inline int hb_check_device_local(const struct hb_helmholtz_variant *variant) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  int checked = 0;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  for (int n = 2; n <= HB_MAX_N && device != NULL; n++)
    for (int p = HB_F64; p <= HB_F32; p++)
      if (variant->device.apply_local[p] != NULL && hb_device_is_tried(n, (enum hb_precision)p))
        checked += hb_check_local_order(&check, device, variant, n, (enum hb_precision)p);
  if (checked == 0) {
    printf("skipped: the variant does not run on this device\n");
    (void)hb_device_check_finish(&check, &device);
    return HB_CHECK_SKIPPED;
  }
  printf("shapes checked: %d\n", checked);
  return hb_device_check_finish(&check, &device);
}

#endif
