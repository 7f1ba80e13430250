/* SPDX-License-Identifier: BSD-3-Clause
 * Gates: mask, factors, assembled operator and right-hand side are those that the audit
 * (kernels/helmholtz/audit.h) forms anew from the positions, at every point of every rank. */
#include "app/gate_audit.h"

#include <string.h>

#include "kernels/helmholtz/compare.h"
#include "kernels/random.h"
#include "kernels/threads.h"

enum {
  NUM_SUMS = 5,
  W_MAGNITUDE = 1,
  NUM_OF_POINTS = 5
}; /* of a layer, and of what depends on a point alone */
/* Of what enters an entry, in units of epsilon: right runs of degree 1 were at most half of it, of
 * higher degrees, where not all terms are as large as the largest, far less. */
static const double ROUNDING = 16.0;

/* s of the axis' terms, and the terms, of elements -1 .. count. */
enum hb_status hb_audit_tabulate_elements(const struct hb_mesh *mesh, int axis,
                                          struct hb_audit_axis *table) {
  enum hb_status status = HB_OK;
  const int n = mesh->gll.n;
  const hb_global elements = mesh->box.elements[axis];
  const hb_local count = mesh->partition.count[axis];
  table->begin = hb_audit_has_element(mesh, axis, -1) ? -1 : 0;
  table->end = hb_audit_has_element(mesh, axis, count) ? count + 1 : count;
  HB_ALLOC(table->value, (hb_global)(count + 2) * n, "audit, positions along an axis");
  for (hb_local e = -1; e <= count; e++)
    for (int i = 0; i < n && hb_audit_has_element(mesh, axis, e); i++) {
      const hb_global global = (mesh->partition.start[axis] + e + elements) % elements;
      const double s = ((double)global + 0.5 * (1.0 + mesh->gll.nodes[i])) / (double)elements;
      hb_box_axis(&mesh->box, axis, i == n - 1 && global == elements - 1 ? 1.0 : s,
                  &table->value[(e + 1) * n + i]);
    }
done:
  return status;
}

/* By lattice coordinate: its number in the box, the position's terms, from one of the rank's own
 * elements where there is one, and the solution's, used where no other axis has a say in x. */
static enum hb_status tabulate(const struct hb_solver *solver, int axis, const hb_global *lattice,
                               struct hb_audit_axis *table) {
  enum hb_status status = HB_OK;
  const struct hb_mesh *mesh = solver->mesh;
  const struct hb_problem *problem = &solver->plan->problem;
  const int degree = mesh->box.degree;
  const hb_local count = mesh->partition.count[axis];
  HB_TRY(hb_audit_tabulate_elements(mesh, axis, table));
  table->size = (table->end - table->begin) * degree + 1;
  HB_ALLOC(table->at, table->size, "audit, points along an axis");
  HB_ALLOC(table->term, table->size, "audit, points along an axis");
  HB_ALLOC(table->global, table->size, "audit, points along an axis");
  for (hb_local p = 0; p < table->size; p++) {
    const hb_local c = p + table->begin * degree;
    const hb_local e = c < 0                ? -1
                       : c > count * degree ? count
                       : c < count * degree ? c / degree
                                            : count - 1;
    const struct hb_box_axis_value *value = &table->value[(e + 1) * (degree + 1) + c - e * degree];
    const double x = mesh->box.length[axis] * value->base;
    table->at[p] = *value;
    table->term[p] = hb_problem_axis(problem, axis, x);
    hb_problem_axis_waves(problem, axis, x, &table->term[p]);
    table->global[p] = (mesh->partition.start[axis] * degree + c + lattice[axis]) % lattice[axis];
  }
done:
  return status;
}

