/* SPDX-License-Identifier: BSD-3-Clause
 * The table of tuning: what was tried, how right and how fast it was, and which was taken. */
#include "app/output_tuning.h"

enum { NAME_BYTES = 24 };

struct hb_output_tuning {
  char operator_kind[NAME_BYTES], kernel[NAME_BYTES], tile[NAME_BYTES], layout[NAME_BYTES];
  int32_t wavefronts, elements, ahead;
  double error, bound, seconds, spread;
  bool verified, chosen;
};

static void fill_row(const struct hb_candidate *candidate, struct hb_output_tuning *row) {
  const struct hb_shape *shape = &candidate->kernel.shape;
  *row = (struct hb_output_tuning){.wavefronts = shape->wavefronts,
                                   .elements = shape->elements,
                                   .ahead = shape->ahead,
                                   .error = candidate->error,
                                   .bound = candidate->bound,
                                   .seconds = candidate->seconds,
                                   .spread = candidate->spread,
                                   .verified = candidate->verdict == HB_VERIFIED,
                                   .chosen = candidate->chosen};
  snprintf(row->operator_kind, NAME_BYTES, "%s", hb_tuned_operator_name(HB_TUNED_SCALAR));
  snprintf(row->kernel, NAME_BYTES, "%s", candidate->kernel.variant->name);
  snprintf(row->tile, NAME_BYTES, "%s", hb_matrix_tile_name(shape->tile));
  snprintf(row->layout, NAME_BYTES, "%s", hb_cube_layout_name(shape->layout));
}

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
  const struct hb_field_file_column all[HB_TUNING_COLUMNS] = {
      {"operator", HB_COLUMN_TEXT, NAME_BYTES, rows->operator_kind, stride},
      {"kernel", HB_COLUMN_TEXT, NAME_BYTES, rows->kernel, stride},
      {"tile", HB_COLUMN_TEXT, NAME_BYTES, rows->tile, stride},
      {"wavefronts", HB_COLUMN_INT32, 0, &rows->wavefronts, stride},
      {"elements", HB_COLUMN_INT32, 0, &rows->elements, stride},
      {"layout", HB_COLUMN_TEXT, NAME_BYTES, rows->layout, stride},
      {"ahead", HB_COLUMN_INT32, 0, &rows->ahead, stride},
      {"verified_error", HB_COLUMN_REAL, 0, &rows->error, stride},
      {"error_bound", HB_COLUMN_REAL, 0, &rows->bound, stride},
      {"verified", HB_COLUMN_BOOL, 0, &rows->verified, stride},
      {"seconds", HB_COLUMN_REAL, 0, &rows->seconds, stride},
      {"spread", HB_COLUMN_REAL, 0, &rows->spread, stride},
      {"chosen", HB_COLUMN_BOOL, 0, &rows->chosen, stride}};
  for (int c = 0; c < HB_TUNING_COLUMNS; c++) columns[c] = all[c];
  return HB_TUNING_COLUMNS;
}
