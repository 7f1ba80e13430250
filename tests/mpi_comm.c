/* SPDX-License-Identifier: BSD-3-Clause
 * Sums, extrema and agreement of ranks. */
#include <float.h>
#include <string.h>

#include "tests/mesh_cases.h"

enum { MAX_COUNT = 35, REPEATS = 20, MESSAGE_BYTES = 256 };

/* Collective.  Bitwise the same on all ranks? */
static bool same_everywhere(const struct hb_comm *comm, const double *values, int count) {
  double first[MAX_COUNT];
  memcpy(first, values, sizeof first);
  MPI_Bcast(first, count, MPI_DOUBLE, 0, comm->mpi);
  return hb_comm_sum_global(comm, memcmp(first, values, (size_t)count * sizeof *first) != 0) == 0;
}

/* Whole numbers, which are exact; every entry on its own, for every count. */
static void check_whole(struct hb_check *check, const struct hb_comm *comm) {
  for (int count = 0; count <= MAX_COUNT; count++) {
    double values[MAX_COUNT];
    for (int i = 0; i < MAX_COUNT; i++) values[i] = (comm->rank + 1) * (i + 1);
    hb_comm_sum(comm, count, values);
    for (int i = 0; i < MAX_COUNT; i++) {
      const int sum = comm->size * (comm->size + 1) / 2, own = comm->rank + 1;
      CHECK(check, values[i] == (i < count ? sum : own) * (i + 1));
    }
  }
}

/* Values of very different size: near the sum in long double, the same bits everywhere and always.
 */
static void check_rounded(struct hb_check *check, const struct hb_comm *comm) {
  double all[64][MAX_COUNT], first[MAX_COUNT] = {0.0};
  for (int rank = 0; rank < comm->size; rank++)
    for (int i = 0; i < MAX_COUNT; i++)
      all[rank][i] = ldexp(hb_random_at(i, rank), (rank * 7 + i * 3) % 40);
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double values[MAX_COUNT];
    memcpy(values, all[comm->rank], sizeof values);
    hb_comm_sum(comm, MAX_COUNT, values);
    CHECK(check, same_everywhere(comm, values, MAX_COUNT));
    if (repeat == 0) memcpy(first, values, sizeof first);
    CHECK(check, memcmp(first, values, sizeof first) == 0);
    for (int i = 0; i < MAX_COUNT; i++) {
      long double sum = 0.0L, scale = 0.0L;
      for (int rank = 0; rank < comm->size; rank++) {
        sum += all[rank][i];
        scale += fabs(all[rank][i]);
      }
      /* Each of size - 1 additions rounds by half an epsilon of at most the sum of magnitudes. */
      CHECK_NEAR(check, values[i], (double)sum, 0.5 * comm->size * DBL_EPSILON * (double)scale);
    }
  }
}

static void check_extrema(struct hb_check *check, const struct hb_comm *comm) {
  double high[3] = {comm->rank, -comm->rank, -INFINITY}, low[3];
  memcpy(low, high, sizeof low);
  hb_comm_max(comm, 3, high);
  hb_comm_min(comm, 3, low);
  CHECK(check, high[0] == comm->size - 1 && high[1] == 0.0 && high[2] == -INFINITY);
  CHECK(check, low[0] == 0.0 && low[1] == 1 - comm->size && low[2] == -INFINITY);
  for (int rank = 0; rank < comm->size; rank++) {
    for (int i = 0; i < 3; i++) high[i] = low[i] = comm->rank == rank && i == 1 ? NAN : 5.0;
    hb_comm_max(comm, 3, high);
    hb_comm_min(comm, 3, low);
    for (int i = 0; i < 3; i++) CHECK(check, isnan(high[i]) && isnan(low[i]));
  }
  for (int i = 0; i < 3; i++) high[i] = comm->rank == comm->size - 1 ? NAN : 1.0;
  hb_comm_sum(comm, 3, high);
  for (int i = 0; i < 3; i++) CHECK(check, isnan(high[i]));
}

static void check_global_sum(struct hb_check *check, const struct hb_comm *comm) {
  const hb_global large = (hb_global)1 << 53; /* + 1 would be lost in double */
  CHECK_EQUAL(check, hb_comm_sum_global(comm, comm->rank == 0 ? large : 1), large + comm->size - 1);
}

/* Collective.  Rank q fails with statuses[q]; the result and the message must be those of
 * `blamed`; -1: nobody failed. */
