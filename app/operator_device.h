/* SPDX-License-Identifier: BSD-3-Clause
 * The part of the assembled operator (operator.h) that lies on a device: factors, lists, element
 * results, exchange; and its application there. */
#ifndef HB_APP_OPERATOR_DEVICE_H
#define HB_APP_OPERATOR_DEVICE_H

#include "app/operator.h"
#include "kernels/helmholtz/helmholtz_device.h"
#include "mesh/gather_scatter_device.h"

/* The kernels of one precision. */
struct hb_device_kernels {
  hb_helmholtz_device_apply *apply;
  enum hb_status (*diagonal)(const struct hb_device_helmholtz *helmholtz, void *d_w);
  enum hb_status (*geometric_factors)(const struct hb_device_geometry *geometry);
  hb_assembly_pack *pack;
  hb_assembly_store *store;
  hb_assembly_residual *residual;
  enum hb_status (*add_scaled)(struct hb_device *device, hb_local count, double alpha,
                               const void *d_x, void *d_y);
  enum hb_status (*dots)(struct hb_device *device, hb_local owned, const void *d_dinv,
                         const void *d_r, double *d_partials, hb_local *num_partials);
};

struct hb_operator_device {
  struct hb_device *device;             /* borrowed */
  const struct hb_numbering *numbering; /* borrowed */
  struct hb_device_kernels kernels;
  struct hb_device_helmholtz helmholtz;
  struct hb_device_assembly assembly;
  struct hb_device_exchange *exchange; /* owned, as all below */
  void *d_D, *d_factors, *d_surface;
  hb_local *d_surface_index, *d_pair, *d_extra;
  hb_local num_extra;                  /* entries of d_extra */
  double *d_partials, *sums, *d_alpha; /* sums [3]: pinned; d_alpha: one number */
  void *d_u, *d_w;                     /* vectors of hb_operator_device_multiply */
};

/* Not collective.  Lists and room for the factors of op->helmholtz's elements; the factors are
 * filled in by hb_operator_device_setup.  HB_BAD_INPUT if a count does not fit in 31 bits. */
enum hb_status hb_operator_device_create(struct hb_operator *op, struct hb_device *device,
                                         bool gpu_aware, struct hb_operator_device **out);
/* Accepts NULL, clears the caller's pointer. */
void hb_operator_device_destroy(struct hb_operator_device **od);

/* Not collective.  Factors of all elements; mass [num_points] as hb_operator_setup_factors. */
enum hb_status hb_operator_device_setup(struct hb_operator *op, const struct hb_problem *problem,
                                        const struct hb_watcher *watcher, double *mass);

/* Launches the operator on d_u, or on the direction's p, into d_w and the elements' surfaces:
 * boundary elements, packing, interior elements.  The result is assembled by the caller, after
 * hb_device_exchange_post and _finish.  *num_partials: of u.w, from 0 on. */
enum hb_status hb_operator_device_launch(struct hb_operator_device *od, bool with_mass,
                                         const struct hb_device_direction *direction,
                                         const void *d_u, void *d_w, hb_local *num_partials);

/* Collective.  hb_operator_apply for vectors on the host: up, apply, assemble, down. */
enum hb_status hb_operator_device_multiply(struct hb_operator_device *od,
                                           enum hb_operator_part part, const void *u, void *w,
                                           double *u_dot_w);

/* Collective.  The assembled diagonal [num_points], on the host. */
enum hb_status hb_operator_device_diagonal(struct hb_operator_device *od, void *diagonal);

/* Not collective.  Adds the result of elements [begin, end), unassembled over ranks, to w on the
 * host, whose surface entries the caller has set; u as a whole.  Runs the instance of the kernel
 * that a solve runs, with a direction that is u, so that it is this one that the kernel gate
 * judges. */
enum hb_status hb_operator_device_apply_elements(struct hb_operator_device *od, hb_local begin,
                                                 hb_local end, const void *u, void *w,
                                                 double *u_dot_w);

/* Not collective.  One element's factors [point][f] as the device holds them. */
enum hb_status hb_operator_device_factors(struct hb_operator_device *od, hb_local element,
                                          double *factors);

/* Bytes of a vector of the rank's points. */
static inline hb_global hb_operator_device_vector_bytes(const struct hb_operator_device *od) {
  return (hb_global)od->numbering->num_points *
         (hb_global)hb_precision_bytes(od->exchange->precision);
}

#endif
