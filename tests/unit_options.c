/* SPDX-License-Identifier: BSD-3-Clause
 * Options: defaults, values and their errors, the command line, help, echo. */
#include <limits.h>
#include <mpi.h>
#include <string.h>

#include "app/options_table.h"
#include "kernels/geometry/geometry.h"
#include "tests/check.h"

enum { PRINTED_BYTES = 1 << 16 };

/* Parses up to two words (NULL: not there) as arguments. */
static enum hb_status parse(const struct hb_comm *comm, const char *one, const char *two,
                            struct hb_options *options) {
  char program[] = "helmbone", first[HB_PATH_BYTES + 64] = "", second[HB_PATH_BYTES + 64] = "";
  char *arguments[] = {program, first, second, NULL};
  if (one != NULL) snprintf(first, sizeof first, "%s", one);
  if (two != NULL) snprintf(second, sizeof second, "%s", two);
  return hb_options_parse(comm, 1 + (one != NULL) + (two != NULL), arguments, options);
}

/* Bit by bit, member by member: padding between members does not count. */
static bool same_values(const struct hb_options *a, const struct hb_options *b) {
  for (int i = 0; i < hb_options_table()->count; i++) {
    const struct hb_option *option = &hb_options_table()->rows[i];
    if (memcmp((const char *)a + option->offset, (const char *)b + option->offset, option->bytes) !=
        0)
      return false;
  }
  return true;
}

static void check_defaults(struct hb_check *check, const struct hb_comm *comm) {
  struct hb_options options, parsed;
  hb_options_defaults(&options);
  CHECK_OK(check, parse(comm, NULL, NULL, &parsed));
  CHECK(check, same_values(&options, &parsed));
  CHECK_EQUAL(check, options.degree, 7);
  CHECK(check, options.nx == 4 && options.ny == 4 && options.nz == 4);
  CHECK(check, options.lx == 1.0 && options.ly == 1.0 && options.lz == 1.0);
  CHECK(check, options.size_is == HB_SIZE_GLOBAL && options.deformation == HB_UNDEFORMED);
  for (int axis = 0; axis < 3; axis++) CHECK_EQUAL(check, options.boundary[axis], HB_DIRICHLET);
  CHECK(check, options.amplitude == 0.05 && options.epsilon_y == 0.3 && options.epsilon_z == 0.3);
  CHECK(check, options.px == 0 && options.py == 0 && options.pz == 0);
  CHECK(check, options.h1 == 1.0 && options.h2 == 1.0);
  CHECK(check, options.h1_variation == 0.0 && options.h2_variation == 0.0);
  CHECK(check, options.preconditioner == HB_JACOBI && options.stop == HB_STOP_TOLERANCE);
  CHECK(check, options.tolerance == 1e-10 && options.iterations == 1000);
  CHECK_EQUAL(check, options.geometry, 1 + HB_GEOMETRY_STORED);
  CHECK(check, options.precision == HB_F64 && strcmp(options.kernel, "auto") == 0);
  CHECK(check, options.pins.tile == HB_MATRIX_NONE && options.pins.layout == HB_CUBE_NONE);
  CHECK(check,
        options.pins.wavefronts == 0 && options.pins.elements == 0 && options.pins.ahead == -1);
  CHECK(check, options.autotune && strcmp(options.tuning_file, "helmbone_tuning.txt") == 0);
  CHECK(check, options.warmup == 1 && options.repeats == 3);
  CHECK(check, strcmp(options.file, "none") == 0 && strcmp(options.fields, "yes") == 0);
  CHECK(check, options.field_precision == HB_FIELDS_AS_SOLVED && options.pieces == 0);
  CHECK(check, options.progress == HB_PROGRESS_AUTO && options.case_file[0] == '\0');
  CHECK(check, !options.dry_run && !options.help && !options.version && !options.retune);
}

