/* SPDX-License-Identifier: BSD-3-Clause
 * The error record and the counting allocator. */
#include "kernels/base.h"

#ifdef __linux__
#include <malloc.h>
#endif
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MESSAGE_BYTES = 2048, LOCATION_BYTES = 256, HEADER_BYTES = 64 };
static const size_t HUGE_PAGE_BYTES = (size_t)1 << 21;

static struct {
  char message[MESSAGE_BYTES];
  char location[LOCATION_BYTES];
  bool remark; /* no failure has claimed the record */
} error_record;

static struct hb_memory_use memory_use;

/* Of both: threads (threads.h) may fail and allocate, too. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void keep_message(const char *file, int line, const char *format, va_list arguments) {
  vsnprintf(error_record.message, MESSAGE_BYTES, format, arguments);
  snprintf(error_record.location, LOCATION_BYTES, "%s:%d", file, line);
}

enum hb_status hb_error_record(enum hb_status status, const char *file, int line,
                               const char *format, ...) {
  pthread_mutex_lock(&lock);
  if (error_record.message[0] == '\0' || error_record.remark) {
    va_list arguments;
    va_start(arguments, format);
    keep_message(file, line, format, arguments);
    va_end(arguments);
    error_record.remark = false;
  }
  pthread_mutex_unlock(&lock);
  return status;
}

void hb_error_remark(const char *file, int line, const char *format, ...) {
  if (error_record.message[0] != '\0') return;
  va_list arguments;
  va_start(arguments, format);
  keep_message(file, line, format, arguments);
  va_end(arguments);
  error_record.remark = true;
}

enum hb_status hb_error_adopt(enum hb_status status, const char *message, const char *location) {
  snprintf(error_record.message, MESSAGE_BYTES, "%s", message);
  snprintf(error_record.location, LOCATION_BYTES, "%s", location);
  error_record.remark = false;
  return status;
}

const char *hb_error_message(void) { return error_record.message; }

const char *hb_error_location(void) { return error_record.location; }

void hb_error_print(const char *who) {
#ifdef NDEBUG
  fprintf(stderr, "%s: %s\n", who, error_record.message);
#else
  fprintf(stderr, "%s: %s [%s]\n", who, error_record.message, error_record.location);
#endif
}

void hb_error_clear(void) {
  error_record.message[0] = '\0';
  error_record.location[0] = '\0';
  error_record.remark = false;
}

void hb_assertion_failed(const char *condition, const char *file, int line) {
  fprintf(stderr, "helmbone: bug: %s:%d: assertion failed: %s\n", file, line, condition);
  abort();
}

bool hb_multiply(hb_global a, hb_global b, hb_global *product) {
  return !__builtin_mul_overflow(a, b, product);
}

static void count_allocation(hb_global bytes) {
  pthread_mutex_lock(&lock);
  memory_use.live_allocations += bytes > 0 ? 1 : -1;
  memory_use.live_bytes += bytes;
  if (memory_use.live_bytes > memory_use.peak_bytes) memory_use.peak_bytes = memory_use.live_bytes;
  pthread_mutex_unlock(&lock);
}

void *hb_allocate(hb_global count, size_t size, const char *what) {
  hb_global bytes = 0;
  char *base = NULL;
  if (count < 0 || size > (size_t)HB_GLOBAL_MAX || !hb_multiply(count, (hb_global)size, &bytes) ||
      bytes > HB_GLOBAL_MAX - (hb_global)(2 * HUGE_PAGE_BYTES)) {
    hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__,
                    "%s: %lld items of %zu bytes are more than can be addressed", what,
                    (long long)count, size);
    return NULL;
  }
  const bool large = bytes >= (hb_global)(2 * HUGE_PAGE_BYTES);
  const size_t alignment = large ? HUGE_PAGE_BYTES : HEADER_BYTES;
  const size_t total = ((size_t)bytes + HEADER_BYTES + alignment - 1) / alignment * alignment;
  base = aligned_alloc(alignment, total);
  if (base == NULL) {
    hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__, "%s: %.3f GB needed, %.3f GB available",
                    what, 1e-9 * (double)bytes, 1e-9 * (double)hb_memory_available());
    return NULL;
  }
  if (large) madvise(base, total, MADV_HUGEPAGE); /* a refusal costs speed only */
#ifndef NDEBUG
  memset(base, 0xff, total);
#endif
  const hb_global counted = (hb_global)total;
  memcpy(base, &counted, sizeof counted);
  count_allocation(counted);
  return base + HEADER_BYTES;
}

void hb_free(void *pointer) {
  if (pointer == NULL) return;
  char *base = (char *)pointer - HEADER_BYTES;
  hb_global counted = 0;
  memcpy(&counted, base, sizeof counted);
  count_allocation(-counted);
  free(base);
}

void hb_memory_keep(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

struct hb_memory_use hb_memory_use(void) {
  return memory_use;
}

static int compare_values(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double hb_sort_median(hb_global count, double *values) {
  qsort(values, (size_t)count, sizeof *values, compare_values);
  return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}
