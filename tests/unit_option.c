/* SPDX-License-Identifier: BSD-3-Clause
 * The core of options with a table and a struct of its own: typed words, arrays of them, sections.
 */
#include <string.h>

#include "app/option.h"
#include "tests/check.h"

enum { MANY_ROWS = 300, NAME_BYTES = 16, PRINTED_BYTES = 8192 };

struct settings {
  int order, shade, left_alone;
  double weight;
  char colours[3][8];
  char title[24];
  bool loud, kept;
};

static const struct hb_option rows[] = {
    {.section = "paint",
     .name = "weight",
     .type = HB_OPTION_REAL,
     HB_OPTION_MEMBER(settings, weight),
     .low = 0.0,
     .high = 10.0,
     .unit = "kg",
     .preset = "2.5",
     .help = "of the paint"},
    {.section = "paint",
     .name = "title",
     .type = HB_OPTION_TEXT,
     HB_OPTION_MEMBER(settings, title),
     .preset = "no title",
     .help = "on the frame"},
    {.section = "frame",
     .name = "kept",
     .type = HB_OPTION_YESNO,
     HB_OPTION_MEMBER(settings, kept),
     .preset = "yes",
     .help = "is it kept"},
    {.name = "order",
     .type = HB_OPTION_INTEGER,
     .words = 1,
     .needed = true,
     HB_OPTION_MEMBER(settings, order),
     .lowest = 2,
     .highest = 9,
     .help = "which comes first"},
    {.name = "shade",
     .type = HB_OPTION_CHOICE,
     .words = 1,
     .needed = true,
     HB_OPTION_MEMBER(settings, shade),
     .choices = "light dark",
     .help = "how dark"},
    {.name = "colour",
     .type = HB_OPTION_TEXT,
     .words = 3,
     .offset = offsetof(struct settings, colours),
     .bytes = 8,
     .help = "up to three"},
    {.name = "left-alone",
     .type = HB_OPTION_INTEGER,
     HB_OPTION_MEMBER(settings, left_alone),
     .lowest = 0,
     .highest = 5,
     .help = "has no default"},
    {.name = "loud",
     .type = HB_OPTION_FLAG,
     HB_OPTION_MEMBER(settings, loud),
     .preset = "no",
     .help = "says more"},
};
static const struct hb_option_table table = {rows, sizeof rows / sizeof *rows};

static enum hb_status parse(const char *line, struct settings *settings) {
  char text[256], *arguments[16] = {(char *)"test"};
  int count = 1;
  snprintf(text, sizeof text, "%s", line);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
    arguments[count++] = strcmp(word, "''") == 0 ? word + 2 : word;
  *settings = (struct settings){.left_alone = -1};
  hb_option_defaults(&table, settings);
  return hb_option_read_arguments(&table, count, arguments, settings);
}

static void check_words(struct hb_check *check) {
  struct settings s;
  CHECK_OK(check, parse("7 dark red green --loud blue --weight=1", &s));
  CHECK(check, s.order == 7 && s.shade == 1 && s.loud && s.weight == 1.0 && s.kept);
  CHECK(check, strcmp(s.colours[0], "red") == 0 && strcmp(s.colours[1], "green") == 0 &&
                   strcmp(s.colours[2], "blue") == 0);
  CHECK(check, strcmp(s.title, "no title") == 0 && s.left_alone == -1);
  CHECK_OK(check, parse("--left_alone 0 2 light", &s));
  CHECK(check, s.left_alone == 0 && s.order == 2 && s.shade == 0 && s.colours[0][0] == '\0');
}

