/* SPDX-License-Identifier: BSD-3-Clause
 * A solve of a few iterations against plain loops in double. */
#include "app/bench/verify_solve.h"

#include <math.h>

#include "app/bench/parts_internal.h"

#include "kernels/helmholtz/compare.h"

/* Iterations of the solve: the third adds a step to what is not zero.  Steps: likewise. */
enum { ITERATIONS = 3, STEPS = 3 };

/* The reference iteration. */
struct plain {
  struct hb_solver *solver; /* borrowed, as the next two */
  void *u, *w;
  double *x, *r, *p; /* owned [num_points] */
  double norm[ITERATIONS + 1];
  double sums[2];                   /* r.r and r.z after the last, of all ranks */
  double x_scale, r_scale, p_scale; /* of what x, r and p are sums of */
};

static double dinv_at(const struct plain *plain, hb_local i) {
  const void *diagonal = plain->solver->preconditioner->diagonal;
  return diagonal == NULL ? 1.0 : hb_real_at(plain->solver->op->precision, diagonal, i);
}

/* Collective.  {r.r, r.z} over all ranks' own points. */
static void sums_of(const struct plain *plain, double sums[2]) {
  struct hb_long_sum rr = {0.0, 0.0}, rz = {0.0, 0.0};
  for (hb_local i = 0; i < plain->solver->mesh->numbering->num_owned; i++) {
    const double square = plain->r[i] * plain->r[i];
    hb_long_sum_add(&rr, square);
    hb_long_sum_add(&rz, dinv_at(plain, i) * square);
  }
  sums[0] = rr.value;
  sums[1] = rz.value;
  hb_comm_sum(plain->solver->plan->comm, 2, sums);
}

/* Collective.  w = A p; returns p.w over all ranks. */
static double multiply(const struct plain *plain, double *p_most, double *w_most) {
  const struct hb_operator *op = plain->solver->op;
  struct hb_long_sum pw = {0.0, 0.0};
  const hb_local num_points = op->mesh->numbering->num_points;
  op->ops->from_double(num_points, plain->p, plain->u);
  hb_operator_multiply(plain->solver->op, HB_OPERATOR_FULL, plain->u, plain->w);
  double most[2] = {0.0, 0.0};
  for (hb_local i = 0; i < num_points; i++) {
    const double w = hb_real_at(op->precision, plain->w, i);
    most[0] = hb_max(most[0], fabs(plain->p[i]));
    most[1] = hb_max(most[1], fabs(w));
    if (i < op->mesh->numbering->num_owned) hb_long_sum_add(&pw, plain->p[i] * w);
  }
  hb_comm_max(plain->solver->plan->comm, 2, most);
  *p_most = most[0];
  *w_most = most[1];
  double sum = pw.value;
  hb_comm_sum(plain->solver->plan->comm, 1, &sum);
  return sum;
}

/* Collective.  x = p = 0, r = b. */
static void begin(struct plain *plain) {
  plain->x_scale = plain->r_scale = plain->p_scale = 0.0;
  for (hb_local i = 0; i < plain->solver->mesh->numbering->num_points; i++) {
    plain->x[i] = plain->p[i] = 0.0;
    plain->r[i] = hb_real_at(plain->solver->op->precision, plain->solver->b, i);
    plain->r_scale = hb_max(plain->r_scale, fabs(plain->r[i]));
  }
  hb_comm_max(plain->solver->plan->comm, 1, &plain->r_scale);
}

/* Collective.  What hb_bench_step_here does, so often. */
static void step(struct plain *plain) {
  const hb_local num_points = plain->solver->mesh->numbering->num_points;
  double p_most = 0.0, w_most;
  begin(plain);
  for (int k = 0; k < STEPS; k++) {
    plain->x_scale += HB_BENCH_ALPHA * p_most;
    for (hb_local i = 0; i < num_points; i++) {
      plain->x[i] += HB_BENCH_ALPHA * plain->p[i];
      plain->p[i] = dinv_at(plain, i) * plain->r[i] + HB_BENCH_BETA * plain->p[i];
    }
    multiply(plain, &p_most, &w_most);
    for (hb_local i = 0; i < num_points; i++)
      plain->r[i] -= HB_BENCH_STEP * hb_real_at(plain->solver->op->precision, plain->w, i);
    plain->r_scale += HB_BENCH_STEP * w_most;
    plain->p_scale = hb_max(plain->p_scale, p_most);
  }
  sums_of(plain, plain->sums);
}

