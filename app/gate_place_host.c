/* SPDX-License-Identifier: BSD-3-Clause
 * The gates' vectors on the host: passes over them on the rank's threads. */
#include <math.h>
#include <string.h>

#include "app/gate_boundary.h"
#include "app/gates_internal.h"
#include "kernels/random.h"
#include "kernels/threads.h"

/* A random vector in the making. */
struct random {
  const struct hb_solver *solver;
  int64_t seed;
  hb_global lattice[3];
  void *v;
};

/* A plane of the rank's lattice. */
static void set_random_plane(void *context, int z) {
  const struct random *random = context;
  const struct hb_mesh *mesh = random->solver->mesh;
  const hb_local *size = mesh->numbering->lattice_size;
  const hb_local *number = mesh->numbering->lattice + (ptrdiff_t)z * size[1] * size[0];
  hb_local c[3] = {0, 0, z};
  for (c[1] = 0; c[1] < size[1]; c[1]++) {
    c[0] = 0;
    hb_global id = hb_numbering_global_id(&mesh->box, &mesh->partition, c);
    /* A periodic axis starts again. */
    const hb_global next_row = id - id % random->lattice[0] + random->lattice[0];
    for (c[0] = 0; c[0] < size[0]; c[0]++, number++) {
      hb_real_set(random->solver->op->precision, random->v, *number,
                  hb_random_at(id, random->seed));
      if (++id == next_row) id -= random->lattice[0];
    }
  }
}

void hb_gate_set_random(const struct hb_solver *solver, int64_t seed, bool masked, void *v) {
  const struct hb_numbering *numbering = solver->mesh->numbering;
  struct random random = {.solver = solver, .seed = seed, .v = v};
  hb_box_lattice(&solver->mesh->box, random.lattice);
  hb_threads_run(hb_vector_threads(solver->plan->comm, numbering->num_points),
                 numbering->lattice_size[2], set_random_plane, &random);
  if (masked) solver->op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, v);
}

enum hb_status hb_gate_work_create(const struct hb_solver *solver, struct hb_gate_work *work) {
  const size_t size = hb_precision_bytes(solver->op->precision);
  const hb_local num_points = solver->mesh->numbering->num_points;
  *work = (struct hb_gate_work){.u = hb_allocate(num_points, size, "work of gates"),
                                .v = hb_allocate(num_points, size, "work of gates"),
                                .w = hb_allocate(num_points, size, "work of gates")};
  return work->u != NULL && work->v != NULL && work->w != NULL ? HB_OK : HB_MACHINE_FAILED;
}

void hb_gate_work_destroy(struct hb_gate_work *work) {
  hb_free(work->u);
  hb_free(work->v);
  hb_free(work->w);
  *work = (struct hb_gate_work){NULL, NULL, NULL};
}

enum { PIECE = 4096, NUM_PIECES = 256 };

typedef void visit_part(const struct hb_court *court, const void *context, hb_local begin,
                        hb_local end, struct hb_point_sums *values);

/* A visit of points by threads. */
struct visit {
  const struct hb_court *court;
  visit_part *visit;
  const void *context;
  hb_local count;
  struct hb_point_sums values[NUM_PIECES];
};

static void visit_piece(void *context, int piece) {
  struct visit *visit = context;
  const hb_local begin = (hb_local)((hb_global)visit->count * piece / NUM_PIECES);
  const hb_local end = (hb_local)((hb_global)visit->count * (piece + 1) / NUM_PIECES);
  visit->visit(visit->court, visit->context, begin, end, &visit->values[piece]);
}

/* Points in pieces, on the rank's threads: what the pieces find is put together in their order. */
static struct hb_point_sums visit_points(const struct hb_court *court, hb_local count,
                                         visit_part *visit, const void *context) {
  struct visit all = {.court = court, .visit = visit, .context = context, .count = count};
  struct hb_long_sum sum[HB_POINT_SUMS] = {{0.0, 0.0}};
  struct hb_point_sums values = {{0.0}, {0.0}};
  hb_threads_run(hb_vector_threads(court->solver->plan->comm, count), NUM_PIECES, visit_piece,
                 &all);
  for (int piece = 0; piece < NUM_PIECES; piece++) {
    const struct hb_point_sums *of = &all.values[piece];
    for (int v = 0; v < HB_POINT_SUMS; v++) hb_long_sum_add(&sum[v], of->sum[v]);
    for (int v = 0; v < HB_POINT_LARGEST; v++)
      values.largest[v] = hb_max(values.largest[v], of->largest[v]);
  }
  for (int v = 0; v < HB_POINT_SUMS; v++) values.sum[v] = sum[v].value;
  return values;
}

