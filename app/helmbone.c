/* SPDX-License-Identifier: BSD-3-Clause
 * The solver program: options, plan, set-up, solves, gates, file, report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/launch.h"
#include "app/output.h"
#include "app/output_plan.h"
#include "app/placement.h"
#include "app/program.h"
#include "app/report_json.h"
#include "app/terminal.h"
#include "app/watchdog.h"
#include "build_info.h"

enum { COMMAND_BYTES = 4096 };

/* Everything a run owns. */
struct run {
  const struct hb_comm *comm;
  struct hb_options options;
  struct hb_timers timers;
  struct hb_bandwidth bandwidth;
  struct hb_plan *plan; /* owned, as the next */
  struct hb_solver *solver;
  struct hb_placement placement;        /* owned: its list */
  struct hb_memory_uses memory;         /* owned: its lists */
  struct hb_path_version report_before; /* under the name of the report for machines; rank 0 */
  hb_global stream_bytes;               /* of an array of the bandwidth measurement */
  struct hb_solves solves;
  struct hb_own_times own; /* owned: its lists, as of the next but one */
  struct hb_gates gates;
  struct hb_figures figures; /* owned: its lists */
  struct hb_progress_line progress;
  struct hb_watchdog *watchdog; /* owned; NULL: none was asked for */
  char command_line[COMMAND_BYTES];
  bool attached;     /* to a terminal */
  bool memory_known; /* what the nodes have */
  double mark;
};

static void join_command_line(int argc, char **argv, char *text) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < argc && used < COMMAND_BYTES; i++)
    used += (size_t)snprintf(text + used, COMMAND_BYTES - used, "%s%s", i > 0 ? " " : "", argv[i]);
}

static void begin_stage(struct run *run, const char *stage) {
  hb_pulse_stage(run->timers.pulse, stage);
  hb_progress_stage(&run->progress, stage);
}

static void watch_stage(void *context, const char *stage, hb_global done, hb_global total) {
  struct run *run = context;
  hb_pulse_step(run->timers.pulse);
  hb_progress_update(&run->progress, stage, done, total);
}

static void watch_solve(void *context, int iteration, double relative_residual) {
  struct run *run = context;
  char label[64];
  struct hb_pulse *pulse = run->timers.pulse;
  if (pulse != NULL) hb_pulse_iteration(pulse, atomic_load(&pulse->solve), iteration + 1);
  if (!run->progress.redraws) return;
  snprintf(label, sizeof label, "solving, |r|/|b| = %.1e, iteration", relative_residual);
  hb_progress_update(&run->progress, label, iteration, 0);
}

static void print_warning(void *stream, const char *words) {
  fprintf(stream, "warning: %s\n", words);
}

/* Everything that can be refused is refused here, before anything large is allocated. */
static enum hb_status plan(struct run *run) {
  enum hb_status status = HB_OK;
  struct hb_entries *memory = &run->memory.host, *device_memory = &run->memory.device;
  HB_TRY(hb_plan_create(run->comm, &run->options, &run->plan));
  HB_TRY(hb_report_json_check(run->comm, &run->options, &run->report_before));
  status = hb_figures_memory(run->plan, memory);
  if (status == HB_OK) status = hb_figures_device_memory(run->plan, device_memory);
  HB_TRY(hb_comm_agree(run->comm, status));
  run->stream_bytes = hb_figures_stream_bytes(run->plan, device_memory);
  HB_TRY(hb_placement_gather(run->plan->backend, &run->placement));
  if (run->comm->rank == 0) {
    hb_report_plan(stdout, run->plan, memory, device_memory);
    status = hb_placement_judge(&run->placement, print_warning, stdout);
    hb_backend_print_warning(stderr, run->plan->backend);
  }
  HB_TRY(hb_comm_agree(run->comm, status));
  HB_TRY(hb_figures_check_memory(run->comm, memory, "", &run->memory_known));
  if (run->comm->rank == 0 && !run->memory_known) printf("memory available: unknown\n");
  if (run->comm->rank == 0 && hb_backend_is_assumed(run->plan->backend))
    printf("GPU memory available: unknown, there is no GPU here\n");
  HB_TRY(hb_backend_check_memory(run->plan->backend, device_memory->total));
done:
  return status;
}

