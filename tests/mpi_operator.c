/* SPDX-License-Identifier: BSD-3-Clause
 * The assembled operator: symmetry, energy, independence of ranks and variants, the bilinear form.
 */
#include <float.h>
#include <string.h>

#include "app/operator.h"
#include "tests/exact_vector.h"
#include "tests/mesh_cases.h"

/* An operator on some communicator, and two vectors. */
struct bench {
  struct hb_mesh *mesh;
  struct hb_problem problem;
  struct hb_operator *op;
  hb_global *ids;
  double *mass;
  void *u, *w;
};

static void bench_destroy(struct bench *bench) {
  hb_operator_destroy(&bench->op);
  hb_mesh_destroy(&bench->mesh);
  hb_free(bench->ids);
  hb_free(bench->mass);
  hb_free(bench->u);
  hb_free(bench->w);
}

/* Collective.  False if the box does not go on so many ranks. */
static bool bench_create(struct hb_check *check, const struct hb_comm *comm,
                         const struct hb_box *box, const struct hb_helmholtz_variant *variant,
                         enum hb_precision precision, double variation, struct bench *bench) {
  *bench = (struct bench){.mesh = NULL};
  if (mesh_create(comm, box, variant->lanes[precision], &bench->mesh) != HB_OK) {
    hb_error_clear();
    return false;
  }
  const hb_local count = bench->mesh->numbering->num_points;
  bench->ids = mesh_global_ids(bench->mesh);
  bench->mass = hb_allocate(count, sizeof(double), "mass");
  bench->u = hb_allocate(count, sizeof(double), "u");
  bench->w = hb_allocate(count, sizeof(double), "w");
  CHECK_OK(check, hb_problem_init(box, 1.3, 2.1, variation, 0.5 * variation, &bench->problem));
  const struct hb_backend backend = {.kind = HB_BACKEND_HOST, .kernel = {.variant = variant}};
  const struct hb_operator_setup setup = {
      .mesh = bench->mesh, .problem = &bench->problem, .backend = &backend, .precision = precision};
  CHECK_OK(check, hb_operator_create(&setup, bench->mass, &bench->op));
  return true;
}

static const struct hb_helmholtz_variant *default_variant(int n) {
  const struct hb_helmholtz_variant *variant = NULL;
  return hb_helmholtz_find_variant("auto", HB_BACKEND_HOST, HB_GEOMETRY_STORED, n, &variant) ==
                 HB_OK
             ? variant
             : NULL;
}

static void set_random(const struct bench *bench, hb_global seed, bool masked, void *u) {
  const struct hb_numbering *numbering = bench->mesh->numbering;
  for (hb_local s = 0; s < numbering->num_points; s++)
    hb_real_set(bench->op->precision, u, s, hb_random_at(bench->ids[s], seed));
  if (masked) bench->op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, u);
}

static double dot(const struct bench *bench, const void *x, const void *y) {
  double sum = bench->op->ops->dot(bench->mesh->numbering->num_owned, x, y);
  hb_comm_sum(bench->mesh->comm, 1, &sum);
  return sum;
}

/* Values by global point, [points of the box]; copies are equal, so each is stored once or alike.
 */
static double *by_id(const struct bench *bench, const void *values) {
  const hb_global count = hb_box_num_points(&bench->mesh->box);
  double *whole = hb_allocate(count, sizeof *whole, "whole vector");
  for (hb_global id = 0; id < count; id++) whole[id] = -INFINITY;
  for (hb_local s = 0; s < bench->mesh->numbering->num_points; s++)
    whole[bench->ids[s]] = hb_real_at(bench->op->precision, values, s);
  return whole;
}

static double largest_entry(const double *values, hb_global count) {
  double largest = 0.0;
  for (hb_global i = 0; i < count; i++) largest = fmax(largest, fabs(values[i]));
  return largest;
}

