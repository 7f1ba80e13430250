/* SPDX-License-Identifier: BSD-3-Clause
 * Geometric factors against the metric of stretched, sheared and trilinear elements; every variant
 * against the reference, lane by lane; inverted and broken elements are reported. */
#include <string.h>

#include "tests/check.h"
#include "tests/kernel_data.h"

/* One group: inputs and results of `lanes` elements, and of one of them by the reference. */
struct group {
  struct hb_gll gll;
  int lanes, points;
  double *x, *h1, *h2, *scratch, *factors, *mass, *one; /* one: x, h1, h2, factors, mass of one */
  double min_jacobian[HB_MAX_LANES], min_one;
};

static void group_free(struct group *g) {
  hb_free(g->x);
  hb_free(g->h1);
  hb_free(g->h2);
  hb_free(g->scratch);
  hb_free(g->factors);
  hb_free(g->mass);
  hb_free(g->one);
}

static enum hb_status group_init(int n, int lanes, struct group *g) {
  enum hb_status status = HB_OK;
  const hb_global points = hb_points_per_element(n);
  memset(g, 0, sizeof *g);
  g->lanes = lanes;
  g->points = (int)points;
  HB_TRY(hb_gll_init(n - 1, &g->gll));
  HB_ALLOC(g->x, 3 * points * lanes, "test");
  HB_ALLOC(g->h1, points * lanes, "test");
  HB_ALLOC(g->h2, points * lanes, "test");
  HB_ALLOC(g->scratch, hb_geometric_scratch_count(n, lanes), "test");
  HB_ALLOC(g->factors, points * HB_MAX_FACTORS * lanes, "test");
  HB_ALLOC(g->mass, points * lanes, "test");
  HB_ALLOC(g->one, points * (3 + 2 + HB_MAX_FACTORS + 1), "test");
done:
  return status;
}

static void group_fill(struct group *g, uint64_t seed) {
  struct hb_random random = {seed};
  for (int lane = 0; lane < g->lanes; lane++) {
    hb_random_element(&g->gll, &random, 0.05, g->one);
    for (int i = 0; i < 3 * g->points; i++) g->x[i * g->lanes + lane] = g->one[i];
  }
  for (int i = 0; i < g->points * g->lanes; i++) {
    g->h1[i] = 1.0 + 0.5 * hb_random_value(&random);
    g->h2[i] = hb_random_value(&random);
  }
}

/* Outputs and scratch poisoned, so that all must be written. */
static void group_form(struct group *g, hb_geometric_factors *form) {
  const hb_global all = (hb_global)g->points * g->lanes;
  const struct hb_geometric_input input = {g->gll.n, g->gll.D, g->gll.weights, g->x, g->h1, g->h2};
  hb_fill(HB_F64, g->scratch, hb_geometric_scratch_count(g->gll.n, g->lanes), (double)NAN);
  hb_fill(HB_F64, g->factors, all * HB_MAX_FACTORS, (double)NAN);
  hb_fill(HB_F64, g->mass, all, (double)NAN);
  for (int lane = 0; lane < HB_MAX_LANES; lane++) g->min_jacobian[lane] = HB_SENTINEL;
  form(&input, g->scratch, g->factors, g->mass, g->min_jacobian);
}

/* One lane by the reference: its factors and mass. */
static void form_one(struct group *g, int lane, const double **factors, const double **mass) {
  double *x = g->one, *h1 = x + 3 * g->points, *h2 = h1 + g->points, *f = h2 + g->points;
  const struct hb_geometric_input input = {g->gll.n, g->gll.D, g->gll.weights, x, h1, h2};
  for (int i = 0; i < 3 * g->points; i++) x[i] = g->x[i * g->lanes + lane];
  for (int i = 0; i < g->points; i++) {
    h1[i] = g->h1[i * g->lanes + lane];
    h2[i] = g->h2[i * g->lanes + lane];
  }
  *factors = f;
  *mass = f + (ptrdiff_t)HB_MAX_FACTORS * g->points;
  hb_geometric_factors_host(&input, NULL, f, f + (ptrdiff_t)HB_MAX_FACTORS * g->points,
                            &g->min_one);
}

static double weight(const struct hb_gll *gll, int point) {
  const int n = gll->n;
  return gll->weights[point % n] * gll->weights[point / n % n] * gll->weights[point / (n * n)];
}

/* Rounding of a derivative: a unit of each |D| |x|, and of the nodes' own rounding, relative to
 * derivatives of order 1.  A factor multiplies and divides seven of them, on elements whose
 * condition is below 8. */
static double relative_bound(const struct hb_gll *gll) {
  double largest = 0.0;
  for (int i = 0; i < gll->n; i++) {
    double row = 0.0;
    for (int m = 0; m < gll->n; m++) row += fabs(gll->D[i * gll->n + m]);
    largest = fmax(largest, row);
  }
  return 32.0 * hb_precision_epsilon(HB_F64) * largest;
}

