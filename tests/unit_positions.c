/* SPDX-License-Identifier: BSD-3-Clause
 * Positions for any partition, volumes, metric identities, and elements that the map inverts. */
#include <float.h>
#include <string.h>

#include "app/operator.h"
#include "kernels/geometry/factors.h"
#include "tests/mesh_cases.h"

static const int FREE[3] = {0, 0, 0};

static struct hb_box deformed(struct hb_box box, enum hb_deformation deformation) {
  box.deformation = deformation;
  box.amplitude = 0.05;
  box.epsilon[0] = 0.4;
  box.epsilon[1] = 0.3;
  if (deformation == HB_KERSHAW && box.boundary[0] == HB_PERIODIC) box.boundary[0] = HB_NEUMANN;
  return box;
}

/* An element's positions, seen by any rank, are those of a rank that has all elements; bitwise. */
static void check_partitions(struct hb_check *check, const struct hb_box *box, int num_ranks) {
  struct hb_partition whole, part;
  struct hb_positions *alone = NULL, *shared = NULL;
  struct hb_gll gll;
  const int n = box->degree + 1, count = 3 * n * n * n;
  double *expected = calloc((size_t)count, sizeof *expected);
  double *observed = calloc((size_t)count * 4, sizeof *observed);
  CHECK_OK(check, hb_gll_init(box->degree, &gll));
  CHECK_OK(check, hb_partition_create(box, 1, 0, FREE, &whole));
  CHECK_OK(check, hb_positions_create(box, &whole, &gll, &alone));
  for (int rank = 0; rank < num_ranks; rank++) {
    if (hb_partition_create(box, num_ranks, rank, FREE, &part) != HB_OK) break;
    CHECK_OK(check, hb_positions_create(box, &part, &gll, &shared));
    for (hb_local index = 0; index < part.num_elements; index++) {
      const hb_local e[3] = {index % part.count[0], index / part.count[0] % part.count[1],
                             index / part.count[0] / part.count[1]};
      const hb_local g[3] = {(hb_local)part.start[0] + e[0], (hb_local)part.start[1] + e[1],
                             (hb_local)part.start[2] + e[2]};
      bool same = true;
      hb_positions_element(alone, g, 1, expected);
      hb_positions_element(shared, e, 4, observed + 2);
      for (int i = 0; i < count; i++) same = same && observed[4 * i + 2] == expected[i];
      CHECK(check, same);
    }
    hb_positions_destroy(&shared);
  }
  hb_error_clear();
  hb_positions_destroy(&alone);
  CHECK(check, alone == NULL);
  free(expected);
  free(observed);
}

/* Points of two elements at one lattice place have one position: hb_positions_at's. */
static void check_shared(struct hb_check *check, const struct hb_box *box) {
  struct hb_partition whole;
  struct hb_positions *positions = NULL;
  struct hb_gll gll;
  const int p = box->degree, n = p + 1, points = n * n * n;
  double *x = calloc((size_t)points * 3, sizeof *x);
  CHECK_OK(check, hb_gll_init(p, &gll));
  CHECK_OK(check, hb_partition_create(box, 1, 0, FREE, &whole));
  CHECK_OK(check, hb_positions_create(box, &whole, &gll, &positions));
  for (hb_local index = 0; index < whole.num_elements; index++) {
    const hb_local e[3] = {index % whole.count[0], index / whole.count[0] % whole.count[1],
                           index / whole.count[0] / whole.count[1]};
    hb_positions_element(positions, e, 1, x);
    for (int point = 0; point < points; point++) {
      const int ijk[3] = {point % n, point / n % n, point / (n * n)};
      const hb_local c[3] = {e[0] * p + ijk[0], e[1] * p + ijk[1], e[2] * p + ijk[2]};
      double expected[3], mapped[3], s[3];
      hb_positions_at(positions, c, expected);
      for (int a = 0; a < 3; a++) {
        s[a] = (e[a] + 0.5 * (1.0 + gll.nodes[ijk[a]])) / (double)box->elements[a];
        CHECK(check, x[a * points + point] == expected[a]);
      }
      hb_box_map(box, s, mapped); /* s is rounded in another way: slopes are below 3 */
      for (int a = 0; a < 3; a++)
        CHECK_NEAR(check, expected[a], mapped[a], 16.0 * DBL_EPSILON * box->length[a]);
    }
  }
  hb_positions_destroy(&positions);
  free(x);
}

/* An operator on one rank and what belongs to it. */
struct bench {
  struct hb_mesh *mesh;
  struct hb_problem problem;
  struct hb_operator *op;
  double *mass, *u, *w;
};

