/* SPDX-License-Identifier: BSD-3-Clause
 * Right-hand side of the problem: source by position, and natural data on Neumann faces. */
#include "app/problem.h"
#include "kernels/helmholtz/helmholtz.h"

static void multiply_source(void *context, hb_local number, double u, double source) {
  double *b = context;
  (void)u;
  b[number] *= source;
}

/* One face of an element: axis and side, x of its points [b-axis][a-axis][component], where the
 * face's own axes are (axis + 1) % 3 and (axis + 2) % 3. */
struct face {
  int axis, side;
  hb_local element[3];
  double x[HB_MAX_N][HB_MAX_N][3];
};

/* Element coordinates of the face's point (p, q) along its own axes. */
static void face_point(const struct face *face, int n, int p, int q, int ijk[3]) {
  ijk[face->axis] = face->side == 0 ? 0 : n - 1;
  ijk[(face->axis + 1) % 3] = p;
  ijk[(face->axis + 2) % 3] = q;
}

static void face_positions(const struct hb_mesh *mesh, struct face *face) {
  const int n = mesh->gll.n;
  for (int q = 0; q < n; q++)
    for (int p = 0; p < n; p++) {
      int ijk[3];
      hb_local c[3];
      face_point(face, n, p, q, ijk);
      for (int a = 0; a < 3; a++) c[a] = face->element[a] * (n - 1) + ijk[a];
      hb_positions_at(mesh->positions, c, face->x[q][p]);
    }
}

/* n dA at a point: the cross product of the two tangents, outward, times the weights. */
static void face_normal(const struct hb_mesh *mesh, const struct face *face, int p, int q,
                        double normal[3]) {
  const int n = mesh->gll.n;
  const double *D = mesh->gll.D, *w = mesh->gll.weights;
  const double sign = face->side == 0 ? -1.0 : 1.0;
  double tp[3] = {0.0, 0.0, 0.0}, tq[3] = {0.0, 0.0, 0.0};
  for (int m = 0; m < n; m++)
    for (int a = 0; a < 3; a++) {
      tp[a] += D[p * n + m] * face->x[q][m][a];
      tq[a] += D[q * n + m] * face->x[m][p][a];
    }
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    normal[a] = sign * w[p] * w[q] * (tp[b] * tq[c] - tp[c] * tq[b]);
  }
}

/* b += integral of h1 grad(u).n over one face. */
static void add_face(const struct hb_problem *problem, const struct hb_mesh *mesh,
                     struct face *face, double *b) {
  const int n = mesh->gll.n;
  face_positions(mesh, face);
  for (int q = 0; q < n; q++)
    for (int p = 0; p < n; p++) {
      double normal[3], gradient[3], h1, h2;
      int ijk[3];
      face_point(face, n, p, q, ijk);
      face_normal(mesh, face, p, q, normal);
      hb_problem_exact(problem, face->x[q][p], gradient, NULL);
      hb_problem_coefficients(problem, face->x[q][p], &h1, &h2);
      b[hb_numbering_point(mesh->numbering, face->element, ijk[0], ijk[1], ijk[2])] +=
          h1 * (gradient[0] * normal[0] + gradient[1] * normal[1] + gradient[2] * normal[2]);
    }
}

static void add_neumann_side(const struct hb_problem *problem, const struct hb_mesh *mesh, int axis,
                             int side, double *b) {
  const struct hb_partition *partition = &mesh->partition;
  const int p = (axis + 1) % 3, q = (axis + 2) % 3;
  const hb_global first = partition->start[axis], last = first + partition->count[axis];
  if (mesh->box.boundary[axis] != HB_NEUMANN) return;
  if (side == 0 ? first != 0 : last != mesh->box.elements[axis]) return;
  struct face face = {.axis = axis, .side = side};
  face.element[axis] = side == 0 ? 0 : partition->count[axis] - 1;
  for (face.element[q] = 0; face.element[q] < partition->count[q]; face.element[q]++)
    for (face.element[p] = 0; face.element[p] < partition->count[p]; face.element[p]++)
      add_face(problem, mesh, &face, b);
}

enum hb_status hb_problem_rhs(const struct hb_problem *problem, const struct hb_mesh *mesh,
                              double *b) {
  enum hb_status status = hb_problem_visit_points(problem, mesh, multiply_source, b);
  HB_TRY(hb_comm_agree(mesh->comm, status));
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++) add_neumann_side(problem, mesh, axis, side, b);
  hb_gather_scatter_start(mesh->gs, HB_F64, b);
  hb_gather_scatter_finish(mesh->gs, HB_F64, b);
done:
  return status;
}
