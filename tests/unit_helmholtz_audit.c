/* SPDX-License-Identifier: BSD-3-Clause
 * The audit against the reference of factors and operator, and against integrals known by hand. */
#include <math.h>

#include "kernels/geometry/factors.h"
#include "kernels/helmholtz/audit.h"
#include "kernels/random.h"
#include "mesh/gll.h"
#include "tests/check.h"

/* Bent elements, another one in each lane. */
static void fill(const struct hb_gll *gll, struct hb_audit *audit) {
  const int n = gll->n, points = n * n * n, lanes = audit->lanes;
  for (int point = 0; point < points; point++)
    for (int lane = 0; lane < lanes; lane++) {
      const double r[3] = {gll->nodes[point % n], gll->nodes[point / n % n],
                           gll->nodes[point / (n * n)]};
      const ptrdiff_t at = (ptrdiff_t)point * lanes + lane;
      for (int a = 0; a < 3; a++)
        audit->x[(ptrdiff_t)a * points * lanes + at] =
            lane + 0.5 * (a + 1) * r[a] + 0.03 * (lane + 1) * r[(a + 1) % 3] * r[(a + 2) % 3] +
            0.05 * r[(a + 1) % 3];
      audit->h1[at] = 1.5 + 0.3 * hb_random_at(at, 1);
      audit->h2[at] = 2.5 + 0.3 * hb_random_at(at, 2);
      audit->u[at] = hb_random_at(at, 3);
    }
}

/* A lane of [value][lane]. */
static void take_lane(const struct hb_audit *audit, const double *values, ptrdiff_t count, int lane,
                      double *out) {
  for (ptrdiff_t i = 0; i < count; i++) out[i] = values[i * audit->lanes + lane];
}

/* Factors of the lane as they should be, and then each of one point off by a hundredth. */
static void check_factors(struct hb_check *check, const struct hb_audit *audit, int lane,
                          const double *factors) {
  const int points = hb_points_per_element(audit->n), last = points - 1;
  const double *at_last = factors + last * HB_MAX_FACTORS;
  const double size = fmax(at_last[0], fmax(at_last[3], at_last[5]));
  double worst[HB_MAX_LANES];
  double *used =
      hb_allocate((hb_global)points * HB_MAX_FACTORS * audit->lanes, sizeof *used, "factors");
  for (int i = 0; i < points * HB_MAX_FACTORS * audit->lanes; i++) used[i] = 0.0;
  for (int kinds = HB_NUM_GEOMETRIC; kinds <= HB_MAX_FACTORS; kinds++) {
    for (int point = 0; point < points; point++)
      for (int f = 0; f < kinds; f++)
        used[(ptrdiff_t)(point * kinds + f) * audit->lanes + lane] =
            factors[point * HB_MAX_FACTORS + f];
    hb_audit_compare(audit, kinds, used, worst);
    CHECK(check, worst[lane] <= 1e-12);
    for (int f = 0; f < kinds; f++) {
      double *one = &used[(ptrdiff_t)(last * kinds + f) * audit->lanes + lane];
      *one += 0.01 * (f == HB_MASS_FACTOR ? at_last[f] : size);
      hb_audit_compare(audit, kinds, used, worst);
      CHECK_NEAR(check, worst[lane], 0.01, 1e-12);
      *one = NAN;
      hb_audit_compare(audit, kinds, used, worst);
      CHECK(check, isnan(worst[lane]));
      *one = at_last[f];
    }
  }
  hb_free(used);
}

static void check_lane(struct hb_check *check, const struct hb_gll *gll,
                       const struct hb_audit *audit, int lane, double *work) {
  const int n = gll->n, points = n * n * n;
  double *x = work, *h1 = x + 3 * points, *h2 = h1 + points, *u = h2 + points, *w = u + points;
  double *mass = w + points, *factors = mass + points, min_jacobian;
  take_lane(audit, audit->x, 3 * points, lane, x);
  take_lane(audit, audit->h1, points, lane, h1);
  take_lane(audit, audit->h2, points, lane, h2);
  take_lane(audit, audit->u, points, lane, u);
  const struct hb_geometric_input input = {n, gll->D, gll->weights, x, h1, h2};
  hb_geometric_factors_host(&input, NULL, factors, mass, &min_jacobian);
  CHECK(check, min_jacobian > 0.0);
  check_factors(check, audit, lane, factors);
  hb_helmholtz_host_f64(n, 1, HB_MAX_FACTORS, true, gll->D, factors, u, w);
  const double tolerance = hb_helmholtz_tolerance(n, HB_F64, audit->scale[lane]);
  for (int point = 0; point < points; point++) {
    CHECK_NEAR(check, audit->w[(ptrdiff_t)point * audit->lanes + lane], w[point], tolerance);
    CHECK(check, fabs(w[point]) <= audit->scale[lane]); /* |u| <= 1: it is a bound */
  }
}

/* u'A u of u = a linear function on a parallelepiped: h1 |slope|^2 and h2 times integral of u^2. */
static void check_integrals(struct hb_check *check, const struct hb_gll *gll,
                            struct hb_audit *audit) {
  const int n = gll->n, points = n * n * n, lanes = audit->lanes;
  double energy = 0.0;
  for (int point = 0; point < points; point++)
    for (int lane = 0; lane < lanes; lane++) {
      const double r[3] = {gll->nodes[point % n], gll->nodes[point / n % n],
                           gll->nodes[point / (n * n)]};
      const ptrdiff_t at = (ptrdiff_t)point * lanes + lane, next = (ptrdiff_t)points * lanes;
      audit->x[at] = 2.0 * r[0] + 0.5 * r[1]; /* J = 2 * 1.5 * 1 = 3, volume 24 */
      audit->x[next + at] = 1.5 * r[1];
      audit->x[2 * next + at] = r[2] + 0.25 * r[0];
      audit->h1[at] = 0.7;
      audit->h2[at] = 1.3;
      audit->u[at] = 1.0 + audit->x[at] - 2.0 * audit->x[next + at];
    }
  hb_audit_map(audit);
  hb_audit_apply(audit);
  for (int point = 0; point < points; point++)
    energy += audit->u[(ptrdiff_t)point * lanes] * audit->w[(ptrdiff_t)point * lanes];
  /* u = 1 + 2 r0 - 2.5 r1; the integral of r0^2 over the cube is a third of its volume.  Two points
   * an axis integrate squares by their ends alone: as if they were 1. */
  const double square = n == 2 ? 1.0 : 1.0 / 3.0;
  const double exact = 24.0 * (0.7 * 5.0 + 1.3 * (1.0 + square * (4.0 + 6.25)));
  CHECK_NEAR(check, energy, exact, 1e-12 * exact);
}

int main(void) {
  struct hb_check check = {0, 0};
  for (int n = 2; n <= HB_MAX_N; n++) {
    struct hb_gll gll;
    struct hb_audit audit;
    double *work = hb_allocate(15 * n * n * n, sizeof *work, "an element");
    CHECK_OK(&check, hb_gll_init(n - 1, &gll));
    CHECK_OK(&check, hb_audit_create(n, gll.D, gll.weights, &audit));
    fill(&gll, &audit);
    hb_audit_map(&audit);
    hb_audit_apply(&audit);
    for (int lane = 0; lane < audit.lanes; lane++) check_lane(&check, &gll, &audit, lane, work);
    check_integrals(&check, &gll, &audit);
    hb_audit_free(&audit);
    hb_free(work);
  }
  return hb_check_finish(&check);
}
