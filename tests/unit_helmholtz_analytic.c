/* SPDX-License-Identifier: BSD-3-Clause
 * The reference operator against integrals known in closed form: polynomials on bricks, constants
 * and linear functions on deformed elements, symmetry and definiteness. */
#include <string.h>

#include "tests/check.h"
#include "tests/kernel_data.h"

enum { MAX_POINTS = HB_MAX_N * HB_MAX_N * HB_MAX_N, TRIALS = 20 };

/* One element and two functions on it; w = A u, and size = |A| |u| in magnitudes. */
static struct element {
  struct hb_gll gll;
  int points;
  double x[3 * MAX_POINTS], one[MAX_POINTS], mass[MAX_POINTS];
  double factors[MAX_POINTS * HB_MAX_FACTORS], positive_factors[MAX_POINTS * HB_MAX_FACTORS];
  double positive_D[HB_MAX_N * HB_MAX_N];
  double u[MAX_POINTS], v[MAX_POINTS], w[MAX_POINTS], size[MAX_POINTS];
} e;

static void form_element(struct hb_check *check) {
  const int n = e.gll.n;
  const struct hb_geometric_input input = {n, e.gll.D, e.gll.weights, e.x, e.one, e.one};
  double min_jacobian = 0.0;
  e.points = hb_points_per_element(n);
  for (int i = 0; i < e.points; i++) e.one[i] = 1.0;
  hb_geometric_factors_host(&input, NULL, e.factors, e.mass, &min_jacobian);
  CHECK(check, min_jacobian > 0.0);
  for (int i = 0; i < e.points * HB_MAX_FACTORS; i++) e.positive_factors[i] = fabs(e.factors[i]);
  for (int i = 0; i < n * n; i++) e.positive_D[i] = fabs(e.gll.D[i]);
}

static int index_of(int point, int axis) {
  const int n = e.gll.n;
  return axis == 0 ? point % n : axis == 1 ? point / n % n : point / (n * n);
}

static void form_brick(struct hb_check *check, const double half[3]) {
  e.points = hb_points_per_element(e.gll.n);
  for (int a = 0; a < 3; a++)
    for (int point = 0; point < e.points; point++)
      e.x[a * e.points + point] = half[a] * e.gll.nodes[index_of(point, a)];
  form_element(check);
}

static void apply(bool with_mass) {
  double positive_u[MAX_POINTS];
  for (int i = 0; i < e.points; i++) positive_u[i] = fabs(e.u[i]);
  hb_helmholtz_host_f64(e.gll.n, 1, HB_MAX_FACTORS, with_mass, e.gll.D, e.factors, e.u, e.w);
  hb_helmholtz_host_f64(e.gll.n, 1, HB_MAX_FACTORS, with_mass, e.positive_D, e.positive_factors,
                        positive_u, e.size);
}

/* D, factors and u are themselves rounded, each by a few units of their own size: twice the
 * operator's own tolerance. */
static double tolerance(double size) { return 2.0 * hb_helmholtz_tolerance(e.gll.n, HB_F64, size); }

static double dot_bound(void) {
  double size = 0.0;
  for (int i = 0; i < e.points; i++) size += fabs(e.v[i]) * e.size[i];
  return tolerance(size);
}

static double dot(const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < e.points; i++) sum += a[i] * b[i];
  return sum;
}

static void set_monomial(const int power[3], double *values) {
  for (int i = 0; i < e.points; i++) {
    values[i] = 1.0;
    for (int a = 0; a < 3; a++) values[i] *= pow(e.gll.nodes[index_of(i, a)], power[a]);
  }
}

/* Integral of x^power over [-1, 1]. */
static double integral(int power) { return power % 2 == 0 ? 2.0 / (power + 1) : 0.0; }

/* On the brick of these half-lengths: integral of grad u . grad v, or of u v. */
static double exact(const double half[3], const int u[3], const int v[3], bool mass) {
  const double volume = half[0] * half[1] * half[2];
  double sum = 0.0, product = 1.0;
  for (int a = 0; a < 3; a++) product *= integral(u[a] + v[a]);
  for (int axis = 0; axis < 3; axis++) {
    if (u[axis] == 0 || v[axis] == 0) continue;
    double part = u[axis] * v[axis] / (half[axis] * half[axis]);
    for (int a = 0; a < 3; a++) part *= integral(u[a] + v[a] - (a == axis ? 2 : 0));
    sum += part;
  }
  return volume * (mass ? product : sum);
}

/* Monomials of degree <= n-1 whose products the quadrature, exact to 2n - 3, integrates; half of
 * them even in each direction, so that the answer is not zero. */
static void check_monomials(struct hb_check *check, const double half[3],
                            struct hb_random *random) {
  const int n = e.gll.n;
  int nonzero = 0;
  form_brick(check, half);
  for (int trial = 0; trial < TRIALS; trial++) {
    int u[3], v[3];
    for (int a = 0; a < 3; a++) {
      u[a] = (int)(hb_random_bits(random) % (uint64_t)n);
      v[a] = trial % 2 == 0 ? (int)(hb_random_bits(random) % (uint64_t)n) : u[a];
      if (u[a] + v[a] > 2 * n - 3) u[a] = v[a] = n - 2;
    }
    set_monomial(u, e.u);
    set_monomial(v, e.v);
    apply(false);
    CHECK_NEAR(check, dot(e.v, e.w), exact(half, u, v, false), dot_bound());
    const double stiffness = dot(e.v, e.w);
    apply(true);
    CHECK_NEAR(check, dot(e.v, e.w) - stiffness, exact(half, u, v, true), dot_bound());
    if (fabs(exact(half, u, v, false)) > 1e3 * dot_bound()) nonzero++;
  }
  CHECK(check, n == 2 || nonzero > 0);
}

