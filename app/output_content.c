/* SPDX-License-Identifier: BSD-3-Clause
 * Lists of tables, attributes and options of the output file. */
#include "app/output_content.h"

#include <string.h>

#include "app/grow.h"

void hb_output_content_destroy(struct hb_output_content *content) {
  for (int t = 0; t < content->num_tables; t++) hb_free(content->columns[t].column);
  for (int o = 0; o < content->num_options; o++) hb_free((void *)content->option[o].value);
  hb_free(content->table);
  hb_free(content->columns);
  hb_free(content->attribute);
  hb_free(content->option);
  memset(content, 0, sizeof *content);
}

/* True: the list has room.  False: it has not, which stays in the status. */
static bool has_room(struct hb_output_content *content, const void *list) {
  if (list == NULL) content->status = HB_MACHINE_FAILED;
  return list != NULL;
}

void hb_output_content_table(struct hb_output_content *content, const char *path,
                             const char *description, const char *units, hb_global num_rows) {
  const int number = content->num_tables;
  struct hb_field_file_table *table =
      hb_grown(content->table, number, &content->table_capacity, sizeof *table, "tables");
  if (!has_room(content, table)) return;
  content->table = table;
  struct hb_output_columns *columns =
      hb_grown(content->columns, number, &content->columns_capacity, sizeof *columns, "tables");
  if (!has_room(content, columns)) return;
  content->columns = columns;
  content->table[number] = (struct hb_field_file_table){
      .path = path, .description = description, .units = units, .num_rows = num_rows};
  content->columns[number] = (struct hb_output_columns){.column = NULL};
  content->num_tables++;
}

void hb_output_content_column(struct hb_output_content *content,
                              const struct hb_field_file_column *column) {
  if (content->status != HB_OK) return; /* the table itself may be missing */
  struct hb_field_file_table *table = &content->table[content->num_tables - 1];
  struct hb_output_columns *columns = &content->columns[content->num_tables - 1];
  struct hb_field_file_column *list =
      hb_grown(columns->column, table->num_columns, &columns->capacity, sizeof *list, "columns");
  if (!has_room(content, list)) return;
  columns->column = list;
  columns->column[table->num_columns++] = *column;
  table->columns = columns->column;
}

static void add_attribute(struct hb_output_content *content,
                          const struct hb_field_file_attribute *attribute) {
  struct hb_field_file_attribute *list =
      hb_grown(content->attribute, content->num_attributes, &content->attribute_capacity,
               sizeof *list, "attributes");
  if (!has_room(content, list)) return;
  content->attribute = list;
  content->attribute[content->num_attributes++] = *attribute;
}

void hb_output_content_text(struct hb_output_content *content, const char *object, const char *name,
                            const char *text) {
  const struct hb_field_file_attribute attribute = {
      .object = object, .name = name, .kind = HB_ATTRIBUTE_TEXT, .text = text};
  add_attribute(content, &attribute);
}

void hb_output_content_integer(struct hb_output_content *content, const char *object,
                               const char *name, hb_global value) {
  const struct hb_field_file_attribute attribute = {
      .object = object, .name = name, .kind = HB_ATTRIBUTE_INTEGER, .integer = value};
  add_attribute(content, &attribute);
}

void hb_output_content_real(struct hb_output_content *content, const char *object, const char *name,
                            double value) {
  const struct hb_field_file_attribute attribute = {
      .object = object, .name = name, .kind = HB_ATTRIBUTE_REAL, .real = value};
  add_attribute(content, &attribute);
}

void hb_output_content_option(void *context, const char *section, const char *name,
                              const char *value) {
  struct hb_output_content *content = context;
  const size_t bytes = strlen(value) + 1;
  struct hb_field_file_option *list = hb_grown(content->option, content->num_options,
                                               &content->option_capacity, sizeof *list, "options");
  if (!has_room(content, list)) return;
  content->option = list;
  char *copy = hb_allocate((hb_global)bytes, 1, "value of an option");
  if (!has_room(content, copy)) return;
  memcpy(copy, value, bytes);
  content->option[content->num_options++] = (struct hb_field_file_option){section, name, copy};
}

void hb_output_content_describe(const struct hb_output_content *content,
                                struct hb_field_file_content *file) {
  file->num_attributes = content->num_attributes;
  file->attributes = content->attribute;
  file->num_options = content->num_options;
  file->options = content->option;
  file->num_tables = content->num_tables;
  file->tables = content->table;
}
