/* SPDX-License-Identifier: BSD-3-Clause
 * Exchange between devices of one node without MPI: each rank reads what its neighbours packed,
 * from their devices' memory.
 *
 * What a rank packs lies in a block that its neighbours have opened, in one of two halves in turn.
 * A message of no bytes tells a neighbour that a half is packed: the host has waited for it.
 *   Rank r packs the half of exchange k + 2, which is that of k, after its exchange k + 1 is
 *   finished: there it has heard of each neighbour that k + 1 is packed, which comes on the
 *   neighbour's compute stream after what it read in exchange k.
 * So nobody reads a half that is packed again, and no answer is needed. */
#ifndef HB_MESH_EXCHANGE_PEERS_H
#define HB_MESH_EXCHANGE_PEERS_H

#include "kernels/peer.h"
#include "mesh/gather_scatter.h"

struct hb_peers {
  const struct hb_gather_scatter *gs; /* borrowed, as the next */
  struct hb_device *device;
  size_t size;      /* of an entry */
  void *d_shared;   /* owned [2][entries of all messages]; the neighbours read it */
  void **d_opened;  /* owned [neighbour]: their blocks */
  hb_global *first; /* owned [neighbour]: entry in a half of theirs that is meant for this rank */
  hb_global *half;  /* owned [neighbour]: entries of a half of theirs */
  int turn;         /* 0, 1: the half in use */
};

/* Collective.  HB_MACHINE_FAILED, on all ranks, if neighbours are on different nodes or a device's
 * memory cannot be shared: says which and why. */
enum hb_status hb_peers_connect(const struct hb_gather_scatter *gs, struct hb_device *device,
                                enum hb_precision precision, struct hb_peers **peers);
/* Collective: nobody frees what another reads.  Accepts NULL, clears the caller's pointer. */
void hb_peers_disconnect(struct hb_peers **peers);

/* Where this rank packs the next exchange. */
void *hb_peers_packed(const struct hb_peers *peers);

/* Not collective; after all neighbours have said that they have packed.  Reads on the copy stream
 * into d_received; from then on the next exchange is packed in the other half. */
enum hb_status hb_peers_read(struct hb_peers *peers, void *d_received);

#endif
