/* SPDX-License-Identifier: BSD-3-Clause
 * What will be solved, and where: made once from the options, and const from then on. */
#ifndef HB_APP_PLAN_H
#define HB_APP_PLAN_H

#include "app/backend.h"
#include "app/problem.h"
#include "io/file_partial.h"

struct hb_plan {
  const struct hb_comm *comm; /* borrowed, as the next */
  const struct hb_options *options;
  struct hb_box box;
  struct hb_partition partition; /* this rank's part of the box */
  struct hb_problem problem;
  /* Of the operator; while the kernel is open in the mode that would be taken untimed. */
  struct hb_geometry geometry;
  struct hb_backend *backend;           /* owned */
  struct hb_path_version output_before; /* under the output file's name; rank 0 */
};

/* Collective.  Everything that can be known and refused before anything large is allocated.
 * HB_BAD_INPUT says what does not fit, HB_MACHINE_FAILED what is missing.  The kernel may still be
 * open: hb_plan_tune and hb_backend_settle come before a solver. */
enum hb_status hb_plan_create(const struct hb_comm *comm, const struct hb_options *options,
                              struct hb_plan **plan);
/* Collective.  Times kernels if the choice is pending; nothing of the plan changes after it. */
enum hb_status hb_plan_tune(struct hb_plan *plan);
/* Not collective.  Accepts NULL, clears the caller's pointer. */
void hb_plan_destroy(struct hb_plan **plan);

/* Points of this rank's vectors. */
hb_global hb_plan_points(const struct hb_plan *plan);

#endif
