/* SPDX-License-Identifier: BSD-3-Clause
 * Conjugate gradients with every vector on a device: the passes of cg.h there.
 *
 * An iteration is four kernels, besides packing and the shared points:
 *   operator   x += alpha p;  p = dinv r + beta p;  elements of A p;  parts of p.Ap
 *   reduce     p.Ap
 *   residual   assembles w = A p;  r -= alpha w;  parts of r.r and r.z
 *   reduce     r.r and r.z
 * and nothing but these sums crosses to the host.  On a single rank the residual does not wait for
 * it: the device forms alpha = r.z / p.Ap itself, by the same division. */
#ifndef HB_APP_CG_DEVICE_H
#define HB_APP_CG_DEVICE_H

#include "app/cg.h"
#include "app/operator_device.h"

struct hb_cg_device {
  struct hb_operator_device *od;              /* borrowed */
  const struct hb_comm *comm;                 /* borrowed */
  void *d_b, *d_dinv, *d_r, *d_x, *d_p_other; /* owned [num_points]; d_dinv NULL: plain CG */
  void *d_p, *d_p_old;                        /* od->d_u and d_p_other, in turn */
  double rz;                                  /* r.z of this rank after the last residual */
  enum hb_status failure;                     /* since the last start */
};

extern const struct hb_cg_passes hb_cg_device_passes;

/* Not collective.  b and dinv [num_points] are copied from the host; dinv NULL: plain CG. */
enum hb_status hb_cg_device_create(struct hb_operator_device *od, const struct hb_comm *comm,
                                   const void *b, const void *dinv, struct hb_cg_device **cg);
/* Accepts NULL, clears the caller's pointer. */
void hb_cg_device_destroy(struct hb_cg_device **cg);

/* Not collective.  Solution and residual of the last solve, to the host [num_points]. */
enum hb_status hb_cg_device_fetch(const struct hb_cg_device *cg, void *x, void *r);

#endif
