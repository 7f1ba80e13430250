/* SPDX-License-Identifier: BSD-3-Clause
 * The exact solution, its gradient and source against differences; periodicity; singular problems.
 */
#include <float.h>
#include <string.h>

#include "app/problem.h"
#include "tests/mesh_cases.h"

enum { NUM_POINTS = 40 };
static const double TWO_PI = 6.28318530717958647692528676655900577;

static struct hb_box box_of(int combination) {
  struct hb_box box = {.degree = 4, .elements = {2, 3, 4}, .length = {1.5, 0.8, 2.3}};
  mesh_case_boundaries(combination, box.boundary);
  return box;
}

static void random_point(const struct hb_box *box, int index, double x[3]) {
  for (int a = 0; a < 3; a++) x[a] = 0.5 * box->length[a] * (1.0 + hb_random_at(index, a));
}

static double exact(const struct hb_problem *problem, const double x[3]) {
  return hb_problem_exact(problem, x, NULL, NULL);
}

/* The gradient by hb_problem_exact, and the flux h1 grad u in direction a. */
static double flux(const struct hb_problem *problem, const double x[3], int a) {
  double gradient[3], h1, h2;
  hb_problem_exact(problem, x, gradient, NULL);
  hb_problem_coefficients(problem, x, &h1, &h2);
  return h1 * gradient[a];
}

/* Central difference of sixth order of `value` along axis a with step h. */
static double difference(const struct hb_problem *problem, const double x[3], int a, double h,
                         bool of_flux) {
  static const double weight[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
  double sum = 0.0;
  for (int s = 1; s <= 3; s++) {
    double low[3] = {x[0], x[1], x[2]}, high[3] = {x[0], x[1], x[2]};
    low[a] -= s * h;
    high[a] += s * h;
    sum += weight[s - 1] * (of_flux ? flux(problem, high, a) - flux(problem, low, a)
                                    : exact(problem, high) - exact(problem, low));
  }
  return sum / h;
}

/* Step 0.005 l: the error of sixth order is (2 pi 0.005)^6 / 140 = 7e-12 of the derivative at most
 * (twice the wave number where two waves multiply: 64 times that), rounding eps / 0.005. */
static void check_derivatives(struct hb_check *check, int combination, double variation) {
  const struct hb_box box = box_of(combination);
  struct hb_problem problem;
  CHECK_OK(check, hb_problem_init(&box, 1.3, 0.7, variation, 0.5 * variation, &problem));
  for (int index = 0; index < NUM_POINTS; index++) {
    double x[3], gradient[3], source, h1, h2, divergence = 0.0;
    random_point(&box, index, x);
    const double u = hb_problem_exact(&problem, x, gradient, &source);
    hb_problem_coefficients(&problem, x, &h1, &h2);
    CHECK(check, u == exact(&problem, x));
    for (int a = 0; a < 3; a++) {
      const double h = 0.005 * box.length[a];
      /* |u| < 6, so derivatives are below 6 (2 pi / l), fluxes' twice the wave number again. */
      CHECK_NEAR(check, gradient[a], difference(&problem, x, a, h, false),
                 1e-10 * 6.0 * TWO_PI / box.length[a]);
      divergence += difference(&problem, x, a, h, true);
    }
    CHECK_NEAR(check, source, h2 * u - divergence, 1e-8 * 6.0 * TWO_PI * TWO_PI / 0.64);
    CHECK(check, fabs(source) > 1e-3 || fabs(h2 * u) > 1e-3);
  }
}

/* U_a(x) = c_a + sin(k_a x / l_a + phase_a), h1 and h2 as the header has them. */
static void check_formula(struct hb_check *check, int combination) {
  const struct hb_box box = box_of(combination);
  struct hb_problem problem;
  CHECK_OK(check, hb_problem_init(&box, 1.3, 0.7, 0.0, 0.0, &problem));
  CHECK(check, hb_problem_is_constant(&problem) && hb_problem_has_mass(&problem));
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3;
    if (box.boundary[a] == HB_PERIODIC) CHECK(check, problem.wave_number[a] == TWO_PI);
    CHECK(check, problem.offset[a] != problem.offset[b] && problem.phase[a] != problem.phase[b]);
    CHECK(check, box.boundary[a] == HB_PERIODIC || problem.wave_number[a] < TWO_PI);
  }
  for (int index = 0; index < NUM_POINTS; index++) {
    double x[3], h1, h2, product = 1.0;
    random_point(&box, index, x);
    for (int a = 0; a < 3; a++)
      product *= problem.offset[a] +
                 sin(problem.wave_number[a] * x[a] / problem.length[a] + problem.phase[a]);
    /* Three factors of at most 1.8, each rounded a few times. */
    CHECK_NEAR(check, exact(&problem, x), product, 32.0 * DBL_EPSILON * 6.0);
    hb_problem_coefficients(&problem, x, &h1, &h2);
    CHECK(check, h1 == 1.3 && h2 == 0.7);
  }
}

