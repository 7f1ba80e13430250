/* SPDX-License-Identifier: BSD-3-Clause
 * What a group of elements contributes to operator and right-hand side, recomputed. */
#include <math.h>
#include <string.h>

#include "app/gate_audit.h"
#include "kernels/random.h"

bool hb_audit_has_element(const struct hb_mesh *mesh, int axis, hb_local e) {
  const hb_global global = mesh->partition.start[axis] + e;
  return mesh->box.boundary[axis] == HB_PERIODIC ||
         (global >= 0 && global < mesh->box.elements[axis]);
}

void hb_audit_global(const struct hb_audit_sweep *sweep, const hb_local c[3], hb_global g[3]) {
  const struct hb_mesh *mesh = sweep->court->solver->mesh;
  for (int a = 0; a < 3; a++) {
    g[a] = mesh->partition.start[a] * mesh->box.degree + c[a];
    if (mesh->box.boundary[a] != HB_PERIODIC) continue;
    if (g[a] < 0) g[a] += sweep->lattice[a];
    if (g[a] >= sweep->lattice[a]) g[a] -= sweep->lattice[a];
  }
}

bool hb_audit_is_dirichlet(const struct hb_audit_sweep *sweep, const hb_local c[3]) {
  const struct hb_mesh *mesh = sweep->court->solver->mesh;
  hb_global g[3];
  hb_audit_global(sweep, c, g);
  for (int a = 0; a < 3; a++)
    if (mesh->box.boundary[a] == HB_DIRICHLET && (g[a] == 0 || g[a] == sweep->lattice[a] - 1))
      return true;
  return false;
}

/* One element of a group: its lane, and the coordinates of its first point. */
struct place {
  int n, lane, lanes;
  hb_local first[3];
  const hb_local *element;
};

static void point_of(const struct place *place, int point, hb_local c[3]) {
  const int n = place->n, ijk[3] = {point % n, point / n % n, point / (n * n)};
  for (int a = 0; a < 3; a++) c[a] = place->first[a] + ijk[a];
}

static ptrdiff_t at(const struct place *place, int point) {
  return (ptrdiff_t)point * place->lanes + place->lane;
}

static void position_at(const struct hb_audit *audit, const struct place *place, int point,
                        double x[3]) {
  const ptrdiff_t values = (ptrdiff_t)hb_points_per_element(place->n) * place->lanes;
  for (int a = 0; a < 3; a++) x[a] = audit->x[a * values + at(place, point)];
}

/* Positions, coefficients, and a random v by global number. */
static void fill(struct hb_audit_sweep *sweep, const struct place *place) {
  const struct hb_solver *solver = sweep->court->solver;
  const struct hb_mesh *mesh = solver->mesh;
  struct hb_audit *audit = &sweep->audit;
  const int n = place->n, points = hb_points_per_element(n);
  const hb_global *lattice = sweep->lattice;
  hb_global g[3];
  hb_local c[3];
  for (int point = 0; point < points; point++) {
    const int ijk[3] = {point % n, point / n % n, point / (n * n)};
    const struct hb_box_axis_value *v[3];
    double x[3];
    for (int a = 0; a < 3; a++) v[a] = &sweep->axis[a][(place->element[a] + 1) * n + ijk[a]];
    hb_box_position(&mesh->box, v[0], v[1], v[2], x);
    for (int a = 0; a < 3; a++)
      audit->x[(ptrdiff_t)a * points * place->lanes + at(place, point)] = x[a];
    hb_problem_coefficients(&solver->plan->problem, x, &audit->h1[at(place, point)],
                            &audit->h2[at(place, point)]);
    point_of(place, point, c);
    hb_audit_global(sweep, c, g);
    audit->u[at(place, point)] =
        hb_random_at(g[0] + lattice[0] * (g[1] + lattice[1] * g[2]), sweep->court->gates->seed + 4);
  }
}

/* The solution where it is given, else 0.  Returns the largest. */
static double fill_lifting(struct hb_audit_sweep *sweep, const struct place *place) {
  const struct hb_solver *solver = sweep->court->solver;
  double largest = 0.0;
  for (int point = 0; point < hb_points_per_element(place->n); point++) {
    hb_local c[3];
    double x[3], value = 0.0;
    point_of(place, point, c);
    if (hb_audit_is_dirichlet(sweep, c)) {
      position_at(&sweep->audit, place, point, x);
      value = hb_problem_exact(&solver->plan->problem, x, NULL, NULL);
    }
    sweep->audit.u[at(place, point)] = value;
    largest = hb_max(largest, fabs(value));
  }
  return largest;
}

/* Integral of h1 grad(u).n over the Neumann faces that a point lies on: n dA of the face across
 * axis b is c[b] w w, outward. */
