/* SPDX-License-Identifier: BSD-3-Clause
 * Interpolation error and Legendre tails on sampled elements. */
#include "app/gate_resolution.h"

#include <math.h>
#include <string.h>

#include "kernels/geometry/factors.h"
#include "kernels/helmholtz/helmholtz.h"

enum { MAX_SAMPLES = 27 };
/* From the largest interpolation error to the root mean square error of the solution; over degrees
 * 1 to 15 and all deformations the latter was at most a tenth of the former. */
static const double SAFETY = 2.0;

/* Work space for one element. */
struct sample {
  int n;
  double *x, *x_between, *f, *work[2], *mass, *factors, *ones; /* owned */
  double between[HB_MAX_N][HB_MAX_N]; /* Lagrange basis half-way between nodes */
};

static enum hb_status sample_create(const struct hb_gll *gll, struct sample *sample) {
  enum hb_status status = HB_OK;
  const int points = hb_points_per_element(gll->n);
  *sample = (struct sample){.n = gll->n};
  HB_ALLOC(sample->x, 3 * points, "sample positions");
  HB_ALLOC(sample->x_between, 3 * points, "sample positions");
  HB_ALLOC(sample->f, points, "sample values");
  HB_ALLOC(sample->work[0], points, "sample work");
  HB_ALLOC(sample->work[1], points, "sample work");
  HB_ALLOC(sample->mass, points, "sample mass");
  HB_ALLOC(sample->factors, HB_MAX_FACTORS * points, "sample factors");
  HB_ALLOC(sample->ones, points, "sample ones");
  for (int i = 0; i < points; i++) sample->ones[i] = 1.0;
  for (int i = 0; i + 1 < gll->n; i++)
    hb_gll_lagrange(gll, 0.5 * (gll->nodes[i] + gll->nodes[i + 1]), sample->between[i]);
done:
  return status;
}

static void sample_destroy(struct sample *sample) {
  hb_free(sample->x);
  hb_free(sample->x_between);
  hb_free(sample->f);
  hb_free(sample->work[0]);
  hb_free(sample->work[1]);
  hb_free(sample->mass);
  hb_free(sample->factors);
  hb_free(sample->ones);
}

/* out[k][j][i] = sum_m between[i][m] in[..m..] along an axis; only i < n - 1 is of use. */
static void interpolate_axis(const struct sample *sample, int axis, const double *in, double *out) {
  const int n = sample->n;
  const int stride = axis == 0 ? 1 : axis == 1 ? n : n * n;
  for (int point = 0; point < n * n * n; point++) {
    const int i = point / stride % n;
    out[point] = 0.0;
    for (int m = 0; m < n && i < n - 1; m++)
      out[point] += sample->between[i][m] * in[point + (m - i) * stride];
  }
}

/* values at the points half-way between nodes in all three directions, in place. */
static void interpolate(struct sample *sample, double *values) {
  const int points = hb_points_per_element(sample->n);
  interpolate_axis(sample, 0, values, sample->work[0]);
  interpolate_axis(sample, 1, sample->work[0], sample->work[1]);
  interpolate_axis(sample, 2, sample->work[1], sample->work[0]);
  for (int point = 0; point < points; point++) values[point] = sample->work[0][point];
}

/* The functions that the mesh has to resolve: u, the coefficients over their constants, the fluxes
 * h1 du/dx_a and the source, over h1 too. */
enum function {
  SOLUTION,
  COEFFICIENT_1,
  COEFFICIENT_2,
  FLUX_X,
  FLUX_Y,
  FLUX_Z,
  SOURCE,
  NUM_FUNCTIONS
};

static double function_at(const struct hb_problem *problem, enum function function, const double *x,
                          int point, int points) {
  const double position[3] = {x[point], x[points + point], x[2 * points + point]};
  double h1, h2, gradient[3], source;
  const double u = hb_problem_exact(problem, position, gradient, &source);
  hb_problem_coefficients(problem, position, &h1, &h2);
  switch (function) {
  case SOLUTION: return u;
  case COEFFICIENT_1: return h1 / problem->h1;
  case COEFFICIENT_2: return problem->h2 > 0.0 ? h2 / problem->h2 : 0.0;
  case SOURCE: return source / problem->h1;
  default: return h1 / problem->h1 * gradient[function - FLUX_X];
  }
}

/* What an interpolation error of a function makes of u: a flux enters by a difference over the
 * distance of points, the source by two. */
static double reach(enum function function, const struct sample *sample) {
  const int points = hb_points_per_element(sample->n);
  double spacing[3], all = 0.0;
  for (int a = 0; a < 3; a++) {
    const double *x = sample->x + a * points;
    double low = x[0], high = x[0];
    for (int point = 1; point < points; point++) {
      low = hb_min(low, x[point]);
      high = hb_max(high, x[point]);
    }
    spacing[a] = (high - low) / (sample->n - 1);
    all = hb_max(all, spacing[a]);
  }
  if (function == SOURCE) return all * all;
  return function >= FLUX_X ? spacing[function - FLUX_X] : 1.0;
}

