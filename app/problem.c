/* SPDX-License-Identifier: BSD-3-Clause
 * The exact solution, its coefficients and source as functions of position. */
#include "app/problem.h"

#include <math.h>

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

enum hb_status hb_problem_visit_points(const struct hb_problem *problem, const struct hb_mesh *mesh,
                                       hb_problem_visit *visit, void *context) {
  enum hb_status status = HB_OK;
  const hb_local *size = mesh->numbering->lattice_size, *number = mesh->numbering->lattice;
  const bool separable = mesh->box.deformation == HB_UNDEFORMED;
  struct hb_problem_axis *table[3] = {NULL, NULL, NULL}, term[3];
  double x[3], source = 0.0;
  hb_local c[3];
  if (separable) HB_TRY(tabulate(problem, mesh, table));
  for (c[2] = 0; c[2] < size[2]; c[2]++)
    for (c[1] = 0; c[1] < size[1]; c[1]++)
      for (c[0] = 0; c[0] < size[0]; c[0]++, number++) {
        const struct hb_problem_axis *axis[3];
        hb_positions_at(mesh->positions, c, x);
        for (int a = 0; a < 3; a++) {
          axis[a] = separable ? &table[a][c[a]] : &term[a];
          if (separable) continue;
          term[a] = hb_problem_axis(problem, a, x[a]);
          hb_problem_axis_waves(problem, a, x[a], &term[a]);
        }
        const double u = hb_problem_combine(problem, axis, NULL, &source);
        visit(context, *number, u, source);
      }
done:
  for (int a = 0; a < 3; a++) hb_free(table[a]);
  return status;
}

void hb_problem_lifting(const struct hb_problem *problem, const struct hb_mesh *mesh,
                        double *values) {
  const struct hb_numbering *numbering = mesh->numbering;
  const hb_local *size = numbering->lattice_size, *number = numbering->lattice;
  hb_local c[3];
  for (hb_local s = 0; s < numbering->num_points; s++) values[s] = 0.0;
  for (hb_local s = 0; s < numbering->num_masked; s++) values[numbering->masked[s]] = 1.0;
  for (c[2] = 0; c[2] < size[2]; c[2]++)
    for (c[1] = 0; c[1] < size[1]; c[1]++)
      for (c[0] = 0; c[0] < size[0]; c[0]++, number++) {
        double x[3];
        if (values[*number] == 0.0) continue;
        hb_positions_at(mesh->positions, c, x);
        values[*number] = hb_problem_exact(problem, x, NULL, NULL);
      }
}
