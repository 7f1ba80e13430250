/* SPDX-License-Identifier: BSD-3-Clause
 * Rows and columns of the output file's table of tuning. */
#ifndef HB_APP_OUTPUT_TUNING_H
#define HB_APP_OUTPUT_TUNING_H

#include "app/tuning.h"
#include "io/field_file.h"

enum { HB_TUNING_COLUMNS = 9 + HB_NUM_SHAPE_MEMBERS };

struct hb_output_tuning; /* a row */

/* Not collective.  A row for each candidate that was timed, or for the kernel that was taken
 * without; as many on all ranks, errors and times on rank 0.  The caller frees with hb_free. */
enum hb_status hb_output_tuning_create(const struct hb_tuning *tuning,
                                       struct hb_output_tuning **rows, int *count);

/* Describes the columns of the rows; returns their number. */
int hb_output_tuning_columns(const struct hb_output_tuning *rows,
                             struct hb_field_file_column columns[HB_TUNING_COLUMNS]);

#endif
