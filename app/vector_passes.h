/* SPDX-License-Identifier: BSD-3-Clause
 * Passes over vectors of the host, before and after the solve, on all of the rank's threads.  What
 * they give does not depend on the number of threads.  Not collective. */
#ifndef HB_APP_VECTOR_PASSES_H
#define HB_APP_VECTOR_PASSES_H

#include "kernels/vectors/vector_ops.h"
#include "mesh/comm.h"

/* Threads that are worth it for so many points. */
int hb_vector_threads(const struct hb_comm *comm, hb_local count);

/* What vectors are of, and the operations on them; all borrowed. */
struct hb_vector_space {
  const struct hb_comm *comm;
  const struct hb_vector_ops *ops;
  enum hb_precision precision;
  hb_local count;
};

/* As in vector_ops.h, of vectors of the precision: y = x; y += alpha x; d[i] = 1 / d[i]. */
void hb_vector_from_double(const struct hb_vector_space *space, const double *x, void *y);
void hb_vector_add_scaled(const struct hb_vector_space *space, double alpha, const void *x,
                          void *y);
void hb_vector_invert(const struct hb_vector_space *space, void *d);
void hb_vector_clear(const struct hb_vector_space *space, void *y);

/* Sum of x, good to rounding; and of those values that are above 0 the smallest (DBL_MAX if there
 * are none), and the largest of 0 and all. */
double hb_vector_sum(const struct hb_vector_space *space, const double *x);
void hb_vector_range(const struct hb_vector_space *space, const void *x, double *smallest,
                     double *largest);

#endif
