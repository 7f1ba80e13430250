/* SPDX-License-Identifier: BSD-3-Clause
 * The exact solution, its coefficients and source as functions of position. */
#include "app/problem.h"

#include <math.h>

#include "app/vector_passes.h"
#include "kernels/threads.h"

static const double TWO_PI = 6.28318530717958647692528676655900577;
static const double OFFSET[3] = {0.5, 0.8, 0.3};
static const double PHASE[3] = {0.3, 0.7, 1.1};
static const double WAVE_NUMBER[3] = {2.1, 2.9, 1.7}; /* where the axis is not periodic */
static const double COEFFICIENT_PHASE[2][3] = {{0.2, 0.5, 0.9}, {1.3, 0.1, 0.6}};

enum hb_status hb_problem_init(const struct hb_box *box, double h1, double h2, double h1_variation,
                               double h2_variation, struct hb_problem *problem) {
  enum hb_status status = HB_OK;
  *problem = (struct hb_problem){
      .h1 = h1, .h2 = h2, .h1_variation = h1_variation, .h2_variation = h2_variation};
  for (int a = 0; a < 3; a++) {
    problem->periodic[a] = box->boundary[a] == HB_PERIODIC;
    problem->length[a] = box->length[a];
    problem->offset[a] = OFFSET[a];
    problem->phase[a] = PHASE[a];
    problem->wave_number[a] = box->boundary[a] == HB_PERIODIC ? TWO_PI : WAVE_NUMBER[a];
  }
  if (!hb_box_has_dirichlet(box) && !(h2 > 0.0))
    HB_FAIL(HB_BAD_INPUT,
            "h2 = %g with boundaries %s, %s, %s: the problem is singular; allowed are h2 > 0 or "
            "an axis with dirichlet",
            h2, hb_boundary_name(box->boundary[0]), hb_boundary_name(box->boundary[1]),
            hb_boundary_name(box->boundary[2]));
done:
  return status;
}

struct hb_geometry hb_problem_geometry(const struct hb_problem *problem) {
  return (struct hb_geometry){.mode = HB_GEOMETRY_STORED,
                              .factors = hb_problem_has_mass(problem) ? HB_FACTORS_WITH_MASS
                                                                      : HB_FACTORS_STIFFNESS,
                              .varying = !hb_problem_is_constant(problem),
                              .h1 = problem->h1,
                              .h2 = problem->h2};
}

struct hb_lattice_problem hb_problem_lattice(const struct hb_problem *problem) {
  struct hb_lattice_problem lattice = {.h1 = problem->h1,
                                       .h2 = problem->h2,
                                       .h1_variation = problem->h1_variation,
                                       .h2_variation = problem->h2_variation};
  for (int a = 0; a < 3; a++) {
    lattice.length[a] = problem->length[a];
    lattice.offset[a] = problem->offset[a];
    lattice.wave_number[a] = problem->wave_number[a];
    lattice.phase[a] = problem->phase[a];
    lattice.periodic[a] = problem->periodic[a];
    for (int q = 0; q < 2; q++) lattice.wave_phase[q][a] = COEFFICIENT_PHASE[q][a];
  }
  return lattice;
}

/* x_a over l_a; the far face of a periodic axis is the near one, to the last bit. */
static double fraction(const struct hb_problem *problem, int axis, double x) {
  const double length = problem->length[axis];
  return problem->periodic[axis] && x == length ? 0.0 : x / length;
}

/* The axis' part of v_q. */
static void wave(const struct hb_problem *problem, int q, int axis, double x, double *sine,
                 double *cosine) {
  sincos(TWO_PI * fraction(problem, axis, x) + COEFFICIENT_PHASE[q][axis], sine, cosine);
}

void hb_problem_axis_waves(const struct hb_problem *problem, int axis, double x,
                           struct hb_problem_axis *term) {
  double ignored;
  if (problem->h1_variation != 0.0) wave(problem, 0, axis, x, &term->sine, &term->wave[0]);
  if (problem->h2_variation != 0.0) wave(problem, 1, axis, x, &ignored, &term->wave[1]);
}

void hb_problem_combine_waves(const struct hb_problem *problem,
                              const struct hb_problem_axis *const axis[3], double *h1, double *h2) {
  *h1 = problem->h1;
  *h2 = problem->h2;
  if (problem->h1_variation != 0.0)
    *h1 *= 1.0 + problem->h1_variation * (axis[0]->wave[0] * axis[1]->wave[0] * axis[2]->wave[0]);
  if (problem->h2_variation != 0.0)
    *h2 *= 1.0 + problem->h2_variation * (axis[0]->wave[1] * axis[1]->wave[1] * axis[2]->wave[1]);
}

