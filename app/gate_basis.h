/* SPDX-License-Identifier: BSD-3-Clause
 * The gate on nodes, weights and differentiation matrix, on which all else is built. */
#ifndef HB_APP_GATE_BASIS_H
#define HB_APP_GATE_BASIS_H

#include "app/gates.h"

/* The quadrature is exact for polynomials up to degree 2 n - 3, which no other n nodes with both
 * ends and no other weights are, and D for those up to degree n - 1:
 *   sum_i w[i] x[i]^k = integral of x^k over [-1, 1];  sum_m D[i][m] x[m]^k = k x[i]^(k-1)
 * Returns the largest difference in units of what rounding does; infinite if an end is missing. */
double hb_basis_difference(const struct hb_gll *gll);

/* Collective.  Judges the gate basis. */
enum hb_status hb_gate_basis(const struct hb_solver *solver, struct hb_gates *gates);

#endif
