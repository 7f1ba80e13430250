/* SPDX-License-Identifier: BSD-3-Clause
 * The gates on operator, vectors and residual; kernel and resolution have files of their own. */
#include "app/gates.h"

#include <float.h>
#include <math.h>

#include "app/gate_kernel.h"
#include "app/gate_resolution.h"
#include "kernels/random.h"

void hb_gate_judge(struct hb_gates *gates, enum hb_gate_name name, double observed, double bound) {
  static const char *const names[HB_NUM_GATES] = {
      "kernel",     "symmetry", "null_space", "volume",   "points",
      "continuity", "residual", "reduction",  "solution", "repeat"};
  gates->gate[name] =
      (struct hb_gate){.name = names[name],
                       .observed = observed,
                       .bound = bound,
                       .verdict = observed <= bound ? HB_GATE_PASSES : HB_GATE_FAILS};
}

const char *hb_gate_verdict_word(enum hb_gate_verdict verdict) {
  static const char *const words[HB_NUM_GATE_VERDICTS] = {
      [HB_GATE_FAILS] = "FAIL", [HB_GATE_PASSES] = "PASS", [HB_GATE_INCONCLUSIVE] = "INCONCLUSIVE"};
  return words[verdict];
}

const char *hb_gates_status(const struct hb_gates *gates) {
  static const char *const words[HB_NUM_GATE_VERDICTS] = {[HB_GATE_FAILS] = "INVALID",
                                                          [HB_GATE_PASSES] = "VALID",
                                                          [HB_GATE_INCONCLUSIVE] = "INCONCLUSIVE"};
  return words[gates->verdict];
}

/* One that failed makes all fail; one that is neither passed nor covered leaves them open. */
static enum hb_gate_verdict judge_all(const struct hb_gates *gates) {
  enum hb_gate_verdict verdict = HB_GATE_PASSES;
  for (int g = 0; g < HB_NUM_GATES; g++) {
    const struct hb_gate *gate = &gates->gate[g];
    if (gate->verdict == HB_GATE_FAILS) return HB_GATE_FAILS;
    if (gate->verdict == HB_GATE_INCONCLUSIVE && gate->covered_by == NULL)
      verdict = HB_GATE_INCONCLUSIVE;
  }
  return verdict;
}

void hb_gate_set_random(const struct hb_solver *solver, uint64_t seed, bool masked, void *v) {
  const struct hb_mesh *mesh = solver->mesh;
  const struct hb_numbering *numbering = mesh->numbering;
  const hb_local *size = numbering->lattice_size, *number = numbering->lattice;
  hb_local c[3];
  for (c[2] = 0; c[2] < size[2]; c[2]++)
    for (c[1] = 0; c[1] < size[1]; c[1]++)
      for (c[0] = 0; c[0] < size[0]; c[0]++, number++)
        hb_real_set(
            solver->op->precision, v, *number,
            hb_random_at(hb_numbering_global_id(&mesh->box, &mesh->partition, c), (hb_global)seed));
  if (masked) solver->op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, v);
}

enum hb_status hb_gate_work_create(const struct hb_solver *solver, struct hb_gate_work *work) {
  const size_t size = hb_precision_bytes(solver->op->precision);
  const hb_local num_points = solver->mesh->numbering->num_points;
  *work = (struct hb_gate_work){.u = hb_allocate(num_points, size, "work of gates"),
                                .v = hb_allocate(num_points, size, "work of gates"),
                                .w = hb_allocate(num_points, size, "work of gates")};
  return work->u != NULL && work->v != NULL && work->w != NULL ? HB_OK : HB_MACHINE_FAILED;
}

void hb_gate_work_destroy(struct hb_gate_work *work) {
  hb_free(work->u);
  hb_free(work->v);
  hb_free(work->w);
  *work = (struct hb_gate_work){NULL, NULL, NULL};
}

hb_global hb_gates_vector_bytes(const struct hb_plan *plan) {
  return (hb_global)hb_precision_bytes(plan->options->precision) * hb_plan_points(plan);
}

