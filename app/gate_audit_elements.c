/* SPDX-License-Identifier: BSD-3-Clause
 * What a group of elements contributes to operator and right-hand side, recomputed. */
#include <math.h>

#include "app/gate_audit.h"

bool hb_audit_has_element(const struct hb_mesh *mesh, int axis, hb_local e) {
  const hb_global global = mesh->partition.start[axis] + e;
  return mesh->box.boundary[axis] == HB_PERIODIC ||
         (global >= 0 && global < mesh->box.elements[axis]);
}

/* One element of a group: its lane, and what is known of its points along each axis. */
struct place {
  int n, lane, lanes;
  const hb_local *element;
  struct {
    hb_local c; /* the rank's lattice coordinate, -1 outside */
    bool dirichlet;
    int natural; /* on a Neumann face: -1 or 1, the sign of the outward normal; else 0 */
    const struct hb_box_axis_value *value;
  } axis[3][HB_MAX_N];
  bool has_natural, has_dirichlet;
};

static void find_place(const struct hb_audit_sweep *sweep, const hb_local element[3], int lane,
                       struct place *place) {
  const struct hb_mesh *mesh = sweep->tables->court->solver->mesh;
  const int n = mesh->gll.n;
  place->n = n, place->lane = lane, place->lanes = sweep->audit.lanes;
  place->element = element;
  place->has_natural = place->has_dirichlet = false;
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < n; i++) {
      const enum hb_boundary boundary = mesh->box.boundary[a];
      const hb_local c = element[a] * (n - 1) + i;
      const hb_global all = mesh->partition.start[a] * (n - 1) + c;
      const bool low = all == 0, high = all == mesh->box.elements[a] * (n - 1);
      place->axis[a][i].c = c < mesh->numbering->lattice_size[a] ? c : -1;
      place->axis[a][i].dirichlet = boundary == HB_DIRICHLET && (low || high);
      place->axis[a][i].natural = boundary != HB_NEUMANN ? 0 : high - low;
      place->axis[a][i].value = &sweep->tables->axis[a].value[(element[a] + 1) * n + i];
      if (place->axis[a][i].natural != 0) place->has_natural = true;
      if (place->axis[a][i].dirichlet) place->has_dirichlet = true;
    }
}

static ptrdiff_t at(const struct place *place, int point) {
  return (ptrdiff_t)point * place->lanes + place->lane;
}

static void position_at(const struct hb_audit *audit, const struct place *place, int point,
                        double x[3]) {
  const ptrdiff_t values = (ptrdiff_t)hb_points_per_element(place->n) * place->lanes;
  for (int a = 0; a < 3; a++) x[a] = audit->x[a * values + at(place, point)];
}

/* Positions, coefficients, and the random v. */
static void fill(struct hb_audit_sweep *sweep, const struct place *place) {
  const struct hb_box *box = &sweep->tables->court->solver->mesh->box;
  const struct hb_audit_axis *axis = sweep->tables->axis;
  const struct hb_audit_points *points = &sweep->points;
  struct hb_audit *audit = &sweep->audit;
  const int n = place->n;
  const ptrdiff_t values = (ptrdiff_t)hb_points_per_element(n) * place->lanes;
  const hb_local *e = place->element;
  ptrdiff_t to = place->lane;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) {
      const ptrdiff_t y = (e[1] - axis[1].begin) * (n - 1) + j;
      ptrdiff_t from = (k * (ptrdiff_t)axis[1].size + y) * axis[0].size;
      from += (e[0] - axis[0].begin) * (n - 1);
      for (int i = 0; i < n; i++, to += place->lanes, from++) {
        double x[3];
        hb_box_position(box, place->axis[0][i].value, place->axis[1][j].value,
                        place->axis[2][k].value, x);
        for (int a = 0; a < 3; a++) audit->x[a * values + to] = x[a];
        audit->h1[to] = points->h1[from];
        audit->h2[to] = points->h2[from];
        audit->u[to] = points->v[from];
      }
    }
}

