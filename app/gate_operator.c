/* SPDX-License-Identifier: BSD-3-Clause
 * Gates on the operator alone: symmetric, and without effect on a constant. */
#include <math.h>

#include "app/gates_internal.h"

/* Rounding of a sum of random terms: observed |x'Ay - y'Ax| in units of |x| |Ay| + |y| |Ax|. */
enum hb_status hb_gate_symmetry(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  void *x = court->work.u, *y = court->work.v, *w = court->work.w;
  const struct hb_gate_place_type *place = court->place;
  place->set(court, HB_LATTICE_RANDOM_INSIDE, court->gates->seed + 1, x);
  place->set(court, HB_LATTICE_RANDOM_INSIDE, court->gates->seed + 2, y);
  place->multiply(court, HB_OPERATOR_FULL, y, w);
  const double x_Ay = hb_gate_dot(court, x, w), Ay = sqrt(hb_gate_dot(court, w, w));
  place->multiply(court, HB_OPERATOR_FULL, x, w);
  const double y_Ax = hb_gate_dot(court, y, w), Ax = sqrt(hb_gate_dot(court, w, w));
  const double scale = sqrt(hb_gate_dot(court, x, x)) * Ay + sqrt(hb_gate_dot(court, y, y)) * Ax;
  const double n = solver->mesh->gll.n;
  hb_gate_judge(court->gates, HB_GATE_SYMMETRY, scale == 0.0 ? 0.0 : fabs(x_Ay - y_Ax) / scale,
                4.0 * n * hb_precision_epsilon(solver->op->precision));
  return HB_OK;
}

/* |A 1| against |A x| of a random x of the same size of entries; n terms a row round. */
enum hb_status hb_gate_null_space(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  const struct hb_gate_place_type *place = court->place;
  void *one = court->work.u, *w = court->work.w;
  place->set(court, HB_LATTICE_RANDOM, court->gates->seed + 3, one);
  place->multiply(court, HB_OPERATOR_STIFFNESS, one, w);
  const double scale = sqrt(hb_gate_dot(court, w, w));
  place->set(court, HB_LATTICE_ONE, 0, one);
  place->multiply(court, HB_OPERATOR_STIFFNESS, one, w);
  const double observed = sqrt(hb_gate_dot(court, w, w));
  const double n = solver->mesh->gll.n;
  hb_gate_judge(court->gates, HB_GATE_NULL_SPACE, scale == 0.0 ? observed : observed / scale,
                8.0 * n * hb_precision_epsilon(solver->op->precision));
  return HB_OK;
}
