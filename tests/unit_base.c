/* SPDX-License-Identifier: BSD-3-Clause
 * The allocator's counts, alignment and refusals; the error record and its macros; products. */
#include <string.h>
#include <unistd.h>

#include "tests/check.h"

#ifdef __SANITIZE_ADDRESS__
/* Lets an allocation that is too large fail as it does without the sanitizer. */
const char *__asan_default_options(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
#endif

enum { MANY = 20 };

static void check_counting(struct hb_check *check) {
  const struct hb_memory_use before = hb_memory_use();
  void *pointers[MANY];
  hb_global bytes = 0;
  CHECK_EQUAL(check, before.live_allocations, 0);
  CHECK_EQUAL(check, before.live_bytes, 0);
  for (int i = 0; i < MANY; i++) { /* sizes 0, 3, 24, ..., some large enough for huge pages */
    const hb_global count = i < 10 ? (hb_global)i * i * i : (hb_global)1 << (i + 4);
    pointers[i] = hb_allocate(count, 3, "many");
    CHECK(check, pointers[i] != NULL);
    if (pointers[i] == NULL) continue;
    CHECK_EQUAL(check, (uintptr_t)pointers[i] % 64, 0);
    memset(pointers[i], i, (size_t)count * 3);
    bytes += count * 3;
    CHECK_EQUAL(check, hb_memory_use().live_allocations, i + 1);
    CHECK(check, hb_memory_use().live_bytes >= bytes);
    CHECK_EQUAL(check, hb_memory_use().peak_bytes, hb_memory_use().live_bytes);
  }
  for (int i = 0; i < 10; i++) /* none overlaps another */
    for (int byte = 0; byte < 3 * i * i * i; byte++)
      CHECK(check, ((unsigned char *)pointers[i])[byte] == i);
  const hb_global peak = hb_memory_use().peak_bytes;
  for (int i = 0; i < MANY; i++) {
    hb_free(pointers[i]);
    CHECK_EQUAL(check, hb_memory_use().live_allocations, MANY - 1 - i);
  }
  CHECK_EQUAL(check, hb_memory_use().live_bytes, 0);
  CHECK_EQUAL(check, hb_memory_use().peak_bytes, peak);
  hb_free(NULL);
  CHECK_EQUAL(check, hb_memory_use().live_allocations, 0);
}

/* The peak is of what lives together: freeing between keeps it. */
static void check_peak(struct hb_check *check) {
  const hb_global peak = hb_memory_use().peak_bytes;
  for (int i = 0; i < 3; i++) {
    void *most = hb_allocate(peak / 2, 1, "half of the peak");
    CHECK(check, most != NULL);
    hb_free(most);
  }
  CHECK_EQUAL(check, hb_memory_use().peak_bytes, peak);
  void *more = hb_allocate(peak + 1, 1, "more than the peak");
  CHECK(check, hb_memory_use().peak_bytes > peak);
  CHECK_EQUAL(check, hb_memory_use().peak_bytes, hb_memory_use().live_bytes);
  hb_free(more);
}

static void check_contents(struct hb_check *check) {
  void *nothing = hb_allocate(0, sizeof(double), "nothing"), *other = hb_allocate(0, 1, "nothing");
  double *numbers = hb_allocate(8, sizeof(double), "numbers");
  CHECK(check, nothing != NULL && other != NULL && nothing != other);
  CHECK(check, numbers != NULL);
#ifndef NDEBUG
  for (int i = 0; numbers != NULL && i < 8; i++) CHECK(check, isnan(numbers[i]));
#endif
  hb_free(nothing);
  hb_free(other);
  hb_free(numbers);
}

static enum hb_status allocate(hb_global count, size_t size) {
  enum hb_status status = HB_OK;
  void *pointer = hb_allocate(count, size, "the field");
  if (pointer == NULL) status = HB_MACHINE_FAILED;
  hb_free(pointer);
  return status;
}

/* Through HB_ALLOC: items too large for the machine. */
static enum hb_status allocate_in_items(hb_global count) {
  enum hb_status status = HB_OK;
  struct {
    char bytes[1 << 20];
  } *items = NULL;
  HB_ALLOC(items, count, "items of a MiB");
done:
  hb_free(items);
  return status;
}

static void check_refusals(struct hb_check *check) {
  const struct hb_memory_use before = hb_memory_use();
  const hb_global exbibyte = (hb_global)1 << 60;
  CHECK_FAILS(check, allocate((hb_global)1 << 62, 8), HB_MACHINE_FAILED,
              "the field: 4611686018427387904 items of 8 bytes are more than can be addressed");
  CHECK_FAILS(check, allocate(HB_GLOBAL_MAX, 1), HB_MACHINE_FAILED, "more than can be addressed");
  CHECK_FAILS(check, allocate(-1, 8), HB_MACHINE_FAILED, "-1 items of 8 bytes");
  CHECK_FAILS(check, allocate(2, SIZE_MAX), HB_MACHINE_FAILED, "more than can be addressed");
  CHECK_FAILS(check, allocate(exbibyte, 1), HB_MACHINE_FAILED,
              "the field: 1152921504.607 GB needed, ");
  CHECK_FAILS(check, allocate(exbibyte, 1), HB_MACHINE_FAILED, " GB available");
  CHECK_FAILS(check, allocate(exbibyte / 8, 8), HB_MACHINE_FAILED, " GB needed, ");
  CHECK_FAILS(check, allocate_in_items(exbibyte >> 20), HB_MACHINE_FAILED, "items of a MiB");
  CHECK_OK(check, allocate_in_items(3));
  CHECK_EQUAL(check, hb_memory_use().live_allocations, before.live_allocations);
  CHECK_EQUAL(check, hb_memory_use().live_bytes, before.live_bytes);
  CHECK(check, hb_memory_available() > 0);
  CHECK(check, hb_memory_available() < (hb_global)1 << 50);
}

struct trace {
  int tried, after, at_end;
};

static enum hb_status count_try(struct trace *trace, enum hb_status result) {
  trace->tried++;
  return result;
}

static enum hb_status try_two(struct trace *trace, enum hb_status first, enum hb_status second) {
  enum hb_status status = HB_OK;
  HB_TRY(count_try(trace, first));
  trace->after++;
  HB_TRY(count_try(trace, second));
  trace->after++;
done:
  trace->at_end++;
  return status;
}

/* Each call is evaluated once; the first failure jumps, and its status is the result. */
static void check_try(struct hb_check *check) {
  static const struct {
    enum hb_status first, second, result;
    int tried, after;
  } cases[] = {
      {HB_OK, HB_OK, HB_OK, 2, 2},
      {HB_BAD_INPUT, HB_MACHINE_FAILED, HB_BAD_INPUT, 1, 0},
      {HB_OK, HB_GATE_FAILED, HB_GATE_FAILED, 2, 1},
      {HB_MACHINE_FAILED, HB_OK, HB_MACHINE_FAILED, 1, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct trace trace = {0, 0, 0};
    CHECK_EQUAL(check, try_two(&trace, cases[i].first, cases[i].second), cases[i].result);
    CHECK_EQUAL(check, trace.tried, cases[i].tried);
    CHECK_EQUAL(check, trace.after, cases[i].after);
    CHECK_EQUAL(check, trace.at_end, 1);
  }
}

static enum hb_status fail_inside(int number) {
  enum hb_status status = HB_OK;
  HB_FAIL(HB_BAD_INPUT, "cause %d of %s", number, "two");
done:
  return status;
}

static enum hb_status fail_outside(void) {
  enum hb_status status = HB_OK;
  if (fail_inside(1) != HB_OK) HB_FAIL(HB_MACHINE_FAILED, "consequence");
done:
  return status;
}

/* The first message stays, with its place, while the status is that of the last failure. */
static void check_record(struct hb_check *check) {
  char words[4096];
  hb_error_clear();
  CHECK(check, strcmp(hb_error_message(), "") == 0 && strcmp(hb_error_location(), "") == 0);
  CHECK_EQUAL(check, fail_outside(), HB_MACHINE_FAILED);
  CHECK(check, strcmp(hb_error_message(), "cause 1 of two") == 0);
  CHECK(check, strstr(hb_error_location(), "unit_base.c:") != NULL);
  CHECK_EQUAL(check, fail_inside(2), HB_BAD_INPUT);
  CHECK(check, strcmp(hb_error_message(), "cause 1 of two") == 0);
  hb_error_clear();
  CHECK(check, strcmp(hb_error_message(), "") == 0 && strcmp(hb_error_location(), "") == 0);
  CHECK_FAILS(check, fail_inside(2), HB_BAD_INPUT, "cause 2 of two");
  memset(words, 'x', sizeof words); /* longer than the record: cut, not overrun */
  words[sizeof words - 1] = '\0';
  CHECK_EQUAL(check, hb_error_record(HB_BAD_INPUT, words, 1, "%s", words), HB_BAD_INPUT);
  CHECK(check, strlen(hb_error_message()) > 1000 && strlen(hb_error_message()) < sizeof words);
  CHECK(check, strlen(hb_error_location()) < sizeof words);
  hb_error_clear();
}

/* A failed free claims nothing: the next failure's message wins, an earlier one stays. */
static void check_remark(struct hb_check *check) {
  hb_error_clear();
  hb_error_remark("free.c", 7, "hipFree: %s", "no such block");
  CHECK(check, strcmp(hb_error_message(), "hipFree: no such block") == 0);
  CHECK(check, strcmp(hb_error_location(), "free.c:7") == 0);
  hb_error_remark("free.c", 8, "hipFree: again");
  CHECK(check, strcmp(hb_error_location(), "free.c:7") == 0);
  CHECK_EQUAL(check, fail_outside(), HB_MACHINE_FAILED);
  CHECK(check, strcmp(hb_error_message(), "cause 1 of two") == 0);
  CHECK(check, strstr(hb_error_location(), "unit_base.c:") != NULL);
  hb_error_remark("free.c", 9, "hipFree: after the failure");
  CHECK_EQUAL(check, fail_inside(3), HB_BAD_INPUT);
  CHECK(check, strcmp(hb_error_message(), "cause 1 of two") == 0);
  hb_error_clear();
  hb_error_remark("free.c", 7, "hipFree");
  hb_error_clear();
  CHECK(check, strcmp(hb_error_message(), "") == 0);
}

/* Another process's record replaces a message and a remark, and is then a failure like any other.
 */
static void check_adopted(struct hb_check *check) {
  hb_error_remark("free.c", 7, "hipFree");
  CHECK_EQUAL(check, hb_error_adopt(HB_MACHINE_FAILED, "theirs", "there.c:3"), HB_MACHINE_FAILED);
  CHECK(check, strcmp(hb_error_message(), "theirs") == 0);
  CHECK(check, strcmp(hb_error_location(), "there.c:3") == 0);
  CHECK_EQUAL(check, fail_inside(1), HB_BAD_INPUT);
  CHECK(check, strcmp(hb_error_message(), "theirs") == 0);
  hb_error_clear();
}

/* What a user sees: one line, with the place in builds whose assertions are active. */
static void check_printed(struct hb_check *check) {
  char path[] = "/tmp/unit_base.XXXXXX", text[256] = "";
  const int file = mkstemp(path), kept = dup(STDERR_FILENO);
  CHECK(check, file >= 0 && kept >= 0);
  if (file < 0 || kept < 0) return;
  hb_error_record(HB_BAD_INPUT, "here.c", 5, "no %s", "luck");
  dup2(file, STDERR_FILENO);
  hb_error_print("program");
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  CHECK(check, pread(file, text, sizeof text - 1, 0) > 0);
#ifdef NDEBUG
  CHECK(check, strcmp(text, "program: no luck\n") == 0);
#else
  CHECK(check, strcmp(text, "program: no luck [here.c:5]\n") == 0);
#endif
  close(file);
  close(kept);
  unlink(path);
  hb_error_clear();
}

/* 2^63 - 1 = 7 * 1317624576693539401, and 3037000499 is the root of 2^63 rounded down. */
static void check_multiply(struct hb_check *check) {
  static const struct {
    hb_global a, b, product; /* product -1: overflow */
  } cases[] = {
      {0, 0, 0},
      {0, HB_GLOBAL_MAX, 0},
      {1, HB_GLOBAL_MAX, HB_GLOBAL_MAX},
      {7, 1317624576693539401, HB_GLOBAL_MAX},
      {7, 1317624576693539402, -1},
      {2, ((hb_global)1 << 62) - 1, HB_GLOBAL_MAX - 1},
      {2, (hb_global)1 << 62, -1},
      {3037000499, 3037000499, 9223372030926249001},
      {3037000500, 3037000500, -1},
      {(hb_global)1 << 32, (hb_global)1 << 32, -1}, /* 2^64: zero if it wrapped */
      {HB_GLOBAL_MAX, HB_GLOBAL_MAX, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hb_global product = 0, swapped = 0;
    const bool fits = cases[i].product >= 0;
    CHECK_EQUAL(check, hb_multiply(cases[i].a, cases[i].b, &product), fits);
    CHECK_EQUAL(check, hb_multiply(cases[i].b, cases[i].a, &swapped), fits);
    if (!fits) continue;
    CHECK_EQUAL(check, product, cases[i].product);
    CHECK_EQUAL(check, swapped, cases[i].product);
  }
}

static void check_median(struct hb_check *check) {
  double odd[] = {3.0, -1.0, 2.0}, even[] = {4.0, 1.0, 3.0, 2.0}, one[] = {5.0};
  CHECK(check, hb_sort_median(3, odd) == 2.0 && odd[0] == -1.0 && odd[2] == 3.0);
  CHECK(check, hb_sort_median(4, even) == 2.5 && even[0] == 1.0 && even[3] == 4.0);
  CHECK(check, hb_sort_median(1, one) == 5.0);
}

int main(void) {
  struct hb_check check = {0, 0};
  check_counting(&check);
  check_peak(&check);
  check_contents(&check);
  check_refusals(&check);
  check_try(&check);
  check_record(&check);
  check_remark(&check);
  check_adopted(&check);
  check_printed(&check);
  check_multiply(&check);
  CHECK_EQUAL(&check, hb_precision_bytes(HB_F64), 8);
  CHECK_EQUAL(&check, hb_precision_bytes(HB_F32), 4);
  CHECK(&check, 1.0 + hb_precision_epsilon(HB_F64) == nextafter(1.0, 2.0));
  CHECK(&check, 1.0 + hb_precision_epsilon(HB_F32) == (double)nextafterf(1.0F, 2.0F));
  check_median(&check);
  return hb_check_finish(&check);
}
