/* SPDX-License-Identifier: BSD-3-Clause
 * Sum of the partial results that ranks hold at shared points.
 *
 * Let v(q,l) be rank q's entry at its local number l, and let (q,l) ~ (q',l') if both are the same
 * global point.  The operation is  v(q,l) <- sum over (q',l') ~ (q,l) of v(q',l'),  in ascending
 * q': every rank adds the same numbers in the same order, so copies are bitwise equal afterwards.
 * It is its own transpose.  On ones it gives the multiplicity over ranks; on copies that are equal
 * already it multiplies by it.
 *
 * One exchange an operation (exchange.h: which way it goes): with each neighbour a message of the
 * partial sums at the points both have, started and finished apart so that work can go on
 * meanwhile.  Points and messages are O of the rank's surface; setting up needs no communication.
 */
#ifndef HB_MESH_GATHER_SCATTER_H
#define HB_MESH_GATHER_SCATTER_H

#include "mesh/exchange_messages.h"
#include "mesh/exchange_tuner.h"
#include "mesh/numbering.h"

struct hb_gather_scatter {
  const struct hb_comm *comm; /* borrowed */
  int num_neighbours;
  int *rank;       /* owned [neighbour], ascending */
  hb_local *start; /* owned [neighbour + 1]: entries of `index` */
  hb_local *index; /* owned: local numbers shared with each neighbour, in an order both
                    * sides have */
  hb_local num_shared, first_shared; /* shared points are numbered first_shared .. */
  hb_local *source_start, *source;   /* owned: terms of each sum in rank order (gather_pack.h) */
  void *send, *receive;              /* owned; room for doubles */
  struct hb_messages messages;       /* owned: pairwise, if exchange.h decides nothing else */
  struct hb_exchange_choice choice;  /* how the solve's exchange goes; of a device, that one's */
};

/* Collective (ranks must agree on box and partition). */
enum hb_status hb_gather_scatter_create(const struct hb_comm *comm, const struct hb_box *box,
                                        const struct hb_partition *partition,
                                        const struct hb_numbering *numbering,
                                        struct hb_gather_scatter **gs);
/* Collective, if the exchange was one call for the neighbourhood.  Accepts NULL, clears the
 * caller's pointer. */
void hb_gather_scatter_destroy(struct hb_gather_scatter **gs);

/* Bytes that hb_gather_scatter_create will hold on this rank, at most. */
hb_global hb_gather_scatter_memory(const struct hb_box *box, const struct hb_partition *partition);

/* Collective.  Sends this rank's partial sums, values [num_points] of `precision`, whose shared
 * entries must be complete and stay untouched until finish. */
void hb_gather_scatter_start(struct hb_gather_scatter *gs, enum hb_precision precision,
                             const void *values);
/* Collective.  Waits for the neighbours and forms the sums in values. */
void hb_gather_scatter_finish(struct hb_gather_scatter *gs, enum hb_precision precision,
                              void *values);

/* Collective.  Largest |difference| between copies of a shared point anywhere; 0 if all are equal,
 * NaN if one is NaN. */
double hb_gather_scatter_max_difference(struct hb_gather_scatter *gs, enum hb_precision precision,
                                        const void *values);

/* Bytes that one exchange sends from this rank. */
static inline hb_global hb_gather_scatter_bytes(const struct hb_gather_scatter *gs,
                                                enum hb_precision precision) {
  return (hb_global)gs->start[gs->num_neighbours] * (hb_global)hb_precision_bytes(precision);
}

#endif
