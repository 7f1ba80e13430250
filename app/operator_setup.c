/* SPDX-License-Identifier: BSD-3-Clause
 * The walk through a rank's elements that sets an operator up. */
#include "app/operator_setup.h"

#include <string.h>

/* Where value 0 of an element is, of arrays with `values` an element; and from one to the next. */
static ptrdiff_t offset_of(const struct hb_element_group *group, hb_local e, ptrdiff_t values) {
  return group->interleaved ? e : values * e;
}
static ptrdiff_t stride_of(const struct hb_element_group *group) {
  return group->interleaved ? group->most : 1;
}

static void fill_coefficients(const struct hb_problem *problem, ptrdiff_t points, hb_local e,
                              struct hb_element_group *group) {
  const ptrdiff_t stride = stride_of(group);
  const double *x = group->x + offset_of(group, e, 3 * points);
  double *h1 = group->h1 + offset_of(group, e, points);
  double *h2 = group->h2 + offset_of(group, e, points);
  for (ptrdiff_t p = 0; p < points; p++) {
    const double position[3] = {x[p * stride], x[(points + p) * stride],
                                x[(2 * points + p) * stride]};
    hb_problem_coefficients(problem, position, &h1[p * stride], &h2[p * stride]);
  }
}

/* Positions less that of the first point: rounding then goes by the size of the element. */
static void centre(const struct hb_element_group *group, ptrdiff_t points, hb_local e) {
  const ptrdiff_t stride = stride_of(group);
  for (int a = 0; a < 3; a++) {
    double *x = group->x + offset_of(group, e, 3 * points) + a * points * stride;
    for (ptrdiff_t p = points - 1; p >= 0; p--) x[p * stride] -= x[0];
  }
}

/* Positions and coefficients; constant ones stay from the first group, which is the largest. */
static void fill(const struct hb_operator_setup *setup, ptrdiff_t points,
                 struct hb_element_group *group) {
  const hb_local places = group->interleaved ? group->most : group->count;
  const bool coefficients = group->first == 0 || !hb_problem_is_constant(setup->problem);
  for (hb_local e = 0; e < places; e++) {
    const hb_local source = e < group->count ? e : group->count - 1;
    hb_local element[3];
    hb_mesh_element(setup->mesh, group->first + source, element);
    hb_positions_element(setup->mesh->positions, element, (int)stride_of(group),
                         group->x + offset_of(group, e, 3 * points));
    if (coefficients) fill_coefficients(setup->problem, points, e, group);
    centre(group, points, e);
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

static void add_mass(const struct hb_mesh *mesh, const hb_local element[3], ptrdiff_t stride,
                     const double *values, double *mass) {
  const int n = mesh->gll.n;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, values += stride)
        mass[hb_numbering_point(mesh->numbering, element, i, j, k)] += *values;
}

/* Judges the elements of a group and takes their masses. */
static enum hb_status take(const struct hb_mesh *mesh, ptrdiff_t points,
                           const struct hb_element_group *group, double *mass) {
  enum hb_status status = HB_OK;
  for (hb_local e = 0; e < group->count; e++)
    HB_TRY(hb_operator_check_jacobian(mesh, group->first + e, group->min_jacobian[e]));
  for (hb_local e = 0; e < group->count; e++) {
    hb_local element[3];
    hb_mesh_element(mesh, group->first + e, element);
    add_mass(mesh, element, stride_of(group), group->mass + offset_of(group, e, points), mass);
  }
done:
  return status;
}

enum hb_status hb_operator_setup_elements(const struct hb_operator_setup *setup,
                                          struct hb_element_group *group, hb_form_factors *form,
                                          void *context, double *mass) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = setup->mesh->numbering;
  const hb_local num_elements = numbering->num_elements;
  const ptrdiff_t points = hb_points_per_element(setup->mesh->gll.n);
  memset(mass, 0, (size_t)numbering->num_points * sizeof *mass);
  for (group->first = 0; group->first < num_elements; group->first += group->most) {
    const hb_local left = num_elements - group->first;
    group->count = left < group->most ? left : group->most;
    hb_watcher_tell(setup->watcher, "setting up, elements", group->first, num_elements);
    fill(setup, points, group);
    HB_TRY(form(context, group));
    HB_TRY(take(setup->mesh, points, group, mass));
  }
done:
  return status;
}

/* ---- geometry that is not stored ------------------------------------------------------------- */

void hb_operator_keep(const struct hb_geometry *geometry, int n,
                      const struct hb_element_group *group, const struct hb_kept_places *places,
                      double *x) {
  const ptrdiff_t points = hb_points_per_element(n), stride = stride_of(group);
  const int kept = hb_geometry_num_point_values(geometry);
  const int num_coefficients = hb_geometry_num_coefficients(geometry);
  double values[HB_MAX_ELEMENT_VALUES];
  for (hb_local e = 0; e < group->count; e++) {
    const hb_local to = places->first + e;
    const double *h[2] = {group->h1 + offset_of(group, e, points),
                          group->h2 + offset_of(group, e, points)};
    for (ptrdiff_t i = 0; i < 3 * points; i++)
      x[i] = group->x[offset_of(group, e, 3 * points) + i * stride];
    for (int f = 0; f < kept; f++) {
      const int coefficient = f - (kept - num_coefficients);
      const double *from = coefficient < 0 ? x + f * points : h[coefficient];
      for (ptrdiff_t point = 0; point < points; point++)
        hb_real_set(places->precision, places->points,
                    hb_factor_at(&places->layout, to, (int)point, f),
                    from[coefficient < 0 ? point : point * stride]);
    }
    hb_geometry_keep(geometry, n, x, values);
    for (int v = 0; v < hb_geometry_num_element_values(geometry); v++)
      hb_real_set(places->precision, places->elements,
                  hb_element_value_at(geometry, places->layout.lanes, to, v), values[v]);
  }
}

enum hb_status hb_operator_expand(const struct hb_operator *op, const struct hb_kept_places *places,
                                  hb_local begin, hb_local end, double *factors) {
  const struct hb_gll *gll = &op->mesh->gll;
  const struct hb_kept_basis basis = {gll->n, gll->nodes, gll->weights, gll->D};
  return hb_geometry_expand_elements(&op->helmholtz.geometry, &basis, places, begin, end, factors);
}
