/* SPDX-License-Identifier: BSD-3-Clause
 * The operator of a few elements straight from the positions of their points, by formulas of its
 * own: what factors, kernels and assembly are held against.
 *
 *   d[b][a] = sum_m D[.][m] x[a][..m..]                derivative of x_a along direction b
 *   c[b][a] = cofactor of d[b][a] = J d(xi_b)/d(x_a),  J = sum_a d[0][a] c[0][a]
 *   g[a]    = sum_b c[b][a] u_b,   u_b = sum_m D[.][m] u[..m..]              J grad(u)
 *   q[b]    = h1 w_i w_j w_k / J sum_a c[b][a] g[a]
 *   w       = sum_m D[m][i] q[0][k][j][m] + D[m][j] q[1][k][m][i] + D[m][k] q[2][m][j][i]
 *             + h2 w_i w_j w_k J u
 *
 * The factors G of helmholtz.h never enter w.  They are formed apart, G_bc = h1 w_i w_j w_k / J
 * sum_a c[b][a] c[c][a], in the order of helmholtz.h, to be compared with those in use.
 *
 * Shapes, last index fastest, for `lanes` elements: [k][j][i] is the point; every value is
 * [lane] deep.  All in double. */
#ifndef HB_KERNELS_HELMHOLTZ_AUDIT_H
#define HB_KERNELS_HELMHOLTZ_AUDIT_H

#include "kernels/helmholtz/helmholtz.h"
#include "kernels/host_isa.h"

struct hb_audit_passes;

struct hb_audit {
  const struct hb_audit_passes *passes; /* borrowed: of the best instruction set here */
  int n, lanes;
  const double *D; /* borrowed: [n][n] */
  double *weight;  /* owned: w_i w_j w_k [k][j][i], without lanes */
  double *row;     /* owned: sum_m |D[i][m]| [i] */
  /* Of the caller. */
  double *x;       /* [3][k][j][i], m; owned, as all */
  double *h1, *h2; /* [k][j][i], as u */
  double *u;
  /* Formed from them. */
  double *cofactor; /* [b][a][k][j][i], m^2 */
  double *jacobian; /* [k][j][i], m^3, without weights */
  double *q;        /* [b][k][j][i] */
  double *w;        /* [k][j][i] */
  double *scale;    /* a bound of the magnitudes that enter an entry of w where |u| <= 1 */
};

/* Not collective.  Freed by hb_audit_free, also after a failure. */
enum hb_status hb_audit_create(int n, const double *D, const double *weights,
                               struct hb_audit *audit);
void hb_audit_free(struct hb_audit *audit);

/* Cofactors, J and scale from x, h1 and h2; then w from u, as often as asked. */
void hb_audit_map(struct hb_audit *audit);
void hb_audit_apply(struct hb_audit *audit);

/* used [point][f][lane], the first `kinds` factors: worst [lane] = the largest |difference| of a
 * point's factors from those formed here, of G over the largest of its diagonal there, of M over
 * itself. */
void hb_audit_compare(const struct hb_audit *audit, int kinds, const double *used, double *worst);

/* What an instruction set has of it. */
struct hb_audit_passes {
  int lanes;
  void (*map)(struct hb_audit *audit);
  void (*apply)(struct hb_audit *audit);
  void (*compare)(const struct hb_audit *audit, int kinds, const double *used, double *worst);
};

#endif
