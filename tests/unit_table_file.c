/* SPDX-License-Identifier: BSD-3-Clause
 * Files of tables and texts: whole or not there at all, the older one until then. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/table_file.h"
#include "tests/check.h"

struct row {
  int32_t number;
  char word[8];
  double value;
};

static enum hb_status print_words(FILE *stream, void *context) {
  fprintf(stream, "words: %s\n", (const char *)context);
  return HB_OK;
}

static void read_back(const char *path, size_t bytes, char *text) {
  FILE *stream = fopen(path, "rb");
  memset(text, 0, bytes);
  if (stream == NULL) return;
  if (fread(text, 1, bytes - 1, stream) == 0) text[0] = '\0';
  fclose(stream);
}

static void check_text(struct hb_check *check, const char *folder) {
  char path[256], text[256];
  char first[] = "first", second[] = "second";
  snprintf(path, sizeof path, "%s/a.txt", folder);
  CHECK_OK(check, hb_table_file_check_path(path));
  CHECK_OK(check, hb_text_file_write(path, NULL, print_words, first));
  read_back(path, sizeof text, text);
  CHECK(check, strcmp(text, "words: first\n") == 0);
  CHECK_OK(check, hb_text_file_write(path, NULL, print_words, second));
  read_back(path, sizeof text, text);
  CHECK(check, strcmp(text, "words: second\n") == 0);
  unlink(path);
}

static void check_table(struct hb_check *check, const char *folder) {
  const struct row rows[] = {{1, "one", 1.5}, {2, "two", 2.5}, {3, "three", -0.0}};
  const struct hb_field_file_column columns[] = {
      {"number", HB_COLUMN_INT32, 0, &rows->number, sizeof *rows, NULL},
      {"word", HB_COLUMN_TEXT, sizeof rows->word, rows->word, sizeof *rows, NULL},
      {"value", HB_COLUMN_REAL, 0, &rows->value, sizeof *rows, NULL}};
  const struct hb_field_file_attribute attribute = {
      .name = "title", .kind = HB_ATTRIBUTE_TEXT, .text = "a test"};
  struct hb_field_file_table table = {"/rows", "three rows", NULL, 3, 3, columns};
  const struct hb_table_file content = {1, 1, &attribute, &table};
  char path[256], text[16];
  snprintf(path, sizeof path, "%s/a.h5", folder);
  CHECK_OK(check, hb_table_file_write(path, &content));
  read_back(path, sizeof text, text);
  CHECK(check, memcmp(text, "\x89HDF", 4) == 0);
  table.num_rows = 0; /* a table without rows is one, too */
  CHECK_OK(check, hb_table_file_write(path, &content));
  unlink(path);
}

/* Where nothing can be written, nothing is, and the reason is said. */
static void check_refusals(struct hb_check *check, const char *folder) {
  const struct hb_table_file nothing = {0, 0, NULL, NULL};
  char path[256], words[] = "words";
  CHECK_FAILS(check, hb_table_file_check_path("/nowhere/a.h5"), HB_BAD_INPUT, "/nowhere");
  CHECK_FAILS(check, hb_table_file_check_path(folder), HB_BAD_INPUT, "this is a folder");
  CHECK_FAILS(check, hb_table_file_write("/nowhere/a.h5", &nothing), HB_MACHINE_FAILED, "/nowhere");
  CHECK_FAILS(check, hb_text_file_write("/nowhere/a.txt", NULL, print_words, words),
              HB_MACHINE_FAILED, "/nowhere");
  snprintf(path, sizeof path, "%s/there", folder);
  CHECK_EQUAL(check, mkdir(path, 0700), 0); /* a folder has the name */
  CHECK_FAILS(check, hb_text_file_write(path, NULL, print_words, words), HB_MACHINE_FAILED,
              "rename");
  CHECK_EQUAL(check, rmdir(path), 0);
}

int main(void) {
  struct hb_check check = {0, 0};
  char folder[] = "/tmp/unit_table_file_XXXXXX";
  CHECK(&check, mkdtemp(folder) != NULL);
  check_text(&check, folder);
  check_table(&check, folder);
  check_refusals(&check, folder);
  CHECK_EQUAL(&check, rmdir(folder), 0); /* no partial file is left */
  return hb_check_finish(&check);
}