static void check_forms(struct hb_check *check, const struct hb_comm *comm) {
  struct hb_options options;
  CHECK_OK(check, parse(comm, "--degree", "15", &options));
  CHECK_EQUAL(check, options.degree, 15);
  CHECK_OK(check, parse(comm, "--degree=1", "--degree=+9", &options));
  CHECK_EQUAL(check, options.degree, 9);
  CHECK_OK(check, parse(comm, "--nx=9223372036854775807", "--h2-variation=.5", &options));
  CHECK_EQUAL(check, options.nx, INT64_MAX);
  CHECK(check, options.h2_variation == 0.5);
  CHECK_OK(check, parse(comm, "--px=2147483647", "--tolerance=1E-6", &options));
  CHECK_EQUAL(check, options.px, INT_MAX);
  CHECK(check, options.tolerance == 1e-6);
  CHECK_OK(check, parse(comm, "--boundary_y=periodic", "--boundary-z=neumann", &options));
  CHECK(check, options.boundary[1] == HB_PERIODIC && options.boundary[2] == HB_NEUMANN);
  CHECK_EQUAL(check, options.boundary[0], HB_DIRICHLET);
  CHECK_OK(check, parse(comm, "--size-is=per_rank", "--precision=f32", &options));
  CHECK(check, options.size_is == HB_SIZE_PER_RANK && options.precision == HB_F32);
  CHECK_OK(check, parse(comm, "--output", "a=b #1.vtkhdf", &options));
  CHECK(check, strcmp(options.file, "a=b #1.vtkhdf") == 0);
  CHECK_OK(check, parse(comm, "--file=c.vtkhdf", "--fields=no", &options));
  CHECK(check, strcmp(options.file, "c.vtkhdf") == 0 && strcmp(options.fields, "no") == 0);
  CHECK_OK(check, parse(comm, "--geometry=auto", NULL, &options));
  CHECK_EQUAL(check, options.geometry, HB_GEOMETRY_AUTO);
  CHECK_OK(check, parse(comm, "--geometry=affine", NULL, &options));
  CHECK_EQUAL(check, options.geometry, 1 + HB_GEOMETRY_AFFINE);
  CHECK_OK(check, parse(comm, "--fields=solution,error", "--field-precision=f32", &options));
  CHECK(check, strcmp(options.fields, "solution,error") == 0);
  CHECK_EQUAL(check, options.field_precision, HB_FIELDS_F32);
  CHECK_OK(check, parse(comm, "--tile=4x4x4", "--padding=swizzled", &options));
  CHECK(check, options.pins.tile == HB_MATRIX_4X4X4 && options.pins.layout == HB_CUBE_SWIZZLED);
  CHECK_OK(check, parse(comm, "--tile=8x8x4", "--elements-per-block=4", &options));
  CHECK(check, options.pins.tile == HB_MATRIX_8X8X4 && options.pins.elements == 4);
  CHECK_OK(check, parse(comm, "--ahead=0", "--retune", &options));
  CHECK(check, options.pins.ahead == 0 && options.retune);
  CHECK_OK(check, parse(comm, "--dry-run", NULL, &options));
  CHECK(check, options.dry_run && !options.help);
  CHECK_OK(check, parse(comm, "--dry_run", "--version", &options));
  CHECK(check, options.version);
  CHECK_OK(check, parse(comm, "--degree=wrong", "--help", &options)); /* help always works */
  CHECK(check, options.help);
  CHECK_OK(check, parse(comm, "--h2", "-0", &options)); /* a value may begin with one - */
  CHECK(check, options.h2 == 0.0);
}

