/* SPDX-License-Identifier: BSD-3-Clause
 * The operator (operator.h) on a device: factors, lists, element results, exchange; and its
 * application there. */
#ifndef HB_APP_OPERATOR_DEVICE_H
#define HB_APP_OPERATOR_DEVICE_H

#include <pthread.h>

#include "app/device_lattice.h"
#include "app/operator_setup.h"
#include "app/plan.h"
#include "kernels/geometry/factors.h"
#include "kernels/geometry/lattice.h"
#include "kernels/helmholtz/helmholtz_device.h"
#include "mesh/gather_scatter_device.h"

/* The kernels of one precision. */
struct hb_device_kernels {
  hb_helmholtz_device_apply *apply;
  hb_helmholtz_device_diagonal *diagonal;
  enum hb_status (*geometric_factors)(const struct hb_device_geometry *geometry);
  enum hb_status (*expand)(const struct hb_device_kept *kept);
  enum hb_status (*keep)(struct hb_device *device, int n, const struct hb_geometry *geometry,
                         hb_local count, const double *d_x, const double *d_h1, const double *d_h2,
                         void *d_point_values);
  hb_assembly_pack *pack;
  hb_assembly_store *store;
  hb_assembly_residual *residual;
  enum hb_status (*add_scaled)(struct hb_device *device, hb_local count, double alpha,
                               const void *d_x, void *d_y);
  enum hb_status (*dots)(struct hb_device *device, hb_local owned, const void *d_dinv,
                         const void *d_r, double *d_partials, hb_local *num_partials);
};

struct hb_operator_device {
  struct hb_operator op;
  struct hb_device *device;         /* borrowed */
  pthread_mutex_t *one;             /* owned: who downloads factors, one at a time */
  struct hb_device_lattice lattice; /* owned, of the mesh's tables */
  struct hb_device_kernels kernels;
  struct hb_device_helmholtz helmholtz;
  struct hb_device_assembly assembly;
  struct hb_device_exchange *exchange; /* owned, as all below */
  void *d_D, *d_basis, *d_factors, *d_elements, *d_surface;
  hb_local *d_surface_index, *d_pair, *d_extra;
  hb_local num_extra;        /* entries of d_extra */
  double *d_partials, *sums; /* sums [3]: pinned */
  void *d_u, *d_w;           /* vectors of hb_operator_apply */
};

/* Not collective.  HB_BAD_INPUT if a count does not fit in 31 bits. */
hb_operator_create_type hb_operator_device_create;

/* The operator as what it is; op must be of this kind. */
struct hb_operator_device *hb_operator_device(struct hb_operator *op);

/* Not collective.  HB_BAD_INPUT if a rank of so many elements has more surface points than a device
 * counts. */
enum hb_status hb_operator_device_check_size(int n, hb_global num_elements);

/* Not collective.  Everything on the device but the contents of the factors; the operator's common
 * part is there. */
enum hb_status hb_operator_device_place(struct hb_operator_device *od,
                                        const struct hb_operator_setup *setup);

/* Not collective.  The index of surface points and the assembly lists, where their elements are
 * known: in the operator's lattice. */
enum hb_status hb_operator_device_make_lists(struct hb_operator_device *od);

/* Partial sums that the operator's launches or a residual's passes leave at most. */
hb_global hb_operator_device_most_partials(hb_local num_elements);

/* Not collective.  Factors of all elements; mass as in hb_operator_create. */
enum hb_status hb_operator_device_set_up(struct hb_operator_device *od,
                                         const struct hb_operator_setup *setup, double *mass);

/* Launches the operator on d_u, or on the direction's p, into d_w and the elements' surfaces:
 * boundary elements, packing, interior elements.  The result is assembled by the caller, after
 * hb_device_exchange_post and _finish.  *num_partials: of u.w, from 0 on. */
enum hb_status hb_operator_device_launch(struct hb_operator_device *od, bool with_mass,
                                         const struct hb_device_direction *direction,
                                         const void *d_u, void *d_w, hb_local *num_partials);

/* Collective.  Vectors of the device: w = A u, and the diagonal as hb_operator_diagonal says, by
 * way of d_w of the operator. */
enum hb_status hb_operator_device_multiply(struct hb_operator_device *od,
                                           enum hb_operator_part part, const void *d_u, void *d_w);
enum hb_status hb_operator_device_diagonal(struct hb_operator_device *od, void *d_diagonal);

/* Collective.  b [num_points] of the host = Z' (b - A u_D), where u_D is the solution on Dirichlet
 * faces and zero elsewhere. */
enum hb_status hb_operator_device_lift(struct hb_operator_device *od, void *b);

/* Points whose values are formed together, where they are needed for a while. */
enum { HB_GROUP_POINTS = 1 << 19 };

/* Not collective.  Visits all elements with their stored factors on the device,
 * d_factors [element - begin][f][k][j][i]: those in use, or, group by group, those that follow from
 * what is kept. */
typedef enum hb_status hb_factors_visit(void *context, hb_local begin, hb_local end,
                                        const void *d_factors);
enum hb_status hb_operator_device_visit_factors(const struct hb_operator_device *od,
                                                hb_factors_visit *visit, void *context);

/* Not collective.  The results of elements [begin, end) to the host, [element][points inside, then
 * on the surface] of the precision, and their part of u'Au; d_w is used.  Runs the instance of the
 * kernel that a solve runs, with a direction that is u, so that it is this one that the kernel gate
 * judges. */
enum hb_status hb_operator_device_run_elements(struct hb_operator_device *od, hb_local begin,
                                               hb_local end, const void *d_u, void *results,
                                               double *u_dot_w);

/* Not collective.  Adds the result of elements [begin, end), unassembled over ranks, to w on the
 * host, whose surface entries the caller has set; u as a whole. */
enum hb_status hb_operator_device_apply_elements(struct hb_operator_device *od, hb_local begin,
                                                 hb_local end, const void *u, void *w,
                                                 double *u_dot_w);

/* Not collective.  The diagonals of all elements into d_w and d_surface. */
enum hb_status hb_operator_device_diagonals(struct hb_operator_device *od);

/* Not collective.  Factors [element][point][f] of elements [begin, end) as the device holds them,
 * or as they follow from what it holds. */
enum hb_status hb_operator_device_factors(const struct hb_operator_device *od, hb_local begin,
                                          hb_local end, double *factors);

/* What it will hold on this rank's device, by array; of the assembly lists and the partial sums at
 * most so much. */
struct hb_operator_device_bytes {
  hb_global geometry, surfaces, surface_index, lists, places, partials, vector;
};
struct hb_operator_device_bytes hb_operator_device_bytes(const struct hb_plan *plan);
/* At set-up on the device, besides. */
hb_global hb_operator_device_set_up_bytes(const struct hb_plan *plan);

#endif
