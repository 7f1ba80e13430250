/* SPDX-License-Identifier: BSD-3-Clause
 * Input that is in range number by number, but not together: products that leave the range of
 * numbers, and boxes without an unknown.
 *
 * A square that underflows is 0, and a residual of 0 is the end of an iteration: so what the solve
 * multiplies has to stay among the normal numbers.  Sizes are estimated from the options alone,
 * with s_a = l_a / n_a the size of an element, J = s_x s_y s_z its volume, low and high where the
 * deformation makes elements smaller and larger:
 *   (s_b s_c)^2                 squares of the faces, in f64 as the next three
 *   l_x l_y l_z, J
 *   h1 / l_a^2                  in the source
 *   |r|^2, p.Ap, |A x|^2        sums over all points, down to residuals of epsilon^2 |b|
 *   h1 (s_b s_c)^2 / J, h2 J    the operator's factors, in the precision of the solve as the next
 *   b, A p                      entries of vectors
 *   J, s_b s_c, h1 s_b s_c / J  also in the precision where kernels form factors from positions
 *   p.Ap of an element          down to the residual asked for; margins 2^10
 * A margin of 2^40 in f64 and 2^24 in f32 at both ends is for weights, derivatives and variations.
 * A mass term that is lost below the range, where it changes nothing, is not refused. */
#ifndef HB_APP_INPUT_RANGE_H
#define HB_APP_INPUT_RANGE_H

#include "app/options.h"
#include "app/problem.h"

/* Not collective.  HB_BAD_INPUT with the numbers if every point lies on a Dirichlet face, or if a
 * product leaves the range.  box has passed hb_box_check. */
enum hb_status hb_input_range_check(const struct hb_options *options, const struct hb_box *box);

/* Not collective.  The same if what kernels multiply in geometry modes nodes and trilinear does. */
enum hb_status hb_input_range_check_forming(const struct hb_options *options,
                                            const struct hb_box *box);

#endif
