/* SPDX-License-Identifier: BSD-3-Clause
 * Bytes and flops of the parts, from the report's model of an iteration. */
#include <math.h>
#include <string.h>

#include "app/bench/parts.h"
#include "app/figures.h"
#include "kernels/vectors/stream.h"

/* Bytes of an iteration's entries [begin, end), all or those whose names begin so. */
static double entries_bytes(const struct hb_traffic *traffic, int begin, int end,
                            const char *prefix) {
  double bytes = 0.0;
  for (int i = begin; i < end; i++)
    if (strncmp(traffic->entries.entry[i].name, prefix, strlen(prefix)) == 0)
      bytes += traffic->entries.entry[i].bytes;
  return bytes;
}

/* Vectors in bytes: of all points, of those on surfaces, and of the inverse diagonal, if any. */
struct vectors {
  double all, surface, dinv, owned;
};

static struct vectors vectors_of(const struct hb_solver *solver) {
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const double real = (double)hb_precision_bytes(solver->op->precision);
  const double all = (double)hb_operator_vector_bytes(solver->op);
  return (struct vectors){.all = all,
                          .surface = real * (numbering->num_points - numbering->surface_start),
                          .dinv = solver->preconditioner->diagonal != NULL ? all : 0.0,
                          .owned = real * numbering->num_owned};
}

/* Geometry, index of the surfaces, u and w. */
static double operator_bytes(const struct hb_solver *solver, const struct hb_traffic *traffic,
                             const struct vectors *vectors) {
  const int count = traffic->entries.count;
  const double read = entries_bytes(traffic, 0, count, "geomet") +
                      entries_bytes(traffic, 0, count, "surface index");
  if (hb_backend_on_gpu(solver->plan->backend))
    return read + vectors->all +
           entries_bytes(traffic, 0, traffic->operator_count, "w inside elements") +
           entries_bytes(traffic, 0, traffic->operator_count, "element surfaces");
  return read + 2.0 * vectors->all + vectors->surface;
}

static void model_bytes(const struct hb_bench_work *work, const struct hb_traffic *traffic,
                        struct hb_bench_model *model) {
  const struct hb_solver *solver = work->solver;
  const bool on_gpu = hb_backend_on_gpu(solver->plan->backend);
  const struct vectors v = vectors_of(solver);
  const double message = (double)hb_gather_scatter_bytes(solver->mesh->gs, solver->op->precision);
  const double exchanged = entries_bytes(traffic, 0, traffic->entries.count, "exchange");
  const double alone = operator_bytes(solver, traffic, &v);
  double fused = alone + 5.0 * v.all + v.dinv; /* p twice, r, x twice */
  if (on_gpu) fused = entries_bytes(traffic, 0, traffic->operator_count, "");
  model[HB_BENCH_OPERATOR].bytes = alone;
  model[HB_BENCH_OPERATOR_UPDATES].bytes = fused;
  model[HB_BENCH_RESIDUAL].bytes = traffic->entries.total - exchanged - fused;
  model[HB_BENCH_PACKING].bytes = 2.0 * message;
  model[HB_BENCH_DOT].bytes = on_gpu ? v.owned * (v.dinv > 0.0 ? 2.0 : 1.0) : 2.0 * v.owned;
  model[HB_BENCH_EXCHANGE].bytes = message;
  model[HB_BENCH_ITERATION].bytes = traffic->entries.total;
}

/* What the equations need, as the report counts it: 2 flops a point of each update and sum, and 1
 * or 3 of the preconditioner. */
static void model_flops(const struct hb_bench_work *work, struct hb_bench_model *model) {
  const struct hb_solver *solver = work->solver;
  const double elements = solver->mesh->numbering->num_elements;
  const double owned = solver->mesh->numbering->num_owned;
  const bool with_dinv = solver->preconditioner->diagonal != NULL;
  const double alone = elements * hb_helmholtz_flops(solver->op->helmholtz.n,
                                                     hb_geometry_has_mass(&solver->plan->geometry));
  model[HB_BENCH_OPERATOR].flops = alone;
  model[HB_BENCH_OPERATOR_UPDATES].flops = alone + owned * (with_dinv ? 5.0 : 4.0);
  model[HB_BENCH_RESIDUAL].flops = owned * (with_dinv ? 7.0 : 4.0);
  model[HB_BENCH_DOT].flops =
      owned * (hb_backend_on_gpu(solver->plan->backend) && with_dinv ? 5.0 : 2.0);
  model[HB_BENCH_ITERATION].flops =
      model[HB_BENCH_OPERATOR_UPDATES].flops + model[HB_BENCH_RESIDUAL].flops;
}

enum hb_status hb_bench_model(const struct hb_bench_work *work,
                              struct hb_bench_model model[HB_NUM_BENCH_PARTS]) {
  struct hb_traffic traffic;
  const double count = (double)(work->stream_bytes / (hb_global)sizeof(double));
  for (int p = 0; p < HB_NUM_BENCH_PARTS; p++) model[p] = (struct hb_bench_model){NAN, NAN};
  const enum hb_status status = hb_figures_traffic(work->solver, &traffic);
  if (status == HB_OK) {
    model_bytes(work, &traffic, model);
    model_flops(work, model);
    model[HB_BENCH_COPY] = (struct hb_bench_model){count * HB_COPY_BYTES, NAN};
    model[HB_BENCH_TRIAD] = (struct hb_bench_model){count * HB_TRIAD_BYTES, 2.0 * count};
  }
  hb_traffic_destroy(&traffic);
  return status;
}