/* Without a derivative the highest degree 2n - 2 is beyond the rule, and its known excess shows:
 * r^(n-1) in all of u and v is integrated too large. */
static void check_highest_degree(struct hb_check *check) {
  static const double HALF[3] = {1.0, 1.0, 1.0};
  const int n = e.gll.n, power[3] = {n - 1, 0, 0};
  form_brick(check, HALF);
  set_monomial(power, e.u);
  set_monomial(power, e.v);
  apply(false); /* (n-1)^2 r^(2n-4): exact */
  CHECK_NEAR(check, dot(e.v, e.w), exact(HALF, power, power, false), dot_bound());
  const double stiffness = dot(e.v, e.w);
  apply(true);
  CHECK(check, dot(e.v, e.w) - stiffness > exact(HALF, power, power, true) + dot_bound());
}

/* A 1 = 0, v'Au = u'Av, u'Au > 0, and the mass term is that of the diagonal matrix. */
static void check_properties(struct hb_check *check, struct hb_random *random) {
  double with_u[MAX_POINTS];
  hb_random_element(&e.gll, random, 0.05, e.x);
  form_element(check);
  memcpy(e.u, e.one, sizeof e.u);
  apply(false);
  for (int i = 0; i < e.points; i++) CHECK_NEAR(check, e.w[i], 0.0, tolerance(e.size[i]));
  for (int mass = 0; mass < 2; mass++) {
    for (int i = 0; i < e.points; i++) e.u[i] = hb_random_value(random);
    for (int i = 0; i < e.points; i++) e.v[i] = hb_random_value(random);
    apply(mass == 1);
    const double vAu = dot(e.v, e.w), uAu = dot(e.u, e.w), bound = dot_bound();
    CHECK(check, uAu > 0.0);
    memcpy(with_u, e.u, sizeof with_u);
    memcpy(e.u, e.v, sizeof e.u);
    apply(mass == 1);
    CHECK_NEAR(check, dot(with_u, e.w), vAu, 2.0 * bound);
  }
  apply(true);
  memcpy(e.v, e.w, sizeof e.v);
  apply(false);
  for (int i = 0; i < e.points; i++)
    CHECK_NEAR(check, e.v[i] - e.w[i], e.mass[i] * e.u[i],
               tolerance(e.size[i] + e.mass[i] * fabs(e.u[i])));
}

/* Volume of the trilinear element by two Gauss points a direction, which its J (degree 2 in each)
 * needs no more than. */
static double volume(double vertices[8][3]) {
  double sum = 0.0;
  for (int q = 0; q < 8; q++) {
    double at[3], x[3], d[3][3];
    for (int a = 0; a < 3; a++) at[a] = (q >> a & 1) != 0 ? sqrt(1.0 / 3.0) : -sqrt(1.0 / 3.0);
    hb_trilinear(vertices, at, x, d);
    sum += d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
           d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
  }
  return sum;
}

/* u linear in x on a trilinear element: its flux has no divergence, so interior rows are zero and
 * the others are boundary terms; integral of grad x_a . grad x_b = volume if a = b.  The metric is
 * of degree n in each direction at most, integrated exactly for n >= 3. */
static void check_linear(struct hb_check *check, struct hb_random *random) {
  const int n = e.gll.n;
  double vertices[8][3], d[3][3];
  hb_random_vertices(random, vertices);
  for (int i = 0; i < e.points; i++) {
    double x[3];
    const double at[3] = {e.gll.nodes[index_of(i, 0)], e.gll.nodes[index_of(i, 1)],
                          e.gll.nodes[index_of(i, 2)]};
    hb_trilinear(vertices, at, x, d);
    for (int a = 0; a < 3; a++) e.x[a * e.points + i] = x[a];
  }
  form_element(check);
  for (int a = 0; a < 3; a++) {
    const double offset = hb_random_value(random);
    double largest = 0.0, total = 0.0;
    for (int i = 0; i < e.points; i++) e.u[i] = e.x[a * e.points + i] + offset;
    apply(false);
    for (int i = 0; i < e.points; i++) {
      total += e.w[i];
      largest = fmax(largest, fabs(e.w[i]));
      if (n > 2 && hb_point_is_interior(n, index_of(i, 2), index_of(i, 1), index_of(i, 0)))
        CHECK_NEAR(check, e.w[i], 0.0, tolerance(e.size[i]));
    }
    CHECK(check, largest > 1e-4); /* the boundary terms are there */
    memcpy(e.v, e.one, sizeof e.v);
    CHECK_NEAR(check, total, 0.0, dot_bound());
    for (int b = 0; b < 3 && n > 2; b++) {
      memcpy(e.v, e.x + (ptrdiff_t)b * e.points, sizeof(double) * (size_t)e.points);
      CHECK_NEAR(check, dot(e.v, e.w), a == b ? volume(vertices) : 0.0, dot_bound());
    }
  }
}

int main(void) {
  static const double CUBE[3] = {1.0, 1.0, 1.0}, BRICK[3] = {0.5, 3.0, 1.25};
  struct hb_check check = {0, 0};
  struct hb_random random = {2};
  for (int degree = HB_MIN_DEGREE; degree <= HB_MAX_DEGREE; degree++) {
    CHECK_OK(&check, hb_gll_init(degree, &e.gll));
    check_monomials(&check, CUBE, &random);
    check_monomials(&check, BRICK, &random);
    check_highest_degree(&check);
    check_properties(&check, &random);
    check_linear(&check, &random);
  }
  return hb_check_finish(&check);
}
