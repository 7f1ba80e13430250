/* SPDX-License-Identifier: BSD-3-Clause
 * Checks and sizes of the output file before the solve. */
#include "app/output_plan.h"

#include <string.h>

#include "io/field_file.h"

bool hb_output_wanted(const struct hb_options *options) {
  return strcmp(options->file, "none") != 0;
}

enum hb_status hb_output_check(const struct hb_comm *comm, const struct hb_options *options,
                               const struct hb_box *box) {
  hb_global bytes = 0;
  if (!hb_output_wanted(options)) return HB_OK;
  if (options->fields)
    bytes = hb_field_file_bytes(box->degree + 1, box->elements, HB_NUM_FIELDS, options->precision);
  return hb_field_file_check_path(comm, options->file, bytes);
}

/* A layer of positions, the piece that goes to the file, and on rank 0 those of other ranks. */
hb_global hb_output_bytes(const struct hb_comm *comm, const struct hb_box *box,
                          const struct hb_partition *partition) {
  const hb_global n = box->degree + 1, element = 3 * (hb_global)sizeof(double) * n * n * n;
  const hb_global layer = element * partition->count[0] * partition->count[1];
  const hb_global all = layer * partition->count[2];
  const hb_global piece = all < HB_OUTPUT_PIECE_BYTES ? all : HB_OUTPUT_PIECE_BYTES;
  return layer + (comm->rank == 0 ? 2 : 1) * piece;
}
