/* SPDX-License-Identifier: BSD-3-Clause
 * Gauss-Lobatto-Legendre basis: computed in long double, rounded once, mirrored. */
#include "mesh/gll.h"

#include <float.h>
#include <math.h>

enum { MAX_NEWTON_STEPS = 50 };

/* P_N(x) and P_{N-1}(x), N >= 1:  (k+1) P_{k+1} = (2k+1) x P_k - k P_{k-1}. */
static long double legendre(int degree, long double x, long double *lower) {
  long double previous = 1.0L, current = x;
  for (int k = 1; k < degree; k++) {
    const long double next = ((2 * k + 1) * x * current - k * previous) / (k + 1);
    previous = current;
    current = next;
  }
  *lower = previous;
  return current;
}

/* Root of f(x) = (1 - x^2) P'_N(x) = N (P_{N-1} - x P_N) near `x`; f'(x) = -N (N+1) P_N(x). */
static long double newton(int degree, long double x) {
  for (int step = 0; step < MAX_NEWTON_STEPS; step++) {
    long double lower = 0.0L;
    const long double value = legendre(degree, x, &lower);
    const long double change = (lower - x * value) / ((degree + 1) * value);
    x += change;
    if (fabsl(change) <= 2 * LDBL_EPSILON) break;
  }
  return x;
}

/* Nodes x, and P_N at the nodes, both unrounded; the right half mirrors the left one. */
static void find_nodes(int n, long double *x, long double *p) {
  const int degree = n - 1;
  const long double pi = acosl(-1.0L);
  long double lower = 0.0L;
  for (int i = 0; i < n / 2; i++) {
    x[i] = i == 0 ? -1.0L : newton(degree, -cosl(pi * i / degree));
    p[i] = legendre(degree, x[i], &lower);
    x[degree - i] = -x[i];
    p[degree - i] = degree % 2 == 0 ? p[i] : -p[i];
  }
  if (n % 2 == 1) {
    x[n / 2] = 0.0L;
    p[n / 2] = legendre(degree, 0.0L, &lower);
  }
}

/* D[i][m] = P_N(x_i) / (P_N(x_m) (x_i - x_m)) for m != i; antisymmetric under the mirror image
 * because x and P_N are.  The diagonal is what the rounded rest of the row lacks to sum to zero
 * (Baltensperger and Trummer, SIAM J. Sci. Comput. 24 (2003) 1465): the derivative of a constant
 * then vanishes to rounding; others come out as well as with the closed form. */
static void differentiate(int n, const long double *x, const long double *p, double *D) {
  for (int i = 0; i < n; i++) {
    long double sum = 0.0L;
    for (int m = 0; m < n; m++) {
      if (m == i) continue;
      D[i * n + m] = (double)(p[i] / (p[m] * (x[i] - x[m])));
      sum += D[i * n + m];
    }
    D[i * n + i] = (double)-sum;
  }
  /* The sum runs in another order in the mirrored row. */
  if (n % 2 == 1) D[(n / 2) * n + n / 2] = 0.0;
  for (int i = 0; i < n / 2; i++) D[(n - 1 - i) * n + (n - 1 - i)] = -D[i * n + i];
}

enum hb_status hb_gll_init(int degree, struct hb_gll *gll) {
  enum hb_status status = HB_OK;
  const int n = degree + 1;
  long double x[HB_MAX_N], p[HB_MAX_N];
  if (degree < HB_MIN_DEGREE || degree > HB_MAX_DEGREE)
    HB_FAIL(HB_BAD_INPUT, "degree = %d: allowed are %d to %d", degree, HB_MIN_DEGREE,
            HB_MAX_DEGREE);
  gll->n = n;
  find_nodes(n, x, p);
  for (int i = 0; i < n; i++) {
    gll->nodes[i] = (double)x[i];
    gll->weights[i] = (double)(2.0L / (degree * n * p[i] * p[i]));
  }
  differentiate(n, x, p, gll->D);
done:
  return status;
}

/* l_i(x) = prod over m != i of (x - x_m) / (x_i - x_m): exactly 0 and 1 at the nodes. */
void hb_gll_lagrange(const struct hb_gll *gll, double x, double *values) {
  HB_ASSERT(x >= -1.0 && x <= 1.0);
  for (int i = 0; i < gll->n; i++) {
    double product = 1.0;
    for (int m = 0; m < gll->n; m++)
      if (m != i) product *= (x - gll->nodes[m]) / (gll->nodes[i] - gll->nodes[m]);
    values[i] = product;
  }
}
