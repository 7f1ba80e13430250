/* SPDX-License-Identifier: BSD-3-Clause
 * Reading and rewriting of the file of tuning decisions. */
#include "app/tuning_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_START "# helmbone tuning, format "
#define HEADER       HEADER_START "1"
#define SECOND_LINE                                                                                \
  "# The kernel that tuning chose, by what it depends on; may be deleted at any time."
#define SEPARATOR " : "

enum { NAME_BYTES = 4096 + 32 };
static const hb_global MOST_BYTES = (hb_global)16 << 20;

/* The value of an enum by its name, or -1. */
static int find_name(const char *name, int count, const char *(*name_of)(int)) {
  for (int value = 0; value < count; value++)
    if (strcmp(name, name_of(value)) == 0) return value;
  return -1;
}
static const char *tile_name(int tile) { return hb_matrix_tile_name((enum hb_matrix_tile)tile); }
static const char *layout_name(int layout) {
  return hb_cube_layout_name((enum hb_cube_layout)layout);
}

/* "KEY : VALUES", ended by NUL, which is cut at the separator.  False: not a decision. */
static bool parse_line(char *line, struct hb_tuning_decision *decision) {
  char tile[16], layout[16];
  int end = 0;
  char *values = strstr(line, SEPARATOR);
  struct hb_shape *shape = &decision->shape;
  if (values == NULL || strncmp(line, "operator=", strlen("operator=")) != 0) return false;
  if (values - line >= HB_TUNING_KEY_BYTES) return false;
  const int found = sscanf(values + strlen(SEPARATOR),
                           "kernel=%31s tile=%15s wavefronts=%d elements=%d layout=%15s ahead=%d "
                           "seconds=%lf%n",
                           decision->kernel, tile, &shape->wavefronts, &shape->elements, layout,
                           &shape->ahead, &decision->seconds, &end);
  if (found != 7 || values[strlen(SEPARATOR) + (size_t)end] != '\0') return false;
  const int tile_value = find_name(tile, HB_NUM_MATRIX_TILES, tile_name);
  const int layout_value = find_name(layout, HB_NUM_CUBE_LAYOUTS, layout_name);
  if (tile_value < 0 || layout_value < 0) return false;
  shape->tile = (enum hb_matrix_tile)tile_value;
  shape->layout = (enum hb_cube_layout)layout_value;
  *values = '\0';
  return true;
}

/* The file's text with a closing NUL, NULL if there is no file. */
static enum hb_status read_text(const char *path, char **text) {
  enum hb_status status = HB_OK;
  struct stat about;
  FILE *file = NULL;
  *text = NULL;
  if (stat(path, &about) != 0 && (errno == ENOENT || errno == ENOTDIR)) return HB_OK;
  file = fopen(path, "rb");
  if (file == NULL || fstat(fileno(file), &about) != 0)
    HB_FAIL(HB_BAD_INPUT, "tuning_file = %s: cannot be read: %s; give another name, or none", path,
            strerror(errno));
  if (!S_ISREG(about.st_mode) || about.st_size > MOST_BYTES)
    HB_FAIL(HB_BAD_INPUT,
            "tuning_file = %s: is not a file of tuning decisions; give another name, "
            "or none",
            path);
  const size_t size = (size_t)about.st_size;
  HB_ALLOC(*text, size + 1, "tuning file");
  const size_t got = fread(*text, 1, size, file);
  (*text)[got] = '\0';
  for (size_t i = 0; i < got; i++)
    if ((*text)[i] == '\0') (*text)[i] = '?';
done:
  if (file != NULL) fclose(file);
  return status;
}

/* Ends the line with NUL and returns where the next begins; NULL after the last. */
static char *cut_line(char *line) {
  char *end = strchr(line, '\n');
  if (end == NULL) return NULL;
  *end = '\0';
  if (end > line && end[-1] == '\r') end[-1] = '\0';
  return end[1] == '\0' ? NULL : end + 1;
}

/* Cuts the first line; *lines: what follows, NULL if that is nothing or of another format. */
static enum hb_status check_header(const char *path, char *text, char **lines,
                                   char warning[HB_TUNING_WARNING_BYTES]) {
  enum hb_status status = HB_OK;
  *lines = NULL;
  if (text == NULL || text[0] == '\0') return HB_OK;
  *lines = cut_line(text);
  if (strncmp(text, HEADER_START, strlen(HEADER_START)) != 0)
    HB_FAIL(
        HB_BAD_INPUT,
        "tuning_file = %s: is not a file of tuning decisions (its first line is not '%s'); give "
        "another name, or none",
        path, HEADER);
  if (strcmp(text, HEADER) != 0) {
    snprintf(warning, HB_TUNING_WARNING_BYTES,
             "tuning_file = %.400s: of another format ('%.60s', not '%s'): not used, and replaced "
             "when something is tuned",
             path, text + 2, &HEADER[2]);
    *lines = NULL;
  }
done:
  return status;
}