/* Collective. */
static void iterate(struct plain *plain) {
  const hb_local num_points = plain->solver->mesh->numbering->num_points;
  double sums[2], beta = 0.0, p_most, w_most;
  begin(plain);
  sums_of(plain, sums);
  plain->norm[0] = sqrt(sums[0]);
  for (int k = 0; k < ITERATIONS; k++) {
    const double rz = sums[1];
    for (hb_local i = 0; i < num_points; i++)
      plain->p[i] = dinv_at(plain, i) * plain->r[i] + beta * plain->p[i];
    const double alpha = rz / multiply(plain, &p_most, &w_most);
    for (hb_local i = 0; i < num_points; i++) {
      plain->x[i] += alpha * plain->p[i];
      plain->r[i] -= alpha * hb_real_at(plain->solver->op->precision, plain->w, i);
    }
    plain->x_scale += fabs(alpha) * p_most;
    plain->r_scale += fabs(alpha) * w_most;
    sums_of(plain, sums);
    plain->norm[k + 1] = sqrt(sums[0]);
    beta = sums[1] / rz;
  }
}

/* Bound on differences in sums of eight elements, of all iterations; and what the rounding of the
 * sums over points, which are in double and in another order, does to the steps. */
static double bound_of(const struct plain *plain, double scale) {
  const struct hb_operator *op = plain->solver->op;
  const double points = op->mesh->numbering->num_owned;
  return hb_helmholtz_tolerance(op->helmholtz.n, op->precision, 8.0 * ITERATIONS * scale) +
         8.0 * sqrt(points) * hb_precision_epsilon(HB_F64) * scale;
}

/* Largest difference in a vector over its bound. */
static double vector_ratio(const struct plain *plain, const void *observed, const double *expected,
                           double scale) {
  const struct hb_operator *op = plain->solver->op;
  const double bound = bound_of(plain, scale);
  double worst = 0.0;
  for (hb_local i = 0; i < op->mesh->numbering->num_points; i++)
    worst = hb_max(
        worst, hb_scaled_difference(hb_real_at(op->precision, observed, i), expected[i], bound));
  return worst;
}

static double norms_ratio(const struct plain *plain, const struct hb_cg *cg) {
  const double bound = bound_of(plain, plain->norm[0]);
  double worst = cg->iterations == ITERATIONS ? 0.0 : HUGE_VAL;
  for (int k = 0; k <= cg->iterations; k++)
    worst = hb_max(worst, hb_scaled_difference(cg->history[k], plain->norm[k], bound));
  return worst;
}

/* Collective.  Both solves; the passes' residual comes to plain->w.  A solve that fails over its
 * numbers is wrong, of no more iterations than 0; a device that fails does so again. */
static enum hb_status solve(struct hb_bench_work *work, struct plain *plain, struct hb_cg *cg) {
  enum hb_status status = HB_OK;
  const struct hb_cg_request request = {.tolerance = 0.0};
  iterate(plain);
  HB_TRY(hb_comm_agree(plain->solver->plan->comm, plain->solver->op->failure));
  if (hb_cg_solve(cg, work->passes, &request) != HB_OK) {
    hb_error_clear();
    hb_cg_clear(cg);
  }
  status = work->passes->type->fetch_solution(work->passes);
  if (status == HB_OK) status = work->passes->type->fetch_residual(work->passes, plain->w);
  HB_TRY(hb_comm_agree(plain->solver->plan->comm, status));
done:
  return status;
}

