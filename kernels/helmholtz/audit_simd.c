/* SPDX-License-Identifier: BSD-3-Clause
 * The audit's passes over one vector of elements, as their equations read.
 * Compiled per instruction set. */
#include <math.h>

#include "kernels/helmholtz/audit.h"
#include "kernels/simd.h"

/* out[0..2] = sum_m D[i][m] f[k][j][m], D[j][m] f[k][m][i], D[k][m] f[m][j][i] at point (k,j,i). */
HB_INLINE void slopes(const int n, const double *D, const hb_vec *f, int k, int j, int i,
                      hb_vec out[3]) {
  const hb_vec *along_i = f + (k * n + j) * n, *along_j = f + k * n * n + i,
               *along_k = f + j * n + i;
  hb_vec s[3] = {{0}, {0}, {0}};
  for (int m = 0; m < n; m++) {
    s[0] += D[i * n + m] * along_i[m];
    s[1] += D[j * n + m] * along_j[m * n];
    s[2] += D[k * n + m] * along_k[m * n * n];
  }
  for (int b = 0; b < 3; b++) out[b] = s[b];
}

/* Cofactor of d[b][a]. */
HB_INLINE hb_vec cofactor(hb_vec d[3][3], int b, int a) {
  const int b1 = (b + 1) % 3, b2 = (b + 2) % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;
  return d[b1][a1] * d[b2][a2] - d[b1][a2] * d[b2][a1];
}

HB_INLINE hb_vec larger(hb_vec a, hb_vec b) {
  for (int lane = 0; lane < HB_SIMD_LANES; lane++) a[lane] = hb_max(a[lane], b[lane]);
  return a;
}

/* Cofactors and J at one point; in q[0], for the scale, what no |q_b| exceeds where |u| <= 1:
 * sum_c |G_bc| <= sqrt(3) trace(G). */
HB_INLINE void map_point(struct hb_audit *audit, int k, int j, int i) {
  const int n = audit->n, points = n * n * n, point = (k * n + j) * n + i;
  const hb_vec *x = (const hb_vec *)audit->x, *h1 = (const hb_vec *)audit->h1;
  hb_vec *c = (hb_vec *)audit->cofactor, *J = (hb_vec *)audit->jacobian;
  hb_vec d[3][3], along[3], squares = {0};
  for (int a = 0; a < 3; a++) {
    slopes(n, audit->D, x + a * points, k, j, i, along);
    for (int b = 0; b < 3; b++) d[b][a] = along[b];
  }
  for (int b = 0; b < 3; b++)
    for (int a = 0; a < 3; a++) {
      const hb_vec value = cofactor(d, b, a);
      c[(b * 3 + a) * points + point] = value;
      squares += value * value;
    }
  J[point] =
      d[0][0] * cofactor(d, 0, 0) + d[0][1] * cofactor(d, 0, 1) + d[0][2] * cofactor(d, 0, 2);
  const double slope = hb_max(audit->row[i], hb_max(audit->row[j], audit->row[k]));
  const hb_vec bound =
      1.7320508075688773 * slope * audit->weight[point] * h1[point] / J[point] * squares;
  ((hb_vec *)audit->q)[point] = larger(bound, -bound);
}

/* Of one direction: max_i sum_m |D[m][i]| (the largest |q| with that index m). */
HB_INLINE hb_vec scale_along(const struct hb_audit *audit, int stride) {
  const int n = audit->n, points = n * n * n;
  const hb_vec *q = (const hb_vec *)audit->q;
  hb_vec largest[HB_MAX_N], scale = {0};
  for (int m = 0; m < n; m++) largest[m] = (hb_vec){0};
  for (int first = 0; first < points; first += stride * n)
    for (int m = 0; m < n; m++)
      for (int s = 0; s < stride; s++) largest[m] = larger(largest[m], q[first + m * stride + s]);
  for (int i = 0; i < n; i++) {
    hb_vec sum = {0};
    for (int m = 0; m < n; m++) sum += fabs(audit->D[m * n + i]) * largest[m];
    scale = larger(scale, sum);
  }
  return scale;
}

static void map(struct hb_audit *audit) {
  const int n = audit->n;
  const hb_vec *J = (const hb_vec *)audit->jacobian, *h2 = (const hb_vec *)audit->h2;
  hb_vec mass = {0};
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) map_point(audit, k, j, i);
  for (int point = 0; point < n * n * n; point++)
    mass = larger(mass, audit->weight[point] * h2[point] * J[point]);
  hb_vec_store(audit->scale,
               scale_along(audit, 1) + scale_along(audit, n) + scale_along(audit, n * n) + mass);
}

