/* SPDX-License-Identifier: BSD-3-Clause
 * Conjugate gradients with every vector on a device: the passes of cg.h there.
 *
 * An iteration is four kernels, besides packing and the shared points:
 *   operator   x += alpha p;  p = d r + beta p;  elements of A p;  parts of p.Ap
 *   reduce     p.Ap
 *   residual   assembles w = A p;  r -= alpha w;  parts of r.r and r.z
 *   reduce     r.r and r.z
 * and nothing but these sums crosses to the host.  On a single rank the iterations do not wait for
 * it (cg_ahead.h).
 *
 * Where the preconditioner does not fuse, it is applied after the residual, the operator's kernel
 * forms p = z + beta p, and r.z is summed on the host, to which r and z cross for it. */
#ifndef HB_APP_CG_DEVICE_H
#define HB_APP_CG_DEVICE_H

#include "app/cg_ahead.h"
#include "app/operator_device.h"

struct hb_cg_device {
  struct hb_cg_passes passes;
  struct hb_operator_device *od;              /* borrowed */
  void *d_b, *d_dinv, *d_r, *d_x, *d_p_other; /* owned [num_points]; d_dinv NULL: z = r */
  void *d_z;                                  /* owned; d_r itself where it fuses */
  void *r, *z;                                /* owned, on the host, where it does not fuse */
  void *d_p, *d_p_old;                        /* od->d_u and d_p_other, in turn */
  struct hb_cg_ahead *ahead;                  /* owned; NULL: the host decides every step */
  double rz;                                  /* r.z of this rank after the last residual */
};

/* Not collective.  b and the preconditioner's diagonal are copied from the host. */
enum hb_status hb_cg_device_create(struct hb_operator_device *od, const struct hb_cg_system *system,
                                   struct hb_cg_passes **passes);

/* Not collective.  Launches the residual's passes; they leave num_pairs pairs of partial sums, as
 * hb_assembly_residual does, in d_pairs. */
enum hb_status hb_cg_device_residual(struct hb_cg_device *cg, struct hb_device_factor alpha,
                                     double *d_pairs, hb_local *num_pairs);

/* The passes as what they are; they must be a device's. */
struct hb_cg_device *hb_cg_device(struct hb_cg_passes *passes);

#endif