/* u'Au from the operator is the global dot product; x'Ay = y'Ax; result zero on Dirichlet faces. */
static void check_forms(struct hb_check *check, struct bench *bench) {
  const struct hb_numbering *numbering = bench->mesh->numbering;
  const size_t bytes = (size_t)numbering->num_points * sizeof(double);
  const double n = bench->mesh->gll.n, epsilon = hb_precision_epsilon(bench->op->precision);
  void *y = hb_allocate(numbering->num_points, sizeof(double), "y");
  double energy = 0.0;
  set_random(bench, 1, true, bench->u);
  set_random(bench, 2, true, y);
  memset(bench->w, 0, bytes);
  hb_operator_apply(bench->op, HB_OPERATOR_FULL, bench->u, bench->w, &energy);
  hb_comm_sum(bench->mesh->comm, 1, &energy);
  const double y_Au = dot(bench, y, bench->w), u_Au = dot(bench, bench->u, bench->w);
  const double Au = sqrt(dot(bench, bench->w, bench->w)), u = sqrt(dot(bench, bench->u, bench->u));
  /* Entries of A u round by about 2 n eps of its size; signs of the errors are mixed. */
  CHECK_NEAR(check, energy, u_Au, 16.0 * n * epsilon * Au * u);
  CHECK(check, u == 0.0 || energy > 0.0);
  hb_operator_multiply(bench->op, HB_OPERATOR_FULL, y, bench->w);
  const double u_Ay = dot(bench, bench->u, bench->w);
  CHECK_NEAR(check, u_Ay, y_Au, 16.0 * n * epsilon * Au * sqrt(dot(bench, y, y)));
  for (hb_local s = 0; s < numbering->num_masked; s++)
    CHECK(check, hb_real_at(bench->op->precision, bench->w, numbering->masked[s]) == 0.0);
  CHECK(check,
        hb_gather_scatter_max_difference(bench->mesh->gs, bench->op->precision, bench->w) == 0.0);
  hb_free(y);
}

/* Constants in the stiffness part: rows of D sum to zero up to rounding of n terms. */
static void check_constants(struct hb_check *check, struct bench *bench) {
  const hb_local count = bench->mesh->numbering->num_points;
  const enum hb_precision precision = bench->op->precision;
  set_random(bench, 3, false, bench->u);
  hb_operator_multiply(bench->op, HB_OPERATOR_STIFFNESS, bench->u, bench->w);
  const double scale = sqrt(dot(bench, bench->w, bench->w));
  for (hb_local s = 0; s < count; s++) hb_real_set(precision, bench->u, s, 1.0);
  hb_operator_multiply(bench->op, HB_OPERATOR_STIFFNESS, bench->u, bench->w);
  CHECK_NEAR(check, sqrt(dot(bench, bench->w, bench->w)), 0.0,
             8.0 * bench->mesh->gll.n * hb_precision_epsilon(precision) * scale);
  hb_operator_multiply(bench->op, HB_OPERATOR_UNMASKED, bench->u, bench->w);
  const double integral = dot(bench, bench->u, bench->w); /* of h2: constant up to its variation */
  CHECK(check, integral > 0.5 * 2.1 * 0.91 && integral < 1.5 * 2.1 * 0.91);
}

/* True if an element is its own neighbour.  Two of its points are then one, and the sum of the
 * elements' diagonals (helmholtz.h) lacks the entries between them. */
static bool meets_itself(const struct hb_box *box) {
  bool meets = false;
  for (int a = 0; a < 3; a++)
    meets = meets || (box->boundary[a] == HB_PERIODIC && box->elements[a] == 1);
  return meets;
}

/* The inverse diagonal against e_i'A e_i for a few global points; zero on Dirichlet faces. */
static void check_diagonal(struct hb_check *check, struct bench *bench) {
  const struct hb_numbering *numbering = bench->mesh->numbering;
  const enum hb_precision precision = bench->op->precision;
  const hb_global points = hb_box_num_points(&bench->mesh->box);
  void *inverse = hb_allocate(numbering->num_points, sizeof(double), "inverse");
  hb_operator_inverse_diagonal(bench->op, inverse);
  for (int q = 0; q < 6; q++) {
    const hb_global id = (points - 1) * q / 5;
    for (hb_local s = 0; s < numbering->num_points; s++)
      hb_real_set(precision, bench->u, s, bench->ids[s] == id ? 1.0 : 0.0);
    hb_operator_multiply(bench->op, HB_OPERATOR_FULL, bench->u, bench->w);
    for (hb_local s = 0; s < numbering->num_points; s++) {
      if (bench->ids[s] != id) continue;
      const double diagonal = hb_real_at(precision, bench->w, s);
      const double product = diagonal * hb_real_at(precision, inverse, s);
      CHECK_NEAR(check, product, diagonal == 0.0 ? 0.0 : 1.0, /* cross terms of both signs */
                 32.0 * bench->mesh->gll.n * hb_precision_epsilon(precision));
    }
  }
  for (hb_local s = 0; s < numbering->num_masked; s++)
    CHECK(check, hb_real_at(precision, inverse, numbering->masked[s]) == 0.0);
  hb_free(inverse);
}

