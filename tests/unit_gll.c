/* SPDX-License-Identifier: BSD-3-Clause
 * The GLL basis against closed forms, an independent computation and the degrees it is exact for.
 */
#include <float.h>
#include <string.h>

#include "mesh/gll.h"
#include "tests/check.h"

static const double EPSILON = DBL_EPSILON, LONG_EPSILON = (double)LDBL_EPSILON;

/* P'_N by the recurrence of the Jacobi polynomials P^(1,1), to which it is proportional:
 * P'_{k+1} = ((2k + 1) x P'_k - (k + 1) P'_{k-1}) / k, from P'_0 = 0 and P'_1 = 1. */
static long double legendre_slope(int degree, long double x) {
  long double previous = 0.0L, current = 1.0L;
  for (int k = 1; k < degree; k++) {
    const long double next = ((2 * k + 1) * x * current - (k + 1) * previous) / k;
    previous = current;
    current = next;
  }
  return current;
}

static long double bisect(int degree, long double a, long double b) {
  const long double sign = legendre_slope(degree, a);
  for (int step = 0; step < 100; step++) {
    const long double middle = 0.5L * (a + b);
    if (legendre_slope(degree, middle) * sign > 0.0L)
      a = middle;
    else
      b = middle;
  }
  return 0.5L * (a + b);
}

/* Interior nodes are the roots of P'_N, found here by sign changes and bisection. */
static void check_nodes(struct hb_check *check, const struct hb_gll *gll) {
  const int degree = gll->n - 1, cells = 2001;
  int found = 1;
  CHECK(check, gll->nodes[0] == -1.0);
  for (int cell = 0; cell < cells; cell++) {
    const long double a = -1.0L + 2.0L * cell / cells, b = -1.0L + 2.0L * (cell + 1) / cells;
    if (degree == 1 || legendre_slope(degree, a) * legendre_slope(degree, b) > 0.0L) continue;
    const double root = (double)bisect(degree, a, b);
    if (found < degree) /* both methods err by less than a rounding of double */
      CHECK_NEAR(check, gll->nodes[found], root, EPSILON * fabs(root) + LONG_EPSILON);
    found++;
  }
  CHECK_EQUAL(check, found, degree);
  CHECK(check, gll->nodes[degree] == 1.0);
}

static void check_symmetry(struct hb_check *check, const struct hb_gll *gll) {
  const int n = gll->n, last = n - 1;
  for (int i = 0; i < n; i++) {
    CHECK(check, gll->nodes[i] == -gll->nodes[last - i]);
    CHECK(check, gll->weights[i] == gll->weights[last - i]);
    CHECK(check, gll->weights[i] > 0.0);
    CHECK(check, i == 0 || gll->nodes[i] > gll->nodes[i - 1]);
    for (int m = 0; m < n; m++)
      CHECK(check, gll->D[(last - i) * n + last - m] == -gll->D[i * n + m]);
  }
  if (n % 2 == 1) CHECK(check, signbit(gll->nodes[n / 2]) == 0);
}

static double quadrature(const struct hb_gll *gll, int power) {
  long double sum = 0.0L;
  for (int i = 0; i < gll->n; i++) sum += (long double)gll->weights[i] * powl(gll->nodes[i], power);
  return (double)sum;
}

/* The rule's error for x^(2N): (N+1) N^3 2^(2N+1) ((N-1)!)^4 / ((2N+1) ((2N)!)^2), from the
 * remainder term (Abramowitz and Stegun 25.4.32). */
static double quadrature_error(int degree) {
  const double N = degree;
  const double log_error = log((N + 1.0) * N * N * N) + (2.0 * N + 1.0) * log(2.0) +
                           4.0 * lgamma(N) - log(2.0 * N + 1.0) - 2.0 * lgamma(2.0 * N + 1.0);
  return exp(log_error);
}

static void check_quadrature(struct hb_check *check, const struct hb_gll *gll) {
  const int degree = gll->n - 1;
  const double bound = 4.0 * EPSILON; /* n roundings of weights that sum to 2 */
  for (int power = 0; power <= 2 * degree - 1; power++)
    CHECK_NEAR(check, quadrature(gll, power), power % 2 == 0 ? 2.0 / (power + 1) : 0.0, bound);
  const double excess = quadrature(gll, 2 * degree) - 2.0 / (2 * degree + 1);
  const double expected = quadrature_error(degree);
  CHECK_NEAR(check, excess, expected, bound + 1e-13 * expected);
  CHECK(check, excess > 1e5 * bound);
}

