/* SPDX-License-Identifier: BSD-3-Clause
 * Tuning without a device: the choice among times, the file of decisions, pins and their refusal.
 */
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/tuning_internal.h"
#include "tests/check.h"

enum { TEXT_BYTES = 4096, PATH_BYTES = 256 };

/* ---- the choice ------------------------------------------------------------------------------ */

static struct hb_candidate timed(int row, int wavefronts, enum hb_matrix_tile tile, double seconds,
                                 double spread) {
  return (struct hb_candidate){.kernel = {.shape = {.tile = tile, .wavefronts = wavefronts}},
                               .row = row,
                               .verdict = HB_VERIFIED,
                               .seconds = seconds,
                               .spread = spread};
}

static void check_choice(struct hb_check *check) {
  struct hb_candidate c[4] = {
      timed(1, 0, HB_MATRIX_NONE, 1.30, 0.01), timed(2, 4, HB_MATRIX_16X16X4, 1.00, 0.02),
      timed(2, 2, HB_MATRIX_16X16X4, 1.01, 0.001), timed(2, 2, HB_MATRIX_4X4X4, 1.015, 0.0)};
  CHECK_EQUAL(check, hb_autotune_choose(4, c), 3); /* of three that are tied the smaller tile */
  CHECK(check, !c[0].tied && c[1].tied && c[2].tied && c[3].tied && c[3].chosen);
  c[1].spread = 0.012;
  CHECK_EQUAL(check, hb_autotune_choose(4, c), 2); /* fewer wavefronts; the third is outside */
  CHECK(check, !c[3].tied && !c[3].chosen);
  c[1].spread = 0.01;
  c[2].seconds = 1.02;
  CHECK_EQUAL(check, hb_autotune_choose(4, c), 1); /* the fastest, by more than its spread */
  CHECK(check, !c[1].tied && c[1].chosen);
  c[0].spread = 0.5;
  CHECK_EQUAL(check, hb_autotune_choose(4, c), 0); /* its own noise makes it equal: simpler */
  c[0].verdict = HB_WRONG;
  CHECK_EQUAL(check, hb_autotune_choose(4, c), 1);
  c[1].seconds = (double)NAN;
  CHECK_EQUAL(check, hb_autotune_choose(4, c), 3);
  for (int i = 0; i < 4; i++) c[i].verdict = HB_FAILED;
  CHECK_EQUAL(check, hb_autotune_choose(4, c), -1);
}

/* ---- the file -------------------------------------------------------------------------------- */

static char folder[PATH_BYTES], path[PATH_BYTES + 16];

static void write_file(struct hb_check *check, const char *text, size_t bytes) {
  FILE *file = fopen(path, "wb");
  CHECK(check, file != NULL);
  if (file == NULL) return;
  CHECK_EQUAL(check, fwrite(text, 1, bytes, file), bytes);
  fclose(file);
}

static void read_file(char text[TEXT_BYTES]) {
  FILE *file = fopen(path, "rb");
  size_t got = 0;
  if (file != NULL) {
    got = fread(text, 1, TEXT_BYTES - 1, file);
    fclose(file);
  }
  text[got] = '\0';
}

/* Files of the folder, counted by the shell's means: entries but . and .. */
static int count_files(void) {
  char command[PATH_BYTES + 32];
  int count = -1;
  snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
  FILE *pipe = popen(command, "r");
  if (pipe == NULL) return -1;
  if (fscanf(pipe, "%d", &count) != 1) count = -1;
  pclose(pipe);
  return count;
}

static const struct hb_tuning_decision first = {"mfma_staged",
                                                HB_GEOMETRY_NODES,
                                                {.tile = HB_MATRIX_16X16X4,
                                                 .wavefronts = 4,
                                                 .elements = 2,
                                                 .layout = HB_CUBE_SWIZZLED,
                                                 .ahead = 1},
                                                1.25e-4},
                                       second = {"kstep",
                                                 HB_GEOMETRY_STORED,
                                                 {.tile = HB_MATRIX_NONE},
                                                 3e-5};

