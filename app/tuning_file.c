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

/* Takes "NAME=VALUE" and the blank after it off the text, and gives the value, which ends with NUL;
 * NULL: something else stands there. */
static char *take_value(char **text, const char *name) {
  const size_t length = strlen(name);
  if (strncmp(*text, name, length) != 0 || (*text)[length] != '=') return NULL;
  char *value = *text + length + 1, *end = value + strcspn(value, " ");
  *text = *end == '\0' ? end : end + 1;
  *end = '\0';
  return value;
}

static bool find_mode(const char *name, enum hb_geometry_mode *mode) {
  for (int m = 0; m < HB_NUM_GEOMETRY_MODES; m++) {
    *mode = (enum hb_geometry_mode)m;
    if (strcmp(name, hb_geometry_mode_name(*mode)) == 0) return true;
  }
  return false;
}

static bool parse_values(char *text, struct hb_tuning_decision *decision) {
  const char *kernel = take_value(&text, "kernel"), *seconds = NULL;
  char *end = NULL;
  if (kernel == NULL || *kernel == '\0' || strlen(kernel) >= sizeof decision->kernel) return false;
  snprintf(decision->kernel, sizeof decision->kernel, "%s", kernel);
  const char *mode = take_value(&text, "geometry");
  decision->mode = HB_GEOMETRY_STORED;
  if (mode != NULL && !find_mode(mode, &decision->mode)) return false;
  for (int m = 0; m < HB_NUM_SHAPE_MEMBERS; m++) {
    const char *value = take_value(&text, hb_shape_member(m)->name);
    int read = 0;
    if (value == NULL || !hb_shape_parse(m, value, &read)) return false;
    hb_shape_set(&decision->shape, m, read);
  }
  seconds = take_value(&text, "seconds");
  if (seconds == NULL || *seconds == '\0' || *text != '\0') return false;
  decision->seconds = strtod(seconds, &end);
  return *end == '\0';
}

/* "KEY : VALUES", ended by NUL, of which the key is left.  False: not a decision; cut up. */
static bool parse_line(char *line, struct hb_tuning_decision *decision) {
  char *values = strstr(line, SEPARATOR);
  if (values == NULL || strncmp(line, "operator=", strlen("operator=")) != 0) return false;
  *values = '\0';
  return parse_values(values + strlen(SEPARATOR), decision);
}

/* The file's text with a closing NUL, NULL if there is no file. */
static enum hb_status read_text(const char *path, char **text) {
  enum hb_status status = HB_OK;
  struct stat about;
  FILE *file = NULL;
  *text = NULL;
  const bool there = stat(path, &about) == 0;
  if (!there && (errno == ENOENT || errno == ENOTDIR)) return HB_OK;
  if (there && !S_ISREG(about.st_mode)) /* to open a pipe may take for ever */
    HB_FAIL(HB_BAD_INPUT,
            "tuning_file = %s: is not a file of tuning decisions; give another name, or none",
            path);
  file = fopen(path, "rb");
  if (file == NULL || fstat(fileno(file), &about) != 0)
    HB_FAIL(HB_BAD_INPUT, "tuning_file = %s: cannot be read: %s; give another name, or none", path,
            strerror(errno));
  if (about.st_size > MOST_BYTES)
    HB_FAIL(HB_BAD_INPUT,
            "tuning_file = %s: is not a file of tuning decisions: it has %lld bytes; give another "
            "name, or none",
            path, (long long)about.st_size);
  const size_t size = (size_t)about.st_size;
  HB_ALLOC(*text, size + 1, "tuning file");
  errno = 0;
  const size_t got = fread(*text, 1, size, file);
  if (got != size) /* what was not read would be lost when the file is written anew */
    HB_FAIL(HB_BAD_INPUT, "tuning_file = %s: cannot be read whole: %s; give another name, or none",
            path, ferror(file) ? strerror(errno) : "it has become shorter");
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
  fprintf(file, "%s%skernel=%s", key, SEPARATOR, decision->kernel);
  if (decision->mode != HB_GEOMETRY_STORED)
    fprintf(file, " geometry=%s", hb_geometry_mode_name(decision->mode));
  for (int m = 0; m < HB_NUM_SHAPE_MEMBERS; m++) {
    char value[HB_SHAPE_VALUE_BYTES];
    hb_shape_format(m, hb_shape_get(&decision->shape, m), value);
    fprintf(file, " %s=%s", hb_shape_member(m)->name, value);
  }
  fprintf(file, " seconds=%.6e\n", decision->seconds);
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
