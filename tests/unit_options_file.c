/* SPDX-License-Identifier: BSD-3-Clause
 * Case files: what is accepted, and every error with its file and line. */
#include <string.h>

#include "app/options_table.h"
#include "tests/check.h"

enum { LONG_LINE = 8192 };

/* Reads a copy of the text that has exactly the promised room. */
static enum hb_status read_bytes(const char *text, size_t bytes, struct hb_options *options) {
  char *copy = hb_allocate((hb_global)bytes + 1, 1, "case text");
  memcpy(copy, text, bytes);
  hb_options_defaults(options);
  const enum hb_status status = hb_options_read("case.ini", copy, bytes, options);
  hb_free(copy);
  return status;
}

static enum hb_status read_text(const char *text, struct hb_options *options) {
  return read_bytes(text, strlen(text), options);
}

static void check_accepted(struct hb_check *check) {
  struct hb_options options;
  CHECK_OK(check, read_text("", &options));
  CHECK_OK(check, read_text("\xef\xbb\xbf", &options));
  CHECK_OK(check, read_text("# expect: iterations = 43 +- 1\n\n \t ; remark\n", &options));
  CHECK_EQUAL(check, options.iterations, 1000);
  CHECK_OK(check, read_text("\xef\xbb\xbf[mesh]\r\ndegree = 9\r\nnx=2", &options));
  CHECK(check, options.degree == 9 && options.nx == 2);
  CHECK_OK(check, read_text("[ mesh ];x\n\tdegree\t=\t3 # one\n ny = 5 ;x\n", &options));
  CHECK(check, options.degree == 3 && options.ny == 5);
  CHECK_OK(check, read_text("[mesh]\nnx=2\n[solver]\nstop=count\n[mesh]\nny=3\n", &options));
  CHECK(check, options.nx == 2 && options.ny == 3 && options.stop == HB_STOP_COUNT);
  CHECK_OK(check, read_text("[output]\nfile = a#b = c.vtkhdf ; remark\n", &options));
  CHECK(check, strcmp(options.file, "a#b = c.vtkhdf") == 0);
  CHECK_OK(check, read_text("[output]\nfile = \" a #b \" # remark\n", &options));
  CHECK(check, strcmp(options.file, " a #b ") == 0);
  CHECK_OK(check, read_text("[problem]\nh1 = 2.5e-1\n[run]\nprogress = off", &options));
  CHECK(check, options.h1 == 0.25 && options.progress == HB_PROGRESS_OFF);
}

