/* SPDX-License-Identifier: BSD-3-Clause
 * The benchmark on a device: bytes are those of the report, what is right is timed, and kernels
 * that do nothing, which take no time, have no speed. */
#include "app/bench/measure.h"
#include "app/cg_device.h"
#include "app/figures.h"
#include "tests/mesh_device.h"

static const struct hb_bench_place place = {
    .interpreted = true, .cache_bytes = 1e6, .points = 200.0};

static struct hb_bench_options options_of(bool mass) {
  struct hb_bench_options options;
  memset(&options, 0, sizeof options);
  options.points = 200.0;
  options.min_time = 0.0;
  options.samples = 1;
  options.mass = mass;
  options.preconditioner = mass ? HB_JACOBI : HB_PLAIN;
  options.backend = HB_BACKEND_ONLY_GPU;
  options.gpu_aware = HB_GPU_AWARE_OFF;
  options.chosen_parts = (1u << HB_NUM_BENCH_PARTS) - 1u;
  return options;
}

static enum hb_status create(const struct hb_comm *comm, enum hb_precision precision,
                             enum hb_geometry_mode mode, bool mass, struct hb_bench_case **of) {
  const struct hb_bench_options options = options_of(mass);
  const struct hb_bench_configuration configuration = {
      .degree = 3, .precision = precision, .mode = mode, .kernel = "kstep"};
  const enum hb_status status = hb_bench_case_create(comm, &options, &place, &configuration, of);
  if (status == HB_OK) (*of)->work.stream_bytes = 1 << 14;
  return status;
}

/* Operator with updates and residual are the two passes of the report; the operator alone has
 * neither p's and x's updates nor the diagonal. */
static void check_model(struct hb_check *check, const struct hb_bench_case *of) {
  struct hb_bench_model model[HB_NUM_BENCH_PARTS];
  struct hb_traffic traffic;
  double passes[2] = {0.0, 0.0};
  const bool jacobi = of->solver->preconditioner->diagonal != NULL;
  const double vector = (double)hb_operator_vector_bytes(of->solver->op);
  CHECK_OK(check, hb_bench_model(&of->work, model));
  CHECK_OK(check, hb_figures_traffic(of->solver, &traffic));
  for (int i = 0; i < traffic.pass_count; i++)
    passes[i < traffic.operator_count ? 0 : 1] += traffic.entries.entry[i].bytes;
  CHECK_NEAR(check, model[HB_BENCH_OPERATOR_UPDATES].bytes, passes[0], 1e-6);
  CHECK_NEAR(check, model[HB_BENCH_RESIDUAL].bytes, passes[1], 1e-6);
  CHECK_NEAR(check, model[HB_BENCH_OPERATOR].bytes, passes[0] - (jacobi ? 5.0 : 4.0) * vector,
             1e-6);
  hb_traffic_destroy(&traffic);
}

/* Measures; `parts`: those that are not to have a time, `open`: those judged by what is wrong. */
static void check_measured(struct hb_check *check, struct hb_bench_case *of, unsigned parts,
                           unsigned open) {
  const struct hb_bench_options options = options_of(of->options.h2 > 0.0);
  struct hb_bench_results results;
  int num_wrong = 0;
  memset(&results, 0, sizeof results);
  CHECK_OK(check, hb_bench_measure(of, &options, &place, &results, &num_wrong));
  if (of->plan->comm->rank == 0)
    CHECK_EQUAL(check, results.count, of->plan->comm->size > 1 ? HB_NUM_BENCH_PARTS : 9);
  for (int part = 0; part < HB_NUM_BENCH_PARTS; part++)
    for (int r = 0; r < results.count; r++) {
      const struct hb_bench_row *row = &results.rows[r];
      const bool wrong = (parts >> part & 1) != 0;
      if (strcmp(row->part, hb_bench_part_names()[part]) != 0 || (open >> part & 1) != 0) continue;
      CHECK_EQUAL(check, row->right, !wrong);
      CHECK_EQUAL(check, isnan(row->least_s), wrong);
      CHECK(check, wrong || row->least_s > 0.0);
    }
  CHECK_EQUAL(check, num_wrong > 0, parts != 0);
  hb_bench_results_destroy(&results);
}

/* ---- kernels that do nothing ----------------------------------------------------------------- */

