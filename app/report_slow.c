/* SPDX-License-Identifier: BSD-3-Clause
 * The ranks that are slow by their own time, named. */
#include "app/report.h"

/* " kernel 1.230 ms (median 1.001)," of one number of a rank. */
static size_t put_slow(char *text, size_t size, bool is, const char *what, const char *unit,
                       double scale, double value, double median) {
  if (!is) return 0;
  return (size_t)snprintf(text, size, " %s %.3f %s (median %.3f),", what, scale * value, unit,
                          scale * median);
}

void hb_report_slow(const struct hb_own_times *own, const struct hb_placement *placement,
                    hb_tell *tell, void *context) {
  enum { MOST = 8 };
  int found = 0;
  for (int rank = 0; rank < own->count; rank++) {
    const struct hb_rank_speed *speed = &own->rank[rank].speed;
    const struct hb_place *place = &placement->place[rank];
    const struct hb_slow_medians *medians = &own->medians;
    const int slow = own->slow[rank];
    char words[768];
    size_t used = 0;
    if (slow == 0 || ++found > MOST) continue;
    used = (size_t)snprintf(words, sizeof words, "rank %d is slow by its own time:", rank);
    used += put_slow(words + used, sizeof words - used, slow & HB_SLOW_KERNEL, "kernel", "ms", 1e3,
                     speed->kernel_s, medians->kernel_s);
    used += put_slow(words + used, sizeof words - used, slow & HB_SLOW_WORK, "work an iteration",
                     "ms", 1e3, speed->work_s, medians->work_s);
    used += put_slow(words + used, sizeof words - used, slow & HB_SLOW_COPY, "copy", "GB/s", 1e-9,
                     speed->copy_bytes_per_s, medians->copy_bytes_per_s);
    snprintf(words + used, sizeof words - used, " on %s, processors %s%s%s%s%s", place->host,
             place->processors, place->device[0] != '\0' ? ", " : "", place->device,
             place->pci_bus_id[0] != '\0' ? " at " : "", place->pci_bus_id);
    tell(context, words);
  }
  if (found <= MOST) return;
  char more[64];
  snprintf(more, sizeof more, "%d more ranks are slow by their own time", found - MOST);
  tell(context, more);
}
