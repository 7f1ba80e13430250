/* SPDX-License-Identifier: BSD-3-Clause
 * Values on Dirichlet faces, found by where the lattice of points ends. */
#include "app/gate_boundary.h"

#include <float.h>
#include <math.h>

/* u of positions that were formed another way: less than ten times their rounding. */
static const double OF_POSITIONS = 64.0 * DBL_EPSILON;

/* True if lattice point c of this rank lies on a Dirichlet face of the box. */
static bool is_given(const struct hb_mesh *mesh, const hb_local c[3]) {
  for (int a = 0; a < 3; a++) {
    const hb_global place = mesh->partition.start[a] * mesh->box.degree + c[a];
    const bool end = place == 0 || place == mesh->box.elements[a] * mesh->box.degree;
    if (end && mesh->box.boundary[a] == HB_DIRICHLET) return true;
  }
  return false;
}

void hb_gate_boundary_judge(const struct hb_solver *solver, const double largest[2],
                            struct hb_gates *gates) {
  const double granted = hb_precision_epsilon(solver->op->precision) + OF_POSITIONS;
  hb_gate_judge(gates, HB_GATE_BOUNDARY, largest[0], granted * largest[1]);
}

void hb_gate_boundary_errors(const struct hb_solver *solver, const double *exact,
                             double largest[2]) {
  const struct hb_mesh *mesh = solver->mesh;
  const hb_local *size = mesh->numbering->lattice_size, *number = mesh->numbering->lattice;
  hb_local c[3];
  largest[0] = largest[1] = 0.0;
  for (c[2] = 0; c[2] < size[2]; c[2]++)
    for (c[1] = 0; c[1] < size[1]; c[1]++)
      for (c[0] = 0; c[0] < size[0]; c[0]++, number++) {
        if (!is_given(mesh, c)) continue;
        const double u = exact[*number];
        const double x = hb_real_at(solver->op->precision, solver->x, *number);
        largest[0] = hb_max(largest[0], fabs(x - u));
        largest[1] = hb_max(largest[1], fabs(u));
      }
}
