/* SPDX-License-Identifier: BSD-3-Clause
 * Tuning on ranks: all take one kernel, whether pinned, timed on rank 0, or from the file; what
 * cannot be ends on all. */
#include <string.h>
#include <unistd.h>

#include "app/gates.h"
#include "app/operator_device.h"
#include "app/tuning.h"
#include "tests/device_data.h"
#include "tests/mesh_device.h"

enum { PATH_BYTES = 256 };

/* What the checks share. */
struct bench {
  struct hb_check *check;
  const struct hb_comm *comm;
  const struct hb_device_binding *binding;
  struct hb_options options;
  struct hb_tuning_case of;
  char folder[PATH_BYTES];
};

static struct hb_tuning *create(struct bench *bench) {
  struct hb_tuning *tuning = NULL;
  CHECK_OK(bench->check,
           hb_tuning_create(bench->comm, &bench->options, bench->binding, &bench->of, &tuning));
  return tuning;
}

/* Does every rank have rank 0's kernel? */
static bool agreed(const struct hb_comm *comm, const struct hb_tuning *tuning) {
  struct {
    char name[32];
    struct hb_shape shape;
    int reason;
  } mine, first;
  memset(&mine, 0, sizeof mine);
  snprintf(mine.name, sizeof mine.name, "%s", tuning->kernel.variant->name);
  mine.shape = tuning->kernel.shape;
  mine.reason = (int)tuning->reason;
  first = mine;
  MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, comm->mpi);
  return hb_comm_sum_global(comm, memcmp(&mine, &first, sizeof mine) != 0) == 0;
}

static bool same_kernel(const struct hb_kernel *a, const struct hb_kernel *b) {
  return a->variant == b->variant && hb_shape_equal(&a->shape, &b->shape);
}

/* The last row that the device can run, in its first shape. */
static struct hb_kernel last_row(const struct bench *bench) {
  const char *architecture = bench->binding->records[0].architecture;
  struct hb_kernel last = {.variant = NULL};
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
    struct hb_shape shapes[HB_MAX_SHAPES];
    if (variant->backend == HB_BACKEND_GPU &&
        !hb_helmholtz_is_slow(variant, HB_GEOMETRY_STORED, bench->of.n) &&
        hb_helmholtz_variant_shapes(variant, architecture, bench->of.n, bench->of.precision,
                                    shapes) > 0)
      last = (struct hb_kernel){variant, shapes[0], HB_GEOMETRY_STORED};
  }
  return last;
}

static int num_chosen(const struct hb_tuning *tuning) {
  int count = 0;
  for (int c = 0; c < tuning->count; c++) count += tuning->candidates[c].chosen;
  return count;
}

/* Without timing: the last row's first shape, and what one pin leaves. */
static void check_untimed(struct bench *bench) {
  struct hb_check *check = bench->check;
  const struct hb_kernel expected = last_row(bench);
  bench->options.autotune = false;
  struct hb_tuning *tuning = create(bench);
  if (tuning != NULL) {
    CHECK_EQUAL(check, tuning->reason, HB_TUNING_OFF);
    CHECK(check, same_kernel(&tuning->kernel, &expected) && agreed(bench->comm, tuning));
    CHECK_EQUAL(check, num_chosen(tuning), 1);
    CHECK_OK(check, hb_tuning_run(tuning));
    CHECK(check, !hb_tuning_timed(tuning) && !(tuning->candidates[0].seconds >= 0.0));
  }
  hb_tuning_destroy(&tuning);
  bench->options.autotune = true;
  tuning = create(bench);
  if (tuning != NULL && hb_binding_is_interpreted(bench->binding)) {
    CHECK_EQUAL(check, tuning->reason, HB_TUNING_INTERPRETED);
    CHECK(check, same_kernel(&tuning->kernel, &expected));
  } else if (tuning != NULL) {
    CHECK_EQUAL(check, tuning->reason, HB_TUNING_PENDING);
  }
  hb_tuning_destroy(&tuning);
  snprintf(bench->options.kernel, sizeof bench->options.kernel, "1d");
  bench->options.retune = true;
  tuning = create(bench);
  if (tuning != NULL) {
    CHECK_EQUAL(check, tuning->reason, HB_TUNING_PINNED);
    CHECK(check, strcmp(tuning->kernel.variant->name, "1d") == 0 && agreed(bench->comm, tuning));
  }
  hb_tuning_destroy(&tuning);
  snprintf(bench->options.kernel, sizeof bench->options.kernel, "auto");
  bench->options.retune = false;
}

