/* SPDX-License-Identifier: BSD-3-Clause
 * Gates: mask, factors, assembled operator and right-hand side are those that the audit
 * (kernels/helmholtz/audit.h) forms anew from the positions, at every point of every rank. */
#include "app/gate_audit.h"

#include <string.h>

#include "kernels/helmholtz/compare.h"

enum { NUM_SUMS = 5 }; /* of a layer */
/* Of what enters an entry, in units of epsilon: right runs of degree 1 were at most half of it, of
 * higher degrees, where not all terms are as large as the largest, far less. */
static const double ROUNDING = 16.0;

/* s of the axis' terms, and the terms, of elements -1 .. count. */
static enum hb_status tabulate(const struct hb_mesh *mesh, int axis,
                               struct hb_box_axis_value **values) {
  enum hb_status status = HB_OK;
  const int n = mesh->gll.n;
  const hb_global elements = mesh->box.elements[axis];
  const hb_local count = mesh->partition.count[axis];
  HB_ALLOC(*values, (hb_global)(count + 2) * n, "audit, positions along an axis");
  for (hb_local e = -1; e <= count; e++)
    for (int i = 0; i < n && hb_audit_has_element(mesh, axis, e); i++) {
      const hb_global global = (mesh->partition.start[axis] + e + elements) % elements;
      const double s = ((double)global + 0.5 * (1.0 + mesh->gll.nodes[i])) / (double)elements;
      hb_box_axis(&mesh->box, axis, i == n - 1 && global == elements - 1 ? 1.0 : s,
                  &(*values)[(e + 1) * n + i]);
    }
done:
  return status;
}

/* No |f| of problem.h is larger than the sum of what its terms can be. */
static double largest_source(const struct hb_problem *problem) {
  const double h1 = problem->h1 * (1.0 + problem->h1_variation);
  const double h2 = problem->h2 * (1.0 + problem->h2_variation);
  double u = 1.0, laplace = 0.0, drift = 0.0;
  for (int a = 0; a < 3; a++) {
    const double k = problem->wave_number[a] / problem->length[a];
    u *= problem->offset[a] + 1.0;
    laplace += k * k;
    drift += k * 6.3 / problem->length[a];
  }
  return u * (h2 + h1 * laplace + problem->h1 * problem->h1_variation * drift);
}

/* By lattice coordinate of an axis: the element that a point is taken from, and, where the position
 * along the axis depends on nothing else, the terms of the exact solution. */
static enum hb_status tabulate_lattice(struct hb_audit_sweep *sweep, int axis) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = sweep->court->solver;
  const struct hb_mesh *mesh = solver->mesh;
  const hb_local size = mesh->numbering->lattice_size[axis];
  const hb_local last = mesh->partition.count[axis] - 1;
  const int degree = mesh->box.degree;
  HB_ALLOC(sweep->element[axis], size, "audit, elements along an axis");
  if (mesh->box.deformation == HB_UNDEFORMED)
    HB_ALLOC(sweep->term[axis], size, "audit, axis terms of the solution");
  for (hb_local c = 0; c < size; c++) {
    const hb_local e = c / degree < last ? c / degree : last;
    const double base = sweep->axis[axis][degree + 1 + c + e].base;
    sweep->element[axis][c] = e;
    if (sweep->term[axis] != NULL)
      sweep->term[axis][c] =
          hb_problem_axis(&solver->plan->problem, axis, mesh->box.length[axis] * base);
  }
done:
  return status;
}

static enum hb_status sweep_create(struct hb_court *court, struct hb_audit_sweep *sweep) {
  enum hb_status status = HB_OK;
  const struct hb_mesh *mesh = court->solver->mesh;
  const struct hb_numbering *numbering = mesh->numbering;
  const hb_global planes =
      (hb_global)mesh->gll.n * numbering->lattice_size[0] * numbering->lattice_size[1];
  const int points = hb_points_per_element(mesh->gll.n);
  const hb_local elements =
      numbering->num_elements < HB_AUDIT_WINDOW ? numbering->num_elements : HB_AUDIT_WINDOW;
  *sweep = (struct hb_audit_sweep){.court = court};
  hb_box_lattice(&mesh->box, sweep->lattice);
  sweep->source_scale = largest_source(&court->solver->plan->problem);
  HB_TRY(hb_audit_create(mesh->gll.n, mesh->gll.D, mesh->gll.weights, &sweep->audit));
  for (int a = 0; a < 3; a++) {
    HB_TRY(tabulate(mesh, a, &sweep->axis[a]));
    HB_TRY(tabulate_lattice(sweep, a));
  }
  HB_ALLOC(sweep->layer.w, planes, "audit, a layer");
  HB_ALLOC(sweep->layer.w_magnitude, planes, "audit, a layer");
  HB_ALLOC(sweep->layer.mass, planes, "audit, a layer");
  HB_ALLOC(sweep->layer.b, planes, "audit, a layer");
  HB_ALLOC(sweep->layer.b_magnitude, planes, "audit, a layer");
  for (int w = 0; w < 2; w++)
    HB_ALLOC(sweep->window[w].factors, (hb_global)elements * HB_MAX_FACTORS * points,
             "audit, factors");
  HB_ALLOC(sweep->lifted, (hb_global)points * sweep->audit.lanes, "audit, lifting");
  HB_ALLOC(sweep->position, numbering->num_elements, "audit, positions of elements");
  HB_ALLOC(sweep->masked, numbering->num_points, "audit, mask");
  memset(sweep->masked, 0, (size_t)numbering->num_points * sizeof *sweep->masked);
  for (hb_local p = 0; p < numbering->num_elements; p++) sweep->position[numbering->element[p]] = p;
  for (hb_local s = 0; s < numbering->num_masked; s++) sweep->masked[numbering->masked[s]] = true;
done:
  return status;
}

