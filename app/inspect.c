/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-inspect: summary of an output file, checked against its layout.  Needs no mpirun.
 *
 * HDF5 may crash on a damaged file, or take no end: a child process reads and prints. */
#include <stdio.h>
#include <string.h>

#include "io/field_file_read.h"
#include "io/guard.h"

enum { EXIT_VALID = 0, EXIT_INVALID = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 3 };

static const char usage[] =
    "helmbone-inspect FILE [--json]   summary of an output file, checked against its layout\n"
    "  --json   one JSON object instead of text\n"
    "  --help   this text\n"
    "exit code: 0 all right, 1 layout wrong, file incomplete or a gate failed, 2 wrong use,\n"
    "           3 the file cannot be read\n";

struct arguments {
  const char *file;
  bool json, help;
};

static bool parse(int argc, char **argv, struct arguments *arguments) {
  for (int a = 1; a < argc; a++) {
    if (strcmp(argv[a], "--json") == 0) {
      arguments->json = true;
    } else if (strcmp(argv[a], "--help") == 0 || strcmp(argv[a], "-h") == 0) {
      arguments->help = true;
    } else if (argv[a][0] == '-' || arguments->file != NULL) {
      fprintf(stderr, "helmbone-inspect: unexpected argument '%s'\n%s", argv[a], usage);
      return false;
    } else {
      arguments->file = argv[a];
    }
  }
  if (arguments->file == NULL && !arguments->help)
    fprintf(stderr, "helmbone-inspect: which file?\n%s", usage);
  return arguments->file != NULL || arguments->help;
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
  if (summary->num_faults > 0 || summary->gates_failed) code = EXIT_INVALID;
  if (fflush(stdout) != 0) HB_FAIL(HB_MACHINE_FAILED, "the output cannot be written");
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
  struct arguments arguments = {0};
  if (!parse(argc, argv, &arguments)) return EXIT_USAGE;
  if (arguments.help) {
    fputs(usage, stdout);
    return EXIT_VALID;
  }
  const struct hb_guard_limits limits = hb_field_file_read_limits(arguments.file);
  if (hb_guard_run(&limits, inspect, &arguments, &code) != HB_OK) {
    fprintf(stderr, "helmbone-inspect: '%s' cannot be read, it may be damaged: %s\n",
            arguments.file, hb_error_message());
    code = EXIT_UNREADABLE;
  }
  return code;
}