/* D x^k = k x^(k-1), k < n.  Scale: row sums of |D| for its rounding, k^2 for that of the nodes. */
static void check_derivative(struct hb_check *check, const struct hb_gll *gll) {
  const int n = gll->n;
  for (int i = 0; i < n; i++) {
    long double row = 0.0L, sum = 0.0L;
    for (int m = 0; m < n; m++) {
      row += fabsl(gll->D[i * n + m]);
      sum += gll->D[i * n + m];
    }
    CHECK_NEAR(check, (double)sum, 0.0, EPSILON * fabs(gll->D[i * n + i]) + LONG_EPSILON * n);
    for (int k = 1; k < n; k++) {
      long double slope = 0.0L;
      for (int m = 0; m < n; m++) slope += gll->D[i * n + m] * powl(gll->nodes[m], k);
      CHECK_NEAR(check, (double)(slope - k * powl(gll->nodes[i], k - 1)), 0.0,
                 EPSILON * ((double)row + k * k));
    }
  }
}

static void check_lagrange(struct hb_check *check, const struct hb_gll *gll) {
  const int n = gll->n;
  double values[HB_MAX_N];
  for (int m = 0; m < n; m++) {
    hb_gll_lagrange(gll, gll->nodes[m], values);
    for (int i = 0; i < n; i++) CHECK(check, values[i] == (i == m ? 1.0 : 0.0));
  }
  for (int step = 0; step <= 100; step++) {
    const double x = -1.0 + 0.02 * step, bound = 8.0 * n * EPSILON; /* 4n roundings, sum < 2.5 */
    hb_gll_lagrange(gll, fmin(x, 1.0), values);
    for (int k = 0; k < n; k++) {
      double sum = 0.0;
      for (int i = 0; i < n; i++) sum += values[i] * pow(gll->nodes[i], k);
      CHECK_NEAR(check, sum, pow(x, k), bound);
    }
  }
}

/* n = 2..5 in closed form: half of the nodes and weights, from the left. */
static void check_closed_forms(struct hb_check *check) {
  const double nodes[4][3] = {
      {-1.0}, {-1.0, 0.0}, {-1.0, -sqrt(0.2)}, {-1.0, -sqrt(3.0 / 7.0), 0.0}};
  const double weights[4][3] = {
      {1.0}, {1.0 / 3.0, 4.0 / 3.0}, {1.0 / 6.0, 5.0 / 6.0}, {0.1, 49.0 / 90.0, 32.0 / 45.0}};
  for (int degree = 1; degree <= 4; degree++) {
    struct hb_gll gll;
    CHECK_OK(check, hb_gll_init(degree, &gll));
    CHECK_EQUAL(check, gll.n, degree + 1);
    for (int i = 0; i < (gll.n + 1) / 2; i++) {
      CHECK_NEAR(check, gll.nodes[i], nodes[degree - 1][i], EPSILON);
      CHECK_NEAR(check, gll.weights[i], weights[degree - 1][i], EPSILON);
    }
    CHECK_NEAR(check, gll.D[0], -0.25 * degree * (degree + 1), 4.0 * EPSILON);
  }
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_gll gll;
  check_closed_forms(&check);
  for (int degree = HB_MIN_DEGREE; degree <= HB_MAX_DEGREE; degree++) {
    CHECK_OK(&check, hb_gll_init(degree, &gll));
    check_nodes(&check, &gll);
    check_symmetry(&check, &gll);
    check_quadrature(&check, &gll);
    check_derivative(&check, &gll);
    check_lagrange(&check, &gll);
  }
  CHECK_FAILS(&check, hb_gll_init(0, &gll), HB_BAD_INPUT, "degree = 0");
  CHECK_FAILS(&check, hb_gll_init(16, &gll), HB_BAD_INPUT, "1 to 15");
  return hb_check_finish(&check);
}
