/* SPDX-License-Identifier: BSD-3-Clause
 * Conjugate gradients on dense systems with known spectrum, against a textbook iteration. */
#include <float.h>
#include <string.h>

#include "app/cg_host.h"
#include "kernels/helmholtz/variants.h"
#include "tests/mesh_cases.h"

enum { N = 37, MAX_ITERATIONS = 60 };

/* No preconditioner; the diagonal of S^2, fused into the passes; the same, applied by a function.
 */
enum way { PLAIN, FUSED, APPLIED, NUM_WAYS };

/* A = S Q diag(lambda) Q S with Q = I - 2 v v'/v'v, S diagonal: the same on all ranks.  A rank owns
 * rows [first, first + owned) and holds a copy of the row after them, as meshes do. */
struct dense {
  const struct hb_comm *comm;
  enum hb_precision precision;
  int first, owned, points;
  double lambda[N], v[N], s[N];
  double b[N], gathered[N];
  bool spoilt; /* NaN in the result of the last rank */
};

static int row_of(const struct dense *dense, int point) { return (dense->first + point) % N; }

static void reflect(const double *v, double *y) {
  double vy = 0.0, vv = 0.0;
  for (int i = 0; i < N; i++) {
    vy += v[i] * y[i];
    vv += v[i] * v[i];
  }
  for (int i = 0; i < N; i++) y[i] -= 2.0 * vy / vv * v[i];
}

static void multiply(const struct dense *dense, const double *x, double *y) {
  for (int i = 0; i < N; i++) y[i] = dense->s[i] * x[i];
  reflect(dense->v, y);
  for (int i = 0; i < N; i++) y[i] *= dense->lambda[i];
  reflect(dense->v, y);
  for (int i = 0; i < N; i++) y[i] *= dense->s[i];
}

/* The whole vector from the owned rows of all ranks. */
static void gather(const struct dense *dense, const void *values, double *whole) {
  for (int i = 0; i < N; i++) whole[i] = 0.0;
  for (int i = 0; i < dense->owned; i++)
    whole[row_of(dense, i)] = hb_real_at(dense->precision, values, i);
  MPI_Allreduce(MPI_IN_PLACE, whole, N, MPI_DOUBLE, MPI_SUM, dense->comm->mpi);
}

/* As the contract says: w is zero on entry. */
static void apply_dense(void *context, const void *p, void *w, double *p_dot_w) {
  struct dense *dense = context;
  double y[N];
  *p_dot_w = 0.0;
  gather(dense, p, dense->gathered);
  multiply(dense, dense->gathered, y);
  if (dense->spoilt && dense->comm->rank == dense->comm->size - 1)
    y[row_of(dense, dense->owned - 1)] = NAN;
  for (int i = 0; i < dense->points; i++) {
    const double before = hb_real_at(dense->precision, w, i);
    hb_real_set(dense->precision, w, i, before + y[row_of(dense, i)]);
    if (i < dense->owned) *p_dot_w += dense->gathered[row_of(dense, i)] * y[row_of(dense, i)];
  }
}

/* A preconditioner of the test's own. */
struct scaling {
  struct hb_preconditioner preconditioner;
  const struct dense *dense; /* borrowed, as the next */
  const void *dinv;
  int calls, failing_call; /* the call that fails on the last rank; 0: none */
};

static enum hb_status apply_scaling(struct hb_preconditioner *preconditioner, const void *r,
                                    void *z) {
  struct scaling *scaling = (struct scaling *)preconditioner;
  const struct dense *dense = scaling->dense;
  for (int i = 0; i < dense->points; i++)
    hb_real_set(dense->precision, z, i,
                hb_real_at(dense->precision, r, i) *
                    hb_real_at(dense->precision, scaling->dinv, i));
  if (++scaling->calls != scaling->failing_call || dense->comm->rank < dense->comm->size - 1)
    return HB_OK;
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__, "planted failure");
}

static const struct hb_preconditioner_type scaling_type = {.apply = apply_scaling};