static enum hb_status bench_create(struct hb_check *check, const struct hb_comm *self,
                                   const struct hb_box *box, int row, struct bench *bench) {
  const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
  *bench = (struct bench){.mesh = NULL};
  CHECK_OK(check, mesh_create(self, box, variant->lanes[HB_F64], &bench->mesh));
  const hb_local count = bench->mesh->numbering->num_points;
  bench->mass = hb_allocate(count, sizeof(double), "mass");
  bench->u = hb_allocate(count, sizeof(double), "u");
  bench->w = hb_allocate(count, sizeof(double), "w");
  CHECK_OK(check, hb_problem_init(box, 1.0, 1.0, 0.0, 0.0, &bench->problem));
  const struct hb_backend backend = {.kind = HB_BACKEND_HOST, .kernel = {.variant = variant}};
  const struct hb_operator_setup setup = {
      .mesh = bench->mesh, .problem = &bench->problem, .backend = &backend, .precision = HB_F64};
  return hb_operator_create(&setup, bench->mass, &bench->op);
}

static void bench_destroy(struct bench *bench) {
  hb_operator_destroy(&bench->op);
  hb_mesh_destroy(&bench->mesh);
  hb_free(bench->mass);
  hb_free(bench->u);
  hb_free(bench->w);
}

static double relative_volume_error(struct hb_check *check, const struct hb_comm *self,
                                    const struct hb_box *box, int row) {
  struct bench bench;
  double volume = 0.0;
  CHECK_OK(check, bench_create(check, self, box, row, &bench));
  for (hb_local s = 0; s < bench.mesh->numbering->num_points; s++) {
    CHECK(check, bench.mass[s] > 0.0);
    volume += bench.mass[s];
  }
  bench_destroy(&bench);
  return fabs(volume / hb_box_volume(box) - 1.0);
}

/* Exact up to rounding: undeformed; under kershaw, where the lines y, z along which elements lie
 * have the box's length; under smooth, whose quadrature errors cancel over a period. */
static void check_volumes(struct hb_check *check, const struct hb_comm *self, int row) {
  static const int degrees[] = {2, 3, 4, 7, 11};
  for (int map = HB_UNDEFORMED; map <= HB_KERSHAW; map++)
    for (int d = 0; d < 5; d++) {
      struct hb_box box = deformed(mesh_case(13), (enum hb_deformation)map);
      box.degree = degrees[d];
      box.elements[0] = map == HB_KERSHAW ? 6 : 3;
      box.elements[1] = box.elements[2] = 2;
      /* A sum of up to 24 12^3 products, whose rounding errors mix, each off by 2 n eps. */
      CHECK_NEAR(check, relative_volume_error(check, self, &box, row), 0.0,
                 64.0 * box.degree * DBL_EPSILON);
    }
}

/* Volume of the element at the origin of 3 x 2 x 2 by the plain factors. */
static double element_volume(struct hb_check *check, enum hb_deformation map, int degree) {
  static const hb_local origin[3] = {0, 0, 0};
  struct hb_box box = deformed(mesh_case(13), map);
  struct hb_partition whole;
  struct hb_positions *positions = NULL;
  struct hb_gll gll;
  const int n = degree + 1, points = n * n * n;
  double *work = calloc((size_t)points * 15, sizeof *work), *x = work, *h = x + 3 * points;
  double *mass = h + points, *factors = mass + points, volume = 0.0, smallest = 0.0;
  box.degree = degree;
  box.elements[0] = 3;
  box.elements[1] = box.elements[2] = 2;
  CHECK_OK(check, hb_gll_init(degree, &gll));
  CHECK_OK(check, hb_partition_create(&box, 1, 0, FREE, &whole));
  CHECK_OK(check, hb_positions_create(&box, &whole, &gll, &positions));
  hb_positions_element(positions, origin, 1, x);
  const struct hb_geometric_input input = {
      .n = n, .D = gll.D, .weights = gll.weights, .x = x, .h1 = h, .h2 = h};
  hb_geometric_factors_host(&input, NULL, factors, mass, &smallest);
  CHECK(check, smallest > 0.0);
  for (int point = 0; point < points; point++) volume += mass[point];
  hb_positions_destroy(&positions);
  free(work);
  return volume;
}

/* A single element's volume converges with the degree; undeformed it is there at once. */
static void check_element_volumes(struct hb_check *check) {
  static const int degrees[] = {3, 6, 9, 12};
  const double limit = element_volume(check, HB_SMOOTH, 15);
  double error[4];
  for (int d = 0; d < 4; d++) {
    error[d] = fabs(element_volume(check, HB_SMOOTH, degrees[d]) / limit - 1.0);
    CHECK(check, d == 0 ? error[0] > 1e-6 : error[d] < 0.05 * error[d - 1] || error[d] < 1e-13);
    CHECK_NEAR(check, element_volume(check, HB_UNDEFORMED, degrees[d]), 1.0 * 0.7 * 1.3 / 12.0,
               64.0 * DBL_EPSILON * degrees[d] / 12.0);
  }
  CHECK_NEAR(check, error[3], 0.0, 1e-8);
}