static double natural_at(const struct hb_audit_sweep *sweep, const struct place *place, int point) {
  const struct hb_solver *solver = sweep->court->solver;
  const struct hb_mesh *mesh = solver->mesh;
  const struct hb_audit *audit = &sweep->audit;
  const int n = place->n, ijk[3] = {point % n, point / n % n, point / (n * n)};
  const ptrdiff_t values = (ptrdiff_t)hb_points_per_element(n) * place->lanes;
  double sum = 0.0;
  for (int b = 0; b < 3; b++) {
    const hb_global e = mesh->partition.start[b] + place->element[b];
    const bool low = ijk[b] == 0 && e == 0;
    const bool high = ijk[b] == n - 1 && e == mesh->box.elements[b] - 1;
    double x[3], gradient[3], flux = 0.0;
    if (mesh->box.boundary[b] != HB_NEUMANN || (!low && !high)) continue;
    position_at(audit, place, point, x);
    hb_problem_exact(&solver->plan->problem, x, gradient, NULL);
    for (int a = 0; a < 3; a++)
      flux += audit->cofactor[(b * 3 + a) * values + at(place, point)] * gradient[a];
    sum += (high ? 1.0 : -1.0) * audit->h1[at(place, point)] * flux *
           audit->weights[ijk[(b + 1) % 3]] * audit->weights[ijk[(b + 2) % 3]];
  }
  return sum;
}

/* Number in the layer's planes, or -1 outside the rank's lattice. */
static ptrdiff_t in_layer(const struct hb_mesh *mesh, const struct place *place, int point) {
  const hb_local *size = mesh->numbering->lattice_size;
  hb_local c[3];
  point_of(place, point, c);
  for (int a = 0; a < 3; a++)
    if (c[a] < 0 || c[a] >= size[a]) return -1;
  return ((ptrdiff_t)(point / (place->n * place->n)) * size[1] + c[1]) * size[0] + c[0];
}

/* largest: of the lifted values. */
static void add(struct hb_audit_sweep *sweep, const struct place *place, double largest) {
  const struct hb_solver *solver = sweep->court->solver;
  const struct hb_audit *audit = &sweep->audit;
  const struct hb_audit_layer *layer = &sweep->layer;
  const double scale = audit->scale[place->lane];
  for (int point = 0; point < hb_points_per_element(place->n); point++) {
    const ptrdiff_t to = in_layer(solver->mesh, place, point);
    if (to < 0) continue;
    layer->w[to] += audit->w[at(place, point)];
    layer->w_magnitude[to] = hb_max(layer->w_magnitude[to], scale);
    layer->mass[to] += hb_audit_weight(audit, point) * audit->jacobian[at(place, point)];
    const double natural = natural_at(sweep, place, point);
    const double lifted = largest > 0.0 ? sweep->lifted[at(place, point)] : 0.0;
    layer->b[to] += natural - lifted;
    layer->b_magnitude[to] += fabs(natural) + (largest > 0.0 ? scale * largest : 0.0);
  }
}

/* The factors in use of one of the rank's own elements. */
static enum hb_status compare_factors(struct hb_audit_sweep *sweep, const struct place *place) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = sweep->court->solver;
  const struct hb_operator *op = solver->op;
  const hb_local *count = solver->mesh->partition.count, *e = place->element;
  const int kinds = hb_geometry_num_factors(&op->helmholtz.geometry);
  for (int a = 0; a < 3; a++)
    if (e[a] < 0 || e[a] >= count[a]) return HB_OK;
  HB_TRY(hb_operator_element_factors(
      op, sweep->position[e[0] + count[0] * (e[1] + (ptrdiff_t)count[1] * e[2])], sweep->factors));
  for (int point = 0; point < hb_points_per_element(place->n); point++) {
    const double *used = sweep->factors + (ptrdiff_t)point * kinds;
    double right[HB_MAX_FACTORS];
    hb_audit_factors(&sweep->audit, point, place->lane, right);
    const double size = hb_max(right[0], hb_max(right[3], right[5]));
    for (int f = 0; f < kinds; f++)
      sweep->court->worst_factor =
          hb_max(sweep->court->worst_factor,
                 fabs(used[f] - right[f]) / (f == HB_MASS_FACTOR ? right[f] : size));
  }
done:
  return status;
}

enum hb_status hb_audit_add_group(struct hb_audit_sweep *sweep,
                                  const struct hb_audit_group *group) {
  enum hb_status status = HB_OK;
  struct hb_audit *audit = &sweep->audit;
  const int n = audit->n, lanes = audit->lanes;
  const size_t bytes = (size_t)hb_points_per_element(n) * (size_t)lanes * sizeof(double);
  double largest[HB_MAX_LANES], any = 0.0;
  struct place place[HB_MAX_LANES];
  for (int lane = 0; lane < lanes; lane++) { /* the last element stands in for missing ones */
    const hb_local *e = group->element[lane < group->count ? lane : group->count - 1];
    place[lane] =
        (struct place){n, lane, lanes, {e[0] * (n - 1), e[1] * (n - 1), e[2] * (n - 1)}, e};
    fill(sweep, &place[lane]);
  }
  hb_audit_map(audit);
  double *const v = audit->w; /* of the random v, while w takes A u_D */
  hb_audit_apply(audit);
  for (int lane = 0; lane < lanes; lane++) {
    largest[lane] = fill_lifting(sweep, &place[lane]);
    any = hb_max(any, largest[lane]);
  }
  if (any > 0.0) {
    audit->w = sweep->lifted;
    hb_audit_apply(audit);
    audit->w = v;
  } else {
    memset(sweep->lifted, 0, bytes);
  }
  for (int lane = 0; lane < group->count; lane++) {
    add(sweep, &place[lane], largest[lane]);
    HB_TRY(compare_factors(sweep, &place[lane]));
  }
done:
  return status;
}