/* Everything one solve needs. */
struct bench {
  struct dense dense;
  struct scaling scaling;
  struct hb_cg_passes *passes;
  struct hb_cg *cg;
  void *b, *dinv, *x;
};

static void bench_create(struct hb_check *check, const struct hb_comm *comm,
                         enum hb_precision precision, int distinct, enum way way,
                         int max_iterations, struct bench *bench) {
  struct dense *dense = &bench->dense;
  *bench = (struct bench){.dense = {.comm = comm, .precision = precision}};
  dense->first = N * comm->rank / comm->size;
  dense->owned = N * (comm->rank + 1) / comm->size - dense->first;
  dense->points = dense->owned + (comm->size > 1 ? 1 : 0);
  for (int i = 0; i < N; i++) {
    dense->lambda[i] = 1.0 + i % distinct;
    dense->v[i] = hb_random_at(i, 1);
    dense->s[i] = way != PLAIN ? 1.5 + hb_random_at(i, 2) : 1.0;
    dense->b[i] = precision == HB_F64 ? hb_random_at(i, 3) : (double)(float)hb_random_at(i, 3);
  }
  const struct hb_helmholtz_variant *variant = NULL;
  const hb_global points = dense->points;
  CHECK_OK(check,
           hb_helmholtz_find_variant("auto", HB_BACKEND_HOST, HB_GEOMETRY_STORED, 2, &variant));
  CHECK_OK(check, hb_cg_create(max_iterations, &bench->cg));
  bench->b = hb_allocate(points, sizeof(double), "b");
  bench->x = hb_allocate(points, sizeof(double), "x");
  bench->dinv = hb_allocate(points, sizeof(double), "dinv");
  for (int i = 0; i < dense->points; i++) {
    const double s = dense->s[row_of(dense, i)];
    hb_real_set(precision, bench->b, i, dense->b[row_of(dense, i)]);
    hb_real_set(precision, bench->dinv, i, 1.0 / (s * s));
    hb_real_set(precision, bench->x, i, NAN); /* x is output alone */
  }
  bench->scaling =
      (struct scaling){.preconditioner = {.type = &scaling_type,
                                          .fuses = way != APPLIED,
                                          .diagonal = way == FUSED ? bench->dinv : NULL},
                       .dense = dense,
                       .dinv = bench->dinv};
  const struct hb_cg_system system = {.comm = comm,
                                      .ops = hb_vector_ops_for(variant->isa, precision),
                                      .precision = precision,
                                      .num_points = dense->points,
                                      .num_owned = dense->owned,
                                      .apply = apply_dense,
                                      .context = dense,
                                      .preconditioner = &bench->scaling.preconditioner,
                                      .b = bench->b,
                                      .x = bench->x};
  CHECK_OK(check, hb_cg_host_create(&system, &bench->passes));
}

static void bench_destroy(struct bench *bench) {
  hb_cg_passes_destroy(&bench->passes);
  hb_free(bench->b);
  hb_free(bench->x);
  hb_free(bench->dinv);
  hb_cg_destroy(&bench->cg);
}

static enum hb_status solve(struct bench *bench, double tolerance) {
  const struct hb_cg_request request = {.tolerance = tolerance};
  return hb_cg_solve(bench->cg, bench->passes, &request);
}

