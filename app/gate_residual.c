/* SPDX-License-Identifier: BSD-3-Clause
 * Gates on the iteration: its residual, how far it came, and the energy that it took away. */
#include <math.h>
#include <stdlib.h>

#include "app/gates_internal.h"
#include "kernels/helmholtz/compare.h"

/* Recomputes b - A x. */
enum hb_status hb_gate_find_residual(struct hb_court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  struct hb_gate_work *work = &court->work;
  struct hb_point_sums values;
  const void *x = court->place->interior(court, work->u);
  court->place->multiply(court, HB_OPERATOR_FULL, x, work->w);
  HB_TRY(hb_comm_agree(solver->plan->comm, court->place->residual(court, &values)));
  hb_comm_sum(solver->plan->comm, 3, values.sum);
  court->total_residual = values.sum[2];
  court->residual = sqrt(values.sum[0]);
  court->difference = sqrt(values.sum[1]);
  court->size = sqrt(hb_gate_dot(court, x, x));
  court->x_Ax = hb_gate_dot(court, x, work->w);
  court->x_b = hb_gate_dot(court, x, court->place->right_side(court));
done:
  return status;
}

/* The recurrence stops at the tolerance; a tenth is granted for its distance from the truth.  A
 * fixed count promises the count, unless the residual is exhausted before: drift is what is left
 * then. */
static void judge_end(struct hb_court *court, double drift) {
  const struct hb_cg *cg = court->solver->cg;
  const struct hb_options *options = court->solver->plan->options;
  struct hb_gates *gates = court->gates;
  struct hb_gate *gate = &gates->gate[HB_GATE_REDUCTION];
  if (cg->end != HB_CG_COUNT && cg->end != HB_CG_CONVERGED) {
    hb_gate_judge(gates, HB_GATE_REDUCTION, INFINITY, 0.0);
    gate->reason = hb_cg_end_name(cg->end);
  } else if (options->stop == HB_STOP_TOLERANCE) {
    hb_gate_judge(gates, HB_GATE_REDUCTION, gates->true_residual, 1.1 * options->tolerance);
    if (gate->verdict == HB_GATE_FAILS && cg->end == HB_CG_CONVERGED)
      gate->reason = "rounding keeps the residual from the tolerance";
  } else if (cg->end == HB_CG_CONVERGED) {
    hb_gate_judge(gates, HB_GATE_REDUCTION, gates->true_residual, drift);
  } else {
    hb_gate_judge(gates, HB_GATE_REDUCTION, abs(cg->iterations - options->iterations), 0.0);
  }
}

/* The recurrence drifts from b - A x by eps |A| |x| an iteration at most; |A| is bounded by the
 * largest eigenvalue of M^-1 A times that of M. */
enum hb_status hb_gate_residual(struct hb_court *court) {
  const struct hb_cg *cg = court->solver->cg;
  struct hb_gates *gates = court->gates;
  const double epsilon = hb_precision_epsilon(court->solver->op->precision);
  const double norm = gates->largest_eigenvalue / court->least_inverse;
  const double b = cg->history[0], scale = b > 0.0 ? 1.0 / b : 1.0;
  const double attainable = 10.0 * epsilon * (1.0 + scale * norm * court->size);
  const double drift = (1.0 + 0.1 * cg->iterations) * attainable;
  hb_gate_judge(gates, HB_GATE_RESIDUAL, scale * court->difference, drift);
  judge_end(court, drift);
  return HB_OK;
}

/* What conjugate gradients took away, by their own coefficients. */
static double energy_taken(const struct hb_court *court) {
  const struct hb_cg *cg = court->solver->cg;
  double rz = court->place->start_rz(court), sum = 0.0;
  hb_comm_sum(court->solver->plan->comm, 1, &rz);
  for (int i = 0; i < cg->iterations; i++) {
    sum += cg->alpha[i] * rz;
    rz *= cg->beta[i];
  }
  return sum;
}

/* Two identities of conjugate gradients from x = 0 that need neither the exact solution nor an
 * eigenvalue, in units of what rounding does to them:
 *
 *   2 b.x - x'A x = sum_j alpha_j r_j.z_j     the energy that the steps took away, step by step
 *   x.r = 0                                   the directions were conjugate
 *
 * The first holds to rounding however far the iteration went (Strakos, Tichy, ETNA 13 (2002) 56);
 * the second as far as orthogonality lasts, far less: over right runs it was at most 2e3 times the
 * root of epsilon. */
enum hb_status hb_gate_energy(struct hb_court *court) {
  const struct hb_gates *gates = court->gates;
  const double epsilon = hb_precision_epsilon(court->solver->op->precision);
  const double taken = energy_taken(court), orthogonal = court->x_b - court->x_Ax;
  const double fallen = court->x_b + orthogonal;
  const double norm = gates->largest_eigenvalue / court->least_inverse;
  const double terms = 64.0 + court->solver->cg->iterations +
                       sqrt((double)hb_box_num_points(&court->solver->mesh->box));
  const double rounding = epsilon * (terms * taken + norm * court->size * court->size);
  const double conjugate = 1e4 * sqrt(epsilon) * taken;
  const double observed = hb_max(hb_scaled_difference(fallen, taken, rounding),
                                 hb_scaled_difference(orthogonal, 0.0, conjugate));
  hb_gate_judge(court->gates, HB_GATE_ENERGY, observed, 1.0);
  return HB_OK;
}
