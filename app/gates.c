/* SPDX-License-Identifier: BSD-3-Clause
 * The gates on operator, vectors and residual; kernel and resolution have files of their own. */
#include "app/gates.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "app/gate_kernel.h"
#include "app/gate_resolution.h"

void hb_gate_judge(struct hb_gates *gates, enum hb_gate_name name, double observed, double bound) {
  static const char *const names[HB_NUM_GATES] = {
      "kernel",     "symmetry", "null_space", "volume",   "points",
      "continuity", "residual", "reduction",  "solution", "repeat"};
  gates->gate[name] = (struct hb_gate){names[name], observed, bound, observed <= bound};
}

/* A number in [-1, 1] that depends on the global point and the seed alone (splitmix64). */
static double random_at(hb_global id, uint64_t seed) {
  uint64_t z = (uint64_t)id * 0x9e3779b97f4a7c15u + seed * 0xd1b54a32d192ed03u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return 2.0 * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53) - 1.0;
}

static void set_value(void *v, enum hb_precision precision, ptrdiff_t i, double value) {
  if (precision == HB_F64)
    ((double *)v)[i] = value;
  else
    ((float *)v)[i] = (float)value;
}

void hb_gate_set_random(const struct hb_solver *solver, uint64_t seed, bool masked, void *v) {
  const struct hb_mesh *mesh = solver->mesh;
  const struct hb_numbering *numbering = mesh->numbering;
  const hb_local *size = numbering->lattice_size, *number = numbering->lattice;
  hb_local c[3];
  for (c[2] = 0; c[2] < size[2]; c[2]++)
    for (c[1] = 0; c[1] < size[1]; c[1]++)
      for (c[0] = 0; c[0] < size[0]; c[0]++, number++)
        set_value(v, solver->op->precision, *number,
                  random_at(hb_numbering_global_id(&mesh->box, &mesh->partition, c), seed));
  if (masked) solver->op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, v);
}

static double global_dot(const struct hb_solver *solver, const void *x, const void *y) {
  double sum = solver->op->ops->dot(solver->mesh->numbering->num_owned, x, y);
  hb_comm_sum(solver->comm, 1, &sum);
  return sum;
}

/* Rounding of a sum of random terms: observed |x'Ay - y'Ax| in units of |x| |Ay| + |y| |Ax|. */
static void gate_symmetry(struct hb_solver *solver, struct hb_gates *gates) {
  void *x = solver->cg->p, *y = solver->cg->r, *w = solver->cg->w;
  hb_gate_set_random(solver, 1, true, x);
  hb_gate_set_random(solver, 2, true, y);
  hb_operator_multiply(solver->op, HB_OPERATOR_FULL, y, w);
  const double x_Ay = global_dot(solver, x, w), Ay = sqrt(global_dot(solver, w, w));
  hb_operator_multiply(solver->op, HB_OPERATOR_FULL, x, w);
  const double y_Ax = global_dot(solver, y, w), Ax = sqrt(global_dot(solver, w, w));
  const double scale = sqrt(global_dot(solver, x, x)) * Ay + sqrt(global_dot(solver, y, y)) * Ax;
  const double n = solver->mesh->gll.n;
  hb_gate_judge(gates, HB_GATE_SYMMETRY, scale == 0.0 ? 0.0 : fabs(x_Ay - y_Ax) / scale,
                4.0 * n * hb_precision_epsilon(solver->op->precision));
}

/* |A 1| against |A x| of a random x of the same size of entries; n terms a row round. */
static void gate_null_space(struct hb_solver *solver, struct hb_gates *gates) {
  const hb_local num_points = solver->mesh->numbering->num_points;
  void *one = solver->cg->p, *w = solver->cg->w;
  hb_gate_set_random(solver, 3, false, one);
  hb_operator_multiply(solver->op, HB_OPERATOR_STIFFNESS, one, w);
  const double scale = sqrt(global_dot(solver, w, w));
  for (hb_local i = 0; i < num_points; i++) set_value(one, solver->op->precision, i, 1.0);
  hb_operator_multiply(solver->op, HB_OPERATOR_STIFFNESS, one, w);
  const double observed = sqrt(global_dot(solver, w, w));
  const double n = solver->mesh->gll.n;
  hb_gate_judge(gates, HB_GATE_NULL_SPACE, scale == 0.0 ? observed : observed / scale,
                8.0 * n * hb_precision_epsilon(solver->op->precision));
}

