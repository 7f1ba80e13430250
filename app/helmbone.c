/* SPDX-License-Identifier: BSD-3-Clause
 * The solver program: options, plan, set-up, solves, gates, file, report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/output.h"
#include "app/terminal.h"
#include "build_info.h"

enum { COMMAND_BYTES = 4096 };

/* Everything a run owns. */
struct run {
  const struct hb_comm *comm;
  struct hb_options options;
  struct hb_timers timers;
  struct hb_bandwidth bandwidth;
  struct hb_device_binding *binding; /* owned; NULL on the host, as the next */
  struct hb_tuning *tuning;
  hb_global device_stream_bytes;
  struct hb_solver *solver; /* owned */
  struct hb_solves solves;
  struct hb_gates gates;
  struct hb_figures figures;
  struct hb_progress_line progress;
  char command_line[COMMAND_BYTES];
  bool attached; /* to a terminal */
  double mark;
};

static void join_command_line(int argc, char **argv, char *text) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < argc && used < COMMAND_BYTES; i++)
    used += (size_t)snprintf(text + used, COMMAND_BYTES - used, "%s%s", i > 0 ? " " : "", argv[i]);
}

static void watch_stage(void *context, const char *stage, hb_global done, hb_global total) {
  hb_progress_update(context, stage, done, total);
}

static void watch_solve(void *context, int iteration, double relative_residual) {
  struct run *run = context;
  char label[64];
  if (!run->progress.redraws) return;
  snprintf(label, sizeof label, "solving, |r|/|b| = %.1e, iteration", relative_residual);
  hb_progress_update(&run->progress, label, iteration, 0);
}

/* Devices, and what is known of the kernel. */
static enum hb_status bind(struct run *run, const struct hb_partition *partition,
                           const struct hb_problem *problem) {
  enum hb_status status = HB_OK;
  const struct hb_tuning_case of = {.n = run->options.degree + 1,
                                    .geometry = hb_problem_geometry(problem),
                                    .precision = run->options.precision,
                                    .max_elements = (hb_local)partition->max_elements};
  HB_TRY(hb_device_binding_create(run->comm, run->options.check_launches,
                                  run->options.oversubscribe, &run->binding));
  HB_TRY(hb_tuning_create(run->comm, &run->options, run->binding, &of, &run->tuning));
done:
  return status;
}

/* Everything that can be refused is refused here, before anything large is allocated. */
static enum hb_status plan(struct run *run) {
  enum hb_status status = HB_OK;
  struct hb_box box;
  struct hb_partition partition;
  struct hb_problem problem;
  const struct hb_helmholtz_variant *variant;
  struct hb_entries memory, device_memory;
  HB_TRY(hb_solver_plan(run->comm, &run->options, &box, &partition, &problem, &variant));
  HB_TRY(hb_output_check(run->comm, &run->options, &box));
  if (variant->backend == HB_BACKEND_GPU) HB_TRY(bind(run, &partition, &problem));
  hb_figures_memory(run->comm, &run->options, &box, &partition, &problem, variant, &memory);
  hb_figures_device_memory(&run->options, &box, &partition, &problem, variant, &device_memory);
  run->device_stream_bytes = hb_figures_device_stream_bytes(&device_memory);
  const struct hb_plan words = {.comm = run->comm,
                                .options = &run->options,
                                .box = &box,
                                .partition = &partition,
                                .variant = variant,
                                .geometry = hb_problem_geometry(&problem),
                                .binding = run->binding,
                                .tuning = run->tuning,
                                .memory = &memory,
                                .device_memory = &device_memory};
  if (run->comm->rank == 0) hb_report_plan(stdout, &words);
  if (run->comm->rank == 0 && run->tuning != NULL) hb_tuning_print_warning(stderr, run->tuning);
  HB_TRY(hb_figures_check_memory(run->comm, &memory));
  if (run->binding != NULL)
    HB_TRY(hb_figures_check_device_memory(run->comm, run->binding, &device_memory));
done:
  return status;
}

/* Times kernels, where that is needed. */
static enum hb_status tune(struct run *run) {
  enum hb_status status = HB_OK;
  if (run->tuning == NULL || run->tuning->reason != HB_TUNING_PENDING) return HB_OK;
  hb_timer_add(&run->timers, HB_PHASE_OTHER, &run->mark);
  hb_progress_stage(&run->progress, "tuning");
  HB_TRY(hb_tuning_run(run->tuning));
  hb_timer_add(&run->timers, HB_PHASE_TUNING, &run->mark);
  if (run->comm->rank != 0) return HB_OK;
  hb_progress_clear(&run->progress);
  hb_tuning_print_results(stdout, run->tuning);
  hb_tuning_print_warning(stderr, run->tuning);
done:
  return status;
}