/* Largest |I f - f| half-way between the nodes, whose positions are `between`. */
static double interpolation_error(const struct hb_problem *problem, enum function function,
                                  struct sample *sample) {
  const int n = sample->n, points = hb_points_per_element(n);
  double largest = 0.0;
  for (int point = 0; point < points; point++)
    sample->f[point] = function_at(problem, function, sample->x, point, points);
  interpolate(sample, sample->f);
  for (int k = 0; k < n - 1; k++)
    for (int j = 0; j < n - 1; j++)
      for (int i = 0; i < n - 1; i++) {
        const int point = (k * n + j) * n + i;
        const double exact = function_at(problem, function, sample->x_between, point, points);
        largest = hb_max(largest, fabs(sample->f[point] - exact));
      }
  return largest;
}

static double legendre(int degree, double x) {
  double previous = 1.0, value = x;
  if (degree == 0) return 1.0;
  for (int d = 1; d < degree; d++) {
    const double next = ((2 * d + 1) * x * value - d * previous) / (d + 1);
    previous = value;
    value = next;
  }
  return value;
}

/* Largest of the last two Legendre coefficients (the last for degree 1) of J along the lines of
 * an axis, over the mean J. */
static double jacobian_tail(const struct hb_gll *gll, const double *mass) {
  const int n = gll->n, p = n - 1;
  double largest = 0.0, mean = 0.0;
  for (int point = 0; point < n * n * n; point++) mean += mass[point] / 8.0;
  for (int axis = 0; axis < 3; axis++) {
    const int stride = axis == 0 ? 1 : axis == 1 ? n : n * n;
    for (int point = 0; point < n * n * n; point++) {
      if (point / stride % n != 0) continue;
      const int b = axis == 0 ? point / n % n : point % n;
      const int c = axis == 2 ? point / n % n : point / (n * n);
      for (int degree = p > 1 ? p - 1 : p; degree <= p; degree++) {
        const double norm = degree == p ? 2.0 / p : 2.0 / (2 * degree + 1);
        double sum = 0.0;
        for (int m = 0; m < n; m++)
          sum += legendre(degree, gll->nodes[m]) * mass[point + m * stride];
        const double coefficient = sum / (norm * gll->weights[b] * gll->weights[c] * mean);
        largest = hb_max(largest, fabs(coefficient));
      }
    }
  }
  return largest;
}

/* worst: interpolation errors by function, then the Jacobian's tail. */
static void sample_element(const struct hb_mesh *mesh, const struct hb_problem *problem,
                           hb_local position, struct sample *sample,
                           double worst[NUM_FUNCTIONS + 1]) {
  const int points = hb_points_per_element(sample->n);
  hb_local element[3];
  double min_jacobian;
  hb_mesh_element(mesh, position, element);
  hb_positions_element(mesh->positions, element, 1, sample->x);
  const struct hb_geometric_input input = {.n = mesh->gll.n,
                                           .D = mesh->gll.D,
                                           .weights = mesh->gll.weights,
                                           .x = sample->x,
                                           .h1 = sample->ones,
                                           .h2 = sample->ones};
  hb_geometric_factors_host(&input, NULL, sample->factors, sample->mass, &min_jacobian);
  memcpy(sample->x_between, sample->x, 3 * (size_t)points * sizeof *sample->x);
  for (int a = 0; a < 3; a++) interpolate(sample, sample->x_between + a * points);
  for (int f = 0; f < NUM_FUNCTIONS; f++)
    worst[f] = hb_max(worst[f], reach((enum function)f, sample) *
                                    interpolation_error(problem, (enum function)f, sample));
  worst[NUM_FUNCTIONS] = hb_max(worst[NUM_FUNCTIONS], jacobian_tail(&mesh->gll, sample->mass));
}

enum hb_status hb_gate_resolution(const struct hb_mesh *mesh, const struct hb_problem *problem,
                                  struct hb_resolution *resolution) {
  enum hb_status status = HB_OK;
  const hb_local num_elements = mesh->numbering->num_elements;
  const int samples = num_elements < MAX_SAMPLES ? num_elements : MAX_SAMPLES;
  double worst[NUM_FUNCTIONS + 1] = {0.0};
  struct sample sample;
  HB_TRY(sample_create(&mesh->gll, &sample));
  for (int s = 0; s < samples; s++)
    sample_element(mesh, problem, (hb_local)((hb_global)num_elements * s / samples), &sample,
                   worst);
done:
  sample_destroy(&sample);
  status = hb_comm_agree(mesh->comm, status);
  if (status == HB_OK) {
    hb_comm_max(mesh->comm, NUM_FUNCTIONS + 1, worst);
    resolution->quadrature = worst[NUM_FUNCTIONS] * worst[NUM_FUNCTIONS];
    resolution->solution = SAFETY * worst[SOLUTION] + worst[COEFFICIENT_1] + worst[COEFFICIENT_2] +
                           resolution->quadrature;
    resolution->consistency = resolution->solution + worst[SOURCE];
    for (int f = FLUX_X; f <= FLUX_Z; f++) resolution->consistency += worst[f];
  }
  return status;
}
