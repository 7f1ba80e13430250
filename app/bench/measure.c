/* SPDX-License-Identifier: BSD-3-Clause
 * Samples of all parts in turn, and the rows that follow from them. */
#include "app/bench/measure.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 5, INTERPRETED_SAMPLES = 1, MOST_REPEATS = 20000 };
static const double MIN_TIME = 0.2;

/* A configuration while it is measured. */
struct measurement {
  struct hb_bench_work *work; /* borrowed */
  const struct hb_comm *comm;
  int num_samples, repeats[HB_NUM_BENCH_PARTS];
  double min_time;
  bool timed[HB_NUM_BENCH_PARTS];
  double *samples; /* owned [part][num_samples]; largest over ranks */
  struct hb_bench_verdict verdict;
};

static bool is_stream(int part) { return part == HB_BENCH_COPY || part == HB_BENCH_TRIAD; }

/* Collective.  One sample of a part: every rank begins with the others. */
static enum hb_status sample(const struct measurement *measurement, int part, int repeats,
                             double *seconds) {
  hb_comm_barrier(measurement->comm);
  enum hb_status status =
      hb_bench_run(measurement->work, (enum hb_bench_part)part, repeats, seconds);
  hb_comm_max(measurement->comm, 1, seconds);
  if (isnan(*seconds)) status = hb_comm_agree(measurement->comm, status);
  return status;
}

/* Collective.  Each part once untimed, then so often as its samples need it. */
static enum hb_status warm_up(struct measurement *measurement) {
  enum hb_status status = HB_OK;
  for (int part = 0; part < HB_NUM_BENCH_PARTS; part++) {
    double seconds = 0.0;
    measurement->repeats[part] = 1;
    if (!measurement->timed[part] || is_stream(part)) continue;
    HB_TRY(sample(measurement, part, 1, &seconds));
    HB_TRY(sample(measurement, part, 1, &seconds));
    if (part == HB_BENCH_ITERATION) seconds *= measurement->work->solver->cg->iterations;
    measurement->repeats[part] =
        hb_bench_repeats(measurement->min_time, measurement->num_samples, seconds, MOST_REPEATS);
  }
done:
  return status;
}

/* Collective. */
static enum hb_status sample_streams(const struct measurement *measurement, int number) {
  enum hb_status status = HB_OK;
  double seconds[2], bytes[2];
  HB_TRY(hb_bench_stream(measurement->work, seconds, bytes));
  for (int s = 0; s < 2; s++)
    measurement->samples[(HB_BENCH_COPY + s) * measurement->num_samples + number] = seconds[s];
done:
  return status;
}

/* Collective.  The parts take turns, so that what disturbs the machine disturbs all. */
static enum hb_status take_samples(const struct measurement *measurement) {
  enum hb_status status = HB_OK;
  for (int number = 0; number < measurement->num_samples; number++) {
    double ignored[2];
    HB_TRY(sample_streams(measurement, number));
    measurement->work->passes->type->start(measurement->work->passes, ignored); /* small numbers */
    for (int part = 0; part < HB_NUM_BENCH_PARTS; part++)
      if (measurement->timed[part] && !is_stream(part))
        HB_TRY(sample(measurement, part, measurement->repeats[part],
                      &measurement->samples[part * measurement->num_samples + number]));
  }
done:
  return status;
}

/* Collective.  The model's numbers of all ranks together, and the bytes of the rank that has most.
 */
static enum hb_status add_models(const struct measurement *measurement,
                                 struct hb_bench_model sum[HB_NUM_BENCH_PARTS],
                                 double most[HB_NUM_BENCH_PARTS]) {
  enum hb_status status = HB_OK;
  double bytes[HB_NUM_BENCH_PARTS], flops[HB_NUM_BENCH_PARTS];
  HB_TRY(hb_comm_agree(measurement->comm, hb_bench_model(measurement->work, sum)));
  for (int part = 0; part < HB_NUM_BENCH_PARTS; part++) {
    bytes[part] = sum[part].bytes;
    flops[part] = sum[part].flops;
    most[part] = isnan(bytes[part]) ? 0.0 : bytes[part];
  }
  hb_comm_sum(measurement->comm, HB_NUM_BENCH_PARTS, bytes);
  hb_comm_sum(measurement->comm, HB_NUM_BENCH_PARTS, flops);
  hb_comm_max(measurement->comm, HB_NUM_BENCH_PARTS, most);
  for (int part = 0; part < HB_NUM_BENCH_PARTS; part++)
    sum[part] = (struct hb_bench_model){bytes[part], flops[part]};
done:
  return status;
}

/* What all rows of the configuration have. */
static struct hb_bench_row common_row(const struct hb_bench_case *of, int samples) {
  const struct hb_plan *plan = of->plan;
  struct hb_bench_row row;
  memset(&row, 0, sizeof row);
  row.degree = plan->box.degree;
  row.n = plan->box.degree + 1;
  row.ranks = plan->comm->size;
  row.samples = samples;
  row.elements = hb_box_num_elements(&plan->box);
  row.points = hb_box_num_points(&plan->box);
  snprintf(row.precision, sizeof row.precision, "%s", hb_precision_name(of->options.precision));
  snprintf(row.geometry, sizeof row.geometry, "%s", hb_geometry_mode_name(plan->geometry.mode));
  snprintf(row.kernel, sizeof row.kernel, "%s", plan->backend->kernel.variant->name);
  hb_shape_word(&plan->backend->kernel.shape, row.shape);
  return row;
}

