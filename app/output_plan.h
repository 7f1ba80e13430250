/* SPDX-License-Identifier: BSD-3-Clause
 * What is known of the output file before a solve: whether it can be written, and what that takes.
 */
#ifndef HB_APP_OUTPUT_PLAN_H
#define HB_APP_OUTPUT_PLAN_H

#include "app/options.h"
#include "io/file_partial.h"
#include "mesh/comm.h"
#include "mesh/partition.h"

/* Fields of the file: solution, exact solution, error, residual. */
enum { HB_NUM_FIELDS = 4 };

/* Most bytes of the output file that a rank holds at a time, beside one layer of elements. */
#define HB_OUTPUT_PIECE_BYTES ((hb_global)16 << 20)

/* Is a file asked for?  With fields? */
bool hb_output_wanted(const struct hb_options *options);
bool hb_output_has_fields(const struct hb_options *options);

/* Which fields the options ask for, in the order of the file; their names there. */
enum hb_status hb_output_fields(const struct hb_options *options, bool written[HB_NUM_FIELDS]);
const char *hb_output_field_name(int field);

/* Precision of fields in the file, and pieces of its mesh. */
enum hb_precision hb_output_precision(const struct hb_options *options);
int hb_output_pieces(const struct hb_options *options, const struct hb_box *box);

/* Bytes of the file of so many ranks, about; -1: more than 64 bit count. */
hb_global hb_output_file_bytes(const struct hb_options *options, const struct hb_box *box,
                               int num_ranks);

/* Collective.  Are the fields known, can the options' output file be written, and is it not the
 * case file?  Checked before the solve, with the room it will need; *before, on rank 0: what is
 * under the name now.  HB_OK also if no file is asked for. */
enum hb_status hb_output_check(const struct hb_comm *comm, const struct hb_options *options,
                               const struct hb_box *box, struct hb_path_version *before);

/* Not collective.  Bytes that writing the fields holds on this rank, beside the residual. */
hb_global hb_output_bytes(const struct hb_comm *comm, const struct hb_box *box,
                          const struct hb_partition *partition);

#endif