/* No |f| of problem.h is larger than the sum of what its terms can be. */
double hb_audit_largest_source(const struct hb_problem *problem) {
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

static enum hb_status tables_create(struct hb_court *court, struct hb_audit_tables *tables) {
  enum hb_status status = HB_OK;
  const struct hb_mesh *mesh = court->solver->mesh;
  const struct hb_numbering *numbering = mesh->numbering;
  *tables = (struct hb_audit_tables){.court = court};
  hb_box_lattice(&mesh->box, tables->lattice);
  tables->source_scale = hb_audit_largest_source(&court->solver->plan->problem);
  for (int a = 0; a < 3; a++) HB_TRY(tabulate(court->solver, a, tables->lattice, &tables->axis[a]));
  HB_ALLOC(tables->position, numbering->num_elements, "audit, positions of elements");
  HB_ALLOC(tables->masked, numbering->num_points, "audit, mask");
  memset(tables->masked, 0, (size_t)numbering->num_points * sizeof *tables->masked);
  for (hb_local p = 0; p < numbering->num_elements; p++)
    tables->position[numbering->element[p]] = p;
  for (hb_local s = 0; s < numbering->num_masked; s++) tables->masked[numbering->masked[s]] = true;
done:
  return status;
}

static void tables_destroy(struct hb_audit_tables *tables) {
  for (int a = 0; a < 3; a++) {
    hb_free(tables->axis[a].value);
    hb_free(tables->axis[a].at);
    hb_free(tables->axis[a].term);
    hb_free(tables->axis[a].global);
  }
  hb_free(tables->position);
  hb_free(tables->masked);
}

/* Points of a plane of sums, and of what depends on a point alone. */
static hb_global plane_of_sums(const struct hb_numbering *numbering) {
  return (hb_global)numbering->lattice_size[0] * numbering->lattice_size[1];
}
static ptrdiff_t plane_of_points(const struct hb_audit_tables *tables) {
  return (ptrdiff_t)tables->axis[0].size * tables->axis[1].size;
}

static void list_sums(const struct hb_audit_layer *layer, double *sums[NUM_SUMS]) {
  double *const all[NUM_SUMS] = {layer->w, layer->w_magnitude, layer->mass, layer->b,
                                 layer->b_magnitude};
  memcpy(sums, all, sizeof all);
}

static enum hb_status sweep_create(const struct hb_audit_tables *tables,
                                   struct hb_audit_sweep *sweep) {
  enum hb_status status = HB_OK;
  const struct hb_mesh *mesh = tables->court->solver->mesh;
  const struct hb_numbering *numbering = mesh->numbering;
  const int n = mesh->gll.n, points = hb_points_per_element(n);
  const hb_global sums = (n + 2) * plane_of_sums(numbering);
  const hb_global of_points = n * (hb_global)plane_of_points(tables);
  const hb_local elements =
      numbering->num_elements < HB_AUDIT_WINDOW ? numbering->num_elements : HB_AUDIT_WINDOW;
  HB_TRY(hb_audit_create(n, mesh->gll.D, mesh->gll.weights, &sweep->audit));
  HB_ALLOC(sweep->layer.w, sums, "audit, a layer");
  HB_ALLOC(sweep->layer.w_magnitude, sums, "audit, a layer");
  HB_ALLOC(sweep->layer.mass, sums, "audit, a layer");
  HB_ALLOC(sweep->layer.b, sums, "audit, a layer");
  HB_ALLOC(sweep->layer.b_magnitude, sums, "audit, a layer");
  HB_ALLOC(sweep->points.h1, of_points, "audit, points of a layer");
  HB_ALLOC(sweep->points.h2, of_points, "audit, points of a layer");
  HB_ALLOC(sweep->points.v, of_points, "audit, points of a layer");
  HB_ALLOC(sweep->points.exact, of_points, "audit, points of a layer");
  HB_ALLOC(sweep->points.source, of_points, "audit, points of a layer");
  for (int w = 0; w < 2; w++)
    HB_ALLOC(sweep->window[w].factors, (hb_global)elements * HB_MAX_FACTORS * points,
             "audit, factors");
  const hb_global values = (hb_global)points * sweep->audit.lanes;
  HB_ALLOC(sweep->lifted, values, "audit, lifting");
  HB_ALLOC(sweep->used, values * HB_MAX_FACTORS, "audit, factors of a group");
  memset(sweep->used, 0, (size_t)values * HB_MAX_FACTORS * sizeof *sweep->used);
done:
  return status;
}

static void sweep_destroy(struct hb_audit_sweep *sweep) {
  const struct hb_audit_points *points = &sweep->points;
  double *sums[NUM_SUMS];
  list_sums(&sweep->layer, sums);
  hb_audit_free(&sweep->audit);
  for (int s = 0; s < NUM_SUMS; s++) hb_free(sums[s]);
  hb_free(points->h1);
  hb_free(points->h2);
  hb_free(points->v);
  hb_free(points->exact);
  hb_free(points->source);
  for (int w = 0; w < 2; w++) hb_free(sweep->window[w].factors);
  hb_free(sweep->lifted);
  hb_free(sweep->used);
}

/* Slabs of the sweep: one for each thread, of at least two layers. */
static int num_slabs(const struct hb_comm *comm, const struct hb_partition *partition) {
  const hb_local most = partition->count[2] / 2 > 1 ? partition->count[2] / 2 : 1;
  return most < comm->threads ? (int)most : comm->threads;
}

/* As tables_create and sweep_create allocate. */
hb_global hb_gate_audit_bytes(const struct hb_plan *plan) {
  const struct hb_partition *partition = &plan->partition;
  const hb_global n = plan->box.degree + 1;
  hb_local size[3];
  hb_numbering_lattice_size(&plan->box, partition, size);
  const hb_global around =
      ((partition->count[0] + 2) * (n - 1) + 1) * ((partition->count[1] + 2) * (n - 1) + 1);
  const hb_global slab = NUM_SUMS * (n + 2) * size[0] * size[1] + NUM_OF_POINTS * n * around;
  return num_slabs(plan->comm, partition) * slab * (hb_global)sizeof(double) +
         (hb_global)partition->num_elements * (hb_global)sizeof(hb_local) +
         hb_plan_points(plan) * (hb_global)sizeof(bool);
}

/* The solution's terms at a point of the sweep. */
static void find_terms(const struct hb_audit_tables *tables, hb_local x, hb_local y, hb_local z,
                       struct hb_problem_axis term[3]) {
  const struct hb_solver *solver = tables->court->solver;
  const struct hb_audit_axis *axis = tables->axis;
  double position[3];
  hb_box_position(&solver->mesh->box, &axis[0].at[x], &axis[1].at[y], &axis[2].at[z], position);
  for (int a = 0; a < 3; a++) {
    term[a] = hb_problem_axis(&solver->plan->problem, a, position[a]);
    hb_problem_axis_waves(&solver->plan->problem, a, position[a], &term[a]);
  }
}

/* Points of plane k of layer ez. */
static void find_points(struct hb_audit_sweep *sweep, hb_local ez, int k) {
  const struct hb_audit_tables *tables = sweep->tables;
  const struct hb_audit_axis *axis = tables->axis;
  const struct hb_solver *solver = tables->court->solver;
  const struct hb_problem *problem = &solver->plan->problem;
  const struct hb_audit_points *points = &sweep->points;
  const bool separable = solver->mesh->box.deformation == HB_UNDEFORMED;
  const int64_t seed = tables->court->gates->seed + 4;
  const hb_local z = (ez - axis[2].begin) * solver->mesh->box.degree + k;
  ptrdiff_t to = plane_of_points(tables) * k;
  struct hb_problem_axis term[3];
  const struct hb_problem_axis *of[3] = {&term[0], &term[1], &term[2]};
  if (separable) of[2] = &axis[2].term[z];
  for (hb_local y = 0; y < axis[1].size; y++) {
    const hb_global row =
        tables->lattice[0] * (axis[1].global[y] + tables->lattice[1] * axis[2].global[z]);
    if (separable) of[1] = &axis[1].term[y];
    for (hb_local x = 0; x < axis[0].size; x++, to++) {
      points->v[to] = hb_random_at(axis[0].global[x] + row, seed);
      if (separable)
        of[0] = &axis[0].term[x];
      else
        find_terms(tables, x, y, z, term);
      hb_problem_combine_waves(problem, of, &points->h1[to], &points->h2[to]);
      points->exact[to] = hb_problem_combine(problem, of, NULL, &points->source[to]);
    }
  }
}

/* Elements of layer ez, in groups. */
static enum hb_status add_layer(struct hb_audit_sweep *sweep, hb_local ez) {
  enum hb_status status = HB_OK;
  const struct hb_audit_axis *axis = sweep->tables->axis;
  struct hb_audit_group group = {.count = 0};
  for (hb_local ey = axis[1].begin; ey < axis[1].end; ey++)
    for (hb_local ex = axis[0].begin; ex < axis[0].end; ex++) {
      hb_local *element = group.element[group.count];
      element[0] = ex, element[1] = ey, element[2] = ez;
      if (++group.count < sweep->audit.lanes) continue;
      HB_TRY(hb_audit_add_group(sweep, &group));
      group.count = 0;
    }
  if (group.count > 0) HB_TRY(hb_audit_add_group(sweep, &group));
done:
  return status;
}

/* Is the solution given at a lattice point of the rank? */
static bool is_dirichlet(const struct hb_audit_sweep *sweep, const hb_local c[3]) {
  const struct hb_mesh *mesh = sweep->tables->court->solver->mesh;
  for (int a = 0; a < 3; a++) {
    const hb_global g = mesh->partition.start[a] * mesh->box.degree + c[a];
    if (mesh->box.boundary[a] == HB_DIRICHLET && (g == 0 || g == sweep->tables->lattice[a] - 1))
      return true;
  }
  return false;
}

/* from: the point in the layer's sums, at: among the layer's points. */
static void compare_point(struct hb_audit_sweep *sweep, const hb_local c[3], hb_local number,
                          ptrdiff_t from, ptrdiff_t at) {
  struct hb_court *court = sweep->tables->court;
  const struct hb_solver *solver = court->solver;
  const enum hb_precision precision = solver->op->precision;
  const struct hb_audit_layer *layer = &sweep->layer;
  const bool dirichlet = is_dirichlet(sweep, c);
  const double w = hb_real_at(precision, court->work.w, number);
  const double b = hb_real_at(precision, solver->b, number);
  double right = 0.0, size = 1.0;
  court->exact[number] = sweep->points.exact[at];
  if (!dirichlet) {
    right = layer->mass[from] * sweep->points.source[at] + layer->b[from];
    size = layer->mass[from] * sweep->tables->source_scale + layer->b_magnitude[from];
  }
  sweep->wrong_mask += dirichlet != sweep->tables->masked[number];
  sweep->worst_product = hb_max(sweep->worst_product,
                                hb_scaled_difference(w, layer->w[from], layer->w_magnitude[from]));
  sweep->worst_right_side = hb_max(sweep->worst_right_side, hb_scaled_difference(b, right, size));
}

/* One plane of the rank's lattice, all of whose elements have been added: plane `sums` of the
 * layer's, whose points are plane `points`. */
static void compare_plane(struct hb_audit_sweep *sweep, hb_local z, int sums, int points) {
  const struct hb_audit_axis *axis = sweep->tables->axis;
  const struct hb_numbering *numbering = sweep->tables->court->solver->mesh->numbering;
  const int degree = numbering->n - 1;
  const hb_local *size = numbering->lattice_size;
  const hb_local *number = numbering->lattice + (ptrdiff_t)z * size[1] * size[0];
  ptrdiff_t from = (ptrdiff_t)plane_of_sums(numbering) * sums;
  hb_local c[3] = {0, 0, z};
  for (c[1] = 0; c[1] < size[1]; c[1]++) {
    ptrdiff_t at = plane_of_points(sweep->tables) * points;
    at += (ptrdiff_t)(c[1] - axis[1].begin * degree) * axis[0].size - axis[0].begin * degree;
    for (c[0] = 0; c[0] < size[0]; c[0]++, number++, from++, at++)
      compare_point(sweep, c, *number, from, at);
  }
}

/* The first plane of a layer += what the layer before has left there. */
static void add_carried(const struct hb_audit_sweep *sweep, const struct hb_audit_sweep *before,
                        int first) {
  const struct hb_numbering *numbering = sweep->tables->court->solver->mesh->numbering;
  const ptrdiff_t plane = (ptrdiff_t)plane_of_sums(numbering);
  double *to[NUM_SUMS], *from[NUM_SUMS];
  list_sums(&sweep->layer, to);
  list_sums(&before->layer, from);
  for (int s = 0; s < NUM_SUMS; s++)
    for (ptrdiff_t i = 0; i < plane; i++) {
      double *sum = &to[s][first * plane + i];
      const double carried = from[s][numbering->n * plane + i];
      *sum = s == W_MAGNITUDE ? hb_max(*sum, carried) : *sum + carried;
    }
}

/* Copies a plane of sums to another. */
static void keep_plane(const struct hb_audit_sweep *sweep, int from, int to) {
  const ptrdiff_t plane = (ptrdiff_t)plane_of_sums(sweep->tables->court->solver->mesh->numbering);
  double *sums[NUM_SUMS];
  list_sums(&sweep->layer, sums);
  for (int s = 0; s < NUM_SUMS; s++)
    memcpy(sums[s] + plane * to, sums[s] + plane * from, (size_t)plane * sizeof(double));
}

/* The last plane of the layer's points is the first of the next. */
static void keep_points(const struct hb_audit_sweep *sweep) {
  const struct hb_audit_points *points = &sweep->points;
  const ptrdiff_t plane = plane_of_points(sweep->tables);
  const int degree = sweep->tables->court->solver->mesh->box.degree;
  double *const all[NUM_OF_POINTS] = {points->h1, points->h2, points->v, points->exact,
                                      points->source};
  for (int p = 0; p < NUM_OF_POINTS; p++)
    memcpy(all[p], all[p] + plane * degree, (size_t)plane * sizeof(double));
}

/* One layer: its points, the first of which the layer before has found, its elements, and the
 * comparison, but for the last plane, which the next layer shares.  A slab's first plane waits for
 * the slab before. */
static enum hb_status run_layer(struct hb_audit_sweep *sweep, hb_local ez) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = sweep->tables->court->solver->mesh->numbering;
  const int n = numbering->n, degree = n - 1;
  const hb_global plane = plane_of_sums(numbering);
  double *sums[NUM_SUMS];
  list_sums(&sweep->layer, sums);
  for (int s = 0; s < NUM_SUMS; s++) memset(sums[s], 0, (size_t)(plane * n) * sizeof(double));
  if (ez == sweep->begin)
    find_points(sweep, ez, 0);
  else
    keep_points(sweep);
  for (int k = 1; k < n; k++) find_points(sweep, ez, k);
  HB_TRY(add_layer(sweep, ez));
  if (ez == sweep->begin)
    keep_plane(sweep, 0, n + 1);
  else
    add_carried(sweep, sweep, 0);
  for (int k = ez == sweep->begin; k < degree; k++) {
    const hb_local z = ez * degree + k;
    if (z >= 0 && z < numbering->lattice_size[2]) compare_plane(sweep, z, k, k);
  }
  keep_plane(sweep, degree, n);
done:
  return status;
}