static enum hb_status apply_silently(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                     hb_local end, bool with_mass,
                                     const struct hb_device_direction *direction, const void *d_u,
                                     void *d_w, hb_local *num_partials) {
  (void)helmholtz, (void)with_mass, (void)direction, (void)d_u, (void)d_w;
  *num_partials += end - begin;
  return HB_OK;
}

/* Right with a direction, as gate and tuner run it, and nothing without. */
static hb_helmholtz_device_apply *sound;
static enum hb_status apply_with_direction(const struct hb_device_helmholtz *helmholtz,
                                           hb_local begin, hb_local end, bool with_mass,
                                           const struct hb_device_direction *direction,
                                           const void *d_u, void *d_w, hb_local *num_partials) {
  return (direction != NULL ? sound : apply_silently)(helmholtz, begin, end, with_mass, direction,
                                                      d_u, d_w, num_partials);
}

static enum hb_status update_silently(const struct hb_device_assembly *assembly,
                                      enum hb_assembly_part part, struct hb_device_factor alpha,
                                      const void *d_dinv, const void *d_w, void *d_r,
                                      double *d_partials, hb_local *num_partials) {
  (void)assembly, (void)part, (void)alpha, (void)d_dinv, (void)d_w, (void)d_r, (void)d_partials;
  *num_partials += 1;
  return HB_OK;
}

static enum hb_status dot_silently(struct hb_device *device, hb_local owned, const void *d_dinv,
                                   const void *d_r, double *d_partials, hb_local *num_partials) {
  (void)device, (void)owned, (void)d_dinv, (void)d_r, (void)d_partials;
  *num_partials += 1;
  return HB_OK;
}

static enum hb_status pack_silently(const struct hb_device_assembly *assembly, void *d_send) {
  (void)assembly, (void)d_send;
  return HB_OK;
}

static void check_silent(struct hb_check *check, struct hb_bench_case *of) {
  const unsigned messages = 1u << HB_BENCH_PACKING | 1u << HB_BENCH_EXCHANGE;
  const unsigned passes =
      1u << HB_BENCH_OPERATOR_UPDATES | 1u << HB_BENCH_RESIDUAL | 1u << HB_BENCH_ITERATION;
  const unsigned iteration = 1u << HB_BENCH_ITERATION;
  const unsigned operators = passes | 1u << HB_BENCH_OPERATOR;
  struct hb_operator_device *od = hb_operator_device(of->solver->op);
  const struct hb_device_kernels right = od->kernels;
  const struct hb_kernel kernel = of->plan->backend->kernel;
  struct hb_helmholtz_variant wrong = *kernel.variant;
  const bool here = of->plan->comm->rank == of->plan->comm->size - 1;
  sound = right.apply;
  if (here) od->kernels.apply = apply_silently;
  check_measured(check, of, operators, messages);
  if (here) od->kernels.apply = apply_with_direction;
  check_measured(check, of, operators, messages);
  od->kernels = right;
  if (here) od->kernels.residual = update_silently; /* a solve may go by launches recorded before */
  check_measured(check, of, passes & ~iteration, iteration);
  od->kernels = right;
  if (here) od->kernels.dots = dot_silently;
  check_measured(check, of, 1u << HB_BENCH_DOT, passes); /* a solve begins with them */
  od->kernels = right;
  if (here) od->kernels.pack = pack_silently;
  if (of->plan->comm->size > 1) check_measured(check, of, operators | messages, 0);
  od->kernels = right;
  wrong.device.apply[HB_F64] = apply_silently; /* that the tuner alone asks */
  if (here) of->plan->backend->kernel.variant = &wrong;
  check_measured(check, of, operators, 0);
  of->plan->backend->kernel = kernel;
  check_measured(check, of, 0, 0);
}

static void check_all(struct hb_check *check, const struct hb_comm *comm,
                      struct hb_device *device) {
  (void)device; /* each plan opens it itself */
  for (int precision = HB_F64; precision <= HB_F32; precision++) {
    struct hb_bench_case *of = NULL;
    const bool mass = precision == HB_F64;
    const enum hb_geometry_mode mode = mass ? HB_GEOMETRY_STORED : HB_GEOMETRY_AFFINE;
    CHECK_OK(check, create(comm, (enum hb_precision)precision, mode, mass, &of));
    if (of == NULL) continue;
    check_model(check, of);
    if (precision == HB_F64)
      check_silent(check, of);
    else
      check_measured(check, of, 0, 0);
    hb_bench_case_destroy(&of);
  }
}

int main(int argc, char **argv) { return mesh_device_main(argc, argv, check_all); }