/* |observed - expected| of a sum of squares, or of squares times the diagonal: an entry's relative
 * bound, twice. */
static double sum_ratio(const struct plain *plain, double observed, int which) {
  const double entry = bound_of(plain, plain->r_scale) / plain->r_scale;
  return hb_scaled_difference(observed, plain->sums[which], 2.0 * entry * plain->sums[which]);
}

/* Collective.  The passes' r comes to plain->w, p to plain->u. */
static enum hb_status take_steps(struct hb_bench_work *work, struct plain *plain, double sums[2]) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = plain->solver->plan->comm;
  const bool on_gpu = hb_backend_on_gpu(plain->solver->plan->backend);
  step(plain);
  HB_TRY(hb_comm_agree(comm, plain->solver->op->failure));
  work->passes->failure = HB_OK;
  work->passes->type->start(work->passes, sums);
  for (int k = 0; k < STEPS; k++) {
    const enum hb_status done = (on_gpu ? hb_bench_step_device : hb_bench_step_host)(work, sums);
    if (status == HB_OK) status = done;
  }
  if (status == HB_OK) status = work->passes->type->fetch_solution(work->passes);
  if (status == HB_OK) status = work->passes->type->fetch_residual(work->passes, plain->w);
  if (status == HB_OK)
    status = (on_gpu ? hb_bench_fetch_device : hb_bench_fetch_host)(work, plain->u);
  HB_TRY(hb_comm_agree(comm, status));
  hb_comm_sum(comm, 2, sums);
done:
  return status;
}

static enum hb_status plain_create(struct hb_bench_work *work, void *u, void *w,
                                   struct plain *plain) {
  enum hb_status status = HB_OK;
  const hb_local num_points = work->solver->mesh->numbering->num_points;
  *plain = (struct plain){.solver = work->solver, .u = u, .w = w};
  HB_ALLOC(plain->x, num_points, "reference solution");
  HB_ALLOC(plain->r, num_points, "reference residual");
  HB_ALLOC(plain->p, num_points, "reference direction");
done:
  return status;
}

static void plain_destroy(struct plain *plain) {
  hb_free(plain->x);
  hb_free(plain->r);
  hb_free(plain->p);
}

enum hb_status hb_bench_verify_step(struct hb_bench_work *work, void *u, void *w, double *ratio) {
  enum hb_status status = HB_OK;
  struct plain plain;
  double sums[2];
  HB_TRY(hb_comm_agree(work->solver->plan->comm, plain_create(work, u, w, &plain)));
  HB_TRY(take_steps(work, &plain, sums));
  *ratio = hb_max(vector_ratio(&plain, work->solver->x, plain.x, plain.x_scale),
                  vector_ratio(&plain, u, plain.p, hb_max(plain.p_scale, plain.r_scale)));
  *ratio = hb_max(*ratio, vector_ratio(&plain, w, plain.r, plain.r_scale));
  *ratio = hb_max(*ratio, sum_ratio(&plain, sums[0], 0));
  *ratio = hb_max(*ratio, sum_ratio(&plain, sums[1], 1));
done:
  plain_destroy(&plain);
  return status;
}

enum hb_status hb_bench_verify_solve(struct hb_bench_work *work, void *u, void *w, double *ratio) {
  enum hb_status status = HB_OK;
  struct plain plain;
  struct hb_cg *cg = NULL;
  status = plain_create(work, u, w, &plain);
  if (status == HB_OK) status = hb_cg_create(ITERATIONS, &cg);
  HB_TRY(hb_comm_agree(work->solver->plan->comm, status));
  HB_TRY(solve(work, &plain, cg));
  *ratio = hb_max(vector_ratio(&plain, work->solver->x, plain.x, plain.x_scale),
                  vector_ratio(&plain, w, plain.r, plain.r_scale));
  *ratio = hb_max(*ratio, norms_ratio(&plain, cg));
done:
  hb_cg_destroy(&cg);
  plain_destroy(&plain);
  return status;
}
