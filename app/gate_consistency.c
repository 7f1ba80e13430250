/* SPDX-License-Identifier: BSD-3-Clause
 * Gate: the exact solution, put into the discrete system, leaves no more than the mesh cannot
 * resolve.
 *
 *   c = Z' (b - A Z u),   observed: max |c_i| / a_ii over all points
 *
 * A maximum, so it is local; and it does not ask how far the iteration went.  The weak form of the
 * exact solution is exact: c_i = a(u - I u, phi_i) + what quadrature misses, which over a_ii =
 * a(phi_i, phi_i) is of the size of the interpolation errors (gate_resolution.h). */
#include <math.h>

#include "app/gates_internal.h"

/* Over degrees 1 to 15, all boundaries, deformations and variations the largest |c_i| / a_ii of
 * 3,800 right runs was at most 2.1 times what the resolution says. */
static const double SAFETY = 5.0;

/* c of A Z u in w, with the diagonal.  Sums: c, and of the points that are solved for error and
 * size squared; largest: c over the diagonal. */
static void take_points(const struct hb_court *court, const void *diagonal, hb_local begin,
                        hb_local end, struct hb_gate_values *values) {
  const struct hb_solver *solver = court->solver;
  const enum hb_precision precision = solver->op->precision;
  const hb_local num_owned = solver->mesh->numbering->num_owned;
  const void *d = solver->preconditioner->diagonal;
  for (hb_local i = begin; i < end; i++) {
    const double w = hb_real_at(precision, court->work.w, i);
    const double c = hb_real_at(precision, solver->b, i) - w;
    values->largest[0] = hb_max(values->largest[0], fabs(c) / hb_real_at(precision, diagonal, i));
    if (i >= num_owned) continue;
    const double u = hb_real_at(precision, court->work.u, i);
    const double error = u == 0.0 ? 0.0 : hb_real_at(precision, solver->x, i) - u;
    const double inverse = d != NULL ? hb_real_at(precision, d, i) : 1.0;
    values->sum[0] += c;
    if (inverse == 0.0) continue; /* on a Dirichlet face */
    values->sum[1] += error * error / inverse;
    values->sum[2] += u * u / inverse;
  }
}

enum hb_status hb_gate_find_consistency(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  struct hb_gate_work *work = &court->work;
  solver->op->ops->from_double(numbering->num_points, court->exact, work->u);
  solver->op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, work->u);
  hb_operator_multiply(solver->op, HB_OPERATOR_FULL, work->u, work->w);
  hb_operator_diagonal(solver->op, work->v);
  struct hb_gate_values values =
      hb_gate_visit_points(court, numbering->num_points, take_points, work->v);
  court->u_Au = hb_gate_dot(court, work->u, work->w);
  hb_solver_interior(solver, work->u);
  court->x_Au = hb_gate_dot(court, work->u, work->w);
  const double *all = values.sum;
  hb_comm_max(solver->plan->comm, 1, values.largest);
  hb_comm_sum(solver->plan->comm, 3, values.sum);
  court->inconsistency = values.largest[0];
  court->improvement = all[2] > 0.0 ? sqrt(all[1] / all[2]) : 0.0;
  court->total_inconsistency = all[0];
  return HB_OK;
}

enum hb_status hb_gate_consistency(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  const double n = solver->mesh->gll.n;
  const double epsilon = hb_precision_epsilon(solver->op->precision);
  const double geometry = hb_gate_geometry_rounding(solver->mesh) + n * hb_gate_forming(court);
  const double rounding = (64.0 * n * n * epsilon + geometry) * court->gates->max_solution;
  hb_gate_judge(court->gates, HB_GATE_CONSISTENCY, court->inconsistency,
                SAFETY * court->resolution.consistency + rounding);
  return HB_OK;
}