static void check_found(struct hb_check *check, const char *key,
                        const struct hb_tuning_decision *expected, const char *words) {
  struct hb_tuning_decision decision = {.seconds = -1.0};
  char warning[HB_TUNING_WARNING_BYTES];
  bool found = false;
  CHECK_OK(check, hb_tuning_file_find(path, key, &decision, &found, warning));
  CHECK_EQUAL(check, found, expected != NULL);
  if (words == NULL) CHECK_EQUAL(check, strlen(warning), 0);
  if (words != NULL) CHECK(check, strstr(warning, words) != NULL);
  if (!found || expected == NULL) return;
  CHECK(check, strcmp(decision.kernel, expected->kernel) == 0);
  CHECK_EQUAL(check, decision.mode, expected->mode);
  CHECK(check, hb_shape_equal(&decision.shape, &expected->shape));
  CHECK_NEAR(check, decision.seconds, expected->seconds, 1e-6 * expected->seconds);
}

static void check_keeping(struct hb_check *check) {
  struct stat about;
  const mode_t mask = umask(027);
  check_found(check, "operator=scalar n=8", NULL, NULL);
  CHECK_OK(check, hb_tuning_file_keep(path, "operator=scalar n=8", &first));
  check_found(check, "operator=scalar n=8", &first, NULL);
  check_found(check, "operator=scalar n=80", NULL, NULL);
  check_found(check, "operator=scalar n=", NULL, NULL);
  CHECK_OK(check, hb_tuning_file_keep(path, "operator=scalar n=9", &second));
  check_found(check, "operator=scalar n=8", &first, NULL);
  check_found(check, "operator=scalar n=9", &second, NULL);
  CHECK_OK(check, hb_tuning_file_keep(path, "operator=scalar n=8", &second));
  check_found(check, "operator=scalar n=8", &second, NULL);
  check_found(check, "operator=scalar n=9", &second, NULL);
  CHECK_EQUAL(check, stat(path, &about), 0);
  CHECK_EQUAL(check, about.st_mode & 0777, 0640);
  CHECK_EQUAL(check, count_files(), 1);
  umask(mask);
}

/* What is written by way of a link is in the file behind it. */
static void check_link(struct hb_check *check) {
  char file[PATH_BYTES + 16], link[PATH_BYTES + 16];
  struct stat about;
  snprintf(link, sizeof link, "%s/link.txt", folder);
  memcpy(file, path, sizeof file);
  CHECK_EQUAL(check, symlink(file, link), 0);
  memcpy(path, link, sizeof path);
  CHECK_OK(check, hb_tuning_file_keep(path, "operator=linked", &first));
  memcpy(path, file, sizeof path);
  check_found(check, "operator=linked", &first, NULL);
  check_found(check, "operator=scalar n=9", &second, NULL);
  CHECK(check, lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
  remove(link);
  CHECK_EQUAL(check, count_files(), 1);
}

#define GOOD_LINE                                                                                  \
  "operator=b : kernel=kstep tile=none wavefronts=0 elements=0 layout=none ahead=0 seconds=3e-5\n"
#define HEADER "# helmbone tuning, format 1\n"

/* Lines that are no decisions are told by number, passed over, and gone after the next writing. */
static void check_malformed(struct hb_check *check) {
  static const char *const lines[] = {
      "nonsense\n",
      "operator=a : \n",
      "operator=a kernel=kstep\n",
      "operator=a : kernel=kstep tile=9x9x9 wavefronts=0 elements=0 layout=none ahead=0 "
      "seconds=1\n",
      "operator=a : kernel=kstep tile=none wavefronts=0 elements=0 layout=oval ahead=0 seconds=1\n",
      "operator=a : kernel=kstep tile=none wavefronts=x elements=0 layout=none ahead=0 seconds=1\n",
      "operator=a : kernel=kstep tile=none wavefronts=0 elements=0 layout=none ahead=0 seconds=1 "
      "more\n",
      "n=8 : kernel=kstep tile=none wavefronts=0 elements=0 layout=none ahead=0 seconds=1\n"};
  char text[TEXT_BYTES];
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    snprintf(text, sizeof text, "%s# a comment\n%s\n%s", HEADER, lines[i], GOOD_LINE);
    write_file(check, text, strlen(text));
    check_found(check, "operator=a", NULL, "line 3 is not a decision (1 such lines)");
    check_found(check, "operator=b", &second, "line 3 ");
    CHECK_OK(check, hb_tuning_file_keep(path, "operator=c", &first));
    check_found(check, "operator=b", &second, NULL);
    check_found(check, "operator=c", &first, NULL);
  }
  write_file(check, HEADER "zero\0byte\n" GOOD_LINE, sizeof HEADER - 1 + 10 + sizeof GOOD_LINE - 1);
  check_found(check, "operator=b", &second, "line 2 ");
  snprintf(text, sizeof text, "%s%s", HEADER, GOOD_LINE); /* cut short, as by a full disk */
  write_file(check, text, strlen(text) - 12);
  check_found(check, "operator=b", NULL, "line 2 ");
  snprintf(text, sizeof text, "# helmbone tuning, format 2\n%s", GOOD_LINE);
  write_file(check, text, strlen(text));
  check_found(check, "operator=b", NULL, "of another format");
  CHECK_OK(check, hb_tuning_file_keep(path, "operator=c", &first));
  check_found(check, "operator=c", &first, NULL);
  write_file(check, "", 0); /* nothing to lose */
  check_found(check, "operator=b", NULL, NULL);
  CHECK_OK(check, hb_tuning_file_keep(path, "operator=c", &first));
  check_found(check, "operator=c", &first, NULL);
  write_file(check, "# helmbone tuning, format 1", 27); /* a header alone, without an end */
  check_found(check, "operator=b", NULL, NULL);
}