hb_global hb_gates_exact_bytes(const struct hb_plan *plan) {
  return (hb_global)sizeof(double) * hb_plan_points(plan);
}

/* What the gates see, and what is found out for several of them beforehand. */
struct court {
  const struct hb_solver *solver;
  const struct hb_solves *solves;
  struct hb_gates *gates;
  struct hb_gate_work work;
  double residual, difference, size;     /* |b - A x|, |b - A x - r| and |x| */
  double least_inverse, largest_inverse; /* of the preconditioner */
  double resolvable, quadrature;         /* gate_resolution.h */
};

static double global_dot(const struct hb_solver *solver, const void *x, const void *y) {
  double sum = solver->op->ops->dot(solver->mesh->numbering->num_owned, x, y);
  hb_comm_sum(solver->plan->comm, 1, &sum);
  return sum;
}

/* Rounding of a sum of random terms: observed |x'Ay - y'Ax| in units of |x| |Ay| + |y| |Ax|. */
static enum hb_status gate_symmetry(struct court *court) {
  const struct hb_solver *solver = court->solver;
  void *x = court->work.u, *y = court->work.v, *w = court->work.w;
  hb_gate_set_random(solver, 1, true, x);
  hb_gate_set_random(solver, 2, true, y);
  hb_operator_multiply(solver->op, HB_OPERATOR_FULL, y, w);
  const double x_Ay = global_dot(solver, x, w), Ay = sqrt(global_dot(solver, w, w));
  hb_operator_multiply(solver->op, HB_OPERATOR_FULL, x, w);
  const double y_Ax = global_dot(solver, y, w), Ax = sqrt(global_dot(solver, w, w));
  const double scale = sqrt(global_dot(solver, x, x)) * Ay + sqrt(global_dot(solver, y, y)) * Ax;
  const double n = solver->mesh->gll.n;
  hb_gate_judge(court->gates, HB_GATE_SYMMETRY, scale == 0.0 ? 0.0 : fabs(x_Ay - y_Ax) / scale,
                4.0 * n * hb_precision_epsilon(solver->op->precision));
  return HB_OK;
}

/* |A 1| against |A x| of a random x of the same size of entries; n terms a row round. */
static enum hb_status gate_null_space(struct court *court) {
  const struct hb_solver *solver = court->solver;
  const hb_local num_points = solver->mesh->numbering->num_points;
  void *one = court->work.u, *w = court->work.w;
  hb_gate_set_random(solver, 3, false, one);
  hb_operator_multiply(solver->op, HB_OPERATOR_STIFFNESS, one, w);
  const double scale = sqrt(global_dot(solver, w, w));
  for (hb_local i = 0; i < num_points; i++) hb_real_set(solver->op->precision, one, i, 1.0);
  hb_operator_multiply(solver->op, HB_OPERATOR_STIFFNESS, one, w);
  const double observed = sqrt(global_dot(solver, w, w));
  const double n = solver->mesh->gll.n;
  hb_gate_judge(court->gates, HB_GATE_NULL_SPACE, scale == 0.0 ? observed : observed / scale,
                8.0 * n * hb_precision_epsilon(solver->op->precision));
  return HB_OK;
}

static enum hb_status gate_points(struct court *court) {
  const struct hb_mesh *mesh = court->solver->mesh;
  const hb_global owned = hb_comm_sum_global(mesh->comm, mesh->numbering->num_owned);
  const hb_global expected = hb_box_num_points(&mesh->box);
  hb_gate_judge(court->gates, HB_GATE_POINTS, fabs((double)(owned - expected)), 0.0);
  return HB_OK;
}

/* Recomputes b - A x. */
static enum hb_status find_residual(struct court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  struct hb_gate_work *work = &court->work;
  double sums[2];
  hb_solver_interior(solver, work->u);
  hb_operator_multiply(solver->op, HB_OPERATOR_FULL, work->u, work->w);
  status = solver->passes->type->fetch_residual(solver->passes, work->v);
  HB_TRY(hb_comm_agree(solver->plan->comm, status));
  solver->op->ops->compare_residual(solver->mesh->numbering->num_owned, solver->b, work->w, work->v,
                                    sums);
  hb_comm_sum(solver->plan->comm, 2, sums);
  court->residual = sqrt(sums[0]);
  court->difference = sqrt(sums[1]);
  court->size = sqrt(global_dot(solver, work->u, work->u));
done:
  return status;
}