static void run_slab(void *context, int slab) {
  struct hb_audit_sweep *sweep = (struct hb_audit_sweep *)context + slab;
  for (hb_local ez = sweep->begin; ez < sweep->end && sweep->status == HB_OK; ez++)
    sweep->status = run_layer(sweep, ez);
}

/* The planes between slabs, and the last of all. */
static void join_slabs(void *context, int slab) {
  struct hb_audit_sweep *sweeps = context, *sweep = sweeps + slab;
  const struct hb_numbering *numbering = sweep->tables->court->solver->mesh->numbering;
  const int n = numbering->n;
  const hb_local first = sweep->begin * (n - 1), last = sweep->end * (n - 1);
  if (slab > 0) add_carried(sweep, sweep - 1, n + 1);
  if (first >= 0) {
    find_points(sweep, sweep->begin, 0);
    compare_plane(sweep, first, n + 1, 0);
  }
  if (sweep->end < sweep->tables->axis[2].end || last >= numbering->lattice_size[2]) return;
  find_points(sweep, sweep->end - 1, n - 1);
  compare_plane(sweep, last, n, n - 1);
}

/* The sweep of all layers, in slabs of consecutive ones, a thread each.  What is added to what does
 * not depend on their number: a layer's own part of a plane, and then that of the layer before. */
