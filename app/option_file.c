/* SPDX-License-Identifier: BSD-3-Clause
 * Reads the text of a case file: [section] lines, `name = value` lines, comments.
 *
 * A comment begins with # or ; at the start of a line or after a blank.  A value in double quotes
 * may hold blanks and comment signs.  Line ends are LF or CR LF; a UTF-8 mark may come first. */
#include <ctype.h>
#include <string.h>

#include "app/option.h"

enum { LINE_BYTES = 8192, PATH_SHOWN = 200 };

struct reader {
  const struct hb_option_table *table; /* borrowed, as `options` */
  void *options;
  const char *path; /* borrowed, the end of it if it is long */
  int line;
  const char *section; /* borrowed from the text, NULL before the first section */
  int *line_of;        /* owned [row]: where the option was given, 0 = not yet */
};

static bool blank(char c) { return c == ' ' || c == '\t'; }

static char *skip_blanks(char *text) {
  while (blank(*text)) text++;
  return text;
}

static void cut_blanks_at_end(char *text) {
  size_t length = strlen(text);
  while (length > 0 && blank(text[length - 1])) length--;
  text[length] = '\0';
}

/* Nothing more, or a comment. */
static bool ends_here(const char *text) {
  while (blank(*text)) text++;
  return *text == '\0' || *text == '#' || *text == ';';
}

/* `[name]` and perhaps a comment. */
static enum hb_status read_section(struct reader *reader, char *text) {
  enum hb_status status = HB_OK;
  char shown[HB_OPTION_SHOWN_BYTES], hint[HB_OPTION_HINT_BYTES];
  char *name = skip_blanks(text + 1), *close = strchr(text, ']');
  if (close == NULL || !ends_here(close + 1)) {
    hb_option_shown(text, shown);
    HB_FAIL(HB_BAD_INPUT, "%s:%d: '%s' is not a section; allowed: [name]", reader->path,
            reader->line, shown);
  }
  *close = '\0';
  cut_blanks_at_end(name);
  if (!hb_option_section_known(reader->table, name)) {
    hb_option_shown(name, shown);
    hb_option_section_hint(reader->table, name, hint);
    HB_FAIL(HB_BAD_INPUT, "%s:%d: unknown section [%s]; %s", reader->path, reader->line, shown,
            hint);
  }
  reader->section = name;
done:
  return status;
}

/* Says where a name belongs that is not of the present section. */
static enum hb_status refuse_name(const struct reader *reader, const char *name) {
  enum hb_status status = HB_OK;
  char shown[HB_OPTION_SHOWN_BYTES], hint[HB_OPTION_HINT_BYTES];
  const int elsewhere = hb_option_find(reader->table, NULL, name);
  const int argument = hb_option_find_argument(reader->table, name, strlen(name));
  hb_option_shown(name, shown);
  if (reader->section == NULL && elsewhere < 0)
    HB_FAIL(HB_BAD_INPUT, "%s:%d: '%s' stands before the first [section]", reader->path,
            reader->line, shown);
  if (reader->section == NULL)
    HB_FAIL(HB_BAD_INPUT, "%s:%d: '%s' stands before the first [section]; it belongs in [%s]",
            reader->path, reader->line, shown, reader->table->rows[elsewhere].section);
  if (elsewhere >= 0)
    HB_FAIL(HB_BAD_INPUT, "%s:%d: '%s' does not belong in [%s] but in [%s]", reader->path,
            reader->line, shown, reader->section, reader->table->rows[elsewhere].section);
  if (argument >= 0 && reader->table->rows[argument].section == NULL)
    HB_FAIL(HB_BAD_INPUT, "%s:%d: '%s' is an option of the command line alone", reader->path,
            reader->line, shown);
  hb_option_hint(reader->table, reader->section, name, hint);
  HB_FAIL(HB_BAD_INPUT, "%s:%d: unknown name '%s' in [%s]; %s", reader->path, reader->line, shown,
          reader->section, hint);
done:
  return status;
}