void hb_problem_coefficients(const struct hb_problem *problem, const double x[3], double *h1,
                             double *h2) {
  struct hb_problem_axis term[3];
  if (!hb_problem_is_constant(problem))
    for (int a = 0; a < 3; a++) hb_problem_axis_waves(problem, a, x[a], &term[a]);
  hb_problem_combine_waves(
      problem, (const struct hb_problem_axis *const[3]){&term[0], &term[1], &term[2]}, h1, h2);
}

struct hb_problem_axis hb_problem_axis(const struct hb_problem *problem, int axis, double x) {
  const double k = problem->wave_number[axis] / problem->length[axis];
  double sine, cosine;
  sincos(problem->wave_number[axis] * fraction(problem, axis, x) + problem->phase[axis], &sine,
         &cosine);
  return (struct hb_problem_axis){
      .u = problem->offset[axis] + sine, .du = k * cosine, .ddu = -k * k * sine};
}

/* Gradient of v_1. */
static void wave_slope(const struct hb_problem *problem,
                       const struct hb_problem_axis *const axis[3], double slope[3]) {
  for (int a = 0; a < 3; a++)
    slope[a] = -TWO_PI / problem->length[a] * axis[a]->sine * axis[(a + 1) % 3]->wave[0] *
               axis[(a + 2) % 3]->wave[0];
}

double hb_problem_combine(const struct hb_problem *problem,
                          const struct hb_problem_axis *const axis[3], double gradient[3],
                          double *source) {
  const struct hb_problem_axis *a = axis[0], *b = axis[1], *c = axis[2];
  const double value = a->u * b->u * c->u;
  const double slope[3] = {a->du * b->u * c->u, a->u * b->du * c->u, a->u * b->u * c->du};
  for (int d = 0; d < 3 && gradient != NULL; d++) gradient[d] = slope[d];
  if (source != NULL) {
    double h1, h2, dv[3] = {0.0, 0.0, 0.0};
    hb_problem_combine_waves(problem, axis, &h1, &h2);
    if (problem->h1_variation != 0.0) wave_slope(problem, axis, dv);
    const double laplace = a->ddu * b->u * c->u + a->u * b->ddu * c->u + a->u * b->u * c->ddu;
    const double drift = dv[0] * slope[0] + dv[1] * slope[1] + dv[2] * slope[2];
    *source = h2 * value - h1 * laplace - problem->h1 * problem->h1_variation * drift;
  }
  return value;
}

double hb_problem_exact(const struct hb_problem *problem, const double x[3], double gradient[3],
                        double *source) {
  struct hb_problem_axis term[3];
  for (int a = 0; a < 3; a++) {
    term[a] = hb_problem_axis(problem, a, x[a]);
    if (source != NULL) hb_problem_axis_waves(problem, a, x[a], &term[a]);
  }
  return hb_problem_combine(problem,
                            (const struct hb_problem_axis *const[3]){&term[0], &term[1], &term[2]},
                            gradient, source);
}

/* Axis terms of the lattice of an undeformed mesh: x_a there depends on c_a alone. */
static enum hb_status tabulate(const struct hb_problem *problem, const struct hb_mesh *mesh,
                               struct hb_problem_axis *table[3]) {
  enum hb_status status = HB_OK;
  for (int a = 0; a < 3; a++) {
    HB_ALLOC(table[a], mesh->numbering->lattice_size[a], "axis terms of the solution");
    for (hb_local i = 0; i < mesh->numbering->lattice_size[a]; i++) {
      hb_local c[3] = {0, 0, 0};
      double x[3];
      c[a] = i;
      hb_positions_at(mesh->positions, c, x);
      table[a][i] = hb_problem_axis(problem, a, x[a]);
      hb_problem_axis_waves(problem, a, x[a], &table[a][i]);
    }
  }
done:
  return status;
}

/* A visit of the rank's lattice, by planes. */
struct visiting {
  const struct hb_problem *problem;
  const struct hb_mesh *mesh;
  struct hb_problem_axis *table[3]; /* NULL where the mesh is deformed */
  hb_problem_visit *visit;
  void *context;
};

