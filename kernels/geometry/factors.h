/* SPDX-License-Identifier: BSD-3-Clause
 * Geometric factors of isoparametric hexahedra from the positions of their points.
 *
 *   xr[a] = sum_m D[i][m] x[a][k][j][m]   (xs, xt likewise);   J = det(xr, xs, xt)
 *   J grad(r) = xs x xt,   J grad(s) = xt x xr,   J grad(t) = xr x xs
 *   G_ab = h1 w_i w_j w_k (J grad(a)).(J grad(b)) / J,   mass = w_i w_j w_k J,   M = h2 mass
 *
 * Shapes, last index fastest, for one group of `lanes` elements: x [3][k][j][i][lane] (m),
 * h1, h2 [k][j][i][lane], factors [k][j][i][HB_MAX_FACTORS][lane] in the order of helmholtz.h,
 * mass [k][j][i][lane] (m^3).  All borrowed, 64-byte aligned.
 * Source: Deville, Fischer, Mund, 2002, section 4.4. */
#ifndef HB_KERNELS_GEOMETRY_FACTORS_H
#define HB_KERNELS_GEOMETRY_FACTORS_H

#include "kernels/device.h"
#include "kernels/geometry/geometry.h"
#include "kernels/host_isa.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hb_geometric_input {
  int n;
  const double *D, *weights; /* [n][n], [n] */
  const double *x, *h1, *h2;
};

/* Forms the factors and the mass, and the smallest J of each lane in min_jacobian [lanes]; a value
 * that is not > 0 marks an inverted (or broken) element, whose factors are not to be used.
 * scratch: hb_geometric_scratch_count doubles. */
typedef void hb_geometric_factors(const struct hb_geometric_input *input, double *scratch,
                                  double *factors, double *mass, double *min_jacobian);

/* Nine derivatives at every point of the group. */
static inline hb_global hb_geometric_scratch_count(int n, int lanes) {
  return (hb_global)9 * n * n * n * lanes;
}

/* The plain reference: one element (lanes = 1). */
hb_geometric_factors hb_geometric_factors_host;

/* How many elements an instruction set's implementation takes at a time; PLAIN: the reference.  The
 * set must have been built. */
struct hb_geometric_setup {
  int lanes;
  hb_geometric_factors *form;
};
const struct hb_geometric_setup *hb_geometric_setup_for(enum hb_host_isa isa);

/* The same of `count` elements on a device, computed in double. */
struct hb_device_geometry {
  struct hb_device *device;
  int n;
  struct hb_geometry geometry;
  hb_local count;
  const double *D, *weights; /* host: [n][n], [n] */
  const double *d_x;         /* [element][3][k][j][i], m */
  const double *d_h1, *d_h2; /* [element][k][j][i], or both NULL: h1 and h2 below everywhere */
  double h1, h2;
  void *d_factors;        /* [element][f][k][j][i] */
  double *d_mass;         /* [element][k][j][i], m^3, without h2 */
  double *d_min_jacobian; /* [element]; NaN if a Jacobian of the element is NaN */
};
enum hb_status hb_geometric_factors_device_f64(const struct hb_device_geometry *geometry);
enum hb_status hb_geometric_factors_device_f32(const struct hb_device_geometry *geometry);

/* The stored factors of elements [begin, end) from what another mode keeps of all elements, for
 * what works on stored factors alone: computed in double, rounded to the precision, in which also
 * what is kept is. */
struct hb_device_kept {
  struct hb_device *device;
  int n;
  struct hb_geometry geometry; /* its mode is not stored */
  hb_local begin, end;
  const double *D, *points, *weights;      /* host: [n][n], GLL points [n], weights [n] */
  const void *d_point_values, *d_elements; /* [element][f][k][j][i], [element][v]: geometry.h */
  void *d_factors;                         /* [element - begin][f][k][j][i] */
};
enum hb_status hb_geometry_expand_device_f64(const struct hb_device_kept *kept);
enum hb_status hb_geometry_expand_device_f32(const struct hb_device_kept *kept);

#ifdef __cplusplus
}
#endif

#endif