static enum hb_status run_sweeps(struct hb_audit_tables *tables, int count,
                                 struct hb_audit_sweep *sweeps) {
  enum hb_status status = HB_OK;
  struct hb_court *court = tables->court;
  const struct hb_audit_axis *axis = &tables->axis[2];
  const hb_global layers = axis->end - axis->begin;
  for (int s = 0; s < count; s++) {
    sweeps[s].tables = tables;
    sweeps[s].begin = axis->begin + (hb_local)(layers * s / count);
    sweeps[s].end = axis->begin + (hb_local)(layers * (s + 1) / count);
    HB_TRY(sweep_create(tables, &sweeps[s]));
  }
  hb_threads_run(count, count, run_slab, sweeps);
  for (int s = 0; s < count; s++) HB_TRY(sweeps[s].status);
  hb_threads_run(count, count, join_slabs, sweeps);
  for (int s = 0; s < count; s++) {
    court->wrong_mask += sweeps[s].wrong_mask;
    court->worst_factor = hb_max(court->worst_factor, sweeps[s].worst_factor);
    court->worst_product = hb_max(court->worst_product, sweeps[s].worst_product);
    court->worst_right_side = hb_max(court->worst_right_side, sweeps[s].worst_right_side);
  }
done:
  return status;
}

enum hb_status hb_gate_audit_host(struct hb_court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  const int count = num_slabs(solver->plan->comm, &solver->mesh->partition);
  struct hb_audit_sweep sweeps[HB_MAX_THREADS] = {{.tables = NULL}};
  struct hb_audit_tables tables;
  HB_TRY(tables_create(court, &tables));
  HB_TRY(run_sweeps(&tables, count, sweeps));
done:
  for (int s = 0; s < count; s++) sweep_destroy(&sweeps[s]);
  tables_destroy(&tables);
  return status;
}

enum hb_status hb_gate_find_set_up(struct hb_court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  court->place->set(court, HB_LATTICE_RANDOM, court->gates->seed + 4, court->work.u);
  court->place->multiply(court, HB_OPERATOR_UNMASKED, court->work.u, court->work.w);
  HB_TRY(hb_comm_agree(solver->plan->comm, court->place->audit(court)));
  hb_comm_max(solver->plan->comm, 1, &court->wrong_mask);
  hb_comm_max(solver->plan->comm, 1, &court->worst_factor);
  hb_comm_max(solver->plan->comm, 1, &court->worst_product);
  hb_comm_max(solver->plan->comm, 1, &court->worst_right_side);
done:
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