enum hb_status hb_tuning_file_find(const char *path, const char *key,
                                   struct hb_tuning_decision *decision, bool *found,
                                   char warning[HB_TUNING_WARNING_BYTES]) {
  enum hb_status status = HB_OK;
  char *text = NULL, *line = NULL, *next = NULL;
  int number = 1, first_wrong = 0, num_wrong = 0;
  warning[0] = '\0';
  *found = false;
  HB_TRY(read_text(path, &text));
  HB_TRY(check_header(path, text, &line, warning));
  for (; line != NULL; line = next) {
    struct hb_tuning_decision read = {.seconds = 0.0};
    next = cut_line(line);
    number++;
    if (line[0] == '#' || line[0] == '\0') continue;
    if (!parse_line(line, &read)) {
      if (num_wrong++ == 0) first_wrong = number;
    } else if (strcmp(line, key) == 0) {
      *decision = read; /* the last one counts */
      *found = true;
    }
  }
  if (num_wrong > 0)
    snprintf(warning, HB_TUNING_WARNING_BYTES,
             "tuning_file = %.400s: line %d is not a decision (%d such lines): not used, and left "
             "out when something is tuned",
             path, first_wrong, num_wrong);
done:
  hb_free(text);
  return status;
}

static void print_line(FILE *file, const char *key, const struct hb_tuning_decision *decision) {
  const struct hb_shape *shape = &decision->shape;
  fprintf(file, "%s%skernel=%s tile=%s wavefronts=%d elements=%d layout=%s ahead=%d seconds=%.6e\n",
          key, SEPARATOR, decision->kernel, hb_matrix_tile_name(shape->tile), shape->wavefronts,
          shape->elements, hb_cube_layout_name(shape->layout), shape->ahead, decision->seconds);
}

/* Everything of the new file; `lines` of the old one are cut up. */
static void print_all(FILE *file, char *lines, const char *key,
                      const struct hb_tuning_decision *decision) {
  char *next = NULL;
  fprintf(file, "%s\n%s\n", HEADER, SECOND_LINE);
  for (char *line = lines; line != NULL; line = next) {
    struct hb_tuning_decision kept = {.seconds = 0.0};
    next = cut_line(line);
    if (parse_line(line, &kept) && strcmp(line, key) != 0) print_line(file, line, &kept);
  }
  print_line(file, key, decision);
}

/* A new file beside the other, with the rights that any new file gets. */
static FILE *open_beside(const char *path, char name[NAME_BYTES]) {
  const mode_t mask = umask(0);
  umask(mask);
  snprintf(name, NAME_BYTES, "%s.XXXXXX", path);
  const int descriptor = mkstemp(name);
  if (descriptor < 0) return NULL;
  fchmod(descriptor, 0666 & ~mask);
  FILE *file = fdopen(descriptor, "w");
  if (file != NULL) return file;
  close(descriptor);
  unlink(name);
  return NULL;
}

enum hb_status hb_tuning_file_keep(const char *path, const char *key,
                                   const struct hb_tuning_decision *decision) {
  enum hb_status status = HB_OK;
  char name[NAME_BYTES], ignored[HB_TUNING_WARNING_BYTES];
  char *text = NULL, *lines = NULL;
  char *behind = realpath(path, NULL); /* a link stays one; NULL: no file yet */
  const char *target = behind != NULL ? behind : path;
  FILE *file = NULL;
  HB_TRY(read_text(path, &text));
  HB_TRY(check_header(path, text, &lines, ignored));
  file = open_beside(target, name);
  if (file == NULL)
    HB_FAIL(HB_MACHINE_FAILED, "tuning_file = %s: cannot be written: %s", path, strerror(errno));
  print_all(file, lines, key, decision);
  const bool written = fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
  const bool closed = fclose(file) == 0;
  if (!written || !closed || rename(name, target) != 0) {
    hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__,
                    "tuning_file = %s: cannot be written: %s", path, strerror(errno));
    unlink(name);
    status = HB_MACHINE_FAILED;
  }
done:
  free(behind);
  hb_free(text);
  return status;
}
