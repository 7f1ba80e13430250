/* SPDX-License-Identifier: BSD-3-Clause
 * Shared by the parts of the printed report. */
#ifndef HB_APP_REPORT_INTERNAL_H
#define HB_APP_REPORT_INTERNAL_H

#include "app/report.h"

/* "PREFIX, total: 1.500 MB"; with `all` a line of each entry before it. */
void hb_report_entries(FILE *stream, const char *prefix, bool all,
                       const struct hb_entries *entries);

#endif
