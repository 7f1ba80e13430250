/* SPDX-License-Identifier: BSD-3-Clause
 * Every variant of the operator against the reference in double: orders, precisions, mass, full and
 * ragged blocks, shared points; what is stored, added and left alone; repeated and split calls. */
#include <string.h>

#include "tests/check.h"
#include "tests/kernel_data.h"

static void check_case(struct hb_check *check, const struct hb_elements *elements,
                       const struct hb_helmholtz_variant *variant, hb_local num_elements,
                       enum hb_factor_set factors, bool with_mass) {
  const enum hb_precision p = elements->precision;
  struct hb_faults faults = {0, 0, 0, 0, 0};
  struct hb_case c;
  CHECK_OK(check, hb_case_init(elements, variant->lanes[p], num_elements, factors, &c));
  CHECK_OK(check, hb_case_compare(&c, variant->host.apply[p], with_mass, &faults));
  CHECK_EQUAL(check, faults.entries, 0);
  CHECK_EQUAL(check, faults.dot, 0);
  CHECK_EQUAL(check, faults.repeated, 0);
  CHECK_EQUAL(check, faults.split, 0);
  CHECK_EQUAL(check, faults.scratch, 0);
  if (hb_has_faults(&faults))
    printf("  in %s, %s, n = %d, f%d, %d elements, %d across, %d factors, mass %d\n", variant->name,
           hb_geometry_mode_name(c.h.geometry.mode), elements->n, p == HB_F64 ? 64 : 32,
           (int)num_elements, elements->across, hb_geometry_num_factors(&c.h.geometry), with_mass);
  hb_case_free(&c);
}

static void check_variant(struct hb_check *check, const struct hb_elements *elements,
                          const struct hb_helmholtz_variant *variant) {
  const int lanes = variant->lanes[elements->precision];
  const hb_local counts[] = {1, lanes - 1, lanes, lanes + 1, 2 * lanes + 3};
  if (elements->geometry.mode !=
      HB_GEOMETRY_STORED) { /* blocks are walked as with stored factors */
    check_case(check, elements, variant, lanes + 1, HB_FACTORS_STIFFNESS, false);
    check_case(check, elements, variant, 2 * lanes + 3, HB_FACTORS_WITH_MASS, true);
    return;
  }
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    check_case(check, elements, variant, counts[i], HB_FACTORS_STIFFNESS, false);
    check_case(check, elements, variant, counts[i], HB_FACTORS_WITH_MASS, true);
    check_case(check, elements, variant, counts[i], HB_FACTORS_WITH_MASS, false);
  }
}

/* The reference's own entry point in single precision, which no variant calls. */
static void check_host_f32(struct hb_check *check, const struct hb_elements *e) {
  enum hb_status status = HB_OK;
  const hb_global points = hb_points_per_element(e->n);
  float *D = NULL, *factors = NULL, *u = NULL, *w = NULL;
  HB_ALLOC(D, e->n * e->n, "test");
  HB_ALLOC(factors, points * HB_MAX_FACTORS, "test");
  HB_ALLOC(u, points, "test");
  HB_ALLOC(w, points, "test");
  for (int i = 0; i < e->n * e->n; i++) D[i] = (float)e->D[i];
  for (hb_global i = 0; i < points * HB_MAX_FACTORS; i++) factors[i] = (float)e->factors[i];
  for (hb_global i = 0; i < points; i++) u[i] = (float)e->u[i];
  for (int mass = 0; mass < 2; mass++) {
    hb_helmholtz_host_f32(e->n, 1, HB_MAX_FACTORS, mass == 1, D, factors, u, w);
    for (hb_global i = 0; i < points; i++)
      CHECK_NEAR(check, (double)w[i], e->w[mass][i],
                 hb_helmholtz_tolerance(e->n, HB_F32, e->magnitude[mass][i]));
  }
done:
  CHECK_EQUAL(check, status, HB_OK);
  hb_free(D);
  hb_free(factors);
  hb_free(u);
  hb_free(w);
}

/* Elements for one order, precision and geometry mode; one or two across, varying coefficients or
 * not, so that every order sees both. */
