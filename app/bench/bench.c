/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-bench: times of the operator, its parts and what lies beneath them. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/bench/measure.h"
#include "app/launch.h"
#include "app/program.h"
#include "app/terminal.h"
#include "build_info.h"

enum { WORDS_BYTES = 200, LEFT_OUT_BYTES = 512 };

/* Everything a run owns. */
struct run {
  const struct hb_comm *comm;
  struct hb_bench_options options;
  struct hb_bench_place place;
  struct hb_bench_results results;
  struct hb_progress_line progress; /* on standard error */
  int num_measured, num_left_out, num_wrong;
  char left_out[LEFT_OUT_BYTES]; /* why the first was */
};

static void say_machine(struct hb_bench_results *results, const struct run *run,
                        const char *words) {
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING], host[WORDS_BYTES] = "unknown", when[WORDS_BYTES];
  const time_t now = time(NULL);
  struct tm utc;
  int length = 0;
  MPI_Get_library_version(mpi, &length);
  mpi[strcspn(mpi, "\n,")] = '\0';
  if (gethostname(host, sizeof host - 1) != 0) snprintf(host, sizeof host, "unknown");
  strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  hb_bench_results_say(results, "schema", "helmbone-bench");
  hb_bench_results_say(results, "schema_version", "1");
  hb_bench_results_say(results, "helmbone", "%s, commit %s, %s, %s", HB_VERSION, HB_GIT_COMMIT,
                       HB_COMPILER, HB_BUILD_TYPE);
  hb_bench_results_say(results, "compiler_flags", "%s", HB_COMPILER_FLAGS);
  if (strcmp(hb_device_platform(), "none") != 0)
    hb_bench_results_say(results, "gpu_compiler", "%s, code for %s", HB_GPU_COMPILER,
                         hb_device_architectures());
  hb_bench_results_say(results, "mpi", "%s", mpi);
  hb_bench_results_say(results, "host", "%s", host);
  hb_bench_results_say(results, "device", "%s%s", words,
                       run->place.interpreted ? " (interpreted: times mean nothing)" : "");
  hb_bench_results_say(results, "created_utc", "%s", when);
}

static void say_case(struct hb_bench_results *results, const struct run *run, int argc,
                     char **argv) {
  char given[HB_BENCH_TEXT_BYTES] = "";
  size_t used = 0;
  for (int i = 1; i < argc && used < sizeof given; i++)
    used += (size_t)snprintf(given + used, sizeof given - used, "%s%s", i > 1 ? " " : "", argv[i]);
  hb_bench_results_say(results, "ranks", "%d, %d on this node", run->comm->size,
                       run->comm->node_size);
  hb_bench_results_say(results, "case", "undeformed box, %s mass term, %s, random right-hand side",
                       run->options.mass ? "with" : "without",
                       run->options.preconditioner == HB_JACOBI ? "jacobi" : "no preconditioner");
  hb_bench_results_say(results, "cache", "%.1f MiB of last-level cache a rank",
                       run->place.cache_bytes / 1048576.0);
  hb_bench_results_say(results, "options", "%s", given[0] != '\0' ? given : "none");
}

/* On rank 0.  The rows from `before` on, as text; the files, with all there are so far: what ends
 * the program later on does not take them away. */
static enum hb_status hand_over(struct run *run, int before) {
  const int count = run->results.count - before;
  hb_progress_clear(&run->progress);
  if (run->options.format == HB_BENCH_TEXT && count > 0)
    hb_bench_print_rows(stdout, count, run->results.rows + before);
  fflush(stdout);
  return hb_bench_write(&run->results, &run->options);
}

/* Collective.  A configuration that is not there is left out; it is the only error that is not the
 * end. */
static enum hb_status measure(struct run *run, const struct hb_bench_configuration *configuration) {
  enum hb_status status = HB_OK;
  struct hb_bench_case *of = NULL;
  const int before = run->results.count;
  char label[128];
  snprintf(label, sizeof label, "degree %d, %s, %s, %s", configuration->degree,
           hb_precision_name(configuration->precision), hb_geometry_mode_name(configuration->mode),
           configuration->kernel);
  hb_progress_stage(&run->progress, label);
  status = hb_bench_case_create(run->comm, &run->options, &run->place, configuration, &of);
  if (status == HB_BAD_INPUT) {
    if (run->num_left_out++ == 0)
      snprintf(run->left_out, sizeof run->left_out, "%s: %.380s", label, hb_error_message());
    hb_error_clear();
    return HB_OK;
  }
  HB_TRY(status);
  HB_TRY(hb_bench_measure(of, &run->options, &run->place, &run->results, &run->num_wrong));
  run->num_measured++;
  HB_TRY(hb_comm_agree(run->comm, run->comm->rank == 0 ? hand_over(run, before) : HB_OK));
done:
  hb_bench_case_destroy(&of);
  return status;
}

