/* SPDX-License-Identifier: BSD-3-Clause
 * A small output file of zero fields: two elements of degree 1 a rank, in a row; layout right. */
#ifndef HB_TESTS_SMALL_FILE_H
#define HB_TESTS_SMALL_FILE_H

#include "io/field_file.h"
#include "io/schema.h"

enum { SMALL_ELEMENTS = 2, SMALL_POINTS = 8 * SMALL_ELEMENTS, SMALL_MOST_RANKS = 64 };

static inline enum hb_status small_file_fill(void *context, hb_local layer, double *values) {
  const int *count = context;
  (void)layer;
  for (int i = 0; i < *count; i++) values[i] = 0.0;
  return HB_OK;
}

/* Collective; at most SMALL_MOST_RANKS ranks. */
static inline enum hb_status small_file_write(const struct hb_comm *comm, const char *path) {
  static const char *const given[] = HB_SCHEMA_CALLER_ATTRIBUTES;
  enum { GIVEN = sizeof given / sizeof *given };
  static const double ends[2] = {-1.0, 1.0}, ones[2] = {1.0, 1.0};
  static const char hosts[SMALL_MOST_RANKS][4] = {"one"};
  int point_values = 3 * SMALL_POINTS, field_values = SMALL_POINTS;
  int32_t numbers[SMALL_MOST_RANKS];
  double seconds[SMALL_MOST_RANKS] = {0.0};
  const bool yes = true;
  for (int r = 0; r < SMALL_MOST_RANKS; r++) numbers[r] = r;
  const struct hb_field_file_column timing[] = {{"rank", HB_COLUMN_INT32, 0, numbers, 0, NULL},
                                                {"total_s", HB_COLUMN_REAL, 0, seconds, 0, NULL}};
  const struct hb_field_file_column host = {NULL, HB_COLUMN_TEXT, sizeof hosts[0], hosts, 0, NULL};
  const struct hb_field_file_column history[] = {
      {"iteration", HB_COLUMN_INT32, 0, numbers, 0, NULL},
      {"residual_norm", HB_COLUMN_REAL, 0, seconds, 0, NULL},
      {"relative_residual", HB_COLUMN_REAL, 0, seconds, 0, NULL}};
  const struct hb_field_file_column gates[] = {
      {"name", HB_COLUMN_TEXT, sizeof hosts[0], hosts, 0, NULL},
      {"observed", HB_COLUMN_REAL, 0, seconds, 0, NULL},
      {"bound", HB_COLUMN_REAL, 0, seconds, 0, NULL},
      {"passed", HB_COLUMN_BOOL, 0, &yes, 0, NULL}};
  const struct hb_field_file_table tables[] = {
      {HB_SCHEMA_TIMINGS, "timings", "s", comm->size, 2, timing},
      {HB_SCHEMA_HOSTS, "hosts", NULL, comm->size, 1, &host},
      {HB_SCHEMA_RESIDUALS, "residuals", NULL, 2, 3, history},
      {HB_SCHEMA_GATES, "gates", NULL, 1, 4, gates}};
  const struct hb_field_file_field field = {"zero", "zero", "1", 1, small_file_fill, &field_values};
  const struct hb_field_file_option option = {"mesh", "degree", "1"};
  struct hb_field_file_attribute attributes[GIVEN];
  for (int a = 0; a < GIVEN; a++)
    attributes[a] = (struct hb_field_file_attribute){.name = given[a], .text = "none"};
  const struct hb_field_file_content content = {
      .fields = true,
      .n = 2,
      .elements = {(hb_global)SMALL_ELEMENTS * comm->size, 1, 1},
      .element_start = {(hb_global)SMALL_ELEMENTS * comm->rank, 0, 0},
      .element_count = {SMALL_ELEMENTS, 1, 1},
      .gll_nodes = ends,
      .gll_weights = ones,
      .fill_points = small_file_fill,
      .points_context = &point_values,
      .num_fields = 1,
      .field = &field,
      .num_attributes = GIVEN,
      .attributes = attributes,
      .num_options = 1,
      .options = &option,
      .num_tables = 4,
      .tables = tables};
  return hb_field_file_write(comm, path, &content);
}

#endif
