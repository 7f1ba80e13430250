/* SPDX-License-Identifier: BSD-3-Clause
 * The printed report: the plan before the solve, and the RESULT line. */
#include "app/report.h"

#include <string.h>

#include "app/output_plan.h"
#include "app/plain.h"
#include "app/report_internal.h"
#include "build_info.h"

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
  hb_report_entries(stream, "memory of rank 0", options->verbose, memory);
  if (hb_backend_on_gpu(plan->backend))
    hb_report_entries(stream, "GPU memory of rank 0", options->verbose, device_memory);
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

/* " NAME=VALUE" */
static void put_real(FILE *stream, const char *name, double value) {
  const struct hb_plain plain = hb_plain_of(value, 6);
  fprintf(stream, " %s=%s", name, plain.text);
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
    put_real(stream, "fom_nekbone_gflops", figures->fom_nekbone_gflops);
    put_real(stream, "dof_iterations_per_s", figures->dof_iterations_per_s);
    put_real(stream, "points_iterations_per_s", figures->points_iterations_per_s);
    put_real(stream, "seconds_per_iteration", figures->seconds_per_iteration);
    put_real(stream, "fraction_of_triad", figures->fraction_of_triad);
    put_real(stream, "fraction_of_copy", figures->fraction_of_copy);
    fprintf(stream, " nekbone_comparable=%s", hb_results_are_comparable(results) ? "yes" : "no");
  }
  if (results->file_is_wrong) fprintf(stream, " failed=file");
  print_names(stream, results->file_is_wrong ? "," : " failed=", results->gates, HB_GATE_FAILS);
  print_names(stream, " inconclusive=", results->gates, HB_GATE_INCONCLUSIVE);
  if (results->unwritten) fprintf(stream, " file=not_written");
  if (results->report_unwritten) fprintf(stream, " report=not_written");
  fprintf(stream, " iterations=%d", figures->iterations);
  put_real(stream, "rms_error", results->gates->rms_error);
  put_real(stream, "residual", results->gates->true_residual);
  fprintf(stream, " ranks=%d degree=%d elements=%lldx%lldx%lld points=%lld geometry=%s",
          solver->plan->comm->size, box->degree, (long long)box->elements[0],
          (long long)box->elements[1], (long long)box->elements[2],
          (long long)hb_box_num_points(box), hb_geometry_mode_name(solver->plan->geometry.mode));
  put_real(stream, "geometry_bytes", hb_figures_geometry_bytes(solver));
  fprintf(stream, " precision=%s backend=%s kernel=%s%s%s%s exchange=%s\n",
          hb_precision_name(solver->op->precision), hb_backend_name(backend->kind),
          backend->kernel.variant->name, on_gpu ? " kernel_shape=" : "", on_gpu ? shape : "",
          hb_backend_is_interpreted(backend) ? " interpreted=yes" : "",
          hb_exchange_name(&solver->mesh->gs->choice));
}
