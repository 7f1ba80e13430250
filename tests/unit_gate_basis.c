/* SPDX-License-Identifier: BSD-3-Clause
 * The gate on nodes, weights and D passes every degree, and sees any of their numbers changed. */
#include "app/gate_basis.h"
#include "tests/check.h"

static const double CHANGE = 1e-10;

/* The value changed, judged, and put back. */
static void plant(struct hb_check *check, const struct hb_gll *gll, double *value, double changed) {
  const double kept = *value;
  *value = changed;
  const double difference = hb_basis_difference(gll);
  CHECK(check, !(difference <= 1.0));
  *value = kept;
}

static void exchange(struct hb_check *check, const struct hb_gll *gll, double *a, double *b) {
  const double kept = *a;
  *a = *b;
  *b = kept;
  CHECK(check, !(hb_basis_difference(gll) <= 1.0));
  *b = *a;
  *a = kept;
}

int main(void) {
  struct hb_check check = {0, 0};
  double largest = 0.0;
  for (int degree = HB_MIN_DEGREE; degree <= HB_MAX_DEGREE; degree++) {
    struct hb_gll gll;
    const int n = degree + 1;
    CHECK_OK(&check, hb_gll_init(degree, &gll));
    largest = hb_max(largest, hb_basis_difference(&gll));
    CHECK(&check, hb_basis_difference(&gll) <= 1.0);
    for (int i = 0; i < n; i++) {
      plant(&check, &gll, &gll.nodes[i], gll.nodes[i] + CHANGE);
      plant(&check, &gll, &gll.weights[i], gll.weights[i] * (1.0 + CHANGE));
      plant(&check, &gll, &gll.nodes[i], (double)NAN);
      plant(&check, &gll, &gll.weights[i], (double)NAN);
      for (int m = 0; m < n; m++) {
        plant(&check, &gll, &gll.D[i * n + m], gll.D[i * n + m] + CHANGE * n * n);
        plant(&check, &gll, &gll.D[i * n + m], (double)NAN);
      }
    }
    if (n > 2) exchange(&check, &gll, &gll.weights[0], &gll.weights[1]);
    if (n > 3) exchange(&check, &gll, &gll.nodes[1], &gll.nodes[2]);
    exchange(&check, &gll, &gll.D[0], &gll.D[1]);
  }
  printf("largest difference of a right basis: %.3f\n", largest);
  return hb_check_finish(&check);
}
