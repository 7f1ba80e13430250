/* SPDX-License-Identifier: BSD-3-Clause
 * Geometric factors on a device against the host's reference: orders, precisions, coefficients in
 * arrays and constant, ragged blocks; inverted and broken elements are reported, and only they. */
#include <string.h>

#include "tests/device_data.h"

/* Elements, what the device makes of them, and the reference of one, lanes = 1. */
struct geometry {
  struct hb_device *device;
  struct hb_gll gll;
  enum hb_precision precision;
  hb_local count;
  int points;
  struct hb_geometry geometry;
  bool constant; /* h1 and h2 everywhere, no arrays */
  struct hb_mirror x, h1, h2, factors, mass, min_jacobian;
  double *one; /* factors and mass of one element, h1, h2 */
};

static const double H1 = 1.25, H2 = 0.75; /* where they are constant */

static void geometry_free(struct geometry *g) {
  struct hb_mirror *mirrors[] = {&g->x, &g->h1, &g->h2, &g->factors, &g->mass, &g->min_jacobian};
  for (size_t i = 0; i < sizeof mirrors / sizeof *mirrors; i++)
    hb_mirror_free(g->device, mirrors[i]);
  hb_free(g->one);
}

static enum hb_status geometry_init(struct hb_device *device, int n, enum hb_precision precision,
                                    hb_local count, enum hb_factor_set factors,
                                    struct geometry *g) {
  enum hb_status status = HB_OK;
  const hb_global points = hb_points_per_element(n), all = points * count;
  struct hb_random random = {(uint64_t)(3 * n + (int)precision)};
  *g = (struct geometry){.device = device,
                         .precision = precision,
                         .count = count,
                         .points = (int)points,
                         .geometry = {.mode = HB_GEOMETRY_STORED, .factors = factors}};
  const struct hb_factor_layout layout = hb_geometry_device_layout(&g->geometry, n);
  HB_TRY(hb_gll_init(n - 1, &g->gll));
  HB_TRY(hb_mirror_init(device, 3 * all, sizeof(double), &g->x));
  HB_TRY(hb_mirror_init(device, all, sizeof(double), &g->h1));
  HB_TRY(hb_mirror_init(device, all, sizeof(double), &g->h2));
  HB_TRY(hb_mirror_init(device, hb_factor_count(&layout, count) + HB_GUARD,
                        hb_precision_bytes(precision), &g->factors));
  HB_TRY(hb_mirror_init(device, all + HB_GUARD, sizeof(double), &g->mass));
  HB_TRY(hb_mirror_init(device, count + HB_GUARD, sizeof(double), &g->min_jacobian));
  HB_ALLOC(g->one, points * (HB_MAX_FACTORS + 3), "test");
  for (hb_local e = 0; e < count; e++)
    hb_random_element(&g->gll, &random, 0.05, (double *)g->x.h + 3 * points * e);
  for (hb_global i = 0; i < all; i++) {
    ((double *)g->h1.h)[i] = 1.0 + 0.5 * hb_random_value(&random);
    ((double *)g->h2.h)[i] = hb_random_value(&random);
  }
done:
  return status;
}

/* Outputs NaN, guards the sentinel; forms and fetches. */
static enum hb_status form(struct geometry *g) {
  enum hb_status status = HB_OK;
  const hb_global all = (hb_global)g->points * g->count;
  const struct hb_device_geometry geometry = {.device = g->device,
                                              .n = g->gll.n,
                                              .geometry = g->geometry,
                                              .count = g->count,
                                              .D = g->gll.D,
                                              .weights = g->gll.weights,
                                              .d_x = g->x.d,
                                              .d_h1 = g->constant ? NULL : g->h1.d,
                                              .d_h2 = g->constant ? NULL : g->h2.d,
                                              .h1 = g->constant ? H1 : (double)NAN,
                                              .h2 = g->constant ? H2 : (double)NAN,
                                              .d_factors = g->factors.d,
                                              .d_mass = g->mass.d,
                                              .d_min_jacobian = g->min_jacobian.d};
  struct hb_mirror *outputs[] = {&g->factors, &g->mass, &g->min_jacobian};
  const enum hb_precision precisions[] = {g->precision, HB_F64, HB_F64};
  const hb_global counts[] = {hb_geometry_num_factors(&g->geometry) * all, all, g->count};
  for (int i = 0; i < 3; i++) {
    hb_fill(precisions[i], outputs[i]->h, outputs[i]->count, HB_SENTINEL);
    hb_fill(precisions[i], outputs[i]->h, counts[i], (double)NAN);
    HB_TRY(hb_mirror_upload(g->device, outputs[i]));
  }
  HB_TRY(hb_mirror_upload(g->device, &g->x));
  HB_TRY(hb_mirror_upload(g->device, &g->h1));
  HB_TRY(hb_mirror_upload(g->device, &g->h2));
  HB_TRY(g->precision == HB_F64 ? hb_geometric_factors_device_f64(&geometry)
                                : hb_geometric_factors_device_f32(&geometry));
  HB_TRY(hb_device_synchronise(g->device, HB_STREAM_COMPUTE));
  for (int i = 0; i < 3; i++) HB_TRY(hb_mirror_download(g->device, outputs[i]));
done:
  return status;
}

