/* SPDX-License-Identifier: BSD-3-Clause
 * Set-up of a solve. */
#include "app/solver.h"
#include "app/solver_internal.h"

#include "app/operator_device.h"

#include <string.h>

#include "app/exchange_choice.h"

static void apply_operator(void *context, const void *p, void *w, double *p_dot_w) {
  hb_operator_apply(context, HB_OPERATOR_FULL, p, w, p_dot_w);
}

struct hb_cg_system hb_solver_system(struct hb_solver *solver) {
  const struct hb_numbering *numbering = solver->mesh->numbering;
  return (struct hb_cg_system){.comm = solver->plan->comm,
                               .ops = solver->op->ops,
                               .precision = solver->op->precision,
                               .num_points = numbering->num_points,
                               .num_owned = numbering->num_owned,
                               .surface_start = numbering->surface_start,
                               .apply = apply_operator,
                               .context = solver->op,
                               .preconditioner = solver->preconditioner,
                               .graphs = solver->plan->options->graphs != HB_GRAPHS_OFF,
                               .b = solver->b,
                               .x = solver->x};
}

static void *allocate_vector(const struct hb_solver *solver, const char *what) {
  return hb_allocate(solver->mesh->numbering->num_points,
                     hb_precision_bytes(solver->plan->options->precision), what);
}

enum hb_status hb_solver_set_dirichlet(struct hb_solver *solver) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  double *values = NULL;
  HB_ALLOC(values, numbering->num_masked, "lifting");
  HB_TRY(hb_problem_lifting(&solver->plan->problem, solver->mesh, values));
  for (hb_local s = 0; s < numbering->num_masked; s++)
    hb_real_set(solver->op->precision, solver->x, numbering->masked[s], values[s]);
done:
  hb_free(values);
  return hb_comm_agree(solver->plan->comm, status);
}

/* b = Z' (b - A u_D), where u_D is the solution on Dirichlet faces and zero elsewhere. */
static enum hb_status lift_on_host(struct hb_solver *solver) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const struct hb_vector_space space = hb_operator_space(solver->op);
  void *w = allocate_vector(solver, "result of the lifting");
  HB_TRY(hb_comm_agree(solver->plan->comm, w != NULL ? HB_OK : HB_MACHINE_FAILED));
  hb_vector_clear(&space, solver->x);
  HB_TRY(hb_solver_set_dirichlet(solver));
  hb_operator_multiply(solver->op, HB_OPERATOR_UNMASKED, solver->x, w);
  hb_vector_add_scaled(&space, -1.0, w, solver->b);
  solver->op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, solver->b);
done:
  hb_free(w);
  return status;
}

/* The same by vectors of the operator's device: b goes there and comes back. */
static enum hb_status lift(struct hb_solver *solver) {
  enum hb_status status = HB_OK;
  if (!hb_backend_on_gpu(solver->plan->backend)) return lift_on_host(solver);
  status = hb_operator_device_lift(hb_operator_device(solver->op), solver->b);
  return hb_comm_agree(solver->plan->comm, status);
}

