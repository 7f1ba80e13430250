/* SPDX-License-Identifier: BSD-3-Clause
 * Checks and sizes of the output file before the solve. */
#include "app/output_plan.h"

#include <string.h>

#include "io/field_file.h"
#include "io/file_path.h"

enum { RANK_BYTES = 2048, ITERATION_BYTES = 64, REST_BYTES = 256 * 1024 };

bool hb_output_wanted(const struct hb_options *options) {
  return strcmp(options->file, "none") != 0;
}

/* Bytes of the file, as much as is reserved for it: fields, tables with a row a rank or an
 * iteration, and the rest.  An older file keeps its space until this one is complete. */
static hb_global file_bytes(const struct hb_comm *comm, const struct hb_options *options,
                            const struct hb_box *box) {
  hb_global bytes = 0;
  if (options->fields)
    bytes = hb_field_file_bytes(box->degree + 1, box->elements, HB_NUM_FIELDS, options->precision);
  bytes += RANK_BYTES * (hb_global)comm->size + ITERATION_BYTES * (hb_global)options->iterations;
  return bytes + REST_BYTES + HB_PATH_SPARE_BYTES;
}

static enum hb_status check_inputs(const struct hb_options *options) {
  enum hb_status status = HB_OK;
  if (options->case_file[0] != '\0' && hb_path_is_same(options->file, options->case_file))
    HB_FAIL(HB_BAD_INPUT, "output file '%s': this is the case file; take another name",
            options->file);
  if (hb_path_is_same(options->file, options->tuning_file))
    HB_FAIL(HB_BAD_INPUT, "output file '%s': this is the tuning file; take another name",
            options->file);
done:
  return status;
}

enum hb_status hb_output_check(const struct hb_comm *comm, const struct hb_options *options,
                               const struct hb_box *box, struct hb_path_version *before) {
  enum hb_status status = HB_OK;
  if (!hb_output_wanted(options)) return HB_OK;
  HB_TRY(hb_comm_agree(comm, comm->rank == 0 ? check_inputs(options) : HB_OK));
  HB_TRY(hb_field_file_check_path(comm, options->file, file_bytes(comm, options, box)));
  *before = hb_path_version_of(options->file);
done:
  return status;
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
