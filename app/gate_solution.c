/* SPDX-License-Identifier: BSD-3-Clause
 * Gates on the solution: its error against the exact one, as root mean square and at any point.
 *
 * A bound that exceeds the solution itself bounds nothing, and one that rests on an iteration that
 * has not converged cannot fail it: then the gate is inconclusive, and energy, consistency and
 * residual, which need neither, judge in its place, unless the error is no smaller than that of x =
 * 0: of that, nobody can say that it is right. */
#include <math.h>

#include "app/gates_internal.h"

/* Of what the exact solution leaves of the discrete system (gate_resolution.h).  Over degrees 1 to
 * 15, all boundaries, deformations and variations the errors of 3,800 right runs were at most a
 * third of it and twice as large. */
static const double RMS_SHARE = 0.6, MAXIMUM_SHARE = 3.0;

static void judge(struct hb_court *court, enum hb_gate_name name, double observed, double bound,
                  double size) {
  struct hb_gates *gates = court->gates;
  struct hb_gate *gate = &gates->gate[name];
  hb_gate_judge(gates, name, observed, bound);
  if (isnan(observed) || isnan(bound)) return;
  if (observed >= size && size > 0.0)
    gate->reason = "the error is as large as the solution";
  else if (bound > size)
    gate->reason = "the bound is larger than the solution";
  else if (gate->verdict == HB_GATE_FAILS && court->solver->cg->end != HB_CG_CONVERGED)
    gate->reason = "the iteration has not converged";
  if (gate->reason != NULL) gate->verdict = HB_GATE_INCONCLUSIVE;
}

/* Without Dirichlet faces A 1 is the mass term alone, which is small where h2 is.  From A e = c - r
 * follows 1'A e = 1'(c - r): the constant part of the error. */
static double constant_error(const struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  const struct hb_problem *problem = &solver->plan->problem;
  const double norm = court->gates->largest_eigenvalue / court->least_inverse;
  const double rounding = hb_precision_epsilon(solver->op->precision) * norm * court->size;
  if (hb_box_has_dirichlet(&solver->mesh->box)) return 0.0;
  return (fabs(court->total_inconsistency) + fabs(court->total_residual) + rounding) /
         (problem->h2 * (1.0 - problem->h2_variation) * hb_box_volume(&solver->mesh->box));
}

/* The bound adds what the mesh resolves, the error left by the residual, |r| / (smallest
 * eigenvalue), and rounding, eps times the condition number. */
enum hb_status hb_gate_solution(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  struct hb_gates *gates = court->gates;
  const double root = sqrt((double)hb_box_num_points(&solver->mesh->box));
  const double epsilon = hb_precision_epsilon(solver->op->precision);
  const double low = gates->smallest_eigenvalue > 0.0 ? gates->smallest_eigenvalue : 1.0;
  const double condition = gates->largest_eigenvalue / low;
  const double residual = gates->true_residual * solver->cg->history[0];
  /* The smallest eigenvalue is known once CG has converged; before, it is seen too large. */
  const double doubt = solver->cg->end == HB_CG_CONVERGED ? 2.0 : 10.0;
  const double algebraic = doubt * residual * court->largest_inverse / low;
  const double rounding = 10.0 * epsilon * (1.0 + condition);
  const double mesh = court->resolution.consistency, constant = 1.1 * constant_error(court);
  judge(court, HB_GATE_SOLUTION, gates->rms_error,
        RMS_SHARE * mesh + constant + algebraic / root + rounding * gates->rms_solution,
        gates->rms_solution);
  judge(court, HB_GATE_MAXIMUM, gates->max_error,
        MAXIMUM_SHARE * mesh + constant + algebraic + rounding * gates->max_solution,
        gates->max_solution);
  return HB_OK;
}
