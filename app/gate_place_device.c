/* SPDX-License-Identifier: BSD-3-Clause
 * The gates' vectors on the operator's device. */
#include <math.h>

#include "app/gate_audit.h"
#include "app/gate_device.h"

/* Passes of the operator's precision. */
static hb_lattice_set_type *set_of(const struct hb_court *court) {
  return court->solver->op->precision == HB_F64 ? hb_lattice_set_f64 : hb_lattice_set_f32;
}

/* Keeps the first failure, after which sums are NaN. */
static void keep(const struct hb_court *court, enum hb_status status, struct hb_point_sums *sums) {
  struct hb_operator *op = court->solver->op;
  if (status != HB_OK && op->failure == HB_OK) op->failure = status;
  if (op->failure == HB_OK || sums == NULL) return;
  for (int s = 0; s < HB_POINT_SUMS; s++) sums->sum[s] = (double)NAN;
  for (int l = 0; l < HB_POINT_LARGEST; l++) sums->largest[l] = (double)NAN;
}

/* Passes over vectors a to f (lattice_vectors.h); those of one rank's owned points, or of all. */
static void pass(const struct hb_court *court, enum hb_point_pass kind, bool all,
                 const void *const d_vectors[6], struct hb_point_sums *sums) {
  const struct hb_solver *solver = court->solver;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const struct hb_operator_device *od = court->device->od;
  struct hb_point_vectors vectors = {.device = od->device,
                                     .count = all ? numbering->num_points : numbering->num_owned,
                                     .owned = numbering->num_owned,
                                     .d_partials = od->d_partials};
  for (int v = 0; v < 6; v++) vectors.d_vectors[v] = d_vectors[v];
  keep(court,
       solver->op->precision == HB_F64 ? hb_points_pass_f64(&vectors, kind, sums)
                                       : hb_points_pass_f32(&vectors, kind, sums),
       sums);
}

/* ---- the place ------------------------------------------------------------------------------- */

/* By the gates' own tables: those of the mesh are judged. */
static enum hb_status create_lattice(struct hb_court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  struct hb_audit_axis table[3] = {{.value = NULL}};
  struct hb_lattice_axis axis[3];
  for (int a = 0; a < 3; a++) {
    HB_TRY(hb_audit_tabulate_elements(solver->mesh, a, &table[a]));
    axis[a] = (struct hb_lattice_axis){.first = table[a].begin,
                                       .last = table[a].end,
                                       .value = table[a].value + (ptrdiff_t)(table[a].begin + 1) *
                                                                     solver->mesh->gll.n};
  }
  HB_TRY(hb_device_lattice_init(court->device->od->device, solver->mesh, &solver->plan->problem,
                                axis, court->device->od->d_surface_index, &court->device->lattice));
done:
  for (int a = 0; a < 3; a++) hb_free(table[a].value);
  return status;
}

/* x as it is on the host, its error, and then 0 on Dirichlet faces. */
static enum hb_status take_solution(struct hb_court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  struct hb_gate_device *device = court->device;
  const hb_local num_owned = solver->mesh->numbering->num_owned;
  hb_lattice_error_type *find =
      solver->op->precision == HB_F64 ? hb_lattice_error_f64 : hb_lattice_error_f32;
  HB_TRY(hb_operator_from_host(solver->op, solver->x, device->cg->d_x));
  HB_TRY(
      find(&device->lattice, num_owned, device->cg->d_x, device->od->d_partials, &device->error));
  HB_TRY(set_of(court)(&device->lattice, HB_LATTICE_CLEAR_GIVEN, 0, device->cg->d_x));
done:
  return status;
}

static enum hb_status create(struct hb_court *court) {
  enum hb_status status = HB_OK;
  HB_ALLOC(court->device, 1, "gates on the device");
  struct hb_cg_device *cg = hb_cg_device(court->solver->passes);
  *court->device = (struct hb_gate_device){
      .od = hb_operator_device(court->solver->op), .cg = cg, .lattice = {.device = cg->od->device}};
  court->work = (struct hb_gate_work){
      .u = court->device->od->d_u, .v = cg->d_p_other, .w = court->device->od->d_w};
  HB_TRY(create_lattice(court));
  HB_TRY(take_solution(court));
done:
  return status;
}

static void destroy(struct hb_court *court) {
  if (court->device != NULL) hb_device_lattice_free(&court->device->lattice);
  hb_free(court->device);
}

static void set(const struct hb_court *court, enum hb_lattice_values_kind kind, int64_t seed,
                void *v) {
  keep(court, set_of(court)(&court->device->lattice, kind, seed, v), NULL);
}

static const void *interior(const struct hb_court *court, void *v) {
  (void)v;
  return court->device->cg->d_x;
}

static const void *right_side(const struct hb_court *court) { return court->device->cg->d_b; }

static void multiply(const struct hb_court *court, enum hb_operator_part part, const void *u,
                     void *w) {
  keep(court, hb_operator_device_multiply(court->device->od, part, u, w), NULL);
}

static double dot(const struct hb_court *court, const void *x, const void *y) {
  struct hb_point_sums sums;
  pass(court, HB_POINTS_DOT, false, (const void *const[6]){x, y}, &sums);
  return sums.sum[0];
}

static double start_rz(const struct hb_court *court) {
  const struct hb_cg_device *cg = court->device->cg;
  struct hb_point_sums sums;
  if (cg->d_dinv == NULL) return dot(court, cg->d_b, cg->d_b);
  pass(court, HB_POINTS_WEIGHTED, false, (const void *const[6]){cg->d_b, cg->d_dinv}, &sums);
  return sums.sum[0];
}

static void error(const struct hb_court *court, struct hb_point_sums *sums) {
  *sums = court->device->error;
}

static enum hb_status residual(const struct hb_court *court, struct hb_point_sums *sums) {
  const struct hb_cg_device *cg = court->device->cg;
  pass(court, HB_POINTS_RESIDUAL, false, (const void *const[6]){cg->d_b, court->work.w, cg->d_r},
       sums);
  return court->solver->op->failure;
}

static void find_exact(const struct hb_court *court) {
  set(court, HB_LATTICE_EXACT_INSIDE, 0, court->work.u);
  keep(court, hb_operator_device_diagonal(court->device->od, court->work.v), NULL);
  multiply(court, HB_OPERATOR_FULL, court->work.u, court->work.w);
}

static void consistency(const struct hb_court *court, struct hb_point_sums *sums) {
  const struct hb_cg_device *cg = court->device->cg;
  const struct hb_gate_work *work = &court->work;
  pass(court, HB_POINTS_CONSISTENCY, true,
       (const void *const[6]){cg->d_b, work->w, work->v, work->u, cg->d_x, cg->d_dinv}, sums);
}

const struct hb_gate_place_type hb_gate_place_device = {.create = create,
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
                                                        .audit = hb_gate_audit_device,
                                                        .kernel = hb_gate_kernel_device};
