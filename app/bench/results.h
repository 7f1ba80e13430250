/* SPDX-License-Identifier: BSD-3-Clause
 * What helmbone-bench has found: a row a part and configuration, and where the rows go. */
#ifndef HB_APP_BENCH_RESULTS_H
#define HB_APP_BENCH_RESULTS_H

#include "app/bench/options.h"
#include "app/bench/statistics.h"
#include "io/table_file.h"

enum { HB_BENCH_WORD_BYTES = 32, HB_BENCH_TEXT_BYTES = 256, HB_BENCH_MOST_ATTRIBUTES = 20 };

/* Of all ranks.  Rates are of the least time; what does not apply is NaN.
 *
 *   points_per_s = points / least_s,  gflops = 1e-9 flops / least_s,
 *   gbytes_per_s = 1e-9 bytes / least_s,  fraction_of_copy = gbytes_per_s / that of the copy part,
 *   which takes turns with the others
 *
 * points: unique ones of the box; n: points per direction of an element; repeats: of the part in a
 * sample; error: largest observed over its bound, at most 1 where `right`. */
struct hb_bench_row {
  int32_t degree, n, ranks, samples, repeats;
  char precision[HB_BENCH_WORD_BYTES], geometry[HB_BENCH_WORD_BYTES], kernel[HB_BENCH_WORD_BYTES];
  char shape[HB_SHAPE_WORD_BYTES], part[HB_BENCH_WORD_BYTES];
  int64_t elements, points;
  bool right, cached; /* cached: a rank's bytes are fewer than twice its last-level cache */
  double error;
  double least_s, median_s, most_s, spread_s;
  double bytes, flops, points_per_s, gflops, gbytes_per_s, fraction_of_copy;
};

/* Fills in the rates from times, bytes, flops and points; copy_s and copy_bytes: of the copy. */
void hb_bench_rates(struct hb_bench_row *row, double copy_s, double copy_bytes);

struct hb_bench_results {
  struct hb_bench_row *rows; /* owned [count], on rank 0 */
  int count, capacity;
  /* What is true of all rows. */
  int num_attributes;
  struct {
    const char *name; /* borrowed: a literal */
    char text[HB_BENCH_TEXT_BYTES];
  } attribute[HB_BENCH_MOST_ATTRIBUTES];
};

/* Not collective, as all below. */
enum hb_status hb_bench_results_add(struct hb_bench_results *results,
                                    const struct hb_bench_row *row);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void hb_bench_results_say(struct hb_bench_results *results, const char *name, const char *format,
                          ...);
void hb_bench_results_destroy(struct hb_bench_results *results);

/* A configuration's rows, which follow each other, as an aligned table with its head; and what
 * stands above and below all of them. */
void hb_bench_print_rows(FILE *stream, int count, const struct hb_bench_row *rows);
void hb_bench_print_head(FILE *stream, const struct hb_bench_results *results);
void hb_bench_print_notes(FILE *stream, const struct hb_bench_results *results);

/* All of it; hdf5 has no text. */
void hb_bench_print(FILE *stream, const struct hb_bench_results *results,
                    enum hb_bench_format format);

/* The files that the options name. */
enum hb_status hb_bench_write(const struct hb_bench_results *results,
                              const struct hb_bench_options *options);

#endif
