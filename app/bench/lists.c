/* SPDX-License-Identifier: BSD-3-Clause
 * Reading of lists. */
#include "app/bench/lists.h"

#include <stdlib.h>
#include <string.h>

enum { ITEM_BYTES = 64, ALLOWED_BYTES = 512 };

/* Takes the text up to the next comma; false at the end of the list. */
static bool next_item(const char **text, char item[ITEM_BYTES]) {
  if (*text == NULL) return false;
  const char *comma = strchr(*text, ',');
  const size_t length = comma != NULL ? (size_t)(comma - *text) : strlen(*text);
  snprintf(item, ITEM_BYTES, "%.*s", (int)(length < ITEM_BYTES ? length : ITEM_BYTES - 1), *text);
  *text = comma != NULL ? comma + 1 : NULL;
  return true;
}

/* A number of at most six digits at the start of the text, which moves behind it; else -1. */
static int take_number(const char **text) {
  const size_t digits = strspn(*text, "0123456789");
  if (digits == 0 || digits > 6) return -1;
  const int value = atoi(*text);
  *text += digits;
  return value;
}

/* Ends of "7" or "5..9"; false if it is neither. */
static bool read_range(const char *item, int *first, int *last) {
  *first = *last = take_number(&item);
  if (*first >= 0 && strncmp(item, "..", 2) == 0) {
    item += 2;
    *last = take_number(&item);
  }
  return *first >= 0 && *last >= 0 && *item == '\0';
}

enum hb_status hb_bench_numbers(const char *option, const char *text, int lowest, int highest,
                                bool *chosen) {
  enum hb_status status = HB_OK;
  const char *rest = text;
  char item[ITEM_BYTES], shown[HB_OPTION_SHOWN_BYTES];
  if (strcmp(text, "all") == 0) {
    for (int i = lowest; i <= highest; i++) chosen[i] = true;
    return HB_OK;
  }
  while (next_item(&rest, item)) {
    int first = 0, last = 0;
    if (!read_range(item, &first, &last) || first > last || first < lowest || last > highest) {
      hb_option_shown(text, shown);
      HB_FAIL(HB_BAD_INPUT,
              "command line: --%s: '%s'; allowed: numbers %d..%d with commas, as 3,5..9, or all",
              option, shown, lowest, highest);
    }
    for (int i = first; i <= last; i++) chosen[i] = true;
  }
done:
  return status;
}

static int find_name(const char *item, const char *const *known, int count) {
  for (int i = 0; i < count; i++)
    if (known[i] != NULL && strcmp(item, known[i]) == 0) return i;
  return -1;
}

static enum hb_status refuse_name(const char *option, const char *item, const char *const *known,
                                  int count) {
  enum hb_status status = HB_OK;
  char shown[HB_OPTION_SHOWN_BYTES], allowed[ALLOWED_BYTES] = "";
  size_t used = 0;
  for (int i = 0; i < count; i++)
    if (known[i] != NULL && used < sizeof allowed)
      used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s, ", known[i]);
  hb_option_shown(item, shown);
  HB_FAIL(HB_BAD_INPUT, "command line: --%s: '%s'; allowed: %sseveral with commas, or all", option,
          shown, allowed);
done:
  return status;
}

enum hb_status hb_bench_names(const char *option, const char *text, const char *const *known,
                              int count, unsigned *chosen) {
  enum hb_status status = HB_OK;
  const char *rest = text;
  char item[ITEM_BYTES];
  *chosen = 0;
  if (strcmp(text, "all") == 0) {
    for (int i = 0; i < count; i++) *chosen |= known[i] != NULL ? 1u << i : 0u;
    return HB_OK;
  }
  while (next_item(&rest, item)) {
    const int found = find_name(item, known, count);
    if (found < 0) HB_TRY(refuse_name(option, item, known, count));
    *chosen |= 1u << found;
  }
done:
  return status;
}
