/* SPDX-License-Identifier: BSD-3-Clause
 * The table of options, and reading and writing of one value by its row. */
#include "app/options_table.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEMBER(field)                                                                              \
  .offset = offsetof(struct hb_options, field), .bytes = sizeof(((struct hb_options *)NULL)->field)
#define ROW(in, of, kind, field, otherwise, what)                                                  \
  .section = (in), .name = (of), .type = (kind), MEMBER(field), .preset = (otherwise),             \
  .help = (what)
#define INTEGER(in, name, min, max, preset, what)                                                  \
  { ROW(in, #name, HB_OPTION_INTEGER, name, preset, what), .lowest = (min), .highest = (max) }
#define REAL(in, name, min, min_open, max, max_open, unit_of, preset, what)                        \
  {                                                                                                \
    ROW(in, #name, HB_OPTION_REAL, name, preset, what), .low = (min), .low_open = (min_open),      \
                                                        .high = (max), .high_open = (max_open),    \
                                                        .unit = (unit_of)                          \
  }
#define CHOICE(in, name, field, names, preset, what)                                               \
  { ROW(in, name, HB_OPTION_CHOICE, field, preset, what), .choices = (names) }
#define FLAG(name, field, what)                                                                    \
  { ROW(NULL, name, HB_OPTION_FLAG, field, "no", what) }

/* Enums of the options are read and written as int. */
_Static_assert(sizeof(enum hb_boundary) == sizeof(int), "an enum of the options is an int");
_Static_assert(sizeof(enum hb_precision) == sizeof(int), "an enum of the options is an int");
_Static_assert(sizeof(enum hb_matrix_tile) == sizeof(int), "an enum of the options is an int");
_Static_assert(sizeof(enum hb_cube_layout) == sizeof(int), "an enum of the options is an int");

#define INF        HUGE_VAL
#define BOUNDARIES "dirichlet neumann periodic"

static const struct hb_option table[] = {
    INTEGER("mesh", degree, HB_MIN_DEGREE, HB_MAX_DEGREE, "7", "degree of the polynomials"),
    INTEGER("mesh", nx, 1, HB_GLOBAL_MAX, "4", "elements along x, of the box or of a rank"),
    INTEGER("mesh", ny, 1, HB_GLOBAL_MAX, "4", "elements along y"),
    INTEGER("mesh", nz, 1, HB_GLOBAL_MAX, "4", "elements along z"),
    CHOICE("mesh", "size_is", size_is, "global per_rank", "global",
           "nx, ny, nz count the whole box, or one rank's part (weak scaling)"),
    REAL("mesh", lx, 0, true, INF, true, "m", "1", "length of the box along x"),
    REAL("mesh", ly, 0, true, INF, true, "m", "1", "length of the box along y"),
    REAL("mesh", lz, 0, true, INF, true, "m", "1", "length of the box along z"),
    CHOICE("mesh", "boundary_x", boundary[0], BOUNDARIES, "dirichlet", "both faces across x"),
    CHOICE("mesh", "boundary_y", boundary[1], BOUNDARIES, "dirichlet", "both faces across y"),
    CHOICE("mesh", "boundary_z", boundary[2], BOUNDARIES, "dirichlet", "both faces across z"),
    CHOICE("mesh", "deformation", deformation, "none smooth kershaw", "none",
           "how the elements are bent"),
    REAL("mesh", amplitude, 0, false, 0.5, false, "", "0.05", "size of the smooth deformation"),
    REAL("mesh", epsilon_y, 0, true, 1, false, "", "0.3", "kershaw deformation, 1 = none"),
    REAL("mesh", epsilon_z, 0, true, 1, false, "", "0.3", "kershaw deformation, 1 = none"),
    INTEGER("ranks", px, 0, INT_MAX, "0", "ranks along x, 0 = chosen for the smallest surface"),
    INTEGER("ranks", py, 0, INT_MAX, "0", "ranks along y, 0 = chosen"),
    INTEGER("ranks", pz, 0, INT_MAX, "0", "ranks along z, 0 = chosen"),
    REAL("problem", h1, 0, true, INF, true, "", "1", "coefficient of the diffusion term"),
    REAL("problem", h2, 0, false, INF, true, "1/m^2", "1", "coefficient of the mass term"),
    REAL("problem", h1_variation, 0, false, 0.9, false, "", "0",
         "h1 varies smoothly in space by this fraction"),
    REAL("problem", h2_variation, 0, false, 0.9, false, "", "0",
         "h2 varies smoothly in space by this fraction"),
    CHOICE("solver", "preconditioner", preconditioner, "none jacobi", "jacobi",
           "of the conjugate gradient iteration"),
    CHOICE("solver", "stop", stop, "tolerance count", "tolerance",
           "end at the tolerance, or after a fixed count of iterations"),
    REAL("solver", tolerance, 0, true, 1, true, "", "1e-10", "residual to reach, |r| / |b|"),
    INTEGER("solver", iterations, 1, 1000000, "1000", "most iterations, or the fixed count"),
    CHOICE("solver", "precision", precision, "f64 f32", "f64", "of all fields and sums"),
    {ROW("solver", "kernel", HB_OPTION_TEXT, kernel, "auto",
         "operator variant by name, auto = the best for backend and degree")},
    CHOICE("solver", "tile", tile, "auto 16x16x4 4x4x4 4x4x1 8x8x4", "auto",
           "matrix instruction of a GPU kernel, auto = tuned"),
    INTEGER("solver", wavefronts, 0, 16, "0",
            "wavefronts of a GPU block (tensor: of an SM), 0 = tuned"),
    INTEGER("solver", elements_per_block, 0, 1024, "0",
            "elements of a block of a GPU kernel, 0 = tuned"),
    CHOICE("solver", "padding", padding, "auto plain padded swizzled", "auto",
           "layout of a GPU kernel's cubes in LDS, auto = tuned"),
    INTEGER("solver", ahead, -1, 16, "-1",
            "planes or elements that a GPU kernel fetches ahead, -1 = tuned"),
    {ROW("solver", "autotune", HB_OPTION_YESNO, autotune, "yes",
         "time the GPU kernels before the solve, no = take the default")},
    {ROW("solver", "tuning_file", HB_OPTION_TEXT, tuning_file, "helmbone_tuning.txt",
         "file that keeps what tuning found, none = keep nothing")},
    INTEGER("solver", warmup, 0, 100, "1", "untimed solves before the timed ones"),
    INTEGER("solver", repeats, 1, 1000, "3", "timed solves"),
    {ROW("output", "file", HB_OPTION_TEXT, file, "none",
         "file to write, NAME.vtkhdf opens in ParaView, none = write nothing"),
     .alias = "output"},
    {ROW("output", "fields", HB_OPTION_YESNO, fields, "yes",
         "write the fields, not the tables alone")},
    CHOICE("run", "progress", progress, "auto on off", "auto",
           "a line that shows how far the solve is, auto = at a terminal"),
    CHOICE("run", "backend", backend, "auto host gpu", "auto",
           "where it runs, auto = the GPU if built for one"),
    CHOICE("run", "gpu_aware", gpu_aware, "auto on off", "auto",
           "give GPU memory to MPI, auto = if it can and a test is right"),
    FLAG("oversubscribe", oversubscribe, "several ranks on one GPU are meant: no warning"),
    FLAG("check-launches", check_launches,
         "wait after every GPU kernel, so that an error names it (slow)"),
    FLAG("retune", retune, "tune the GPU kernels anew, whatever the tuning file has"),
    FLAG("dry-run", dry_run, "check the input and show sizes and memory, solve nothing"),
    FLAG("help", help, "print this text"),
    FLAG("version", version, "print version and build"),
};

int hb_option_count(void) { return (int)(sizeof table / sizeof table[0]); }

const struct hb_option *hb_option_at(int index) {
  HB_ASSERT(index >= 0 && index < hb_option_count());
  return &table[index];
}

int hb_option_find(const char *section, const char *name) {
  for (int i = 0; i < hb_option_count(); i++) {
    if (table[i].section == NULL || strcmp(table[i].name, name) != 0) continue;
    if (section == NULL || strcmp(table[i].section, section) == 0) return i;
  }
  return -1;
}

static bool argument_matches(const char *name, size_t length, const char *known) {
  if (known == NULL || strlen(known) != length) return false;
  for (size_t i = 0; i < length; i++)
    if ((name[i] == '-' ? '_' : name[i]) != (known[i] == '-' ? '_' : known[i])) return false;
  return true;
}

int hb_option_find_argument(const char *name, size_t length) {
  for (int i = 0; i < hb_option_count(); i++)
    if (argument_matches(name, length, table[i].name) ||
        argument_matches(name, length, table[i].alias))
      return i;
  return -1;
}

bool hb_option_section_known(const char *section) {
  for (int i = 0; i < hb_option_count(); i++)
    if (table[i].section != NULL && strcmp(table[i].section, section) == 0) return true;
  return false;
}

void hb_option_shown(const char *given, char text[HB_OPTION_SHOWN_BYTES]) {
  const size_t length = strlen(given), room = HB_OPTION_SHOWN_BYTES - 4;
  const size_t kept = length <= room ? length : room;
  for (size_t i = 0; i < kept; i++)
    text[i] = (char)(iscntrl((unsigned char)given[i]) ? '?' : given[i]);
  memcpy(text + kept, kept < length ? "..." : "", kept < length ? 4 : 1);
}

static void range_of_real(const struct hb_option *option, char text[HB_OPTION_SHOWN_BYTES]) {
  const char *above = option->low_open ? ">" : ">=";
  if (isinf(option->high))
    snprintf(text, HB_OPTION_SHOWN_BYTES, "%s %g", above, option->low);
  else if (!option->low_open && !option->high_open)
    snprintf(text, HB_OPTION_SHOWN_BYTES, "%g..%g", option->low, option->high);
  else
    snprintf(text, HB_OPTION_SHOWN_BYTES, "%s %g and %s %g", above, option->low,
             option->high_open ? "<" : "<=", option->high);
}

void hb_option_range(const struct hb_option *option, char text[HB_OPTION_SHOWN_BYTES]) {
  size_t used = 0;
  switch (option->type) {
  case HB_OPTION_INTEGER:
    snprintf(text, HB_OPTION_SHOWN_BYTES, "%lld..%lld", (long long)option->lowest,
             (long long)option->highest);
    break;
  case HB_OPTION_REAL: range_of_real(option, text); break;
  case HB_OPTION_CHOICE:
    for (const char *c = option->choices; *c != '\0' && used + 4 < HB_OPTION_SHOWN_BYTES; c++) {
      memcpy(text + used, *c == ' ' ? " | " : c, *c == ' ' ? 3 : 1);
      used += *c == ' ' ? 3 : 1;
    }
    text[used] = '\0';
    break;
  case HB_OPTION_TEXT:
    snprintf(text, HB_OPTION_SHOWN_BYTES, "1..%zu characters", option->bytes - 1);
    break;
  case HB_OPTION_YESNO: snprintf(text, HB_OPTION_SHOWN_BYTES, "yes | no"); break;
  case HB_OPTION_FLAG: text[0] = '\0'; break;
  }
}

/* Position of the word among names separated by single blanks, or -1. */
static int find_word(const char *names, const char *word) {
  const size_t length = strlen(word);
  int position = 0;
  for (const char *name = names;; position++) {
    const size_t name_length = strcspn(name, " ");
    if (name_length == length && memcmp(name, word, length) == 0) return position;
    if (name[name_length] == '\0') return -1;
    name += name_length + 1;
  }
}

/* A complaint, or NULL if the text is an integer in range. */
static const char *parse_integer(const struct hb_option *option, const char *text, int64_t *value) {
  char *end = NULL;
  const char *digits = text + (*text == '-' || *text == '+');
  if (!isdigit((unsigned char)*digits)) return "is not an integer";
  errno = 0;
  *value = strtoll(text, &end, 10);
  if (*end == '.') return "is not an integer";
  if (*end != '\0') return "has text after the integer";
  if (errno == ERANGE || *value < option->lowest || *value > option->highest)
    return "is out of range";
  return NULL;
}

/* The same for reals: decimal, finite, not lost to underflow. */
static const char *parse_real(const struct hb_option *option, const char *text, double *value) {
  char *end = NULL;
  const char *digits = text + (*text == '-' || *text == '+');
  errno = 0;
  *value = strtod(text, &end);
  if (end != text && !isspace((unsigned char)*text) && !isfinite(*value) && errno != ERANGE)
    return "is not a finite number";
  if (!isdigit((unsigned char)*digits) && *digits != '.') return "is not a number";
  if (end == text) return "is not a number";
  if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) return "is not a decimal number";
  if (*end != '\0') return "has text after the number";
  if (errno == ERANGE)
    return isfinite(*value) ? "is too small for a double" : "is too large for a double";
  const bool above = option->low_open ? *value > option->low : *value >= option->low;
  const bool below = option->high_open ? *value < option->high : *value <= option->high;
  return above && below ? NULL : "is out of range";
}

static const char *check_text(const struct hb_option *option, const char *text) {
  if (strlen(text) >= option->bytes) return "is too long";
  for (const char *c = text; *c != '\0'; c++)
    if (iscntrl((unsigned char)*c) || *c == '"')
      return "holds a double quote or a control character";
  return NULL;
}

enum hb_status hb_option_set(const struct hb_option *option, const char *where, const char *text,
                             struct hb_options *options) {
  enum hb_status status = HB_OK;
  char *member = (char *)options + option->offset;
  const char *complaint = NULL;
  char range[HB_OPTION_SHOWN_BYTES], shown[HB_OPTION_SHOWN_BYTES];
  int64_t integer = 0;
  double real = 0.0;
  hb_option_range(option, range);
  if (*text == '\0') HB_FAIL(HB_BAD_INPUT, "%s: the value is missing; allowed: %s", where, range);
  switch (option->type) {
  case HB_OPTION_INTEGER: complaint = parse_integer(option, text, &integer); break;
  case HB_OPTION_REAL: complaint = parse_real(option, text, &real); break;
  case HB_OPTION_CHOICE:
    integer = find_word(option->choices, text);
    if (integer < 0) complaint = "is not known";
    break;
  case HB_OPTION_YESNO:
  case HB_OPTION_FLAG:
    integer = strcmp(text, "yes") == 0;
    if (integer == 0 && strcmp(text, "no") != 0) complaint = "is neither yes nor no";
    break;
  case HB_OPTION_TEXT: complaint = check_text(option, text); break;
  }
  if (complaint != NULL) {
    hb_option_shown(text, shown);
    HB_FAIL(HB_BAD_INPUT, "%s: '%s' %s; allowed: %s", where, shown, complaint, range);
  }
  if (option->type == HB_OPTION_REAL) {
    memcpy(member, &real, sizeof real);
  } else if (option->type == HB_OPTION_TEXT) {
    memset(member, 0, option->bytes);
    memcpy(member, text, strlen(text) + 1);
  } else if (option->bytes == sizeof(bool)) {
    const bool yes = integer != 0;
    memcpy(member, &yes, sizeof yes);
  } else if (option->bytes == sizeof(int)) {
    const int narrow = (int)integer;
    memcpy(member, &narrow, sizeof narrow);
  } else {
    memcpy(member, &integer, sizeof integer);
  }
done:
  return status;
}

/* The shortest decimal that reads back to the same double. */
static void format_real(double value, char text[HB_PATH_BYTES]) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, HB_PATH_BYTES, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
}

void hb_option_format(const struct hb_option *option, const struct hb_options *options,
                      char text[HB_PATH_BYTES]) {
  const char *member = (const char *)options + option->offset;
  int64_t integer = 0;
  double real = 0.0;
  int narrow = 0;
  if (option->type == HB_OPTION_REAL) {
    memcpy(&real, member, sizeof real);
    format_real(real, text);
    return;
  }
  if (option->type == HB_OPTION_TEXT) {
    snprintf(text, HB_PATH_BYTES, "%.*s", (int)option->bytes - 1, member);
    return;
  }
  if (option->bytes == sizeof integer) memcpy(&integer, member, sizeof integer);
  if (option->bytes == sizeof narrow) memcpy(&narrow, member, sizeof narrow);
  if (option->bytes != sizeof integer) integer = narrow;
  if (option->type == HB_OPTION_INTEGER) {
    snprintf(text, HB_PATH_BYTES, "%lld", (long long)integer);
  } else if (option->type == HB_OPTION_CHOICE) {
    const char *name = option->choices;
    for (int i = 0; i < (int)integer && *name != '\0'; i++) name += strcspn(name, " ") + 1;
    snprintf(text, HB_PATH_BYTES, "%.*s", (int)strcspn(name, " "), name);
  } else {
    bool yes = false;
    memcpy(&yes, member, sizeof yes);
    snprintf(text, HB_PATH_BYTES, "%s", yes ? "yes" : "no");
  }
}