/* Collective.  All kernels that are asked for, of what the configuration has besides. */
static enum hb_status measure_kernels(struct run *run,
                                      struct hb_bench_configuration *configuration) {
  enum hb_status status = HB_OK;
  configuration->kernel = "auto";
  if (run->options.rows == 0) return measure(run, configuration);
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    if ((run->options.rows >> row & 1) == 0) continue;
    configuration->kernel = hb_helmholtz_variant(row)->name;
    HB_TRY(measure(run, configuration));
  }
done:
  return status;
}

/* Collective. */
static enum hb_status measure_all(struct run *run) {
  enum hb_status status = HB_OK;
  for (int degree = HB_MIN_DEGREE; degree <= HB_MAX_DEGREE; degree++)
    for (int precision = HB_F64; precision <= HB_F32; precision++)
      for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++) {
        struct hb_bench_configuration configuration = {.degree = degree,
                                                       .precision = (enum hb_precision)precision,
                                                       .mode = (enum hb_geometry_mode)mode};
        if (run->options.degree[degree] && (run->options.precisions >> precision & 1) != 0 &&
            (run->options.geometries >> mode & 1) != 0)
          HB_TRY(measure_kernels(run, &configuration));
      }
done:
  return status;
}

/* On rank 0.  What stands below all rows, or all of them where they are not printed yet; also after
 * a failure. */
static void print_end(struct run *run) {
  hb_progress_clear(&run->progress);
  if (run->results.count == 0) return;
  if (run->options.format == HB_BENCH_TEXT)
    hb_bench_print_notes(stdout, &run->results);
  else
    hb_bench_print(stdout, &run->results, run->options.format);
}

/* Collective.  Are the parts there that are asked for by name? */
static enum hb_status check_parts(const struct run *run) {
  enum hb_status status = HB_OK;
  const bool on_gpu =
      strcmp(hb_device_platform(), "none") != 0 && run->options.backend != HB_BACKEND_ONLY_HOST;
  const unsigned there = hb_bench_parts_there(on_gpu, run->comm->size);
  if (strcmp(run->options.parts, "all") != 0 && (run->options.chosen_parts & ~there) != 0)
    HB_FAIL(
        HB_BAD_INPUT,
        "command line: --parts: not all of '%s' is there; packing, exchange and all_reduce need "
        "several ranks, launch and launch_wait a GPU",
        run->options.parts);
done:
  return status;
}

/* Collective.  The verdict, once everything is printed. */
static enum hb_status conclude(const struct run *run) {
  enum hb_status status = HB_OK;
  if (run->num_measured == 0) HB_FAIL(HB_BAD_INPUT, "nothing was measured: %s", run->left_out);
  if (run->comm->rank == 0 && run->num_left_out > 0)
    fprintf(stderr, "helmbone-bench: %d configuration%s left out; the first, %s\n",
            run->num_left_out, run->num_left_out > 1 ? "s are" : " is", run->left_out);
  if (run->num_wrong > 0)
    HB_FAIL(HB_GATE_FAILED, "%d part%s not timed: what it computes is wrong", run->num_wrong,
            run->num_wrong > 1 ? "s are" : " is");
done:
  return status;
}

static enum hb_status run_all(struct run *run, int argc, char **argv, bool attached) {
  enum hb_status status = HB_OK;
  const bool first = run->comm->rank == 0;
  char words[WORDS_BYTES];
  HB_TRY(hb_bench_options_parse(run->comm, argc, argv, &run->options));
  if (run->options.help || run->options.version) {
    if (first && run->options.help) hb_bench_options_help(stdout);
    if (first && !run->options.help) printf("helmbone-bench %s (%s)\n", HB_VERSION, HB_GIT_COMMIT);
    goto done;
  }
  HB_TRY(hb_launch_check(run->comm));
  HB_TRY(check_parts(run));
  hb_progress_init(&run->progress, stderr, first && attached, true);
  HB_TRY(hb_bench_look(run->comm, &run->options, &run->place, sizeof words, words));
  say_machine(&run->results, run, words);
  say_case(&run->results, run, argc, argv);
  if (first && run->options.format == HB_BENCH_TEXT) hb_bench_print_head(stdout, &run->results);
  status = measure_all(run);
  if (first) print_end(run);
  HB_TRY(status);
  HB_TRY(conclude(run));
done:
  return status;
}

static enum hb_status run_program(void *state, const struct hb_comm *comm, int argc, char **argv,
                                  bool attached) {
  struct run *run = state;
  run->comm = comm;
  const enum hb_status status = run_all(run, argc, argv, attached);
  hb_bench_results_destroy(&run->results);
  return status;
}

int main(int argc, char **argv) {
  static const struct hb_program program = {.name = "helmbone-bench: error",
                                            .state_bytes = sizeof(struct run),
                                            .least_told = HB_GATE_FAILED,
                                            .run = run_program};
  return hb_program_run(&program, argc, argv);
}
