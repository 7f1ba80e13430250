/* SPDX-License-Identifier: BSD-3-Clause
 * Which rank has which GPU: chosen by the rank's place on its node, known to all ranks. */
#ifndef HB_APP_DEVICE_BINDING_H
#define HB_APP_DEVICE_BINDING_H

#include <stdio.h>

#include "kernels/device.h"
#include "mesh/comm.h"

enum { HB_NUM_VISIBLE = 3 }; /* CUDA_, ROCR_ and HIP_VISIBLE_DEVICES */

/* One rank's device, as all ranks know it. */
struct hb_device_record {
  char host[64], name[128], architecture[64], pci_bus_id[32];
  char visible[HB_NUM_VISIBLE][64]; /* values of the variables; empty: not set */
  int node;                         /* node_number of the communicator: hosts may share a name */
  int index, count;                 /* the device, and how many this rank sees */
  hb_global memory_bytes;
  bool interpreted; /* as in struct hb_device_info */
};

struct hb_device_binding {
  struct hb_device *device;         /* owned; this rank's; NULL: assumed */
  int num_ranks;                    /* of the communicator */
  struct hb_device_record *records; /* owned [num_ranks] */
};

/* Collective.  Opens device (rank of the node) modulo (devices seen): with one device made visible
 * to each rank that is the device 0 of each.  If several ranks have one device, rank 0 warns on
 * standard error, unless `oversubscribe`.  HB_MACHINE_FAILED on all ranks if one rank sees no
 * device or cannot open it. */
enum hb_status hb_device_binding_create(const struct hb_comm *comm, bool synchronise,
                                        bool oversubscribe, struct hb_device_binding **binding);
/* Collective.  For a plan where there is no GPU, as on a login node: no device is opened; every
 * rank has the first architecture that the program is built for. */
enum hb_status hb_device_binding_assume(const struct hb_comm *comm,
                                        struct hb_device_binding **binding);
/* Not collective.  Is it of that kind? */
static inline bool hb_device_binding_is_assumed(const struct hb_device_binding *binding) {
  return binding->device == NULL;
}
/* Not collective.  Closes the device.  Accepts NULL, clears the caller's pointer. */
void hb_device_binding_destroy(struct hb_device_binding **binding);

/* Not collective.  Do two ranks have the same device: one node, one place on its bus? */
bool hb_device_binding_same(const struct hb_device_binding *binding, int rank, int other);

/* Not collective.  Ranks that have the device of `rank`, itself among them. */
int hb_device_binding_ranks_sharing(const struct hb_device_binding *binding, int rank);

/* Not collective.  A line for each device that several ranks have, and nothing if there is none. */
void hb_device_binding_print_shared(FILE *stream, const struct hb_device_binding *binding);

/* Not collective.  The line `device of rank R: ...` for each rank. */
void hb_device_binding_print(FILE *stream, const struct hb_device_binding *binding);
/* The same of the first `most` ranks, and how many more there are. */
void hb_device_binding_print_first(FILE *stream, const struct hb_device_binding *binding, int most);

/* Name of a variable of visible devices. */
const char *hb_device_visible_name(int variable);

#endif