/* What is left of the plan: kernels are timed, where that is needed. */
static enum hb_status tune(struct run *run) {
  enum hb_status status = HB_OK;
  const bool timing = hb_backend_is_pending(run->plan->backend);
  if (timing) hb_timer_add(&run->timers, HB_PHASE_OTHER, &run->mark);
  if (timing) begin_stage(run, "tuning");
  HB_TRY(hb_plan_tune(run->plan));
  if (!timing) return HB_OK;
  hb_timer_add(&run->timers, HB_PHASE_TUNING, &run->mark);
  if (run->comm->rank != 0) return HB_OK;
  hb_progress_clear(&run->progress);
  hb_backend_print_tuning(stdout, run->plan->backend);
  hb_backend_print_warning(stderr, run->plan->backend);
done:
  return status;
}

static enum hb_status solve(struct run *run) {
  enum hb_status status = HB_OK;
  const struct hb_watcher watcher = {watch_stage, run};
  begin_stage(run, "measuring memory bandwidth");
  HB_TRY(hb_bandwidth_measure(run->plan->backend, run->stream_bytes, &run->bandwidth));
  hb_timer_add(&run->timers, HB_PHASE_OTHER, &run->mark);
  begin_stage(run, "setting up");
  HB_TRY(hb_backend_settle(run->plan->backend));
  HB_TRY(hb_solver_create(run->plan, &run->timers, &watcher, &run->solver));
  hb_comm_barrier(run->comm);
  hb_timer_add(&run->timers, HB_PHASE_SETUP, &run->mark);
  begin_stage(run, "solving");
  HB_TRY(hb_solver_run(run->solver, watch_solve, run, &run->solves));
  run->mark = hb_timer_now();
  begin_stage(run, "timing the kernel alone");
  HB_TRY(hb_own_times_measure(run->solver, &run->solves, &run->bandwidth, &run->own));
  hb_timer_add(&run->timers, HB_PHASE_OTHER, &run->mark);
  begin_stage(run, "checking");
  HB_TRY(hb_gates_run(run->solver, &run->solves, &run->gates));
  hb_timer_add(&run->timers, HB_PHASE_GATES, &run->mark);
  HB_TRY(hb_figures_compute(run->solver, &run->solves, &run->bandwidth, &run->figures));
done:
  return status;
}

/* Collective.  The tables of file and report, if one is asked for. */
static enum hb_status make_tables(struct run *run, const struct hb_results *results,
                                  struct hb_output_tables **tables) {
  enum hb_status status = HB_OK;
  double mark = hb_timer_now();
  if (!hb_output_wanted(&run->options) && !hb_report_json_wanted(&run->options)) return HB_OK;
  HB_TRY(hb_output_tables_create(results, run->command_line, tables));
  hb_timer_add(&run->timers, HB_PHASE_OUTPUT, &mark);
done:
  return status;
}

/* Collective.  The report for machines, after the output file, whose status it says.  Without
 * tables there is none: `missing`. */
static enum hb_status write_report(struct run *run, const struct hb_results *results,
                                   struct hb_output_tables *tables, enum hb_status missing) {
  enum hb_status status = HB_OK;
  if (!hb_report_json_wanted(&run->options)) return HB_OK;
  if (tables == NULL) return missing;
  HB_TRY(hb_output_tables_gather_times(tables, results));
  HB_TRY(hb_report_json_write(results, tables, &run->report_before));
done:
  return status;
}