/* The solution where it is given, else 0.  Returns the largest. */
static double fill_lifting(struct hb_audit_sweep *sweep, const struct place *place) {
  const struct hb_problem *problem = &sweep->tables->court->solver->plan->problem;
  const int n = place->n;
  double largest = 0.0;
  if (!place->has_dirichlet) {
    for (int point = 0; point < hb_points_per_element(n); point++)
      sweep->audit.u[at(place, point)] = 0.0;
    return 0.0;
  }
  for (int point = 0; point < hb_points_per_element(n); point++) {
    double x[3], value = 0.0;
    if (place->axis[0][point % n].dirichlet || place->axis[1][point / n % n].dirichlet ||
        place->axis[2][point / (n * n)].dirichlet) {
      position_at(&sweep->audit, place, point, x);
      value = hb_problem_exact(problem, x, NULL, NULL);
    }
    sweep->audit.u[at(place, point)] = value;
    largest = hb_max(largest, fabs(value));
  }
  return largest;
}

/* Integral of h1 grad(u).n over the Neumann faces that a point lies on: n dA of the face across
 * axis b is c[b] w w, outward. */
static double natural_at(const struct hb_audit_sweep *sweep, const struct place *place, int point) {
  const struct hb_audit *audit = &sweep->audit;
  const double *weights = sweep->tables->court->solver->mesh->gll.weights;
  const int n = place->n, ijk[3] = {point % n, point / n % n, point / (n * n)};
  const ptrdiff_t values = (ptrdiff_t)hb_points_per_element(n) * place->lanes;
  double sum = 0.0;
  for (int b = 0; b < 3; b++) {
    double x[3], gradient[3], flux = 0.0;
    if (place->axis[b][ijk[b]].natural == 0) continue;
    position_at(audit, place, point, x);
    hb_problem_exact(&sweep->tables->court->solver->plan->problem, x, gradient, NULL);
    for (int a = 0; a < 3; a++)
      flux += audit->cofactor[(b * 3 + a) * values + at(place, point)] * gradient[a];
    sum += place->axis[b][ijk[b]].natural * audit->h1[at(place, point)] * flux *
           weights[ijk[(b + 1) % 3]] * weights[ijk[(b + 2) % 3]];
  }
  return sum;
}

static void add_right_side(struct hb_audit_sweep *sweep, const struct place *place, int point,
                           ptrdiff_t to, double largest) {
  const struct hb_audit_layer *layer = &sweep->layer;
  if (largest > 0.0) {
    layer->b[to] -= sweep->lifted[at(place, point)];
    layer->b_magnitude[to] += sweep->audit.scale[place->lane] * largest;
  }
  if (place->has_natural) {
    const double natural = natural_at(sweep, place, point);
    layer->b[to] += natural;
    layer->b_magnitude[to] += fabs(natural);
  }
}

/* A row of points to the layer's planes.  largest: of the lifted values. */
static void add_row(struct hb_audit_sweep *sweep, const struct place *place, int first,
                    ptrdiff_t row, double largest) {
  const struct hb_audit *audit = &sweep->audit;
  const struct hb_audit_layer *layer = &sweep->layer;
  const bool right_side = largest > 0.0 || place->has_natural;
  const double scale = audit->scale[place->lane];
  for (int i = 0; i < place->n; i++) {
    const ptrdiff_t to = row + place->axis[0][i].c, from = at(place, first + i);
    if (place->axis[0][i].c < 0) continue;
    layer->w[to] += audit->w[from];
    layer->w_magnitude[to] = hb_max(layer->w_magnitude[to], scale);
    layer->mass[to] += audit->weight[first + i] * audit->jacobian[from];
    if (right_side) add_right_side(sweep, place, first + i, to, largest);
  }
}

static void add(struct hb_audit_sweep *sweep, const struct place *place, double largest) {
  const hb_local *size = sweep->tables->court->solver->mesh->numbering->lattice_size;
  const int n = place->n;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) {
      const hb_local y = place->axis[1][j].c;
      if (y < 0 || place->axis[2][k].c < 0) continue;
      add_row(sweep, place, (k * n + j) * n, ((ptrdiff_t)k * size[1] + y) * size[0], largest);
    }
}

/* Factors [point][f] in use of the element at a position of the numbering.  The sweep meets
 * boundary elements and the others each in their order, so that a window of each is enough. */
