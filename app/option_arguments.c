/* SPDX-License-Identifier: BSD-3-Clause
 * Options and plain words of a command line. */
#include <string.h>

#include "app/option.h"

bool hb_option_given(int argc, char **argv, const char *argument) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], argument) == 0) return true;
  return false;
}

/* One option, beginning with --; *used counts the arguments it takes, `next` may be NULL. */
static enum hb_status take_option(const struct hb_option_table *table, const char *argument,
                                  const char *next, void *options, int *used) {
  enum hb_status status = HB_OK;
  const char *name = argument + 2;
  const size_t length = strcspn(name, "=");
  const int index = hb_option_find_argument(table, name, length);
  char where[HB_OPTION_WHERE_BYTES], shown[HB_OPTION_SHOWN_BYTES], hint[HB_OPTION_HINT_BYTES];
  snprintf(where, sizeof where, "%.*s", length < 200 ? (int)length : 200, name);
  *used = 1;
  if (index < 0) {
    hb_option_shown(where, shown);
    hb_option_hint(table, NULL, where, hint);
    HB_FAIL(HB_BAD_INPUT, "command line: unknown option '--%s'; %s", shown, hint);
  }
  const struct hb_option *option = &table->rows[index];
  snprintf(where, sizeof where, "command line: --%.*s", (int)length, name);
  if (option->type == HB_OPTION_FLAG) {
    if (name[length] == '=') HB_FAIL(HB_BAD_INPUT, "%s takes no value", where);
    HB_TRY(hb_option_set(option, where, "yes", options));
  } else if (name[length] == '=') {
    HB_TRY(hb_option_set(option, where, name + length + 1, options));
  } else {
    const bool missing = next == NULL || strncmp(next, "--", 2) == 0;
    HB_TRY(hb_option_set(option, where, missing ? "" : next, options));
    *used = 2;
  }
done:
  return status;
}

/* The row that takes word number `number` (from 0) and its place there; NULL: too many. */
static const struct hb_option *row_of_word(const struct hb_option_table *table, int number,
                                           int *place) {
  for (int i = 0; i < table->count; i++) {
    if (number < table->rows[i].words) {
      *place = number;
      return &table->rows[i];
    }
    number -= table->rows[i].words;
  }
  return NULL;
}

/* `row`: of the first word, if there may be one; `before`: the word before this one. */
static enum hb_status refuse_word(const struct hb_option *row, const char *argument,
                                  const char *before, int number) {
  enum hb_status status = HB_OK;
  char first[HB_OPTION_SHOWN_BYTES], shown[HB_OPTION_SHOWN_BYTES];
  hb_option_shown(argument, shown);
  if (number == 1 && before != NULL) {
    hb_option_shown(before, first);
    HB_FAIL(HB_BAD_INPUT, "command line: a second %s '%s' after '%s'; allowed: one", row->name,
            shown, first);
  }
  HB_FAIL(HB_BAD_INPUT, "command line: unexpected argument '%s'; allowed besides options: %d",
          shown, number);
done:
  return status;
}

/* A word that is no option; *number counts them, `before` is the one before, if any. */
static enum hb_status take_word(const struct hb_option_table *table, const char *argument,
                                const char *before, void *options, int *number) {
  enum hb_status status = HB_OK;
  int place = 0;
  char shown[HB_OPTION_SHOWN_BYTES], where[HB_OPTION_WHERE_BYTES];
  const struct hb_option *first = row_of_word(table, 0, &place);
  const struct hb_option *row = row_of_word(table, *number, &place);
  hb_option_shown(argument, shown);
  if (*argument == '\0' && first != NULL)
    HB_FAIL(HB_BAD_INPUT, "command line: an empty argument; allowed: %s %s or --NAME VALUE",
            strchr("aeiou", first->name[0]) != NULL ? "an" : "a", first->name);
  if (*argument == '-')
    HB_FAIL(HB_BAD_INPUT,
            "command line: unknown option '%s'; options begin with --, --help lists all", shown);
  if (row == NULL) HB_TRY(refuse_word(first, argument, before, *number));
  if (row->type == HB_OPTION_FILE)
    snprintf(where, sizeof where, "command line");
  else
    snprintf(where, sizeof where, "command line: %s", row->name);
  HB_TRY(hb_option_set(row, where, argument, (char *)options + (size_t)place * row->bytes));
  (*number)++;
done:
  return status;
}

/* The first row that must have a word and has none, of `number` that were given. */
static enum hb_status check_needed(const struct hb_option_table *table, int number) {
  enum hb_status status = HB_OK;
  char range[HB_OPTION_SHOWN_BYTES];
  for (int i = 0; i < table->count; i++) {
    const struct hb_option *row = &table->rows[i];
    if (row->needed && number <= 0) {
      const bool plain = row->type == HB_OPTION_TEXT || row->type == HB_OPTION_FILE;
      hb_option_range(row, range);
      HB_FAIL(HB_BAD_INPUT, "command line: the %s is missing%s%s", row->name,
              plain ? "" : "; allowed: ", plain ? "" : range);
    }
    number -= row->words;
  }
done:
  return status;
}

enum hb_status hb_option_read_arguments(const struct hb_option_table *table, int argc, char **argv,
                                        void *options) {
  enum hb_status status = HB_OK;
  const char *before = NULL;
  int used = 1, number = 0;
  for (int i = 1; i < argc; i += used) {
    used = 1;
    if (strncmp(argv[i], "--", 2) == 0) {
      HB_TRY(take_option(table, argv[i], i + 1 < argc ? argv[i + 1] : NULL, options, &used));
    } else {
      HB_TRY(take_word(table, argv[i], before, options, &number));
      before = argv[i];
    }
  }
  HB_TRY(check_needed(table, number));
done:
  return status;
}
