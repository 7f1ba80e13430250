/* SPDX-License-Identifier: BSD-3-Clause
 * The gate boundary passes right solves of any faces, and sees one value on a Dirichlet face. */
#include <string.h>

#include "app/gate_boundary.h"
#include "tests/exact_vector.h"
#include "tests/mesh_cases.h"
#include "tests/solver_case.h"

/* Collective.  The gate's verdict, the same on all ranks. */
static enum hb_gate_verdict judge(struct hb_check *check, const struct hb_solver *solver,
                                  const double *exact) {
  struct hb_gates gates = {.verdict = HB_GATE_FAILS};
  double largest[2];
  (void)check;
  hb_gate_boundary_errors(solver, exact, largest);
  hb_comm_max(solver->plan->comm, 2, largest);
  hb_gate_boundary_judge(solver, largest, &gates);
  return gates.gate[HB_GATE_BOUNDARY].verdict;
}

/* One value of the last rank that has one, changed to `value`. */
static void plant(struct hb_check *check, struct hb_solver *solver, const double *exact,
                  bool at_end, double value) {
  const struct hb_comm *comm = solver->plan->comm;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const enum hb_precision precision = solver->op->precision;
  double holder = numbering->num_masked > 0 ? comm->rank : -1.0;
  hb_comm_max(comm, 1, &holder);
  const bool mine = holder >= 0.0 && (int)holder == comm->rank;
  const hb_local point = mine ? numbering->masked[at_end ? numbering->num_masked - 1 : 0] : 0;
  const double kept = hb_real_at(precision, solver->x, point);
  if (mine) hb_real_set(precision, solver->x, point, value);
  CHECK_EQUAL(check, judge(check, solver, exact), holder >= 0.0 ? HB_GATE_FAILS : HB_GATE_PASSES);
  hb_real_set(precision, solver->x, point, kept);
}

static void check_case(struct hb_check *check, const struct hb_comm *comm, int combination,
                       enum hb_precision precision) {
  struct hb_options options;
  struct hb_timers timers = {.started = 0.0};
  struct hb_plan *plan = NULL;
  struct hb_solver *solver = NULL;
  struct hb_solves solves;
  double *exact = NULL;
  hb_options_defaults(&options);
  options.backend = HB_BACKEND_ONLY_HOST;
  options.degree = 3;
  options.nx = 8;
  options.ny = options.nz = 2;
  options.precision = precision;
  options.stop = HB_STOP_COUNT;
  options.iterations = 3;
  options.warmup = 0;
  options.repeats = 1;
  mesh_case_boundaries(combination, options.boundary);
  CHECK_OK(check, solver_case_create(comm, &options, &timers, &plan, &solver));
  CHECK_OK(check, hb_solver_run(solver, NULL, NULL, &solves));
  exact = hb_allocate(solver->mesh->numbering->num_points, sizeof *exact, "exact solution");
  CHECK_OK(check, exact_vector(&plan->problem, solver->mesh, exact));
  CHECK_EQUAL(check, judge(check, solver, exact), HB_GATE_PASSES);
  plant(check, solver, exact, false, 0.0);
  plant(check, solver, exact, true, 1e6);
  plant(check, solver, exact, true, (double)NAN);
  CHECK_EQUAL(check, judge(check, solver, exact), HB_GATE_PASSES);
  hb_free(exact);
  hb_solves_destroy(&solves);
  solver_case_destroy(&plan, &solver);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  for (int combination = 0; combination < 27; combination++)
    check_case(&check, comm, combination, combination % 2 == 0 ? HB_F64 : HB_F32);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
