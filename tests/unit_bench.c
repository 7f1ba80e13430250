/* SPDX-License-Identifier: BSD-3-Clause
 * The benchmark's lists, statistics, sizes, rates and tables. */
#include "app/bench/case.h"
#include "app/bench/lists.h"
#include "app/bench/results.h"
#include "tests/check.h"

static void check_numbers(struct hb_check *check) {
  static const char *const wrong[] = {"",
                                      "0",
                                      "16",
                                      "3,",
                                      "3..",
                                      "..3",
                                      "5..3",
                                      "3-5",
                                      "x",
                                      "3 ",
                                      "1..16",
                                      "3,,5",
                                      "-3",
                                      "3..5..7",
                                      "3x",
                                      " 3",
                                      "9999999999999999",
                                      "all,3",
                                      "3.5"};
  bool chosen[16] = {false}, all[16] = {false};
  CHECK_OK(check, hb_bench_numbers("degrees", "3,7..9,15", 1, 15, chosen));
  for (int i = 0; i < 16; i++)
    CHECK_EQUAL(check, chosen[i], i == 3 || (i >= 7 && i <= 9) || i == 15);
  CHECK_OK(check, hb_bench_numbers("degrees", "all", 1, 15, all));
  for (int i = 0; i < 16; i++) CHECK_EQUAL(check, all[i], i > 0);
  for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
    CHECK_FAILS(check, hb_bench_numbers("degrees", wrong[w], 1, 15, chosen), HB_BAD_INPUT,
                "--degrees: '");
  CHECK_FAILS(check, hb_bench_numbers("degrees", "16", 1, 15, chosen), HB_BAD_INPUT,
              "'16'; allowed: numbers 1..15");
}

static void check_names(struct hb_check *check) {
  static const char *const known[] = {"f64", NULL, "f32"};
  unsigned chosen = 7;
  CHECK_OK(check, hb_bench_names("precision", "f32", known, 3, &chosen));
  CHECK_EQUAL(check, chosen, 4);
  CHECK_OK(check, hb_bench_names("precision", "f32,f64", known, 3, &chosen));
  CHECK_EQUAL(check, chosen, 5);
  CHECK_OK(check, hb_bench_names("precision", "all", known, 3, &chosen));
  CHECK_EQUAL(check, chosen, 5);
  CHECK_FAILS(check, hb_bench_names("precision", "f16", known, 3, &chosen), HB_BAD_INPUT,
              "--precision: 'f16'; allowed: f64, f32, several with commas, or all");
  CHECK_FAILS(check, hb_bench_names("precision", "f64,", known, 3, &chosen), HB_BAD_INPUT, "''");
  CHECK_FAILS(check, hb_bench_names("precision", "", known, 3, &chosen), HB_BAD_INPUT, "''");
}

static void check_statistics(struct hb_check *check) {
  double odd[] = {4.0, 1.0, 2.0}, even[] = {8.0, 1.0, 2.0, 4.0}, one[] = {5.0};
  double broken[] = {1.0, NAN, 2.0}, negative[] = {1.0, -1.0};
  struct hb_bench_statistics found = hb_bench_statistics(3, odd);
  CHECK(check,
        found.least == 1.0 && found.median == 2.0 && found.most == 4.0 && found.spread == 1.0);
  found = hb_bench_statistics(4, even);
  CHECK(check,
        found.least == 1.0 && found.median == 3.0 && found.most == 8.0 && found.spread == 2.0);
  found = hb_bench_statistics(1, one);
  CHECK(check, found.least == 5.0 && found.most == 5.0 && found.spread == 0.0);
  CHECK(check, isnan(hb_bench_statistics(3, broken).least));
  CHECK(check, isnan(hb_bench_statistics(2, negative).median));
  CHECK_EQUAL(check, hb_bench_repeats(1.0, 5, 0.1, 1000), 2);
  CHECK_EQUAL(check, hb_bench_repeats(1.0, 5, 0.3, 1000), 1);
  CHECK_EQUAL(check, hb_bench_repeats(1.0, 5, 1e-9, 1000), 1000);
  CHECK_EQUAL(check, hb_bench_repeats(1.0, 5, 0.0, 1000), 1000);
  CHECK_EQUAL(check, hb_bench_repeats(0.0, 5, 0.0, 1000), 1);
}

