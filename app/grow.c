/* SPDX-License-Identifier: BSD-3-Clause
 * Growth of arrays, by doubling. */
#include "app/grow.h"

#include <limits.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

void *hb_grown(void *array, int count, int *capacity, size_t size, const char *what) {
  if (count < *capacity) return array;
  if (*capacity > INT_MAX / 2) {
    hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__, "%s: too many", what);
    return NULL;
  }
  const int larger = *capacity > 0 ? 2 * *capacity : FIRST_CAPACITY;
  void *copy = hb_allocate(larger, size, what);
  if (copy == NULL) return NULL;
  if (count > 0) memcpy(copy, array, (size_t)count * size);
  hb_free(array);
  *capacity = larger;
  return copy;
}