static void check_refused(struct hb_check *check) {
  static const struct {
    const char *line, *words;
  } cases[] = {
      {"", "command line: the order is missing; allowed: 2..9"},
      {"3", "command line: the shade is missing; allowed: light | dark"},
      {"1 dark", "command line: order: '1' is out of range; allowed: 2..9"},
      {"3 pink", "command line: shade: 'pink' is not known; allowed: light | dark"},
      {"3 dark a b c d", "unexpected argument 'd'; allowed besides options: 5"},
      {"3 dark tangerine", "command line: colour: 'tangerine' is too long; allowed: 1..7"},
      {"3 dark ''", "an empty argument; allowed: an order or --NAME VALUE"},
      {"3 dark --order 3", "unknown option '--order'"}, /* a word has no name */
      {"3 dark --shad", "unknown option '--shad'; --help lists all options"},
      {"3 dark --lou", "did you mean --loud?"},
      {"3 dark --left-alone 6", "--left-alone: '6' is out of range; allowed: 0..5"},
      {"3 dark --weight", "--weight: the value is missing; allowed: 0..10"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct settings s;
    CHECK_FAILS(check, parse(cases[i].line, &s), HB_BAD_INPUT, cases[i].words);
  }
}

/* Text of a case file. */
static enum hb_status read_file(const char *given, struct settings *settings) {
  char text[512];
  snprintf(text, sizeof text, "%s", given);
  *settings = (struct settings){.left_alone = -1};
  return hb_option_read_text(&table, "t.ini", text, strlen(text), settings);
}

static void check_file(struct hb_check *check) {
  struct settings s, again;
  char text[PRINTED_BYTES];
  CHECK_OK(check, read_file("[frame]\nkept = yes\n[paint]\nweight = 0.1\ntitle = \"a # b\"\n", &s));
  CHECK(check, s.kept && s.weight == 0.1 && strcmp(s.title, "a # b") == 0);
  CHECK_FAILS(check, read_file("[paint]\nkept = no\n", &s), HB_BAD_INPUT,
              "t.ini:2: 'kept' does not belong in [paint] but in [frame]");
  CHECK_FAILS(check, read_file("[frame]\nloud = yes\n", &s), HB_BAD_INPUT,
              "'loud' is an option of the command line alone");
  CHECK_FAILS(check, read_file("[mesh]\n", &s), HB_BAD_INPUT, "known: [paint] [frame]");
  CHECK_OK(check, read_file("[frame]\nkept = yes\n[paint]\nweight = 0.1\ntitle = \"a # b\"\n", &s));
  FILE *stream = tmpfile();
  CHECK(check, stream != NULL);
  if (stream == NULL) return;
  hb_option_echo(&table, stream, &s);
  rewind(stream);
  text[fread(text, 1, sizeof text - 1, stream)] = '\0';
  fclose(stream);
  CHECK_OK(check, read_file(text, &again));
  CHECK(check, again.kept && again.weight == s.weight && strcmp(again.title, s.title) == 0);
}

/* More rows than any program has: the lines of a file are known of the last one, too. */
static void check_many(struct hb_check *check) {
  static char names[MANY_ROWS][NAME_BYTES];
  static struct hb_option many[MANY_ROWS];
  static int values[MANY_ROWS];
  const struct hb_option_table big = {many, MANY_ROWS};
  char text[128];
  for (int i = 0; i < MANY_ROWS; i++) {
    snprintf(names[i], NAME_BYTES, "row%d", i);
    many[i] = (struct hb_option){.section = "all",
                                 .name = names[i],
                                 .type = HB_OPTION_INTEGER,
                                 .offset = (size_t)i * sizeof values[0],
                                 .bytes = sizeof values[0],
                                 .highest = 9,
                                 .preset = "1"};
  }
  hb_option_defaults(&big, values);
  snprintf(text, sizeof text, "[all]\nrow299 = 7\n");
  CHECK_OK(check, hb_option_read_text(&big, "t.ini", text, strlen(text), values));
  CHECK(check, values[MANY_ROWS - 1] == 7 && values[MANY_ROWS - 2] == 1);
  snprintf(text, sizeof text, "[all]\nrow299 = 7\n\nrow299 = 8\n");
  CHECK_FAILS(check, hb_option_read_text(&big, "t.ini", text, strlen(text), values), HB_BAD_INPUT,
              "t.ini:4: row299 was given before, in line 2");
}

int main(void) {
  struct hb_check check = {0, 0};
  check_words(&check);
  check_refused(&check);
  check_file(&check);
  check_many(&check);
  return hb_check_finish(&check);
}
