/* SPDX-License-Identifier: BSD-3-Clause
 * The error of the discrete solution against degree and against element size, on one rank. */
#include <float.h>
#include <string.h>

#include "app/gates.h"
#include "tests/mesh_cases.h"
#include "tests/solver_case.h"

static struct hb_options options_of(int combination, int degree, int elements) {
  struct hb_options options;
  hb_options_defaults(&options);
  options.backend = HB_BACKEND_ONLY_HOST;
  options.degree = degree;
  options.nx = options.ny = options.nz = elements;
  options.tolerance = 1e-13;
  options.warmup = 0;
  options.repeats = 1;
  mesh_case_boundaries(combination, options.boundary);
  return options;
}

/* Root mean square of u_h - u half-way between the nodes of every element, where nothing makes the
 * error smaller than it is elsewhere; the box is undeformed. */
static double error_between(const struct hb_solver *solver) {
  const struct hb_mesh *mesh = solver->mesh;
  const struct hb_gll *gll = &mesh->gll;
  const int n = gll->n, p = n - 1;
  double basis[HB_MAX_N][HB_MAX_N], centre[HB_MAX_N], sum = 0.0;
  hb_local e[3];
  for (int q = 0; q < p; q++) {
    centre[q] = 0.5 * (gll->nodes[q] + gll->nodes[q + 1]);
    hb_gll_lagrange(gll, centre[q], basis[q]);
  }
  for (hb_local position = 0; position < mesh->numbering->num_elements; position++) {
    hb_mesh_element(mesh, position, e);
    for (int point = 0; point < p * p * p; point++) {
      const int q[3] = {point % p, point / p % p, point / p / p};
      double x[3], value = 0.0;
      for (int a = 0; a < 3; a++)
        x[a] = mesh->box.length[a] * (e[a] + 0.5 * (1.0 + centre[q[a]])) /
               (double)mesh->box.elements[a];
      for (int node = 0; node < n * n * n; node++) {
        const int i = node % n, j = node / n % n, k = node / n / n;
        value += basis[q[0]][i] * basis[q[1]][j] * basis[q[2]][k] *
                 ((const double *)solver->x)[hb_numbering_point(mesh->numbering, e, i, j, k)];
      }
      const double error = value - hb_problem_exact(&solver->plan->problem, x, NULL, NULL);
      sum += error * error;
    }
  }
  return sqrt(sum / ((double)mesh->numbering->num_elements * p * p * p));
}

/* Errors of one solve, root mean square over that of the solution. */
struct errors {
  double nodes, between;
};

static struct errors solve(struct hb_check *check, const struct hb_comm *self,
                           const struct hb_options *options) {
  struct hb_timers timers = {.started = 0.0};
  struct hb_plan *plan = NULL;
  struct hb_solver *solver = NULL;
  struct hb_solves solves;
  struct hb_gates gates;
  struct errors errors = {NAN, NAN};
  CHECK_OK(check, solver_case_create(self, options, &timers, &plan, &solver));
  CHECK_OK(check, hb_solver_run(solver, NULL, NULL, &solves));
  CHECK_EQUAL(check, solves.end, HB_CG_CONVERGED);
  CHECK_OK(check, hb_gates_run(solver, &solves, &gates));
  errors.nodes = gates.rms_error / gates.rms_solution;
  if (options->deformation == HB_UNDEFORMED)
    errors.between = error_between(solver) / gates.rms_solution;
  hb_solves_destroy(&solves);
  solver_case_destroy(&plan, &solver);
  return errors;
}

/* Exponential: steps of two degrees divide the error by at least 10 down to 1e-11. */
static void check_degrees(struct hb_check *check, const struct hb_comm *self, int combination,
                          enum hb_deformation deformation) {
  const int last = 12;
  double previous = INFINITY, error = INFINITY;
  for (int degree = 2; degree <= last; degree += 2) {
    struct hb_options options =
        options_of(combination, degree, deformation == HB_UNDEFORMED ? 2 : 3);
    options.deformation = deformation;
    options.amplitude = 0.008;
    error = solve(check, self, &options).nodes;
    CHECK(check, degree > 2 || (error > 1e-4 && error < 0.3)); /* there is a way to go */
    CHECK(check, error < 0.1 * previous || error < 1e-11);
    previous = error;
  }
  CHECK_NEAR(check, error, 0.0, 1e-11);
}

/* Twice the elements divide the error by 2^order.  The order is degree + 1 in general; at the
 * nodes the error is smaller by about another power (superconvergence of Gauss-Lobatto nodes). */
static void check_sizes(struct hb_check *check, const struct hb_comm *self, int combination,
                        int degree, double variation) {
  const int coarse = degree == 2 ? 7 : 4;
  struct hb_options options = options_of(combination, degree, coarse);
  options.h1_variation = variation;
  const struct errors first = solve(check, self, &options);
  options.nx = options.ny = options.nz = 2 * coarse;
  const struct errors second = solve(check, self, &options);
  CHECK_NEAR(check, log2(first.between / second.between), degree + 1.0, 0.3);
  CHECK_NEAR(check, log2(first.nodes / second.nodes), degree + 2.0, 0.6);
}

int main(int argc, char **argv) {
  static const int combinations[] = {0, 13, 26, 5, 19}; /* all of a kind, and mixed */
  struct hb_check check = {0, 0};
  struct hb_comm *self = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_SELF, &self));
  for (int c = 0; c < 5; c++) {
    check_degrees(&check, self, combinations[c], HB_UNDEFORMED);
    if (c % 2 == 0) check_degrees(&check, self, combinations[c], HB_SMOOTH);
    for (int degree = 2; degree <= 4; degree++)
      check_sizes(&check, self, combinations[c], degree, (c + degree) % 2 == 0 ? 0.1 : 0.0);
  }
  hb_comm_destroy(&self);
  return mesh_finish(&check);
}
