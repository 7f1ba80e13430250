/* SPDX-License-Identifier: BSD-3-Clause
 * The box of hexahedral elements: size, boundary types and the map from the unit cube.
 *
 * Element (ex,ey,ez) covers [ex/nx,(ex+1)/nx] x ... of the unit cube s = (s0,s1,s2); the map gives
 * the position x(s) in [0,lx] x [0,ly] x [0,lz] (m).  Faces of the cube map onto faces of the box:
 *   none      x_a = l_a s_a
 *   smooth    x_a = l_a (s_a + amplitude c_a sin(2 pi s_a) cos(2 pi s_b) cos(2 pi s_c)),
 *             (a,b,c) cyclic, c = (1, 0.8, 0.6): periodic in every axis, cross terms everywhere
 *   kershaw   CEED's bake-off mesh: x_0 = l_0 s_0; in six layers along x the lines y = z = const.
 *             are bent between a half-refined left and a half-refined right state, epsilon_y,
 *             epsilon_z in (0,1], 1 = undeformed.
 *             Source: Kershaw, J. Comput. Phys. 39 (1981) 375; CEED MS35 report, 2020.
 * Global element id = ex + nx (ey + ny ez). */
#ifndef HB_MESH_BOX_H
#define HB_MESH_BOX_H

#include "kernels/base.h"

enum hb_boundary { HB_DIRICHLET = 0, HB_NEUMANN = 1, HB_PERIODIC = 2 };
enum hb_deformation { HB_UNDEFORMED = 0, HB_SMOOTH = 1, HB_KERSHAW = 2 };

struct hb_box {
  int degree;                   /* 1..15 */
  hb_global elements[3];        /* nx, ny, nz >= 1 */
  double length[3];             /* lx, ly, lz > 0, m */
  enum hb_boundary boundary[3]; /* both faces of the axis */
  enum hb_deformation deformation;
  double amplitude;  /* smooth: >= 0, < 1/(2 pi), where elements begin to fold */
  double epsilon[2]; /* kershaw: epsilon_y, epsilon_z */
};

/* Checks ranges, the map's fitness for the boundary types (kershaw is not periodic in x) and that
 * the counts fit: global points, and 8 * cells, in 64 bit.  HB_BAD_INPUT names the value. */
enum hb_status hb_box_check(const struct hb_box *box);

/* Lattice of unique points: per axis elements * degree + 1, or elements * degree if periodic. */
void hb_box_lattice(const struct hb_box *box, hb_global points[3]);
hb_global hb_box_num_elements(const struct hb_box *box);
/* Product of hb_box_lattice: the closed form that the `points` gate compares with. */
hb_global hb_box_num_points(const struct hb_box *box);
double hb_box_volume(const struct hb_box *box);

/* True if the solution is given on a face. */
static inline bool hb_box_has_dirichlet(const struct hb_box *box) {
  return box->boundary[0] == HB_DIRICHLET || box->boundary[1] == HB_DIRICHLET ||
         box->boundary[2] == HB_DIRICHLET;
}

/* The map is separable: x_a = l_a (base_a(s_a) + factor_a,0(s_0) factor_a,1(s_1) factor_a,2(s_2)).
 * hb_box_axis gives the terms of one axis at s in [0,1], to be tabulated over a lattice;
 * hb_box_position puts three of them together, hb_box_map does both for one point.  Faces of the
 * cube map exactly onto faces of the box. */
struct hb_box_axis_value {
  double base, factor[3]; /* factor[a] enters x_a */
};
void hb_box_axis(const struct hb_box *box, int axis, double s, struct hb_box_axis_value *value);
void hb_box_map(const struct hb_box *box, const double s[3], double x[3]);

static inline void hb_box_position(const struct hb_box *box, const struct hb_box_axis_value *v0,
                                   const struct hb_box_axis_value *v1,
                                   const struct hb_box_axis_value *v2, double x[3]) {
  x[0] = box->length[0] * (v0->base + v0->factor[0] * v1->factor[0] * v2->factor[0]);
  x[1] = box->length[1] * (v1->base + v0->factor[1] * v1->factor[1] * v2->factor[1]);
  x[2] = box->length[2] * (v2->base + v0->factor[2] * v1->factor[2] * v2->factor[2]);
}

const char *hb_boundary_name(enum hb_boundary boundary);
const char *hb_deformation_name(enum hb_deformation deformation);

#endif
