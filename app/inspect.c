/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-inspect: summary of an output file, checked without trust in its writer.  Needs no
 * mpirun.
 *
 * HDF5 may crash on a damaged file, or take no end: a child process reads and prints. */
#include <stdio.h>

#include "app/option.h"
#include "app/program.h"
#include "io/field_file_read.h"
#include "io/guard.h"

enum { EXIT_VALID = 0, EXIT_INVALID = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 3 };

static const char usage[] =
    "Usage: helmbone-inspect FILE [--json]\n"
    "Summary of an output file, checked against its layout, its checksums and itself.\n";
static const char exit_codes[] = "exit code: 0 all right, 1 something is wrong, incomplete, or a "
                                 "gate did not pass, 2 wrong use,\n"
                                 "           3 the file cannot be read\n";

struct arguments {
  char file[HB_PATH_BYTES];
  bool json;
};

static const struct hb_option rows[] = {
    {.name = "file",
     .type = HB_OPTION_FILE,
     .words = 1,
     .needed = true,
     HB_OPTION_MEMBER(arguments, file),
     .help = "an output file, NAME.vtkhdf or NAME.hdf"},
    {.name = "json",
     .type = HB_OPTION_FLAG,
     HB_OPTION_MEMBER(arguments, json),
     .help = "one JSON object instead of text"},
};
static const struct hb_option_table table = {rows, sizeof rows / sizeof *rows};

static int print_help(void) {
  fputs(usage, stdout);
  hb_option_help(&table, stdout);
  fputs(exit_codes, stdout);
  if (hb_program_flush() == HB_OK) return EXIT_VALID;
  hb_error_print("helmbone-inspect");
  return EXIT_UNREADABLE;
}

/* The work of the child process; the exit code, after saying what went wrong. */
static int inspect(void *context) {
  enum hb_status status = HB_OK;
  int code = EXIT_VALID;
  const struct arguments *arguments = context;
  struct hb_field_file_summary *summary = NULL;
  HB_TRY(hb_field_file_read(arguments->file, &summary));
  HB_TRY(arguments->json ? hb_field_file_print_json(summary, stdout)
                         : hb_field_file_print(summary, stdout));
  if (summary->num_faults > 0 || summary->gates_failed || summary->gates_open) code = EXIT_INVALID;
  HB_TRY(hb_program_flush());
done:
  hb_field_file_summary_destroy(&summary);
  if (status != HB_OK) {
    hb_error_print("helmbone-inspect");
    code = EXIT_UNREADABLE;
  }
  return code;
}

int main(int argc, char **argv) {
  int code = EXIT_VALID;
  struct arguments arguments = {.json = false};
  hb_program_begin();
  if (hb_option_given(argc, argv, "--help") || hb_option_given(argc, argv, "-h"))
    return print_help();
  if (hb_option_read_arguments(&table, argc, argv, &arguments) != HB_OK) {
    hb_error_print("helmbone-inspect");
    return EXIT_USAGE;
  }
  const struct hb_guard_limits limits = hb_field_file_read_limits(arguments.file);
  if (hb_guard_run(&limits, inspect, &arguments, &code) != HB_OK) {
    fprintf(stderr, "helmbone-inspect: '%s' cannot be read, it may be damaged: %s\n",
            arguments.file, hb_error_message());
    code = EXIT_UNREADABLE;
  }
  return code;
}