static void check_refusals(struct bench *bench) {
  struct hb_check *check = bench->check;
  struct hb_tuning *tuning = NULL;
  struct hb_options *options = &bench->options;
  snprintf(options->kernel, sizeof options->kernel, "1d");
  options->pins.wavefronts = 3;
  CHECK_FAILS(check, hb_tuning_create(bench->comm, options, bench->binding, &bench->of, &tuning),
              HB_BAD_INPUT, "kernel = 1d, wavefronts = 3: no kernel is so for degree 2 in f64 on ");
  CHECK(check, tuning == NULL);
  snprintf(options->kernel, sizeof options->kernel, "auto");
  options->pins.wavefronts = 0;

  struct hb_device_record *records =
      hb_allocate(bench->comm->size, sizeof *records, "records of the test");
  struct hb_device_binding mixed = *bench->binding;
  memcpy(records, mixed.records, (size_t)mixed.num_ranks * sizeof *records);
  snprintf(records[mixed.num_ranks - 1].architecture, sizeof records->architecture, "gfx1");
  mixed.records = records;
  if (bench->comm->size > 1)
    CHECK_FAILS(check, hb_tuning_create(bench->comm, options, &mixed, &bench->of, &tuning),
                HB_BAD_INPUT, "gfx1; all ranks take one kernel");
  hb_free(records);

  options->autotune = false;
  options->retune = true;
  CHECK_FAILS(check, hb_tuning_create(bench->comm, options, bench->binding, &bench->of, &tuning),
              HB_BAD_INPUT, "allowed: autotune = yes");
  options->autotune = true;
  options->retune = false;

  snprintf(options->tuning_file, sizeof options->tuning_file, "%s", bench->folder);
  CHECK_FAILS(check, hb_tuning_create(bench->comm, options, bench->binding, &bench->of, &tuning),
              HB_BAD_INPUT, "is not a file of tuning decisions");
  CHECK(check, tuning == NULL);
}

/* Tunes as rank 0 sees it; the caller destroys. */
static struct hb_tuning *tune(struct bench *bench) {
  struct hb_check *check = bench->check;
  bench->options.retune = true;
  struct hb_tuning *tuning = create(bench);
  bench->options.retune = false;
  if (tuning == NULL) return NULL;
  CHECK_EQUAL(check, tuning->reason, HB_TUNING_PENDING);
  CHECK(check, tuning->kernel.variant == NULL && tuning->num_elements == bench->of.max_elements);
  CHECK_OK(check, hb_tuning_run(tuning));
  CHECK(check, hb_tuning_timed(tuning) && tuning->kernel.variant != NULL);
  if (tuning->kernel.variant == NULL) return tuning;
  CHECK(check, agreed(bench->comm, tuning));
  CHECK_EQUAL(check, num_chosen(tuning), 1);
  for (int c = 0; c < tuning->count && bench->comm->rank == 0; c++)
    CHECK(check,
          tuning->candidates[c].verdict == HB_VERIFIED && tuning->candidates[c].seconds > 0.0);
  CHECK_EQUAL(check, hb_device_memory_use().live_allocations, 0);
  return tuning;
}

/* What an option or the case changes is not found under the key of another. */
static void check_keys(struct bench *bench) {
  struct hb_check *check = bench->check;
  const struct hb_tuning_case of = bench->of;
  for (int change = 0; change < 5; change++) {
    if (change == 0) bench->of.precision = HB_F32;
    if (change == 1) bench->of.geometry.factors = HB_FACTORS_STIFFNESS;
    if (change == 2) bench->of.max_elements = 4 * of.max_elements;
    if (change == 3) bench->of.n++;
    bench->options.check_launches = change == 4;
    struct hb_tuning *tuning = create(bench);
    if (tuning != NULL) CHECK(check, tuning->reason != HB_TUNING_FROM_FILE);
    hb_tuning_destroy(&tuning);
    bench->of = of;
  }
  bench->options.check_launches = false;
}

static void check_file(struct bench *bench) {
  struct hb_check *check = bench->check;
  struct hb_options *options = &bench->options;
  const struct hb_tuning_decision gone = {.kernel = "gone", .seconds = 1e-9};
  snprintf(options->tuning_file, sizeof options->tuning_file, "%s/t.txt", bench->folder);
  struct hb_tuning *tuned = tune(bench), *again = create(bench);
  if (tuned != NULL && again != NULL) {
    CHECK_EQUAL(check, again->reason, HB_TUNING_FROM_FILE);
    CHECK(check, same_kernel(&again->kernel, &tuned->kernel) && agreed(bench->comm, again));
    CHECK_EQUAL(check, strlen(tuned->warning), 0);
    hb_tuning_destroy(&again);
    check_keys(bench);
    /* A kernel that this program does not have is as if it were not there. */
    if (bench->comm->rank == 0)
      CHECK_OK(check, hb_tuning_file_keep(options->tuning_file, tuned->key, &gone));
    again = create(bench);
    if (again != NULL) CHECK(check, again->reason != HB_TUNING_FROM_FILE);
  }
  hb_tuning_destroy(&again);
  hb_tuning_destroy(&tuned);
  if (bench->comm->rank == 0) remove(options->tuning_file);
}

/* The choice is of use though it cannot be kept. */
static void check_unwritable(struct bench *bench) {
  struct hb_options *options = &bench->options;
  snprintf(options->tuning_file, sizeof options->tuning_file, "%s/no/t.txt", bench->folder);
  struct hb_tuning *tuning = tune(bench);
  if (tuning != NULL && bench->comm->rank == 0)
    CHECK(bench->check, strstr(tuning->warning, "the choice is not kept") != NULL);
  hb_tuning_destroy(&tuning);
  snprintf(options->tuning_file, sizeof options->tuning_file, "none");
}

