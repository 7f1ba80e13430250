/* SPDX-License-Identifier: BSD-3-Clause
 * The printed report. */
#include "app/report.h"

#include <math.h>
#include <string.h>

#include "app/output_plan.h"
#include "build_info.h"

static void print_entries(FILE *stream, const char *prefix, const struct hb_entries *entries) {
  for (int i = 0; i < entries->count; i++)
    fprintf(stream, "%s, %s: %.3f MB\n", prefix, entries->entry[i].name,
            1e-6 * entries->entry[i].bytes);
  fprintf(stream, "%s, total: %.3f MB\n", prefix, 1e-6 * entries->total);
}

bool hb_results_are_valid(const struct hb_results *results) {
  return results->gates->verdict == HB_GATE_PASSES && !results->file_is_wrong;
}

const char *hb_results_status(const struct hb_results *results) {
  if (results->file_is_wrong) return "INVALID";
  if (results->gates->verdict == HB_GATE_PASSES &&
      (results->unwritten || results->report_unwritten))
    return "UNWRITTEN";
  return hb_gates_status(results->gates);
}

bool hb_results_are_comparable(const struct hb_results *results) {
  return results->solver->plan->geometry.mode == HB_GEOMETRY_STORED;
}

/* The file that is to be written, and its size. */
static void print_output(FILE *stream, const struct hb_plan *plan) {
  const struct hb_options *options = plan->options;
  const hb_global bytes = hb_output_file_bytes(options, &plan->box, plan->comm->size);
  const int pieces = hb_output_pieces(options, &plan->box);
  if (!hb_output_wanted(options)) return;
  fprintf(stream, "output: %s, about %.3f MB, fields %s", options->file, 1e-6 * (double)bytes,
          options->fields);
  if (hb_output_has_fields(options))
    fprintf(stream, " in %s, mesh in %d piece%s", hb_precision_name(hb_output_precision(options)),
            pieces, pieces > 1 ? "s" : "");
  fprintf(stream, "\n");
}

void hb_report_plan(FILE *stream, const struct hb_plan *plan, const struct hb_entries *memory,
                    const struct hb_entries *device_memory) {
  const struct hb_comm *comm = plan->comm;
  const struct hb_options *options = plan->options;
  const struct hb_box *box = &plan->box;
  const struct hb_partition *partition = &plan->partition;
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(mpi, &length);
  mpi[strcspn(mpi, "\n,")] = '\0';
  fprintf(stream, "helmbone: %s, commit %s, %s, %s\n", HB_VERSION, HB_GIT_COMMIT, HB_COMPILER,
          HB_BUILD_TYPE);
  hb_backend_print(stream, plan->backend);
  fprintf(stream, "mpi: %s\n", mpi);
  fprintf(stream, "ranks: %d = %d x %d x %d, %d on this node\n", comm->size, partition->grid[0],
          partition->grid[1], partition->grid[2], comm->node_size);
  fprintf(stream, "elements: %lld = %lld x %lld x %lld, degree %d\n",
          (long long)hb_box_num_elements(box), (long long)box->elements[0],
          (long long)box->elements[1], (long long)box->elements[2], box->degree);
  fprintf(stream, "elements per rank: %lld to %lld\n", (long long)partition->min_elements,
          (long long)partition->max_elements);
  fprintf(stream, "unique points: %lld\n", (long long)hb_box_num_points(box));
  fprintf(stream, "box: %g x %g x %g m, boundaries %s %s %s, deformation %s\n", box->length[0],
          box->length[1], box->length[2], hb_boundary_name(box->boundary[0]),
          hb_boundary_name(box->boundary[1]), hb_boundary_name(box->boundary[2]),
          hb_deformation_name(box->deformation));
  fprintf(stream, "operator: h1 = %g, h2 = %g, geometry %s, %s\n", options->h1, options->h2,
          hb_backend_is_pending(plan->backend) && options->geometry == HB_GEOMETRY_AUTO
              ? "to be timed"
              : hb_geometry_mode_name(plan->geometry.mode),
          hb_precision_name(options->precision));
  hb_backend_print_kernel(stream, plan->backend);
  print_output(stream, plan);
  print_entries(stream, "memory of rank 0", memory);
  if (hb_backend_on_gpu(plan->backend))
    print_entries(stream, "GPU memory of rank 0", device_memory);
}

