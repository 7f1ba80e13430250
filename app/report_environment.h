/* SPDX-License-Identifier: BSD-3-Clause
 * What of the environment belongs into a report. */
#ifndef HB_APP_REPORT_ENVIRONMENT_H
#define HB_APP_REPORT_ENVIRONMENT_H

#include "io/json.h"

/* Does the variable of that name (up to its =) belong there?  Those of launchers, MPI libraries,
 * networks, OpenMP and GPU runtimes; none whose name speaks of a secret. */
bool hb_environment_matters(const char *name);

/* The members "environment", sorted by name, and "modules" of the open object.  HB_MACHINE_FAILED:
 * memory is missing. */
enum hb_status hb_environment_put(char **environment, struct hb_json *json);

#endif
