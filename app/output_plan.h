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

/* Is a file asked for? */
bool hb_output_wanted(const struct hb_options *options);

/* Collective.  Can the options' output file be written, and is it not the case file?  Checked
 * before the solve, with the room it will need; *before, on rank 0: what is under the name now.
 * HB_OK also if no file is asked for. */
enum hb_status hb_output_check(const struct hb_comm *comm, const struct hb_options *options,
                               const struct hb_box *box, struct hb_path_version *before);

/* Not collective.  Bytes that writing the fields holds on this rank, beside the residual. */
hb_global hb_output_bytes(const struct hb_comm *comm, const struct hb_box *box,
                          const struct hb_partition *partition);

#endif
