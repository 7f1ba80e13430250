/* SPDX-License-Identifier: BSD-3-Clause
 * The table behind the options of a solve, and its case files.  Not collective. */
#ifndef HB_APP_OPTIONS_TABLE_H
#define HB_APP_OPTIONS_TABLE_H

#include "app/options.h"

/* One row an option of struct hb_options. */
const struct hb_option_table *hb_options_table(void);

/* hb_option_read_text of this table. */
enum hb_status hb_options_read(const char *path, char *text, size_t bytes,
                               struct hb_options *options);

#endif
