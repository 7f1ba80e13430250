/* SPDX-License-Identifier: BSD-3-Clause
 * Sums over ranks that notice when the ranks' copies of them differ.
 *
 * Every rank decides alone from its copies of the sums (the step, whether to go on): a copy that
 * one rank has wrong, by its memory or by MPI, lets the ranks part, and those that go on wait for
 * ever for those that do not.  So with each sum travel, in the same messages,
 *   the number of ranks that have seen a difference before
 *   -1/2 of each value      the copy of this rank against itself, at once
 *   k and k^2               k a number made from the sums before: all ranks' are equal if and only
 *                           if size sum(k^2) = (sum k)^2
 * A rank that sees one decides nothing more until the others know it, which is with the next sum.
 */
#ifndef HB_APP_CONSENSUS_H
#define HB_APP_CONSENSUS_H

#include "mesh/comm.h"

enum { HB_CONSENSUS_MAX_SUMS = 4 };

struct hb_consensus {
  const struct hb_comm *comm; /* borrowed */
  uint64_t key;               /* of all sums so far */
  bool seen;                  /* this rank has seen a difference: it must go on to the next sum */
  bool parted;                /* all ranks know: they end together */
};

/* Not collective. */
struct hb_consensus hb_consensus_begin(const struct hb_comm *comm);

/* Collective; `count` must be the same on all ranks, at most HB_CONSENSUS_MAX_SUMS.  As
 * hb_comm_sum, bitwise. */
void hb_consensus_sum(struct hb_consensus *consensus, int count, double *values);

/* Collective.  What is not yet known: have the last sums been the same?  HB_MACHINE_FAILED with the
 * number of iterations if the ranks have parted. */
enum hb_status hb_consensus_end(struct hb_consensus *consensus, int iterations);

#endif
