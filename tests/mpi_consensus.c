/* SPDX-License-Identifier: BSD-3-Clause
 * One rank's copy of a sum is altered on its way: the ranks notice and end together, none waits. */
#include <string.h>
#include <unistd.h>

#include "app/consensus.h"
#include "tests/mesh_cases.h"
#include "tests/solver_case.h"

enum { SUM_TAG = 7100, SECONDS_AT_MOST = 60 };

/* What happens to the last message that the last rank receives of a sum, by this program's own MPI
 * functions: what comes before goes on to other ranks, whose sums are then wrong, but all alike. */
static struct fault {
  int sum;                /* which one, from 0; < 0: nothing happens */
  int first, entries;     /* of the message */
  double factor, instead; /* what they are multiplied with, or set to where factor is 0 */
  int calls;              /* so far */
} fault = {.sum = -1};

/* Messages that the last rank receives in a sum: one if it is past the largest power of two. */
static int messages_of_last(int size) {
  int messages = 0;
  while (1 << (messages + 1) <= size) messages++;
  return size == 1 << messages ? messages : 1;
}

static void alter(void *buffer, int count, int tag) {
  int rank = 0, size = 0;
  if (tag != SUM_TAG || fault.sum < 0) return;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank != size - 1 || ++fault.calls != (fault.sum + 1) * messages_of_last(size)) return;
  double *values = buffer;
  for (int i = fault.first; i < fault.first + fault.entries && i < count; i++)
    values[i] = fault.factor != 0.0 ? fault.factor * values[i] : fault.instead;
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status) {
  const int result = PMPI_Recv(buffer, count, type, source, tag, comm, status);
  alter(buffer, count, tag);
  return result;
}

int MPI_Sendrecv(const void *sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                 void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Status *status) {
  const int result = PMPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, buffer, count, type,
                                   source, tag, comm, status);
  alter(buffer, count, tag);
  return result;
}

/* Sums are those of hb_comm_sum, bit by bit, and nothing is seen; NaN and infinity on one rank and
 * numbers at the ends of the range among them. */
static void check_sums(struct hb_check *check, const struct hb_comm *comm) {
  static const double special[] = {0.0,    -0.0,   NAN,     INFINITY, -INFINITY,
                                   5e-324, 3e-308, 1.7e308, 1e308,    1e-300};
  struct hb_consensus consensus = hb_consensus_begin(comm);
  for (int round = 0; round < 200; round++) {
    double values[2], plain[2];
    for (int i = 0; i < 2; i++) {
      values[i] =
          ldexp(hb_random_at(round, 8 * comm->rank + i), (13 * round + 7 * comm->rank) % 60);
      if (round % 3 == 2 && comm->rank == round % comm->size) values[i] = special[round % 10];
    }
    memcpy(plain, values, sizeof plain);
    hb_comm_sum(comm, 2, plain);
    hb_consensus_sum(&consensus, 2, values);
    for (int i = 0; i < 2; i++)
      CHECK(check, memcmp(&plain[i], &values[i], sizeof *plain) == 0 ||
                       (isnan(plain[i]) && isnan(values[i])));
    CHECK(check, !consensus.seen && !consensus.parted);
  }
  CHECK_OK(check, hb_consensus_end(&consensus, 200));
}

/* Whatever is altered in a sum, nobody leaves alone, and all know it two sums later. */
static void check_altered_sum(struct hb_check *check, const struct hb_comm *comm, int first,
                              int entries, double factor, double instead) {
  double value = comm->rank + 1.0;
  struct hb_consensus consensus = hb_consensus_begin(comm);
  hb_consensus_sum(&consensus, 1, &value);
  fault = (struct fault){0, first, entries, factor, instead, 0};
  hb_consensus_sum(&consensus, 1, &value);
  fault.sum = -1;
  CHECK(check, !consensus.parted);
  hb_consensus_sum(&consensus, 1, &value);
  if (!consensus.parted) hb_consensus_sum(&consensus, 1, &value);
  CHECK(check, consensus.parted);
  CHECK_FAILS(check, hb_consensus_end(&consensus, 7), HB_MACHINE_FAILED, "iteration 7");
}

/* A solve, as the fault has it; the iterations it would take. */
static enum hb_status solve(struct hb_solver *solver, const struct fault *of, int *iterations) {
  const struct hb_cg_request request = {.tolerance = 1e-8};
  fault = *of;
  const enum hb_status status = hb_cg_solve(solver->cg, solver->passes, &request);
  fault.sum = -1;
  *iterations = solver->cg->iterations;
  return status;
}

static void check_solves(struct hb_check *check, const struct hb_comm *comm) {
  struct hb_options options;
  struct hb_timers timers = {.started = 0.0};
  struct hb_plan *plan = NULL;
  struct hb_solver *solver = NULL;
  int clean = 0, iterations = 0;
  hb_options_defaults(&options);
  options.degree = 3;
  options.nx = comm->size;
  CHECK_OK(check, solver_case_create(comm, &options, &timers, &plan, &solver));
  if (solver == NULL) return;
  CHECK_OK(check, solve(solver, &(struct fault){.sum = -1}, &clean));
  CHECK_EQUAL(check, solver->cg->end, HB_CG_CONVERGED);
  /* One entry by a little; to NaN, to nothing, which would make the rank stop at once; a value and
   * its own copy, as CG has one or two values; what tells differences; all together. */
  const struct fault kinds[] = {
      {0, 0, 1, 1.0 + 1e-12, 0.0, 0}, {0, 0, 1, 0.0, NAN, 0}, {0, 0, 1, 0.0, 0.0, 0},
      {0, 1, 1, 0.0, 9.0, 0},         {0, 2, 1, 0.0, 7.0, 0}, {0, 4, 1, 0.0, 9.0, 0},
      {0, 5, 1, 0.0, 9.0, 0},         {0, 0, 5, 1.1, 0.0, 0}, {0, 0, 9, 1.001, 0.0, 0}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds && comm->size > 1; k++)
    for (int sum = 0; sum < 40; sum += 13) {
      struct fault of = kinds[k];
      of.sum = sum;
      CHECK_FAILS(check, solve(solver, &of, &iterations), HB_MACHINE_FAILED,
                  "the ranks have parted");
      CHECK(check, iterations <= clean);
    }
  CHECK_OK(check, solve(solver, &(struct fault){.sum = -1}, &iterations));
  CHECK_EQUAL(check, iterations, clean); /* and the next one is sound */
  solver_case_destroy(&plan, &solver);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  MPI_Init(&argc, &argv);
  alarm(SECONDS_AT_MOST); /* ranks that wait for others are a failure */
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  check_sums(&check, comm);
  for (int first = 0; first < 6 && comm->size > 1; first++) { /* value, seen, halves, keys */
    check_altered_sum(&check, comm, first, 1, 0.0, NAN);
    check_altered_sum(&check, comm, first, 1, 0.0, -3.5);
    check_altered_sum(&check, comm, 0, first + 1, 1.0 + 1e-9, 0.0);
  }
  check_solves(&check, comm);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
