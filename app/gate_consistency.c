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

enum hb_status hb_gate_find_consistency(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  struct hb_gate_work *work = &court->work;
  struct hb_point_sums values;
  court->place->find_exact(court);
  court->place->consistency(court, &values);
  court->u_Au = hb_gate_dot(court, work->u, work->w);
  court->x_Au = hb_gate_dot(court, court->place->interior(court, work->u), work->w);
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