/* One line a phase: smallest, mean and largest over ranks, the rank of the largest, imbalance. */
static void print_phases(FILE *stream, const struct hb_results *results) {
  const struct hb_comm *comm = results->solver->plan->comm;
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
    if (comm->rank != 0) continue;
    fprintf(stream, "time, %s: min %.4f mean %.4f max %.4f (rank %d) imbalance %.2f\n",
            hb_phase_name((enum hb_phase)phase), least, mean, most.value, most.rank,
            mean > 0.0 ? most.value / mean : 1.0);
  }
}

static void print_slow(void *stream, const char *words) { fprintf(stream, "slow: %s\n", words); }

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

/* Below rounding the recurrence goes on falling, but says nothing of the solution any more. */
static void print_residual(FILE *stream, const struct hb_results *results) {
  const struct hb_gates *gates = results->gates;
  const struct hb_options *options = results->solver->plan->options;
  const double epsilon = hb_precision_epsilon(results->solver->op->precision);
  fprintf(stream, "residual: recurrence %.3e, recomputed %.3e (of |b|)\n",
          gates->recursive_residual, gates->true_residual);
  if (gates->recursive_residual < epsilon)
    fprintf(stream,
            "note: below rounding, %.1e of |b|, the recurrence's residual is noise; the recomputed "
            "one is what was reached\n",
            epsilon);
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
  fprintf(stream, "eigenvalues seen: %.4g to %.4g\n", gates->smallest_eigenvalue,
          gates->largest_eigenvalue);
  fprintf(stream, "error: rms %.3e, max %.3e (rms of solution %.3e)\n", gates->rms_error,
          gates->max_error, gates->rms_solution);
}

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
  print_entries(stream, "modelled traffic of an iteration, rank 0", &figures->traffic.entries);
  if (hb_backend_on_gpu(backend)) {
    fprintf(stream, "gpu_aware: %s\n", backend->gpu_aware_reason);
    print_pass(stream, "operator", figures->operator_seconds, figures->operator_bytes,
               results->bandwidth);
    print_pass(stream, "residual", figures->residual_seconds, figures->residual_bytes,
               results->bandwidth);
  }
  fprintf(stream, "measured bandwidth: copy %.2f GB/s, triad %.2f GB/s (%.0f MB arrays, %s)\n",
          1e-9 * results->bandwidth->all_copy, 1e-9 * results->bandwidth->all_triad,
          1e-6 * (double)results->bandwidth->array_bytes, "all ranks at once, summed");
  fprintf(stream, "modelled bytes over time: %.2f GB/s = %.1f %% of triad, %.1f %% of copy\n",
          1e-9 * figures->bytes_per_s, 100.0 * figures->fraction_of_triad,
          100.0 * figures->fraction_of_copy);
}

static void print_gates(FILE *stream, const struct hb_gates *gates, int threads) {
  fprintf(stream, "gates: random places and values of gate_seed = %lld\n", (long long)gates->seed);
  fprintf(stream, "gates: %d threads on rank 0\n", threads);
  for (int g = 0; g < HB_NUM_GATES; g++) {
    const struct hb_gate *gate = &gates->gate[g];
    fprintf(stream, "gate, %s: observed %.3e bound %.3e %s", gate->name, gate->observed,
            gate->bound, hb_gate_verdict_word(gate->verdict));
    if (gate->reason != NULL) fprintf(stream, " (%s", gate->reason);
    if (gate->covered_by != NULL) fprintf(stream, "; covered by %s", gate->covered_by);
    fprintf(stream, "%s\n", gate->reason != NULL ? ")" : "");
  }
}

