/* SPDX-License-Identifier: BSD-3-Clause
 * What geometry modes keep of an element: factors formed from it are those of the positions; which
 * elements a mode can represent, and how far off others are. */
#include <string.h>

#include "tests/check.h"
#include "tests/kernel_data.h"

enum shape { BRICK, SHEARED, STRAIGHT, CURVED };

/* A brick of 1, 1.5, 0.7 m, the same sheared, with moved vertices, with a wave; `far` m away. */
static void make_element(const struct hb_gll *gll, enum shape shape, double far, double *x) {
  const int n = gll->n, points = hb_points_per_element(n);
  struct hb_random random = {(uint64_t)(n + 10 * (int)shape)};
  if (shape >= SHEARED) hb_random_element(gll, &random, shape == CURVED ? 0.05 : 0.0, x);
  if (shape == SHEARED) hb_make_affine(gll, x);
  for (int point = 0; point < points; point++) {
    const double at[3] = {gll->nodes[point % n], gll->nodes[point / n % n],
                          gll->nodes[point / (n * n)]};
    static const double half[3] = {0.5, 0.75, 0.35};
    for (int a = 0; a < 3; a++) {
      if (shape == BRICK) x[a * points + point] = half[a] * at[a];
      x[a * points + point] += far;
    }
  }
}

/* The mode's factors against those of the positions, with coefficients that vary or not. */
static void check_factors(struct hb_check *check, const struct hb_gll *gll, enum shape shape,
                          enum hb_geometry_mode mode, bool varying, double *work) {
  const int n = gll->n, points = hb_points_per_element(n);
  const struct hb_geometry geometry = {mode, HB_FACTORS_WITH_MASS, varying, 0.75, 1.25};
  const struct hb_kept_basis basis = {n, gll->nodes, gll->weights, gll->D};
  const int kept = hb_geometry_num_point_values(&geometry);
  double *x = work, *h1 = x + 3 * points, *h2 = h1 + points, *mass = h2 + points;
  double *expected = mass + points, *own = expected + HB_MAX_FACTORS * points;
  double *factors = own + HB_MAX_POINT_VALUES * points, values[HB_MAX_ELEMENT_VALUES] = {0.0};
  double min_jacobian;
  struct hb_random random = {5};
  make_element(gll, shape, 0.0, x);
  for (int point = 0; point < points; point++) {
    h1[point] = varying ? 1.0 + 0.5 * hb_random_value(&random) : geometry.h1;
    h2[point] = varying ? 1.0 + 0.5 * hb_random_value(&random) : geometry.h2;
    if (varying) own[point * kept + kept - 2] = h1[point];
    if (varying) own[point * kept + kept - 1] = h2[point];
    for (int a = 0; a < 3 && mode == HB_GEOMETRY_NODES; a++)
      own[point * kept + a] = x[a * points + point] - x[a * points];
  }
  const struct hb_geometric_input input = {n, gll->D, gll->weights, x, h1, h2};
  hb_geometric_factors_host(&input, NULL, expected, mass, &min_jacobian);
  hb_geometry_keep(&geometry, n, x, values);
  CHECK_OK(check, hb_geometry_expand(&geometry, &basis, own, values, factors));
  const double growth = hb_geometry_growth(mode, &basis, x);
  CHECK(check, growth >= 1.0 && growth < 20.0 * n * n);
  for (int point = 0; point < points; point++) {
    const double *f = factors + point * HB_MAX_FACTORS, *e = expected + point * HB_MAX_FACTORS;
    const double scale = hb_max(e[0], hb_max(e[3], e[5]));
    /* Both are rounded; positions less those of the first point. */
    const double bound = 8.0 * n * n * hb_precision_epsilon(HB_F64);
    for (int q = 0; q < HB_NUM_GEOMETRIC; q++) CHECK_NEAR(check, f[q], e[q], bound * scale);
    CHECK_NEAR(check, f[HB_MASS_FACTOR], e[HB_MASS_FACTOR], bound * e[HB_MASS_FACTOR]);
  }
}

/* Which modes represent which shapes, near the origin and far from it. */
static void check_misfit(struct hb_check *check, const struct hb_gll *gll, double *x) {
  const double fars[] = {0.0, 1000.0};
  for (int shape = BRICK; shape <= CURVED; shape++)
    for (int q = 0; q < 2; q++) {
      make_element(gll, (enum shape)shape, fars[q], x);
      const double bound = hb_geometry_misfit_rounding(hb_geometry_distance(gll->n, x));
      const double straight = hb_geometry_misfit(HB_GEOMETRY_TRILINEAR, gll->n, gll->nodes, x);
      const double affine = hb_geometry_misfit(HB_GEOMETRY_AFFINE, gll->n, gll->nodes, x);
      CHECK(check, bound < 1e-11);
      CHECK(check, (straight <= bound) == (shape <= STRAIGHT || gll->n == 2));
      CHECK(check, (affine <= bound) == (shape <= SHEARED));
      if (shape == STRAIGHT) CHECK(check, affine > 0.01 && affine < 1.0);
      if (shape == CURVED && gll->n > 2) CHECK(check, straight > 1e-4 && straight < 0.1);
      CHECK_NEAR(check, hb_geometry_misfit(HB_GEOMETRY_NODES, gll->n, gll->nodes, x), 0.0, 0.0);
    }
}

/* A point moved by a thousandth of the element is seen, wherever it is. */
static void check_point(struct hb_check *check, const struct hb_gll *gll, double *x) {
  const int points = hb_points_per_element(gll->n);
  for (int point = 0; point < 3 * points; point += 1 + points / 7) {
    make_element(gll, BRICK, 0.0, x);
    x[point] += 1.5e-3;
    CHECK(check, hb_geometry_misfit(HB_GEOMETRY_AFFINE, gll->n, gll->nodes, x) > 9e-4);
  }
}

int main(void) {
  struct hb_check check = {0};
  enum hb_status status = HB_OK;
  double *work = NULL;
  HB_ALLOC(work, 28 * HB_MAX_N * HB_MAX_N * HB_MAX_N, "test");
  for (int n = 2; n <= HB_MAX_N; n++) {
    struct hb_gll gll;
    HB_TRY(hb_gll_init(n - 1, &gll));
    check_misfit(&check, &gll, work);
    check_point(&check, &gll, work);
    for (int varying = 0; varying < 2; varying++) {
      check_factors(&check, &gll, CURVED, HB_GEOMETRY_NODES, varying == 1, work);
      check_factors(&check, &gll, STRAIGHT, HB_GEOMETRY_NODES, varying == 1, work);
      check_factors(&check, &gll, STRAIGHT, HB_GEOMETRY_TRILINEAR, varying == 1, work);
      check_factors(&check, &gll, SHEARED, HB_GEOMETRY_TRILINEAR, varying == 1, work);
      check_factors(&check, &gll, SHEARED, HB_GEOMETRY_AFFINE, varying == 1, work);
      check_factors(&check, &gll, BRICK, HB_GEOMETRY_AFFINE, varying == 1, work);
    }
  }
done:
  CHECK_EQUAL(&check, status, HB_OK);
  hb_free(work);
  return hb_check_finish(&check);
}
