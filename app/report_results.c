/* SPDX-License-Identifier: BSD-3-Clause
 * The printed report: times, traffic, gates and figures of a finished solve. */
#include <math.h>
#include <string.h>

#include "app/exchange_choice.h"
#include "app/plain.h"
#include "app/report_internal.h"

enum { LINE_COLUMNS = 79 };

void hb_report_entries(FILE *stream, const char *prefix, bool all,
                       const struct hb_entries *entries) {
  for (int i = 0; all && i < entries->count; i++)
    fprintf(stream, "%s, %s: %.3f MB\n", prefix, entries->entry[i].name,
            1e-6 * entries->entry[i].bytes);
  fprintf(stream, "%s, total: %.3f MB\n", prefix, 1e-6 * entries->total);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Collective.  A row a phase that took time: over the ranks, s, and who took longest. */
static void print_phases(FILE *stream, const struct hb_results *results) {
  const struct hb_comm *comm = results->solver->plan->comm;
  if (comm->rank == 0)
    fprintf(stream, "%-16s%10s%10s%10s%8s%10s\n", "seconds", "min", "mean", "max", "rank",
            "max/mean");
  for (int phase = 0; phase < HB_NUM_PHASES; phase++) {
    struct {
      double value;
      int rank;
    } mine = {results->timers->seconds[phase], comm->rank}, most;
    double least = mine.value, sum = mine.value;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm->mpi);
    hb_comm_min(comm, 1, &least);
    hb_comm_sum(comm, 1, &sum);
    const double mean = sum / comm->size;
    const char *name = hb_phase_name((enum hb_phase)phase);
    if (comm->rank != 0 || !(most.value > 0.0)) continue;
    fprintf(stream, "  %-14.*s%10.4f%10.4f%10.4f%8d%10.2f\n", (int)strlen(name) - 2, name, least,
            mean, most.value, most.rank, mean > 0.0 ? most.value / mean : 1.0);
  }
}

static void print_slow(void *stream, const char *words) { fprintf(stream, "slow: %s\n", words); }

/* What the ranks took for themselves. */
static void print_own(FILE *stream, const struct hb_results *results) {
  const struct hb_own_times *own = results->own;
  if (isfinite(own->reduction_mean_s))
    fprintf(stream, "reduction: least %.2f us, mean %.2f us, waits for other ranks among it\n",
            1e6 * own->reduction_least_s, 1e6 * own->reduction_mean_s);
  if (hb_backend_is_interpreted(results->solver->plan->backend)) return; /* means nothing */
  if (isfinite(own->medians.kernel_s))
    fprintf(stream, "kernel alone: %.4f ms an application, median over the ranks\n",
            1e3 * own->medians.kernel_s);
  hb_report_slow(own, results->placement, print_slow, stream);
}

/* ---- solves ---------------------------------------------------------------------------------- */

/* Below rounding the recurrence goes on falling, but says nothing of the solution any more. */
static void print_residual(FILE *stream, const struct hb_results *results) {
  const struct hb_gates *gates = results->gates;
  const struct hb_options *options = results->solver->plan->options;
  const double epsilon = hb_precision_epsilon(results->solver->op->precision);
  const struct hb_plain recurrence = hb_plain_of(gates->recursive_residual, 4);
  const struct hb_plain recomputed = hb_plain_of(gates->true_residual, 4);
  fprintf(stream, "residual: recurrence %s, recomputed %s (of |b|)\n", recurrence.text,
          recomputed.text);
  if (gates->recursive_residual < epsilon)
    fprintf(stream,
            "note: below rounding, %s of |b|, the recurrence's residual is noise; the recomputed "
            "one is what was reached\n",
            hb_plain_of(epsilon, 2).text);
  if (options->stop == HB_STOP_COUNT && results->figures->iterations < options->iterations)
    fprintf(stream, "note: %d of the %d iterations asked for were done: %s%s\n",
            results->figures->iterations, options->iterations, hb_cg_end_name(results->solves->end),
            results->solves->end == HB_CG_CONVERGED
                ? ", no digit of the recurrence's residual is right any more"
                : "");
}

