/* SPDX-License-Identifier: BSD-3-Clause
 * Command lines of helmbone-matcore's commands. */
#include "app/matcore/arguments.h"

enum hb_status hb_matcore_arguments(const struct hb_matcore_usage *usage, int argc, char **argv,
                                    void *options, bool *helped) {
  hb_option_defaults(&usage->table, options);
  *helped = hb_option_given(argc, argv, "--help") || hb_option_given(argc, argv, "-h");
  if (!*helped) return hb_option_read_arguments(&usage->table, argc, argv, options);
  fputs(usage->usage, stdout);
  hb_option_help(&usage->table, stdout);
  if (usage->notes != NULL) fputs(usage->notes, stdout);
  return HB_OK;
}
