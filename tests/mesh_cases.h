/* SPDX-License-Identifier: BSD-3-Clause
 * Boxes that the tests of mesh and solver go through, and what tests on several ranks share. */
#ifndef HB_TESTS_MESH_CASES_H
#define HB_TESTS_MESH_CASES_H

#include "kernels/random.h"
#include "mesh/mesh.h"
#include "tests/check.h"

enum { NUM_BOUNDARY_CASES = 27, NUM_SIZE_CASES = 17 };
enum { NUM_MESH_CASES = NUM_BOUNDARY_CASES + NUM_SIZE_CASES };

/* Boundary types of the three axes, 0 <= combination < 27. */
static inline void mesh_case_boundaries(int combination, enum hb_boundary boundary[3]) {
  boundary[0] = (enum hb_boundary)(combination % 3);
  boundary[1] = (enum hb_boundary)(combination / 3 % 3);
  boundary[2] = (enum hb_boundary)(combination / 9);
}

/* Box `index` of the list: every combination of boundary types; single elements; periodic axes of
 * one and two elements (a point meets itself; two ranks are neighbours on both sides); primes and
 * splits that leave ranks different counts. */
static inline struct hb_box mesh_case(int index) {
  static const struct {
    int degree, elements[3], combination; /* 0 dirichlet, 1 neumann, 2 periodic: x + 3 y + 9 z */
  } sizes[NUM_SIZE_CASES] = {
      {1, {1, 1, 1}, 9},  {1, {1, 1, 1}, 26}, {2, {1, 1, 1}, 26}, {4, {1, 1, 1}, 7},
      {7, {1, 1, 1}, 13}, {1, {1, 4, 3}, 5},  {3, {1, 3, 2}, 17}, {1, {3, 1, 1}, 24},
      {3, {2, 1, 1}, 26}, {1, {2, 2, 2}, 26}, {2, {5, 7, 3}, 15}, {1, {11, 1, 2}, 11},
      {4, {3, 3, 3}, 26}, {7, {3, 2, 2}, 19}, {2, {9, 3, 1}, 0},  {4, {5, 2, 1}, 14},
      {1, {3, 5, 7}, 10},
  };
  struct hb_box box = {.degree = 2, .elements = {5, 4, 3}, .length = {1.0, 0.7, 1.3}};
  int combination = index;
  if (index >= NUM_BOUNDARY_CASES) {
    combination = sizes[index - NUM_BOUNDARY_CASES].combination;
    box.degree = sizes[index - NUM_BOUNDARY_CASES].degree;
    for (int a = 0; a < 3; a++) box.elements[a] = sizes[index - NUM_BOUNDARY_CASES].elements[a];
  }
  mesh_case_boundaries(combination, box.boundary);
  return box;
}

/* Collective.  The box on the ranks of comm, as the partition chooses. */
static inline enum hb_status mesh_create(const struct hb_comm *comm, const struct hb_box *box,
                                         int lanes, struct hb_mesh **mesh) {
  static const int free_grid[3] = {0, 0, 0};
  enum hb_status status = HB_OK;
  struct hb_partition partition;
  *mesh = NULL;
  HB_TRY(hb_partition_create(box, comm->size, comm->rank, free_grid, &partition));
done:
  status = hb_comm_agree(comm, status);
  return status == HB_OK ? hb_mesh_create(comm, box, &partition, lanes, mesh) : status;
}

/* Global id of every point of the rank, [num_points]; the caller frees it. */
static inline hb_global *mesh_global_ids(const struct hb_mesh *mesh) {
  const hb_local *size = mesh->numbering->lattice_size, *number = mesh->numbering->lattice;
  hb_global *ids = hb_allocate(mesh->numbering->num_points, sizeof *ids, "global ids");
  hb_local c[3];
  for (c[2] = 0; c[2] < size[2]; c[2]++)
    for (c[1] = 0; c[1] < size[1]; c[1]++)
      for (c[0] = 0; c[0] < size[0]; c[0]++)
        ids[*number++] = hb_numbering_global_id(&mesh->box, &mesh->partition, c);
  return ids;
}

/* Collective.  Ends MPI; the sum over ranks decides, so that all return the same exit code. */
static inline int mesh_finish(struct hb_check *check) {
  int rank;
  CHECK_EQUAL(check, hb_memory_use().live_allocations, 0);
  long total[2] = {check->done, check->failed}, least = check->done;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(MPI_IN_PLACE, total, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) printf("checks: %ld, failed: %ld\n", total[0], total[1]);
  MPI_Finalize();
  return total[1] == 0 && least > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
