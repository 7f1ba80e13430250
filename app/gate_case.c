/* SPDX-License-Identifier: BSD-3-Clause
 * Gates on what was built: sizes, faces, positions and coefficients are those that the options ask
 * for, by formulas of their own. */
#include <float.h>
#include <math.h>

#include "app/gates_internal.h"
#include "kernels/random.h"

enum { NUM_PLACES = 256 };
static const double TURN = 6.283185307179586476925286766559;

/* From 0 to 1 with two continuous derivatives, constant outside. */
static double step(double t) {
  t = fmin(fmax(t, 0.0), 1.0);
  return (10.0 - 15.0 * t + 6.0 * t * t) * t * t * t;
}

/* [0,1] onto itself, bent at a half, where it is 1 - epsilon / 2. */
static double bent(double epsilon, double s) {
  return s <= 0.5 ? (2.0 - epsilon) * s : 1.0 + epsilon * (s - 1.0);
}

/* The share of the state that is refined on the right at s along x: six layers (box.h). */
static double share(double s) {
  const double layers[7] = {0.0, 0.0, 1.0, 0.5, 0.0, 1.0, 1.0};
  const int layer = (int)fmin(floor(6.0 * s), 5.0);
  const double t = 6.0 * s - layer;
  if (layer == 2) return 1.0 - step(0.5 * t);
  if (layer == 3) return 1.0 - step(0.5 + 0.5 * t);
  return layers[layer] + (layers[layer + 1] - layers[layer]) * step(t);
}

/* x(s) as box.h states it, over the lengths. */
static void place(const struct hb_options *options, const double s[3], double x[3]) {
  const double weight[3] = {1.0, 0.8, 0.6},
               epsilon[3] = {1.0, options->epsilon_y, options->epsilon_z};
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    x[a] = s[a];
    if (options->deformation == HB_SMOOTH)
      x[a] +=
          options->amplitude * weight[a] * sin(TURN * s[a]) * cos(TURN * s[b]) * cos(TURN * s[c]);
    if (options->deformation == HB_KERSHAW && a > 0) {
      const double w = share(s[0]);
      x[a] = w * bent(epsilon[a], s[a]) + (1.0 - w) * (1.0 - bent(epsilon[a], 1.0 - s[a]));
    }
  }
}

/* v_q(x) of problem.h, x over the lengths. */
static double wave(int q, const double x[3]) {
  const double phase[2][3] = {{0.2, 0.5, 0.9}, {1.3, 0.1, 0.6}};
  double product = 1.0;
  for (int a = 0; a < 3; a++) product *= cos(TURN * x[a] + phase[q][a]);
  return product;
}

/* Elements along an axis, as asked. */
static hb_global elements_asked(const struct hb_solver *solver, int axis) {
  const struct hb_options *options = solver->plan->options;
  const hb_global of[3] = {options->nx, options->ny, options->nz};
  return of[axis] * (options->size_is == HB_SIZE_PER_RANK ? solver->mesh->partition.grid[axis] : 1);
}

/* Sizes and kinds: 0 if all are as asked, else infinite. */
static double compare_sizes(const struct hb_solver *solver) {
  const struct hb_options *options = solver->plan->options;
  const struct hb_box *box = &solver->mesh->box;
  const struct hb_problem *problem = &solver->plan->problem;
  bool same = box->degree == options->degree && solver->mesh->gll.n == options->degree + 1 &&
              box->deformation == options->deformation;
  for (int a = 0; a < 3; a++)
    same = same && box->elements[a] == elements_asked(solver, a) &&
           box->boundary[a] == options->boundary[a] &&
           problem->periodic[a] == (options->boundary[a] == HB_PERIODIC);
  return same ? 0.0 : INFINITY;
}

/* Position and coefficients at a point of the rank's lattice: the largest relative deviation. */
static double compare_point(const struct hb_solver *solver, const hb_local c[3]) {
  const struct hb_options *options = solver->plan->options;
  const struct hb_mesh *mesh = solver->mesh;
  const double length[3] = {options->lx, options->ly, options->lz};
  double s[3], expected[3], x[3], h1, h2, worst = 0.0;
  for (int a = 0; a < 3; a++) {
    const int i = c[a] % options->degree;
    const double element = (double)(mesh->partition.start[a] + c[a] / options->degree);
    s[a] = (element + 0.5 * (1.0 + mesh->gll.nodes[i])) / (double)elements_asked(solver, a);
  }
  place(options, s, expected);
  hb_positions_at(mesh->positions, c, x);
  for (int a = 0; a < 3; a++) worst = hb_max(worst, fabs(x[a] / length[a] - expected[a]));
  hb_problem_coefficients(&solver->plan->problem, x, &h1, &h2);
  const double h1_asked = options->h1 * (1.0 + options->h1_variation * wave(0, expected));
  const double h2_asked = options->h2 * (1.0 + options->h2_variation * wave(1, expected));
  worst = hb_max(worst, fabs(h1 - h1_asked) / options->h1);
  return hb_max(worst, fabs(h2 - h2_asked) / (options->h2 > 0.0 ? options->h2 : 1.0));
}

enum hb_status hb_gate_case(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  const hb_local *size = solver->mesh->positions->size;
  double worst = compare_sizes(solver);
  for (int s = 0; s < NUM_PLACES && worst < INFINITY; s++) {
    hb_local c[3];
    for (int a = 0; a < 3; a++) {
      const double where =
          hb_random_in_sequence((uint64_t)court->gates->seed, (uint64_t)(3 * s + a));
      c[a] = s < 8 ? (s >> a & 1) * (size[a] - 1) : (hb_local)(where * size[a]);
    }
    worst = hb_max(worst, compare_point(solver, c));
  }
  hb_comm_max(solver->plan->comm, 1, &worst);
  hb_gate_judge(court->gates, HB_GATE_CASE, worst, 64.0 * DBL_EPSILON);
  return HB_OK;
}

enum hb_status hb_gate_points(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  const struct hb_options *options = solver->plan->options;
  const hb_global owned =
      hb_comm_sum_global(solver->plan->comm, solver->mesh->numbering->num_owned);
  hb_global expected = 1;
  for (int a = 0; a < 3; a++)
    expected *=
        elements_asked(solver, a) * options->degree + (options->boundary[a] == HB_PERIODIC ? 0 : 1);
  hb_gate_judge(court->gates, HB_GATE_POINTS, fabs((double)(owned - expected)), 0.0);
  return HB_OK;
}

enum hb_status hb_gate_volume(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  const struct hb_options *options = solver->plan->options;
  const double volume = options->lx * options->ly * options->lz;
  hb_gate_judge(court->gates, HB_GATE_VOLUME, fabs(solver->volume / volume - 1.0),
                64.0 * DBL_EPSILON * solver->mesh->gll.n + court->resolution.quadrature);
  return HB_OK;
}