static enum hb_status write_and_report(struct run *run) {
  enum hb_status status = HB_OK;
  struct hb_output_words words = {.way = ""};
  struct hb_results results = {.solver = run->solver,
                               .solves = &run->solves,
                               .gates = &run->gates,
                               .figures = &run->figures,
                               .bandwidth = &run->bandwidth,
                               .own = &run->own,
                               .placement = &run->placement,
                               .timers = &run->timers,
                               .memory = &run->memory,
                               .written_by = words.way};
  struct hb_output_tables *tables = NULL;
  const struct hb_watcher watcher = {watch_stage, run};
  const bool first = run->comm->rank == 0;
  begin_stage(run, "writing");
  status = make_tables(run, &results, &tables);
  if (status == HB_OK) status = hb_output_write(&results, &run->timers, tables, &watcher, &words);
  const enum hb_status measured = hb_memory_uses_measure(run->comm, &run->memory);
  if (status == HB_OK) status = measured;
  results.file_is_wrong = status == HB_GATE_FAILED;
  results.unwritten = status != HB_OK;
  const enum hb_status reported = write_report(run, &results, tables, status);
  results.report_unwritten = reported != HB_OK;
  hb_output_tables_destroy(&tables);
  hb_progress_clear(&run->progress);
  hb_report_results(stdout, &results); /* also if the file failed: the solve is not lost */
  if (first && results.file_is_wrong) printf("file: FAIL, %s\n", hb_error_message());
  if (first && status == HB_OK && words.way[0] != '\0') printf("written by: %s\n", words.way);
  if (first && status == HB_OK && hb_output_wanted(&run->options))
    printf("written: %s\n", run->options.file);
  if (first && reported == HB_OK && hb_report_json_wanted(&run->options))
    printf("report: %s\n", run->options.report);
  if (first) hb_report_figures(stdout, &results);
  if (first) hb_report_verdict(stdout, &results);
  if (status != HB_OK || reported != HB_OK) return status > reported ? status : reported;
  return run->gates.verdict == HB_GATE_PASSES ? HB_OK : HB_GATE_FAILED;
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
  HB_TRY(hb_launch_check(run->comm));
  HB_TRY(plan(run));
  run->memory_known = run->memory_known && !hb_backend_is_assumed(run->plan->backend);
  if (run->options.dry_run) {
    if (first) hb_options_echo(stdout, &run->options);
    if (first && run->memory_known) printf("dry run: everything fits, nothing was solved\n");
    if (first && !run->memory_known)
      printf("dry run: nothing was solved; whether the memory is there is unknown\n");
    goto done;
  }
  if (run->options.watchdog > 0.0)
    HB_TRY(hb_watchdog_start(run->comm, run->options.watchdog, &run->watchdog));
  run->timers.pulse = hb_watchdog_pulse(run->watchdog);
  HB_TRY(tune(run));
  HB_TRY(solve(run));
  HB_TRY(write_and_report(run));
done:
  hb_progress_clear(&run->progress);
  return status;
}

static enum hb_status run_program(void *state, const struct hb_comm *comm, int argc, char **argv,
                                  bool attached) {
  struct run *run = state;
  run->comm = comm;
  run->attached = attached;
  run->timers.started = run->mark = hb_timer_now();
  join_command_line(argc, argv, run->command_line);
  const enum hb_status status = run_all(run, argc, argv);
  hb_watchdog_stop(&run->watchdog);
  hb_solver_destroy(&run->solver);
  hb_solves_destroy(&run->solves);
  hb_own_times_destroy(&run->own);
  hb_figures_destroy(&run->figures);
  hb_placement_destroy(&run->placement);
  hb_memory_uses_destroy(&run->memory);
  hb_plan_destroy(&run->plan);
  return status;
}

int main(int argc, char **argv) {
  static const struct hb_program program = {.name = "helmbone: error",
                                            .state_bytes = sizeof(struct run),
                                            .least_told = HB_BAD_INPUT,
                                            .run = run_program};
  return hb_program_run(&program, argc, argv);
}
