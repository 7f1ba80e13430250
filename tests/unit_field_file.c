/* SPDX-License-Identifier: BSD-3-Clause
 * Output file without MPI: sizes, statistics, unreadable files, and how a summary is printed. */
#include <string.h>
#include <unistd.h>

#include "io/field_file_read.h"
#include "io/schema.h"
#include "tests/check.h"

enum { TEXT_BYTES = 65536 };

static void check_sizes(struct hb_check *check) {
  const hb_global two[3] = {1, 2, 1}, many[3] = {1000, 1000, 1000}, huge[3] = {1 << 30, 1 << 30, 9};
  /* 2 elements of 27 nodes and 8 cells: (3 + 1) reals a node; 9 ids, type, element, rank a cell */
  CHECK_EQUAL(check, hb_field_file_bytes(3, two, 1, HB_F64), 2 * (27 * 4 * 8 + 8 * (36 + 1 + 8)));
  CHECK_EQUAL(check, hb_field_file_bytes(3, two, 4, HB_F32), 2 * (27 * 7 * 4 + 8 * (36 + 1 + 8)));
  CHECK_EQUAL(check, hb_field_file_bytes(2, many, 0, HB_F64),
              1000000000LL * (8 * 3 * 8 + (72 + 1 + 8)));
  CHECK_EQUAL(check, hb_field_file_bytes(2, huge, 0, HB_F64), -1);
}

static void check_statistics(struct hb_check *check) {
  const double odd[] = {5.0, -1.0, 2.0}, even[] = {4.0, 1.0, 3.0, 2.0}, zero[] = {0.0, 0.0};
  const double bad[] = {1.0, NAN};
  struct hb_statistics of = {0};
  CHECK_OK(check, hb_statistics_of(odd, 3, &of));
  CHECK(check, of.min == -1.0 && of.median == 2.0 && of.max == 5.0 && of.imbalance == 2.5);
  CHECK_OK(check, hb_statistics_of(even, 4, &of));
  CHECK(check, of.min == 1.0 && of.median == 2.5 && of.max == 4.0 && of.imbalance == 1.6);
  CHECK_OK(check, hb_statistics_of(zero, 2, &of));
  CHECK(check, of.max == 0.0 && of.imbalance == 1.0);
  CHECK_OK(check, hb_statistics_of(bad, 2, &of));
  CHECK(check, isnan(of.min) && isnan(of.max) && isnan(of.imbalance));
}

static void check_unreadable(struct hb_check *check) {
  struct hb_field_file_summary *summary = NULL;
  char path[64];
  snprintf(path, sizeof path, "/tmp/unit_field_file_%ld.vtkhdf", (long)getpid());
  CHECK_FAILS(check, hb_field_file_read(path, &summary), HB_MACHINE_FAILED, "No such file");
  CHECK(check, summary == NULL);
  FILE *file = fopen(path, "w");
  CHECK(check, file != NULL);
  if (file == NULL) return;
  fputs("no HDF5", file);
  fclose(file);
  CHECK_FAILS(check, hb_field_file_read(path, &summary), HB_MACHINE_FAILED, "no readable HDF5");
  CHECK_FAILS(check, hb_field_file_read("/tmp", &summary), HB_MACHINE_FAILED, "no plain file");
  CHECK(check, summary == NULL);
  unlink(path);
}

/* A summary with everything that is hard to print. */
static void check_printing(struct hb_check *check) {
  char odd[] = "a\"b\\c\nd\x01\xff\xc3\xa9", root[] = "/", name[] = "title", rate[] = "rate";
  char table_path[] = "/timings/per_rank", column_name[] = "setup_s", field[] = "/VTKHDF/Points";
  char fault_text[] = "something is wrong", cells[] = {'f', 'u', 'l', 'l', 'o', 'n', 'e', '\0'};
  char words_path[] = "/words", nameless[] = "", *faults[] = {fault_text};
  double seconds[] = {1.0, 3.0};
  struct hb_read_attribute attributes[] = {
      {.object = root, .name = rate, .kind = HB_ATTRIBUTE_REAL, .real = NAN},
      {.object = root, .name = name, .kind = HB_ATTRIBUTE_TEXT, .text = odd}};
  struct hb_read_column column = {.name = column_name, .kind = HB_COLUMN_REAL, .reals = seconds};
  struct hb_read_column words = {
      .name = nameless, .kind = HB_COLUMN_TEXT, .width = 4, .text = cells};
  struct hb_read_table tables[] = {
      {.path = table_path, .compound = true, .num_rows = 2, .num_columns = 1, .columns = &column},
      {.path = words_path, .num_rows = 2, .num_columns = 1, .columns = &words}};
  struct hb_read_range range = {
      .path = field, .components = 3, .min = INFINITY, .max = -INFINITY, .num_not_finite = 6};
  const struct hb_field_file_summary summary = {.path = field,
                                                .num_attributes = 2,
                                                .attributes = attributes,
                                                .num_tables = 2,
                                                .tables = tables,
                                                .num_ranges = 1,
                                                .ranges = &range,
                                                .num_faults = 1,
                                                .faults = faults};
  static char text[TEXT_BYTES];
  FILE *stream = fmemopen(text, sizeof text, "w");
  CHECK(check, stream != NULL);
  if (stream == NULL) return;
  CHECK_OK(check, hb_field_file_print_json(&summary, stream));
  fclose(stream);
  CHECK(check, strstr(text, "\"title\": \"a\\\"b\\\\c\\u000ad\\u0001\\ufffd\xc3\xa9\"") != NULL);
  CHECK(check, strstr(text, "\"rate\": null") != NULL);
  CHECK(check, strstr(text, "\"Points\": {\n\"min\": null,\n\"max\": null") != NULL);
  CHECK(check, strstr(text, "\"/words\": [\"full\", \"one\"]") != NULL);
  CHECK(check, strstr(text, "\"imbalance\": 1.5}") != NULL);
  CHECK(check, strstr(text, "\"gates\": null") != NULL && strstr(text, "nan") == NULL);
  stream = fmemopen(text, sizeof text, "w");
  CHECK(check, stream != NULL);
  if (stream == NULL) return;
  CHECK_OK(check, hb_field_file_print(&summary, stream));
  fclose(stream);
  CHECK(check, strstr(text, "layout: FAIL\n  something is wrong") != NULL);
  CHECK(check, strstr(text, "no finite value") != NULL);
}

int main(void) {
  struct hb_check check = {0};
  check_sizes(&check);
  check_statistics(&check);
  check_unreadable(&check);
  check_printing(&check);
  return hb_check_finish(&check);
}
