/* SPDX-License-Identifier: BSD-3-Clause
 * Mesh and fields of the output file, layer by layer from the assembled vectors. */
#include "app/output.h"

#include "app/output_plan.h"
#include "app/output_tables.h"
#include "io/field_file.h"

/* What the fill functions see: positions, and for fields which one. */
enum field { FIELD_SOLUTION, FIELD_EXACT, FIELD_ERROR, FIELD_RESIDUAL, FIELD_POINTS };
struct source {
  const struct hb_solver *solver;
  const void *residual; /* [num_points] */
  const struct hb_watcher *watcher;
  enum field field;
};

/* One point: value[3] of the positions, or value[0]. */
static void fill_point(const struct source *source, const hb_local element[3], const int ijk[3],
                       double *value) {
  const struct hb_solver *solver = source->solver;
  const struct hb_mesh *mesh = solver->mesh;
  const int p = mesh->gll.n - 1;
  const hb_local number = hb_numbering_point(mesh->numbering, element, ijk[0], ijk[1], ijk[2]);
  double x[3];
  hb_local c[3];
  for (int a = 0; a < 3; a++) c[a] = element[a] * p + ijk[a];
  switch (source->field) {
  case FIELD_SOLUTION: value[0] = hb_real_at(solver->op->precision, solver->x, number); return;
  case FIELD_RESIDUAL:
    value[0] = hb_real_at(solver->op->precision, source->residual, number);
    return;
  case FIELD_POINTS: hb_positions_at(mesh->positions, c, value); return;
  default: break;
  }
  hb_positions_at(mesh->positions, c, x);
  value[0] = hb_problem_exact(&solver->plan->problem, x, NULL, NULL);
  if (source->field == FIELD_ERROR)
    value[0] = hb_real_at(solver->op->precision, solver->x, number) - value[0];
}

/* values[ey][ex][k][j][i] of one layer of elements; three components for positions. */
static enum hb_status fill_layer(void *context, hb_local layer, double *values) {
  const struct source *source = context;
  const struct hb_mesh *mesh = source->solver->mesh;
  const int n = mesh->gll.n, components = source->field == FIELD_POINTS ? 3 : 1;
  const hb_local *count = mesh->partition.count;
  hb_local element[3] = {0, 0, layer};
  hb_watcher_tell(source->watcher,
                  source->field == FIELD_POINTS ? "writing mesh, layers" : "writing fields, layers",
                  layer, count[2]);
  for (element[1] = 0; element[1] < count[1]; element[1]++)
    for (element[0] = 0; element[0] < count[0]; element[0]++)
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
          for (int i = 0; i < n; i++, values += components)
            fill_point(source, element, (const int[3]){i, j, k}, values);
  return HB_OK;
}

static void describe_mesh(const struct hb_solver *solver, struct hb_field_file_content *content) {
  const struct hb_mesh *mesh = solver->mesh;
  content->fields = solver->plan->options->fields;
  content->precision = solver->op->precision;
  content->n = mesh->gll.n;
  for (int a = 0; a < 3; a++) {
    content->elements[a] = mesh->box.elements[a];
    content->periodic[a] = mesh->box.boundary[a] == HB_PERIODIC;
    content->element_start[a] = mesh->partition.start[a];
    content->element_count[a] = mesh->partition.count[a];
  }
  content->gll_nodes = mesh->gll.nodes;
  content->gll_weights = mesh->gll.weights;
}

/* Collective.  The residual b - A u, if it is to be written. */
static enum hb_status make_residual(const struct hb_solver *solver, void **residual) {
  enum hb_status status = HB_OK;
  if (!solver->plan->options->fields) return HB_OK;
  *residual = hb_allocate(solver->mesh->numbering->num_points,
                          hb_precision_bytes(solver->op->precision), "residual for the file");
  HB_TRY(hb_comm_agree(solver->plan->comm, *residual != NULL ? HB_OK : HB_MACHINE_FAILED));
  HB_TRY(hb_solver_residual(solver, *residual));
done:
  return status;
}

enum hb_status hb_output_write(const struct hb_results *results, struct hb_timers *timers,
                               const char *command_line, const struct hb_watcher *watcher,
                               bool *overtaken) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = results->solver;
  const struct hb_options *options = solver->plan->options;
  void *residual = NULL;
  struct source sources[HB_NUM_FIELDS + 1];
  struct hb_field_file_field fields[HB_NUM_FIELDS] = {
      {.name = "solution", .long_name = "solution u"},
      {.name = "exact_solution", .long_name = "exact solution"},
      {.name = "error", .long_name = "solution minus exact solution"},
      {.name = "residual", .long_name = "residual b - A u, assembled"}};
  struct hb_field_file_content content = {
      .num_fields = HB_NUM_FIELDS, .field = fields, .piece_bytes = HB_OUTPUT_PIECE_BYTES};
  struct hb_field_file *file = NULL;
  struct hb_output_tables *tables = NULL;
  double mark = hb_timer_now();
  if (!hb_output_wanted(options)) return HB_OK;
  HB_TRY(make_residual(solver, &residual));
  for (int f = 0; f <= HB_NUM_FIELDS; f++)
    sources[f] = (struct source){solver, residual, watcher, (enum field)f};
  for (int f = 0; f < HB_NUM_FIELDS; f++) {
    fields[f].units = "1";
    fields[f].components = 1;
    fields[f].fill = fill_layer;
    fields[f].context = &sources[f];
  }
  describe_mesh(solver, &content);
  content.before = &solver->plan->output_before;
  content.overtaken = overtaken;
  content.fill_points = fill_layer;
  content.points_context = &sources[FIELD_POINTS];
  HB_TRY(hb_output_tables_create(results, command_line, &tables));
  hb_output_tables_describe(tables, &content);
  HB_TRY(hb_field_file_create(solver->plan->comm, options->file, &content, &file));
  HB_TRY(hb_field_file_write_fields(file));
  hb_timer_add(timers, HB_PHASE_OUTPUT, &mark);
  HB_TRY(hb_output_tables_gather_times(tables, results));
  mark = hb_timer_now();
  HB_TRY(hb_field_file_finish(&file));
  hb_timer_add(timers, HB_PHASE_OUTPUT, &mark);
done:
  hb_field_file_destroy(&file);
  hb_output_tables_destroy(&tables);
  hb_free(residual);
  return status;
}