/* Both sides round: a derivative by a unit of each |D| |x|, with |x| <= 2; a factor multiplies and
 * divides seven of them, on elements whose condition is below 8 (unit_geometric_factors.c). */
static double relative_bound(const struct hb_gll *gll) {
  double largest = 0.0;
  for (int i = 0; i < gll->n; i++) {
    double row = 0.0;
    for (int m = 0; m < gll->n; m++) row += fabs(gll->D[i * gll->n + m]);
    largest = fmax(largest, row);
  }
  return 64.0 * hb_precision_epsilon(HB_F64) * largest;
}

/* Values of one element that differ from the reference: factors in their precision, mass and the
 * smallest Jacobian. */
static long count_wrong(const struct geometry *g, hb_local element) {
  const struct hb_factor_layout layout = hb_geometry_device_layout(&g->geometry, g->gll.n);
  const ptrdiff_t points = g->points, first = element * points;
  double *f = g->one, *mass = f + HB_MAX_FACTORS * points, *h1 = mass + points, *h2 = h1 + points;
  double min_jacobian = 0.0;
  const double *x = (const double *)g->x.h + 3 * first, *d_mass = g->mass.h;
  const struct hb_geometric_input input = {g->gll.n, g->gll.D, g->gll.weights, x, h1, h2};
  const double bound = relative_bound(&g->gll);
  const double stored = g->precision == HB_F64 ? 0.0 : hb_precision_epsilon(g->precision);
  long wrong = 0;
  for (ptrdiff_t i = 0; i < points; i++) {
    h1[i] = g->constant ? H1 : ((const double *)g->h1.h)[first + i];
    h2[i] = g->constant ? H2 : ((const double *)g->h2.h)[first + i];
  }
  hb_geometric_factors_host(&input, NULL, f, mass, &min_jacobian);
  for (ptrdiff_t i = 0; i < points; i++, f += HB_MAX_FACTORS) {
    const double scale = fmax(f[0], fmax(f[3], f[5]));
    for (int q = 0; q < hb_geometry_num_factors(&g->geometry); q++) {
      const double size = q == HB_MASS_FACTOR ? fabs(f[q]) : scale;
      const double value =
          hb_real_at(g->precision, g->factors.h, hb_factor_at(&layout, element, (int)i, q));
      if (!(fabs(value - f[q]) <= bound * size + stored * fabs(f[q]))) wrong++;
    }
    if (!(fabs(d_mass[first + i] - mass[i]) <= bound * mass[i])) wrong++;
  }
  if (!(fabs(((const double *)g->min_jacobian.h)[element] - min_jacobian) <= bound * min_jacobian))
    wrong++;
  return wrong;
}

static bool guards_stand(const struct geometry *g) {
  for (hb_global i = 0; i < HB_GUARD; i++)
    if (hb_real_at(g->precision, g->factors.h, g->factors.count - 1 - i) != HB_SENTINEL ||
        ((const double *)g->mass.h)[g->mass.count - 1 - i] != HB_SENTINEL ||
        ((const double *)g->min_jacobian.h)[g->min_jacobian.count - 1 - i] != HB_SENTINEL)
      return false;
  return true;
}