static void check_errors(struct hb_check *check, const struct hb_comm *comm) {
  static const struct {
    const char *one, *two, *words;
  } cases[] = {
      {"--degree", "0", "command line: --degree: '0' is out of range; allowed: 1..15"},
      {"--degree=16", NULL, "command line: --degree: '16' is out of range; allowed: 1..15"},
      {"--degree", NULL, "--degree: the value is missing; allowed: 1..15"},
      {"--degree", "--nx", "--degree: the value is missing"},
      {"--degree=", NULL, "--degree: the value is missing"},
      {"--degree", "", "--degree: the value is missing"},
      {"--degree=7x", NULL, "'7x' has text after the integer"},
      {"--degree=7 8", NULL, "'7 8' has text after the integer"},
      {"--degree=7.5", NULL, "'7.5' is not an integer"},
      {"--degree=seven", NULL, "'seven' is not an integer"},
      {"--degree= 7", NULL, "' 7' is not an integer"},
      {"--degree=-", NULL, "'-' is not an integer"},
      {"--degree=4294967303", NULL, "out of range; allowed: 1..15"},
      {"--nx=9223372036854775808", NULL, "out of range; allowed: 1..9223372036854775807"},
      {"--nx=-1", NULL, "'-1' is out of range"},
      {"--px=2147483648", NULL, "out of range; allowed: 0..2147483647"},
      {"--lx=0", NULL, "'0' is out of range; allowed: > 0"},
      {"--lx=nan", NULL, "'nan' is not a finite number"},
      {"--lx=-inf", NULL, "'-inf' is not a finite number"},
      {"--lx=1e400", NULL, "'1e400' is too large for a double"},
      {"--lx=1e-400", NULL, "'1e-400' is too small for a double"},
      {"--lx=0x1p3", NULL, "'0x1p3' is not a decimal number"},
      {"--lx=1.0.0", NULL, "'1.0.0' has text after the number"},
      {"--lx=1,5", NULL, "'1,5' has text after the number"},
      {"--lx=.", NULL, "'.' is not a number"},
      {"--lx= 1", NULL, "' 1' is not a number"},
      {"--lx=long", NULL, "'long' is not a number"},
      {"--amplitude=0.51", NULL, "allowed: 0..0.5"},
      {"--epsilon_y=0", NULL, "allowed: > 0 and <= 1"},
      {"--epsilon_z=1.001", NULL, "allowed: > 0 and <= 1"},
      {"--tolerance=1", NULL, "allowed: > 0 and < 1"},
      {"--h2=-1e-9", NULL, "allowed: >= 0"},
      {"--stop=both", NULL, "'both' is not known; allowed: tolerance | count"},
      {"--stop=count ", NULL, "is not known"},
      {"--boundary_x=Periodic", NULL, "allowed: dirichlet | neumann | periodic"},
      {"--autotune=1", NULL, "'1' is neither yes nor no; allowed: yes | no"},
      {"--kernel=a_name_that_has_32_characters___", NULL, "is too long; allowed: 1..31 characters"},
      {"--output=a\"b", NULL, "a double quote or a control character"},
      {"--output=a\nb", NULL, "'a?b' holds a double quote or a control"},
      {"--dry-run=yes", NULL, "--dry-run takes no value"},
      {"--degre=3", NULL, "unknown option '--degre'; did you mean --degree?"},
      {"--tol", "1", "did you mean --tolerance?"},
      {"--boundary-q=periodic", NULL, "did you mean --boundary_x or --boundary_y or --bound"},
      {"--dry", NULL, "did you mean --dry-run?"},
      {"--zebra-crossing", NULL, "--help lists all"},
      {"--", NULL, "unknown option '--'"},
      {"-n", "4", "unknown option '-n'; options begin with --"},
      {"", NULL, "an empty argument"},
      {"a.ini", "b.ini", "a second case file 'b.ini' after 'a.ini'"},
      {"a\tb.ini", NULL, "a control character in the name"},
      {"missing.ini", NULL, "cannot open the case file 'missing.ini': No such file"},
      {"/", NULL, "the case file '/': Is a directory"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct hb_options options;
    CHECK_FAILS(check, parse(comm, cases[i].one, cases[i].two, &options), HB_BAD_INPUT,
                cases[i].words);
  }
}

/* Names and values too long for any buffer. */
static void check_long_arguments(struct hb_check *check, const struct hb_comm *comm) {
  struct hb_options options;
  char text[HB_PATH_BYTES + 32];
  memset(text, 'a', sizeof text);
  text[HB_PATH_BYTES] = '\0';
  CHECK_FAILS(check, parse(comm, text, NULL, &options), HB_BAD_INPUT, "has 4096 characters");
  CHECK_FAILS(check, parse(comm, "--output", text, &options), HB_BAD_INPUT, "is too long");
  CHECK_FAILS(check, parse(comm, "--nx", text, &options), HB_BAD_INPUT, "aaa...' is not an int");
  text[HB_PATH_BYTES - 1] = '\0';
  CHECK_OK(check, parse(comm, "--output", text, &options));
  CHECK(check, strcmp(options.file, text) == 0);
  memcpy(text, "--", 2);
  CHECK_FAILS(check, parse(comm, text, NULL, &options), HB_BAD_INPUT, "aaa...'; --help lists");
}

/* The text that `print` writes; the caller frees it. */
static char *printed(void (*print)(FILE *stream, const struct hb_options *options),
                     const struct hb_options *options) {
  char *text = hb_allocate(PRINTED_BYTES, 1, "printed text");
  FILE *stream = tmpfile();
  if (stream != NULL) print(stream, options);
  if (stream != NULL) rewind(stream);
  text[stream != NULL ? fread(text, 1, PRINTED_BYTES - 1, stream) : 0] = '\0';
  if (stream != NULL) fclose(stream);
  return text;
}

static void print_help(FILE *stream, const struct hb_options *options) {
  (void)options;
  hb_options_help(stream);
}

/* Help names every option, its default, its choices or range; no line is wider than 100. */
static void check_help(struct hb_check *check) {
  char *text = printed(print_help, NULL), words[HB_OPTION_SHOWN_BYTES];
  for (int i = 0; i < hb_options_table()->count; i++) {
    const struct hb_option *option = &hb_options_table()->rows[i];
    if (option->words > 0) continue;
    snprintf(words, sizeof words, "--%s", option->name);
    const char *found = strstr(text, words);
    CHECK(check, found != NULL && strstr(found, option->help) != NULL);
    hb_option_range(option, words);
    CHECK(check, found != NULL && strstr(found, words) != NULL);
    CHECK(check, option->type != HB_OPTION_TEXT || option->alias == NULL ||
                     strstr(text, option->alias) != NULL);
  }
  for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
    CHECK(check, strcspn(line, "\n") <= 100);
  hb_free(text);
}

static void check_round_trip(struct hb_check *check, const struct hb_options *options) {
  struct hb_options again;
  char *text = printed(hb_options_echo, options);
  hb_options_defaults(&again);
  CHECK_OK(check, hb_options_read("echo", text, strlen(text), &again));
  CHECK(check, same_values(&again, options));
  hb_free(text);
}

/* Every option away from its default, reals that need 17 digits, names that need quotes. */
static void check_echo(struct hb_check *check) {
  static const char *const names[] = {"x",    " x ", "#x",  ";x",  "a #b",
                                      "a ;b", "a=b", "[x]", "a#b", "x\xc3\xa4.vtkhdf"};
  struct hb_options options;
  hb_options_defaults(&options);
  check_round_trip(check, &options);
  for (int i = 0; i < hb_options_table()->count; i++) {
    const struct hb_option *option = &hb_options_table()->rows[i];
    const char *value = "3";
    if (option->section == NULL) continue;
    if (option->type == HB_OPTION_REAL)
      value = option->high > 1 ? "1.2345678901234567e-3" : "0.30000000000000004";
    if (option->type == HB_OPTION_CHOICE) value = strrchr(option->choices, ' ') + 1;
    if (option->type == HB_OPTION_YESNO) value = "no";
    if (option->type == HB_OPTION_TEXT) value = "words";
    CHECK_OK(check, hb_option_set(option, "test", value, &options));
  }
  CHECK(check, options.lx == 1.2345678901234567e-3 && options.epsilon_y == 0.30000000000000004);
  check_round_trip(check, &options);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(options.file, sizeof options.file, "%s", names[i]);
    memset(options.file + strlen(names[i]), 0, sizeof options.file - strlen(names[i]));
    check_round_trip(check, &options);
  }
}

