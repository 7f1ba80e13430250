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
  bool dirichlet = false;
  *problem = (struct hb_problem){
      .h1 = h1, .h2 = h2, .h1_variation = h1_variation, .h2_variation = h2_variation};
  for (int a = 0; a < 3; a++) {
    dirichlet = dirichlet || box->boundary[a] == HB_DIRICHLET;
    problem->periodic[a] = box->boundary[a] == HB_PERIODIC;
    problem->length[a] = box->length[a];
    problem->offset[a] = OFFSET[a];
    problem->phase[a] = PHASE[a];
    problem->wave_number[a] = box->boundary[a] == HB_PERIODIC ? TWO_PI : WAVE_NUMBER[a];
  }
  if (!dirichlet && !(h2 > 0.0))
    HB_FAIL(HB_BAD_INPUT,
            "h2 = %g with boundaries %s, %s, %s: the problem is singular; allowed are h2 > 0 or "
            "an axis with dirichlet",
            h2, hb_boundary_name(box->boundary[0]), hb_boundary_name(box->boundary[1]),
            hb_boundary_name(box->boundary[2]));
done:
  return status;
}

/* x_a over l_a; the far face of a periodic axis is the near one, to the last bit. */
static double fraction(const struct hb_problem *problem, const double x[3], int a) {
  return problem->periodic[a] && x[a] == problem->length[a] ? 0.0 : x[a] / problem->length[a];
}

/* v_q(x) and, if not NULL, its gradient. */
static double variation(const struct hb_problem *problem, int q, const double x[3],
                        double gradient[3]) {
  double sine[3], cosine[3];
  for (int a = 0; a < 3; a++)
    sincos(TWO_PI * fraction(problem, x, a) + COEFFICIENT_PHASE[q][a], &sine[a], &cosine[a]);
  for (int a = 0; a < 3 && gradient != NULL; a++)
    gradient[a] =
        -TWO_PI / problem->length[a] * sine[a] * cosine[(a + 1) % 3] * cosine[(a + 2) % 3];
  return cosine[0] * cosine[1] * cosine[2];
}

void hb_problem_coefficients(const struct hb_problem *problem, const double x[3], double *h1,
                             double *h2) {
  *h1 = problem->h1;
  *h2 = problem->h2;
  if (problem->h1_variation != 0.0)
    *h1 *= 1.0 + problem->h1_variation * variation(problem, 0, x, NULL);
  if (problem->h2_variation != 0.0)
    *h2 *= 1.0 + problem->h2_variation * variation(problem, 1, x, NULL);
}

double hb_problem_exact(const struct hb_problem *problem, const double x[3], double gradient[3],
                        double *source) {
  double u[3], du[3], ddu[3]; /* U_a and its derivatives by x_a */
  for (int a = 0; a < 3; a++) {
    const double k = problem->wave_number[a] / problem->length[a];
    double sine, cosine;
    sincos(problem->wave_number[a] * fraction(problem, x, a) + problem->phase[a], &sine, &cosine);
    u[a] = problem->offset[a] + sine;
    du[a] = k * cosine;
    ddu[a] = -k * k * sine;
  }
  const double value = u[0] * u[1] * u[2];
  const double slope[3] = {du[0] * u[1] * u[2], u[0] * du[1] * u[2], u[0] * u[1] * du[2]};
  for (int a = 0; a < 3 && gradient != NULL; a++) gradient[a] = slope[a];
  if (source != NULL) {
    double h1, h2, dv[3] = {0.0, 0.0, 0.0};
    hb_problem_coefficients(problem, x, &h1, &h2);
    if (problem->h1_variation != 0.0) variation(problem, 0, x, dv);
    const double laplace = ddu[0] * u[1] * u[2] + u[0] * ddu[1] * u[2] + u[0] * u[1] * ddu[2];
    const double drift = dv[0] * slope[0] + dv[1] * slope[1] + dv[2] * slope[2];
    *source = h2 * value - h1 * laplace - problem->h1 * problem->h1_variation * drift;
  }
  return value;
}

void hb_problem_exact_vector(const struct hb_problem *problem, const struct hb_mesh *mesh,
                             bool masked_only, double *values) {
  const struct hb_numbering *numbering = mesh->numbering;
  const hb_local *size = numbering->lattice_size;
  const hb_local *number = numbering->lattice;
  hb_local c[3];
  if (masked_only) {
    for (hb_local s = 0; s < numbering->num_points; s++) values[s] = 0.0;
    for (hb_local s = 0; s < numbering->num_masked; s++) values[numbering->masked[s]] = 1.0;
  }
  for (c[2] = 0; c[2] < size[2]; c[2]++)
    for (c[1] = 0; c[1] < size[1]; c[1]++)
      for (c[0] = 0; c[0] < size[0]; c[0]++, number++) {
        double x[3];
        if (masked_only && values[*number] == 0.0) continue;
        hb_geometry_position(mesh->geometry, c, x);
        values[*number] = hb_problem_exact(problem, x, NULL, NULL);
      }
}
