/* SPDX-License-Identifier: BSD-3-Clause
 * The messages of an exchange with the ranks that share points: between pairs, by one call for the
 * whole neighbourhood, or without contents. */
#ifndef HB_MESH_EXCHANGE_MESSAGES_H
#define HB_MESH_EXCHANGE_MESSAGES_H

#include "mesh/comm.h"

enum hb_message_kind {
  HB_MESSAGES_PAIRWISE,  /* MPI_Isend and MPI_Irecv */
  HB_MESSAGES_NEIGHBOUR, /* MPI_Ineighbor_alltoallv */
  HB_MESSAGES_EMPTY,     /* as the first, of no bytes: they say that something is ready */
};

struct hb_messages {
  const struct hb_comm *comm; /* borrowed, as the next two */
  const int *rank;            /* [neighbour], ascending */
  const hb_local *start;      /* [neighbour + 1]: entries of the buffers, the same both ways */
  int num_neighbours;
  int tag;
  enum hb_message_kind kind;
  MPI_Comm graph;        /* owned; MPI_COMM_NULL until the neighbourhood is needed */
  int *count;            /* owned [neighbour] */
  MPI_Request *requests; /* owned [2 num_neighbours + 1] */
  int num_requests;      /* under way */
};

/* Not collective.  Pairwise at first. */
enum hb_status hb_messages_create(const struct hb_comm *comm, int num_neighbours, const int *rank,
                                  const hb_local *start, int tag, struct hb_messages *messages);
/* Collective, if messages were ever HB_MESSAGES_NEIGHBOUR.  Accepts zeros. */
void hb_messages_destroy(struct hb_messages *messages);

/* Collective; `kind` must be the same on all ranks, and nothing be under way. */
void hb_messages_select(struct hb_messages *messages, enum hb_message_kind kind);

/* Collective, in this order: what comes into `received` may come from `expect` on; `send` sends;
 * `wait` returns when both are done.  Buffers [start[num_neighbours]] of the precision stay as they
 * are meanwhile. */
void hb_messages_expect(struct hb_messages *messages, enum hb_precision precision, void *received);
void hb_messages_send(struct hb_messages *messages, enum hb_precision precision, const void *send,
                      void *received);
void hb_messages_wait(struct hb_messages *messages);

#endif
