/* SPDX-License-Identifier: BSD-3-Clause
 * Tables, attributes and configuration of the output file, gathered on rank 0. */
#ifndef HB_APP_OUTPUT_TABLES_H
#define HB_APP_OUTPUT_TABLES_H

#include "app/report.h"
#include "io/field_file.h"

struct hb_output_tables;

/* Collective.  Gathers what the ranks know of themselves; results stay borrowed. */
enum hb_status hb_output_tables_create(const struct hb_results *results, const char *command_line,
                                       struct hb_output_tables **tables);
/* Not collective.  Accepts NULL, clears the caller's pointer. */
void hb_output_tables_destroy(struct hb_output_tables **tables);

/* Not collective.  Puts attributes, options and tables into the content. */
void hb_output_tables_describe(const struct hb_output_tables *tables,
                               struct hb_field_file_content *content);

/* Collective.  Fills in the timings, as late as the file allows. */
enum hb_status hb_output_tables_gather_times(struct hb_output_tables *tables,
                                             const struct hb_results *results);

#endif
