/* SPDX-License-Identifier: BSD-3-Clause
 * The benchmark on the host: bytes and flops are those of the report, what is right is timed, and
 * of what is wrong there is no speed. */
#include "app/bench/measure.h"
#include "app/cg_host.h"
#include "app/figures.h"
#include "tests/check.h"

enum { LISTED = HB_NUM_BENCH_PARTS };

static struct hb_bench_options options_of(bool mass) {
  struct hb_bench_options options;
  memset(&options, 0, sizeof options);
  options.points = 600.0;
  options.min_time = 0.0;
  options.samples = 2;
  options.mass = mass;
  options.preconditioner = mass ? HB_JACOBI : HB_PLAIN;
  options.backend = HB_BACKEND_ONLY_HOST;
  options.chosen_parts = (1u << LISTED) - 1u;
  return options;
}

static const struct hb_bench_place place = {.cache_bytes = 1e6, .points = 600.0};

static enum hb_status create(const struct hb_comm *comm, enum hb_precision precision,
                             enum hb_geometry_mode mode, bool mass, struct hb_bench_case **of) {
  const struct hb_bench_options options = options_of(mass);
  const struct hb_bench_configuration configuration = {
      .degree = 3, .precision = precision, .mode = mode, .kernel = "auto"};
  const enum hb_status status = hb_bench_case_create(comm, &options, &place, &configuration, of);
  if (status == HB_OK) (*of)->work.stream_bytes = 1 << 16; /* their rates are not looked at */
  return status;
}

/* The parts of an iteration add up to the report's model of it. */
static void check_model(struct hb_check *check, const struct hb_bench_case *of) {
  struct hb_bench_model model[HB_NUM_BENCH_PARTS];
  struct hb_traffic traffic;
  const bool jacobi = of->solver->preconditioner->diagonal != NULL;
  const double owned = of->solver->mesh->numbering->num_owned;
  CHECK_OK(check, hb_bench_model(&of->work, model));
  CHECK_OK(check, hb_figures_traffic(of->solver, &traffic));
  double exchanged = 0.0;
  for (int i = 0; i < traffic.entries.count; i++)
    if (strncmp(traffic.entries.entry[i].name, "exchange", 8) == 0)
      exchanged += traffic.entries.entry[i].bytes;
  CHECK_NEAR(check,
             model[HB_BENCH_OPERATOR_UPDATES].bytes + model[HB_BENCH_RESIDUAL].bytes + exchanged,
             traffic.entries.total, 1e-6);
  CHECK_NEAR(check, model[HB_BENCH_ITERATION].bytes, traffic.entries.total, 1e-6);
  /* The residual by itself: w and its surfaces once, r twice, the diagonal. */
  const struct hb_numbering *numbering = of->solver->mesh->numbering;
  const double real = (double)hb_precision_bytes(of->solver->op->precision);
  CHECK_NEAR(check, model[HB_BENCH_RESIDUAL].bytes,
             real * ((jacobi ? 4.0 : 3.0) * numbering->num_points + numbering->num_points -
                     numbering->surface_start),
             1e-6);
  CHECK(check, model[HB_BENCH_OPERATOR].bytes < model[HB_BENCH_OPERATOR_UPDATES].bytes);
  CHECK_NEAR(check, model[HB_BENCH_EXCHANGE].bytes * 6.0, exchanged, 1e-6);
  /* Flops of an iteration, as the report counts them for all ranks. */
  const double useful = of->solver->mesh->numbering->num_elements * hb_helmholtz_flops(4, jacobi) +
                        (jacobi ? 12.0 : 8.0) * owned;
  CHECK_NEAR(check, model[HB_BENCH_ITERATION].flops, useful, 1e-6);
  hb_traffic_destroy(&traffic);
}

static const struct hb_bench_row *row_of(const struct hb_bench_results *results, const char *part) {
  for (int r = 0; r < results->count; r++)
    if (strcmp(results->rows[r].part, part) == 0) return &results->rows[r];
  return NULL;
}

/* A right case has a time and a rate for every part that is there. */
static void check_right(struct hb_check *check, struct hb_bench_case *of) {
  const struct hb_bench_options options = options_of(of->options.h2 > 0.0);
  const bool first = of->plan->comm->rank == 0, alone = of->plan->comm->size == 1;
  struct hb_bench_results results;
  int num_wrong = 0;
  memset(&results, 0, sizeof results);
  CHECK_OK(check, hb_bench_measure(of, &options, &place, &results, &num_wrong));
  CHECK_EQUAL(check, num_wrong, 0);
  CHECK_EQUAL(check, results.count, first ? (alone ? 7 : 10) : 0);
  for (int r = 0; r < results.count; r++) {
    const struct hb_bench_row *row = &results.rows[r];
    CHECK(check, row->right && row->error <= 1.0 && row->least_s > 0.0);
    CHECK(check, row->least_s <= row->median_s && row->median_s <= row->most_s);
    CHECK_EQUAL(check, row->cached,
                strcmp(row->part, "all_reduce") != 0 && strcmp(row->part, "packing") != 0 &&
                    strcmp(row->part, "exchange") != 0);
    CHECK_EQUAL(check, row->points, hb_box_num_points(&of->plan->box));
  }
  hb_bench_results_destroy(&results);
}

/* ---- what must be refused -------------------------------------------------------------------- */

static hb_helmholtz_apply *sound; /* what the planted kernels are made from */

static double apply_nothing(const struct hb_helmholtz *helmholtz, hb_local begin, hb_local end,
                            bool with_mass, const void *u, void *w) {
  (void)helmholtz, (void)begin, (void)end, (void)with_mass, (void)u, (void)w;
  return 0.0;
}

