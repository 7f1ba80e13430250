/* SPDX-License-Identifier: BSD-3-Clause
 * Lists of the output file's content take as much as is added, and keep it as it was. */
#include <string.h>

#include "app/output_content.h"
#include "tests/check.h"

enum { MANY = 300, TABLES = 40, COLUMNS = 60 };

/* Number i as text. */
struct names {
  char text[MANY][16];
};

static void check_attributes(struct hb_check *check, const struct names *names) {
  struct hb_output_content content = {.table = NULL};
  struct hb_field_file_content file = {.num_fields = 0};
  for (int i = 0; i < MANY; i++) {
    const char *object = i % 2 == 0 ? NULL : "/solver";
    if (i % 3 == 0)
      hb_output_content_text(&content, object, names->text[i], names->text[MANY - 1 - i]);
    if (i % 3 == 1) hb_output_content_integer(&content, object, names->text[i], 7 * i);
    if (i % 3 == 2) hb_output_content_real(&content, object, names->text[i], 0.5 * i);
  }
  CHECK_EQUAL(check, content.status, HB_OK);
  hb_output_content_describe(&content, &file);
  CHECK_EQUAL(check, file.num_attributes, MANY);
  for (int i = 0; i < file.num_attributes; i++) {
    const struct hb_field_file_attribute *attribute = &file.attributes[i];
    CHECK(check, attribute->name == names->text[i] && (attribute->object == NULL) == (i % 2 == 0));
    CHECK_EQUAL(check, attribute->kind, HB_ATTRIBUTE_TEXT + i % 3);
    if (i % 3 == 0) CHECK(check, attribute->text == names->text[MANY - 1 - i]);
    if (i % 3 == 1) CHECK_EQUAL(check, attribute->integer, 7 * i);
    if (i % 3 == 2) CHECK_NEAR(check, attribute->real, 0.5 * i, 0.0);
  }
  hb_output_content_destroy(&content);
  CHECK_EQUAL(check, content.num_attributes, 0);
}

/* Values are copied. */
static void check_options(struct hb_check *check, const struct names *names) {
  struct hb_output_content content = {.table = NULL};
  struct hb_field_file_content file = {.num_fields = 0};
  for (int i = 0; i < MANY; i++) {
    char value[64];
    snprintf(value, sizeof value, "value %d", i);
    hb_output_content_option(&content, "section", names->text[i], value);
    memset(value, 'x', sizeof value - 1);
  }
  CHECK_EQUAL(check, content.status, HB_OK);
  hb_output_content_describe(&content, &file);
  CHECK_EQUAL(check, file.num_options, MANY);
  for (int i = 0; i < file.num_options; i++) {
    char value[64];
    snprintf(value, sizeof value, "value %d", i);
    CHECK(check,
          strcmp(file.options[i].value, value) == 0 && file.options[i].name == names->text[i]);
  }
  hb_output_content_destroy(&content);
}

/* Table t has 1 + t % COLUMNS columns. */
static void check_tables(struct hb_check *check, const struct names *names) {
  struct hb_output_content content = {.table = NULL};
  struct hb_field_file_content file = {.num_fields = 0};
  static const double rows[COLUMNS] = {0.0};
  for (int t = 0; t < TABLES; t++) {
    hb_output_content_table(&content, names->text[t], "description", "s", t);
    for (int c = 0; c < 1 + (7 * t) % COLUMNS; c++) {
      const struct hb_field_file_column column = {
          names->text[c], HB_COLUMN_REAL, 0, &rows[c], 8, NULL};
      hb_output_content_column(&content, &column);
    }
  }
  CHECK_EQUAL(check, content.status, HB_OK);
  hb_output_content_describe(&content, &file);
  CHECK_EQUAL(check, file.num_tables, TABLES);
  for (int t = 0; t < file.num_tables; t++) {
    const struct hb_field_file_table *table = &file.tables[t];
    CHECK(check, table->path == names->text[t] && table->num_rows == t);
    CHECK_EQUAL(check, table->num_columns, 1 + (7 * t) % COLUMNS);
    for (int c = 0; c < table->num_columns; c++)
      CHECK(check, table->columns[c].name == names->text[c] &&
                       table->columns[c].values == &rows[c] && table->columns[c].stride == 8);
  }
  hb_output_content_destroy(&content);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct names names;
  for (int i = 0; i < MANY; i++) snprintf(names.text[i], sizeof names.text[i], "%d", i);
  check_attributes(&check, &names);
  check_options(&check, &names);
  check_tables(&check, &names);
  CHECK_EQUAL(&check, hb_memory_use().live_allocations, 0);
  return hb_check_finish(&check);
}