/* context: x and y.  Sums PIECE points as they come. */
static void visit_dot(const struct hb_court *court, const void *context, hb_local begin,
                      hb_local end, struct hb_point_sums *values) {
  const char *const *vectors = context;
  const struct hb_operator *op = court->solver->op;
  const size_t size = hb_precision_bytes(op->precision);
  struct hb_long_sum sum = {0.0, 0.0};
  for (hb_local first = begin; first < end; first += PIECE) {
    const hb_local piece = end - first < PIECE ? end - first : PIECE;
    const size_t from = (size_t)first * size;
    hb_long_sum_add(&sum, op->ops->dot(piece, vectors[0] + from, vectors[1] + from));
  }
  values->sum[0] = sum.value;
}

static double dot(const struct hb_court *court, const void *x, const void *y) {
  const void *const vectors[2] = {x, y};
  return visit_points(court, court->solver->mesh->numbering->num_owned, visit_dot, vectors).sum[0];
}

/* r.z at the start, of a preconditioner that fuses. */
static void visit_start(const struct hb_court *court, const void *context, hb_local begin,
                        hb_local end, struct hb_point_sums *values) {
  const struct hb_solver *solver = court->solver;
  const enum hb_precision precision = solver->op->precision;
  const void *d = context;
  struct hb_long_sum sum = {0.0, 0.0};
  for (hb_local i = begin; i < end; i++) {
    const double b = hb_real_at(precision, solver->b, i);
    hb_long_sum_add(&sum, b * (d != NULL ? b * hb_real_at(precision, d, i) : b));
  }
  values->sum[0] = sum.value;
}

static double start_rz(const struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  return visit_points(court, solver->mesh->numbering->num_owned, visit_start,
                      solver->preconditioner->diagonal)
      .sum[0];
}

/* Sums: (b - A x)^2, (b - A x - r)^2 and b - A x, of A x in w and r in v. */
static void visit_residual(const struct hb_court *court, const void *context, hb_local begin,
                           hb_local end, struct hb_point_sums *values) {
  const struct hb_solver *solver = court->solver;
  const enum hb_precision precision = solver->op->precision;
  const char *b = solver->b, *w = court->work.w, *v = court->work.v;
  const size_t from = (size_t)begin * hb_precision_bytes(precision);
  (void)context;
  solver->op->ops->compare_residual(end - begin, b + from, w + from, v + from, values->sum);
  for (hb_local i = begin; i < end; i++)
    values->sum[2] += hb_real_at(precision, b, i) - hb_real_at(precision, w, i);
}

/* c of A Z u in w, with the diagonal.  Sums: c, and of the points that are solved for error and
 * size squared; largest: c over the diagonal. */
static void take_points(const struct hb_court *court, const void *diagonal, hb_local begin,
                        hb_local end, struct hb_point_sums *values) {
  const struct hb_solver *solver = court->solver;
  const enum hb_precision precision = solver->op->precision;
  const hb_local num_owned = solver->mesh->numbering->num_owned;
  const void *d = solver->preconditioner->diagonal;
  for (hb_local i = begin; i < end; i++) {
    const double w = hb_real_at(precision, court->work.w, i);
    const double c = hb_real_at(precision, solver->b, i) - w;
    values->largest[0] = hb_max(values->largest[0], fabs(c) / hb_real_at(precision, diagonal, i));
    if (i >= num_owned) continue;
    const double u = hb_real_at(precision, court->work.u, i);
    const double error = u == 0.0 ? 0.0 : hb_real_at(precision, solver->x, i) - u;
    const double inverse = d != NULL ? hb_real_at(precision, d, i) : 1.0;
    values->sum[0] += c;
    if (inverse == 0.0) continue; /* on a Dirichlet face */
    values->sum[1] += error * error / inverse;
    values->sum[2] += u * u / inverse;
  }
}