/* What is not ours is never written to. */
static void check_foreign(struct hb_check *check) {
  static const char *const texts[] = {"[mesh]\ndegree = 7\n", "\n# helmbone tuning, format 1\n",
                                      " # helmbone tuning, format 1\n", "# helmbone\n", "x"};
  struct hb_tuning_decision decision;
  char warning[HB_TUNING_WARNING_BYTES], text[TEXT_BYTES], kept[PATH_BYTES + 16];
  bool found;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    write_file(check, texts[i], strlen(texts[i]));
    CHECK_FAILS(check, hb_tuning_file_find(path, "operator=a", &decision, &found, warning),
                HB_BAD_INPUT, "is not a file of tuning decisions");
    CHECK_FAILS(check, hb_tuning_file_keep(path, "operator=a", &first), HB_BAD_INPUT,
                "give another name, or none");
    read_file(text);
    CHECK(check, strcmp(text, texts[i]) == 0);
  }
  CHECK_EQUAL(check, count_files(), 1);
  memcpy(kept, path, sizeof kept);
  snprintf(path, sizeof path, "%s", folder);
  CHECK_FAILS(check, hb_tuning_file_find(path, "operator=a", &decision, &found, warning),
              HB_BAD_INPUT, "is not a file of tuning decisions");
  snprintf(path, sizeof path, "%s/pipe", folder); /* that nobody writes to */
  CHECK_EQUAL(check, mkfifo(path, 0600), 0);
  CHECK_FAILS(check, hb_tuning_file_find(path, "operator=a", &decision, &found, warning),
              HB_BAD_INPUT, "is not a file of tuning decisions");
  unlink(path);
  snprintf(path, sizeof path, "%s/no/t.txt", folder); /* a folder that is not there */
  check_found(check, "operator=a", NULL, NULL);
  CHECK_FAILS(check, hb_tuning_file_keep(path, "operator=a", &first), HB_MACHINE_FAILED,
              "cannot be written: No such file");
  memcpy(path, kept, sizeof kept);
  remove(path);
  CHECK_EQUAL(check, count_files(), 0);
}

static bool disk_fails;

/* In place of the library's, which calls no other function either. */
size_t fread(void *to, size_t size, size_t count, FILE *file) {
  char *next = to;
  if (disk_fails) close(fileno(file));
  for (size_t i = 0; i < size * count; i++) {
    const int c = getc(file);
    if (c == EOF) return i / size;
    next[i] = (char)c;
  }
  return count;
}

