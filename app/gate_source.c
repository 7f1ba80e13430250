/* SPDX-License-Identifier: BSD-3-Clause
 * Source and gradient against central differences of fourth order. */
#include "app/gate_source.h"

#include <math.h>

#include "kernels/random.h"

enum { POINTS = 50 };
/* Of a length of the box: a step.  Its fourth power and rounding over it are below 1e-9 of the
 * terms of the longest waves and of the shortest, three to a length. */
static const double STEP = 1e-3, GRANTED = 1e-7;

/* What is differentiated along an axis: u, or the flux there. */
static double value_at(const struct hb_problem *problem, const double x[3], int axis, bool flux) {
  double gradient[3], h1, h2;
  const double u = hb_problem_exact(problem, x, gradient, NULL);
  if (!flux) return u;
  hb_problem_coefficients(problem, x, &h1, &h2);
  return h1 * gradient[axis];
}

static double derivative(const struct hb_problem *problem, const double x[3], int axis, bool flux) {
  static const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  static const int place[4] = {-2, -1, 1, 2};
  const double step = STEP * problem->length[axis];
  double sum = 0.0;
  for (int i = 0; i < 4; i++) {
    double moved[3] = {x[0], x[1], x[2]};
    moved[axis] += place[i] * step;
    sum += weight[i] * value_at(problem, moved, axis, flux);
  }
  return sum / step;
}

/* One point: differences over the size of the terms. */
static double point_difference(const struct hb_problem *problem, const double x[3]) {
  double gradient[3], source, h1, h2, largest = 0.0;
  const double u = hb_problem_exact(problem, x, gradient, &source);
  hb_problem_coefficients(problem, x, &h1, &h2);
  double expected = h2 * u, size = fabs(h2 * u);
  for (int a = 0; a < 3; a++) {
    const double of_length = 1.0 / problem->length[a];
    const double slope = derivative(problem, x, a, false);
    const double divergence = derivative(problem, x, a, true);
    const double slope_size = of_length * (1.0 + fabs(u)) + fabs(slope);
    largest = hb_max(largest, fabs(gradient[a] - slope) / slope_size);
    expected -= divergence;
    size += fabs(divergence) + h1 * of_length * slope_size;
  }
  return hb_max(largest, fabs(source - expected) / size);
}

double hb_source_difference(const struct hb_problem *problem, int64_t seed) {
  double largest = 0.0;
  for (int point = 0; point < POINTS; point++) {
    double x[3];
    for (int a = 0; a < 3; a++) /* not where a periodic axis wraps */
      x[a] = problem->length[a] * (0.5 + 0.49 * hb_random_at(3 * point + a, seed));
    largest = hb_max(largest, point_difference(problem, x));
  }
  return largest / GRANTED;
}

void hb_gate_source(const struct hb_solver *solver, struct hb_gates *gates) {
  hb_gate_judge(gates, HB_GATE_SOURCE, hb_source_difference(&solver->plan->problem, gates->seed),
                1.0);
}