/* Largest |A x_a| away from the box's faces (the flux through them is no residual), relative to
 * |A v| of a v with random entries of the size of x_a. */
static double linear_residual(struct hb_check *check, struct bench *bench, int axis) {
  const struct hb_mesh *mesh = bench->mesh;
  const hb_local *size = mesh->numbering->lattice_size, *lattice = mesh->numbering->lattice;
  double largest[2] = {0.0, 0.0};
  hb_local c[3];
  for (int random = 0; random < 2; random++) {
    const hb_local *number = lattice;
    for (c[2] = 0; c[2] < size[2]; c[2]++)
      for (c[1] = 0; c[1] < size[1]; c[1]++)
        for (c[0] = 0; c[0] < size[0]; c[0]++, number++) {
          double x[3];
          hb_positions_at(mesh->positions, c, x);
          bench->u[*number] =
              random ? hb_random_at(*number, axis) * mesh->box.length[axis] : x[axis];
        }
    hb_operator_multiply(bench->op, HB_OPERATOR_STIFFNESS, bench->u, bench->w);
    number = lattice;
    for (c[2] = 0; c[2] < size[2]; c[2]++)
      for (c[1] = 0; c[1] < size[1]; c[1]++)
        for (c[0] = 0; c[0] < size[0]; c[0]++, number++) {
          bool inside = true;
          for (int a = 0; a < 3; a++) inside = inside && c[a] > 0 && c[a] < size[a] - 1;
          if (inside) largest[random] = fmax(largest[random], fabs(bench->w[*number]));
        }
  }
  CHECK(check, largest[1] > 0.0);
  return largest[0] / largest[1];
}

/* Linear functions have no residual inside: in x, y and z on straight elements; in y and z under
 * kershaw, whose lines bend in planes x = const. (the flux of y and z meets straight metric terms
 * alone); in x there, and under smooth, up to the quadrature of the metric terms, which converges.
 */
static void check_linear(struct hb_check *check, const struct hb_comm *self, int row) {
  static const int degrees[] = {2, 5, 9};
  for (int map = HB_UNDEFORMED; map <= HB_KERSHAW; map++) {
    double residual[3][3];
    for (int d = 0; d < 3; d++) {
      struct hb_box box = deformed(mesh_case(13), (enum hb_deformation)map);
      struct bench bench;
      box.degree = degrees[d];
      box.elements[0] = 6;
      box.elements[1] = box.elements[2] = 2;
      CHECK_OK(check, bench_create(check, self, &box, row, &bench));
      for (int a = 0; a < 3; a++) {
        residual[d][a] = linear_residual(check, &bench, a);
        /* Each of 6 n products is rounded, metric terms are differences of 2 products, and D
         * rounds with n^2. */
        if (map == HB_UNDEFORMED || (map == HB_KERSHAW && a > 0))
          CHECK_NEAR(check, residual[d][a], 0.0, 16.0 * box.degree * box.degree * DBL_EPSILON);
        else if (d == 2)
          CHECK(check, residual[1][a] > 1e-8 && residual[2][a] < 0.01 * residual[1][a]);
      }
      bench_destroy(&bench);
    }
  }
}

/* A coarse mesh that samples a legal map badly: refused, with the element and the deformation. */
static void check_inverted(struct hb_check *check, const struct hb_comm *self, int row) {
  struct hb_box box = mesh_case(13);
  struct bench bench;
  box.deformation = HB_SMOOTH;
  box.amplitude = 0.158;
  box.degree = 2;
  box.elements[0] = 2;
  box.elements[1] = box.elements[2] = 1;
  CHECK_FAILS(check, bench_create(check, self, &box, row, &bench), HB_BAD_INPUT,
              "deformation = smooth inverts element (0, 0, 0)");
  CHECK(check, bench.op == NULL);
  bench_destroy(&bench);
  box.deformation = HB_KERSHAW;
  box.epsilon[0] = box.epsilon[1] = 0.01;
  box.elements[0] = box.elements[1] = box.elements[2] = 3; /* kinks inside the middle ones */
  CHECK_FAILS(check, bench_create(check, self, &box, row, &bench), HB_BAD_INPUT,
              "deformation = kershaw inverts element (0, 1, 0)");
  bench_destroy(&bench);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *self = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_SELF, &self));
  for (int index = 0; index < NUM_MESH_CASES; index++) {
    const struct hb_box box = deformed(mesh_case(index), (enum hb_deformation)(index % 3));
    check_partitions(&check, &box, 2 + index % 7);
    check_shared(&check, &box);
  }
  check_element_volumes(&check);
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
    if (variant->backend != HB_BACKEND_HOST || !hb_host_isa_runs(variant->isa)) continue;
    check_volumes(&check, self, row);
    check_linear(&check, self, row);
    check_inverted(&check, self, row);
  }
  hb_comm_destroy(&self);
  return mesh_finish(&check);
}
