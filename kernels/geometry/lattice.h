/* SPDX-License-Identifier: BSD-3-Clause
 * A rank's lattice of points on a device, with positions, coefficients and the known solution: what
 * set-up and gates form there instead of taking it from the host.
 *
 *   x_a = length_a (base_a(c_a) + factor_a,0(c_0) factor_a,1(c_1) factor_a,2(c_2))     (mesh/box.h)
 *   u(x)  = prod_a (offset_a + sin(wave_number_a x_a / length_a + phase_a))
 *   hq(x) = hq (1 + hq_variation prod_a cos(2 pi x_a / length_a + wave_phase_q,a))
 *   f     = h2 u - h1 laplace(u) - grad(h1).grad(u)
 *
 * The point (i,j,k) of the element at a position of the numbering has lattice coordinates
 * c = e (n - 1) + (i,j,k) of the rank's box; its number in vectors is that of helmholtz.h with
 * lanes = 1.  Elements around the rank's own, of coordinate -1 or count, can be asked for too where
 * `first` and `last` say so.  The host's plain forms are those of the mesh and of the problem. */
#ifndef HB_KERNELS_GEOMETRY_LATTICE_H
#define HB_KERNELS_GEOMETRY_LATTICE_H

#include "kernels/device.h"
#include "kernels/geometry/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of the equations above. */
struct hb_lattice_problem {
  double h1, h2, h1_variation, h2_variation;
  double length[3], offset[3], wave_number[3], phase[3], wave_phase[2][3];
  bool periodic[3]; /* the far face is the near one */
};

struct hb_device_lattice {
  struct hb_device *device; /* borrowed, as all pointers */
  int n;
  hb_local count[3]; /* the rank's elements along each axis */
  hb_local first[3],
      last[3];             /* elements first .. last - 1 have terms: -1 or 0, count or count + 1 */
  hb_global start[3];      /* the box's element that is the rank's element 0 */
  hb_global elements[3];   /* of the box */
  bool given[3];           /* the solution is given on the box's faces across the axis, ... */
  bool natural[3];         /* ... or its flux */
  const double *d_axis[3]; /* [element - first][i][4]: base, factor[3] */
  struct hb_lattice_problem problem;
  const double *d_D, *d_weights; /* [n][n], [n], in double */
  /* The rank's own elements. */
  hb_local num_elements, surface_start;
  const hb_local *d_element;       /* [position]: ex + cx (ey + cy ez) */
  const hb_local *d_surface_index; /* [position][surface point], with HB_OWNS_POINT */
};

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Of elements at positions [begin, end): d_x [element][3][k][j][i], m, less that of the element's
 * first point; d_h1, d_h2 [element][k][j][i], where they are not NULL. */
enum hb_status hb_lattice_fill(const struct hb_device_lattice *lattice, hb_local begin,
                               hb_local end, double *d_x, double *d_h1, double *d_h2);

/* What a mode that is not stored keeps at the points of `count` elements, from such arrays:
 * d_point_values [element][f][k][j][i]. */
enum hb_status hb_lattice_keep_f64(struct hb_device *device, int n,
                                   const struct hb_geometry *geometry, hb_local count,
                                   const double *d_x, const double *d_h1, const double *d_h2,
                                   void *d_point_values);
enum hb_status hb_lattice_keep_f32(struct hb_device *device, int n,
                                   const struct hb_geometry *geometry, hb_local count,
                                   const double *d_x, const double *d_h1, const double *d_h2,
                                   void *d_point_values);

/* d_values [element][k][j][i] of elements [begin, end) to their places: those inside in d_w
 * [num_points], the others in d_surface [element][surface point]. */
enum hb_status hb_lattice_place(const struct hb_device_lattice *lattice, hb_local begin,
                                hb_local end, const double *d_values, double *d_w,
                                double *d_surface);

#ifdef __cplusplus
}
#endif

#endif
