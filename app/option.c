/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of options: found by name; one value read, written and described by its row. */
#include "app/option.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void hb_option_defaults(const struct hb_option_table *table, void *options) {
  for (int i = 0; i < table->count; i++) {
    const struct hb_option *option = &table->rows[i];
    if (option->preset == NULL) continue;
    const enum hb_status status = hb_option_set(option, "default", option->preset, options);
    HB_ASSERT(status == HB_OK);
    (void)status;
  }
}

int hb_option_find(const struct hb_option_table *table, const char *section, const char *name) {
  for (int i = 0; i < table->count; i++) {
    if (table->rows[i].section == NULL || strcmp(table->rows[i].name, name) != 0) continue;
    if (section == NULL || strcmp(table->rows[i].section, section) == 0) return i;
  }
  return -1;
}

static bool argument_matches(const char *name, size_t length, const char *known) {
  if (known == NULL || strlen(known) != length) return false;
  for (size_t i = 0; i < length; i++)
    if ((name[i] == '-' ? '_' : name[i]) != (known[i] == '-' ? '_' : known[i])) return false;
  return true;
}

int hb_option_find_argument(const struct hb_option_table *table, const char *name, size_t length) {
  for (int i = 0; i < table->count; i++)
    if (table->rows[i].words == 0 && (argument_matches(name, length, table->rows[i].name) ||
                                      argument_matches(name, length, table->rows[i].alias)))
      return i;
  return -1;
}

bool hb_option_section_known(const struct hb_option_table *table, const char *section) {
  for (int i = 0; i < table->count; i++)
    if (table->rows[i].section != NULL && strcmp(table->rows[i].section, section) == 0) return true;
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
  case HB_OPTION_FILE:
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

static bool is_text(const struct hb_option *option) {
  return option->type == HB_OPTION_TEXT || option->type == HB_OPTION_FILE;
}

static const char *check_text(const struct hb_option *option, const char *text) {
  if (strlen(text) >= option->bytes) return "is too long";
  for (const char *c = text; *c != '\0'; c++)
    if (iscntrl((unsigned char)*c) || *c == '"')
      return "holds a double quote or a control character";
  return NULL;
}

/* A value as it was read. */
struct value {
  int64_t integer; /* also a choice, yes or no */
  double real;
};

/* A complaint, or NULL if the text is a value of the option. */
static const char *parse(const struct hb_option *option, const char *text, struct value *value) {
  switch (option->type) {
  case HB_OPTION_INTEGER: return parse_integer(option, text, &value->integer);
  case HB_OPTION_REAL: return parse_real(option, text, &value->real);
  case HB_OPTION_CHOICE:
    value->integer = find_word(option->choices, text);
    return value->integer < 0 ? "is not known" : NULL;
  case HB_OPTION_YESNO:
  case HB_OPTION_FLAG:
    value->integer = strcmp(text, "yes") == 0;
    return value->integer == 0 && strcmp(text, "no") != 0 ? "is neither yes nor no" : NULL;
  default: return check_text(option, text);
  }
}

static void store(const struct hb_option *option, const char *text, const struct value *value,
                  char *member) {
  if (option->type == HB_OPTION_REAL) {
    memcpy(member, &value->real, sizeof value->real);
  } else if (is_text(option)) {
    memset(member, 0, option->bytes);
    memcpy(member, text, strlen(text) + 1);
  } else if (option->bytes == sizeof(bool)) {
    const bool yes = value->integer != 0;
    memcpy(member, &yes, sizeof yes);
  } else if (option->bytes == sizeof(int)) {
    const int narrow = (int)value->integer;
    memcpy(member, &narrow, sizeof narrow);
  } else {
    memcpy(member, &value->integer, sizeof value->integer);
  }
}

/* Names of files may hold anything that can be shown. */
static enum hb_status check_file_name(const struct hb_option *option, const char *where,
                                      const char *text) {
  enum hb_status status = HB_OK;
  char shown[HB_OPTION_SHOWN_BYTES];
  if (strlen(text) >= option->bytes)
    HB_FAIL(HB_BAD_INPUT, "%s: the %s's name has %zu characters; allowed: at most %zu", where,
            option->name, strlen(text), option->bytes - 1);
  hb_option_shown(text, shown);
  for (const char *c = text; *c != '\0'; c++)
    if (iscntrl((unsigned char)*c))
      HB_FAIL(HB_BAD_INPUT, "%s: %s '%s': a control character in the name", where, option->name,
              shown);
done:
  return status;
}

enum hb_status hb_option_set(const struct hb_option *option, const char *where, const char *text,
                             void *options) {
  enum hb_status status = HB_OK;
  const char *complaint = NULL;
  char range[HB_OPTION_SHOWN_BYTES], shown[HB_OPTION_SHOWN_BYTES];
  struct value value = {0, 0.0};
  hb_option_range(option, range);
  if (*text == '\0') HB_FAIL(HB_BAD_INPUT, "%s: the value is missing; allowed: %s", where, range);
  if (option->type == HB_OPTION_FILE)
    HB_TRY(check_file_name(option, where, text));
  else
    complaint = parse(option, text, &value);
  if (complaint != NULL) {
    hb_option_shown(text, shown);
    HB_FAIL(HB_BAD_INPUT, "%s: '%s' %s; allowed: %s", where, shown, complaint, range);
  }
  store(option, text, &value, (char *)options + option->offset);
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

void hb_option_format(const struct hb_option *option, const void *options,
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
  if (is_text(option)) {
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
