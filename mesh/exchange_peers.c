/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of devices' memory that neighbours open, and reading from them. */
#include "mesh/exchange_peers.h"

enum { PEERS_TAG = 14 };

/* What a rank tells a neighbour of its block. */
struct introduction {
  struct hb_peer_handle handle;
  hb_global first, half; /* entries, as in hb_peers */
  int node_number;
};

static hb_local total_of(const struct hb_gather_scatter *gs) {
  return gs->start[gs->num_neighbours];
}

/* This rank's own part. */
static enum hb_status offer(struct hb_peers *peers, struct hb_peer_handle *handle) {
  enum hb_status status = HB_OK;
  const int count = peers->gs->num_neighbours;
  HB_ASSERT(count <= HB_MOST_PEERS);
  HB_ALLOC(peers->d_opened, count, "neighbours' memory");
  for (int q = 0; q < count; q++) peers->d_opened[q] = NULL;
  HB_ALLOC(peers->first, count, "neighbours' memory");
  HB_ALLOC(peers->half, count, "neighbours' memory");
  peers->d_shared = hb_device_allocate(peers->device, 2 * (hb_global)total_of(peers->gs),
                                       peers->size, "send buffer that neighbours read");
  if (peers->d_shared == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(hb_peer_export(peers->device, peers->d_shared, handle));
done:
  return status;
}

/* Collective.  Each neighbour's introduction [neighbour]. */
static void introduce(const struct hb_peers *peers, const struct hb_peer_handle *handle,
                      struct introduction *mine, struct introduction *theirs,
                      MPI_Request *requests) {
  const struct hb_gather_scatter *gs = peers->gs;
  const int bytes = (int)sizeof *mine;
  for (int q = 0; q < gs->num_neighbours; q++) {
    mine[q] = (struct introduction){.handle = *handle,
                                    .first = gs->start[q],
                                    .half = total_of(gs),
                                    .node_number = gs->comm->node_number};
    MPI_Irecv(&theirs[q], bytes, MPI_BYTE, gs->rank[q], PEERS_TAG, gs->comm->mpi, &requests[2 * q]);
    MPI_Isend(&mine[q], bytes, MPI_BYTE, gs->rank[q], PEERS_TAG, gs->comm->mpi,
              &requests[2 * q + 1]);
  }
  MPI_Waitall(2 * gs->num_neighbours, requests, MPI_STATUSES_IGNORE);
}

static enum hb_status open_all(struct hb_peers *peers, const struct introduction *theirs) {
  enum hb_status status = HB_OK;
  const struct hb_gather_scatter *gs = peers->gs;
  for (int q = 0; q < gs->num_neighbours; q++)
    if (theirs[q].node_number != gs->comm->node_number)
      HB_FAIL(HB_MACHINE_FAILED, "ranks %d and %d are neighbours on different nodes",
              gs->comm->rank, gs->rank[q]);
  for (int q = 0; q < gs->num_neighbours; q++) {
    peers->first[q] = theirs[q].first;
    peers->half[q] = theirs[q].half;
    HB_TRY(hb_peer_open(peers->device, &theirs[q].handle, &peers->d_opened[q]));
  }
done:
  return status;
}

/* Collective, over what is allocated on all ranks. */
static enum hb_status connect_all(struct hb_peers *peers) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = peers->gs->comm;
  struct introduction mine[HB_MOST_PEERS], theirs[HB_MOST_PEERS];
  MPI_Request requests[2 * HB_MOST_PEERS];
  struct hb_peer_handle handle = {{0}};
  HB_TRY(hb_comm_agree(comm, offer(peers, &handle)));
  introduce(peers, &handle, mine, theirs, requests);
  HB_TRY(hb_comm_agree(comm, open_all(peers, theirs)));
done:
  return status;
}

enum hb_status hb_peers_connect(const struct hb_gather_scatter *gs, struct hb_device *device,
                                enum hb_precision precision, struct hb_peers **peers_out) {
  enum hb_status status = HB_OK;
  struct hb_peers *peers = hb_allocate(1, sizeof *peers, "exchange by peer memory");
  *peers_out = NULL;
  status = hb_comm_agree(gs->comm, peers != NULL ? HB_OK : HB_MACHINE_FAILED);
  if (status != HB_OK) {
    hb_free(peers);
    return status;
  }
  *peers = (struct hb_peers){.gs = gs, .device = device, .size = hb_precision_bytes(precision)};
  status = connect_all(peers);
  if (status != HB_OK) hb_peers_disconnect(&peers);
  *peers_out = peers;
  return status;
}

void hb_peers_disconnect(struct hb_peers **peers_in) {
  struct hb_peers *peers = *peers_in;
  if (peers == NULL) return;
  for (int q = 0; q < peers->gs->num_neighbours && peers->d_opened != NULL; q++)
    hb_peer_close(peers->device, peers->d_opened[q]);
  hb_comm_barrier(peers->gs->comm);
  hb_device_free(peers->device, peers->d_shared);
  hb_free(peers->d_opened);
  hb_free(peers->first);
  hb_free(peers->half);
  hb_free(peers);
  *peers_in = NULL;
}

void *hb_peers_packed(const struct hb_peers *peers) {
  return (char *)peers->d_shared + (size_t)peers->turn * (size_t)total_of(peers->gs) * peers->size;
}

enum hb_status hb_peers_read(struct hb_peers *peers, void *d_received) {
  const struct hb_gather_scatter *gs = peers->gs;
  struct hb_peer_parts parts = {.count = gs->num_neighbours};
  for (int q = 0; q < gs->num_neighbours; q++) {
    const hb_global at = peers->turn * peers->half[q] + peers->first[q];
    parts.start[q] = gs->start[q];
    parts.d_from[q] = (const char *)peers->d_opened[q] + (size_t)at * peers->size;
  }
  parts.start[gs->num_neighbours] = total_of(gs);
  peers->turn = 1 - peers->turn;
  return hb_peer_gather(peers->device, peers->size, &parts, d_received);
}
