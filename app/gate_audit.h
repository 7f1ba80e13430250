/* SPDX-License-Identifier: BSD-3-Clause
 * The pass over all elements in which the audit recomputes what was set up: this rank's, and those
 * around them, so that no exchange is needed. */
#ifndef HB_APP_GATE_AUDIT_H
#define HB_APP_GATE_AUDIT_H

#include "app/gates_internal.h"
#include "kernels/helmholtz/audit.h"

/* What the elements of a layer, all of the same z, add up to at their points: planes of the rank's
 * lattice, [y][x].  Those of the layer come first, then one that the layer before has left, which
 * is added to the first when all is there; then, kept for the end, the first of the slab. */
struct hb_audit_layer {
  double *w, *w_magnitude; /* A v of a random v; owned, as all */
  double *mass;            /* m^3 */
  double *b, *b_magnitude; /* the right-hand side but for the source */
};

/* What depends on a point of a layer alone, [k][y][x] over all elements of the sweep. */
struct hb_audit_points {
  double *h1, *h2, *v;    /* coefficients and the random v; owned, as all */
  double *exact, *source; /* u and f, of the rank's own points */
};

/* Factors of consecutive elements, as the operator uses them: [element][point][f]. */
struct hb_audit_window {
  hb_local begin, end;
  double *factors; /* owned [HB_AUDIT_WINDOW] */
};
enum { HB_AUDIT_WINDOW = 64 };

/* An axis of the sweep: elements begin .. end - 1 in coordinates of the rank's box, with those
 * around it, and their lattice coordinates, counted from the first of `begin`. */
struct hb_audit_axis {
  hb_local begin, end, size;
  struct hb_box_axis_value *value; /* owned: of element e, [(e + 1) n + i] */
  struct hb_box_axis_value *at;    /* owned [size], as the next two */
  struct hb_problem_axis *term;    /* where the mesh is not deformed */
  hb_global *global;               /* the box's lattice coordinate */
};

/* What all slabs read. */
struct hb_audit_tables {
  struct hb_court *court;
  hb_global lattice[3]; /* points of the whole box per axis */
  struct hb_audit_axis axis[3];
  hb_local *position;  /* owned [ez][ey][ex]: the element's in the numbering */
  bool *masked;        /* owned [num_points] */
  double source_scale; /* largest |f| that the coefficients allow */
};

/* Layers begin .. end - 1: what one thread goes over. */
struct hb_audit_sweep {
  struct hb_audit_tables *tables; /* borrowed */
  hb_local begin, end;
  struct hb_audit audit;
  struct hb_audit_layer layer;
  struct hb_audit_points points;
  struct hb_audit_window window[2]; /* factors of boundary elements, and of the others */
  double *lifted;                   /* owned: A u_D of a group */
  double *used;                     /* owned [point][f][lane]: factors of a group */
  double wrong_mask, worst_factor, worst_product, worst_right_side;
  enum hb_status status;
};

/* A group of the audit: elements of a layer, in coordinates of the rank's box, -1 .. count. */
struct hb_audit_group {
  int count;
  hb_local element[HB_MAX_LANES][3];
};

/* Is element e of an axis in the box, or does it stand for one across a periodic face? */
bool hb_audit_has_element(const struct hb_mesh *mesh, int axis, hb_local e);

/* Not collective.  The range of the axis' elements, and the terms of their positions, formed anew.
 */
enum hb_status hb_audit_tabulate_elements(const struct hb_mesh *mesh, int axis,
                                          struct hb_audit_axis *table);

/* No |f| of problem.h is larger: the sum of what its terms can be. */
double hb_audit_largest_source(const struct hb_problem *problem);

/* Not collective.  Adds what the group's elements contribute to the layer, and compares the factors
 * of those that are the rank's own. */
enum hb_status hb_audit_add_group(struct hb_audit_sweep *sweep, const struct hb_audit_group *group);

#endif
