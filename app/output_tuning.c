/* SPDX-License-Identifier: BSD-3-Clause
 * The table of tuning: what was tried, how right and how fast it was, and which was taken. */
#include "app/output_tuning.h"

enum { NAME_BYTES = 24 };

struct hb_output_tuning {
  char operator_kind[NAME_BYTES], kernel[NAME_BYTES], geometry[NAME_BYTES];
  struct { /* one of the two, as the member is a name or a number */
    char name[NAME_BYTES];
    int32_t number;
  } shape[HB_NUM_SHAPE_MEMBERS];
  double error, bound, seconds, spread;
  bool verified, chosen;
};

static void fill_row(const struct hb_candidate *candidate, struct hb_output_tuning *row) {
  *row = (struct hb_output_tuning){.error = candidate->error,
                                   .bound = candidate->bound,
                                   .seconds = candidate->seconds,
                                   .spread = candidate->spread,
                                   .verified = candidate->verdict == HB_VERIFIED,
                                   .chosen = candidate->chosen};
  snprintf(row->operator_kind, NAME_BYTES, "%s", hb_tuned_operator_name(HB_TUNED_SCALAR));
  snprintf(row->kernel, NAME_BYTES, "%s", candidate->kernel.variant->name);
  snprintf(row->geometry, NAME_BYTES, "%s", hb_geometry_mode_name(candidate->kernel.mode));
  for (int m = 0; m < HB_NUM_SHAPE_MEMBERS; m++) {
    row->shape[m].number = hb_shape_get(&candidate->kernel.shape, m);
    hb_shape_format(m, row->shape[m].number, row->shape[m].name);
  }
}
_Static_assert((int)NAME_BYTES == (int)HB_SHAPE_VALUE_BYTES, "a member's value fits");

enum hb_status hb_output_tuning_create(const struct hb_tuning *tuning,
                                       struct hb_output_tuning **rows, int *count) {
  enum hb_status status = HB_OK;
  *count = 0;
  HB_ALLOC(*rows, tuning->count, "rows of tuning");
  for (int c = 0; c < tuning->count; c++)
    if (hb_tuning_timed(tuning) || tuning->candidates[c].chosen)
      fill_row(&tuning->candidates[c], &(*rows)[(*count)++]);
done:
  return status;
}

int hb_output_tuning_columns(const struct hb_output_tuning *rows,
                             struct hb_field_file_column columns[HB_TUNING_COLUMNS]) {
  const size_t stride = sizeof *rows;
  const struct hb_field_file_column first[] = {
      {"operator", HB_COLUMN_TEXT, NAME_BYTES, rows->operator_kind, stride, NULL},
      {"kernel", HB_COLUMN_TEXT, NAME_BYTES, rows->kernel, stride, NULL},
      {"geometry", HB_COLUMN_TEXT, NAME_BYTES, rows->geometry, stride, NULL}};
  const struct hb_field_file_column last[] = {
      {"verified_error", HB_COLUMN_REAL, 0, &rows->error, stride, NULL},
      {"error_bound", HB_COLUMN_REAL, 0, &rows->bound, stride, NULL},
      {"verified", HB_COLUMN_BOOL, 0, &rows->verified, stride, NULL},
      {"seconds", HB_COLUMN_REAL, 0, &rows->seconds, stride, NULL},
      {"spread", HB_COLUMN_REAL, 0, &rows->spread, stride, NULL},
      {"chosen", HB_COLUMN_BOOL, 0, &rows->chosen, stride, NULL}};
  enum { FIRST = sizeof first / sizeof *first, LAST = sizeof last / sizeof *last };
  _Static_assert(FIRST + HB_NUM_SHAPE_MEMBERS + LAST == HB_TUNING_COLUMNS, "all columns");
  int c = 0;
  for (int i = 0; i < FIRST; i++) columns[c++] = first[i];
  for (int m = 0; m < HB_NUM_SHAPE_MEMBERS; m++) {
    struct hb_field_file_column *column = &columns[c++];
    *column = (struct hb_field_file_column){.name = hb_shape_member(m)->name, .stride = stride};
    if (hb_shape_member(m)->names != NULL) {
      column->kind = HB_COLUMN_TEXT;
      column->width = NAME_BYTES;
      column->values = rows->shape[m].name;
    } else {
      column->kind = HB_COLUMN_INT32;
      column->values = &rows->shape[m].number;
    }
  }
  for (int i = 0; i < LAST; i++) columns[c++] = last[i];
  return c;
}
