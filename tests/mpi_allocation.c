/* SPDX-License-Identifier: BSD-3-Clause
 * Memory that is short on one rank, at every allocation in turn: all ranks fail, and none waits. */
#include <string.h>
#include <unistd.h>

#include "app/output.h"
#include "app/report_json.h"
#include "tests/mesh_cases.h"
#include "tests/small_file.h"
#include "tests/solver_case.h"

enum { MOST_ALLOCATIONS = 5000, ALL_OF = 150, STEP = 17, MOST_SECONDS = 300, PATH_BYTES = 256 };

/* The allocator under hb_allocate fails once, when this many calls have passed; -1: never. */
static int calls_left = -1;

void *aligned_alloc(size_t alignment, size_t size) { /* in place of the C library's */
  void *pointer = NULL;
  if (calls_left >= 0 && calls_left-- == 0) return NULL;
  return posix_memalign(&pointer, alignment, size) == 0 ? pointer : NULL;
}

struct trial {
  const struct hb_comm *comm;
  const char *path;
};

static enum hb_status try_comm(const struct trial *trial) {
  struct hb_comm *comm = NULL;
  const enum hb_status status = hb_comm_create(trial->comm->mpi, &comm);
  if (comm != NULL) hb_comm_destroy(&comm);
  return status;
}

static enum hb_status try_mesh(const struct trial *trial) {
  const struct hb_box box = mesh_case(0);
  struct hb_mesh *mesh = NULL;
  const enum hb_status status = mesh_create(trial->comm, &box, 1, &mesh);
  hb_mesh_destroy(&mesh);
  return status;
}

static enum hb_status try_file(const struct trial *trial) {
  return small_file_write(trial->comm, trial->path);
}

/* A run of the solver, from the plan to the file. */
static enum hb_status try_run(const struct trial *trial) {
  enum hb_status status = HB_OK;
  struct hb_options options;
  struct hb_timers timers = {.started = 0.0};
  struct hb_plan *plan = NULL;
  struct hb_solver *solver = NULL;
  struct hb_solves solves = {.num_timed = 0};
  struct hb_gates gates;
  struct hb_figures figures = {.iterations = 0};
  const struct hb_bandwidth bandwidth = {.all_copy = 1.0, .all_triad = 1.0};
  struct hb_own_times own = {.count = 0};
  struct hb_placement placement = {.count = 0};
  struct hb_memory_uses memory = {.count = 0};
  struct hb_output_tables *tables = NULL;
  const struct hb_path_version nothing = {.there = false};
  hb_options_defaults(&options);
  options.backend = HB_BACKEND_ONLY_HOST;
  options.degree = 2;
  options.nx = options.ny = options.nz = 2;
  options.warmup = 0;
  options.repeats = 1;
  snprintf(options.file, sizeof options.file, "%s", trial->path);
  snprintf(options.report, sizeof options.report, "%s.json", trial->path);
  if (trial->comm->rank == 0) unlink(options.report);
  HB_TRY(solver_case_create(trial->comm, &options, &timers, &plan, &solver));
  HB_TRY(hb_solver_run(solver, NULL, NULL, &solves));
  HB_TRY(hb_placement_gather(plan->backend, &placement));
  HB_TRY(hb_own_times_measure(solver, &solves, &bandwidth, &own));
  HB_TRY(hb_gates_run(solver, &solves, &gates));
  HB_TRY(hb_figures_compute(solver, &solves, &bandwidth, &figures));
  const struct hb_results results = {.solver = solver,
                                     .solves = &solves,
                                     .gates = &gates,
                                     .figures = &figures,
                                     .bandwidth = &bandwidth,
                                     .own = &own,
                                     .placement = &placement,
                                     .memory = &memory,
                                     .written_by = "",
                                     .timers = &timers};
  struct hb_output_words words;
  HB_TRY(hb_output_tables_create(&results, "none", &tables));
  HB_TRY(hb_output_write(&results, &timers, tables, NULL, &words));
  HB_TRY(hb_memory_uses_measure(trial->comm, &memory));
  HB_TRY(hb_report_json_write(&results, tables, &nothing));
done:
  if (trial->comm->rank == 0) unlink(options.report);
  hb_output_tables_destroy(&tables);
  hb_memory_uses_destroy(&memory);
  hb_own_times_destroy(&own);
  hb_placement_destroy(&placement);
  hb_figures_destroy(&figures);
  hb_solves_destroy(&solves);
  solver_case_destroy(&plan, &solver);
  return status;
}

/* Collective.  How many allocations of rank `victim` there are: of the first each is made to fail,
 * of the others, which are mostly the reader's, a few. */
static int starve(struct hb_check *check, const struct trial *trial, int victim,
                  enum hb_status (*attempt)(const struct trial *trial)) {
  int failures = 0;
  for (; failures < MOST_ALLOCATIONS; failures += failures < ALL_OF ? 1 : STEP) {
    const hb_global live = hb_memory_use().live_allocations;
    hb_error_clear();
    calls_left = trial->comm->rank == victim ? failures : -1;
    const enum hb_status status = attempt(trial);
    int fired = trial->comm->rank == victim && calls_left < 0;
    calls_left = -1;
    MPI_Bcast(&fired, 1, MPI_INT, victim, trial->comm->mpi);
    CHECK_EQUAL(check, status, fired ? HB_MACHINE_FAILED : HB_OK);
    CHECK_EQUAL(check, hb_memory_use().live_allocations, live);
    if (!fired) break;
    CHECK(check, strstr(hb_error_message(), " GB needed, ") != NULL);
  }
  CHECK(check, failures < MOST_ALLOCATIONS);
  return failures;
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  char path[PATH_BYTES];
  MPI_Init(&argc, &argv);
  alarm(MOST_SECONDS); /* a rank that waits for another would wait for ever */
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  int process = (int)getpid();
  MPI_Bcast(&process, 1, MPI_INT, 0, comm->mpi);
  snprintf(path, sizeof path, "mpi_allocation_%d_%d.vtkhdf", comm->size, process);
  const struct trial trial = {comm, path};
  for (int victim = 0; victim < comm->size; victim++) {
    CHECK_EQUAL(&check, starve(&check, &trial, victim, try_comm), 1);
    CHECK(&check, starve(&check, &trial, victim, try_mesh) > 10);
    CHECK(&check, starve(&check, &trial, victim, try_file) > 10);
    if (comm->size <= 2) /* many attempts, each a whole run */
      CHECK(&check, starve(&check, &trial, victim, try_run) > 80);
  }
  if (comm->rank == 0) unlink(path);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