/* As sweep_create allocates. */
hb_global hb_gate_audit_bytes(const struct hb_plan *plan) {
  hb_local size[3];
  hb_numbering_lattice_size(&plan->box, &plan->partition, size);
  const hb_global planes = (hb_global)(plan->box.degree + 1) * size[0] * size[1];
  return NUM_SUMS * planes * (hb_global)sizeof(double) +
         (hb_global)plan->partition.num_elements * (hb_global)sizeof(hb_local) +
         hb_plan_points(plan) * (hb_global)sizeof(bool);
}

static void sweep_destroy(struct hb_audit_sweep *sweep) {
  hb_audit_free(&sweep->audit);
  for (int a = 0; a < 3; a++) {
    hb_free(sweep->axis[a]);
    hb_free(sweep->element[a]);
    hb_free(sweep->term[a]);
  }
  hb_free(sweep->layer.w);
  hb_free(sweep->layer.w_magnitude);
  hb_free(sweep->layer.mass);
  hb_free(sweep->layer.b);
  hb_free(sweep->layer.b_magnitude);
  for (int w = 0; w < 2; w++) hb_free(sweep->window[w].factors);
  hb_free(sweep->lifted);
  hb_free(sweep->position);
  hb_free(sweep->masked);
}

/* Elements of layer ez, in groups. */
static enum hb_status add_layer(struct hb_audit_sweep *sweep, hb_local ez) {
  enum hb_status status = HB_OK;
  const struct hb_mesh *mesh = sweep->court->solver->mesh;
  const hb_local *count = mesh->partition.count;
  struct hb_audit_group group = {.count = 0};
  if (!hb_audit_has_element(mesh, 2, ez)) return HB_OK;
  for (hb_local ey = -1; ey <= count[1]; ey++)
    for (hb_local ex = -1; ex <= count[0]; ex++) {
      hb_local *element = group.element[group.count];
      if (!hb_audit_has_element(mesh, 1, ey) || !hb_audit_has_element(mesh, 0, ex)) continue;
      element[0] = ex, element[1] = ey, element[2] = ez;
      if (++group.count < sweep->audit.lanes) continue;
      HB_TRY(hb_audit_add_group(sweep, &group));
      group.count = 0;
    }
  if (group.count > 0) HB_TRY(hb_audit_add_group(sweep, &group));
done:
  return status;
}

/* u, and f, at a lattice point of the rank; where the mesh is not deformed the axes' terms are in
 * tables. */
static double exact_at(const struct hb_audit_sweep *sweep, const hb_local c[3], double *f) {
  const struct hb_solver *solver = sweep->court->solver;
  const int degree = solver->mesh->box.degree;
  const struct hb_box_axis_value *v[3];
  const struct hb_problem_axis *term[3];
  double x[3];
  for (int a = 0; a < 3; a++) {
    v[a] = sweep->axis[a] + degree + 1 + c[a] + sweep->element[a][c[a]];
    if (sweep->term[0] != NULL) term[a] = sweep->term[a] + c[a];
  }
  hb_box_position(&solver->mesh->box, v[0], v[1], v[2], x);
  return sweep->term[0] == NULL ? hb_problem_exact(&solver->plan->problem, x, NULL, f)
                                : hb_problem_combine(&solver->plan->problem, term, x, NULL, f);
}

/* Is the solution given at a lattice point of the rank? */
static bool is_dirichlet(const struct hb_audit_sweep *sweep, const hb_local c[3]) {
  const struct hb_mesh *mesh = sweep->court->solver->mesh;
  for (int a = 0; a < 3; a++) {
    const hb_global g = mesh->partition.start[a] * mesh->box.degree + c[a];
    if (mesh->box.boundary[a] == HB_DIRICHLET && (g == 0 || g == sweep->lattice[a] - 1))
      return true;
  }
  return false;
}