static void metric(double d[3][3], double g[6], double *J) {
  double m[3][3]; /* inner products of the derivatives; G/(h1 w) is J times the inverse */
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) m[a][b] = d[a][0] * d[b][0] + d[a][1] * d[b][1] + d[a][2] * d[b][2];
  const double cofactors[6] = {
      m[1][1] * m[2][2] - m[1][2] * m[1][2], m[0][2] * m[1][2] - m[0][1] * m[2][2],
      m[0][1] * m[1][2] - m[0][2] * m[1][1], m[0][0] * m[2][2] - m[0][2] * m[0][2],
      m[0][1] * m[0][2] - m[0][0] * m[1][2], m[0][0] * m[1][1] - m[0][1] * m[0][1]};
  *J = sqrt(m[0][0] * cofactors[0] + m[0][1] * cofactors[1] + m[0][2] * cofactors[2]);
  for (int f = 0; f < 6; f++) g[f] = cofactors[f] / *J;
}

/* The reference against the exact metric of the trilinear map of these vertices. */
static void check_exact(struct hb_check *check, struct group *g, double vertices[8][3]) {
  const int n = g->gll.n;
  const double bound = relative_bound(&g->gll);
  double d[3][3], G[6], J = 0.0, smallest = INFINITY, volume = 0.0;
  for (int i = 0; i < g->points; i++) {
    double x[3];
    const double at[3] = {g->gll.nodes[i % n], g->gll.nodes[i / n % n], g->gll.nodes[i / (n * n)]};
    hb_trilinear(vertices, at, x, d);
    for (int a = 0; a < 3; a++) g->x[a * g->points + i] = x[a];
    g->h1[i] = 1.0 + 0.1 * i;
    g->h2[i] = 2.0 + 0.1 * i;
  }
  group_form(g, hb_geometric_factors_host);
  for (int i = 0; i < g->points; i++) {
    double x[3];
    const double at[3] = {g->gll.nodes[i % n], g->gll.nodes[i / n % n], g->gll.nodes[i / (n * n)]};
    const double *f = g->factors + (ptrdiff_t)i * HB_MAX_FACTORS, w = weight(&g->gll, i);
    hb_trilinear(vertices, at, x, d);
    metric(d, G, &J);
    const double scale = w * g->h1[i] * fmax(G[0], fmax(G[3], G[5]));
    for (int q = 0; q < 6; q++) CHECK_NEAR(check, f[q], w * g->h1[i] * G[q], bound * scale);
    CHECK_NEAR(check, g->mass[i], w * J, bound * w * J);
    CHECK_NEAR(check, f[HB_MASS_FACTOR], g->h2[i] * w * J, bound * g->h2[i] * w * J);
    smallest = fmin(smallest, J);
    volume += g->mass[i];
  }
  CHECK_NEAR(check, g->min_jacobian[0], smallest, bound * smallest);
  if (n < 3) return; /* J is of degree 2 in each direction: not exact for n = 2 */
  double expected = 0.0;
  for (int q = 0; q < 8; q++) { /* two Gauss points a direction */
    double at[3], x[3];
    for (int a = 0; a < 3; a++) at[a] = (q >> a & 1) != 0 ? sqrt(1.0 / 3.0) : -sqrt(1.0 / 3.0);
    hb_trilinear(vertices, at, x, d);
    metric(d, G, &J);
    expected += J;
  }
  CHECK_NEAR(check, volume, expected, bound * expected);
}

/* Vertices of the brick with these half-lengths, with x sheared along y and z, y along z. */
static void check_shapes(struct hb_check *check, int n) {
  static const double SHEARS[][3] = {{0, 0, 0}, {0.4, 0, 0}, {0, -0.3, 0}, {0.2, 0.1, 0.3}};
  double vertices[8][3];
  struct hb_random random = {(uint64_t)n};
  struct group g;
  CHECK_OK(check, group_init(n, 1, &g));
  for (size_t s = 0; s < sizeof SHEARS / sizeof *SHEARS; s++) {
    for (int corner = 0; corner < 8; corner++) {
      double *v = vertices[corner];
      v[0] = (corner & 1) != 0 ? 0.8 : -0.8;
      v[1] = (corner & 2) != 0 ? 1.5 : -1.5;
      v[2] = (corner & 4) != 0 ? 1.1 : -1.1;
      v[0] += SHEARS[s][0] * v[1] + SHEARS[s][1] * v[2];
      v[1] += SHEARS[s][2] * v[2];
    }
    check_exact(check, &g, vertices);
  }
  /* In closed form, for the brick: G00 = h1 w (y z / x) and no cross terms. */
  memset(vertices, 0, sizeof vertices);
  for (int corner = 0; corner < 8; corner++)
    for (int a = 0; a < 3; a++) vertices[corner][a] = ((corner >> a & 1) != 0 ? 1 : -1) * (a + 2.0);
  check_exact(check, &g, vertices);
  const double w = g.gll.weights[0] * g.gll.weights[0] * g.gll.weights[0];
  const double brick[7] = {6.0 * w, 0.0, 0.0, 8.0 / 3.0 * w, 0.0, 1.5 * w, 48.0 * w};
  for (int f = 0; f < HB_MAX_FACTORS; f++) /* of the first point: h1 = 1, h2 = 2 */
    CHECK_NEAR(check, g.factors[f], brick[f], relative_bound(&g.gll) * 6.0 * w);
  for (int trial = 0; trial < 3; trial++) {
    hb_random_vertices(&random, vertices);
    check_exact(check, &g, vertices);
  }
  group_free(&g);
}