/* Nothing is right on rank 0: all ranks end with its words. */
static void check_failure(struct bench *bench) {
  struct hb_check *check = bench->check;
  struct hb_helmholtz_variant failing = *hb_helmholtz_variant(0);
  bench->options.retune = true;
  struct hb_tuning *tuning = create(bench);
  bench->options.retune = false;
  if (tuning == NULL) return;
  failing.device.apply[HB_F64] = hb_apply_failing;
  for (int c = 0; c < tuning->count; c++) tuning->candidates[c].kernel.variant = &failing;
  CHECK_FAILS(check, hb_tuning_run(tuning), HB_MACHINE_FAILED, "planted failure");
  CHECK(check, tuning->kernel.variant == NULL);
  hb_tuning_destroy(&tuning);
  CHECK_EQUAL(check, hb_device_memory_use().live_allocations, 0);
}

/* A plan tunes by itself, and a solve takes the kernel that was chosen, with its shape. */
static void check_solve(struct bench *bench) {
  struct hb_check *check = bench->check;
  struct hb_timers timers = {.started = 0.0};
  struct hb_plan *plan = NULL;
  struct hb_solver *solver = NULL;
  struct hb_solves solves = {0};
  struct hb_gates gates;
  bench->options.retune = bench->options.oversubscribe = true;
  CHECK_OK(check, hb_plan_create(bench->comm, &bench->options, &plan));
  if (plan != NULL) {
    CHECK(check, hb_backend_is_pending(plan->backend));
    CHECK_OK(check, hb_plan_tune(plan));
    CHECK_OK(check, hb_backend_settle(plan->backend));
    CHECK(check, !hb_backend_is_pending(plan->backend) && hb_tuning_timed(plan->backend->tuning) &&
                     agreed(bench->comm, plan->backend->tuning));
    CHECK_OK(check, hb_solver_create(plan, &timers, NULL, &solver));
  }
  if (solver != NULL) {
    const struct hb_kernel used = {solver->op->kernel.variant,
                                   hb_operator_device(solver->op)->helmholtz.shape,
                                   solver->op->helmholtz.geometry.mode};
    CHECK(check, same_kernel(&used, &plan->backend->kernel) &&
                     same_kernel(&used, &plan->backend->tuning->kernel));
    CHECK_OK(check, hb_solver_run(solver, NULL, NULL, &solves));
    CHECK_OK(check, hb_gates_run(solver, &solves, &gates));
    CHECK(check, gates.verdict == HB_GATE_PASSES);
  }
  hb_solves_destroy(&solves);
  hb_solver_destroy(&solver);
  hb_plan_destroy(&plan);
}

/* Collective.  A folder of rank 0's; on one node for all. */
static void make_folder(struct bench *bench) {
  snprintf(bench->folder, sizeof bench->folder, "/tmp/helmbone_mpi_tuning_XXXXXX");
  if (bench->comm->rank == 0) CHECK(bench->check, mkdtemp(bench->folder) != NULL);
  MPI_Bcast(bench->folder, PATH_BYTES, MPI_CHAR, 0, bench->comm->mpi);
}

static void check_all(struct hb_check *check, const struct hb_comm *comm,
                      struct hb_device_binding *binding) {
  struct bench bench = {
      .check = check,
      .comm = comm,
      .binding = binding,
      .of = {.n = 3,
             .geometry = {.mode = HB_GEOMETRY_STORED, .factors = HB_FACTORS_WITH_MASS},
             .modes = 1u << HB_GEOMETRY_STORED,
             .precision = HB_F64,
             .max_elements = 4}};
  hb_options_defaults(&bench.options);
  bench.options.degree = 2;
  bench.options.nx = bench.options.ny = 2;
  bench.options.nz = 3;
  bench.options.backend = HB_BACKEND_ONLY_GPU;
  bench.options.gpu_aware = HB_GPU_AWARE_OFF;
  snprintf(bench.options.tuning_file, sizeof bench.options.tuning_file, "none");
  make_folder(&bench);
  check_untimed(&bench);
  check_refusals(&bench);
  check_file(&bench);
  check_unwritable(&bench);
  check_failure(&bench);
  check_solve(&bench);
  if (comm->rank == 0) CHECK_EQUAL(check, rmdir(bench.folder), 0); /* nothing is left in it */
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  struct hb_device_binding *binding = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  const bool none = hb_comm_sum_global(comm, hb_device_count() == 0) > 0;
  if (none && comm->rank == 0) printf("skipped: no device\n");
  if (!none) CHECK_OK(&check, hb_device_binding_create(comm, false, true, &binding));
  if (binding != NULL) check_all(&check, comm, binding);
  CHECK_EQUAL(&check, hb_device_memory_use().live_allocations, 0);
  hb_device_binding_destroy(&binding);
  hb_comm_destroy(&comm);
  if (!none) return mesh_finish(&check);
  MPI_Finalize();
  return HB_CHECK_SKIPPED;
}
