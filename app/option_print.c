/* SPDX-License-Identifier: BSD-3-Clause
 * Options as --help shows them, as a case file, and one by one. */
#include <string.h>

#include "app/option.h"

/* The type as a word for what follows --name. */
static const char *value_word(const struct hb_option *option) {
  if (option->type == HB_OPTION_FLAG) return "";
  if (option->type == HB_OPTION_INTEGER) return " INTEGER";
  if (option->type == HB_OPTION_REAL) return " NUMBER";
  return option->type == HB_OPTION_TEXT ? " TEXT" : " WORD";
}

static void help_on(FILE *stream, const struct hb_option *option) {
  char range[HB_OPTION_SHOWN_BYTES], words[HB_OPTION_SHOWN_BYTES];
  const bool alias = option->alias != NULL, unit = option->unit != NULL && *option->unit != '\0';
  hb_option_range(option, range);
  if (option->words > 0)
    snprintf(words, sizeof words, "%s", option->name);
  else
    snprintf(words, sizeof words, "--%s%s%s%s", option->name, alias ? ", --" : "",
             alias ? option->alias : "", value_word(option));
  fprintf(stream, "  %-26s %s\n", words, option->help);
  if (option->type == HB_OPTION_FLAG || option->type == HB_OPTION_FILE) return;
  if (option->type == HB_OPTION_TEXT && option->preset == NULL) return;
  fprintf(stream, "  %-26s %s%s%s", "", range, unit ? ", in " : "", unit ? option->unit : "");
  if (option->preset != NULL) fprintf(stream, "; default %s", option->preset);
  fprintf(stream, "\n");
}

static bool has_sections(const struct hb_option_table *table) {
  bool found = false;
  for (int i = 0; i < table->count; i++) found = found || table->rows[i].section != NULL;
  return found;
}

/* Does the row's section differ from that of the row before?  (NULL: the command line alone.) */
static bool section_begins(const struct hb_option_table *table, int index) {
  const char *before = index > 0 ? table->rows[index - 1].section : "";
  const char *now = table->rows[index].section;
  return now == NULL ? before != NULL : before == NULL || strcmp(now, before) != 0;
}

void hb_option_help(const struct hb_option_table *table, FILE *stream) {
  for (int i = 0; i < table->count; i++) {
    const struct hb_option *option = &table->rows[i];
    if (option->help == NULL) continue;
    if (has_sections(table) && section_begins(table, i)) {
      if (option->section != NULL)
        fprintf(stream, "\n[%s]\n", option->section);
      else
        fprintf(stream, "\ncommand line alone\n");
    }
    help_on(stream, option);
  }
}

/* Quotes where a bare value would be cut or read as something else. */
static bool needs_quotes(const char *value) {
  const size_t length = strlen(value);
  return length == 0 || value[0] == ' ' || value[length - 1] == ' ' || value[0] == '#' ||
         value[0] == ';' || strstr(value, " #") != NULL || strstr(value, " ;") != NULL;
}

void hb_option_echo(const struct hb_option_table *table, FILE *stream, const void *options) {
  char value[HB_PATH_BYTES];
  for (int i = 0; i < table->count; i++) {
    const struct hb_option *option = &table->rows[i];
    if (option->section == NULL) continue;
    if (section_begins(table, i)) fprintf(stream, "[%s]\n", option->section);
    hb_option_format(option, options, value);
    const char *quote = option->type == HB_OPTION_TEXT && needs_quotes(value) ? "\"" : "";
    fprintf(stream, "%s = %s%s%s\n", option->name, quote, value, quote);
  }
}

void hb_option_visit(const struct hb_option_table *table, const void *options,
                     void (*visit)(void *context, const char *section, const char *name,
                                   const char *value),
                     void *context) {
  char value[HB_PATH_BYTES];
  for (int i = 0; i < table->count; i++) {
    const struct hb_option *option = &table->rows[i];
    if (option->section == NULL) continue;
    hb_option_format(option, options, value);
    visit(context, option->section, option->name, value);
  }
}
