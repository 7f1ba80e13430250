/* SPDX-License-Identifier: BSD-3-Clause
 * Set-up of an operator from the mesh, one group of elements at a time: what host and device share.
 * Not collective. */
#ifndef HB_APP_OPERATOR_SETUP_H
#define HB_APP_OPERATOR_SETUP_H

#include "app/operator.h"
#include "kernels/geometry/kept.h"

/* Makes an operator of one kind; on failure what there is of it may be in *op. */
typedef enum hb_status hb_operator_create_type(const struct hb_operator_setup *setup, double *mass,
                                               struct hb_operator **op);

/* Fills in what all operators have. */
enum hb_status hb_operator_init(const struct hb_operator_type *type,
                                const struct hb_operator_setup *setup, struct hb_operator *op);

/* Elements that are handled together.  Value v of element e is at v stride + e where the elements
 * are `interleaved` (stride = most), at v + e count-of-values where they follow one another. */
struct hb_element_group {
  hb_local first, count; /* position of the first; how many there are */
  hb_local most;
  bool interleaved; /* all `most` places are filled then: the last element stands in for others */
  double *x;        /* [3][k][j][i] of each element, m, less that of its first point; borrowed */
  double *h1, *h2;  /* [k][j][i] */
  /* What is formed from them. */
  double *mass;         /* [k][j][i], m^3, without h2 */
  double *min_jacobian; /* [most] */
};

/* Forms factors, which it puts in their places, masses and Jacobians of the group. */
typedef enum hb_status hb_form_factors(void *context, const struct hb_element_group *group);

/* What the geometry's mode, which is not stored, keeps of the group's elements: element e of the
 * group at place places->first + e.  x: [3][k][j][i], work. */
void hb_operator_keep(const struct hb_geometry *geometry, int n,
                      const struct hb_element_group *group, const struct hb_kept_places *places,
                      double *x);

/* Factors [element][point][f] of elements [begin, end) from what is kept of them. */
enum hb_status hb_operator_expand(const struct hb_operator *op, const struct hb_kept_places *places,
                                  hb_local begin, hb_local end, double *factors);

/* HB_BAD_INPUT names the element at a position of the numbering if its smallest Jacobian says that
 * its map is not invertible. */
enum hb_status hb_operator_check_jacobian(const struct hb_mesh *mesh, hb_local position,
                                          double min_jacobian);

/* Goes through all elements of the rank, group by group; mass [num_points] receives their masses.
 * HB_BAD_INPUT names the first element whose map is not invertible. */
enum hb_status hb_operator_setup_elements(const struct hb_operator_setup *setup,
                                          struct hb_element_group *group, hb_form_factors *form,
                                          void *context, double *mass);

#endif