/* A file that cannot be read whole keeps what it has. */
static void check_unreadable(struct hb_check *check) {
  struct hb_tuning_decision decision;
  char warning[HB_TUNING_WARNING_BYTES];
  bool found;
  write_file(check, HEADER GOOD_LINE, sizeof HEADER + sizeof GOOD_LINE - 2);
  disk_fails = true;
  CHECK_FAILS(check, hb_tuning_file_find(path, "operator=b", &decision, &found, warning),
              HB_BAD_INPUT, "cannot be read whole: Bad file descriptor; give another name");
  CHECK_FAILS(check, hb_tuning_file_keep(path, "operator=c", &first), HB_BAD_INPUT,
              "cannot be read whole");
  disk_fails = false;
  CHECK_EQUAL(check, count_files(), 1);
  check_found(check, "operator=b", &second, NULL);
  remove(path);
}

/* Keys of any length: those that differ in the last character alone are two. */
static void check_long_keys(struct hb_check *check) {
  char one[3000] = "operator=", other[3000];
  memset(one + strlen(one), 'k', sizeof one - strlen(one));
  one[sizeof one - 1] = '\0';
  memcpy(other, one, sizeof one);
  other[sizeof other - 2] = 'l';
  CHECK_OK(check, hb_tuning_file_keep(path, one, &first));
  check_found(check, one, &first, NULL);
  check_found(check, other, NULL, NULL);
  CHECK_OK(check, hb_tuning_file_keep(path, other, &second));
  check_found(check, one, &first, NULL);
  check_found(check, other, &second, NULL);
  remove(path);
}

/* Several that write at once, and one that reads meanwhile: a reader sees a whole file always. */
static void check_at_once(struct hb_check *check) {
  enum { WRITERS = 3, TIMES = 40 };
  int code = 0, running = WRITERS;
  for (int w = 0; w < WRITERS; w++) {
    const pid_t child = fork();
    if (child < 0) running--;
    CHECK(check, child >= 0);
    if (child != 0) continue;
    for (int i = 0; i < TIMES; i++) {
      char key[64];
      snprintf(key, sizeof key, "operator=scalar writer=%d time=%d", w, i);
      if (hb_tuning_file_keep(path, key, &first) != HB_OK) _exit(1);
    }
    _exit(0);
  }
  while (running > 0) {
    check_found(check, "operator=none", NULL, NULL);
    while (running > 0 && waitpid(-1, &code, WNOHANG) > 0) {
      CHECK(check, WIFEXITED(code) && WEXITSTATUS(code) == 0);
      running--;
    }
  }
  CHECK_EQUAL(check, count_files(), 1);
  CHECK_OK(check, hb_tuning_file_keep(path, "operator=last", &second));
  check_found(check, "operator=last", &second, NULL);
  remove(path);
}

