/* SPDX-License-Identifier: BSD-3-Clause
 * Where the ranks run: processors, cores, NUMA nodes, and how far these are from their GPUs; and
 * what of it is a mistake of the launch. */
#ifndef HB_APP_PLACEMENT_H
#define HB_APP_PLACEMENT_H

#include "app/backend.h"
#include "kernels/threads.h"

enum {
  HB_PLACE_HOST_BYTES = 64,
  HB_PLACE_LIST_BYTES = 64,
  HB_PLACE_WORDS = HB_MAX_PROCESSORS / 64
};

/* One rank's. */
struct hb_place {
  char host[HB_PLACE_HOST_BYTES];
  int node; /* node_number of the communicator */
  /* "0-7,64-71": where it may run, and the NUMA nodes of that; "" if the system does not say; a
   * list that is too long ends in "...". */
  char processors[HB_PLACE_LIST_BYTES], numa_nodes[HB_PLACE_LIST_BYTES];
  int num_processors, num_cores; /* hardware threads, and the cores that they belong to */
  int asked;                     /* processors a rank that the launcher was asked for; 0: unknown */
  uint64_t cores[HB_PLACE_WORDS];   /* bit c: core c, numbered by its first processor */
  char device[128], pci_bus_id[32]; /* "" on the host */
  int device_numa;                  /* NUMA node of the GPU; -1: unknown */
  int distance, near;               /* to it from the nearest of the rank's NUMA nodes, and from
                                     * itself, as the system counts; 0: unknown */
};

/* Not collective.  Reads what the system says under `root` ("" for the system's own; tests have
 * others) of a process that may run on allowed [HB_MAX_PROCESSORS].  Host, node, device and
 * pci_bus_id of the place are the caller's; the environment says what was asked for. */
void hb_place_read(const char *root, const bool *allowed, struct hb_place *place);

struct hb_placement {
  struct hb_place mine;
  int count;              /* of ranks; 0 but on rank 0 */
  struct hb_place *place; /* owned [count] */
};

/* Collective.  This rank's place, and those of all ranks on rank 0. */
enum hb_status hb_placement_gather(const struct hb_backend *backend,
                                   struct hb_placement *placement);
void hb_placement_destroy(struct hb_placement *placement);

/* Tells of every mistake of the launch in a sentence: ranks that share a core, that have fewer
 * processors than were asked for, that are far from their GPU; of each kind the first ones, and how
 * many more there are. */
typedef void hb_tell(void *context, const char *words);
enum hb_status hb_placement_judge(const struct hb_placement *placement, hb_tell *tell,
                                  void *context);

/* "0-3,8" of the set bits among `count`; cut with "..." where it does not fit. */
void hb_list_words(const bool *set, int count, size_t size, char *words);

#endif
