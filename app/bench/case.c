/* SPDX-License-Identifier: BSD-3-Clause
 * Options, plan and solver of a configuration. */
#include "app/bench/case.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "app/figures.h"

/* Iterations of a solve; elements along an axis where times mean nothing. */
enum {
  GPU_ITERATIONS = 50,
  HOST_ITERATIONS = 20,
  INTERPRETED_ITERATIONS = 2,
  INTERPRETED_AXIS = 2,
  BENT_TIMES = 4 /* so many elements more of those that are bent */
};
static const double MIB = 1048576.0;

/* Bytes of a GPU's last-level cache, by what the vendors say of their parts. */
static double device_cache_bytes(const char *architecture) {
  static const struct {
    const char *architecture;
    double mib;
  } known[] = {
      {"gfx90a", 8.0}, {"gfx942", 256.0}, {"sm_80", 40.0}, {"sm_90", 50.0}, {"sm_100", 126.0}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (strcmp(architecture, known[k].architecture) == 0) return MIB * known[k].mib;
  return MIB * 64.0;
}

static double host_cache_bytes(const struct hb_comm *comm) {
  long bytes = -1;
#ifdef _SC_LEVEL3_CACHE_SIZE
  bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  return (bytes > 0 ? (double)bytes : 32.0 * MIB) / comm->node_size;
}

static double between(double value, double least, double most) {
  return value < least ? least : value > most ? most : value;
}

void hb_bench_sizes(double points, int degree, hb_global elements[3]) {
  double left = points / ((double)degree * degree * degree);
  for (int a = 0; a < 3; a++) {
    const double axis = between(round(pow(left, 1.0 / (3 - a))), 1.0, 1e6);
    elements[2 - a] = (hb_global)axis;
    left /= axis;
  }
}

/* A solve of the benchmark's kind; sizes are still open. */
static void set_options(const struct hb_bench_options *options,
                        const struct hb_bench_configuration *configuration, struct hb_options *of) {
  hb_options_defaults(of);
  of->degree = configuration->degree;
  of->size_is = HB_SIZE_PER_RANK;
  of->h2 = options->mass ? 1.0 : 0.0;
  of->preconditioner = options->preconditioner;
  of->stop = HB_STOP_COUNT;
  of->iterations = GPU_ITERATIONS;
  of->precision = configuration->precision;
  of->geometry = (int)configuration->mode + 1;
  snprintf(of->kernel, sizeof of->kernel, "%s", configuration->kernel);
  of->autotune = options->autotune;
  snprintf(of->tuning_file, sizeof of->tuning_file, "none");
  of->backend = options->backend;
  of->graphs = options->graphs;
  of->gpu_aware = options->gpu_aware;
  of->check_launches = options->check_launches;
  of->oversubscribe = true; /* hb_bench_look has warned */
}

static void set_sizes(double points, struct hb_options *of) {
  hb_global elements[3];
  hb_bench_sizes(points, of->degree, elements);
  of->nx = elements[0];
  of->ny = elements[1];
  of->nz = elements[2];
}

enum hb_status hb_bench_look(const struct hb_comm *comm, const struct hb_bench_options *options,
                             struct hb_bench_place *place, size_t bytes, char *words) {
  enum hb_status status = HB_OK;
  const struct hb_bench_configuration any = {.degree = 3, .kernel = "auto"};
  struct hb_options *of = NULL;
  struct hb_plan *plan = NULL;
  of = hb_allocate(1, sizeof *of, "options of the benchmark");
  HB_TRY(hb_comm_agree(comm, of != NULL ? HB_OK : HB_MACHINE_FAILED));
  set_options(options, &any, of);
  set_sizes(1.0, of);
  of->oversubscribe = options->oversubscribe;
  HB_TRY(hb_plan_create(comm, of, &plan));
  const struct hb_backend *backend = plan->backend;
  place->interpreted = hb_backend_is_interpreted(backend);
  if (hb_backend_on_gpu(backend)) {
    place->cache_bytes = device_cache_bytes(backend->binding->records[0].architecture) /
                         hb_backend_ranks_sharing(backend);
    place->points = between(place->cache_bytes / 4.0, 16e6, 64e6);
    hb_backend_device_words(backend, 0, bytes, words);
  } else {
    place->cache_bytes = host_cache_bytes(comm);
    place->points = between(place->cache_bytes / 4.0, 5e5, 2e6);
    hb_backend_processor(bytes, words);
  }
  double common[2] = {place->cache_bytes, -place->points};
  hb_comm_max(comm, 2, common); /* one size on all ranks */
  place->cache_bytes = common[0];
  place->points = -common[1];
  if (comm->rank == 0) hb_backend_print_warning(stderr, backend);
done:
  hb_plan_destroy(&plan);
  hb_free(of);
  return status;
}

/* Collective.  As the solver program does it, before anything large is allocated. */
static enum hb_status check_memory(struct hb_bench_case *of, hb_global *stream_bytes) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = of->plan->comm;
  struct hb_entries memory = {.entry = NULL}, device_memory = {.entry = NULL};
  bool known = false;
  status = hb_figures_memory(of->plan, &memory);
  if (status == HB_OK) status = hb_figures_device_memory(of->plan, &device_memory);
  HB_TRY(hb_comm_agree(comm, status));
  *stream_bytes = hb_figures_stream_bytes(of->plan, &device_memory);
  HB_TRY(hb_figures_check_memory(comm, &memory, "", &known));
  HB_TRY(hb_backend_check_memory(of->plan->backend, device_memory.total));
done:
  hb_entries_destroy(&memory);
  hb_entries_destroy(&device_memory);
  return status;
}