static void check_file(struct hb_check *check) {
  snprintf(folder, sizeof folder, "/tmp/helmbone_unit_tuning_XXXXXX");
  CHECK(check, mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/t.txt", folder);
  check_keeping(check);
  check_link(check);
  check_malformed(check);
  check_foreign(check);
  check_unreadable(check);
  check_long_keys(check);
  check_at_once(check);
  CHECK_EQUAL(check, rmdir(folder), 0);
}

/* ---- pins ------------------------------------------------------------------------------------ */

static const struct hb_helmholtz_variant plain = {.name = "plain"}, cubes = {.name = "cubes"};

static const struct hb_candidate candidates[] = {
    {.kernel = {.variant = &plain}, .row = 0},
    {.kernel = {.variant = &cubes, .shape = {HB_MATRIX_16X16X4, 2, 1, HB_CUBE_PADDED, 0}},
     .row = 1},
    {.kernel = {.variant = &cubes, .shape = {HB_MATRIX_16X16X4, 4, 1, HB_CUBE_PADDED, 1}},
     .row = 1},
    {.kernel = {.variant = &cubes, .shape = {HB_MATRIX_16X16X4, 4, 2, HB_CUBE_PLAIN, 1}}, .row = 1},
    {.kernel = {.variant = &cubes, .shape = {HB_MATRIX_4X4X4, 1, 8, HB_CUBE_SWIZZLED, 0}},
     .row = 1}};
enum { NUM_CANDIDATES = sizeof candidates / sizeof *candidates };

static int count_allowed(const struct hb_options *options) {
  int count = 0;
  for (int c = 0; c < NUM_CANDIDATES; c++) count += hb_pins_allow(options, &candidates[c].kernel);
  return count;
}

static void check_pins(struct hb_check *check) {
  const struct hb_tuning_case of = {.n = 8, .precision = HB_F64};
  struct hb_options options;
  char text[HB_PIN_BYTES];
  hb_options_defaults(&options);
  hb_pins_words(&options, text);
  CHECK(check, strcmp(text, "none") == 0 && !hb_pins_any(&options));
  CHECK_EQUAL(check, count_allowed(&options), 5);
  CHECK_OK(check, hb_tuning_check_host(&options));
  options.pins.tile = HB_MATRIX_16X16X4;
  CHECK_EQUAL(check, count_allowed(&options), 3);
  options.pins.wavefronts = 4;
  CHECK_EQUAL(check, count_allowed(&options), 2);
  options.pins.layout = HB_CUBE_PADDED;
  CHECK_EQUAL(check, count_allowed(&options), 1);
  options.pins.ahead = 0;
  CHECK_EQUAL(check, count_allowed(&options), 0);
  options.pins.elements = 1;
  hb_pins_words(&options, text);
  CHECK(check, hb_pins_any(&options) &&
                   strcmp(text, "tile = 16x16x4, wavefronts = 4, elements_per_block = 1, "
                                "padding = padded, ahead = 0") == 0);
  CHECK_FAILS(
      check, hb_tuning_check_host(&options), HB_BAD_INPUT,
      "tile = 16x16x4, wavefronts = 4, elements_per_block = 1, padding = padded, ahead = 0: "
      "kernels of the host backend have no shapes");
  CHECK_FAILS(check, hb_pins_refuse(&options, &of, "gfx90a", NUM_CANDIDATES, candidates),
              HB_BAD_INPUT,
              "ahead = 0: no kernel is so for degree 7 in f64 on gfx90a; possible: plain without "
              "choice of shape; cubes tile 16x16x4, wavefronts 2 4, elements_per_block 1 2, "
              "padding padded plain, ahead 0 1; cubes tile 4x4x4, wavefronts 1, "
              "elements_per_block 8, padding swizzled, ahead 0");
  snprintf(options.kernel, sizeof options.kernel, "plain");
  CHECK_FAILS(check, hb_pins_refuse(&options, &of, "gfx90a", NUM_CANDIDATES, candidates),
              HB_BAD_INPUT, "possible: plain without choice of shape");
  CHECK_EQUAL(check, count_allowed(&options), 0);
  hb_options_defaults(&options);
  snprintf(options.kernel, sizeof options.kernel, "plain");
  CHECK_EQUAL(check, count_allowed(&options), 1);
  CHECK(check, hb_pins_any(&options));
  CHECK_OK(check, hb_tuning_check_host(&options)); /* kernel is a choice there, too */
  hb_options_defaults(&options);
  options.pins.ahead = 0;
  CHECK_EQUAL(check, count_allowed(&options), 3);
}

/* Many shapes: the message ends, and holds the beginning. */
static void check_long_refusal(struct hb_check *check) {
  enum { MANY = 400 };
  const struct hb_tuning_case of = {.n = 8, .precision = HB_F32};
  static struct hb_candidate many[MANY];
  struct hb_options options;
  hb_options_defaults(&options);
  options.pins.wavefronts = 3;
  for (int c = 0; c < MANY; c++)
    many[c] = (struct hb_candidate){
        .kernel = {.variant = &cubes, .shape = {HB_MATRIX_4X4X1, 4, c + 100000, HB_CUBE_PLAIN, c}},
        .row = 1};
  CHECK_FAILS(check, hb_pins_refuse(&options, &of, "gfx90a", MANY, many), HB_BAD_INPUT,
              "elements_per_block 100000 100001 100002");
}

int main(void) {
  struct hb_check check = {0, 0};
  check_choice(&check);
  check_file(&check);
  check_pins(&check);
  check_long_refusal(&check);
  return hb_check_finish(&check);
}
