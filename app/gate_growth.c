/* SPDX-License-Identifier: BSD-3-Clause
 * How much the rounding of an operator grows that forms its factors while it is applied: from the
 * mesh's positions, on elements spread over every rank's part. */
#include "app/gates_internal.h"

#include "kernels/geometry/kept.h"

enum { AN_AXIS = 6 }; /* elements looked at along each axis, at most */

/* The element of that number out of those looked at along an axis of `count`: the first, the last,
 * and between. */
static hb_local spread(hb_local count, int looked_at, int number) {
  return looked_at == 1 ? 0
                        : (hb_local)((hb_global)number * (count - 1) / (hb_global)(looked_at - 1));
}

static enum hb_status largest_growth(const struct hb_mesh *mesh, enum hb_geometry_mode mode,
                                     double *growth) {
  enum hb_status status = HB_OK;
  const struct hb_gll *gll = &mesh->gll;
  const struct hb_kept_basis basis = {gll->n, gll->nodes, gll->weights, gll->D};
  const hb_local *count = mesh->partition.count;
  int looked_at[3], at[3];
  double *x = NULL;
  for (int a = 0; a < 3; a++) looked_at[a] = count[a] < AN_AXIS ? (int)count[a] : AN_AXIS;
  HB_ALLOC(x, 3 * hb_points_per_element(gll->n), "positions of an element");
  for (at[2] = 0; at[2] < looked_at[2]; at[2]++)
    for (at[1] = 0; at[1] < looked_at[1]; at[1]++)
      for (at[0] = 0; at[0] < looked_at[0]; at[0]++) {
        hb_local element[3];
        for (int a = 0; a < 3; a++) element[a] = spread(count[a], looked_at[a], at[a]);
        hb_positions_element(mesh->positions, element, 1, x);
        *growth = hb_max(*growth, hb_geometry_growth(mode, &basis, x));
      }
done:
  hb_free(x);
  return status;
}

enum hb_status hb_gate_find_growth(struct hb_court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  const enum hb_geometry_mode mode = solver->op->helmholtz.geometry.mode;
  court->growth = 0.0;
  if (mode == HB_GEOMETRY_STORED) return HB_OK;
  HB_TRY(hb_comm_agree(solver->plan->comm, largest_growth(solver->mesh, mode, &court->growth)));
  hb_comm_max(solver->plan->comm, 1, &court->growth);
  court->growth *= 2.0; /* others may be worse than those looked at */
done:
  return status;
}

double hb_gate_forming(const struct hb_court *court) {
  return 16.0 * court->growth * hb_precision_epsilon(court->solver->op->precision);
}