/* The last block of what is asked for is missing. */
static double apply_fewer(const struct hb_helmholtz *helmholtz, hb_local begin, hb_local end,
                          bool with_mass, const void *u, void *w) {
  return sound(helmholtz, begin, end > begin ? end - 1 : end, with_mass, u, w);
}

/* The result is right, its sum is not. */
static double apply_wrong_sum(const struct hb_helmholtz *helmholtz, hb_local begin, hb_local end,
                              bool with_mass, const void *u, void *w) {
  return 1.01 * sound(helmholtz, begin, end, with_mass, u, w);
}

static double apply_nan(const struct hb_helmholtz *helmholtz, hb_local begin, hb_local end,
                        bool with_mass, const void *u, void *w) {
  const double sum = sound(helmholtz, begin, end, with_mass, u, w);
  ((double *)w)[0] = (double)NAN;
  return sum;
}

/* Measures with one thing wrong; `parts`: those that are not to have a time, `open`: those that are
 * judged by what the wrong thing gives. */
static void check_refused(struct hb_check *check, struct hb_bench_case *of, unsigned parts,
                          unsigned open) {
  const struct hb_bench_options options = options_of(of->options.h2 > 0.0);
  const unsigned there = hb_bench_parts_there(false, of->plan->comm->size);
  struct hb_bench_results results;
  int num_wrong = 0, least = 0, most = 0;
  memset(&results, 0, sizeof results);
  CHECK_OK(check, hb_bench_measure(of, &options, &place, &results, &num_wrong));
  for (int part = 0; part < HB_NUM_BENCH_PARTS; part++) {
    const struct hb_bench_row *row = row_of(&results, hb_bench_part_names()[part]);
    const bool wrong = (parts >> part & 1) != 0;
    if ((there >> part & 1) == 0) continue;
    least += wrong;
    most += wrong || (open >> part & 1) != 0;
    if (of->plan->comm->rank != 0 || (open >> part & 1) != 0) continue;
    CHECK(check, row != NULL);
    if (row == NULL) continue;
    CHECK_EQUAL(check, row->right, !wrong);
    CHECK_EQUAL(check, row->error <= 1.0, !wrong);
    CHECK_EQUAL(check, isnan(row->least_s) && isnan(row->gbytes_per_s), wrong);
  }
  CHECK(check, num_wrong >= least && num_wrong <= most);
  hb_bench_results_destroy(&results);
}

static void check_wrong_kernels(struct hb_check *check, struct hb_bench_case *of) {
  static hb_helmholtz_apply *const planted[] = {apply_nothing, apply_fewer, apply_wrong_sum,
                                                apply_nan};
  const unsigned operators = 1u << HB_BENCH_OPERATOR | 1u << HB_BENCH_OPERATOR_UPDATES |
                             1u << HB_BENCH_RESIDUAL | 1u << HB_BENCH_ITERATION;
  const struct hb_helmholtz_variant *right = of->solver->op->kernel.variant;
  const struct hb_comm *comm = of->plan->comm;
  struct hb_helmholtz_variant wrong = *right;
  sound = right->host.apply[HB_F64];
  for (size_t p = 0; p < sizeof planted / sizeof *planted; p++) {
    wrong.host.apply[HB_F64] = planted[p];
    if (comm->rank == comm->size - 1) of->solver->op->kernel.variant = &wrong; /* there alone */
    check_refused(check, of, operators, 1u << HB_BENCH_PACKING | 1u << HB_BENCH_EXCHANGE);
    of->solver->op->kernel.variant = right;
  }
}

static const struct hb_vector_ops *sound_ops;

static double wrong_dot(hb_local owned, const void *x, const void *y) {
  return sound_ops->dot(owned / 2, x, y);
}

/* The first entry of r stays. */
static void wrong_update(hb_local count, hb_local owned, hb_local surface_start, double alpha,
                         const void *dinv, void *w, void *r, double sums[2]) {
  const double kept = ((const double *)r)[0];
  sound_ops->update_residual(count, owned, surface_start, alpha, dinv, w, r, sums);
  ((double *)r)[0] = kept;
}

static void check_wrong_passes(struct hb_check *check, struct hb_bench_case *of) {
  struct hb_vector_ops wrong = *of->solver->op->ops;
  sound_ops = of->solver->op->ops;
  wrong.dot = wrong_dot;
  of->work.passes->system.ops = &wrong;
  check_refused(check, of, 1u << HB_BENCH_DOT, 0);
  wrong = *sound_ops;
  wrong.update_residual = wrong_update;
  check_refused(
      check, of,
      1u << HB_BENCH_OPERATOR_UPDATES | 1u << HB_BENCH_RESIDUAL | 1u << HB_BENCH_ITERATION, 0);
  of->work.passes->system.ops = sound_ops;
  check_refused(check, of, 0, 0);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  struct hb_bench_case *of = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  for (int precision = HB_F64; precision <= HB_F32; precision++)
    for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++) {
      const bool mass = (precision + mode) % 2 == 0;
      CHECK_OK(&check,
               create(comm, (enum hb_precision)precision, (enum hb_geometry_mode)mode, mass, &of));
      if (of == NULL) continue;
      check_model(&check, of);
      check_right(&check, of);
      if (precision == HB_F64 && mode == HB_GEOMETRY_STORED) check_wrong_kernels(&check, of);
      if (precision == HB_F64 && mode == HB_GEOMETRY_STORED) check_wrong_passes(&check, of);
      hb_bench_case_destroy(&of);
    }
  hb_comm_destroy(&comm);
  const int code = hb_check_finish(&check);
  MPI_Finalize();
  return code;
}