struct seen {
  int count;
  bool degree, output;
};

static void note(void *context, const char *section, const char *name, const char *value) {
  struct seen *seen = context;
  seen->count++;
  if (strcmp(section, "mesh") == 0 && strcmp(name, "degree") == 0)
    seen->degree = strcmp(value, "7") == 0;
  if (strcmp(section, "output") == 0 && strcmp(name, "file") == 0)
    seen->output = strcmp(value, "none") == 0;
}

/* Every row but the flags, in order, and the flags are the last rows. */
static void check_visit(struct hb_check *check) {
  struct hb_options options;
  struct seen seen = {0, false, false};
  int flags = 0;
  hb_options_defaults(&options);
  hb_options_visit(&options, note, &seen);
  for (int i = 0; i < hb_options_table()->count; i++)
    flags += hb_options_table()->rows[i].type == HB_OPTION_FLAG ? 1 : 0;
  CHECK_EQUAL(check, flags, 7);
  CHECK_EQUAL(check, seen.count, hb_options_table()->count - flags - 1); /* and the case file */
  CHECK(check, seen.degree && seen.output);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  check_defaults(&check, comm);
  check_forms(&check, comm);
  check_errors(&check, comm);
  check_long_arguments(&check, comm);
  check_help(&check);
  check_echo(&check);
  check_visit(&check);
  hb_comm_destroy(&comm);
  MPI_Finalize();
  return hb_check_finish(&check);
}
