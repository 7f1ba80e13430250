/* SPDX-License-Identifier: BSD-3-Clause
 * Descriptions of what goes into the output file beside the fields: tables, attributes, options, as
 * many as are added. */
#ifndef HB_APP_OUTPUT_CONTENT_H
#define HB_APP_OUTPUT_CONTENT_H

#include "io/field_file.h"

/* Columns of one table. */
struct hb_output_columns {
  struct hb_field_file_column *column; /* owned [count of the table] */
  int capacity;
};

/* Begins with zeros.  Texts and rows are borrowed, but for values of options, which are copied. */
struct hb_output_content {
  struct hb_field_file_table *table; /* owned [num_tables], as the next */
  struct hb_output_columns *columns;
  int num_tables, table_capacity, columns_capacity;
  struct hb_field_file_attribute *attribute; /* owned [num_attributes] */
  int num_attributes, attribute_capacity;
  struct hb_field_file_option *option; /* owned [num_options], with its values */
  int num_options, option_capacity;
  enum hb_status status; /* HB_MACHINE_FAILED: something is missing for want of memory */
};

void hb_output_content_destroy(struct hb_output_content *content);

/* Adds a table of num_rows rows; columns go to the table that was added last, their values `stride`
 * bytes apart.  A failure of this and the following stays in content->status. */
void hb_output_content_table(struct hb_output_content *content, const char *path,
                             const char *description, const char *units, hb_global num_rows);
void hb_output_content_column(struct hb_output_content *content,
                              const struct hb_field_file_column *column);

/* Adds an attribute; object as in struct hb_field_file_attribute. */
void hb_output_content_text(struct hb_output_content *content, const char *object, const char *name,
                            const char *text);
void hb_output_content_integer(struct hb_output_content *content, const char *object,
                               const char *name, hb_global value);
void hb_output_content_real(struct hb_output_content *content, const char *object, const char *name,
                            double value);

/* Adds an option, as hb_options_visit calls it; context: the content. */
void hb_output_content_option(void *context, const char *section, const char *name,
                              const char *value);

/* Puts all of it into the file's content, which borrows it. */
void hb_output_content_describe(const struct hb_output_content *content,
                                struct hb_field_file_content *file);

#endif
