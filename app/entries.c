/* SPDX-License-Identifier: BSD-3-Clause
 * Lists of arrays with their bytes. */
#include "app/entries.h"

#include "app/grow.h"

void hb_entries_add(struct hb_entries *entries, const char *name, double bytes) {
  struct hb_entry *entry = hb_grown(entries->entry, entries->count, &entries->capacity,
                                    sizeof *entry, "lines of a list of bytes");
  if (entry == NULL) {
    entries->status = HB_MACHINE_FAILED;
    return;
  }
  entries->entry = entry;
  entries->entry[entries->count++] = (struct hb_entry){name, bytes};
  entries->total += bytes;
}

void hb_entries_destroy(struct hb_entries *entries) {
  hb_free(entries->entry);
  *entries = (struct hb_entries){.entry = NULL};
}
