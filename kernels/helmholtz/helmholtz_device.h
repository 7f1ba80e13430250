/* SPDX-License-Identifier: BSD-3-Clause
 * The operator of helmholtz.h on a device: what its kernels read and write.
 *
 * The equation and the assembled vectors are those of helmholtz.h with lanes = 1.  Shapes, last
 * index fastest: factors [element][f][k][j][i] and elements [element][v], which are whatever the
 * geometry's mode keeps (geometry.h); surface_index [element][surface point], whose sign bit
 * (HB_OWNS_POINT) is set in the one element that owns the point: the first that has it.  An
 * element's result goes to w at interior points and to d_surface [element][surface point] on its
 * surface; assembly (assembly.h) sums the latter, so that no two blocks write one place.
 *
 * With a direction the kernel forms, while it loads its points,
 *     x <- x + alpha p_old  (alpha of the step before; skipped where alpha = 0),
 *     p = dinv r + beta p_old   (dinv = NULL: p = r + beta p_old)
 * each point being written by its owner, and applies the operator to p.  p and p_old differ.  Where
 * d_step says that the solve has stopped, nothing is read or written.
 * Every block of threads leaves its part of u.w in d_partials: sums are in a fixed order. */
#ifndef HB_KERNELS_HELMHOLTZ_HELMHOLTZ_DEVICE_H
#define HB_KERNELS_HELMHOLTZ_HELMHOLTZ_DEVICE_H

#include "kernels/device.h"
#include "kernels/element/shape.h"
#include "kernels/helmholtz/helmholtz.h"
#include "kernels/step.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hb_device_helmholtz {
  struct hb_device *device; /* borrowed, as all pointers */
  int n;
  struct hb_geometry geometry;
  hb_local num_elements;           /* of the rank */
  hb_local surface_start;          /* num_elements (n-2)^3 */
  const hb_local *d_surface_index; /* [element][surface point], with HB_OWNS_POINT */
  const void *D, *d_D;             /* [n][n] on the host and on the device */
  const void *basis, *d_basis;     /* GLL points and weights, [2][n], as D */
  const void *d_factors;           /* values at points; NULL if the mode keeps none */
  const void *d_elements;          /* of elements; NULL if the mode keeps none */
  void *d_surface;                 /* [element][surface point] */
  double *d_partials;              /* [hb_helmholtz_device_partials(num_elements)] or more */
  struct hb_shape shape;           /* one of the variant's for n and this device */
};

struct hb_device_direction {
  double alpha, beta;
  const struct hb_device_step *d_step; /* NULL, or where alpha and beta are instead */
  const void *d_dinv, *d_r, *d_p_old;
  void *d_p, *d_x;
};

/* Applies elements [begin, end) to d_u, or, where direction is not NULL, to its p (d_u NULL); the
 * result as above into d_w.  Partial sums go to d_partials from `*num_partials` on, which is
 * advanced.  One launch, none if begin = end. */
typedef enum hb_status hb_helmholtz_device_apply(const struct hb_device_helmholtz *helmholtz,
                                                 hb_local begin, hb_local end, bool with_mass,
                                                 const struct hb_device_direction *direction,
                                                 const void *d_u, void *d_w,
                                                 hb_local *num_partials);

/* Most partial sums that two launches over all elements leave. */
static inline hb_global hb_helmholtz_device_partials(hb_local num_elements) {
  return (hb_global)num_elements + 2;
}

/* The operator on local vectors, u and w [component][element][k][j][i], which are not assembled:
 * `components` is 1, or 3, whose factors are then read once.  Elements outside [begin, end) are
 * left alone.  d_surface_index and d_surface are not used.  Partial sums of u.w over all
 * components, as above. */
typedef enum hb_status hb_helmholtz_device_apply_local(const struct hb_device_helmholtz *helmholtz,
                                                       int components, hb_local begin, hb_local end,
                                                       bool with_mass, const void *d_u, void *d_w,
                                                       hb_local *num_partials);

hb_helmholtz_device_apply hb_helmholtz_kstep_f64, hb_helmholtz_kstep_f32;
hb_helmholtz_device_apply hb_helmholtz_1d_f64, hb_helmholtz_1d_f32;

/* By matrix instructions.  On AMD (MFMA): contractions of cubes in LDS ("staged"); chains of
 * contractions in registers ("chained").  On NVIDIA: FP64 tensor cores ("tensor"). */
hb_shapes hb_helmholtz_staged_shapes, hb_helmholtz_chained_shapes, hb_helmholtz_tensor_shapes;
/* Is there a kernel of the shape for a mode that the row has? */
typedef bool hb_shape_has_mode(enum hb_geometry_mode mode, const struct hb_shape *shape, int n);
hb_shape_has_mode hb_helmholtz_staged_has_mode, hb_helmholtz_tensor_has_mode;
hb_helmholtz_device_apply hb_helmholtz_staged_f64, hb_helmholtz_staged_f32;
hb_helmholtz_device_apply hb_helmholtz_chained_f64, hb_helmholtz_chained_f32;
hb_helmholtz_device_apply hb_helmholtz_tensor_f64;
hb_helmholtz_device_apply_local hb_helmholtz_staged_local_f64, hb_helmholtz_staged_local_f32;
hb_helmholtz_device_apply_local hb_helmholtz_chained_local_f64, hb_helmholtz_chained_local_f32;
hb_helmholtz_device_apply_local hb_helmholtz_tensor_local_f64;

/* The diagonals (hb_helmholtz_diagonal) of elements [begin, end) into d_w and d_surface, before
 * assembly, from their stored factors d_factors [element - begin][f][k][j][i]: the operator's own,
 * or such as were formed for this (hb_geometry_expand_device). */
typedef enum hb_status hb_helmholtz_device_diagonal(const struct hb_device_helmholtz *helmholtz,
                                                    hb_local begin, hb_local end,
                                                    const void *d_factors, void *d_w);
hb_helmholtz_device_diagonal hb_helmholtz_device_diagonal_f64, hb_helmholtz_device_diagonal_f32;

#ifdef __cplusplus
}
#endif

#endif