/* q from u at one point. */
HB_INLINE void flux_point(struct hb_audit *audit, int k, int j, int i) {
  const int n = audit->n, points = n * n * n, point = (k * n + j) * n + i;
  const hb_vec *c = (const hb_vec *)audit->cofactor, *J = (const hb_vec *)audit->jacobian;
  const hb_vec *h1 = (const hb_vec *)audit->h1;
  hb_vec *q = (hb_vec *)audit->q, along[3], g[3];
  slopes(n, audit->D, (const hb_vec *)audit->u, k, j, i, along);
  for (int a = 0; a < 3; a++)
    g[a] = c[a * points + point] * along[0] + c[(3 + a) * points + point] * along[1] +
           c[(6 + a) * points + point] * along[2];
  const hb_vec scale = audit->weight[point] * h1[point] / J[point];
  for (int b = 0; b < 3; b++)
    q[b * points + point] =
        scale * (c[b * 3 * points + point] * g[0] + c[(b * 3 + 1) * points + point] * g[1] +
                 c[(b * 3 + 2) * points + point] * g[2]);
}

/* w from q and u at one point. */
HB_INLINE void product_point(struct hb_audit *audit, int k, int j, int i) {
  const int n = audit->n, points = n * n * n, point = (k * n + j) * n + i;
  const double *D = audit->D;
  const hb_vec *J = (const hb_vec *)audit->jacobian, *h2 = (const hb_vec *)audit->h2;
  const hb_vec *u = (const hb_vec *)audit->u, *q = (const hb_vec *)audit->q;
  hb_vec sum = audit->weight[point] * h2[point] * J[point] * u[point];
  for (int m = 0; m < n; m++)
    sum += D[m * n + i] * q[(k * n + j) * n + m] + D[m * n + j] * q[points + (k * n + m) * n + i] +
           D[m * n + k] * q[2 * points + (m * n + j) * n + i];
  ((hb_vec *)audit->w)[point] = sum;
}

static void apply(struct hb_audit *audit) {
  const int n = audit->n;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) flux_point(audit, k, j, i);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) product_point(audit, k, j, i);
}

/* The factors of a point. */
HB_INLINE void factors_at(const struct hb_audit *audit, int point, hb_vec factors[HB_MAX_FACTORS]) {
  const int points = hb_points_per_element(audit->n);
  const hb_vec *c = (const hb_vec *)audit->cofactor + point;
  const hb_vec J = ((const hb_vec *)audit->jacobian)[point];
  const double weight = audit->weight[point];
  const hb_vec scale = ((const hb_vec *)audit->h1)[point] * weight / J;
  int f = 0;
  for (int b = 0; b < 3; b++)
    for (int d = b; d < 3; d++)
      factors[f++] = scale * (c[b * 3 * points] * c[d * 3 * points] +
                              c[(b * 3 + 1) * points] * c[(d * 3 + 1) * points] +
                              c[(b * 3 + 2) * points] * c[(d * 3 + 2) * points]);
  factors[f] = ((const hb_vec *)audit->h2)[point] * weight * J;
}

static void compare(const struct hb_audit *audit, int kinds, const double *used, double *worst) {
  const hb_vec *in = (const hb_vec *)used;
  hb_vec most = {0};
  for (int point = 0; point < hb_points_per_element(audit->n); point++, in += kinds) {
    hb_vec right[HB_MAX_FACTORS], off = {0};
    factors_at(audit, point, right);
    for (int f = 0; f < HB_NUM_GEOMETRIC; f++)
      off = larger(off, larger(in[f] - right[f], right[f] - in[f]));
    most = larger(most, off / larger(right[0], larger(right[3], right[5])));
    if (kinds <= HB_MASS_FACTOR) continue;
    off = in[HB_MASS_FACTOR] / right[HB_MASS_FACTOR] - 1.0;
    most = larger(most, larger(off, -off));
  }
  hb_vec_store(worst, most);
}

extern const struct hb_audit_passes HB_ISA_NAME(hb_audit_passes);
const struct hb_audit_passes HB_ISA_NAME(hb_audit_passes) = {HB_SIMD_LANES, map, apply, compare};
