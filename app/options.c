/* SPDX-License-Identifier: BSD-3-Clause
 * Options of a run: defaults, case file, command line; help and echo. */
#include "app/options.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/options_table.h"

static const hb_global CASE_FILE_BYTES = 1 << 20; /* at most; a case file has about 2000 */

/* Text that rank 0 gives to all.  `text` is owned and has room for one character more. */
struct shared_text {
  char *text;
  hb_global bytes;
};

void hb_options_defaults(struct hb_options *options) {
  memset(options, 0, sizeof *options);
  hb_option_defaults(hb_options_table(), options);
}

enum hb_status hb_options_read(const char *path, char *text, size_t bytes,
                               struct hb_options *options) {
  return hb_option_read_text(hb_options_table(), path, text, bytes, options);
}

/* Collective.  Rank 0's text, NULL elsewhere, becomes every rank's. */
static enum hb_status share_text(const struct hb_comm *comm, struct shared_text *shared) {
  enum hb_status status = HB_OK;
  MPI_Bcast(&shared->bytes, 1, HB_MPI_GLOBAL, 0, comm->mpi);
  if (comm->rank != 0) {
    shared->text = hb_allocate(shared->bytes + 1, 1, "text of the options");
    if (shared->text == NULL) status = HB_MACHINE_FAILED;
  }
  HB_TRY(hb_comm_agree(comm, status));
  MPI_Bcast(shared->text, (int)shared->bytes, MPI_CHAR, 0, comm->mpi);
done:
  return status;
}

/* The arguments after the program's name, each with its closing NUL. */
static enum hb_status pack_arguments(int argc, char **argv, struct shared_text *packed) {
  enum hb_status status = HB_OK;
  char *next = NULL;
  packed->bytes = 0;
  for (int i = 1; i < argc; i++) packed->bytes += (hb_global)strlen(argv[i]) + 1;
  HB_ALLOC(packed->text, packed->bytes + 1, "arguments");
  next = packed->text;
  for (int i = 1; i < argc; i++) {
    memcpy(next, argv[i], strlen(argv[i]) + 1);
    next += strlen(argv[i]) + 1;
  }
done:
  return status;
}

/* Collective.  A launcher can start ranks with different arguments; that is refused. */
static enum hb_status compare_arguments(const struct hb_comm *comm, int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct shared_text mine = {NULL, 0}, first = {NULL, 0};
  HB_TRY(hb_comm_agree(comm, pack_arguments(argc, argv, &mine)));
  if (comm->rank == 0) {
    first = mine;
    mine.text = NULL;
  }
  HB_TRY(share_text(comm, &first));
  if (comm->rank != 0 &&
      (mine.bytes != first.bytes || memcmp(mine.text, first.text, (size_t)mine.bytes) != 0))
    status = hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                             "command line: rank %d has other arguments than rank 0; allowed: the "
                             "same on all ranks",
                             comm->rank);
  status = hb_comm_agree(comm, status);
done:
  hb_free(mine.text);
  hb_free(first.text);
  return status;
}

/* A pipe in the file system, or a device, may never come to an end; what is open already, standard
 * input among it, was handed over on purpose. */
static enum hb_status check_case_file(const char *path, const char *shown) {
  enum hb_status status = HB_OK;
  struct stat info, input;
  if (stat(path, &info) != 0)
    HB_FAIL(HB_BAD_INPUT, "cannot open the case file '%s': %s", shown, strerror(errno));
  const bool is_input = fstat(STDIN_FILENO, &input) == 0 && input.st_dev == info.st_dev &&
                        input.st_ino == info.st_ino;
  const bool is_open =
      is_input || strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0;
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode) && !is_open)
    HB_FAIL(HB_BAD_INPUT,
            "case file '%s': this is no plain file; allowed: a plain file, or /dev/stdin", shown);
done:
  return status;
}

static enum hb_status load_case_file(const char *path, struct shared_text *loaded) {
  enum hb_status status = HB_OK;
  char shown[HB_OPTION_SHOWN_BYTES];
  FILE *file = NULL;
  hb_option_shown(path, shown);
  HB_TRY(check_case_file(path, shown));
  HB_ALLOC(loaded->text, CASE_FILE_BYTES + 1, "case file");
  file = fopen(path, "rb");
  if (file == NULL)
    HB_FAIL(HB_BAD_INPUT, "cannot open the case file '%s': %s", shown, strerror(errno));
  errno = 0;
  loaded->bytes = (hb_global)fread(loaded->text, 1, (size_t)CASE_FILE_BYTES + 1, file);
  if (ferror(file))
    HB_FAIL(HB_BAD_INPUT, "cannot read the case file '%s': %s", shown, strerror(errno));
  if (loaded->bytes > CASE_FILE_BYTES)
    HB_FAIL(HB_BAD_INPUT, "%s: the case file is too large; allowed: at most %lld bytes", shown,
            (long long)CASE_FILE_BYTES);
done:
  if (file != NULL) fclose(file);
  return status;
}

enum hb_status hb_options_parse(const struct hb_comm *comm, int argc, char **argv,
                                struct hb_options *options) {
  enum hb_status status = HB_OK;
  struct shared_text text = {NULL, 0};
  char path[HB_PATH_BYTES];
  hb_options_defaults(options);
  HB_TRY(compare_arguments(comm, argc, argv));
  options->help = hb_option_given(argc, argv, "--help");
  options->version = hb_option_given(argc, argv, "--version");
  if (options->help || options->version) goto done; /* before everything else, errors included */
  /* The same arguments, the same result everywhere. */
  HB_TRY(hb_option_read_arguments(hb_options_table(), argc, argv, options));
  if (options->case_file[0] == '\0') goto done;
  if (comm->rank == 0) status = load_case_file(options->case_file, &text);
  HB_TRY(hb_comm_agree(comm, status));
  HB_TRY(share_text(comm, &text));
  memcpy(path, options->case_file, sizeof path);
  hb_options_defaults(options);
  HB_TRY(hb_options_read(path, text.text, (size_t)text.bytes, options));
  HB_TRY(hb_option_read_arguments(hb_options_table(), argc, argv, options));
done:
  hb_free(text.text);
  return status;
}

void hb_options_help(FILE *stream) {
  fprintf(stream, "Usage: helmbone [CASE.ini] [--NAME VALUE | --NAME=VALUE | --FLAG]...\n"
                  "Solves -div(h1 grad u) + h2 u = f on a box of spectral elements.\n\n"
                  "The case file has lines [section] and `name = value`; # and ; begin comments.\n"
                  "Options go over the case file, later ones over earlier ones.  In their names\n"
                  "- and _ are the same.\n");
  hb_option_help(hb_options_table(), stream);
}

void hb_options_echo(FILE *stream, const struct hb_options *options) {
  if (options->case_file[0] != '\0') fprintf(stream, "# case file: %s\n", options->case_file);
  hb_option_echo(hb_options_table(), stream, options);
}

void hb_options_visit(const struct hb_options *options,
                      void (*visit)(void *context, const char *section, const char *name,
                                    const char *value),
                      void *context) {
  hb_option_visit(hb_options_table(), options, visit, context);
}