static void compare_point(struct hb_audit_sweep *sweep, const hb_local c[3], hb_local number,
                          ptrdiff_t from) {
  struct hb_court *court = sweep->court;
  const struct hb_solver *solver = court->solver;
  const enum hb_precision precision = solver->op->precision;
  const struct hb_audit_layer *layer = &sweep->layer;
  const bool dirichlet = is_dirichlet(sweep, c);
  const double w = hb_real_at(precision, court->work.w, number);
  const double b = hb_real_at(precision, solver->b, number);
  double right = 0.0, size = 1.0, f;
  court->exact[number] = exact_at(sweep, c, &f);
  if (!dirichlet) {
    right = layer->mass[from] * f + layer->b[from];
    size = layer->mass[from] * sweep->source_scale + layer->b_magnitude[from];
  }
  court->wrong_mask += dirichlet != sweep->masked[number];
  court->worst_product = hb_max(court->worst_product,
                                hb_scaled_difference(w, layer->w[from], layer->w_magnitude[from]));
  court->worst_right_side = hb_max(court->worst_right_side, hb_scaled_difference(b, right, size));
}

/* One plane of the lattice, all of whose elements have been added. */
static void compare_plane(struct hb_audit_sweep *sweep, hb_local z, ptrdiff_t from) {
  const struct hb_numbering *numbering = sweep->court->solver->mesh->numbering;
  const hb_local *size = numbering->lattice_size;
  const hb_local *number = numbering->lattice + (ptrdiff_t)z * size[1] * size[0];
  hb_local c[3] = {0, 0, z};
  for (c[1] = 0; c[1] < size[1]; c[1]++)
    for (c[0] = 0; c[0] < size[0]; c[0]++, number++, from++) compare_point(sweep, c, *number, from);
}

/* Layer after layer; the last plane of one is the first of the next. */
static enum hb_status sweep_run(struct hb_audit_sweep *sweep) {
  enum hb_status status = HB_OK;
  const struct hb_mesh *mesh = sweep->court->solver->mesh;
  const int degree = mesh->box.degree;
  const hb_local *size = mesh->numbering->lattice_size;
  const size_t plane = (size_t)size[0] * (size_t)size[1];
  double *const sums[NUM_SUMS] = {sweep->layer.w, sweep->layer.w_magnitude, sweep->layer.mass,
                                  sweep->layer.b, sweep->layer.b_magnitude};
  for (int s = 0; s < NUM_SUMS; s++)
    memset(sums[s], 0, plane * (size_t)(degree + 1) * sizeof(double));
  for (hb_local ez = -1; ez <= mesh->partition.count[2]; ez++) {
    HB_TRY(add_layer(sweep, ez));
    for (int k = 0; k < degree; k++) {
      const hb_local z = ez * degree + k;
      if (z >= 0 && z < size[2]) compare_plane(sweep, z, (ptrdiff_t)plane * k);
    }
    for (int s = 0; s < NUM_SUMS; s++) {
      memcpy(sums[s], sums[s] + plane * (size_t)degree, plane * sizeof(double));
      memset(sums[s] + plane, 0, plane * (size_t)degree * sizeof(double));
    }
  }
done:
  return status;
}

enum hb_status hb_gate_find_set_up(struct hb_court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  struct hb_audit_sweep sweep;
  hb_gate_set_random(solver, court->gates->seed + 4, false, court->work.u);
  hb_operator_multiply(solver->op, HB_OPERATOR_UNMASKED, court->work.u, court->work.w);
  HB_TRY(sweep_create(court, &sweep));
  HB_TRY(sweep_run(&sweep));
done:
  sweep_destroy(&sweep);
  status = hb_comm_agree(solver->plan->comm, status);
  if (status != HB_OK) return status;
  hb_comm_max(solver->plan->comm, 1, &court->wrong_mask);
  hb_comm_max(solver->plan->comm, 1, &court->worst_factor);
  hb_comm_max(solver->plan->comm, 1, &court->worst_product);
  hb_comm_max(solver->plan->comm, 1, &court->worst_right_side);
  return status;
}

enum hb_status hb_gate_audit(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  const double epsilon = hb_precision_epsilon(solver->op->precision);
  const double geometry = hb_gate_geometry_rounding(solver->mesh) + hb_gate_forming(court);
  const double rounding = ROUNDING * epsilon;
  hb_gate_judge(court->gates, HB_GATE_MASK, court->wrong_mask, 0.0);
  hb_gate_judge(court->gates, HB_GATE_FACTORS, court->worst_factor, 4.0 * epsilon + geometry);
  hb_gate_judge(court->gates, HB_GATE_ASSEMBLY, court->worst_product, rounding + geometry);
  hb_gate_judge(court->gates, HB_GATE_RIGHT_SIDE, court->worst_right_side, rounding + geometry);
  return HB_OK;
}