static void check_refused(struct hb_check *check) {
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"[mesh]\n\ndegree = 99\n", "case.ini:3: degree: '99' is out of range; allowed: 1..15"},
      {"[mesh]\r\ndegree = 7 8\r\n", "case.ini:2: degree: '7 8' has text after the integer"},
      {"[mesh]\ndegree =\n", "case.ini:2: degree: the value is missing; allowed: 1..15"},
      {"[mesh]\ndegree = # 7\n", "case.ini:2: degree: the value is missing"},
      {"[mesh]\ndegree = \"\"\n", "case.ini:2: degree: the value is missing"},
      {"[mesh]\nny = 5;x\n", "'5;x' has text after the integer"},
      {"[mesh]\ndegree = 7#x\n", "'7#x' has text after the integer"},
      {"[mesh]\nnx = 1e3\n", "'1e3' has text after the integer"},
      {"[mesh]\nnx = 99999999999999999999\n", "is out of range; allowed: 1..9223372036854775807"},
      {"[mesh]\nlx = inf\n", "case.ini:2: lx: 'inf' is not a finite number; allowed: > 0"},
      {"[mesh]\nlx = NaN\n", "'NaN' is not a finite number"},
      {"[mesh]\nlx = 1e999\n", "'1e999' is too large for a double"},
      {"[mesh]\nboundary_x = open\n", "allowed: dirichlet | neumann | periodic"},
      {"[mesh]\nnx = 2\nny = 2\nnx = 2\n", "case.ini:4: nx was given before, in line 2"},
      {"[mesh]\nnx=2\n[run]\n[mesh]\nnx=3", "case.ini:5: nx was given before, in line 2"},
      {"degree = 7\n", "case.ini:1: 'degree' stands before the first [section]; it belongs in [m"},
      {"weather = 7\n", "case.ini:1: 'weather' stands before the first [section]"},
      {"[mesh]\ntolerance = 1\n", "'tolerance' does not belong in [mesh] but in [solver]"},
      {"[mesh]\ndegrees = 7\n", "unknown name 'degrees' in [mesh]; did you mean degree?"},
      {"[mesh]\nDEGREE = 7\n", "unknown name 'DEGREE' in [mesh]; known in [mesh]: degree nx ny"},
      {"[mesh]\nboundary-x = neumann\n", "did you mean boundary_x"},
      {"[output]\noutput = a\n", "unknown name 'output' in [output]; did you mean file?"},
      {"[output]\ndry_run = yes\n", "'dry_run' is an option of the command line alone"},
      {"[meshes]\n", "case.ini:1: unknown section [meshes]; did you mean [mesh]?"},
      {"[weather]\n", "known: [mesh] [ranks] [problem] [solver] [output] [run]"},
      {"[]\n", "unknown section []"},
      {"[mesh\n", "case.ini:1: '[mesh' is not a section; allowed: [name]"},
      {"[mesh] degree = 7\n", "is not a section"},
      {"[mesh]\ndegree 7\n", "case.ini:2: 'degree 7' is not understood; allowed: name = value"},
      {"[mesh]\n = 7\n", "case.ini:2: '= 7' is not understood"},
      {"[output]\nfile = \"a\n", "case.ini:2: the closing double quote is missing"},
      {"[output]\nfile = \"a\" b\n", "case.ini:2: text after the closing double quote"},
      {"[output]\nfile = a\"b\n", "holds a double quote"},
      {"[mesh]\rdegree = 7\r", "case.ini:1: character 7 is 0x0d; allowed: text without control"},
      {"[mesh]\n\x1b[31m\n", "case.ini:2: character 1 is 0x1b"},
      {"\xef\xbb\xbf\n\n[nesh]", "case.ini:3: unknown section [nesh]; did you mean [mesh]?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct hb_options options;
    CHECK_FAILS(check, read_text(cases[i].text, &options), HB_BAD_INPUT, cases[i].words);
  }
}

static void check_bytes(struct hb_check *check) {
  struct hb_options options;
  const char nul[] = "[mesh]\nnx = 2\0\nny = 3\n", wide[] = "\xff\xfe[\0m\0";
  CHECK_FAILS(check, read_bytes(nul, sizeof nul - 1, &options), HB_BAD_INPUT,
              "case.ini:2: character 7 is 0x00");
  CHECK_FAILS(check, read_bytes(wide, sizeof wide - 1, &options), HB_BAD_INPUT, "is 0x00");
  char line[LONG_LINE + 1];
  memset(line, '#', LONG_LINE);
  line[LONG_LINE] = '\0';
  CHECK_FAILS(check, read_text(line, &options), HB_BAD_INPUT,
              "case.ini:1: the line has 8192 characters; allowed: at most 8191");
  line[LONG_LINE - 1] = '\n';
  CHECK_OK(check, read_text(line, &options));
}

/* The longest name of an output file fits a line; one more character does not fit the option. */
static void check_long_value(struct hb_check *check) {
  struct hb_options options;
  char text[HB_PATH_BYTES + 64] = "[output]\nfile = ";
  const size_t start = strlen(text);
  memset(text + start, 'p', HB_PATH_BYTES);
  text[start + HB_PATH_BYTES] = '\0';
  CHECK_FAILS(check, read_text(text, &options), HB_BAD_INPUT, "allowed: 1..4095 characters");
  text[start + HB_PATH_BYTES - 1] = '\0';
  CHECK_OK(check, read_text(text, &options));
  CHECK_EQUAL(check, strlen(options.file), HB_PATH_BYTES - 1);
}

/* A long path is shown by its end, so that the line number is seen. */
static void check_long_path(struct hb_check *check) {
  struct hb_options options;
  char path[HB_PATH_BYTES], text[] = "[mesh]\nnx = 0\n";
  memset(path, 'd', sizeof path);
  snprintf(path + 3000, 16, "/end.ini");
  hb_options_defaults(&options);
  CHECK_FAILS(check, hb_options_read(path, text, strlen(text), &options), HB_BAD_INPUT,
              "ddd/end.ini:2: nx: '0' is out of range");
}

int main(void) {
  struct hb_check check = {0, 0};
  check_accepted(&check);
  check_refused(&check);
  check_bytes(&check);
  check_long_value(&check);
  check_long_path(&check);
  return hb_check_finish(&check);
}
