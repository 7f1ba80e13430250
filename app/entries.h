/* SPDX-License-Identifier: BSD-3-Clause
 * A list of arrays with their bytes, as the report prints it. */
#ifndef HB_APP_ENTRIES_H
#define HB_APP_ENTRIES_H

#include "kernels/base.h"

struct hb_entry {
  const char *name; /* borrowed: a literal */
  double bytes;
};

struct hb_entries {
  struct hb_entry *entry; /* owned [count] */
  int count, capacity;
  double total;
  enum hb_status status; /* HB_MACHINE_FAILED: entries are missing for want of memory */
};

/* Appends an entry; begins with a list of zeros.  A failure stays in the list's status. */
void hb_entries_add(struct hb_entries *entries, const char *name, double bytes);
/* Empties the list. */
void hb_entries_destroy(struct hb_entries *entries);

#endif