static int check_mode(struct hb_check *check, int n, enum hb_precision precision,
                      enum hb_geometry_mode mode) {
  struct hb_elements elements;
  int variants = 0;
  const int across = 1 + (n + (int)precision) % 2;
  const bool varying = (n / 2 + (int)mode) % 2 == 0;
  CHECK_OK(check,
           hb_elements_init_mode(n, precision, 2 * HB_MAX_LANES + 3, across,
                                 (uint64_t)(2 * n + (int)precision), mode, varying, &elements));
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
    if (variant->backend != HB_BACKEND_HOST || !hb_host_isa_runs(variant->isa) ||
        !hb_helmholtz_has(variant, mode, n))
      continue;
    check_variant(check, &elements, variant);
    variants++;
  }
  if (precision == HB_F32 && mode == HB_GEOMETRY_STORED) check_host_f32(check, &elements);
  hb_elements_free(&elements);
  return variants;
}

/* The modes; of those that are not stored the vectorised variants have every order. */
static int check_order(struct hb_check *check, int n, enum hb_precision precision) {
  int variants = 0;
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++) {
    const int found = check_mode(check, n, precision, (enum hb_geometry_mode)mode);
    if (mode == HB_GEOMETRY_STORED) variants = found;
    CHECK_EQUAL(check, found, mode == HB_GEOMETRY_STORED ? variants : variants - 1);
  }
  return variants;
}

/* The largest difference over what may be of a variant's result with one kept value of the first
 * element changed; a value at a point, or of an element. */
static bool sees_change(struct hb_check *check, const struct hb_elements *elements,
                        const struct hb_helmholtz_variant *variant, bool at_point, int f) {
  struct hb_faults faults = {0, 0, 0, 0, 0};
  const struct hb_factor_layout layout =
      hb_geometry_host_layout(&elements->geometry, elements->n, variant->lanes[HB_F64]);
  struct hb_case c;
  CHECK_OK(check, hb_case_init(elements, variant->lanes[HB_F64], elements->count,
                               HB_FACTORS_WITH_MASS, &c));
  double *value = at_point ? (double *)c.factors + hb_factor_at(&layout, 0, elements->n + 1, f)
                           : (double *)c.element_values +
                                 hb_element_value_at(&elements->geometry, c.h.lanes, 0, f);
  *value += 1e-6;
  CHECK_OK(check, hb_case_compare(&c, variant->host.apply[HB_F64], true, &faults));
  hb_case_free(&c);
  return faults.entries > 0;
}

/* A changed value of any kind that a mode keeps is seen. */
static void check_changes(struct hb_check *check) {
  const struct hb_helmholtz_variant *variant = NULL;
  CHECK_OK(check,
           hb_helmholtz_find_variant("auto", HB_BACKEND_HOST, HB_GEOMETRY_NODES, 4, &variant));
  for (int mode = HB_GEOMETRY_NODES; mode < HB_NUM_GEOMETRY_MODES; mode++) {
    struct hb_elements elements;
    CHECK_OK(check, hb_elements_init_mode(4, HB_F64, 3, 2, 7, (enum hb_geometry_mode)mode, true,
                                          &elements));
    for (int f = 0; f < hb_geometry_num_point_values(&elements.geometry); f++)
      CHECK(check, sees_change(check, &elements, variant, true, f));
    for (int v = 0; v < hb_geometry_num_element_values(&elements.geometry); v++) {
      const bool unused =
          mode == HB_GEOMETRY_AFFINE ? v == HB_AFFINE_VALUES - 1 : v % HB_TRILINEAR_TERMS == 0;
      CHECK_EQUAL(check, sees_change(check, &elements, variant, false, v), !unused);
    }
    hb_elements_free(&elements);
  }
}

/* The same parallelepiped for every element, kept in the elements' mode; the reference's factors
 * are formed from its positions. */