static void print_solves(FILE *stream, const struct hb_results *results) {
  const struct hb_solves *solves = results->solves;
  const struct hb_figures *figures = results->figures;
  const struct hb_gates *gates = results->gates;
  fprintf(stream, "solves: %d untimed, %d timed; %d iterations, %s\n", solves->num_warmup,
          solves->num_timed, figures->iterations, hb_cg_end_name(solves->end));
  if (solves->why != HB_SOLVES_DONE)
    fprintf(stream, "note: %d timed solves: %s\n", solves->num_timed,
            hb_solves_end_words(solves->why));
  fprintf(stream, "seconds a solve: min %.6f median %.6f max %.6f\n", figures->min_seconds,
          figures->median_seconds, figures->max_seconds);
  print_residual(stream, results);
  const struct hb_plain smallest = hb_plain_of(gates->smallest_eigenvalue, 4);
  const struct hb_plain largest = hb_plain_of(gates->largest_eigenvalue, 4);
  fprintf(stream, "eigenvalues seen: %s to %s\n", smallest.text, largest.text);
  const struct hb_plain rms = hb_plain_of(gates->rms_error, 4);
  const struct hb_plain most = hb_plain_of(gates->max_error, 4);
  const struct hb_plain solution = hb_plain_of(gates->rms_solution, 4);
  fprintf(stream, "error: rms %s, max %s (rms of solution %s)\n", rms.text, most.text,
          solution.text);
}

/* ---- memory traffic -------------------------------------------------------------------------- */

/* A pass of an iteration on rank 0's GPU. */
static void print_pass(FILE *stream, const char *name, double seconds, double bytes,
                       const struct hb_bandwidth *bandwidth) {
  if (!(seconds > 0.0)) return;
  fprintf(stream,
          "pass, %s: %.1f us an iteration, launch and wait included; modelled %.3f MB, "
          "%.2f GB/s = %.1f %% of copy\n",
          name, 1e6 * seconds, 1e-6 * bytes, 1e-9 * bytes / seconds,
          100.0 * bytes / seconds / bandwidth->copy_bytes_per_s);
}

static void print_traffic(FILE *stream, const struct hb_results *results) {
  const struct hb_figures *figures = results->figures;
  const struct hb_backend *backend = results->solver->plan->backend;
  const struct hb_own_times *own = results->own;
  int least = 0;
  hb_report_entries(stream, "modelled traffic of an iteration, rank 0", backend->options->verbose,
                    &figures->traffic.entries);
  hb_exchange_print(stream, &results->solver->mesh->gs->choice, backend->options->verbose);
  if (hb_backend_on_gpu(backend)) {
    fprintf(stream, "gpu_aware: %s\n", backend->gpu_aware_reason);
    print_pass(stream, "operator", figures->operator_seconds, figures->operator_bytes,
               results->bandwidth);
    print_pass(stream, "residual", figures->residual_seconds, figures->residual_bytes,
               results->bandwidth);
  }
  fprintf(stream, "measured bandwidth: copy %.2f GB/s, triad %.2f GB/s (%.0f MB arrays, %s",
          1e-9 * results->bandwidth->all_copy, 1e-9 * results->bandwidth->all_triad,
          1e-6 * (double)results->bandwidth->array_bytes, "all ranks at once, summed");
  for (int rank = 1; rank < own->count; rank++)
    if (own->rank[rank].speed.copy_bytes_per_s < own->rank[least].speed.copy_bytes_per_s)
      least = rank;
  if (own->count > 1)
    fprintf(stream, "; least copy of a rank %.2f GB/s, rank %d",
            1e-9 * own->rank[least].speed.copy_bytes_per_s, least);
  fprintf(stream, ")\nmodelled bytes over time: %.2f GB/s = %.1f %% of triad, %.1f %% of copy\n",
          1e-9 * figures->bytes_per_s, 100.0 * figures->fraction_of_triad,
          100.0 * figures->fraction_of_copy);
}