static enum hb_status find_factors(struct hb_audit_sweep *sweep, hb_local position,
                                   const double **factors) {
  enum hb_status status = HB_OK;
  const struct hb_operator *op = sweep->tables->court->solver->op;
  const struct hb_numbering *numbering = op->mesh->numbering;
  const ptrdiff_t element = (ptrdiff_t)hb_points_per_element(numbering->n) *
                            hb_geometry_num_factors(&op->helmholtz.geometry);
  struct hb_audit_window *window = &sweep->window[position >= numbering->num_boundary_elements];
  if (position < window->begin || position >= window->end) {
    const hb_local end = position + HB_AUDIT_WINDOW;
    window->begin = position;
    window->end = end < numbering->num_elements ? end : numbering->num_elements;
    HB_TRY(hb_operator_factors(op, window->begin, window->end, window->factors));
  }
  *factors = window->factors + (position - window->begin) * element;
done:
  return status;
}

static bool is_own(const struct hb_audit_sweep *sweep, const hb_local element[3]) {
  const hb_local *count = sweep->tables->court->solver->mesh->partition.count;
  for (int a = 0; a < 3; a++)
    if (element[a] < 0 || element[a] >= count[a]) return false;
  return true;
}

/* The factors in use of one of the rank's own elements, to its lane. */
static enum hb_status fetch_factors(struct hb_audit_sweep *sweep, const struct place *place) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = sweep->tables->court->solver;
  const hb_local *count = solver->mesh->partition.count, *e = place->element;
  const ptrdiff_t values = (ptrdiff_t)hb_points_per_element(place->n) *
                           hb_geometry_num_factors(&solver->op->helmholtz.geometry);
  const double *used = NULL;
  HB_TRY(find_factors(
      sweep, sweep->tables->position[e[0] + count[0] * (e[1] + (ptrdiff_t)count[1] * e[2])],
      &used));
  for (ptrdiff_t i = 0; i < values; i++) sweep->used[i * place->lanes + place->lane] = used[i];
done:
  return status;
}

/* Those of a group, of the elements that are the rank's own. */
static enum hb_status compare_factors(struct hb_audit_sweep *sweep, const struct place *place,
                                      int count) {
  enum hb_status status = HB_OK;
  const struct hb_geometry *geometry = &sweep->tables->court->solver->op->helmholtz.geometry;
  double worst[HB_MAX_LANES];
  bool any = false;
  for (int lane = 0; lane < count; lane++) {
    if (!is_own(sweep, place[lane].element)) continue;
    HB_TRY(fetch_factors(sweep, &place[lane]));
    any = true;
  }
  if (!any) return HB_OK;
  hb_audit_compare(&sweep->audit, hb_geometry_num_factors(geometry), sweep->used, worst);
  for (int lane = 0; lane < count; lane++)
    if (is_own(sweep, place[lane].element))
      sweep->worst_factor = hb_max(sweep->worst_factor, worst[lane]);
done:
  return status;
}

/* w of the group's v stays; A u_D goes to `lifted`.  largest: the largest |u_D| of each. */
static void lift(struct hb_audit_sweep *sweep, const struct place *place, double *largest) {
  struct hb_audit *audit = &sweep->audit;
  double *const w = audit->w, any = 0.0;
  for (int lane = 0; lane < audit->lanes; lane++) {
    largest[lane] = 0.0;
    if (place[lane].has_dirichlet) any = 1.0;
  }
  if (any == 0.0) return;
  for (int lane = 0; lane < audit->lanes; lane++) largest[lane] = fill_lifting(sweep, &place[lane]);
  audit->w = sweep->lifted;
  hb_audit_apply(audit);
  audit->w = w;
}

enum hb_status hb_audit_add_group(struct hb_audit_sweep *sweep,
                                  const struct hb_audit_group *group) {
  struct hb_audit *audit = &sweep->audit;
  double largest[HB_MAX_LANES];
  struct place place[HB_MAX_LANES];
  for (int lane = 0; lane < audit->lanes;
       lane++) { /* the last element stands in for missing ones */
    const int source = lane < group->count ? lane : group->count - 1;
    find_place(sweep, group->element[source], lane, &place[lane]);
    fill(sweep, &place[lane]);
  }
  hb_audit_map(audit);
  hb_audit_apply(audit);
  lift(sweep, place, largest);
  for (int lane = 0; lane < group->count; lane++) add(sweep, &place[lane], largest[lane]);
  return compare_factors(sweep, place, group->count);
}