static void visit_error(const struct hb_court *court, const void *context, hb_local begin,
                        hb_local end, struct hb_point_sums *values) {
  const struct hb_solver *solver = court->solver;
  (void)context;
  for (hb_local i = begin; i < end; i++) {
    const double exact = court->exact[i];
    const double error = hb_real_at(solver->op->precision, solver->x, i) - exact;
    values->sum[0] += error * error;
    values->sum[1] += exact * exact;
    values->largest[0] = hb_max(values->largest[0], fabs(error));
    values->largest[1] = hb_max(values->largest[1], fabs(exact));
  }
}

/* ---- the place ------------------------------------------------------------------------------- */

static enum hb_status create(struct hb_court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  HB_TRY(hb_gate_work_create(solver, &court->work));
  HB_ALLOC(court->exact, solver->mesh->numbering->num_points, "exact solution");
done:
  return status;
}

static void destroy(struct hb_court *court) {
  hb_gate_work_destroy(&court->work);
  hb_free(court->exact);
}

static void clear_given(const struct hb_court *court, void *v) {
  const struct hb_numbering *numbering = court->solver->mesh->numbering;
  court->solver->op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, v);
}

static void set(const struct hb_court *court, enum hb_lattice_values_kind kind, int64_t seed,
                void *v) {
  const struct hb_solver *solver = court->solver;
  const struct hb_vector_space space = hb_operator_space(solver->op);
  switch (kind) {
  case HB_LATTICE_RANDOM: hb_gate_set_random(solver, seed, false, v); break;
  case HB_LATTICE_RANDOM_INSIDE: hb_gate_set_random(solver, seed, true, v); break;
  case HB_LATTICE_EXACT_INSIDE:
    hb_vector_from_double(&space, court->exact, v);
    clear_given(court, v);
    break;
  case HB_LATTICE_EXACT_GIVEN: break; /* of set-up alone */
  case HB_LATTICE_ONE:
    for (hb_local i = 0; i < space.count; i++) hb_real_set(space.precision, v, i, 1.0);
    break;
  case HB_LATTICE_CLEAR_GIVEN: clear_given(court, v); break;
  }
}

static const void *interior(const struct hb_court *court, void *v) {
  hb_solver_interior(court->solver, v);
  return v;
}

static const void *right_side(const struct hb_court *court) { return court->solver->b; }

static void multiply(const struct hb_court *court, enum hb_operator_part part, const void *u,
                     void *w) {
  hb_operator_multiply(court->solver->op, part, u, w);
}

static void error(const struct hb_court *court, struct hb_point_sums *sums) {
  const struct hb_solver *solver = court->solver;
  *sums = visit_points(court, solver->mesh->numbering->num_owned, visit_error, NULL);
  hb_gate_boundary_errors(solver, court->exact, &sums->largest[2]);
}

static enum hb_status residual(const struct hb_court *court, struct hb_point_sums *sums) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  HB_TRY(solver->passes->type->fetch_residual(solver->passes, court->work.v));
  *sums = visit_points(court, solver->mesh->numbering->num_owned, visit_residual, NULL);
done:
  return status;
}

static void find_exact(const struct hb_court *court) {
  set(court, HB_LATTICE_EXACT_INSIDE, 0, court->work.u);
  multiply(court, HB_OPERATOR_FULL, court->work.u, court->work.w);
  hb_operator_diagonal(court->solver->op, court->work.v);
}

static void consistency(const struct hb_court *court, struct hb_point_sums *sums) {
  const hb_local num_points = court->solver->mesh->numbering->num_points;
  *sums = visit_points(court, num_points, take_points, court->work.v);
}

const struct hb_gate_place_type hb_gate_place_host = {.create = create,
                                                      .destroy = destroy,
                                                      .set = set,
                                                      .interior = interior,
                                                      .right_side = right_side,
                                                      .multiply = multiply,
                                                      .dot = dot,
                                                      .start_rz = start_rz,
                                                      .error = error,
                                                      .residual = residual,
                                                      .find_exact = find_exact,
                                                      .consistency = consistency,
                                                      .audit = hb_gate_audit_host,
                                                      .kernel = hb_gate_kernel_host};