/* Every rank alone does the whole box by the reference; the ranks together must agree with it. */
static void check_alone(struct hb_check *check, struct bench *bench, const struct hb_comm *self,
                        double variation) {
  static const enum hb_operator_part parts[] = {HB_OPERATOR_FULL, HB_OPERATOR_UNMASKED,
                                                HB_OPERATOR_STIFFNESS};
  const hb_global count = hb_box_num_points(&bench->mesh->box);
  struct bench alone;
  CHECK(check, bench_create(check, self, &bench->mesh->box, hb_helmholtz_variant(0), HB_F64,
                            variation, &alone));
  for (int p = 0; p < 3; p++) {
    set_random(&alone, 5, parts[p] == HB_OPERATOR_FULL, alone.u);
    set_random(bench, 5, parts[p] == HB_OPERATOR_FULL, bench->u);
    hb_operator_multiply(alone.op, parts[p], alone.u, alone.w);
    hb_operator_multiply(bench->op, parts[p], bench->u, bench->w);
    double *expected = by_id(&alone, alone.w), *observed = by_id(bench, bench->w);
    const double epsilon = hb_precision_epsilon(bench->op->precision);
    /* In one entry 8 elements of 6 n terms each may meet; the sum of magnitudes of their terms
     * exceeds the largest entry by a few. */
    const double bound = 64.0 * bench->mesh->gll.n * epsilon * largest_entry(expected, count);
    for (hb_global id = 0; id < count; id++)
      if (observed[id] != -INFINITY) CHECK_NEAR(check, observed[id], expected[id], bound);
    hb_free(expected);
    hb_free(observed);
  }
  bench_destroy(&alone);
}

/* All rows of the table, both precisions, on one box. */
static void check_box(struct hb_check *check, const struct hb_comm *comm,
                      const struct hb_comm *self, const struct hb_box *box, double variation) {
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
    const int n = box->degree + 1;
    if (variant->backend != HB_BACKEND_HOST || !hb_host_isa_runs(variant->isa) ||
        !hb_helmholtz_has(variant, HB_GEOMETRY_STORED, n))
      continue;
    for (int precision = HB_F64; precision <= HB_F32; precision++) {
      struct bench bench;
      if (!bench_create(check, comm, box, variant, (enum hb_precision)precision, variation, &bench))
        return;
      check_forms(check, &bench);
      check_constants(check, &bench);
      if (!meets_itself(box)) check_diagonal(check, &bench);
      check_alone(check, &bench, self, variation);
      bench_destroy(&bench);
    }
  }
}

/* Sums over 32 points a period are exact for products of a few waves: integral of
 * h1 |grad u|^2 + h2 u^2 over the undeformed periodic box. */
static double analytic_energy(const struct hb_problem *problem) {
  enum { POINTS = 32 };
  double sum = 0.0;
  for (int i = 0; i < POINTS * POINTS * POINTS; i++) {
    const double x[3] = {problem->length[0] * (i % POINTS) / POINTS,
                         problem->length[1] * (i / POINTS % POINTS) / POINTS,
                         problem->length[2] * (i / POINTS / POINTS) / POINTS};
    double g[3], h1, h2;
    const double u = hb_problem_exact(problem, x, g, NULL);
    hb_problem_coefficients(problem, x, &h1, &h2);
    sum += h1 * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) + h2 * u * u;
  }
  return sum / (POINTS * POINTS * POINTS) * problem->length[0] * problem->length[1] *
         problem->length[2];
}

