/* SPDX-License-Identifier: BSD-3-Clause
 * Checksums of arrays and attributes. */
#include "io/checksum.h"

#include <string.h>

#include "kernels/random.h"

uint64_t hb_checksum_item(hb_global place, uint64_t v) {
  return hb_random_mix(v + ((uint64_t)place + 1) * HB_RANDOM_STEP);
}

/* One loop a width, so that each is compiled for it. */
#define SUM_OF(type)                                                                               \
  for (hb_global i = 0; i < count; i++) {                                                          \
    type item;                                                                                     \
    memcpy(&item, (const char *)values + i * (hb_global)sizeof item, sizeof item);                 \
    sum += hb_checksum_item(first + i, item);                                                      \
  }

uint64_t hb_checksum(hb_global first, hb_global count, size_t item_bytes, const void *values) {
  uint64_t sum = 0;
  switch (item_bytes) {
  case sizeof(uint64_t): SUM_OF(uint64_t) break;
  case sizeof(uint32_t): SUM_OF(uint32_t) break;
  case sizeof(uint16_t): SUM_OF(uint16_t) break;
  default: SUM_OF(uint8_t) break;
  }
  return sum;
}

uint64_t hb_checksum_words(const char *path, const char *name, const void *value, size_t bytes) {
  const hb_global path_bytes = (hb_global)strlen(path) + 1;
  const hb_global name_bytes = (hb_global)strlen(name) + 1;
  uint64_t sum = hb_checksum(0, path_bytes, 1, path);
  sum += hb_checksum(path_bytes, name_bytes, 1, name);
  sum += hb_checksum(path_bytes + name_bytes, (hb_global)bytes, 1, value);
  return hb_random_mix(sum);
}