static void check_values(struct hb_check *check, struct geometry *g) {
  long wrong = 0;
  CHECK_OK(check, form(g));
  for (hb_local e = 0; e < g->count; e++) wrong += count_wrong(g, e);
  CHECK_EQUAL(check, wrong, 0);
  CHECK(check, guards_stand(g));
  if (wrong != 0)
    printf("  n = %d, f%d, %d elements, %d factors, %s coefficients\n", g->gll.n,
           g->precision == HB_F64 ? 64 : 32, (int)g->count, hb_geometry_num_factors(&g->geometry),
           g->constant ? "constant" : "variable");
  /* Planted: a position moved after the device has seen it. */
  double *x = (double *)g->x.h, kept = x[0];
  x[0] += 0.01;
  CHECK(check, count_wrong(g, 0) > 0);
  x[0] = kept;
}

enum fault { MIRRORED, FLAT, FOLDED, NOT_A_NUMBER, NUM_FAULTS };
static const char *const fault_names[] = {"mirrored", "flat", "folded at a point", "NaN"};

/* Makes one element bad, in whole or at a point. */
static void plant(struct geometry *g, enum fault fault, hb_local element, int point) {
  const int i = point % g->gll.n;
  double *x = (double *)g->x.h + 3 * (ptrdiff_t)element * g->points; /* its first component */
  for (int q = 0; q < g->points; q++) {
    if (fault == MIRRORED) x[q] = -x[q];
    if (fault == FLAT) x[q] = 0.0;
  }
  /* A slope in r of -2 at the point, from a large step of its neighbour. */
  if (fault == FOLDED) x[point + (i == 0 ? 1 : -1)] += i == 0 ? -4.0 : 4.0;
  if (fault == NOT_A_NUMBER) x[point] = (double)NAN;
}

/* The bad element, and no other, has no positive smallest Jacobian; NaN where a position is. */
static void check_faults(struct hb_check *check, struct geometry *g) {
  const hb_local elements[] = {0, g->count - 1};
  const int places[] = {0, g->points / 2, g->points - 1};
  const size_t bytes = (size_t)g->points * 3 * sizeof(double);
  double *kept = hb_allocate(3 * g->points, sizeof(double), "test");
  CHECK(check, kept != NULL);
  for (int fault = 0; fault < NUM_FAULTS && kept != NULL; fault++)
    for (int q = 0; q < (fault >= FOLDED ? 3 : 1); q++) {
      const hb_local bad = elements[(fault + q) % 2];
      double *x = (double *)g->x.h + 3 * (ptrdiff_t)bad * g->points;
      const double *J = g->min_jacobian.h;
      memcpy(kept, x, bytes);
      plant(g, (enum fault)fault, bad, places[q]);
      CHECK_OK(check, form(g));
      bool found = fault == NOT_A_NUMBER ? isnan(J[bad]) : J[bad] <= 0.0;
      for (hb_local e = 0; e < g->count; e++)
        if (e != bad && !(J[e] > 0.0)) found = false;
      CHECK(check, found);
      if (hb_check_prints(check, found))
        printf("  n = %d, element %d %s, point %d: min_jacobian %g\n", g->gll.n, (int)bad,
               fault_names[fault], places[q], J[bad]);
      memcpy(x, kept, bytes);
    }
  hb_free(kept);
}

static void check_order(struct hb_check *check, struct hb_device *device, int n,
                        enum hb_precision precision) {
  const hb_local count = n == 2 ? 131 : n == 3 ? 41 : n <= 7 ? 17 : 3; /* ragged blocks */
  struct geometry g;
  CHECK_OK(check, geometry_init(device, n, precision, count, HB_FACTORS_WITH_MASS, &g));
  check_values(check, &g);
  if (precision == HB_F64 && n != 14 && n != 15) check_faults(check, &g);
  geometry_free(&g);
  CHECK_OK(check, geometry_init(device, n, precision, 1, HB_FACTORS_STIFFNESS, &g));
  g.constant = true;
  check_values(check, &g);
  g.count = 0;
  CHECK_OK(check, form(&g));
  CHECK(check, hb_real_at(precision, g.factors.h, 0) == HB_SENTINEL && guards_stand(&g));
  geometry_free(&g);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  for (int n = 2; n <= HB_MAX_N && device != NULL; n++) {
    check_order(&check, device, n, HB_F64);
    check_order(&check, device, n, HB_F32);
  }
  return hb_device_check_finish(&check, &device);
}
