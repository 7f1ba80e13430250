/* SPDX-License-Identifier: BSD-3-Clause
 * Binding of ranks to GPUs. */
#include "app/device_binding.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *hb_device_visible_name(int variable) {
  static const char *const names[HB_NUM_VISIBLE] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                                    "HIP_VISIBLE_DEVICES"};
  return names[variable];
}

/* Node and host, the number of devices seen, and the variables that may limit them. */
static void describe_process(const struct hb_comm *comm, struct hb_device_record *record) {
  memset(record, 0, sizeof *record);
  record->node = comm->node_number;
  if (gethostname(record->host, sizeof record->host - 1) != 0) record->host[0] = '\0';
  for (int v = 0; v < HB_NUM_VISIBLE; v++) {
    const char *value = getenv(hb_device_visible_name(v));
    snprintf(record->visible[v], sizeof record->visible[v], "%s", value != NULL ? value : "");
  }
  record->count = hb_device_count();
}

/* " (NAME=VALUE NAME=VALUE)" of the variables that are set. */
static void list_visible(const struct hb_device_record *record, size_t size, char *text) {
  size_t used = 0;
  text[0] = '\0';
  for (int v = 0; v < HB_NUM_VISIBLE && used < size; v++)
    if (record->visible[v][0] != '\0')
      used += (size_t)snprintf(text + used, size - used, "%s%s=%s", used == 0 ? " (" : " ",
                               hb_device_visible_name(v), record->visible[v]);
  if (used > 0 && used < size) snprintf(text + used, size - used, ")");
}

static enum hb_status open_device(const struct hb_comm *comm, bool synchronise,
                                  struct hb_device_record *record, struct hb_device **device) {
  enum hb_status status = HB_OK;
  struct hb_device_info info;
  char visible[512];
  if (record->count == 0) {
    list_visible(record, sizeof visible, visible);
    HB_FAIL(HB_MACHINE_FAILED,
            "no GPU is visible to rank %d on %s%s; this program is built for %s GPUs; "
            "--backend host solves on the host",
            comm->rank, record->host, visible, hb_device_platform());
  }
  record->index = comm->node_rank % record->count;
  HB_TRY(hb_device_open(record->index, synchronise, device));
  HB_TRY(hb_device_info(*device, &info));
  memcpy(record->name, info.name, sizeof record->name);
  memcpy(record->architecture, info.architecture, sizeof record->architecture);
  memcpy(record->pci_bus_id, info.pci_bus_id, sizeof record->pci_bus_id);
  record->memory_bytes = info.memory_bytes;
  record->interpreted = info.interpreted;
done:
  return status;
}

/* On failure *binding is NULL. */
static enum hb_status allocate_binding(const struct hb_comm *comm,
                                       struct hb_device_binding **binding) {
  enum hb_status status = HB_OK;
  struct hb_device_binding *created = NULL;
  *binding = NULL;
  HB_ALLOC(created, 1, "device binding");
  memset(created, 0, sizeof *created);
  created->num_ranks = comm->size;
  *binding = created;
  HB_ALLOC(created->records, comm->size, "device binding");
done:
  if (status != HB_OK) hb_device_binding_destroy(binding);
  return status;
}

static void share_records(const struct hb_comm *comm, const struct hb_device_record *own,
                          struct hb_device_binding *binding) {
  MPI_Allgather(own, (int)sizeof *own, MPI_BYTE, binding->records, (int)sizeof *own, MPI_BYTE,
                comm->mpi);
}

enum hb_status hb_device_binding_assume(const struct hb_comm *comm,
                                        struct hb_device_binding **binding) {
  enum hb_status status = HB_OK;
  struct hb_device_record own;
  const char *built = hb_device_architectures();
  const bool nvidia = strcmp(hb_device_platform(), "nvidia") == 0;
  HB_TRY(hb_comm_agree(comm, allocate_binding(comm, binding)));
  describe_process(comm, &own);
  snprintf(own.name, sizeof own.name, "no GPU seen");
  snprintf(own.architecture, sizeof own.architecture, "%s%.*s", nvidia ? "sm_" : "",
           (int)strcspn(built, " "), built);
  share_records(comm, &own, *binding);
done:
  if (status != HB_OK) hb_device_binding_destroy(binding);
  return status;
}

