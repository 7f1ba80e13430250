/* SPDX-License-Identifier: BSD-3-Clause
 * Assertions of the tests: every check is counted, a failure is printed with its values and makes
 * the program exit with 1; a program without checks fails.  NaN fails every comparison. */
#ifndef HB_TESTS_CHECK_H
#define HB_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base.h"

enum { HB_CHECK_SKIPPED = 77, HB_CHECK_MAX_PRINTED = 10 };

struct hb_check {
  long done, failed;
};

static inline void hb_check_count(struct hb_check *check, int passed) {
  check->done++;
  if (!passed) check->failed++;
}

/* True: print this failure (only the first few are). */
static inline int hb_check_prints(const struct hb_check *check, int passed) {
  return !passed && check->failed <= HB_CHECK_MAX_PRINTED;
}

#define CHECK(check, condition)                                                                    \
  do {                                                                                             \
    const int passed_ = (condition) ? 1 : 0;                                                       \
    hb_check_count((check), passed_);                                                              \
    if (hb_check_prints((check), passed_))                                                         \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                               \
  } while (0)

/* Integers, compared exactly. */
#define CHECK_EQUAL(check, observed, expected)                                                     \
  do {                                                                                             \
    const long long observed_ = (long long)(observed), expected_ = (long long)(expected);          \
    hb_check_count((check), observed_ == expected_);                                               \
    if (hb_check_prints((check), observed_ == expected_))                                          \
      printf("%s:%d: %s = %lld, expected %lld\n", __FILE__, __LINE__, #observed, observed_,        \
             expected_);                                                                           \
  } while (0)

/* |observed - expected| <= bound, written so that NaN fails. */
#define CHECK_NEAR(check, observed, expected, bound)                                               \
  do {                                                                                             \
    const double observed_ = (observed), expected_ = (expected), bound_ = (bound);                 \
    const int passed_ = fabs(observed_ - expected_) <= bound_;                                     \
    hb_check_count((check), passed_);                                                              \
    if (hb_check_prints((check), passed_))                                                         \
      printf("%s:%d: %s = %.17g, expected %.17g +- %.3g\n", __FILE__, __LINE__, #observed,         \
             observed_, expected_, bound_);                                                        \
  } while (0)

#define CHECK_OK(check, call)                                                                      \
  do {                                                                                             \
    const enum hb_status status_ = (call);                                                         \
    hb_check_count((check), status_ == HB_OK);                                                     \
    if (hb_check_prints((check), status_ == HB_OK))                                                \
      printf("%s:%d: %s: status %d: %s\n", __FILE__, __LINE__, #call, (int)status_,                \
             hb_error_message());                                                                  \
  } while (0)

/* The call must fail with `expected`, and its message must hold `words`; clears the record. */
#define CHECK_FAILS(check, call, expected, words)                                                  \
  do {                                                                                             \
    hb_error_clear();                                                                              \
    const enum hb_status status_ = (call);                                                         \
    const int passed_ = status_ == (expected) && strstr(hb_error_message(), (words)) != NULL;      \
    hb_check_count((check), passed_);                                                              \
    if (hb_check_prints((check), passed_))                                                         \
      printf("%s:%d: %s: status %d, message \"%s\", expected %d with \"%s\"\n", __FILE__,          \
             __LINE__, #call, (int)status_, hb_error_message(), (int)(expected), (words));         \
    hb_error_clear();                                                                              \
  } while (0)

/* Closing line and exit code; also requires that nothing allocated is left. */
static inline int hb_check_finish(struct hb_check *check) {
  CHECK_EQUAL(check, hb_memory_use().live_allocations, 0);
  printf("checks: %ld, failed: %ld\n", check->done, check->failed);
  return check->failed == 0 && check->done > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Is this order and precision tried?  Under the address sanitizer, which is slow, each order in one
 * of the two, in turn; HB_TEST_ALL=1: in both. */
static inline bool hb_is_chosen(int n, int p) {
#ifdef __SANITIZE_ADDRESS__
  return getenv("HB_TEST_ALL") != NULL || (n + p) % 2 == 0;
#else
  (void)n;
  (void)p;
  return true;
#endif
}

#endif
