/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of a run: what the model says, and what each rank has taken at most. */
#ifndef HB_APP_MEMORY_USE_H
#define HB_APP_MEMORY_USE_H

#include "app/entries.h"
#include "mesh/comm.h"

/* One rank's peaks, in bytes. */
struct hb_memory_peaks {
  hb_global resident;          /* of the process, by the system; -1: it does not say */
  hb_global allocated, device; /* asked for by the program: on the host; on a device and pinned */
};

struct hb_memory_uses {
  struct hb_entries host, device; /* the model of rank 0; owned, as the next */
  int count;                      /* of ranks; 0 but on rank 0 */
  struct hb_memory_peaks *peaks;
};

/* Collective.  Up to now; what was measured before is forgotten. */
enum hb_status hb_memory_uses_measure(const struct hb_comm *comm, struct hb_memory_uses *uses);
void hb_memory_uses_destroy(struct hb_memory_uses *uses);

#endif
