/* SPDX-License-Identifier: BSD-3-Clause
 * Places of ranks, as the system says them. */
#include "app/placement.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NUMA_NODES = 256 };

void hb_list_words(const bool *set, int count, size_t size, char *words) {
  size_t used = 0;
  words[0] = '\0';
  for (int first = 0; first < count; first++) {
    char range[32];
    int last = first;
    if (!set[first]) continue;
    while (last + 1 < count && set[last + 1]) last++;
    if (last > first)
      snprintf(range, sizeof range, "%s%d-%d", used > 0 ? "," : "", first, last);
    else
      snprintf(range, sizeof range, "%s%d", used > 0 ? "," : "", first);
    if (used + strlen(range) + sizeof ",..." > size) {
      snprintf(words + used, size - used, "%s...", used > 0 ? "," : "");
      return;
    }
    used += (size_t)snprintf(words + used, size - used, "%s", range);
    first = last;
  }
}

/* The file's first line; false if it cannot be read. */
static bool read_line(const char *path, size_t size, char *line) {
  FILE *file = fopen(path, "r");
  line[0] = '\0';
  if (file == NULL) return false;
  const bool read = fgets(line, (int)size, file) != NULL;
  fclose(file);
  line[strcspn(line, "\n")] = '\0';
  return read && line[0] != '\0';
}

/* set [count] of "0-3,8". */
static void read_list(const char *text, bool *set, int count) {
  memset(set, 0, (size_t)count * sizeof *set);
  while (isdigit((unsigned char)*text)) {
    char *end = NULL;
    const long first = strtol(text, &end, 10);
    const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
    for (long i = first; i >= 0 && i <= last && i < count; i++) set[i] = true;
    text = *end == ',' ? end + 1 : end;
  }
}

/* The first hardware thread of the processor's core. */
static int core_of(const char *root, int processor) {
  char path[PATH_MAX], line[256];
  snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", root,
           processor);
  if (!read_line(path, sizeof line, line) || !isdigit((unsigned char)line[0])) return processor;
  const int first = atoi(line);
  return first < HB_MAX_PROCESSORS ? first : processor;
}

static void read_cores(const char *root, const bool *allowed, struct hb_place *place) {
  place->num_processors = place->num_cores = 0;
  memset(place->cores, 0, sizeof place->cores);
  for (int p = 0; p < HB_MAX_PROCESSORS; p++) {
    if (!allowed[p]) continue;
    const int core = core_of(root, p);
    const uint64_t bit = (uint64_t)1 << (core % 64);
    place->num_processors++;
    if ((place->cores[core / 64] & bit) == 0) place->num_cores++;
    place->cores[core / 64] |= bit;
  }
}

/* Entry `to` of a node's list of distances; 0: unknown. */
static int distance_of(const char *root, int from, int to) {
  char path[PATH_MAX], line[2048];
  snprintf(path, sizeof path, "%s/sys/devices/system/node/node%d/distance", root, from);
  if (!read_line(path, sizeof line, line)) return 0;
  char *next = line;
  long distance = 0;
  for (int node = 0; node <= to; node++) {
    char *end = NULL;
    distance = strtol(next, &end, 10);
    if (end == next) return 0;
    next = end;
  }
  return distance > 0 && distance < INT_MAX ? (int)distance : 0;
}

/* The NUMA nodes of the processors, and the way from the nearest of them to the GPU's. */
static void read_numa(const char *root, const bool *allowed, struct hb_place *place) {
  char path[PATH_MAX], line[2048];
  bool nodes[MOST_NUMA_NODES] = {false}, processors[HB_MAX_PROCESSORS];
  for (int node = 0; node < MOST_NUMA_NODES; node++) {
    snprintf(path, sizeof path, "%s/sys/devices/system/node/node%d/cpulist", root, node);
    if (!read_line(path, sizeof line, line)) continue;
    read_list(line, processors, HB_MAX_PROCESSORS);
    for (int p = 0; p < HB_MAX_PROCESSORS; p++) nodes[node] |= processors[p] && allowed[p];
  }
  hb_list_words(nodes, MOST_NUMA_NODES, sizeof place->numa_nodes, place->numa_nodes);
  place->distance = place->near = 0;
  if (place->device_numa < 0) return;
  place->near = distance_of(root, place->device_numa, place->device_numa);
  for (int node = 0; node < MOST_NUMA_NODES; node++) {
    const int distance = nodes[node] ? distance_of(root, node, place->device_numa) : 0;
    if (distance > 0 && (place->distance == 0 || distance < place->distance))
      place->distance = distance;
  }
}

static void read_device(const char *root, struct hb_place *place) {
  char path[PATH_MAX], line[64], bus[sizeof place->pci_bus_id];
  place->device_numa = -1;
  if (place->pci_bus_id[0] == '\0') return;
  snprintf(bus, sizeof bus, "%s", place->pci_bus_id);
  for (char *c = bus; *c != '\0'; c++) *c = (char)tolower((unsigned char)*c);
  snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s/numa_node", root, bus);
  if (read_line(path, sizeof line, line)) place->device_numa = atoi(line); /* -1: it has none */
}

/* What a launcher was asked for, processors a rank: Slurm's -c, PALS's --depth. */
static int processors_asked(void) {
  static const char *const variables[] = {"SLURM_CPUS_PER_TASK", "PALS_DEPTH"};
  for (size_t v = 0; v < sizeof variables / sizeof *variables; v++) {
    const char *value = getenv(variables[v]);
    const long asked = value != NULL ? strtol(value, NULL, 10) : 0;
    if (asked > 0 && asked < HB_MAX_PROCESSORS) return (int)asked;
  }
  return 0;
}

void hb_place_read(const char *root, const bool *allowed, struct hb_place *place) {
  hb_list_words(allowed, HB_MAX_PROCESSORS, sizeof place->processors, place->processors);
  place->asked = processors_asked();
  read_cores(root, allowed, place);
  read_device(root, place);
  read_numa(root, allowed, place);
}

enum hb_status hb_placement_gather(const struct hb_backend *backend,
                                   struct hb_placement *placement) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = backend->comm;
  struct hb_place *mine = &placement->mine;
  bool *allowed = NULL;
  memset(placement, 0, sizeof *placement);
  placement->count = comm->rank == 0 ? comm->size : 0;
  HB_ALLOC(placement->place, placement->count, "places of ranks");
  HB_ALLOC(allowed, HB_MAX_PROCESSORS, "processors of this rank");
  mine->node = comm->node_number;
  if (gethostname(mine->host, sizeof mine->host - 1) != 0) snprintf(mine->host, 8, "unknown");
  if (hb_backend_on_gpu(backend) && !hb_backend_is_assumed(backend)) {
    const struct hb_device_record *record = &backend->binding->records[comm->rank];
    snprintf(mine->device, sizeof mine->device, "%s", record->name);
    snprintf(mine->pci_bus_id, sizeof mine->pci_bus_id, "%s", record->pci_bus_id);
  }
  hb_threads_processors(allowed);
  hb_place_read("", allowed, mine);
done:
  status = hb_comm_agree(comm, status);
  if (status == HB_OK)
    MPI_Gather(mine, (int)sizeof *mine, MPI_BYTE, placement->place, (int)sizeof *mine, MPI_BYTE, 0,
               comm->mpi);
  else
    hb_placement_destroy(placement);
  hb_free(allowed);
  return status;
}

void hb_placement_destroy(struct hb_placement *placement) {
  hb_free(placement->place);
  placement->place = NULL;
  placement->count = 0;
}