static void gate_points(const struct hb_solver *solver, struct hb_gates *gates) {
  const hb_global owned = hb_comm_sum_global(solver->comm, solver->mesh->numbering->num_owned);
  const hb_global expected = hb_box_num_points(&solver->mesh->box);
  hb_gate_judge(gates, HB_GATE_POINTS, fabs((double)(owned - expected)), 0.0);
}

/* Smallest and largest entry of the diagonal's inverse away from Dirichlet faces, where it is 0; 1
 * without preconditioner. */
static void inverse_diagonal_range(const struct hb_solver *solver, double *smallest,
                                   double *largest) {
  *smallest = *largest = 1.0;
  if (solver->dinv == NULL) return;
  *smallest = DBL_MAX;
  *largest = 0.0;
  for (hb_local i = 0; i < solver->mesh->numbering->num_owned; i++) {
    const double value = hb_real_at(solver->op->precision, solver->dinv, i);
    *largest = fmax(*largest, value);
    if (value > 0.0) *smallest = fmin(*smallest, value);
  }
  hb_comm_max(solver->comm, 1, largest);
  hb_comm_min(solver->comm, 1, smallest);
}

/* Recomputes b - A x.  The recurrence drifts from it by eps |A| |x| an iteration at most; |A| is
 * bounded by the largest eigenvalue of D^-1 A times the largest diagonal. */
static void gate_residual(struct hb_solver *solver, struct hb_gates *gates) {
  const struct hb_cg *cg = solver->cg;
  const double epsilon = hb_precision_epsilon(solver->op->precision);
  double sums[2], least, most; /* of the inverse diagonal */
  inverse_diagonal_range(solver, &least, &most);
  hb_operator_multiply(solver->op, HB_OPERATOR_FULL, solver->x, cg->w);
  solver->op->ops->compare_residual(solver->mesh->numbering->num_owned, solver->b, cg->w, cg->r,
                                    sums);
  hb_comm_sum(solver->comm, 2, sums);
  const double b = cg->history[0], x = sqrt(global_dot(solver, solver->x, solver->x));
  const double norm = gates->largest_eigenvalue / least;
  const double scale = b > 0.0 ? 1.0 / b : 1.0;
  const double attainable = 10.0 * epsilon * (1.0 + scale * norm * x);
  const double drift = (1.0 + 0.1 * cg->iterations) * attainable;
  gates->true_residual = scale * sqrt(sums[0]);
  gates->recursive_residual = scale * cg->history[cg->iterations];
  hb_gate_judge(gates, HB_GATE_RESIDUAL, scale * sqrt(sums[1]), drift);
  const struct hb_options *options = solver->options;
  const double condition = gates->smallest_eigenvalue > 0.0
                               ? gates->largest_eigenvalue / gates->smallest_eigenvalue
                               : 1.0;
  /* The recurrence stops at the tolerance; a tenth is granted for its distance from the truth.
   * A fixed count promises nothing but that the energy error falls: |r| <= sqrt(condition) |b|. */
  const double asked =
      options->stop == HB_STOP_TOLERANCE ? 1.1 * options->tolerance : sqrt(condition);
  hb_gate_judge(gates, HB_GATE_REDUCTION, gates->true_residual,
                solver->cg->end == HB_CG_COUNT || solver->cg->end == HB_CG_CONVERGED ? asked
                                                                                     : -1.0);
}

/* Adds the Dirichlet values to x and compares with the exact solution: root mean square over unique
 * points.  The bound adds what the mesh resolves, the error left by the residual, |r| / (smallest
 * eigenvalue), and rounding, eps times the condition number. */
static enum hb_status gate_solution(struct hb_solver *solver, double resolvable,
                                    struct hb_gates *gates) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const enum hb_precision precision = solver->op->precision;
  double *exact = NULL, sums[2] = {0.0, 0.0}, least, most; /* of the inverse diagonal */
  HB_ALLOC(exact, numbering->num_points, "exact solution");
  HB_TRY(hb_problem_exact_vector(&solver->problem, solver->mesh, false, exact));
  for (hb_local s = 0; s < numbering->num_masked; s++)
    set_value(solver->x, precision, numbering->masked[s], exact[numbering->masked[s]]);
  gates->max_error = 0.0;
  for (hb_local i = 0; i < numbering->num_owned; i++) {
    const double error = hb_real_at(precision, solver->x, i) - exact[i];
    sums[0] += error * error;
    sums[1] += exact[i] * exact[i];
    gates->max_error = hb_max(gates->max_error, fabs(error));
  }
