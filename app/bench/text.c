/* SPDX-License-Identifier: BSD-3-Clause
 * Rows as tables for a person. */
#include <math.h>
#include <string.h>

#include "app/bench/results.h"

enum { CELL_BYTES = 24 };

/* A time in the unit that suits it. */
static void time_cell(double seconds, char cell[CELL_BYTES]) {
  if (!(seconds >= 0.0))
    snprintf(cell, CELL_BYTES, "-");
  else if (seconds < 1e-3)
    snprintf(cell, CELL_BYTES, "%.2f us", 1e6 * seconds);
  else if (seconds < 1.0)
    snprintf(cell, CELL_BYTES, "%.3f ms", 1e3 * seconds);
  else
    snprintf(cell, CELL_BYTES, "%.3f s", seconds);
}

static void rate_cell(double value, double unit, int digits, const char *after,
                      char cell[CELL_BYTES]) {
  if (isfinite(value))
    snprintf(cell, CELL_BYTES, "%.*f%s", digits, value * unit, after);
  else
    snprintf(cell, CELL_BYTES, "-");
}

static void print_row(FILE *stream, const struct hb_bench_row *row) {
  char least[CELL_BYTES], median[CELL_BYTES], spread[CELL_BYTES], points[CELL_BYTES],
      flops[CELL_BYTES], bytes[CELL_BYTES], fraction[CELL_BYTES];
  if (!row->right) {
    fprintf(stream, "  %-16s WRONG: error %.2g of its bound; not timed\n", row->part, row->error);
    return;
  }
  time_cell(row->least_s, least);
  time_cell(row->median_s, median);
  time_cell(row->spread_s, spread);
  rate_cell(row->points_per_s, 1e-9, 3, "", points);
  rate_cell(row->gflops, 1.0, 2, "", flops);
  rate_cell(row->gbytes_per_s, 1.0, 2, "", bytes);
  rate_cell(row->fraction_of_copy, 100.0, 1, row->cached ? " %c" : " % ", fraction);
  fprintf(stream, "  %-16s %11s %11s %11s %12s %10s %10s %10s\n", row->part, least, median, spread,
          points, flops, bytes, fraction);
}

void hb_bench_print_rows(FILE *stream, int count, const struct hb_bench_row *rows) {
  const bool has_shape = strcmp(rows->shape, "none") != 0;
  fprintf(stream, "\ndegree %d, %s, %s, %s%s%s; %lld elements, %lld points, %d rank%s\n",
          (int)rows->degree, rows->precision, rows->geometry, rows->kernel, has_shape ? " " : "",
          has_shape ? rows->shape : "", (long long)rows->elements, (long long)rows->points,
          (int)rows->ranks, rows->ranks > 1 ? "s" : "");
  fprintf(stream, "  %-16s %11s %11s %11s %12s %10s %10s %10s\n", "part", "least", "median",
          "spread", "Gpoint/s", "GFLOP/s", "GB/s", "of copy ");
  for (int r = 0; r < count; r++) print_row(stream, &rows[r]);
}

void hb_bench_print_head(FILE *stream, const struct hb_bench_results *results) {
  for (int a = 0; a < results->num_attributes; a++)
    fprintf(stream, "%s: %s\n", results->attribute[a].name, results->attribute[a].text);
}

void hb_bench_print_notes(FILE *stream, const struct hb_bench_results *results) {
  bool cached = false;
  for (int r = 0; r < results->count; r++)
    cached = cached || (results->rows[r].right && results->rows[r].cached);
  fprintf(
      stream,
      "\nSeconds are the largest over ranks, rates of the least of the samples, which all parts "
      "take in turn;\nspread: median less least.  Bytes are modelled, every array once a pass; "
      "an exchange's are those sent.\nCompare within one run: other runs, even of this machine, "
      "differ by more than the spread.\n");
  if (cached)
    fprintf(stream,
            "c: the part's bytes, or those of the copy, are fewer than twice the last-level "
            "cache of a rank:\nit may lie in there, and its fraction says little; --points "
            "takes more.\n");
}