/* About the points that are asked for, in parts as near to a cube as whole elements are. */
static void check_sizes(struct hb_check *check) {
  for (int degree = 1; degree <= 15; degree++)
    for (double points = 1.0; points < 1e9; points *= 7.3) {
      hb_global elements[3];
      hb_bench_sizes(points, degree, elements);
      const double cube = pow((double)degree, 3.0);
      const double made = cube * (double)(elements[0] * elements[1] * elements[2]);
      CHECK(check, elements[0] >= 1 && elements[1] >= 1 && elements[2] >= 1);
      if (points > 30.0 * cube) CHECK_NEAR(check, made / points, 1.0, 0.2);
      CHECK(check, elements[0] <= 2 * elements[2] && elements[2] <= 2 * elements[0]);
    }
}

static struct hb_bench_row row_of(const char *part, double seconds, double bytes, double flops) {
  struct hb_bench_row row;
  memset(&row, 0, sizeof row);
  snprintf(row.part, sizeof row.part, "%s", part);
  snprintf(row.kernel, sizeof row.kernel, "kernel");
  snprintf(row.shape, sizeof row.shape, "none");
  row.right = true;
  row.points = 1000;
  row.least_s = seconds;
  row.median_s = row.most_s = row.spread_s = seconds;
  row.bytes = bytes;
  row.flops = flops;
  hb_bench_rates(&row, 0.5, 16e9);
  return row;
}

static void check_rates(struct hb_check *check) {
  struct hb_bench_row row = row_of("operator", 0.25, 4e9, 8e9);
  CHECK_NEAR(check, row.points_per_s, 4000.0, 1e-9);
  CHECK_NEAR(check, row.gflops, 32.0, 1e-12);
  CHECK_NEAR(check, row.gbytes_per_s, 16.0, 1e-12);
  CHECK_NEAR(check, row.fraction_of_copy, 0.5, 1e-15);
  row = row_of("all_reduce", 0.25, NAN, NAN);
  CHECK(check, isnan(row.points_per_s) && isnan(row.gflops) && isnan(row.gbytes_per_s) &&
                   isnan(row.fraction_of_copy));
  row = row_of("exchange", 0.25, 1e9, NAN);
  CHECK(check, row.gbytes_per_s == 4.0 && isnan(row.fraction_of_copy));
  row = row_of("operator", NAN, 4e9, 8e9); /* it was wrong: no speed */
  CHECK(check, isnan(row.points_per_s) && isnan(row.gflops) && isnan(row.gbytes_per_s));
}

/* Text of all the results in a format. */
static void print_into(const struct hb_bench_results *results, enum hb_bench_format format,
                       size_t bytes, char *text) {
  memset(text, 0, bytes);
  FILE *stream = fmemopen(text, bytes - 1, "w");
  hb_bench_print(stream, results, format);
  fclose(stream);
}

static void check_tables(struct hb_check *check) {
  static char text[1 << 20];
  struct hb_bench_results results;
  memset(&results, 0, sizeof results);
  hb_bench_results_say(&results, "device", "a \"quoted\" \\ name\nof two lines");
  for (int i = 0; i < 200; i++) {
    struct hb_bench_row row = row_of("operator", 0.25 * (i + 1), 4e9, 8e9);
    row.right = i != 7;
    if (i == 7) row.least_s = row.gflops = (double)NAN;
    CHECK_OK(check, hb_bench_results_add(&results, &row));
  }
  CHECK_EQUAL(check, results.count, 200);
  print_into(&results, HB_BENCH_CSV, sizeof text, text);
  CHECK(check,
        strncmp(text, "# device: a \"quoted\" \\ name of two lines\ndegree,n,precision,", 60) == 0);
  int lines = 0, commas = 0;
  for (const char *c = text; *c != '\0'; c++) {
    lines += *c == '\n';
    commas += *c == ',';
  }
  CHECK_EQUAL(check, lines, 202);
  CHECK_EQUAL(check, commas % 201, 0);
  CHECK(check, strstr(text, ",0.25,") != NULL && strstr(text, ",50,") != NULL);
  print_into(&results, HB_BENCH_JSON, sizeof text, text);
  CHECK(check, strstr(text, "\"a \\\"quoted\\\" \\\\ name of two lines\"") != NULL);
  CHECK(check, strstr(text, "\"right\": false") != NULL);
  CHECK(check, strstr(text, "\"least_s\": null") != NULL && strstr(text, "nan") == NULL);
  print_into(&results, HB_BENCH_TEXT, sizeof text, text);
  CHECK(check, strstr(text, "operator         WRONG") != NULL);
  CHECK(check, strstr(text, "250.000 ms") != NULL && strstr(text, "nan") == NULL);
  hb_bench_results_destroy(&results);
}

int main(void) {
  struct hb_check check = {0, 0};
  check_numbers(&check);
  check_names(&check);
  check_statistics(&check);
  check_sizes(&check);
  check_rates(&check);
  check_tables(&check);
  return hb_check_finish(&check);
}
