/* SPDX-License-Identifier: BSD-3-Clause
 * The problem that is solved:  -div(h1 grad u) + h2 u = f  in the box, with a known solution.
 *
 *   u(x)  = U_0(x_0) U_1(x_1) U_2(x_2),   U_a(x) = c_a + sin(k_a x / l_a + phase_a)
 *   h1(x) = h1 (1 + h1_variation v_1(x)),   h2(x) = h2 (1 + h2_variation v_2(x)),
 *   v_q(x) = cos(2 pi x_0/l_0 + a_q0) cos(2 pi x_1/l_1 + a_q1) cos(2 pi x_2/l_2 + a_q2)
 *   f     = h2 u - h1 laplace(u) - grad(h1).grad(u)
 *
 * k_a is 2 pi on a periodic axis; the axes differ in c, k and phase, so that a mix-up of axes
 * shows. Boundary data follow: u itself on Dirichlet faces (by lifting), h1 grad(u).n on Neumann
 * faces (natural), nothing on periodic ones.  All is a function of position: it does not depend on
 * ranks, degree or backend.  Lengths in m; u without unit. */
#ifndef HB_APP_PROBLEM_H
#define HB_APP_PROBLEM_H

#include "kernels/geometry/geometry.h"
#include "kernels/geometry/lattice.h"
#include "mesh/mesh.h"

struct hb_problem {
  double h1, h2, h1_variation, h2_variation;
  bool periodic[3];
  double length[3], offset[3], wave_number[3], phase[3]; /* c, k, phase; k for x / l */
};

/* HB_BAD_INPUT if the problem has no unique solution (h2 = 0 and no Dirichlet face). */
enum hb_status hb_problem_init(const struct hb_box *box, double h1, double h2, double h1_variation,
                               double h2_variation, struct hb_problem *problem);

/* Coefficients at x. */
void hb_problem_coefficients(const struct hb_problem *problem, const double x[3], double *h1,
                             double *h2);
static inline bool hb_problem_has_mass(const struct hb_problem *problem) {
  return problem->h2 > 0.0;
}
/* The factors that the operator needs, and how it comes by them. */
struct hb_geometry hb_problem_geometry(const struct hb_problem *problem);
static inline bool hb_problem_is_constant(const struct hb_problem *problem) {
  return problem->h1_variation == 0.0 && problem->h2_variation == 0.0;
}

/* The same numbers for a device. */
struct hb_lattice_problem hb_problem_lattice(const struct hb_problem *problem);

/* Of coordinate x of an axis: U_a, U_a' and U_a''; and, set apart, the cosines of v_1 and v_2 and
 * the sine of v_1, of coefficients that vary. */
struct hb_problem_axis {
  double u, du, ddu;
  double wave[2], sine;
};
struct hb_problem_axis hb_problem_axis(const struct hb_problem *problem, int axis, double x);
void hb_problem_axis_waves(const struct hb_problem *problem, int axis, double x,
                           struct hb_problem_axis *term);

/* u, and where the pointers are not NULL its gradient and the source f, at x; the second form for
 * axis terms that are known already, for f with their waves; the third gives the coefficients. */
double hb_problem_exact(const struct hb_problem *problem, const double x[3], double gradient[3],
                        double *source);
double hb_problem_combine(const struct hb_problem *problem,
                          const struct hb_problem_axis *const axis[3], double gradient[3],
                          double *source);
void hb_problem_combine_waves(const struct hb_problem *problem,
                              const struct hb_problem_axis *const axis[3], double *h1, double *h2);

/* Visits the rank's points with u and the source, several at a time on the rank's threads.  Where
 * the mesh is not deformed the axis terms come from tables. */
typedef void hb_problem_visit(void *context, hb_local number, double u, double source);
enum hb_status hb_problem_visit_points(const struct hb_problem *problem, const struct hb_mesh *mesh,
                                       hb_problem_visit *visit, void *context);

/* Right-hand side before lifting: b [num_points] holds the rank's partial mass (sums over its own
 * elements) on entry and M f + Neumann data, summed over ranks, on return.  Collective. */
enum hb_status hb_problem_rhs(const struct hb_problem *problem, const struct hb_mesh *mesh,
                              double *b);

/* values [num_masked] = u at the masked points, in the numbering's order: the lifting.  Not
 * collective. */
enum hb_status hb_problem_lifting(const struct hb_problem *problem, const struct hb_mesh *mesh,
                                  double *values);

#endif