/* Cuts comment and quotes off a value, in place. */
static enum hb_status bare_value(const struct reader *reader, char *text, char **value) {
  enum hb_status status = HB_OK;
  *value = skip_blanks(text);
  if (**value == '"') {
    char *close = strchr(++*value, '"');
    if (close == NULL)
      HB_FAIL(HB_BAD_INPUT, "%s:%d: the closing double quote is missing", reader->path,
              reader->line);
    if (!ends_here(close + 1))
      HB_FAIL(HB_BAD_INPUT, "%s:%d: text after the closing double quote; allowed: a comment",
              reader->path, reader->line);
    *close = '\0';
  } else {
    char *c = *value;
    while (*c != '\0' && !((*c == '#' || *c == ';') && (c == *value || blank(c[-1])))) c++;
    *c = '\0';
    cut_blanks_at_end(*value);
  }
done:
  return status;
}

/* `name = value` and perhaps a comment. */
static enum hb_status read_value(struct reader *reader, char *text) {
  enum hb_status status = HB_OK;
  char where[HB_OPTION_WHERE_BYTES], shown[HB_OPTION_SHOWN_BYTES];
  char *equals = strchr(text, '='), *value = NULL;
  hb_option_shown(text, shown);
  if (equals == NULL || equals == text)
    HB_FAIL(HB_BAD_INPUT,
            "%s:%d: '%s' is not understood; allowed: name = value, [section], a "
            "comment that begins with # or ;",
            reader->path, reader->line, shown);
  *equals = '\0';
  cut_blanks_at_end(text);
  const int index =
      reader->section == NULL ? -1 : hb_option_find(reader->table, reader->section, text);
  if (index < 0) HB_TRY(refuse_name(reader, text));
  if (reader->line_of[index] != 0)
    HB_FAIL(HB_BAD_INPUT, "%s:%d: %s was given before, in line %d", reader->path, reader->line,
            text, reader->line_of[index]);
  reader->line_of[index] = reader->line;
  HB_TRY(bare_value(reader, equals + 1, &value));
  snprintf(where, sizeof where, "%s:%d: %s", reader->path, reader->line, text);
  HB_TRY(hb_option_set(&reader->table->rows[index], where, value, reader->options));
done:
  return status;
}

static enum hb_status check_characters(const struct reader *reader, const char *text,
                                       size_t length) {
  enum hb_status status = HB_OK;
  if (length >= LINE_BYTES)
    HB_FAIL(HB_BAD_INPUT, "%s:%d: the line has %zu characters; allowed: at most %d", reader->path,
            reader->line, length, LINE_BYTES - 1);
  for (size_t i = 0; i < length; i++)
    if (iscntrl((unsigned char)text[i]) && text[i] != '\t')
      HB_FAIL(HB_BAD_INPUT,
              "%s:%d: character %zu is 0x%02x; allowed: text without control "
              "characters",
              reader->path, reader->line, i + 1, (unsigned)(unsigned char)text[i]);
done:
  return status;
}

/* One line, in place; text[length] may be overwritten. */
static enum hb_status read_line(struct reader *reader, char *text, size_t length) {
  enum hb_status status = HB_OK;
  if (length > 0 && text[length - 1] == '\r') length--;
  HB_TRY(check_characters(reader, text, length));
  text[length] = '\0';
  text = skip_blanks(text);
  if (ends_here(text)) goto done;
  HB_TRY(*text == '[' ? read_section(reader, text) : read_value(reader, text));
done:
  return status;
}

enum hb_status hb_option_read_text(const struct hb_option_table *table, const char *path,
                                   char *text, size_t bytes, void *options) {
  enum hb_status status = HB_OK;
  const size_t path_length = strlen(path);
  struct reader reader = {.table = table, .options = options, .path = path};
  if (path_length > PATH_SHOWN) reader.path = path + path_length - PATH_SHOWN;
  HB_ALLOC(reader.line_of, table->count, "lines of the case file");
  memset(reader.line_of, 0, (size_t)table->count * sizeof *reader.line_of);
  char *line = text, *end = text + bytes; /* *end is ours: the text has room for one more */
  if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) line += 3;
  while (line < end) {
    char *newline = memchr(line, '\n', (size_t)(end - line));
    char *line_end = newline != NULL ? newline : end;
    reader.line++;
    HB_TRY(read_line(&reader, line, (size_t)(line_end - line)));
    line = line_end + 1;
  }
done:
  hb_free(reader.line_of);
  return status;
}