static void check_agreement(struct hb_check *check, const struct hb_comm *comm,
                            const enum hb_status *statuses, int blamed) {
  char message[MESSAGE_BYTES] = "";
  const enum hb_status mine = statuses[comm->rank];
  hb_error_clear();
  if (mine != HB_OK) hb_error_record(mine, __FILE__, __LINE__, "rank %d of many", comm->rank);
  CHECK_EQUAL(check, hb_comm_agree(comm, mine), blamed < 0 ? HB_OK : statuses[blamed]);
  if (blamed >= 0) snprintf(message, sizeof message, "rank %d of many", blamed);
  CHECK(check, strcmp(hb_error_message(), message) == 0);
  CHECK(check, (strstr(hb_error_location(), "mpi_comm.c:") != NULL) == (blamed >= 0));
  hb_error_clear();
}

static void check_agreements(struct hb_check *check, const struct hb_comm *comm) {
  enum hb_status statuses[64];
  const int last = comm->size - 1;
  for (int rank = 0; rank < comm->size; rank++) statuses[rank] = HB_OK;
  check_agreement(check, comm, statuses, -1);
  for (int rank = 0; rank < comm->size; rank++) { /* one alone, then it and all above it */
    for (int q = 0; q < comm->size; q++) statuses[q] = q == rank ? HB_BAD_INPUT : HB_OK;
    check_agreement(check, comm, statuses, rank);
    for (int q = rank; q < comm->size; q++) statuses[q] = HB_MACHINE_FAILED;
    check_agreement(check, comm, statuses, rank);
  }
  for (int rank = 0; rank < comm->size; rank++) statuses[rank] = HB_BAD_INPUT;
  statuses[last] = HB_MACHINE_FAILED; /* the worst wins over lower ranks */
  check_agreement(check, comm, statuses, last);
  statuses[last] = HB_GATE_FAILED;
  check_agreement(check, comm, statuses, 0);
}

/* A duplicate: messages of the parent do not mix with ours; the node is this one machine. */
static void check_sizes(struct hb_check *check, const struct hb_comm *comm) {
  int rank, size, same;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_compare(comm->mpi, MPI_COMM_WORLD, &same);
  CHECK_EQUAL(check, comm->rank, rank);
  CHECK_EQUAL(check, comm->size, size);
  CHECK_EQUAL(check, same, MPI_CONGRUENT);
  CHECK(check, comm->node_size >= 1 && comm->node_size <= size);
  CHECK(check, comm->node_rank >= 0 && comm->node_rank < comm->node_size);
  CHECK(check, comm->node_rank <= rank);
  int lowest = rank;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, comm->node);
  CHECK_EQUAL(check, comm->node_number, lowest);
  int nodes = comm->node_rank == 0, largest = comm->node_size, members = 1;
  MPI_Allreduce(MPI_IN_PLACE, &members, 1, MPI_INT, MPI_SUM, comm->node);
  CHECK_EQUAL(check, members, comm->node_size);
  MPI_Allreduce(MPI_IN_PLACE, &nodes, 1, MPI_INT, MPI_SUM, comm->mpi);
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT, MPI_MAX, comm->mpi);
  CHECK(check, nodes >= 1 && nodes * largest >= size);
}

/* Half of the ranks, and a rank alone. */
static void check_parts(struct hb_check *check, const struct hb_comm *comm) {
  struct hb_comm *half = NULL, *self = NULL;
  MPI_Comm part;
  double one = 1.0;
  MPI_Comm_split(comm->mpi, comm->rank % 2, -comm->rank, &part);
  CHECK_OK(check, hb_comm_create(part, &half));
  MPI_Comm_free(&part); /* ours is a duplicate */
  check_whole(check, half);
  hb_comm_barrier(half);
  hb_comm_destroy(&half);
  CHECK(check, half == NULL);
  hb_comm_destroy(&half);
  CHECK_OK(check, hb_comm_create(MPI_COMM_SELF, &self));
  hb_comm_sum(self, 1, &one);
  CHECK(check, self->size == 1 && self->node_size == 1 && one == 1.0);
  hb_comm_destroy(&self);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  check_whole(&check, comm);
  check_rounded(&check, comm);
  check_extrema(&check, comm);
  check_global_sum(&check, comm);
  check_agreements(&check, comm);
  check_sizes(&check, comm);
  check_parts(&check, comm);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