enum hb_status hb_device_binding_create(const struct hb_comm *comm, bool synchronise,
                                        bool oversubscribe, struct hb_device_binding **binding) {
  enum hb_status status = HB_OK;
  struct hb_device_binding *created = NULL;
  struct hb_device_record own;
  *binding = NULL;
  describe_process(comm, &own);
  status = allocate_binding(comm, &created);
  if (status == HB_OK) status = open_device(comm, synchronise, &own, &created->device);
  HB_TRY(hb_comm_agree(comm, status));
  share_records(comm, &own, created);
  if (comm->rank == 0 && !oversubscribe) hb_device_binding_print_shared(stderr, created);
done:
  if (status != HB_OK) hb_device_binding_destroy(&created);
  *binding = created;
  return status;
}

void hb_device_binding_destroy(struct hb_device_binding **binding) {
  if (*binding == NULL) return;
  hb_device_close(&(*binding)->device);
  hb_free((*binding)->records);
  hb_free(*binding);
  *binding = NULL;
}

/* By node, then by device. */
static int compare_devices(const struct hb_device_record *a, const struct hb_device_record *b) {
  const int nodes = (a->node > b->node) - (a->node < b->node);
  return nodes != 0 ? nodes : strcmp(a->pci_bus_id, b->pci_bus_id);
}

/* Then by rank: pointers into one array. */
static int compare_pointers(const void *a, const void *b) {
  const struct hb_device_record *const *first = a, *const *second = b;
  const int devices = compare_devices(*first, *second);
  return devices != 0 ? devices : (*first > *second) - (*first < *second);
}

bool hb_device_binding_same(const struct hb_device_binding *binding, int rank, int other) {
  return compare_devices(&binding->records[rank], &binding->records[other]) == 0;
}

int hb_device_binding_ranks_sharing(const struct hb_device_binding *binding, int rank) {
  int sharing = 0;
  for (int r = 0; r < binding->num_ranks; r++)
    if (hb_device_binding_same(binding, r, rank)) sharing++;
  return sharing;
}

void hb_device_binding_print_shared(FILE *stream, const struct hb_device_binding *binding) {
  const int ranks = binding->num_ranks;
  const struct hb_device_record **sorted = hb_allocate(ranks, sizeof *sorted, "device binding");
  if (sorted == NULL) { /* only a warning is lost */
    hb_error_clear();
    return;
  }
  for (int r = 0; r < ranks; r++) sorted[r] = &binding->records[r];
  qsort(sorted, (size_t)ranks, sizeof *sorted, compare_pointers);
  for (int begin = 0, end = 0; begin < ranks; begin = end) {
    while (end < ranks && compare_devices(sorted[begin], sorted[end]) == 0) end++;
    if (end - begin == 1) continue;
    fprintf(stream, "helmbone: warning: ranks");
    for (int r = begin; r < end; r++) fprintf(stream, " %d", (int)(sorted[r] - binding->records));
    fprintf(stream, " share device %s of %s; --oversubscribe silences this\n",
            sorted[begin]->pci_bus_id, sorted[begin]->host);
  }
  hb_free(sorted);
}

void hb_device_binding_print(FILE *stream, const struct hb_device_binding *binding) {
  hb_device_binding_print_first(stream, binding, binding->num_ranks);
}

void hb_device_binding_print_first(FILE *stream, const struct hb_device_binding *binding,
                                   int most) {
  const int count = most < binding->num_ranks ? most : binding->num_ranks;
  for (int r = 0; r < count; r++) {
    const struct hb_device_record *record = &binding->records[r];
    char visible[512];
    list_visible(record, sizeof visible, visible);
    if (hb_device_binding_is_assumed(binding)) {
      fprintf(stream, "device of rank %d: %s, no GPU seen, planned for %s%s\n", r, record->host,
              record->architecture, visible);
      continue;
    }
    fprintf(stream, "device of rank %d: %s, device %d of %d, %s, %s, %s, %.1f GB%s\n", r,
            record->host, record->index, record->count, record->name, record->architecture,
            record->pci_bus_id, 1e-9 * (double)record->memory_bytes, visible);
  }
  if (count < binding->num_ranks)
    fprintf(stream, "devices of %d more ranks: --verbose lists them\n", binding->num_ranks - count);
}
