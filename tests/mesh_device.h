/* SPDX-License-Identifier: BSD-3-Clause
 * The frame of tests on ranks that each have a device: MPI, binding, skipping, ending. */
#ifndef HB_TESTS_MESH_DEVICE_H
#define HB_TESTS_MESH_DEVICE_H

#include "app/device_binding.h"
#include "tests/mesh_cases.h"

/* Collective.  The checks of a test. */
typedef void mesh_device_checks(struct hb_check *check, const struct hb_comm *comm,
                                struct hb_device *device);

/* Collective.  All of main: runs the checks, unless a rank sees no device; then the test is skipped
 * on all.  Returns the exit code. */
static inline int mesh_device_main(int argc, char **argv, mesh_device_checks *checks) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  struct hb_device_binding *binding = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  if (hb_comm_sum_global(comm, hb_device_count() == 0) > 0) {
    if (comm->rank == 0) printf("skipped: no device\n");
    hb_comm_destroy(&comm);
    MPI_Finalize();
    return HB_CHECK_SKIPPED;
  }
  CHECK_OK(&check, hb_device_binding_create(comm, false, true, &binding));
  if (binding != NULL) checks(&check, comm, binding->device);
  CHECK_EQUAL(&check, hb_device_memory_use().live_allocations, 0);
  hb_device_binding_destroy(&binding);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}

#endif
