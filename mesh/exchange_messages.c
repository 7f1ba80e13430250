/* SPDX-License-Identifier: BSD-3-Clause
 * Messages to the ranks that share points, by MPI. */
#include "mesh/exchange_messages.h"

enum hb_status hb_messages_create(const struct hb_comm *comm, int num_neighbours, const int *rank,
                                  const hb_local *start, int tag, struct hb_messages *messages) {
  enum hb_status status = HB_OK;
  *messages = (struct hb_messages){.comm = comm,
                                   .rank = rank,
                                   .start = start,
                                   .num_neighbours = num_neighbours,
                                   .tag = tag,
                                   .kind = HB_MESSAGES_PAIRWISE,
                                   .graph = MPI_COMM_NULL};
  HB_ALLOC(messages->count, num_neighbours, "lengths of messages");
  HB_ALLOC(messages->requests, 2 * num_neighbours + 1, "requests");
  for (int q = 0; q < num_neighbours; q++) messages->count[q] = start[q + 1] - start[q];
done:
  return status;
}

void hb_messages_destroy(struct hb_messages *messages) {
  if (messages->comm != NULL && messages->graph != MPI_COMM_NULL) MPI_Comm_free(&messages->graph);
  hb_free(messages->count);
  hb_free(messages->requests);
  *messages = (struct hb_messages){.comm = NULL};
}

void hb_messages_select(struct hb_messages *messages, enum hb_message_kind kind) {
  messages->kind = kind;
  if (kind != HB_MESSAGES_NEIGHBOUR || messages->graph != MPI_COMM_NULL) return;
  MPI_Dist_graph_create_adjacent(messages->comm->mpi, messages->num_neighbours, messages->rank,
                                 messages->count, messages->num_neighbours, messages->rank,
                                 messages->count, MPI_INFO_NULL, 0, &messages->graph);
}

static MPI_Datatype type_of(enum hb_precision precision) {
  return precision == HB_F64 ? MPI_DOUBLE : MPI_FLOAT;
}

/* Entries of the message to or from a neighbour. */
static int length(const struct hb_messages *messages, int q) {
  return messages->kind == HB_MESSAGES_EMPTY ? 0 : messages->count[q];
}

void hb_messages_expect(struct hb_messages *messages, enum hb_precision precision, void *received) {
  const size_t size = hb_precision_bytes(precision);
  messages->num_requests = 0;
  if (messages->kind == HB_MESSAGES_NEIGHBOUR) return;
  for (int q = 0; q < messages->num_neighbours; q++)
    MPI_Irecv((char *)received + (size_t)messages->start[q] * size, length(messages, q),
              type_of(precision), messages->rank[q], messages->tag, messages->comm->mpi,
              &messages->requests[messages->num_requests++]);
}

void hb_messages_send(struct hb_messages *messages, enum hb_precision precision, const void *send,
                      void *received) {
  const size_t size = hb_precision_bytes(precision);
  if (messages->kind == HB_MESSAGES_NEIGHBOUR) {
    MPI_Ineighbor_alltoallv(send, messages->count, messages->start, type_of(precision), received,
                            messages->count, messages->start, type_of(precision), messages->graph,
                            &messages->requests[messages->num_requests++]);
    return;
  }
  for (int q = 0; q < messages->num_neighbours; q++)
    MPI_Isend((const char *)send + (size_t)messages->start[q] * size, length(messages, q),
              type_of(precision), messages->rank[q], messages->tag, messages->comm->mpi,
              &messages->requests[messages->num_requests++]);
}

void hb_messages_wait(struct hb_messages *messages) {
  MPI_Waitall(messages->num_requests, messages->requests, MPI_STATUSES_IGNORE);
  messages->num_requests = 0;
}
