/* SPDX-License-Identifier: BSD-3-Clause
 * Who holds up a node. */
#include <stdio.h>
#include <string.h>

#include "app/timers.h"
#include "app/watchdog.h"

enum { MOST_NAMED = 16 };

static void add(size_t size, char *words, size_t *used, const char *what) {
  if (*used >= size) return;
  *used += (size_t)snprintf(words + *used, size - *used, "%s", what);
}

/* "in operator of iteration 3 of solve 2", "in 'setting up'". */
static void add_place(const struct hb_watched *rank, size_t size, char *words, size_t *used) {
  char place[160];
  if (rank->phase < 0 || rank->phase >= HB_NUM_PHASES)
    snprintf(place, sizeof place, "in '%s'", rank->stage);
  else {
    const char *phase = hb_phase_name((enum hb_phase)rank->phase);
    snprintf(place, sizeof place, "in %.*s of iteration %d of solve %d", (int)strcspn(phase, "_"),
             phase, rank->iteration, rank->solve);
  }
  add(size, words, used, place);
}

static bool holds_up(const struct hb_watched *rank, bool some_stopped) {
  return some_stopped ? !rank->beats : !rank->waits;
}

bool hb_watchdog_judge(int count, const struct hb_watched *ranks, size_t size, char *words) {
  bool some_stopped = false;
  int named = 0, waiting = 0;
  size_t used = 0;
  words[0] = '\0';
  for (int r = 0; r < count; r++) some_stopped |= !ranks[r].beats;
  for (int r = 0; r < count; r++) {
    char who[96];
    if (!holds_up(&ranks[r], some_stopped) || ++named > MOST_NAMED) continue;
    snprintf(who, sizeof who, "%srank %d (process %ld) is %s", named > 1 ? "; " : "", ranks[r].rank,
             ranks[r].process, ranks[r].beats ? "" : "stopped, ");
    add(size, words, &used, who);
    add_place(&ranks[r], size, words, &used);
  }
  if (named > MOST_NAMED) add(size, words, &used, "; and more");
  for (int r = 0; r < count; r++) {
    char who[32];
    if (holds_up(&ranks[r], some_stopped)) continue;
    if (++waiting > MOST_NAMED) continue;
    snprintf(who, sizeof who, "%s%d ",
             waiting > 1 ? ", "
             : named > 0 ? "; waiting: rank "
                         : "rank ",
             ranks[r].rank);
    add(size, words, &used, who);
    add_place(&ranks[r], size, words, &used);
  }
  if (waiting > MOST_NAMED) add(size, words, &used, ", and more");
  return named > 0;
}
