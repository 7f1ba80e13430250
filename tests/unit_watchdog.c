/* SPDX-License-Identifier: BSD-3-Clause
 * Who holds up a node: those that are stopped, else those that others wait for. */
#include "app/timers.h"
#include "app/watchdog.h"
#include "tests/check.h"

enum { RANKS = 3, WORDS_BYTES = 512 };

/* All in the reduction of iteration 7 of solve 2. */
static void all_wait(struct hb_watched *ranks) {
  for (int r = 0; r < RANKS; r++)
    ranks[r] = (struct hb_watched){.rank = 4 + r,
                                   .process = 100 + r,
                                   .phase = HB_PHASE_REDUCTION,
                                   .solve = 2,
                                   .iteration = 7,
                                   .waits = true,
                                   .beats = true,
                                   .stage = "solving"};
}

static void check_words(struct hb_check *check, const struct hb_watched *ranks, bool held_up,
                        const char *expected) {
  char words[WORDS_BYTES];
  CHECK_EQUAL(check, hb_watchdog_judge(RANKS, ranks, sizeof words, words), held_up);
  CHECK(check, strcmp(words, expected) == 0);
  if (strcmp(words, expected) != 0) printf("said: %s\n", words);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_watched ranks[RANKS], many[40];
  char words[8192];
  all_wait(ranks);
  check_words(&check, ranks, false,
              "rank 4 in reduction of iteration 7 of solve 2, 5 in reduction of iteration 7 of "
              "solve 2, 6 in reduction of iteration 7 of solve 2");
  ranks[1].waits = false; /* busy, or its GPU hangs */
  ranks[1].phase = HB_PHASE_OPERATOR;
  ranks[2].phase = HB_PHASE_EXCHANGE;
  check_words(&check, ranks, true,
              "rank 5 (process 101) is in operator of iteration 7 of solve 2; waiting: rank 4 in "
              "reduction of iteration 7 of solve 2, 6 in exchange of iteration 7 of solve 2");
  ranks[2].beats = false; /* stopped while it waits: the cause, whatever rank 5 is doing */
  check_words(&check, ranks, true,
              "rank 6 (process 102) is stopped, in exchange of iteration 7 of solve 2; waiting: "
              "rank 4 in reduction of iteration 7 of solve 2, 5 in operator of iteration 7 of "
              "solve 2");
  all_wait(ranks);
  for (int r = 0; r < RANKS; r++) {
    ranks[r].phase = -1;
    ranks[r].waits = false;
    ranks[r].stage = "checking";
  }
  check_words(&check, ranks, true,
              "rank 4 (process 100) is in 'checking'; rank 5 (process 101) is in 'checking'; rank "
              "6 (process 102) is in 'checking'");
  for (int r = 0; r < 40; r++) {
    many[r] = ranks[0];
    many[r].waits = r < 20;
  }
  CHECK(&check, hb_watchdog_judge(40, many, sizeof words, words));
  CHECK(&check, strstr(words, "; and more; waiting: ") != NULL);
  CHECK(&check, strcmp(words + strlen(words) - 10, ", and more") == 0);
  CHECK(&check, hb_watchdog_judge(40, many, 20, words) && strlen(words) == 19); /* cut */
  return hb_check_finish(&check);
}