/* Coefficients keep their sign and reach into their range; both vary, and differently. */
static void check_coefficients(struct hb_check *check) {
  const struct hb_box box = box_of(5);
  struct hb_problem problem;
  double low[2] = {9.0, 9.0}, high[2] = {0.0, 0.0};
  CHECK_OK(check, hb_problem_init(&box, 2.0, 3.0, 0.9, 0.4, &problem));
  CHECK(check, !hb_problem_is_constant(&problem));
  for (int index = 0; index < 4000; index++) {
    double x[3], h[2];
    random_point(&box, index, x);
    hb_problem_coefficients(&problem, x, &h[0], &h[1]);
    for (int q = 0; q < 2; q++) {
      low[q] = fmin(low[q], h[q]);
      high[q] = fmax(high[q], h[q]);
    }
  }
  CHECK(check, low[0] >= 2.0 * 0.1 - 1e-12 && low[0] < 2.0 * 0.3);
  CHECK(check, high[0] <= 2.0 * 1.9 + 1e-12 && high[0] > 2.0 * 1.7);
  CHECK(check, low[1] >= 3.0 * 0.6 - 1e-12 && low[1] < 3.0 * 0.7);
  CHECK(check, high[1] <= 3.0 * 1.4 + 1e-12 && high[1] > 3.0 * 1.3);
}

/* A period further everything is the same on a periodic axis; the solution is not on others. */
static void check_periods(struct hb_check *check, int combination) {
  const struct hb_box box = box_of(combination);
  struct hb_problem problem;
  CHECK_OK(check, hb_problem_init(&box, 1.3, 0.7, 0.6, 0.3, &problem));
  for (int a = 0; a < 3; a++) {
    double largest = 0.0;
    for (int index = 0; index < NUM_POINTS; index++) {
      double x[3], y[3], gx[3], gy[3], fx, fy, hx[2], hy[2];
      random_point(&box, index, x);
      memcpy(y, x, sizeof y);
      y[a] += box.length[a];
      const double u = hb_problem_exact(&problem, x, gx, &fx);
      const double v = hb_problem_exact(&problem, y, gy, &fy);
      hb_problem_coefficients(&problem, x, &hx[0], &hx[1]);
      hb_problem_coefficients(&problem, y, &hy[0], &hy[1]);
      /* Angles up to 4 pi are rounded to 4 pi eps; derivatives bring factors of the wave number. */
      for (int q = 0; q < 2; q++) CHECK_NEAR(check, hx[q], hy[q], 64.0 * DBL_EPSILON);
      largest = fmax(largest, fabs(u - v));
      if (box.boundary[a] != HB_PERIODIC) continue;
      CHECK_NEAR(check, u, v, 64.0 * DBL_EPSILON * 6.0);
      for (int b = 0; b < 3; b++) CHECK_NEAR(check, gx[b], gy[b], 512.0 * DBL_EPSILON * 50.0);
      CHECK_NEAR(check, fx, fy, 512.0 * DBL_EPSILON * 1000.0);
    }
    if (box.boundary[a] != HB_PERIODIC) CHECK(check, largest > 0.1);
  }
}

/* The two faces of a periodic axis are one: bitwise the same values, whichever is asked. */
static void check_faces(struct hb_check *check, int combination) {
  const struct hb_box box = box_of(combination);
  struct hb_problem problem;
  CHECK_OK(check, hb_problem_init(&box, 1.3, 0.7, 0.6, 0.3, &problem));
  for (int a = 0; a < 3; a++)
    for (int index = 0; index < NUM_POINTS && box.boundary[a] == HB_PERIODIC; index++) {
      double x[3], near[7], far[7];
      random_point(&box, index, x);
      for (int side = 0; side < 2; side++) {
        double *values = side == 0 ? near : far;
        x[a] = side == 0 ? 0.0 : box.length[a];
        values[0] = hb_problem_exact(&problem, x, &values[1], &values[4]);
        hb_problem_coefficients(&problem, x, &values[5], &values[6]);
      }
      CHECK(check, memcmp(near, far, sizeof near) == 0);
    }
}

static void check_singular(struct hb_check *check) {
  struct hb_problem problem;
  for (int combination = 0; combination < NUM_BOUNDARY_CASES; combination++) {
    const struct hb_box box = box_of(combination);
    const bool dirichlet = box.boundary[0] == HB_DIRICHLET || box.boundary[1] == HB_DIRICHLET ||
                           box.boundary[2] == HB_DIRICHLET;
    if (dirichlet) {
      CHECK_OK(check, hb_problem_init(&box, 1.0, 0.0, 0.0, 0.0, &problem));
      CHECK(check, !hb_problem_has_mass(&problem));
    } else {
      CHECK_FAILS(check, hb_problem_init(&box, 1.0, 0.0, 0.5, 0.5, &problem), HB_BAD_INPUT,
                  "singular");
      CHECK_FAILS(check, hb_problem_init(&box, 1.0, NAN, 0.0, 0.0, &problem), HB_BAD_INPUT,
                  "h2 = ");
    }
    CHECK_OK(check, hb_problem_init(&box, 1.0, 1e-3, 0.0, 0.0, &problem));
  }
}

int main(void) {
  struct hb_check check = {0, 0};
  for (int combination = 0; combination < NUM_BOUNDARY_CASES; combination++) {
    check_formula(&check, combination);
    check_derivatives(&check, combination, 0.0);
    check_derivatives(&check, combination, 0.8);
    check_periods(&check, combination);
    check_faces(&check, combination);
  }
  check_coefficients(&check);
  check_singular(&check);
  return hb_check_finish(&check);
}