/* 1 / |b|. */
static double scale_of(const struct court *court) {
  const double b = court->solver->cg->history[0];
  return b > 0.0 ? 1.0 / b : 1.0;
}

/* The recurrence drifts from b - A x by eps |A| |x| an iteration at most; |A| is bounded by the
 * largest eigenvalue of M^-1 A times that of M. */
static enum hb_status gate_residual(struct court *court) {
  const struct hb_cg *cg = court->solver->cg;
  struct hb_gates *gates = court->gates;
  const struct hb_options *options = court->solver->plan->options;
  const double epsilon = hb_precision_epsilon(court->solver->op->precision);
  const double norm = gates->largest_eigenvalue / court->least_inverse;
  const double scale = scale_of(court);
  const double attainable = 10.0 * epsilon * (1.0 + scale * norm * court->size);
  const double drift = (1.0 + 0.1 * cg->iterations) * attainable;
  hb_gate_judge(gates, HB_GATE_RESIDUAL, scale * court->difference, drift);
  const double condition = gates->smallest_eigenvalue > 0.0
                               ? gates->largest_eigenvalue / gates->smallest_eigenvalue
                               : 1.0;
  /* The recurrence stops at the tolerance; a tenth is granted for its distance from the truth.
   * A fixed count promises nothing but that the energy error falls: |r| <= sqrt(condition) |b|. */
  const double asked =
      options->stop == HB_STOP_TOLERANCE ? 1.1 * options->tolerance : sqrt(condition);
  const bool ended = cg->end == HB_CG_COUNT || cg->end == HB_CG_CONVERGED;
  hb_gate_judge(gates, HB_GATE_REDUCTION, gates->true_residual, ended ? asked : -1.0);
  return HB_OK;
}

/* Errors against the exact solution over unique points: root mean square, and largest. */
static enum hb_status measure_error(struct court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  struct hb_gates *gates = court->gates;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  double *exact = NULL, sums[2] = {0.0, 0.0};
  HB_ALLOC(exact, numbering->num_points, "exact solution");
  HB_TRY(hb_problem_exact_vector(&solver->plan->problem, solver->mesh, false, exact));
  gates->max_error = 0.0;
  for (hb_local i = 0; i < numbering->num_owned; i++) {
    const double error = hb_real_at(solver->op->precision, solver->x, i) - exact[i];
    sums[0] += error * error;
    sums[1] += exact[i] * exact[i];
    gates->max_error = hb_max(gates->max_error, fabs(error));
  }
done:
  hb_free(exact);
  status = hb_comm_agree(solver->plan->comm, status);
  if (status != HB_OK) return status;
  hb_comm_sum(solver->plan->comm, 2, sums);
  hb_comm_max(solver->plan->comm, 1, &gates->max_error);
  const double points = (double)hb_box_num_points(&solver->mesh->box);
  gates->rms_error = sqrt(sums[0] / points);
  gates->rms_solution = sqrt(sums[1] / points);
  return HB_OK;
}

/* The bound adds what the mesh resolves, the error left by the residual, |r| / (smallest
 * eigenvalue), and rounding, eps times the condition number. */
static enum hb_status gate_solution(struct court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  struct hb_gates *gates = court->gates;
  const double points = (double)hb_box_num_points(&solver->mesh->box);
  const double epsilon = hb_precision_epsilon(solver->op->precision);
  const double low = gates->smallest_eigenvalue > 0.0 ? gates->smallest_eigenvalue : 1.0;
  const double high = gates->largest_eigenvalue;
  HB_TRY(measure_error(court));
  const double residual = gates->true_residual * solver->cg->history[0] / sqrt(points);
  /* The smallest eigenvalue is known once CG has converged; before, it is seen too large. */
  const double doubt = solver->cg->end == HB_CG_CONVERGED ? 2.0 : 10.0;
  const double algebraic = doubt * residual * court->largest_inverse / low;
  const double rounding = 10.0 * epsilon * (1.0 + high / low) * gates->rms_solution;
  hb_gate_judge(gates, HB_GATE_SOLUTION, gates->rms_error,
                court->resolvable + algebraic + rounding);
done:
  return status;
}