/* A variant on random deformed elements against the reference, both rounded. */
static void check_variant(struct hb_check *check, const struct hb_helmholtz_variant *variant,
                          int n) {
  const int lanes = hb_geometric_setup_for(variant->isa)->lanes;
  struct group g;
  CHECK_OK(check, group_init(n, lanes, &g));
  group_fill(&g, (uint64_t)n);
  group_form(&g, hb_geometric_setup_for(variant->isa)->form);
  const double bound = 2.0 * relative_bound(&g.gll);
  for (int lane = 0; lane < lanes; lane++) {
    const double *factors = NULL, *mass = NULL;
    long wrong = 0;
    form_one(&g, lane, &factors, &mass);
    for (int i = 0; i < g.points; i++) {
      const double *f = factors + (ptrdiff_t)i * HB_MAX_FACTORS;
      const double scale = fmax(f[0], fmax(f[3], f[5]));
      for (int q = 0; q < HB_MAX_FACTORS; q++) {
        const double value = g.factors[(i * HB_MAX_FACTORS + q) * lanes + lane];
        const double size = q == HB_MASS_FACTOR ? fabs(f[q]) : scale;
        if (!(fabs(value - f[q]) <= bound * size)) wrong++;
      }
      if (!(fabs(g.mass[i * lanes + lane] - mass[i]) <= bound * mass[i])) wrong++;
    }
    CHECK_EQUAL(check, wrong, 0);
    CHECK_NEAR(check, g.min_jacobian[lane], g.min_one, bound * g.min_one);
  }
  for (int lane = lanes; lane < HB_MAX_LANES; lane++)
    CHECK(check, g.min_jacobian[lane] == HB_SENTINEL);
  group_free(&g);
}

/* Makes one lane's element bad and requires that this lane, and no other, is reported. */
enum fault { MIRRORED, FLAT, FOLDED, NOT_A_NUMBER, NUM_FAULTS };
static const char *const fault_names[] = {"mirrored", "flat", "folded at a point", "NaN"};

static void plant(struct group *g, enum fault fault, int lane, int point) {
  const int n = g->gll.n, i = point % n;
  double *x = g->x + lane;
  for (int q = 0; q < g->points; q++) {
    double *value = &x[(ptrdiff_t)q * g->lanes];
    if (fault == MIRRORED) *value = -*value;
    if (fault == FLAT) *value = 0.0;
  }
  /* A slope in r of -2 at the point and beside it, from a large step of its neighbour. */
  double *at = &x[(ptrdiff_t)point * g->lanes];
  if (fault == FOLDED) at[(i == 0 ? 1 : -1) * g->lanes] += i == 0 ? -4.0 : 4.0;
  if (fault == NOT_A_NUMBER) *at = (double)NAN;
}

static void check_faults(struct hb_check *check, const struct hb_helmholtz_variant *variant,
                         int n) {
  const int lanes = hb_geometric_setup_for(variant->isa)->lanes;
  struct group g;
  CHECK_OK(check, group_init(n, lanes, &g));
  const int places[] = {0, g.points / 2, g.points - 1};
  for (int fault = 0; fault < NUM_FAULTS; fault++)
    for (int bad = 0; bad < lanes; bad++)
      for (int q = 0; q < 3; q++) {
        group_fill(&g, (uint64_t)(17 * n + fault));
        plant(&g, (enum fault)fault, bad, places[q]);
        group_form(&g, hb_geometric_setup_for(variant->isa)->form);
        bool found = true;
        for (int lane = 0; lane < lanes; lane++)
          if ((g.min_jacobian[lane] > 0.0) != (lane != bad)) found = false;
        CHECK(check, found);
        if (hb_check_prints(check, found))
          printf("  %s, n = %d, lane %d %s, point %d of %d: min_jacobian[%d] = %g\n", variant->name,
                 n, bad, fault_names[fault], places[q], g.points, bad, g.min_jacobian[bad]);
      }
  group_free(&g);
}

int main(void) {
  struct hb_check check = {0, 0};
  for (int n = 2; n <= HB_MAX_N; n++) {
    check_shapes(&check, n);
    for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
      const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
      if (variant->backend != HB_BACKEND_HOST || !hb_host_isa_runs(variant->isa) ||
          !hb_helmholtz_has(variant, HB_GEOMETRY_STORED, n))
        continue;
      check_variant(&check, variant, n);
      if (n <= 5 || n == HB_MAX_N) check_faults(&check, variant, n);
    }
  }
  return hb_check_finish(&check);
}