static enum hb_status keep_same(struct hb_elements *e) {
  enum hb_status status = HB_OK;
  const int n = e->n, points = hb_points_per_element(n);
  const double h1 = e->geometry.h1, h2 = e->geometry.h2;
  struct hb_random random = {11};
  struct hb_gll gll;
  double *x = NULL, min_jacobian = 0.0;
  HB_ALLOC(x, 6 * points, "test positions");
  double *h = x + 3 * points, *mass = h + 2 * points;
  HB_TRY(hb_gll_init(n - 1, &gll));
  hb_random_element(&gll, &random, 0.0, x);
  hb_make_affine(&gll, x);
  for (int i = 0; i < 2 * points; i++) h[i] = i < points ? h1 : h2;
  const struct hb_geometric_input input = {n, gll.D, gll.weights, x, h, h + points};
  for (hb_local element = 0; element < e->count; element++) {
    const ptrdiff_t start = (ptrdiff_t)element * points;
    hb_geometric_factors_host(&input, NULL, e->factors + start * HB_MAX_FACTORS, mass,
                              &min_jacobian);
    if (e->geometry.mode == HB_GEOMETRY_STORED) continue;
    for (int i = 0; i < 3 * points && e->geometry.mode == HB_GEOMETRY_NODES; i++)
      e->point_values[start * 3 + i] = x[i % 3 * points + i / 3] - x[i % 3 * points];
    hb_geometry_keep(&e->geometry, n, x,
                     e->element_values + (ptrdiff_t)element * HB_MAX_ELEMENT_VALUES);
  }
  const struct hb_kept_basis basis = {n, gll.nodes, gll.weights, gll.D};
  e->growth = hb_geometry_growth(e->geometry.mode, &basis, x);
  for (int with_mass = 0; with_mass < 2; with_mass++) {
    hb_free(e->w[with_mass]);
    hb_free(e->magnitude[with_mass]);
    e->w[with_mass] = e->magnitude[with_mass] = NULL;
  }
  status = hb_elements_refer(e);
done:
  hb_free(x);
  return status;
}

/* On elements that all modes represent every variant gives in every mode what stored factors give:
 * the reference here is of these, not of what the mode keeps. */
static void check_same_element(struct hb_check *check, int n) {
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++) {
    struct hb_elements e;
    CHECK_OK(check, hb_elements_init_mode(n, HB_F64, 2 * HB_MAX_LANES + 3, 2, 5,
                                          (enum hb_geometry_mode)mode, false, &e));
    CHECK_OK(check, keep_same(&e));
    for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
      const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
      if (variant->backend == HB_BACKEND_HOST && hb_host_isa_runs(variant->isa) &&
          hb_helmholtz_has(variant, (enum hb_geometry_mode)mode, n))
        check_variant(check, &e, variant);
    }
    hb_elements_free(&e);
  }
}

/* The choice by name: the last row that runs here is the default, a wrong name lists the others. */
static void check_choice(struct hb_check *check) {
  const struct hb_helmholtz_variant *found = NULL, *last = NULL;
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
    if (variant->backend != HB_BACKEND_HOST) continue;
    if (!hb_host_isa_runs(variant->isa)) {
      CHECK_FAILS(
          check,
          hb_helmholtz_find_variant(variant->name, HB_BACKEND_HOST, HB_GEOMETRY_STORED, 8, &found),
          HB_BAD_INPUT, "reference");
      continue;
    }
    CHECK_OK(check, hb_helmholtz_find_variant(variant->name, HB_BACKEND_HOST, HB_GEOMETRY_STORED, 8,
                                              &found));
    CHECK(check, found == variant);
    CHECK_FAILS(check,
                hb_helmholtz_find_variant(variant->name, HB_BACKEND_HOST, HB_NUM_GEOMETRY_MODES, 8,
                                          &found), /* a mode that no row has */
                HB_BAD_INPUT, variant->name);
    CHECK_FAILS(
        check, hb_helmholtz_find_variant("no such", HB_BACKEND_HOST, HB_GEOMETRY_STORED, 8, &found),
        HB_BAD_INPUT, variant->name);
    CHECK_FAILS(check,
                hb_helmholtz_find_variant(variant->name, HB_BACKEND_HOST, HB_GEOMETRY_STORED,
                                          HB_MAX_N + 1, &found),
                HB_BAD_INPUT, variant->name);
    last = variant;
  }
  CHECK_OK(check,
           hb_helmholtz_find_variant("auto", HB_BACKEND_HOST, HB_GEOMETRY_STORED, 8, &found));
  CHECK(check, last != NULL && found == last);
}

int main(void) {
  struct hb_check check = {0, 0};
  int variants = 0;
  check_changes(&check);
  check_choice(&check);
  for (int n = 2; n <= HB_MAX_N; n++) {
    for (int p = HB_F64; p <= HB_F32; p++)
      if (hb_is_chosen(n, p)) variants += check_order(&check, n, (enum hb_precision)p);
  }
  check_same_element(&check, 2);
  check_same_element(&check, 7);
  check_same_element(&check, 12);
  printf("orders, precisions and variants compared: %d\n", variants);
  return hb_check_finish(&check);
}
