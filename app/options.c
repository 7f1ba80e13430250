/* SPDX-License-Identifier: BSD-3-Clause
 * Options of a run: defaults, case file, command line; help and echo. */
#include "app/options.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "app/options_table.h"

static const hb_global CASE_FILE_BYTES = 1 << 20; /* at most; a case file has about 2000 */

/* Text that rank 0 gives to all.  `text` is owned and has room for one character more. */
struct shared_text {
  char *text;
  hb_global bytes;
};

void hb_options_defaults(struct hb_options *options) {
  memset(options, 0, sizeof *options);
  for (int i = 0; i < hb_option_count(); i++) {
    const struct hb_option *option = hb_option_at(i);
    const enum hb_status status = hb_option_set(option, "default", option->preset, options);
    HB_ASSERT(status == HB_OK);
    (void)status;
  }
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

static enum hb_status set_case_file(const char *argument, struct hb_options *options) {
  enum hb_status status = HB_OK;
  char first[HB_OPTION_SHOWN_BYTES], shown[HB_OPTION_SHOWN_BYTES];
  hb_option_shown(options->case_file, first);
  hb_option_shown(argument, shown);
  if (*argument == '\0')
    HB_FAIL(HB_BAD_INPUT, "command line: an empty argument; allowed: a case file or --NAME VALUE");
  if (*argument == '-')
    HB_FAIL(HB_BAD_INPUT,
            "command line: unknown option '%s'; options begin with --, --help lists "
            "all",
            shown);
  if (options->case_file[0] != '\0')
    HB_FAIL(HB_BAD_INPUT, "command line: a second case file '%s' after '%s'; allowed: one", shown,
            first);
  if (strlen(argument) >= HB_PATH_BYTES)
    HB_FAIL(HB_BAD_INPUT,
            "command line: the case file's name has %zu characters; allowed: at most "
            "%d",
            strlen(argument), HB_PATH_BYTES - 1);
  for (const char *c = argument; *c != '\0'; c++)
    if (iscntrl((unsigned char)*c))
      HB_FAIL(HB_BAD_INPUT, "command line: case file '%s': a control character in the name", shown);
  memcpy(options->case_file, argument, strlen(argument));
done:
  return status;
}

/* One option, beginning with --; *used counts the arguments it takes, `next` may be NULL. */
static enum hb_status set_argument(const char *argument, const char *next,
                                   struct hb_options *options, int *used) {
  enum hb_status status = HB_OK;
  const char *name = argument + 2;
  const size_t length = strcspn(name, "=");
  const int index = hb_option_find_argument(name, length);
  char where[HB_OPTION_WHERE_BYTES], shown[HB_OPTION_SHOWN_BYTES], hint[HB_OPTION_HINT_BYTES];
  snprintf(where, sizeof where, "%.*s", length < 200 ? (int)length : 200, name);
  *used = 1;
  if (index < 0) {
    hb_option_shown(where, shown);
    hb_option_hint(NULL, where, hint);
    HB_FAIL(HB_BAD_INPUT, "command line: unknown option '--%s'; %s", shown, hint);
  }
  const struct hb_option *option = hb_option_at(index);
  snprintf(where, sizeof where, "command line: --%.*s", (int)length, name);
  if (option->type == HB_OPTION_FLAG) {
    if (name[length] == '=') HB_FAIL(HB_BAD_INPUT, "%s takes no value", where);
    HB_TRY(hb_option_set(option, where, "yes", options));
  } else if (name[length] == '=') {
    HB_TRY(hb_option_set(option, where, name + length + 1, options));
  } else {
    const bool missing = next == NULL || strncmp(next, "--", 2) == 0;
    HB_TRY(hb_option_set(option, where, missing ? "" : next, options));
    *used = 2;
  }
done:
  return status;
}

/* Later arguments go over earlier ones. */
static enum hb_status read_arguments(int argc, char **argv, struct hb_options *options) {
  enum hb_status status = HB_OK;
  int used = 1;
  options->case_file[0] = '\0';
  for (int i = 1; i < argc; i += used) {
    used = 1;
    if (strncmp(argv[i], "--", 2) == 0)
      HB_TRY(set_argument(argv[i], i + 1 < argc ? argv[i + 1] : NULL, options, &used));
    else
      HB_TRY(set_case_file(argv[i], options));
  }
done:
  return status;
}

/* Help and version come before everything else, errors included. */
static bool asks_for_words(int argc, char **argv, struct hb_options *options) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) options->help = true;
    if (strcmp(argv[i], "--version") == 0) options->version = true;
  }
  return options->help || options->version;
}

