/* SPDX-License-Identifier: BSD-3-Clause
 * Communicator, agreement on errors, fixed-order sums. */
#include "mesh/comm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/threads.h"

enum { SUM_TAG = 7100, MAX_SUMS = 16, MESSAGE_BYTES = 2048, LOCATION_BYTES = 256 };

/* A processor counts for as much as there are ranks that may run on it. */
static int share_processors(MPI_Comm node) {
  bool allowed[HB_MAX_PROCESSORS];
  int ranks[HB_MAX_PROCESSORS];
  double share = 0.0;
  hb_threads_processors(allowed);
  for (int p = 0; p < HB_MAX_PROCESSORS; p++) ranks[p] = allowed[p];
  MPI_Allreduce(MPI_IN_PLACE, ranks, HB_MAX_PROCESSORS, MPI_INT, MPI_SUM, node);
  for (int p = 0; p < HB_MAX_PROCESSORS; p++)
    if (allowed[p]) share += 1.0 / ranks[p];
  share = floor(share + 1e-6);
  return share < 1.0 ? 1 : share > HB_MAX_THREADS ? HB_MAX_THREADS : (int)share;
}

/* The communicators themselves: nothing here fails, so all ranks come through. */
static void open_communicators(MPI_Comm parent, struct hb_comm *comm) {
  MPI_Comm_dup(parent, &comm->mpi);
  MPI_Comm_rank(comm->mpi, &comm->rank);
  MPI_Comm_size(comm->mpi, &comm->size);
  MPI_Comm_split_type(comm->mpi, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &comm->node);
  MPI_Comm_rank(comm->node, &comm->node_rank);
  MPI_Comm_size(comm->node, &comm->node_size);
  comm->node_number = comm->rank;
  MPI_Bcast(&comm->node_number, 1, MPI_INT, 0, comm->node);
  comm->threads = share_processors(comm->node);
}

static void close_communicators(struct hb_comm *comm) {
  MPI_Comm_free(&comm->node);
  MPI_Comm_free(&comm->mpi);
}

enum hb_status hb_comm_create(MPI_Comm parent, struct hb_comm **comm_out) {
  enum hb_status status = HB_OK;
  struct hb_comm opened, *comm = NULL;
  *comm_out = NULL;
  open_communicators(parent, &opened);
  comm = hb_allocate(1, sizeof *comm, "communicator");
  HB_TRY(hb_comm_agree(&opened, comm != NULL ? HB_OK : HB_MACHINE_FAILED));
  *comm = opened;
  *comm_out = comm;
done:
  if (status != HB_OK) {
    close_communicators(&opened);
    hb_free(comm);
  }
  return status;
}

void hb_comm_destroy(struct hb_comm **comm) {
  if (*comm == NULL) return;
  close_communicators(*comm);
  hb_free(*comm);
  *comm = NULL;
}

enum hb_status hb_comm_agree(const struct hb_comm *comm, enum hb_status status) {
  struct {
    int status, rank;
  } mine = {(int)status, comm->rank}, worst;
  MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, comm->mpi); /* ties: the lowest rank */
  if (worst.status == (int)HB_OK) return HB_OK;
  struct {
    char message[MESSAGE_BYTES], location[LOCATION_BYTES];
  } record = {"", ""};
  if (worst.rank == comm->rank) {
    snprintf(record.message, sizeof record.message, "%s", hb_error_message());
    snprintf(record.location, sizeof record.location, "%s", hb_error_location());
  }
  MPI_Bcast(&record, (int)sizeof record, MPI_BYTE, worst.rank, comm->mpi);
  if (worst.rank != comm->rank)
    hb_error_adopt((enum hb_status)worst.status, record.message, record.location);
  return (enum hb_status)worst.status;
}

static void add_from(const struct hb_comm *comm, int partner, int count, double *values) {
  double received[MAX_SUMS];
  MPI_Sendrecv(values, count, MPI_DOUBLE, partner, SUM_TAG, received, count, MPI_DOUBLE, partner,
               SUM_TAG, comm->mpi, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; i++) values[i] += received[i]; /* a + b = b + a: same on both */
}

/* At most MAX_SUMS values.  Ranks past the largest power of two fold into the first ones, which
 * then double recursively. */
static void sum_together(const struct hb_comm *comm, int count, double *values) {
  int power = 1;
  while (2 * power <= comm->size) power *= 2;
  const int extra = comm->size - power;
  if (comm->rank >= power) {
    MPI_Send(values, count, MPI_DOUBLE, comm->rank - power, SUM_TAG, comm->mpi);
    MPI_Recv(values, count, MPI_DOUBLE, comm->rank - power, SUM_TAG, comm->mpi, MPI_STATUS_IGNORE);
    return;
  }
  if (comm->rank < extra) {
    double received[MAX_SUMS];
    MPI_Recv(received, count, MPI_DOUBLE, comm->rank + power, SUM_TAG, comm->mpi,
             MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++) values[i] += received[i];
  }
  for (int distance = 1; distance < power; distance *= 2)
    add_from(comm, comm->rank ^ distance, count, values);
  if (comm->rank < extra)
    MPI_Send(values, count, MPI_DOUBLE, comm->rank + power, SUM_TAG, comm->mpi);
}

void hb_comm_sum(const struct hb_comm *comm, int count, double *values) {
  int first = 0;
  for (; count - first > MAX_SUMS; first += MAX_SUMS) sum_together(comm, MAX_SUMS, values + first);
  sum_together(comm, count - first, values + first);
}

/* MPI_MAX may drop a NaN, so NaN travels beside the values. */
static void reduce_with_nan(const struct hb_comm *comm, int count, double *values, MPI_Op op) {
  double nan_seen = 0.0;
  for (int i = 0; i < count; i++)
    if (isnan(values[i])) nan_seen = 1.0;
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, op, comm->mpi);
  MPI_Allreduce(MPI_IN_PLACE, &nan_seen, 1, MPI_DOUBLE, MPI_MAX, comm->mpi);
  for (int i = 0; nan_seen > 0.0 && i < count; i++) values[i] = NAN;
}

void hb_comm_max(const struct hb_comm *comm, int count, double *values) {
  reduce_with_nan(comm, count, values, MPI_MAX);
}

void hb_comm_min(const struct hb_comm *comm, int count, double *values) {
  reduce_with_nan(comm, count, values, MPI_MIN);
}

hb_global hb_comm_sum_global(const struct hb_comm *comm, hb_global value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, HB_MPI_GLOBAL, MPI_SUM, comm->mpi);
  return value;
}

void hb_comm_barrier(const struct hb_comm *comm) { MPI_Barrier(comm->mpi); }