void hb_report_results(FILE *stream, const struct hb_results *results) {
  const struct hb_figures *figures = results->figures;
  print_phases(stream, results);
  if (results->solver->plan->comm->rank != 0) return;
  print_own(stream, results);
  print_solves(stream, results);
  print_traffic(stream, results);
  print_gates(stream, results->gates, results->solver->plan->comm->threads);
  if (!hb_results_are_valid(results)) return;
  if (hb_backend_is_interpreted(results->solver->plan->backend))
    fprintf(stream, "note: the GPU is interpreted on the CPU, no figure here is a GPU's speed\n");
  fprintf(stream, "fom_nekbone_gflops: %.4g (geometry %s, %s, nominal count%s)\n",
          figures->fom_nekbone_gflops, hb_geometry_mode_name(results->solver->plan->geometry.mode),
          hb_precision_name(results->solver->op->precision),
          hb_results_are_comparable(results)
              ? ""
              : "; not to be compared with Nekbone's or hipBone's, which "
                "read stored factors");
  fprintf(stream, "dof_iterations_per_s: %.5g (unique points)\n", figures->dof_iterations_per_s);
  fprintf(stream, "points_iterations_per_s: %.5g (E n^3)\n", figures->points_iterations_per_s);
  fprintf(stream, "useful_gflops: %.4g\n", figures->useful_gflops);
}

/* The gates of that verdict, if there are any. */
static void print_names(FILE *stream, const char *separator, const struct hb_gates *gates,
                        enum hb_gate_verdict verdict) {
  for (int gate = 0; gate < HB_NUM_GATES; gate++) {
    if (gates->gate[gate].verdict != verdict) continue;
    fprintf(stream, "%s%s", separator, gates->gate[gate].name);
    separator = ",";
  }
}

void hb_report_verdict(FILE *stream, const struct hb_results *results) {
  const struct hb_solver *solver = results->solver;
  const struct hb_figures *figures = results->figures;
  const struct hb_box *box = &solver->mesh->box;
  const struct hb_backend *backend = solver->plan->backend;
  const bool on_gpu = hb_backend_on_gpu(backend);
  char shape[HB_SHAPE_WORD_BYTES];
  hb_shape_word(&backend->kernel.shape, shape);
  fprintf(stream, "RESULT status=%s", hb_results_status(results));
  if (hb_results_are_valid(results)) {
    fprintf(stream,
            " fom_nekbone_gflops=%.6g dof_iterations_per_s=%.6g points_iterations_per_s=%.6g",
            figures->fom_nekbone_gflops, figures->dof_iterations_per_s,
            figures->points_iterations_per_s);
    fprintf(stream, " seconds_per_iteration=%.6g fraction_of_triad=%.4g fraction_of_copy=%.4g",
            figures->seconds_per_iteration, figures->fraction_of_triad, figures->fraction_of_copy);
    fprintf(stream, " nekbone_comparable=%s", hb_results_are_comparable(results) ? "yes" : "no");
  }
  if (results->file_is_wrong) fprintf(stream, " failed=file");
  print_names(stream, results->file_is_wrong ? "," : " failed=", results->gates, HB_GATE_FAILS);
  print_names(stream, " inconclusive=", results->gates, HB_GATE_INCONCLUSIVE);
  if (results->unwritten) fprintf(stream, " file=not_written");
  if (results->report_unwritten) fprintf(stream, " report=not_written");
  fprintf(stream,
          " iterations=%d rms_error=%.6g residual=%.6g ranks=%d degree=%d elements=%lldx%lldx%lld"
          " points=%lld geometry=%s geometry_bytes=%.4g precision=%s backend=%s kernel=%s%s%s%s\n",
          figures->iterations, results->gates->rms_error, results->gates->true_residual,
          solver->plan->comm->size, box->degree, (long long)box->elements[0],
          (long long)box->elements[1], (long long)box->elements[2],
          (long long)hb_box_num_points(box), hb_geometry_mode_name(solver->plan->geometry.mode),
          hb_figures_geometry_bytes(solver), hb_precision_name(solver->op->precision),
          hb_backend_name(backend->kind), backend->kernel.variant->name,
          on_gpu ? " kernel_shape=" : "", on_gpu ? shape : "",
          hb_backend_is_interpreted(backend) ? " interpreted=yes" : "");
}