/* What visits of points find: how often each point, its u and source. */
struct visits {
  int *count;
  double *u, *source;
};

static void keep_visit(void *context, hb_local number, double u, double source) {
  struct visits *visits = context;
  visits->count[number]++;
  visits->u[number] = u;
  visits->source[number] = source;
}

/* Every point once, with u and source bitwise as hb_problem_exact has them at its position. */
static void check_visits(struct hb_check *check, const struct bench *bench) {
  const struct hb_numbering *numbering = bench->mesh->numbering;
  const hb_local *size = numbering->lattice_size, *number = numbering->lattice;
  const size_t count = (size_t)numbering->num_points;
  struct visits visits = {calloc(count, sizeof(int)), calloc(count, sizeof(double)),
                          calloc(count, sizeof(double))};
  hb_local c[3];
  CHECK_OK(check, hb_problem_visit_points(&bench->problem, bench->mesh, keep_visit, &visits));
  for (c[2] = 0; c[2] < size[2]; c[2]++)
    for (c[1] = 0; c[1] < size[1]; c[1]++)
      for (c[0] = 0; c[0] < size[0]; c[0]++, number++) {
        double x[3], source;
        hb_positions_at(bench->mesh->positions, c, x);
        const double u = hb_problem_exact(&bench->problem, x, NULL, &source);
        CHECK_EQUAL(check, visits.count[*number], 1);
        CHECK(check, visits.u[*number] == u && visits.source[*number] == source);
        CHECK(check, hb_real_at(HB_F64, bench->u, *number) == u);
      }
  free(visits.count);
  free(visits.u);
  free(visits.source);
}

/* u'Au of the interpolant of a smooth u, deformed or not, against the integral. */
static void check_energy(struct hb_check *check, const struct hb_comm *comm,
                         enum hb_deformation deformation) {
  static const int degrees[] = {3, 6, 9, 12};
  double error[4];
  for (int d = 0; d < 4; d++) {
    struct hb_box box = mesh_case(26);
    struct bench bench;
    box.degree = degrees[d];
    box.elements[0] = box.elements[1] = 3;
    box.elements[2] = 2;
    box.deformation = deformation;
    box.amplitude = 0.03;
    if (!bench_create(check, comm, &box, default_variant(box.degree + 1), HB_F64, 0.5, &bench))
      return;
    CHECK_OK(check, exact_vector(&bench.problem, bench.mesh, bench.u));
    check_visits(check, &bench);
    hb_operator_multiply(bench.op, HB_OPERATOR_FULL, bench.u, bench.w);
    const double expected = analytic_energy(&bench.problem);
    error[d] = fabs(dot(&bench, bench.u, bench.w) / expected - 1.0);
    CHECK(check, d == 0 || error[d] < 0.1 * error[d - 1] || error[d] < 1e-13);
    bench_destroy(&bench);
  }
  CHECK(check, error[0] > 1e-9); /* there is something to converge */
  CHECK_NEAR(check, error[3], 0.0, deformation == HB_UNDEFORMED ? 1e-12 : 1e-8);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL, *self = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  CHECK_OK(&check, hb_comm_create(MPI_COMM_SELF, &self));
  for (int index = 1; index < NUM_MESH_CASES; index += index < NUM_BOUNDARY_CASES ? 4 : 1) {
    struct hb_box box = mesh_case(index);
    const bool kershaw = box.boundary[0] != HB_PERIODIC && index % 2 == 0;
    box.deformation = kershaw ? HB_KERSHAW : index % 3 == 0 ? HB_UNDEFORMED : HB_SMOOTH;
    if (box.elements[0] * box.degree < 3 || box.elements[1] * box.degree < 3)
      box.deformation = HB_UNDEFORMED; /* too coarse for the map */
    box.amplitude = 0.02;
    box.epsilon[0] = box.epsilon[1] = 0.7;
    check_box(&check, comm, self, &box, index % 2 == 0 ? 0.6 : 0.0);
  }
  check_energy(&check, comm, HB_UNDEFORMED);
  check_energy(&check, comm, HB_SMOOTH);
  hb_comm_destroy(&self);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
