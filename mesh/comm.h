/* SPDX-License-Identifier: BSD-3-Clause
 * The communicator of a run: its own duplicate, its size, agreement on errors, and sums in an
 * order that depends on nothing but the number of ranks. */
#ifndef HB_MESH_COMM_H
#define HB_MESH_COMM_H

#include <mpi.h>

#include "kernels/base.h"

#define HB_MPI_GLOBAL MPI_INT64_T

struct hb_comm {
  MPI_Comm mpi; /* owned duplicate */
  int rank, size;
  MPI_Comm node; /* owned; the ranks that share this rank's memory */
  int node_rank, node_size;
  int node_number; /* lowest rank of the node: its ranks share it, those of other nodes do not */
  int threads;     /* this rank's share of the processors that the node's ranks may run on; >= 1 */
};

/* Collective over `parent`.  HB_MACHINE_FAILED on all ranks, if memory is short on one; MPI's own
 * failures end all ranks (its default error handler). */
enum hb_status hb_comm_create(MPI_Comm parent, struct hb_comm **comm);
/* Collective.  Accepts NULL, clears the caller's pointer. */
void hb_comm_destroy(struct hb_comm **comm);

/* Collective.  Returns the largest status of all ranks on all ranks; if that is a failure, every
 * rank's error record holds the message of the lowest rank that failed with it. */
enum hb_status hb_comm_agree(const struct hb_comm *comm, enum hb_status status);

/* Collective; `count` must be the same on all ranks.  values[i] = sum over ranks, by recursive
 * doubling in an order fixed by the number of ranks: bitwise the same on every rank and in every
 * run with that number of ranks. */
void hb_comm_sum(const struct hb_comm *comm, int count, double *values);

/* Collective; `count` must be the same on all ranks.  One NaN anywhere makes all results NaN. */
void hb_comm_max(const struct hb_comm *comm, int count, double *values);
void hb_comm_min(const struct hb_comm *comm, int count, double *values);

/* Collective. */
hb_global hb_comm_sum_global(const struct hb_comm *comm, hb_global value);
void hb_comm_barrier(const struct hb_comm *comm);

#endif
