/* SPDX-License-Identifier: BSD-3-Clause
 * Types, status codes, the error record and the counting allocator that every folder uses. */
#ifndef HB_KERNELS_BASE_H
#define HB_KERNELS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gates and iteration tell NaN from numbers; such a compiler takes these questions out. */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "compile without -ffast-math and -ffinite-math-only: checks for NaN would always pass"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Counts of order N/P (one rank's elements or points), and counts of order N (all ranks). */
typedef int32_t hb_local;
typedef int64_t hb_global;

#define HB_LOCAL_MAX  INT32_MAX
#define HB_GLOBAL_MAX INT64_MAX

/* Degree of the polynomials, and n = degree + 1 points per direction. */
enum { HB_MIN_DEGREE = 1, HB_MAX_DEGREE = 15, HB_MAX_N = HB_MAX_DEGREE + 1 };

/* Result of every function that can fail; also the program's exit code.  Ordered by severity, so
 * that ranks agree on the maximum. */
enum hb_status { HB_OK = 0, HB_GATE_FAILED = 1, HB_BAD_INPUT = 2, HB_MACHINE_FAILED = 3 };

enum hb_precision { HB_F64 = 0, HB_F32 = 1 };

static inline size_t hb_precision_bytes(enum hb_precision precision) {
  return precision == HB_F64 ? sizeof(double) : sizeof(float);
}

/* "f64", "f32". */
static inline const char *hb_precision_name(enum hb_precision precision) {
  return precision == HB_F64 ? "f64" : "f32";
}

/* Entry i of an array of the precision. */
static inline double hb_real_at(enum hb_precision precision, const void *values, hb_global i) {
  return precision == HB_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}
static inline void hb_real_set(enum hb_precision precision, void *values, hb_global i,
                               double value) {
  if (precision == HB_F64)
    ((double *)values)[i] = value;
  else
    ((float *)values)[i] = (float)value;
}

/* Relative rounding unit of the precision (distance from 1 to the next number). */
static inline double hb_precision_epsilon(enum hb_precision precision) {
  return precision == HB_F64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
}

/* The error record: the message of the first failure since hb_error_clear(), kept once a process.
 * (The only other state outside structs are the allocation counters; both are like errno.)
 * A later failure keeps the first message: it is the cause.  `status` is returned. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
enum hb_status
hb_error_record(enum hb_status status, const char *file, int line, const char *format, ...);
/* A failure that no status tells of, as of a function that frees: it is the cause of nothing.  Kept
 * only while there is no other message; the next hb_error_record takes its place. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void hb_error_remark(const char *file, int line, const char *format, ...);
/* Takes over the record of another process: its message and its location.  `status` is returned. */
enum hb_status hb_error_adopt(enum hb_status status, const char *message, const char *location);
const char *hb_error_message(void);  /* empty if nothing failed */
const char *hb_error_location(void); /* "file:line", of the process that failed first */
/* One line on standard error, "WHO: MESSAGE"; with assertions active the location follows. */
void hb_error_print(const char *who);
void hb_error_clear(void);

/* Evaluates `call` once; on failure stores its status in the local `status`, jumps to `done`. */
#define HB_TRY(call)                                                                               \
  do {                                                                                             \
    status = (call);                                                                               \
    if (status != HB_OK) goto done;                                                                \
  } while (0)

/* Records a message and fails with `code`. */
#define HB_FAIL(code, ...)                                                                         \
  do {                                                                                             \
    status = hb_error_record((code), __FILE__, __LINE__, __VA_ARGS__);                             \
    goto done;                                                                                     \
  } while (0)

/* For our own bugs only; active unless NDEBUG is defined. */
#ifdef NDEBUG
#define HB_ASSERT(condition) ((void)0)
#else
#define HB_ASSERT(condition)                                                                       \
  ((condition) ? (void)0 : hb_assertion_failed(#condition, __FILE__, __LINE__))
#endif
void hb_assertion_failed(const char *condition, const char *file, int line);

/* `count` items of `size` bytes, 64-byte aligned (2 MiB and huge pages advised for large arrays),
 * contents undefined (NaN bytes in debug builds).  A count of 0 gives a valid pointer.
 * Returns NULL and records HB_MACHINE_FAILED, with bytes needed and available, if it cannot. */
void *hb_allocate(hb_global count, size_t size, const char *what);

/* Frees what hb_allocate returned; NULL is accepted. */
void hb_free(void *pointer);

/* Lets freed memory serve later allocations instead of going back to the system, where the C
 * library can do so: pages are cleared once.  For programs, before their first allocation. */
void hb_memory_keep(void);

/* Allocates into `pointer` or fails. */
#define HB_ALLOC(pointer, count, what)                                                             \
  do {                                                                                             \
    (pointer) = hb_allocate((hb_global)(count), sizeof *(pointer), (what));                        \
    if ((pointer) == NULL) {                                                                       \
      status = HB_MACHINE_FAILED;                                                                  \
      goto done;                                                                                   \
    }                                                                                              \
  } while (0)

struct hb_memory_use {
  hb_global live_allocations, live_bytes, peak_bytes;
};
struct hb_memory_use hb_memory_use(void);

/* Bytes that this process could still get, by the smallest of all limits (kernels/memory.h); 0 if
 * none is known. */
hb_global hb_memory_available(void);

/* The larger or smaller of two numbers; NaN if one is NaN, so that a chain of them keeps it. */
static inline double hb_max(double a, double b) { return a >= b || a != a ? a : b; }
static inline double hb_min(double a, double b) { return a <= b || a != a ? a : b; }

/* A sum that is good to rounding for any number of terms (Kahan, CACM 8 (1965) 40). */
struct hb_long_sum {
  double value, lost;
};
static inline void hb_long_sum_add(struct hb_long_sum *sum, double term) {
  const double corrected = term - sum->lost, next = sum->value + corrected;
  sum->lost = (next - sum->value) - corrected;
  sum->value = next;
}

/* Sorts count >= 1 values in place, ascending; returns their median. */
double hb_sort_median(hb_global count, double *values);

/* a * b in 64 bit; false on overflow.  Both must be >= 0. */
bool hb_multiply(hb_global a, hb_global b, hb_global *product);

#ifdef __cplusplus
}
#endif

#endif