done:
  hb_free(exact);
  status = hb_comm_agree(solver->comm, status);
  if (status != HB_OK) return status;
  hb_comm_sum(solver->comm, 2, sums);
  hb_comm_max(solver->comm, 1, &gates->max_error);
  const double points = (double)hb_box_num_points(&solver->mesh->box);
  const double epsilon = hb_precision_epsilon(precision);
  const double low = gates->smallest_eigenvalue > 0.0 ? gates->smallest_eigenvalue : 1.0;
  const double high = gates->largest_eigenvalue;
  gates->rms_error = sqrt(sums[0] / points);
  gates->rms_solution = sqrt(sums[1] / points);
  gates->resolvable = resolvable;
  const double residual = gates->true_residual * solver->cg->history[0] / sqrt(points);
  /* The smallest eigenvalue is known once CG has converged; before, it is seen too large. */
  const double doubt = solver->cg->end == HB_CG_CONVERGED ? 2.0 : 10.0;
  inverse_diagonal_range(solver, &least, &most);
  const double algebraic = doubt * residual * most / low;
  const double rounding = 10.0 * epsilon * (1.0 + high / low) * gates->rms_solution;
  hb_gate_judge(gates, HB_GATE_SOLUTION, gates->rms_error, resolvable + algebraic + rounding);
  return HB_OK;
}

static void gate_repeat(const struct hb_solves *solves, struct hb_gates *gates) {
  const int last = solves->num_warmup + solves->num_timed - 1;
  double largest = 0.0;
  for (int solve = 0; solve < last; solve++) {
    double difference = fabs(solves->final_residual[solve] - solves->final_residual[last]);
    if (solves->iterations[solve] != solves->iterations[last]) difference = INFINITY;
    largest = hb_max(largest, difference);
  }
  hb_gate_judge(gates, HB_GATE_REPEAT, largest, 0.0);
}

/* solver->cg->r = b - A x, the field `residual` of the output; x without Dirichlet values. */
static void restore_residual(struct hb_solver *solver) {
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const struct hb_vector_ops *ops = solver->op->ops;
  const size_t size = hb_precision_bytes(solver->op->precision);
  ops->set_at(numbering->num_masked, numbering->masked, 0.0, solver->x);
  hb_operator_multiply(solver->op, HB_OPERATOR_FULL, solver->x, solver->cg->w);
  memcpy(solver->cg->r, solver->b, (size_t)numbering->num_points * size);
  ops->add_scaled(numbering->num_points, -1.0, solver->cg->w, solver->cg->r);
}

enum hb_status hb_gates_run(struct hb_solver *solver, const struct hb_solves *solves,
                            struct hb_gates *gates) {
  enum hb_status status = HB_OK;
  double resolvable = 0.0, quadrature = 0.0;
  *gates = (struct hb_gates){.all_passed = true};
  hb_cg_eigenvalues(solver->cg, &gates->smallest_eigenvalue, &gates->largest_eigenvalue);
  gate_residual(solver, gates); /* first: it needs the recurrence's r */
  gate_symmetry(solver, gates);
  gate_null_space(solver, gates);
  gate_points(solver, gates);
  gate_repeat(solves, gates);
  HB_TRY(hb_gate_kernel(solver, gates));
  HB_TRY(hb_gate_resolution(solver->mesh, &solver->problem, &resolvable, &quadrature));
  restore_residual(solver);
  HB_TRY(gate_solution(solver, resolvable, gates));
  hb_gate_judge(
      gates, HB_GATE_CONTINUITY,
      hb_gather_scatter_max_difference(solver->mesh->gs, solver->op->precision, solver->x), 0.0);
  const double volume = hb_box_volume(&solver->mesh->box);
  hb_gate_judge(gates, HB_GATE_VOLUME, fabs(solver->volume / volume - 1.0),
                64.0 * DBL_EPSILON * solver->mesh->gll.n + quadrature);
  for (int gate = 0; gate < HB_NUM_GATES; gate++)
    gates->all_passed = gates->all_passed && gates->gate[gate].passed;
  HB_TRY(hb_comm_agree(solver->comm, solver->op->failure));
done:
  return status;
}
