/* SPDX-License-Identifier: BSD-3-Clause
 * What a mesh can resolve, estimated without solving: the bounds of the solution and volume gates.
 */
#ifndef HB_APP_GATE_RESOLUTION_H
#define HB_APP_GATE_RESOLUTION_H

#include "app/problem.h"

struct hb_resolution {
  double quadrature, solution, consistency;
};

/* Collective.  Samples elements of every rank and takes the worst.
 *
 * quadrature: relative error that the quadrature may make where elements are deformed.  It is exact
 *   but for the modes 2 degree and up of the Jacobian; where the geometry is resolved these are of
 *   the order of the square of the last modes that the mesh has, which is what is returned
 *   (largest of the last two Legendre coefficients along any line, over the mean, squared).
 * solution: bound on the error of the discrete solution: twice the interpolation error of u, seen
 *   half-way between the nodes (Cea's lemma: the Galerkin error is a multiple of the best
 *   approximation's), that of the coefficients over their constants, and the quadrature's.
 * consistency: what the exact solution leaves of the discrete system, over its diagonal: the same,
 *   and the interpolation errors of the fluxes h1 grad(u) and of the source, by the distance of
 *   points and its square. */
enum hb_status hb_gate_resolution(const struct hb_mesh *mesh, const struct hb_problem *problem,
                                  struct hb_resolution *resolution);

#endif
