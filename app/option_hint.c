/* SPDX-License-Identifier: BSD-3-Clause
 * Hints for names that are not known: the nearest known ones, or all that could stand there. */
#include <string.h>

#include "app/option.h"

enum { NAME_BYTES = 64, MAX_HINTS = 3 };

static int smaller(int a, int b) { return a < b ? a : b; }

static char plain(char c) { return c == '-' ? '_' : c; }

/* Least number of single-character insertions, removals and replacements, - being the same as _.
 * row[j] holds the distance of the first i characters of a to the first j of b. */
static int edit_distance(const char *a, const char *b) {
  const int a_length = (int)strlen(a), b_length = (int)strlen(b);
  int row[NAME_BYTES + 1];
  if (a_length > NAME_BYTES || b_length > NAME_BYTES) return NAME_BYTES;
  for (int j = 0; j <= b_length; j++) row[j] = j;
  for (int i = 1; i <= a_length; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= b_length; j++) {
      const int replaced = diagonal + (plain(a[i - 1]) != plain(b[j - 1]));
      diagonal = row[j];
      row[j] = smaller(replaced, 1 + smaller(row[j], row[j - 1]));
    }
  }
  return row[b_length];
}

int hb_name_distance(const char *given, const char *known) {
  const size_t length = strlen(given);
  if (known == NULL) return NAME_BYTES;
  const int distance = edit_distance(given, known);
  return length >= 2 && strncmp(given, known, length) == 0 ? smaller(distance, 1) : distance;
}

/* Adds "before" + word to the text as long as there is room. */
static void append(char text[HB_OPTION_HINT_BYTES], const char *before, const char *word) {
  const size_t used = strlen(text);
  snprintf(text + used, HB_OPTION_HINT_BYTES - used, "%s%s", before, word);
}

static bool may_stand_in(const struct hb_option *option, const char *section) {
  if (option->words > 0) return false;
  return section == NULL || (option->section != NULL && strcmp(option->section, section) == 0);
}

void hb_option_hint(const struct hb_option_table *table, const char *section, const char *name,
                    char text[HB_OPTION_HINT_BYTES]) {
  const int farthest = smaller(3, 1 + (int)strlen(name) / 4);
  const char *dashes = section == NULL ? "--" : "";
  int found = 0;
  text[0] = '\0';
  for (int distance = 0; distance <= farthest; distance++)
    for (int i = 0; i < table->count && found < MAX_HINTS; i++) {
      const struct hb_option *option = &table->rows[i];
      const int away =
          smaller(hb_name_distance(name, option->name), hb_name_distance(name, option->alias));
      if (away != distance || !may_stand_in(option, section)) continue;
      append(text, found++ == 0 ? "did you mean " : " or ", dashes);
      append(text, "", option->name);
    }
  if (found > 0) {
    append(text, "", "?");
  } else if (section == NULL) {
    append(text, "", "--help lists all options");
  } else {
    append(text, "known in [", section);
    append(text, "", "]:");
    for (int i = 0; i < table->count; i++)
      if (may_stand_in(&table->rows[i], section)) append(text, " ", table->rows[i].name);
  }
}

void hb_option_section_hint(const struct hb_option_table *table, const char *section,
                            char text[HB_OPTION_HINT_BYTES]) {
  const char *nearest = NULL, *previous = "";
  int least = 3;
  text[0] = '\0';
  append(text, "known:", "");
  for (int i = 0; i < table->count; i++) {
    const char *known = table->rows[i].section;
    if (known == NULL || strcmp(known, previous) == 0) continue;
    append(text, " [", known);
    append(text, "", "]");
    previous = known;
    if (hb_name_distance(section, known) < least) {
      least = hb_name_distance(section, known);
      nearest = known;
    }
  }
  if (nearest != NULL) {
    text[0] = '\0';
    append(text, "did you mean [", nearest);
    append(text, "", "]?");
  }
}
