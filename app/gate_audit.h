/* SPDX-License-Identifier: BSD-3-Clause
 * The pass over all elements in which the audit recomputes what was set up: this rank's, and those
 * around them, so that no exchange is needed. */
#ifndef HB_APP_GATE_AUDIT_H
#define HB_APP_GATE_AUDIT_H

#include "app/gates_internal.h"
#include "kernels/helmholtz/audit.h"

/* What the elements of a layer, all of the same z, add up to at their points: planes [degree + 1]
 * of the rank's lattice, [y][x]. */
struct hb_audit_layer {
  double *w, *w_magnitude; /* A v of a random v; owned, as all */
  double *mass;            /* m^3 */
  double *b, *b_magnitude; /* the right-hand side but for the source */
};

/* Factors of consecutive elements, as the operator uses them: [element][point][f]. */
struct hb_audit_window {
  hb_local begin, end;
  double *factors; /* owned [HB_AUDIT_WINDOW] */
};
enum { HB_AUDIT_WINDOW = 64 };

struct hb_audit_sweep {
  struct hb_court *court;
  struct hb_audit audit;
  hb_global lattice[3]; /* points of the whole box per axis */
  struct hb_audit_layer layer;
  struct hb_box_axis_value *axis[3]; /* owned: of element e = -1 .. count, [(e + 1) n + i] */
  hb_local *element[3];            /* owned, by lattice coordinate, as the next: an element of it */
  struct hb_problem_axis *term[3]; /* NULL if the mesh is deformed */
  hb_local *position;              /* owned [ez][ey][ex]: the element's in the numbering */
  bool *masked;                    /* owned [num_points] */
  struct hb_audit_window window[2]; /* factors of boundary elements, and of the others */
  double *lifted;                   /* owned: A u_D of a group */
  double source_scale;              /* largest |f| that the coefficients allow */
};

/* A group of the audit: elements of a layer, in coordinates of the rank's box, -1 .. count. */
struct hb_audit_group {
  int count;
  hb_local element[HB_MAX_LANES][3];
};

/* Is element e of an axis in the box, or does it stand for one across a periodic face? */
bool hb_audit_has_element(const struct hb_mesh *mesh, int axis, hb_local e);

/* Not collective.  Adds what the group's elements contribute to the layer, and compares the factors
 * of those that are the rank's own. */
enum hb_status hb_audit_add_group(struct hb_audit_sweep *sweep, const struct hb_audit_group *group);

#endif