static enum hb_status create_solver(const struct hb_comm *comm, struct hb_bench_case *of) {
  enum hb_status status = HB_OK;
  hb_global stream_bytes = 0;
  HB_TRY(hb_plan_create(comm, &of->options, &of->plan));
  if (!hb_backend_on_gpu(of->plan->backend)) of->options.iterations = HOST_ITERATIONS;
  if (hb_backend_is_interpreted(of->plan->backend)) of->options.iterations = INTERPRETED_ITERATIONS;
  HB_TRY(check_memory(of, &stream_bytes));
  HB_TRY(hb_plan_tune(of->plan));
  HB_TRY(hb_backend_settle(of->plan->backend));
  HB_TRY(hb_solver_create(of->plan, &of->timers, NULL, &of->solver));
  HB_TRY(hb_bench_work_create(of->solver, stream_bytes, &of->work));
done:
  return status;
}

/* Collective.  bent: a few elements, deformed. */
static enum hb_status create_case(const struct hb_comm *comm,
                                  const struct hb_bench_options *options,
                                  const struct hb_bench_place *place,
                                  const struct hb_bench_configuration *configuration, bool bent,
                                  struct hb_bench_case **out) {
  enum hb_status status = HB_OK;
  struct hb_bench_case *of = hb_allocate(1, sizeof *of, "configuration of the benchmark");
  const double few = pow((double)INTERPRETED_AXIS * configuration->degree, 3.0);
  *out = NULL;
  HB_TRY(hb_comm_agree(comm, of != NULL ? HB_OK : HB_MACHINE_FAILED));
  memset(of, 0, sizeof *of);
  of->configuration = *configuration;
  set_options(options, configuration, &of->options);
  if (bent) {
    of->options.deformation = HB_SMOOTH;
    set_sizes(BENT_TIMES * few, &of->options);
  } else {
    set_sizes(options->points > 0.0 ? options->points
              : place->interpreted  ? few
                                    : place->points,
              &of->options);
  }
  status = create_solver(comm, of);
  *out = of;
  of = NULL;
  if (status != HB_OK) hb_bench_case_destroy(out);
done:
  hb_free(of);
  return status;
}

enum hb_status hb_bench_case_create(const struct hb_comm *comm,
                                    const struct hb_bench_options *options,
                                    const struct hb_bench_place *place,
                                    const struct hb_bench_configuration *configuration,
                                    struct hb_bench_case **out) {
  return create_case(comm, options, place, configuration, false, out);
}

enum hb_status hb_bench_case_bend(const struct hb_comm *comm,
                                  const struct hb_bench_options *options,
                                  const struct hb_bench_place *place,
                                  const struct hb_bench_configuration *configuration,
                                  struct hb_bench_case **out) {
  *out = NULL;
  if (configuration->mode == HB_GEOMETRY_TRILINEAR || configuration->mode == HB_GEOMETRY_AFFINE)
    return HB_OK;
  return create_case(comm, options, place, configuration, true, out);
}

void hb_bench_case_destroy(struct hb_bench_case **out) {
  if (*out == NULL) return;
  hb_bench_work_destroy(&(*out)->work);
  hb_solver_destroy(&(*out)->solver);
  hb_plan_destroy(&(*out)->plan);
  hb_free(*out);
  *out = NULL;
}
