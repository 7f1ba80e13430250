/* SPDX-License-Identifier: BSD-3-Clause
 * Ranks get the devices of their node in turn, know each other's, and see which are shared. */
#include <string.h>

#include "app/device_binding.h"
#include "tests/check.h"

enum { TEXT_BYTES = 8192 };

/* What a printing function prints. */
static void print_to(void (*print)(FILE *, const struct hb_device_binding *),
                     const struct hb_device_binding *binding, char *text) {
  FILE *file = tmpfile();
  size_t length = 0;
  if (file != NULL) {
    print(file, binding);
    rewind(file);
    length = fread(text, 1, TEXT_BYTES - 1, file);
    fclose(file);
  }
  text[length] = '\0';
}

static void check_records(struct hb_check *check, const struct hb_comm *comm,
                          const struct hb_device_binding *binding) {
  const struct hb_device_record *own = &binding->records[comm->rank];
  struct hb_device_info info;
  const int count = hb_device_count();
  CHECK_OK(check, hb_device_info(binding->device, &info));
  CHECK_EQUAL(check, binding->num_ranks, comm->size);
  CHECK_EQUAL(check, own->node, comm->node_number);
  CHECK_EQUAL(check, own->count, count);
  CHECK_EQUAL(check, own->index, comm->node_rank % count);
  CHECK(check, strcmp(own->name, info.name) == 0);
  CHECK(check, strcmp(own->architecture, info.architecture) == 0);
  CHECK(check, strcmp(own->pci_bus_id, info.pci_bus_id) == 0);
  CHECK_EQUAL(check, own->memory_bytes, info.memory_bytes);
  for (int r = 0; r < comm->size; r++) {
    CHECK(check, strlen(binding->records[r].host) > 0);
    CHECK(check, strlen(binding->records[r].pci_bus_id) > 0);
  }
}

/* On one node: rank r has device r modulo count, so ranks share in a known pattern. */
static void check_sharing(struct hb_check *check, const struct hb_comm *comm,
                          const struct hb_device_binding *binding) {
  char text[TEXT_BYTES];
  const int count = hb_device_count();
  if (comm->node_size != comm->size) return;
  for (int r = 0; r < comm->size; r++) {
    int expected = 0;
    for (int other = 0; other < comm->size; other++) expected += other % count == r % count;
    CHECK_EQUAL(check, hb_device_binding_ranks_sharing(binding, r), expected);
  }
  print_to(hb_device_binding_print_shared, binding, text);
  if (comm->size <= count) {
    CHECK_EQUAL(check, strlen(text), 0);
  } else {
    CHECK(check, strstr(text, "ranks 0 ") != NULL);
    CHECK(check, strstr(text, binding->records[0].pci_bus_id) != NULL);
    CHECK(check, strstr(text, "--oversubscribe") != NULL);
  }
  print_to(hb_device_binding_print, binding, text);
  CHECK(check, strncmp(text, "device of rank 0: ", 18) == 0);
  CHECK(check, strstr(text, binding->records[comm->size - 1].architecture) != NULL);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  struct hb_device_binding *binding = NULL;
  int code = HB_CHECK_SKIPPED;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  if (hb_comm_sum_global(comm, hb_device_count() == 0) > 0) {
    CHECK_FAILS(&check, hb_device_binding_create(comm, false, false, &binding), HB_MACHINE_FAILED,
                "--backend host");
    if (comm->rank == 0) printf("skipped: no device\n");
  } else {
    CHECK_OK(&check, hb_device_binding_create(comm, true, true, &binding));
    if (binding != NULL) {
      check_records(&check, comm, binding);
      check_sharing(&check, comm, binding);
    }
    hb_device_binding_destroy(&binding);
    code = EXIT_SUCCESS;
  }
  CHECK_EQUAL(&check, hb_device_memory_use().live_allocations, 0);
  hb_comm_destroy(&comm);
  if (hb_check_finish(&check) != EXIT_SUCCESS) code = EXIT_FAILURE;
  MPI_Finalize();
  return code;
}