static void visit_plane(void *context, int z) {
  const struct visiting *v = context;
  const hb_local *size = v->mesh->numbering->lattice_size;
  const hb_local *number = v->mesh->numbering->lattice + (ptrdiff_t)z * size[1] * size[0];
  const bool separable = v->table[0] != NULL;
  struct hb_problem_axis term[3];
  double x[3], source = 0.0;
  hb_local c[3] = {0, 0, z};
  for (c[1] = 0; c[1] < size[1]; c[1]++)
    for (c[0] = 0; c[0] < size[0]; c[0]++, number++) {
      const struct hb_problem_axis *axis[3];
      if (!separable) hb_positions_at(v->mesh->positions, c, x);
      for (int a = 0; a < 3; a++) {
        axis[a] = separable ? &v->table[a][c[a]] : &term[a];
        if (separable) continue;
        term[a] = hb_problem_axis(v->problem, a, x[a]);
        hb_problem_axis_waves(v->problem, a, x[a], &term[a]);
      }
      const double u = hb_problem_combine(v->problem, axis, NULL, &source);
      v->visit(v->context, *number, u, source);
    }
}

enum hb_status hb_problem_visit_points(const struct hb_problem *problem, const struct hb_mesh *mesh,
                                       hb_problem_visit *visit, void *context) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = mesh->numbering;
  struct visiting v = {.problem = problem, .mesh = mesh, .visit = visit, .context = context};
  if (mesh->box.deformation == HB_UNDEFORMED) HB_TRY(tabulate(problem, mesh, v.table));
  hb_threads_run(hb_vector_threads(mesh->comm, numbering->num_points), numbering->lattice_size[2],
                 visit_plane, &v);
done:
  for (int a = 0; a < 3; a++) hb_free(v.table[a]);
  return status;
}

/* The masked points of the rank, by planes, in the order of the numbering's list. */
struct lifting {
  const struct hb_problem *problem;
  const struct hb_mesh *mesh;
  hb_local *first; /* owned: of each plane, the number of its first in the list */
  double *values;
};

static bool is_given(const struct hb_mesh *mesh, int axis, hb_local c) {
  const hb_global place = mesh->partition.start[axis] * mesh->box.degree + c;
  return mesh->box.boundary[axis] == HB_DIRICHLET &&
         (place == 0 || place == mesh->box.elements[axis] * mesh->box.degree);
}

/* values [the plane's points on Dirichlet faces]; NULL: they are only counted. */
static hb_local lift_plane(const struct lifting *lifting, hb_local z, double *values) {
  const struct hb_mesh *mesh = lifting->mesh;
  const hb_local *size = mesh->numbering->lattice_size;
  hb_local c[3] = {0, 0, z}, found = 0;
  for (c[1] = 0; c[1] < size[1]; c[1]++) {
    const bool line = is_given(mesh, 1, c[1]) || is_given(mesh, 2, z);
    const hb_local step = line || size[0] == 1 ? 1 : size[0] - 1; /* else the two ends */
    for (c[0] = 0; c[0] < size[0]; c[0] += step) {
      double x[3];
      if (!line && !is_given(mesh, 0, c[0])) continue;
      if (values != NULL) hb_positions_at(mesh->positions, c, x);
      if (values != NULL) values[found] = hb_problem_exact(lifting->problem, x, NULL, NULL);
      found++;
    }
  }
  return found;
}

static void lift_piece(void *context, int z) {
  const struct lifting *lifting = context;
  lift_plane(lifting, z, lifting->values + lifting->first[z]);
}

enum hb_status hb_problem_lifting(const struct hb_problem *problem, const struct hb_mesh *mesh,
                                  double *values) {
  enum hb_status status = HB_OK;
  const hb_local planes = mesh->numbering->lattice_size[2];
  struct lifting lifting = {.problem = problem, .mesh = mesh, .values = values};
  hb_local next = 0;
  HB_ALLOC(lifting.first, planes, "lifting");
  for (hb_local z = 0; z < planes; z++) {
    lifting.first[z] = next;
    next += lift_plane(&lifting, z, NULL);
  }
  HB_ASSERT(next == mesh->numbering->num_masked);
  hb_threads_run(hb_vector_threads(mesh->comm, next < HB_LOCAL_MAX / 64 ? 64 * next : HB_LOCAL_MAX),
                 planes, lift_piece, &lifting);
done:
  hb_free(lifting.first);
  return status;
}
