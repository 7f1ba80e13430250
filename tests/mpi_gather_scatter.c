/* SPDX-License-Identifier: BSD-3-Clause
 * The exchange of shared points against sums formed from everybody's values, bit by bit. */
#include <string.h>

#include "tests/mesh_cases.h"

/* One box on all ranks, and every rank's values by global point: [rank][point], NaN = has not. */
struct bench {
  struct hb_mesh *mesh;
  enum hb_precision precision;
  hb_global *ids;
  hb_global num_points; /* of the box */
  double *all;          /* owned [rank][global point] */
  void *values;         /* owned [num_points of the rank] */
};

/* Random values that are not whole, so that the order of a sum shows in its last bit. */
static void fill(struct bench *bench, bool ones) {
  const hb_local count = bench->mesh->numbering->num_points;
  const int rank = bench->mesh->comm->rank, size = bench->mesh->comm->size;
  double *mine = bench->all + rank * bench->num_points;
  for (hb_global i = 0; i < size * bench->num_points; i++) bench->all[i] = -INFINITY;
  for (hb_local s = 0; s < count; s++) {
    hb_real_set(bench->precision, bench->values, s, ones ? 1.0 : hb_random_at(bench->ids[s], rank));
    mine[bench->ids[s]] = hb_real_at(bench->precision, bench->values, s);
  }
  MPI_Allreduce(MPI_IN_PLACE, bench->all, (int)(size * bench->num_points), MPI_DOUBLE, MPI_MAX,
                bench->mesh->comm->mpi);
}

/* Terms of a global point in rank order, each addition rounded to the precision. */
static double expected_sum(const struct bench *bench, hb_global id) {
  double sum = 0.0;
  for (int rank = 0; rank < bench->mesh->comm->size; rank++) {
    const double term = bench->all[rank * bench->num_points + id];
    if (term == -INFINITY) continue;
    sum = bench->precision == HB_F64 ? sum + term : (double)((float)sum + (float)term);
  }
  return sum;
}

/* How many ranks have the point. */
static int holders(const struct bench *bench, hb_global id) {
  int count = 0;
  for (int rank = 0; rank < bench->mesh->comm->size; rank++)
    count += bench->all[rank * bench->num_points + id] != -INFINITY;
  return count;
}

static void exchange(const struct bench *bench) {
  hb_gather_scatter_start(bench->mesh->gs, bench->precision, bench->values);
  hb_gather_scatter_finish(bench->mesh->gs, bench->precision, bench->values);
}

/* Ones become the number of ranks that have the point; private points stay as they are. */
static void check_ones(struct hb_check *check, struct bench *bench) {
  fill(bench, true);
  exchange(bench);
  for (hb_local s = 0; s < bench->mesh->numbering->num_points; s++) {
    const double value = hb_real_at(bench->precision, bench->values, s);
    CHECK(check, value == holders(bench, bench->ids[s]));
    CHECK_EQUAL(check, s >= bench->mesh->numbering->num_private, value > 1.0);
  }
}

/* Random sums, bitwise; between start and finish the private entries may be written. */
static void check_sums(struct hb_check *check, struct bench *bench, bool split) {
  const struct hb_numbering *numbering = bench->mesh->numbering;
  fill(bench, false);
  if (split) {
    hb_gather_scatter_start(bench->mesh->gs, bench->precision, bench->values);
    for (hb_local s = 0; s < numbering->num_private; s++)
      hb_real_set(bench->precision, bench->values, s, 3.0);
    hb_gather_scatter_finish(bench->mesh->gs, bench->precision, bench->values);
  } else {
    exchange(bench);
  }
  for (hb_local s = 0; s < numbering->num_points; s++) {
    const double expected =
        split && s < numbering->num_private ? 3.0 : expected_sum(bench, bench->ids[s]);
    CHECK(check, hb_real_at(bench->precision, bench->values, s) == expected);
  }
  CHECK(check,
        hb_gather_scatter_max_difference(bench->mesh->gs, bench->precision, bench->values) == 0.0);
}

/* On copies that are equal the operation multiplies by the number of ranks that have the point. */
static void check_multiplied(struct hb_check *check, struct bench *bench) {
  fill(bench, true);
  for (hb_local s = 0; s < bench->mesh->numbering->num_points; s++)
    hb_real_set(bench->precision, bench->values, s, (double)(bench->ids[s] % 1000));
  exchange(bench);
  for (hb_local s = 0; s < bench->mesh->numbering->num_points; s++)
    CHECK(check, hb_real_at(bench->precision, bench->values, s) ==
                     (double)(bench->ids[s] % 1000) * holders(bench, bench->ids[s]));
}