/* The largest peaks of a rank. */
static void print_memory(FILE *stream, const struct hb_memory_uses *uses) {
  hb_global resident = -1, allocated = 0, device = 0;
  for (int rank = 0; rank < uses->count; rank++) {
    const struct hb_memory_peaks *peaks = &uses->peaks[rank];
    if (peaks->resident > resident) resident = peaks->resident;
    if (peaks->allocated > allocated) allocated = peaks->allocated;
    if (peaks->device > device) device = peaks->device;
  }
  if (uses->count == 0) return;
  fprintf(stream, "memory measured, most of a rank: %.3f MB allocated", 1e-6 * (double)allocated);
  if (resident >= 0) fprintf(stream, ", %.3f MB resident", 1e-6 * (double)resident);
  if (device > 0) fprintf(stream, ", %.3f MB on the GPU and pinned", 1e-6 * (double)device);
  fputc('\n', stream);
}

/* ---- gates ----------------------------------------------------------------------------------- */

static void print_gate(FILE *stream, const struct hb_gate *gate) {
  fprintf(stream, "gate, %s: observed %.3e bound %.3e %s", gate->name, gate->observed, gate->bound,
          hb_gate_verdict_word(gate->verdict));
  if (gate->reason != NULL) fprintf(stream, " (%s", gate->reason);
  if (gate->covered_by != NULL) fprintf(stream, "; covered by %s", gate->covered_by);
  fprintf(stream, "%s\n", gate->reason != NULL ? ")" : "");
}

/* Those that passed by their names, others with a line each; verbose: all with a line. */
static void print_gates(FILE *stream, const struct hb_results *results) {
  const struct hb_gates *gates = results->gates;
  const struct hb_plan *plan = results->solver->plan;
  int passed = 0, column = 0;
  for (int g = 0; g < HB_NUM_GATES; g++) passed += gates->gate[g].verdict == HB_GATE_PASSES;
  fprintf(stream,
          "gates: %d of %d passed; random places and values of gate_seed = %lld, %d threads on "
          "rank 0\n",
          passed, (int)HB_NUM_GATES, (long long)gates->seed, plan->comm->threads);
  for (int g = 0; g < HB_NUM_GATES && !plan->options->verbose; g++) {
    const int length = (int)strlen(gates->gate[g].name);
    if (gates->gate[g].verdict != HB_GATE_PASSES) continue;
    if (column > 0 && column + 1 + length > LINE_COLUMNS) {
      fputc('\n', stream);
      column = 0;
    }
    column += fprintf(stream, "%s%s", column > 0 ? " " : "  ", gates->gate[g].name);
  }
  if (column > 0) fputc('\n', stream);
  for (int g = 0; g < HB_NUM_GATES; g++)
    if (plan->options->verbose || gates->gate[g].verdict != HB_GATE_PASSES)
      print_gate(stream, &gates->gate[g]);
}

/* ---- all ------------------------------------------------------------------------------------- */

void hb_report_results(FILE *stream, const struct hb_results *results) {
  print_phases(stream, results);
  if (results->solver->plan->comm->rank != 0) return;
  print_own(stream, results);
  print_solves(stream, results);
  print_traffic(stream, results);
  print_memory(stream, results->memory);
  print_gates(stream, results);
}

void hb_report_figures(FILE *stream, const struct hb_results *results) {
  const struct hb_figures *figures = results->figures;
  if (!hb_results_are_valid(results)) return;
  if (hb_backend_is_interpreted(results->solver->plan->backend))
    fprintf(stream, "note: the GPU is interpreted on the CPU, no figure here is a GPU's speed\n");
  const struct hb_plain fom = hb_plain_of(figures->fom_nekbone_gflops, 5);
  fprintf(stream, "fom_nekbone_gflops: %s (geometry %s, %s, nominal count%s)\n", fom.text,
          hb_geometry_mode_name(results->solver->plan->geometry.mode),
          hb_precision_name(results->solver->op->precision),
          hb_results_are_comparable(results)
              ? ""
              : "; not to be compared with Nekbone's or hipBone's, which "
                "read stored factors");
  const struct hb_plain dof = hb_plain_of(figures->dof_iterations_per_s, 5);
  const struct hb_plain points = hb_plain_of(figures->points_iterations_per_s, 5);
  const struct hb_plain useful = hb_plain_of(figures->useful_gflops, 5);
  fprintf(stream, "dof_iterations_per_s: %s (unique points)\n", dof.text);
  fprintf(stream, "points_iterations_per_s: %s (E n^3)\n", points.text);
  fprintf(stream, "useful_gflops: %s\n", useful.text);
}