/* On rank 0.  The parts that are wanted and there; those that are wrong have no time. */
static enum hb_status add_rows(const struct hb_bench_case *of, unsigned wanted,
                               const struct measurement *measurement,
                               const struct hb_bench_model *model, const double *most,
                               double cache_bytes, struct hb_bench_results *results) {
  enum hb_status status = HB_OK;
  struct hb_bench_statistics found[HB_NUM_BENCH_PARTS];
  for (int part = 0; part < HB_NUM_BENCH_PARTS; part++) {
    found[part] = (struct hb_bench_statistics){NAN, NAN, NAN, NAN};
    if (measurement->timed[part])
      found[part] = hb_bench_statistics(measurement->num_samples,
                                        measurement->samples + part * measurement->num_samples);
  }
  for (int part = 0; part < HB_NUM_BENCH_PARTS; part++) {
    struct hb_bench_row row = common_row(of, measurement->num_samples);
    if ((wanted >> part & 1) == 0) continue;
    snprintf(row.part, sizeof row.part, "%s", hb_bench_part_names()[part]);
    row.right = hb_bench_is_right(&measurement->verdict, (enum hb_bench_part)part);
    row.error = measurement->verdict.ratio[part];
    row.repeats = measurement->repeats[part];
    row.cached = part != HB_BENCH_EXCHANGE && part != HB_BENCH_PACKING && most[part] > 0.0 &&
                 hb_min(most[part], most[HB_BENCH_COPY]) < 2.0 * cache_bytes;
    row.least_s = found[part].least;
    row.median_s = found[part].median;
    row.most_s = found[part].most;
    row.spread_s = found[part].spread;
    row.bytes = model[part].bytes;
    row.flops = model[part].flops;
    hb_bench_rates(&row, found[HB_BENCH_COPY].least, model[HB_BENCH_COPY].bytes);
    HB_TRY(hb_bench_results_add(results, &row));
  }
done:
  return status;
}

/* Collective. */
static enum hb_status time_parts(struct measurement *measurement, unsigned wanted, int *num_wrong) {
  enum hb_status status = HB_OK;
  for (int part = 0; part < HB_NUM_BENCH_PARTS; part++) {
    const bool asked = (wanted >> part & 1) != 0;
    const bool right = hb_bench_is_right(&measurement->verdict, (enum hb_bench_part)part);
    measurement->timed[part] = (asked || is_stream(part)) && right;
    if (asked && !right) ++*num_wrong;
  }
  HB_TRY(warm_up(measurement));
  HB_TRY(take_samples(measurement));
done:
  return status;
}

/* Collective.  Of this mesh; and, on the host, of a few bent elements (on a GPU the tuner has
 * random ones).  The undeformed mesh has zeros among its factors. */
static enum hb_status verify(struct hb_bench_case *of, const struct hb_bench_options *options,
                             const struct hb_bench_place *place, struct hb_bench_verdict *verdict) {
  enum hb_status status = HB_OK;
  struct hb_bench_case *bent = NULL;
  struct hb_bench_verdict other;
  HB_TRY(hb_bench_verify(&of->work, verdict));
  if (hb_backend_on_gpu(of->plan->backend)) return HB_OK;
  HB_TRY(hb_bench_case_bend(of->plan->comm, options, place, &of->configuration, &bent));
  if (bent == NULL) return HB_OK;
  HB_TRY(hb_bench_verify(&bent->work, &other));
  for (int part = 0; part < HB_NUM_BENCH_PARTS; part++)
    verdict->ratio[part] = hb_max(verdict->ratio[part], other.ratio[part]);
done:
  hb_bench_case_destroy(&bent);
  return status;
}

enum hb_status hb_bench_measure(struct hb_bench_case *of, const struct hb_bench_options *options,
                                const struct hb_bench_place *place,
                                struct hb_bench_results *results, int *num_wrong) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = of->plan->comm;
  const unsigned wanted = options->chosen_parts &
                          hb_bench_parts_there(hb_backend_on_gpu(of->plan->backend), comm->size);
  struct measurement measurement = {.work = &of->work, .comm = comm};
  struct hb_bench_model model[HB_NUM_BENCH_PARTS];
  double most[HB_NUM_BENCH_PARTS];
  const int samples = place->interpreted ? INTERPRETED_SAMPLES : SAMPLES;
  measurement.num_samples = options->samples > 0 ? options->samples : samples;
  measurement.min_time = options->min_time >= 0.0 ? options->min_time
                         : place->interpreted     ? 0.0
                                                  : MIN_TIME;
  measurement.samples = hb_allocate((hb_global)HB_NUM_BENCH_PARTS * measurement.num_samples,
                                    sizeof *measurement.samples, "samples");
  HB_TRY(hb_comm_agree(comm, measurement.samples != NULL ? HB_OK : HB_MACHINE_FAILED));
  HB_TRY(verify(of, options, place, &measurement.verdict));
  HB_TRY(add_models(&measurement, model, most));
  HB_TRY(time_parts(&measurement, wanted, num_wrong));
  if (comm->rank == 0)
    status = add_rows(of, wanted, &measurement, model, most, place->cache_bytes, results);
  HB_TRY(hb_comm_agree(comm, status));
done:
  hb_free(measurement.samples);
  return status;
}
