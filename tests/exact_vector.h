/* SPDX-License-Identifier: BSD-3-Clause
 * The exact solution at a rank's points. */
#ifndef HB_TESTS_EXACT_VECTOR_H
#define HB_TESTS_EXACT_VECTOR_H

#include "app/problem.h"

static inline void exact_vector_keep(void *context, hb_local number, double u, double source) {
  double *values = context;
  (void)source;
  values[number] = u;
}

/* values [num_points]. */
static inline enum hb_status exact_vector(const struct hb_problem *problem,
                                          const struct hb_mesh *mesh, double *values) {
  return hb_problem_visit_points(problem, mesh, exact_vector_keep, values);
}

#endif
