/* SPDX-License-Identifier: BSD-3-Clause
 * Assembly on a device by lists made beforehand: no atomics, every sum in a fixed order.
 *
 *   (Q'y)(s) = sum over the elements that have surface point s of y(element, surface point)
 *
 * in ascending order of elements; then, at points shared with other ranks, the sum over ranks in
 * rank order (gather_pack.h).  Points are those of helmholtz.h with lanes = 1 and numbering.h's
 * ranges: interior | private surface | owned shared | foreign shared. */
#ifndef HB_KERNELS_VECTORS_ASSEMBLY_H
#define HB_KERNELS_VECTORS_ASSEMBLY_H

#include "kernels/device.h"
#include "kernels/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The terms of each surface point.  pair [surface point of the rank][2] = {a, b}: a < 0 marks a
 * point on a Dirichlet face, and -1 - a stands for a.  b >= 0: terms a and b; b = -1: a alone;
 * b < -1: the -b terms extra[a] ..; terms are entries of d_surface [element][surface point]. */
struct hb_assembly_lists {
  hb_local num_surface, num_extra;
  hb_local *pair;  /* owned [num_surface][2] */
  hb_local *extra; /* owned [num_extra] */
};

/* surface_index [num_terms] as in helmholtz.h (no sign bits), points from surface_start to
 * num_points.  HB_BAD_INPUT if a point has no term. */
enum hb_status hb_assembly_lists_create(hb_local num_terms, const hb_local *surface_index,
                                        hb_local surface_start, hb_local num_points,
                                        hb_local num_masked, const hb_local *masked,
                                        struct hb_assembly_lists **lists);
/* Accepts NULL, clears the caller's pointer. */
void hb_assembly_lists_destroy(struct hb_assembly_lists **lists);

struct hb_device_assembly {
  struct hb_device *device; /* borrowed, as all pointers */
  hb_local surface_start, num_private, num_owned, num_points;
  const hb_local *d_pair, *d_extra;
  const void *d_surface; /* [element][surface point], complete for the range in use */
  /* Exchange: entries of all messages, and the sums in rank order of the shared points. */
  hb_local num_send;
  const hb_local *d_send_index;              /* [num_send] points */
  const hb_local *d_source_start, *d_source; /* as in gather_pack.h */
  const void *d_received;                    /* [num_send] */
};

/* Which points a pass covers: those of this rank alone, or those shared (after the exchange). */
enum hb_assembly_part { HB_ASSEMBLY_PRIVATE, HB_ASSEMBLY_SHARED };

/* d_send[q] = this rank's sum at point d_send_index[q]. */
typedef enum hb_status hb_assembly_pack(const struct hb_device_assembly *assembly, void *d_send);

/* w = assembled result at the part's surface points; 0 on Dirichlet faces if masked. */
typedef enum hb_status hb_assembly_store(const struct hb_device_assembly *assembly,
                                         enum hb_assembly_part part, bool masked, void *d_w);

/* A factor that the host knows; or, where steps are given, their alpha, a pass doing nothing where
 * the solve has stopped: the alpha that is there or, with num_partials > 0, the one that follows
 * from these partial sums of p.Ap, as hb_device_step_direction does it, which is not called then.
 */
struct hb_device_factor {
  double value;
  const struct hb_device_steps *steps;
  hb_local num_partials;    /* at most HB_STEP_MOST_PARTIALS; of private points, at most
                               HB_STEP_MOST_POINTS */
  const double *d_partials; /* not where the pass leaves its own */
};

/* r <- r - alpha w with w assembled on the way (0 on Dirichlet faces; interior points from d_w),
 * and r.r, r.(dinv r) of the part's owned points as pairs of partial sums in d_partials from pair
 * `*num_partials` on, which is advanced.  dinv may be NULL: both sums are r.r. */
typedef enum hb_status hb_assembly_residual(const struct hb_device_assembly *assembly,
                                            enum hb_assembly_part part,
                                            struct hb_device_factor alpha, const void *d_dinv,
                                            const void *d_w, void *d_r, double *d_partials,
                                            hb_local *num_partials);

/* Most pairs of partial sums that both parts together leave. */
enum { HB_ASSEMBLY_PARTIALS = 2 * 8192 };

hb_assembly_pack hb_assembly_pack_f64, hb_assembly_pack_f32;
hb_assembly_store hb_assembly_store_f64, hb_assembly_store_f32;
hb_assembly_residual hb_assembly_residual_f64, hb_assembly_residual_f32;

/* sums[c] = sum over i of d_partials[i * components + c], i < count, in a fixed order; `sums` is
 * pinned memory, valid once the compute stream has passed. */
enum hb_status hb_device_reduce(struct hb_device *device, hb_local count, int components,
                                const double *d_partials, double *sums);

/* y <- y + alpha x; and {r.r, r.(dinv r)} over the owned points as hb_assembly_residual leaves
 * them. */
enum hb_status hb_device_add_scaled_f64(struct hb_device *device, hb_local count, double alpha,
                                        const void *d_x, void *d_y);
enum hb_status hb_device_add_scaled_f32(struct hb_device *device, hb_local count, double alpha,
                                        const void *d_x, void *d_y);
enum hb_status hb_device_dots_f64(struct hb_device *device, hb_local owned, const void *d_dinv,
                                  const void *d_r, double *d_partials, hb_local *num_partials);
enum hb_status hb_device_dots_f32(struct hb_device *device, hb_local owned, const void *d_dinv,
                                  const void *d_r, double *d_partials, hb_local *num_partials);

#ifdef __cplusplus
}
#endif

#endif
