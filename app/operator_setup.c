/* SPDX-License-Identifier: BSD-3-Clause
 * Set-up of the operator's factors, one group of elements at a time. */
#include "app/operator_setup.h"

#include <string.h>

#include "kernels/element/blocks.h"

/* Work space for one group of `lanes` elements (shapes: factors.h), `active` of which
 * exist; the others repeat the last one. */
struct group {
  int lanes, active;
  hb_local first; /* position of lane 0 */
  double *x, *h1, *h2, *factors, *mass, *scratch;
};

static enum hb_status group_create(int n, int lanes, struct group *group) {
  enum hb_status status = HB_OK;
  const hb_global points = (hb_global)hb_points_per_element(n) * lanes;
  *group = (struct group){.lanes = lanes};
  HB_ALLOC(group->x, 3 * points, "positions of a group");
  HB_ALLOC(group->h1, points, "h1 of a group");
  HB_ALLOC(group->h2, points, "h2 of a group");
  HB_ALLOC(group->factors, HB_MAX_FACTORS * points, "factors of a group");
  HB_ALLOC(group->mass, points, "mass of a group");
  HB_ALLOC(group->scratch, hb_geometric_scratch_count(n, lanes), "scratch of a group");
done:
  return status;
}

static void group_destroy(struct group *group) {
  hb_free(group->x);
  hb_free(group->h1);
  hb_free(group->h2);
  hb_free(group->factors);
  hb_free(group->mass);
  hb_free(group->scratch);
}

static void group_positions(const struct hb_mesh *mesh, struct group *group) {
  for (int lane = 0; lane < group->lanes; lane++) {
    const int source = lane < group->active ? lane : group->active - 1;
    hb_local element[3];
    hb_mesh_element(mesh, group->first + source, element);
    hb_positions_element(mesh->positions, element, group->lanes, group->x + lane);
  }
}

static void group_coefficients(const struct hb_problem *problem, ptrdiff_t values,
                               struct group *group) {
  for (ptrdiff_t v = 0; v < values; v++) {
    const double x[3] = {group->x[v], group->x[values + v], group->x[2 * values + v]};
    hb_problem_coefficients(problem, x, &group->h1[v], &group->h2[v]);
  }
}

enum hb_status hb_operator_check_jacobian(const struct hb_mesh *mesh, hb_local position,
                                          double min_jacobian) {
  enum hb_status status = HB_OK;
  const hb_global *start = mesh->partition.start;
  hb_local e[3];
  if (min_jacobian > 0.0) return HB_OK;
  hb_mesh_element(mesh, position, e);
  HB_FAIL(HB_BAD_INPUT,
          "deformation = %s inverts element (%lld, %lld, %lld): its smallest Jacobian is %.3g "
          "m^3, allowed is > 0; take a smaller amplitude, larger epsilons or more elements",
          hb_deformation_name(mesh->box.deformation), (long long)(start[0] + e[0]),
          (long long)(start[1] + e[1]), (long long)(start[2] + e[2]), min_jacobian);
done:
  return status;
}

/* Into the variant's layout. */
static void store_factors(struct hb_operator *op, const struct group *group) {
  const struct hb_helmholtz *h = &op->helmholtz;
  const struct hb_factor_layout layout = hb_geometry_host_layout(&h->geometry, h->n, h->lanes);
  const int kinds = hb_geometry_num_factors(&h->geometry), points = hb_points_per_element(h->n);
  double *f64 = op->factors;
  float *f32 = op->factors;
  for (int lane = 0; lane < group->active; lane++) {
    const double *in = group->factors + lane;
    ptrdiff_t out = hb_factor_at(&layout, group->first + lane, 0, 0);
    for (int point = 0; point < points; point++, in += HB_MAX_FACTORS * group->lanes)
      for (int f = 0; f < kinds; f++, out += layout.factor) {
        if (op->precision == HB_F64)
          f64[out] = in[f * group->lanes];
        else
          f32[out] = (float)in[f * group->lanes];
      }
  }
}

void hb_operator_add_mass(const struct hb_mesh *mesh, const hb_local element[3], int lanes,
                          const double *values, double *mass) {
  const int n = mesh->gll.n;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, values += lanes)
        mass[hb_numbering_point(mesh->numbering, element, i, j, k)] += *values;
}

/* Judges the elements of a group and takes their factors and masses. */
static enum hb_status take_group(struct hb_operator *op, const struct group *group,
                                 const double *min_jacobian, double *mass) {
  enum hb_status status = HB_OK;
  for (int lane = 0; lane < group->active; lane++)
    HB_TRY(hb_operator_check_jacobian(op->mesh, group->first + lane, min_jacobian[lane]));
  store_factors(op, group);
  for (int lane = 0; lane < group->active; lane++) {
    hb_local element[3];
    hb_mesh_element(op->mesh, group->first + lane, element);
    hb_operator_add_mass(op->mesh, element, group->lanes, group->mass + lane, mass);
  }
done:
  return status;
}

enum hb_status hb_operator_setup_factors(struct hb_operator *op, const struct hb_problem *problem,
                                         const struct hb_watcher *watcher, double *mass) {
  enum hb_status status = HB_OK;
  const struct hb_mesh *mesh = op->mesh;
  const int n = op->helmholtz.n, lanes = op->variant->geometric_lanes;
  const hb_local num_elements = op->helmholtz.num_elements;
  const ptrdiff_t values = (ptrdiff_t)hb_points_per_element(n) * lanes;
  const struct hb_factor_layout layout =
      hb_geometry_host_layout(&op->helmholtz.geometry, n, op->helmholtz.lanes);
  const hb_global count = hb_factor_count(&layout, num_elements);
  const size_t ragged = (size_t)layout.block * hb_precision_bytes(op->precision);
  struct group group;
  HB_TRY(group_create(n, lanes, &group));
  /* Missing lanes of the last block hold zeros. */
  memset((char *)op->factors + (size_t)count * hb_precision_bytes(op->precision) - ragged, 0,
         ragged);
  memset(mass, 0, (size_t)mesh->numbering->num_points * sizeof *mass);
  for (group.first = 0; group.first < num_elements; group.first += lanes) {
    double min_jacobian[HB_MAX_LANES];
    group.active = hb_block_active(num_elements, lanes, group.first / lanes);
    hb_watcher_tell(watcher, "setting up, elements", group.first, num_elements);
    group_positions(mesh, &group);
    if (group.first == 0 || !hb_problem_is_constant(problem))
      group_coefficients(problem, values, &group);
    const struct hb_geometric_input input = {.n = n,
                                             .D = mesh->gll.D,
                                             .weights = mesh->gll.weights,
                                             .x = group.x,
                                             .h1 = group.h1,
                                             .h2 = group.h2};
    op->variant->geometric_factors(&input, group.scratch, group.factors, group.mass, min_jacobian);
    HB_TRY(take_group(op, &group, min_jacobian, mass));
  }
done:
  group_destroy(&group);
  return status;
}
