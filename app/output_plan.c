/* SPDX-License-Identifier: BSD-3-Clause
 * Checks and sizes of the output file before the solve. */
#include "app/output_plan.h"

#include <string.h>

#include "io/field_file.h"
#include "io/file_path.h"
#include "io/schema.h"

enum { RANK_BYTES = 2048, ITERATION_BYTES = 64, REST_BYTES = 256 * 1024 };

bool hb_output_wanted(const struct hb_options *options) {
  return strcmp(options->file, "none") != 0;
}

bool hb_output_has_fields(const struct hb_options *options) {
  return strcmp(options->fields, "no") != 0;
}

const char *hb_output_field_name(int field) {
  static const char *const names[HB_NUM_FIELDS] = {HB_SCHEMA_SOLUTION, HB_SCHEMA_EXACT,
                                                   HB_SCHEMA_ERROR, HB_SCHEMA_RESIDUAL};
  return names[field];
}

enum hb_status hb_output_fields(const struct hb_options *options, bool written[HB_NUM_FIELDS]) {
  enum hb_status status = HB_OK;
  const bool all = strcmp(options->fields, "yes") == 0;
  for (int f = 0; f < HB_NUM_FIELDS; f++) written[f] = all;
  if (all || !hb_output_has_fields(options)) goto done;
  for (const char *word = options->fields;;) {
    const size_t length = strcspn(word, ",");
    bool known = false;
    for (int f = 0; f < HB_NUM_FIELDS; f++) {
      const char *name = hb_output_field_name(f);
      if (strlen(name) != length || strncmp(word, name, length) != 0) continue;
      known = written[f] = true;
    }
    if (!known)
      HB_FAIL(HB_BAD_INPUT,
              "fields: '%s' is not known; allowed: yes, no, or names with commas, of solution, "
              "exact_solution, error, residual",
              options->fields);
    if (word[length] == '\0') break;
    word += length + 1;
  }
done:
  return status;
}

enum hb_precision hb_output_precision(const struct hb_options *options) {
  return options->field_precision == HB_FIELDS_F32 ? HB_F32 : options->precision;
}

/* Points, counted with copies; -1: more than 64 bit count. */
static hb_global all_points(const struct hb_box *box) {
  const hb_global n = box->degree + 1;
  hb_global points = n * n * n;
  for (int a = 0; a < 3; a++)
    if (!hb_multiply(points, box->elements[a], &points)) return -1;
  return points;
}

int hb_output_pieces(const struct hb_options *options, const struct hb_box *box) {
  enum { MANY = 16 };
  const hb_global large = (hb_global)1 << 24; /* points: some 2 GB */
  const hb_global points = all_points(box);
  if (options->pieces > 0) return options->pieces;
  return points >= 0 && points < large ? 1 : MANY;
}

hb_global hb_output_file_bytes(const struct hb_options *options, const struct hb_box *box,
                               int num_ranks) {
  bool written[HB_NUM_FIELDS];
  int count = 0;
  const hb_global bytes = REST_BYTES + RANK_BYTES * (hb_global)num_ranks +
                          ITERATION_BYTES * (hb_global)options->iterations;
  if (!hb_output_has_fields(options) || hb_output_fields(options, written) != HB_OK) return bytes;
  for (int f = 0; f < HB_NUM_FIELDS; f++) count += written[f] ? 1 : 0;
  const hb_global fields =
      hb_field_file_bytes(box->degree + 1, box->elements, count, hb_output_precision(options));
  return fields >= 0 && fields < HB_GLOBAL_MAX - bytes ? fields + bytes : -1;
}

static enum hb_status check_inputs(const struct hb_options *options) {
  enum hb_status status = HB_OK;
  if (options->case_file[0] != '\0' && hb_path_is_same(options->file, options->case_file))
    HB_FAIL(HB_BAD_INPUT, "output file '%s': this is the case file; take another name",
            options->file);
  if (hb_path_is_same(options->file, options->tuning_file))
    HB_FAIL(HB_BAD_INPUT, "output file '%s': this is the tuning file; take another name",
            options->file);
  HB_TRY(hb_partial_check_free(options->file));
done:
  return status;
}

enum hb_status hb_output_check(const struct hb_comm *comm, const struct hb_options *options,
                               const struct hb_box *box, struct hb_path_version *before) {
  enum hb_status status = HB_OK;
  bool written[HB_NUM_FIELDS];
  HB_TRY(hb_output_fields(options, written));
  if (!hb_output_wanted(options)) goto done;
  HB_TRY(hb_comm_agree(comm, comm->rank == 0 ? check_inputs(options) : HB_OK));
  /* An older file keeps its space until this one is complete. */
  HB_TRY(hb_field_file_check_path(
      comm, options->file, hb_output_file_bytes(options, box, comm->size) + HB_PATH_SPARE_BYTES));
  *before = hb_path_version_of(options->file);
done:
  return status;
}

/* A layer of positions, the piece that goes to the file, and on rank 0 those of other ranks; then
 * the piece that is read back, of elements of all arrays: rank 0 may have to read those of all. */
hb_global hb_output_bytes(const struct hb_comm *comm, const struct hb_box *box,
                          const struct hb_partition *partition) {
  const hb_global n = box->degree + 1, element = 3 * (hb_global)sizeof(double) * n * n * n;
  const hb_global layer = element * partition->count[0] * partition->count[1];
  const hb_global all = layer * partition->count[2], most = HB_OUTPUT_PIECE_BYTES;
  const hb_global piece = all < most ? all : most;
  const hb_global written = layer + (comm->rank == 0 ? 2 : 1) * piece;
  const hb_global whole = 5 * element; /* of all arrays, generously */
  hb_global elements = (hb_global)partition->count[0] * partition->count[1];
  if (comm->rank == 0 && !hb_multiply(box->elements[0], box->elements[1], &elements))
    elements = most;
  if (elements > most / whole) elements = most / whole > 0 ? most / whole : 1;
  return written > elements * whole ? written : elements * whole;
}