static enum hb_status solve(struct run *run) {
  enum hb_status status = HB_OK;
  const struct hb_watcher watcher = {watch_stage, &run->progress};
  hb_progress_stage(&run->progress, "measuring memory bandwidth");
  struct hb_device *device = run->binding != NULL ? run->binding->device : NULL;
  const int sharing =
      run->binding != NULL ? hb_device_binding_ranks_sharing(run->binding, run->comm->rank) : 1;
  HB_TRY(
      hb_bandwidth_measure(run->comm, device, run->device_stream_bytes, sharing, &run->bandwidth));
  hb_timer_add(&run->timers, HB_PHASE_OTHER, &run->mark);
  hb_progress_stage(&run->progress, "setting up");
  HB_TRY(hb_solver_create(run->comm, &run->options, device,
                          run->tuning != NULL ? &run->tuning->kernel : NULL, &run->timers, &watcher,
                          &run->solver));
  hb_comm_barrier(run->comm);
  hb_timer_add(&run->timers, HB_PHASE_SETUP, &run->mark);
  hb_progress_stage(&run->progress, "solving");
  HB_TRY(hb_solver_run(run->solver, watch_solve, run, &run->solves));
  run->mark = hb_timer_now();
  hb_progress_stage(&run->progress, "checking");
  HB_TRY(hb_gates_run(run->solver, &run->solves, &run->gates));
  hb_timer_add(&run->timers, HB_PHASE_GATES, &run->mark);
  hb_figures_compute(run->solver, &run->solves, &run->bandwidth, &run->figures);
done:
  return status;
}

static enum hb_status write_and_report(struct run *run) {
  enum hb_status status = HB_OK;
  const struct hb_results results = {.solver = run->solver,
                                     .solves = &run->solves,
                                     .gates = &run->gates,
                                     .figures = &run->figures,
                                     .bandwidth = &run->bandwidth,
                                     .timers = &run->timers,
                                     .binding = run->binding,
                                     .tuning = run->tuning};
  const struct hb_watcher watcher = {watch_stage, &run->progress};
  const bool first = run->comm->rank == 0;
  hb_progress_stage(&run->progress, "writing");
  status = hb_output_write(&results, &run->timers, run->command_line, &watcher);
  hb_progress_clear(&run->progress);
  hb_report_results(stdout, &results); /* also if the file failed: the solve is not lost */
  if (status != HB_OK) return status;
  if (first && strcmp(run->options.file, "none") != 0) printf("written: %s\n", run->options.file);
  if (first) hb_report_verdict(stdout, &results);
  return run->gates.all_passed ? HB_OK : HB_GATE_FAILED;
}

static enum hb_status run_all(struct run *run, int argc, char **argv) {
  enum hb_status status = HB_OK;
  const bool first = run->comm->rank == 0;
  HB_TRY(hb_options_parse(run->comm, argc, argv, &run->options));
  if (run->options.help || run->options.version) {
    if (first && run->options.help) hb_options_help(stdout);
    if (first && !run->options.help) printf("helmbone %s (%s)\n", HB_VERSION, HB_GIT_COMMIT);
    goto done;
  }
  const enum hb_progress wish = run->options.progress;
  const bool redraws = wish == HB_PROGRESS_ON || (wish == HB_PROGRESS_AUTO && run->attached);
  hb_progress_init(&run->progress, stdout, first, first && redraws);
  HB_TRY(plan(run));
  if (run->options.dry_run) {
    if (first) hb_options_echo(stdout, &run->options);
    if (first) printf("dry run: everything fits, nothing was solved\n");
    goto done;
  }
  HB_TRY(tune(run));
  HB_TRY(solve(run));
  HB_TRY(write_and_report(run));
done:
  hb_progress_clear(&run->progress);
  return status;
}

int main(int argc, char **argv) {
  struct hb_comm *comm = NULL;
  struct run *run = NULL;
  enum hb_status status;
  const bool attached = hb_terminal_attached(); /* MPI_Init makes a lone process look launched */
  hb_memory_keep();
  MPI_Init(&argc, &argv);
  status = hb_comm_create(MPI_COMM_WORLD, &comm);
  if (status == HB_OK) {
    run = hb_allocate(1, sizeof *run, "run");
    status = hb_comm_agree(comm, run != NULL ? HB_OK : HB_MACHINE_FAILED);
  }
  if (status == HB_OK) {
    memset(run, 0, sizeof *run);
    run->comm = comm;
    run->attached = attached;
    run->timers.started = run->mark = hb_timer_now();
    join_command_line(argc, argv, run->command_line);
    status = run_all(run, argc, argv);
    hb_solver_destroy(&run->solver);
    hb_solves_destroy(&run->solves);
    hb_tuning_destroy(&run->tuning);
    hb_device_binding_destroy(&run->binding);
  }
  hb_free(run);
  if (status > HB_GATE_FAILED && (comm == NULL || comm->rank == 0))
    fprintf(stderr, "helmbone: error: %s\n", hb_error_message());
  hb_comm_destroy(&comm);
  HB_ASSERT(hb_memory_use().live_allocations == 0);
  HB_ASSERT(hb_device_memory_use().live_allocations == 0);
  fflush(stdout);
  MPI_Finalize();
  return (int)status;
}