static enum hb_status load_case_file(const char *path, struct shared_text *loaded) {
  enum hb_status status = HB_OK;
  char shown[HB_OPTION_SHOWN_BYTES];
  FILE *file = NULL;
  hb_option_shown(path, shown);
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
  if (asks_for_words(argc, argv, options)) goto done;
  HB_TRY(read_arguments(argc, argv, options)); /* the same arguments, the same result everywhere */
  if (options->case_file[0] == '\0') goto done;
  if (comm->rank == 0) status = load_case_file(options->case_file, &text);
  HB_TRY(hb_comm_agree(comm, status));
  HB_TRY(share_text(comm, &text));
  memcpy(path, options->case_file, sizeof path);
  hb_options_defaults(options);
  HB_TRY(hb_options_read(path, text.text, (size_t)text.bytes, options));
  HB_TRY(read_arguments(argc, argv, options));
done:
  hb_free(text.text);
  return status;
}

/* The type as a word for what follows --name. */
static const char *value_word(const struct hb_option *option) {
  if (option->type == HB_OPTION_FLAG) return "";
  if (option->type == HB_OPTION_INTEGER) return " INTEGER";
  if (option->type == HB_OPTION_REAL) return " NUMBER";
  return option->type == HB_OPTION_TEXT ? " TEXT" : " WORD";
}

static void help_on(FILE *stream, const struct hb_option *option) {
  char range[HB_OPTION_SHOWN_BYTES], words[HB_OPTION_SHOWN_BYTES];
  const bool alias = option->alias != NULL, unit = option->unit != NULL && *option->unit != '\0';
  hb_option_range(option, range);
  snprintf(words, sizeof words, "--%s%s%s%s", option->name, alias ? ", --" : "",
           alias ? option->alias : "", value_word(option));
  fprintf(stream, "  %-26s %s\n", words, option->help);
  if (option->type == HB_OPTION_FLAG) return;
  fprintf(stream, "  %-26s %s%s%s; default %s\n", "", range, unit ? ", in " : "",
          unit ? option->unit : "", option->preset);
}

/* Does the row's section differ from that of the row before?  (NULL: the command line alone.) */
static bool section_begins(int index) {
  const char *before = index > 0 ? hb_option_at(index - 1)->section : "";
  const char *now = hb_option_at(index)->section;
  return now == NULL ? before != NULL : before == NULL || strcmp(now, before) != 0;
}

void hb_options_help(FILE *stream) {
  fprintf(stream, "Usage: helmbone [CASE.ini] [--NAME VALUE | --NAME=VALUE | --FLAG]...\n"
                  "Solves -div(h1 grad u) + h2 u = f on a box of spectral elements.\n\n"
                  "The case file has lines [section] and `name = value`; # and ; begin comments.\n"
                  "Options go over the case file, later ones over earlier ones.  In their names\n"
                  "- and _ are the same.\n");
  for (int i = 0; i < hb_option_count(); i++) {
    const struct hb_option *option = hb_option_at(i);
    if (section_begins(i) && option->section != NULL)
      fprintf(stream, "\n[%s]\n", option->section);
    else if (section_begins(i))
      fprintf(stream, "\ncommand line alone\n");
    help_on(stream, option);
  }
}

/* Quotes where a bare value would be cut or read as something else. */
static bool needs_quotes(const char *value) {
  const size_t length = strlen(value);
  return length == 0 || value[0] == ' ' || value[length - 1] == ' ' || value[0] == '#' ||
         value[0] == ';' || strstr(value, " #") != NULL || strstr(value, " ;") != NULL;
}

void hb_options_echo(FILE *stream, const struct hb_options *options) {
  char value[HB_PATH_BYTES];
  if (options->case_file[0] != '\0') fprintf(stream, "# case file: %s\n", options->case_file);
  for (int i = 0; i < hb_option_count(); i++) {
    const struct hb_option *option = hb_option_at(i);
    if (option->section == NULL) continue;
    if (section_begins(i)) fprintf(stream, "[%s]\n", option->section);
    hb_option_format(option, options, value);
    const char *quote = option->type == HB_OPTION_TEXT && needs_quotes(value) ? "\"" : "";
    fprintf(stream, "%s = %s%s%s\n", option->name, quote, value, quote);
  }
}

void hb_options_visit(const struct hb_options *options,
                      void (*visit)(void *context, const char *section, const char *name,
                                    const char *value),
                      void *context) {
  char value[HB_PATH_BYTES];
  for (int i = 0; i < hb_option_count(); i++) {
    const struct hb_option *option = hb_option_at(i);
    if (option->section == NULL) continue;
    hb_option_format(option, options, value);
    visit(context, option->section, option->name, value);
  }
}