static double norm(const double *x) {
  double sum = 0.0;
  for (int i = 0; i < N; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* As many iterations as there are distinct eigenvalues, not one less; A x = b; the extreme
 * eigenvalues to rounding.  The spectrum 1 .. distinct has the condition `distinct`. */
static void check_spectrum(struct hb_check *check, const struct hb_comm *comm,
                           enum hb_precision precision, int distinct, enum way way) {
  struct bench bench;
  double x[N], y[N], error[N], low, high;
  const double epsilon = hb_precision_epsilon(precision), tolerance = 100.0 * epsilon;
  bench_create(check, comm, precision, distinct, way, MAX_ITERATIONS, &bench);
  CHECK_OK(check, solve(&bench, tolerance));
  CHECK_EQUAL(check, bench.cg->end, HB_CG_CONVERGED);
  CHECK_EQUAL(check, bench.cg->iterations, distinct);
  CHECK(check, bench.cg->history[distinct] <= tolerance * bench.cg->history[0]);
  CHECK(check, bench.cg->history[distinct - 1] > 1e-5 * bench.cg->history[0]);
  CHECK_NEAR(check, bench.cg->history[0], norm(bench.dense.b), 8.0 * DBL_EPSILON * N);
  gather(&bench.dense, bench.x, x);
  multiply(&bench.dense, x, y);
  for (int i = 0; i < N; i++) error[i] = y[i] - bench.dense.b[i];
  CHECK(check, norm(error) <= 400.0 * epsilon * norm(bench.dense.b)); /* tolerance and drift */
  for (int i = 0; i < bench.dense.points; i++)                        /* copies too */
    CHECK_NEAR(check, hb_real_at(precision, bench.x, i), x[row_of(&bench.dense, i)],
               4.0 * epsilon * norm(x));
  hb_cg_eigenvalues(bench.cg, &low, &high);
  /* Errors of the coefficients are eps times condition times what orthogonality loses. */
  CHECK_NEAR(check, low, 1.0, 1000.0 * epsilon * distinct);
  CHECK_NEAR(check, high, distinct, 1000.0 * epsilon * distinct * distinct);
  bench_destroy(&bench);
}

/* x after `count` iterations of the textbook's recurrence. */
static void textbook(const struct dense *dense, bool scaled, int count, double *x, double *r) {
  double z[N], p[N], w[N], rz = 0.0;
  for (int i = 0; i < N; i++) {
    x[i] = 0.0;
    r[i] = dense->b[i];
    z[i] = p[i] = scaled ? r[i] / (dense->s[i] * dense->s[i]) : r[i];
    rz += r[i] * z[i];
  }
  for (int iteration = 0; iteration < count; iteration++) {
    double pw = 0.0, next = 0.0;
    multiply(dense, p, w);
    for (int i = 0; i < N; i++) pw += p[i] * w[i];
    for (int i = 0; i < N; i++) {
      x[i] += rz / pw * p[i];
      r[i] -= rz / pw * w[i];
      z[i] = scaled ? r[i] / (dense->s[i] * dense->s[i]) : r[i];
      next += r[i] * z[i];
    }
    for (int i = 0; i < N; i++) p[i] = z[i] + next / rz * p[i];
    rz = next;
  }
}

/* The update of x is late by an iteration inside; outside nothing is missing. */
static void check_counts(struct hb_check *check, const struct hb_comm *comm,
                         enum hb_precision precision, enum way way) {
  static const int counts[] = {0, 1, 2, 7};
  const double epsilon = hb_precision_epsilon(precision);
  for (int c = 0; c < 4; c++) {
    struct bench bench;
    double x[N], r[N];
    bench_create(check, comm, precision, N, way, counts[c], &bench);
    CHECK_OK(check, solve(&bench, 0.0));
    textbook(&bench.dense, way != PLAIN, counts[c], x, r);
    CHECK_EQUAL(check, bench.cg->end, HB_CG_COUNT);
    CHECK_EQUAL(check, bench.cg->iterations, counts[c]);
    /* Rounding grows with the condition, about N squared by the scaling, and the iterations. */
    const double bound = 4.0 * epsilon * N * (1 + counts[c]);
    for (int i = 0; i < bench.dense.points; i++) {
      const int row = row_of(&bench.dense, i);
      CHECK_NEAR(check, hb_real_at(precision, bench.x, i), x[row], bound * norm(x));
      CHECK_NEAR(check, hb_real_at(precision, hb_cg_host(bench.passes)->r, i), r[row],
                 bound * norm(bench.dense.b));
    }
    CHECK_NEAR(check, bench.cg->history[counts[c]], norm(r), bound * norm(bench.dense.b));
    bench_destroy(&bench);
  }
}

/* Limit reached; too tight a tolerance; a second solve with the same work space is the same. */
static void check_limits(struct hb_check *check, const struct hb_comm *comm) {
  struct bench bench;
  double first[8];
  bench_create(check, comm, HB_F64, N, PLAIN, 7, &bench);
  CHECK_OK(check, solve(&bench, 1e-12));
  CHECK_EQUAL(check, bench.cg->end, HB_CG_COUNT);
  CHECK_EQUAL(check, bench.cg->iterations, 7);
  memcpy(first, bench.cg->history, sizeof first);
  CHECK_OK(check, solve(&bench, 0.5 * (first[6] + first[7]) / first[0]));
  CHECK_EQUAL(check, bench.cg->end, HB_CG_CONVERGED); /* at the last iteration allowed */
  CHECK_EQUAL(check, bench.cg->iterations, 7);
  CHECK(check, memcmp(first, bench.cg->history, sizeof first) == 0);
  CHECK_OK(check, solve(&bench, 0.5 * (first[2] + first[3]) / first[0]));
  CHECK_EQUAL(check, bench.cg->end, HB_CG_CONVERGED);
  CHECK_EQUAL(check, bench.cg->iterations, 3);
  bench_destroy(&bench);
}

/* Operators and right-hand sides that no solution comes from end at once, with finite x: also those
 * whose squares, or these times the tolerance's, are below the range of numbers. */
static void check_breakdown(struct hb_check *check, const struct hb_comm *comm) {
  for (int kind = 0; kind < 7; kind++) {
    struct bench bench;
    double whole[N], low, high;
    bench_create(check, comm, HB_F64, N, PLAIN, MAX_ITERATIONS, &bench);
    if (kind == 0) /* negative definite */
      for (int i = 0; i < N; i++) bench.dense.lambda[i] = -1.0;
    if (kind == 1) bench.dense.lambda[0] = -20.0; /* one negative eigenvalue, seen later */
    if (kind == 2) bench.dense.spoilt = true;
    for (int i = 0; i < bench.dense.points && kind == 3; i++) ((double *)bench.b)[i] = 0.0;
    if (kind == 4 && comm->rank == 0) ((double *)bench.b)[0] = NAN;
    for (int i = 0; i < bench.dense.points && kind > 4; i++)
      ((double *)bench.b)[i] *= kind == 5 ? 1e-170 : 1e-150;
    CHECK_OK(check, solve(&bench, 1e-10));
    static const enum hb_cg_end ends[] = {HB_CG_INDEFINITE, HB_CG_INDEFINITE,   HB_CG_NOT_A_NUMBER,
                                          HB_CG_CONVERGED,  HB_CG_NOT_A_NUMBER, HB_CG_UNDERFLOW,
                                          HB_CG_UNDERFLOW};
    CHECK_EQUAL(check, bench.cg->end, ends[kind]);
    if (kind != 1) CHECK_EQUAL(check, bench.cg->iterations, 0);
    gather(&bench.dense, bench.x, whole);
    CHECK(check, isfinite(norm(whole)) && (kind == 1 || norm(whole) == 0.0));
    hb_cg_eigenvalues(bench.cg, &low, &high);
    if (kind == 3) CHECK(check, low == 0.0 && high == 0.0 && bench.cg->history[0] == 0.0);
    bench_destroy(&bench);
  }
}

/* What the watcher saw: number of calls, last iteration and residual. */
struct seen {
  int calls, iteration;
  double relative;
};

static void watch(void *context, int iteration, double relative) {
  struct seen *seen = context;
  *seen = (struct seen){seen->calls + 1, iteration, relative};
}

static void check_watch(struct hb_check *check, const struct hb_comm *comm) {
  struct bench bench;
  struct seen seen = {0, 0, 0.0};
  struct hb_timers timers = {.started = 0.0};
  bench_create(check, comm, HB_F64, 5, FUSED, MAX_ITERATIONS, &bench);
  const struct hb_cg_request request = {
      .tolerance = 1e-10, .timers = &timers, .watch = watch, .watch_context = &seen};
  hb_timer_begin(&timers);
  CHECK_OK(check, hb_cg_solve(bench.cg, bench.passes, &request));
  CHECK(check, seen.calls == 5 && seen.iteration == 5);
  CHECK(check, seen.relative == bench.cg->history[5] / bench.cg->history[0]);
  CHECK(check, timers.seconds[HB_PHASE_VECTOR] > 0.0 && timers.seconds[HB_PHASE_SETUP] == 0.0);
  CHECK(check, timers.seconds[HB_PHASE_REDUCTION] > 0.0);
  bench_destroy(&bench);
}

/* Applied or fused, the same preconditioner gives the same iterations; sums and updates round in
 * another order, which the condition of the system, below 10 here, carries on. */
static void check_applied(struct hb_check *check, const struct hb_comm *comm,
                          enum hb_precision precision) {
  struct bench fused, applied;
  const double epsilon = hb_precision_epsilon(precision), tolerance = 1e5 * epsilon;
  bench_create(check, comm, precision, 9, FUSED, MAX_ITERATIONS, &fused);
  bench_create(check, comm, precision, 9, APPLIED, MAX_ITERATIONS, &applied);
  CHECK_OK(check, solve(&fused, tolerance));
  CHECK_OK(check, solve(&applied, tolerance));
  const int iterations = fused.cg->iterations;
  CHECK_EQUAL(check, applied.cg->end, HB_CG_CONVERGED);
  CHECK(check, iterations > 6);
  CHECK_EQUAL(check, applied.cg->iterations, iterations);
  CHECK_EQUAL(check, applied.scaling.calls, iterations + 1);
  CHECK_EQUAL(check, fused.scaling.calls, 0);
  for (int i = 0; i <= iterations; i++)
    CHECK_NEAR(check, applied.cg->history[i], fused.cg->history[i],
               1000.0 * epsilon * fused.cg->history[0]);
  for (int i = 0; i < fused.dense.points; i++)
    CHECK_NEAR(check, hb_real_at(precision, applied.x, i), hb_real_at(precision, fused.x, i),
               1000.0 * epsilon);
  CHECK_EQUAL(check, applied.passes->type->bytes(applied.passes),
              4 * applied.dense.points * (hb_global)hb_precision_bytes(precision));
  bench_destroy(&fused);
  bench_destroy(&applied);
}

/* A preconditioner that fails on one rank ends the solve on all; the next solve is sound. */
static void check_failure(struct hb_check *check, const struct hb_comm *comm) {
  struct bench bench;
  double history[MAX_ITERATIONS + 1];
  bench_create(check, comm, HB_F64, 9, APPLIED, MAX_ITERATIONS, &bench);
  CHECK_OK(check, solve(&bench, 1e-10));
  const int iterations = bench.cg->iterations;
  memcpy(history, bench.cg->history, sizeof history);
  for (int call = 1; call <= 4; call += 3) {
    bench.scaling.calls = 0;
    bench.scaling.failing_call = call;
    CHECK_FAILS(check, solve(&bench, 1e-10), HB_MACHINE_FAILED, "planted failure");
    CHECK_EQUAL(check, bench.cg->end, HB_CG_NOT_A_NUMBER);
    CHECK_EQUAL(check, bench.cg->iterations, call - 1);
    bench.scaling.failing_call = 0;
    CHECK_OK(check, solve(&bench, 1e-10));
    CHECK_EQUAL(check, bench.cg->iterations, iterations);
    CHECK(check,
          memcmp(history, bench.cg->history, (size_t)(iterations + 1) * sizeof *history) == 0);
  }
  bench_destroy(&bench);
}

int main(int argc, char **argv) {
  static const int distinct[] = {1, 2, 5, 9};
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  for (int way = PLAIN; way < NUM_WAYS; way++)
    for (int precision = HB_F64; precision <= HB_F32; precision++) {
      for (int d = 0; d < 4; d++)
        check_spectrum(&check, comm, (enum hb_precision)precision, distinct[d], (enum way)way);
      check_counts(&check, comm, (enum hb_precision)precision, (enum way)way);
    }
  check_limits(&check, comm);
  check_breakdown(&check, comm);
  check_watch(&check, comm);
  check_applied(&check, comm, HB_F64);
  check_applied(&check, comm, HB_F32);
  check_failure(&check, comm);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
