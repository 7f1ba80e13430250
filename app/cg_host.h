/* SPDX-License-Identifier: BSD-3-Clause
 * The passes of conjugate gradients (cg.h) on the host: two vector passes an iteration, and a third
 * where the preconditioner does not fuse. */
#ifndef HB_APP_CG_HOST_H
#define HB_APP_CG_HOST_H

#include "app/cg.h"

struct hb_cg_host {
  struct hb_cg_passes passes;
  void *r, *p, *w; /* owned [num_points] */
  void *z;         /* owned [num_points]; r itself where the preconditioner fuses */
};

/* Not collective. */
enum hb_status hb_cg_host_create(const struct hb_cg_system *system, struct hb_cg_passes **passes);

/* The passes as what they are; they must be the host's. */
struct hb_cg_host *hb_cg_host(struct hb_cg_passes *passes);

/* Bytes of each of the three vectors for so many points. */
hb_global hb_cg_host_vector_bytes(enum hb_precision precision, hb_global num_points);

#endif
