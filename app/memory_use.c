/* SPDX-License-Identifier: BSD-3-Clause
 * Peaks of memory, rank by rank. */
#include "app/memory_use.h"

#include <stdio.h>

#include "kernels/device.h"

/* VmHWM of /proc/self/status. */
static hb_global resident_peak(void) {
  char line[256];
  long long kilobytes = -1;
  FILE *file = fopen("/proc/self/status", "r");
  if (file == NULL) return -1;
  while (kilobytes < 0 && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "VmHWM: %lld kB", &kilobytes) != 1) kilobytes = -1;
  fclose(file);
  return kilobytes < 0 ? -1 : 1024 * (hb_global)kilobytes;
}

enum hb_status hb_memory_uses_measure(const struct hb_comm *comm, struct hb_memory_uses *uses) {
  enum hb_status status = HB_OK;
  const struct hb_memory_peaks mine = {.resident = resident_peak(),
                                       .allocated = hb_memory_use().peak_bytes,
                                       .device = hb_device_memory_use().peak_bytes};
  hb_free(uses->peaks);
  uses->peaks = NULL;
  uses->count = comm->rank == 0 ? comm->size : 0;
  HB_ALLOC(uses->peaks, uses->count, "peaks of memory");
done:
  status = hb_comm_agree(comm, status);
  if (status == HB_OK)
    MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, uses->peaks, (int)sizeof mine, MPI_BYTE, 0,
               comm->mpi);
  return status;
}

void hb_memory_uses_destroy(struct hb_memory_uses *uses) {
  hb_entries_destroy(&uses->host);
  hb_entries_destroy(&uses->device);
  hb_free(uses->peaks);
  *uses = (struct hb_memory_uses){.count = 0};
}
