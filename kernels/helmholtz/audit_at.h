/* SPDX-License-Identifier: BSD-3-Clause
 * The audit's map of an element at one point, from positions.  Included by .hip files only. */
#ifndef HB_KERNELS_HELMHOLTZ_AUDIT_AT_H
#define HB_KERNELS_HELMHOLTZ_AUDIT_AT_H

#include "kernels/geometry/lattice_at.h"
#include "kernels/helmholtz/audit_device.h"

struct hb_audit_map {
  double c[3][3]; /* cofactors c[b][a] */
  double J, weight, h1, h2;
};

/* d[b][a] = sum_m D[.][m] x[a][..m..];  c[b][a] its cofactor;  J = sum_a d[0][a] c[0][a] */
__device__ static inline hb_audit_map hb_audit_map_at(const hb_device_lattice &lattice,
                                                      const hb_local (&e)[3], const int (&ijk)[3]) {
  const int n = lattice.n;
  double d[3][3] = {}, x[3];
  hb_audit_map map;
#pragma unroll
  for (int b = 0; b < 3; b++) {
    int at[3] = {ijk[0], ijk[1], ijk[2]};
    for (int m = 0; m < n; m++) {
      at[b] = m;
      hb_lattice_position(lattice, e, at, x);
      const double D = lattice.d_D[ijk[b] * n + m];
#pragma unroll
      for (int a = 0; a < 3; a++) d[b][a] += D * x[a];
    }
  }
#pragma unroll
  for (int b = 0; b < 3; b++)
#pragma unroll
    for (int a = 0; a < 3; a++) {
      const int b1 = (b + 1) % 3, b2 = (b + 2) % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;
      map.c[b][a] = d[b1][a1] * d[b2][a2] - d[b1][a2] * d[b2][a1];
    }
  map.J = d[0][0] * map.c[0][0] + d[0][1] * map.c[0][1] + d[0][2] * map.c[0][2];
  map.weight = lattice.d_weights[ijk[0]] * lattice.d_weights[ijk[1]] * lattice.d_weights[ijk[2]];
  map.h1 = lattice.problem.h1;
  map.h2 = lattice.problem.h2;
  if (lattice.problem.h1_variation == 0.0 && lattice.problem.h2_variation == 0.0) return map;
  hb_lattice_position(lattice, e, ijk, x);
  const hb_lattice_values values = hb_lattice_values_at(lattice.problem, x);
  map.h1 = values.h1;
  map.h2 = values.h2;
  return map;
}

/* What no |q_b| exceeds at the point where |u| <= 1: sum_c |G_bc| <= sqrt(3) trace(G). */
__device__ static inline double hb_audit_limit(const hb_device_lattice &lattice,
                                               const int (&ijk)[3], const hb_audit_map &map) {
  double slope = 0.0, squares = 0.0;
  for (int b = 0; b < 3; b++) {
    double row = 0.0;
    for (int m = 0; m < lattice.n; m++) row += fabs(lattice.d_D[ijk[b] * lattice.n + m]);
    slope = hb_larger(slope, row);
    for (int a = 0; a < 3; a++) squares += map.c[b][a] * map.c[b][a];
  }
  return fabs(1.7320508075688773 * slope * map.weight * map.h1 / map.J * squares);
}

#endif