/* Collective.  A difference planted in one copy, and a NaN, are seen on all ranks. */
static void check_differences(struct hb_check *check, struct bench *bench) {
  const struct hb_mesh *mesh = bench->mesh;
  const struct hb_numbering *numbering = mesh->numbering;
  const hb_local planted = numbering->num_points - 1; /* shared, if the rank shares any */
  const bool shares = numbering->num_points > numbering->num_private;
  for (int rank = 0; rank < mesh->comm->size; rank++) {
    const bool here = rank == mesh->comm->rank && shares;
    const bool anywhere = hb_comm_sum_global(mesh->comm, here) > 0;
    for (hb_local s = 0; s < numbering->num_points; s++)
      hb_real_set(bench->precision, bench->values, s, (double)(bench->ids[s] % 64));
    CHECK(check,
          hb_gather_scatter_max_difference(mesh->gs, bench->precision, bench->values) == 0.0);
    if (here)
      hb_real_set(bench->precision, bench->values, planted,
                  (double)(bench->ids[planted] % 64) - 0.25);
    CHECK(check, hb_gather_scatter_max_difference(mesh->gs, bench->precision, bench->values) ==
                     (anywhere ? 0.25 : 0.0));
    if (here) hb_real_set(bench->precision, bench->values, planted, NAN);
    CHECK_EQUAL(check,
                isnan(hb_gather_scatter_max_difference(mesh->gs, bench->precision, bench->values)),
                anywhere);
  }
}

/* The same sums over and over, whatever the order in which messages come. */
static void check_repeats(struct hb_check *check, struct bench *bench) {
  const size_t bytes = (size_t)bench->mesh->numbering->num_points * sizeof(double);
  double *start = hb_allocate(bench->mesh->numbering->num_points, sizeof *start, "start");
  double *first = hb_allocate(bench->mesh->numbering->num_points, sizeof *first, "first");
  const size_t used =
      (size_t)bench->mesh->numbering->num_points * hb_precision_bytes(bench->precision);
  fill(bench, false);
  memcpy(start, bench->values, used);
  exchange(bench);
  memcpy(first, bench->values, used);
  for (int repeat = 0; repeat < 5; repeat++) {
    memset(bench->values, 0, bytes);
    memcpy(bench->values, start, used);
    exchange(bench);
    CHECK(check, memcmp(bench->values, first, used) == 0);
  }
  hb_free(start);
  hb_free(first);
}

/* Neighbours ascend and are others; both sides of a pair send the same number of bytes. */
static void check_plan(struct hb_check *check, const struct bench *bench) {
  const struct hb_gather_scatter *gs = bench->mesh->gs;
  const struct hb_comm *comm = bench->mesh->comm;
  int *sent = calloc((size_t)comm->size, sizeof *sent);
  int *received = calloc((size_t)comm->size, sizeof *received);
  for (int q = 0; q < gs->num_neighbours; q++) {
    CHECK(check, gs->rank[q] != comm->rank && (q == 0 || gs->rank[q] > gs->rank[q - 1]));
    sent[gs->rank[q]] = gs->start[q + 1] - gs->start[q];
  }
  MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm->mpi);
  for (int rank = 0; rank < comm->size; rank++) CHECK_EQUAL(check, received[rank], sent[rank]);
  CHECK_EQUAL(check, hb_gather_scatter_bytes(gs, HB_F32), 4 * gs->start[gs->num_neighbours]);
  free(sent);
  free(received);
}

/* Collective.  All ranks refuse a box together. */
static bool check_box(struct hb_check *check, const struct hb_comm *comm, int index) {
  const struct hb_box box = mesh_case(index);
  struct bench bench = {.num_points = hb_box_num_points(&box)};
  const enum hb_status status = mesh_create(comm, &box, 1, &bench.mesh);
  CHECK_EQUAL(check, hb_comm_sum_global(comm, status != HB_OK), status != HB_OK ? comm->size : 0);
  if (status != HB_OK) {
    hb_error_clear();
    return false;
  }
  bench.ids = mesh_global_ids(bench.mesh);
  bench.all = hb_allocate(comm->size * bench.num_points, sizeof *bench.all, "all values");
  bench.values = hb_allocate(bench.mesh->numbering->num_points, sizeof(double), "values");
  check_plan(check, &bench);
  for (int p = 0; p < 2; p++) {
    bench.precision = p == 0 ? HB_F64 : HB_F32;
    check_ones(check, &bench);
    check_sums(check, &bench, false);
    check_sums(check, &bench, true);
    check_multiplied(check, &bench);
    if (index % 5 != p) continue; /* these are slow on many ranks */
    check_differences(check, &bench);
    check_repeats(check, &bench);
  }
  hb_free(bench.ids);
  hb_free(bench.all);
  hb_free(bench.values);
  hb_mesh_destroy(&bench.mesh);
  return true;
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  int boxes = 0;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  for (int index = 0; index < NUM_MESH_CASES; index++) boxes += check_box(&check, comm, index);
  CHECK(&check, boxes >= NUM_MESH_CASES / 2);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
