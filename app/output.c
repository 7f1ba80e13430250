/* SPDX-License-Identifier: BSD-3-Clause
 * Mesh and fields of the output file, layer by layer from the assembled vectors. */
#include "app/output.h"

#include <stdio.h>

#include "app/output_plan.h"
#include "app/output_tables.h"
#include "io/field_file.h"

/* What the fill functions see: positions, and for fields which one. */
enum field { FIELD_SOLUTION, FIELD_EXACT, FIELD_ERROR, FIELD_RESIDUAL, FIELD_POINTS };
_Static_assert((int)FIELD_POINTS == (int)HB_NUM_FIELDS, "the fields that options name, in order");
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
  const struct hb_options *options = solver->plan->options;
  content->fields = hb_output_has_fields(options);
  content->precision = hb_output_precision(options);
  content->pieces = hb_output_pieces(options, &mesh->box);
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
  *residual = hb_allocate(solver->mesh->numbering->num_points,
                          hb_precision_bytes(solver->op->precision), "residual for the file");
  HB_TRY(hb_comm_agree(solver->plan->comm, *residual != NULL ? HB_OK : HB_MACHINE_FAILED));
  HB_TRY(hb_solver_residual(solver, *residual));
done:
  return status;
}

/* Fields that are written, with where they come from. */
struct fields {
  bool written[HB_NUM_FIELDS];
  struct source sources[HB_NUM_FIELDS + 1]; /* by enum field */
  struct hb_field_file_field field[HB_NUM_FIELDS];
  int count;
};

static void describe_fields(struct fields *fields, struct hb_field_file_content *content) {
  static const char *const long_names[HB_NUM_FIELDS] = {"solution u", "exact solution",
                                                        "solution minus exact solution",
                                                        "residual b - A u, assembled"};
  for (int f = 0; f < HB_NUM_FIELDS; f++)
    if (fields->written[f])
      fields->field[fields->count++] = (struct hb_field_file_field){.name = hb_output_field_name(f),
                                                                    .long_name = long_names[f],
                                                                    .units = "1",
                                                                    .components = 1,
                                                                    .fill = fill_layer,
                                                                    .context = &fields->sources[f]};
  content->num_fields = fields->count;
  content->field = fields->field;
  content->fill_points = fill_layer;
  content->points_context = &fields->sources[FIELD_POINTS];
}

/* Collective.  Writes the file. */
static enum hb_status write_file(const struct hb_results *results, struct hb_timers *timers,
                                 const struct hb_field_file_content *content,
                                 struct hb_output_tables *tables, struct hb_output_words *words) {
  enum hb_status status = HB_OK;
  const struct hb_plan *plan = results->solver->plan;
  struct hb_field_file *file = NULL;
  double mark = hb_timer_now();
  HB_TRY(hb_field_file_create(plan->comm, plan->options->file, content, &file));
  HB_TRY(hb_field_file_write_fields(file));
  snprintf(words->way, sizeof words->way, "%s", hb_field_file_way(file));
  hb_timer_add(timers, HB_PHASE_OUTPUT, &mark);
  HB_TRY(hb_output_tables_gather_times(tables, results));
  mark = hb_timer_now();
  HB_TRY(hb_field_file_finish(&file));
  hb_timer_add(timers, HB_PHASE_OUTPUT, &mark);
done:
  hb_field_file_destroy(&file);
  return status;
}

enum hb_status hb_output_write(const struct hb_results *results, struct hb_timers *timers,
                               struct hb_output_tables *tables, const struct hb_watcher *watcher,
                               struct hb_output_words *words) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = results->solver;
  void *residual = NULL;
  struct fields fields = {.count = 0};
  struct hb_field_file_content content = {.piece_bytes = HB_OUTPUT_PIECE_BYTES};
  double mark = hb_timer_now();
  *words = (struct hb_output_words){.way = ""};
  if (!hb_output_wanted(solver->plan->options)) return HB_OK;
  HB_TRY(hb_output_fields(solver->plan->options, fields.written));
  if (fields.written[FIELD_RESIDUAL]) HB_TRY(make_residual(solver, &residual));
  for (int f = 0; f <= HB_NUM_FIELDS; f++)
    fields.sources[f] = (struct source){solver, residual, watcher, (enum field)f};
  describe_mesh(solver, &content);
  describe_fields(&fields, &content);
  content.before = &solver->plan->output_before;
  hb_output_tables_describe(tables, &content);
  hb_timer_add(timers, HB_PHASE_OUTPUT, &mark);
  HB_TRY(write_file(results, timers, &content, tables, words));
done:
  hb_free(residual);
  return status;
}