/* Operator, and the right-hand side before lifting. */
static enum hb_status create_operator(struct hb_solver *solver, const struct hb_watcher *watcher) {
  enum hb_status status = HB_OK;
  const struct hb_plan *plan = solver->plan;
  const hb_local num_points = solver->mesh->numbering->num_points;
  const struct hb_operator_setup setup = {.mesh = solver->mesh,
                                          .problem = &plan->problem,
                                          .backend = plan->backend,
                                          .precision = plan->options->precision,
                                          .watcher = watcher};
  const bool wide = plan->options->precision == HB_F64; /* b takes the place of the mass */
  double *mass = NULL;
  solver->b = allocate_vector(solver, "right-hand side");
  solver->x = allocate_vector(solver, "solution");
  mass = wide ? solver->b : hb_allocate(num_points, sizeof *mass, "mass");
  if (solver->b == NULL || solver->x == NULL || mass == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(hb_comm_agree(plan->comm, status));
  HB_TRY(hb_operator_create(&setup, mass, &solver->op));
  const struct hb_vector_space space = hb_operator_space(solver->op);
  solver->volume = hb_vector_sum(&space, mass);
  hb_comm_sum(plan->comm, 1, &solver->volume);
  HB_TRY(hb_problem_rhs(&plan->problem, solver->mesh, mass));
  if (!wide) hb_vector_from_double(&space, mass, solver->b);
done:
  if (!wide) hb_free(mass);
  return status;
}

/* Preconditioner and conjugate gradients, and what went wrong on the device before. */
static enum hb_status create_solve(struct hb_solver *solver) {
  enum hb_status status = HB_OK;
  const struct hb_options *options = solver->plan->options;
  HB_TRY(hb_preconditioner_create(options->preconditioner, solver->op, &solver->preconditioner));
  const struct hb_cg_system system = hb_solver_system(solver);
  status = solver->op->failure;
  if (status == HB_OK) status = hb_cg_create(options->iterations, &solver->cg);
  if (status == HB_OK) status = hb_operator_create_passes(solver->op, &system, &solver->passes);
  HB_TRY(hb_comm_agree(solver->plan->comm, status));
done:
  return status;
}

enum hb_status hb_solver_create(const struct hb_plan *plan, struct hb_timers *timers,
                                const struct hb_watcher *watcher, struct hb_solver **solver_out) {
  enum hb_status status = HB_OK;
  struct hb_solver *solver = hb_allocate(1, sizeof *solver, "solver");
  *solver_out = NULL;
  if (solver != NULL) *solver = (struct hb_solver){.plan = plan, .timers = timers};
  HB_TRY(hb_comm_agree(plan->comm, solver != NULL ? HB_OK : HB_MACHINE_FAILED));
  HB_TRY(hb_mesh_create(plan->comm, &plan->box, &plan->partition,
                        hb_backend_lanes(plan->backend, plan->options->precision), &solver->mesh));
  HB_TRY(create_operator(solver, watcher));
  HB_TRY(hb_exchange_settle(plan->backend, solver->op));
  if (hb_box_has_dirichlet(&plan->box)) HB_TRY(lift(solver));
  HB_TRY(create_solve(solver));
  *solver_out = solver;
done:
  if (status != HB_OK) hb_solver_destroy(&solver);
  return status;
}

void hb_solver_destroy(struct hb_solver **solver) {
  if (*solver == NULL) return;
  hb_cg_destroy(&(*solver)->cg);
  hb_cg_passes_destroy(&(*solver)->passes);
  hb_preconditioner_destroy(&(*solver)->preconditioner);
  hb_operator_destroy(&(*solver)->op);
  hb_mesh_destroy(&(*solver)->mesh);
  hb_free((*solver)->b);
  hb_free((*solver)->x);
  hb_free(*solver);
  *solver = NULL;
}

hb_global hb_solver_vector_bytes(const struct hb_plan *plan) {
  return (hb_global)hb_precision_bytes(plan->options->precision) * hb_plan_points(plan);
}

void hb_solver_interior(const struct hb_solver *solver, void *u) {
  const struct hb_numbering *numbering = solver->mesh->numbering;
  memcpy(u, solver->x, (size_t)hb_operator_vector_bytes(solver->op));
  solver->op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, u);
}

enum hb_status hb_solver_residual(const struct hb_solver *solver, void *r) {
  enum hb_status status = HB_OK;
  void *u = allocate_vector(solver, "solution inside");
  void *w = allocate_vector(solver, "operator result");
  if (u == NULL || w == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(hb_comm_agree(solver->plan->comm, status));
  hb_solver_interior(solver, u);
  hb_operator_multiply(solver->op, HB_OPERATOR_FULL, u, w);
  memcpy(r, solver->b, (size_t)hb_operator_vector_bytes(solver->op));
  solver->op->ops->add_scaled(solver->mesh->numbering->num_points, -1.0, w, r);
  HB_TRY(hb_comm_agree(solver->plan->comm, solver->op->failure));
done:
  hb_free(u);
  hb_free(w);
  return status;
}