static enum hb_status gate_repeat(struct court *court) {
  const struct hb_solves *solves = court->solves;
  const int last = solves->num_warmup + solves->num_timed - 1;
  double largest = 0.0;
  for (int solve = 0; solve < last; solve++) {
    double difference = fabs(solves->final_residual[solve] - solves->final_residual[last]);
    if (solves->iterations[solve] != solves->iterations[last]) difference = INFINITY;
    largest = hb_max(largest, difference);
  }
  hb_gate_judge(court->gates, HB_GATE_REPEAT, largest, 0.0);
  return HB_OK;
}

static enum hb_status gate_kernel(struct court *court) {
  return hb_gate_kernel(court->solver, &court->work, court->gates);
}

static enum hb_status gate_continuity(struct court *court) {
  const struct hb_solver *solver = court->solver;
  const double difference =
      hb_gather_scatter_max_difference(solver->mesh->gs, solver->op->precision, solver->x);
  hb_gate_judge(court->gates, HB_GATE_CONTINUITY, difference, 0.0);
  return HB_OK;
}

static enum hb_status gate_volume(struct court *court) {
  const struct hb_solver *solver = court->solver;
  const double volume = hb_box_volume(&solver->mesh->box);
  hb_gate_judge(court->gates, HB_GATE_VOLUME, fabs(solver->volume / volume - 1.0),
                64.0 * DBL_EPSILON * solver->mesh->gll.n + court->quadrature);
  return HB_OK;
}

/* What more than one gate needs. */
static enum hb_status find(struct court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  const struct hb_preconditioner *preconditioner = solver->preconditioner;
  struct hb_gates *gates = court->gates;
  *gates = (struct hb_gates){.verdict = HB_GATE_FAILS};
  hb_cg_eigenvalues(solver->cg, &gates->smallest_eigenvalue, &gates->largest_eigenvalue);
  preconditioner->type->range(preconditioner, &court->least_inverse, &court->largest_inverse);
  HB_TRY(find_residual(court));
  HB_TRY(hb_gate_resolution(solver->mesh, &solver->plan->problem, &court->resolvable,
                            &court->quadrature));
  gates->true_residual = scale_of(court) * court->residual;
  gates->recursive_residual = scale_of(court) * solver->cg->history[solver->cg->iterations];
  gates->resolvable = court->resolvable;
done:
  return status;
}

enum hb_status hb_gates_run_in_order(const struct hb_solver *solver, const struct hb_solves *solves,
                                     const int order[HB_NUM_CHECKS], struct hb_gates *gates) {
  static enum hb_status (*const check[HB_NUM_CHECKS])(struct court *) = {
      gate_residual, gate_symmetry, gate_null_space, gate_points, gate_repeat,
      gate_kernel,   gate_solution, gate_continuity, gate_volume};
  enum hb_status status = HB_OK;
  struct court court = {.solver = solver, .solves = solves, .gates = gates};
  status = hb_gate_work_create(solver, &court.work);
  HB_TRY(hb_comm_agree(solver->plan->comm, status));
  HB_TRY(find(&court));
  for (int c = 0; c < HB_NUM_CHECKS; c++) HB_TRY(check[order[c]](&court));
  gates->verdict = judge_all(gates);
  HB_TRY(hb_comm_agree(solver->plan->comm, solver->op->failure));
done:
  hb_gate_work_destroy(&court.work);
  return status;
}

enum hb_status hb_gates_run(const struct hb_solver *solver, const struct hb_solves *solves,
                            struct hb_gates *gates) {
  static const int order[HB_NUM_CHECKS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  return hb_gates_run_in_order(solver, solves, order, gates);
}
