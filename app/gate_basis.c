/* SPDX-License-Identifier: BSD-3-Clause
 * Quadrature and derivatives of powers. */
#include "app/gate_basis.h"

#include <float.h>
#include <math.h>

/* Of a sum of n terms; the sums of the nodes as they come were at most a tenth of it. */
static const double ROUNDING = 16.0 * DBL_EPSILON;

static double power(double x, int k) {
  double product = 1.0;
  for (int i = 0; i < k; i++) product *= x;
  return product;
}

static double quadrature_difference(const struct hb_gll *gll) {
  double largest = 0.0;
  for (int k = 0; k <= 2 * gll->n - 3; k++) {
    double sum = k % 2 == 0 ? -2.0 / (k + 1) : 0.0;
    for (int i = 0; i < gll->n; i++) sum += gll->weights[i] * power(gll->nodes[i], k);
    largest = hb_max(largest, fabs(sum));
  }
  return largest / ROUNDING;
}

static double derivative_difference(const struct hb_gll *gll) {
  const int n = gll->n;
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    double size = 0.0;
    for (int m = 0; m < n; m++) size += fabs(gll->D[i * n + m]);
    for (int k = 0; k < n; k++) {
      double sum = k > 0 ? -k * power(gll->nodes[i], k - 1) : 0.0;
      for (int m = 0; m < n; m++) sum += gll->D[i * n + m] * power(gll->nodes[m], k);
      largest = hb_max(largest, fabs(sum) / size);
    }
  }
  return largest / ROUNDING;
}

double hb_basis_difference(const struct hb_gll *gll) {
  if (!(gll->nodes[0] == -1.0 && gll->nodes[gll->n - 1] == 1.0)) return (double)INFINITY;
  return hb_max(quadrature_difference(gll), derivative_difference(gll));
}

enum hb_status hb_gate_basis(const struct hb_solver *solver, struct hb_gates *gates) {
  double difference = hb_basis_difference(&solver->mesh->gll);
  hb_comm_max(solver->plan->comm, 1, &difference);
  hb_gate_judge(gates, HB_GATE_BASIS, difference, 1.0);
  return HB_OK;
}
