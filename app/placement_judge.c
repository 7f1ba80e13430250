/* SPDX-License-Identifier: BSD-3-Clause
 * What is wrong with the places of ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/placement.h"

enum { MOST_TOLD = 4, WORDS_BYTES = 768, RANKS_BYTES = 96 };

/* Sentences of one kind: the first ones, and how many there are. */
struct kind {
  hb_tell *tell;
  void *context;
  const char *more; /* "more groups of ranks share cores" */
  int found;
};

static void tell(struct kind *kind, const char *words) {
  if (++kind->found <= MOST_TOLD) kind->tell(kind->context, words);
}

static void tell_more(const struct kind *kind) {
  char words[WORDS_BYTES];
  if (kind->found <= MOST_TOLD) return;
  snprintf(words, sizeof words, "%d %s", kind->found - MOST_TOLD, kind->more);
  kind->tell(kind->context, words);
}

/* ---- cores ----------------------------------------------------------------------------------- */

/* Ranks of a node that have a core in common belong to one group, directly or by others: `first`
 * leads from each to the group's. */
struct groups {
  const struct hb_placement *placement;
  int *first,
      *owner;   /* owned [count]; [processors]: the rank that had core c first, on this node */
  bool *member; /* owned [count] */
};

static int group_of(const struct groups *groups, int rank) {
  while (groups->first[rank] != rank) rank = groups->first[rank];
  return rank;
}

static void join(struct groups *groups, int a, int b) {
  const int one = group_of(groups, a), other = group_of(groups, b);
  if (one < other)
    groups->first[other] = one;
  else
    groups->first[one] = other;
}

/* Groups of the node whose number is its lowest rank's. */
static void group_node(struct groups *groups, int node) {
  for (int c = 0; c < HB_MAX_PROCESSORS; c++) groups->owner[c] = -1;
  for (int rank = node; rank < groups->placement->count; rank++) {
    const struct hb_place *place = &groups->placement->place[rank];
    for (int word = 0; place->node == node && word < HB_PLACE_WORDS; word++)
      for (uint64_t bits = place->cores[word]; bits != 0; bits &= bits - 1) {
        const int core = 64 * word + __builtin_ctzll(bits);
        if (groups->owner[core] < 0)
          groups->owner[core] = rank;
        else
          join(groups, rank, groups->owner[core]);
      }
  }
}

/* A group that has fewer cores together than ranks. */
static void judge_group(const struct groups *groups, int first, struct kind *kind) {
  const struct hb_placement *placement = groups->placement;
  uint64_t cores[HB_PLACE_WORDS] = {0};
  char words[WORDS_BYTES], list[RANKS_BYTES];
  int ranks = 0, count = 0;
  for (int rank = 0; rank < placement->count; rank++) {
    groups->member[rank] = group_of(groups, rank) == first && placement->place[rank].num_cores > 0;
    if (!groups->member[rank]) continue;
    ranks++;
    for (int w = 0; w < HB_PLACE_WORDS; w++) cores[w] |= placement->place[rank].cores[w];
  }
  for (int w = 0; w < HB_PLACE_WORDS; w++) count += __builtin_popcountll(cores[w]);
  if (ranks <= count) return;
  const struct hb_place *place = &placement->place[first];
  hb_list_words(groups->member, placement->count, sizeof list, list);
  snprintf(words, sizeof words,
           "ranks %s share %d core%s of %s (processors %s): they wait for each other, and no time "
           "here is that of a rank with a core of its own",
           list, count, count > 1 ? "s" : "", place->host, place->processors);
  tell(kind, words);
}

static enum hb_status judge_cores(const struct hb_placement *placement, hb_tell *say,
                                  void *context) {
  enum hb_status status = HB_OK;
  struct kind kind = {say, context, "more groups of ranks share cores", 0};
  struct groups groups = {.placement = placement};
  const int count = placement->count;
  HB_ALLOC(groups.first, count, "groups of ranks");
  HB_ALLOC(groups.owner, HB_MAX_PROCESSORS, "groups of ranks");
  HB_ALLOC(groups.member, count, "groups of ranks");
  for (int rank = 0; rank < count; rank++) groups.first[rank] = rank;
  for (int rank = 0; rank < count; rank++)
    if (placement->place[rank].node == rank) group_node(&groups, rank);
  /* A group of more than one is judged at its lowest rank. */
  for (int rank = 0; rank < count; rank++) {
    const int first = group_of(&groups, rank);
    if (first == rank) continue;
    judge_group(&groups, first, &kind);
    for (int other = 0; other < count; other++)
      if (groups.member[other]) groups.first[other] = other; /* judged: alone from now on */
  }
  tell_more(&kind);
done:
  hb_free(groups.first);
  hb_free(groups.owner);
  hb_free(groups.member);
  return status;
}

/* ---- one rank -------------------------------------------------------------------------------- */

static void judge_asked(const struct hb_placement *placement, hb_tell *say, void *context) {
  struct kind kind = {say, context, "more ranks have fewer processors than asked for", 0};
  for (int rank = 0; rank < placement->count; rank++) {
    const struct hb_place *place = &placement->place[rank];
    char words[WORDS_BYTES];
    if (place->num_processors == 0 || place->num_processors >= place->asked) continue;
    snprintf(words, sizeof words,
             "rank %d may run on %d processor%s of %s (%s), asked for were %d; a step does not "
             "always take over the job's -c: give it to srun as well",
             rank, place->num_processors, place->num_processors > 1 ? "s" : "", place->host,
             place->processors, place->asked);
    tell(&kind, words);
  }
  tell_more(&kind);
}

/* Is `node` in "0-3,8"?  One that was cut is not judged. */
static bool list_has(const char *list, int node) {
  for (const char *at = list; *at != '\0';) {
    char *end = NULL;
    const long first = strtol(at, &end, 10);
    if (end == at) return true;
    const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
    if (first <= node && node <= last) return true;
    at = *end == ',' ? end + 1 : end;
  }
  return false;
}

static void judge_distance(const struct hb_placement *placement, hb_tell *say, void *context) {
  struct kind kind = {say, context, "more ranks are far from their GPU", 0};
  for (int rank = 0; rank < placement->count; rank++) {
    const struct hb_place *place = &placement->place[rank];
    char words[WORDS_BYTES], distance[64] = "";
    if (place->device_numa < 0 || place->numa_nodes[0] == '\0' ||
        list_has(place->numa_nodes, place->device_numa))
      continue;
    if (place->distance > 0 && place->near > 0)
      snprintf(distance, sizeof distance, ", at distance %d instead of %d", place->distance,
               place->near);
    snprintf(words, sizeof words,
             "rank %d on %s runs on NUMA node %s (processors %s), its GPU %s is at NUMA node %d%s; "
             "bind it by a map (--cpu-bind=map_cpu, --map-by with a rank file), not by count",
             rank, place->host, place->numa_nodes, place->processors, place->pci_bus_id,
             place->device_numa, distance);
    tell(&kind, words);
  }
  tell_more(&kind);
}

enum hb_status hb_placement_judge(const struct hb_placement *placement, hb_tell *say,
                                  void *context) {
  const enum hb_status status = judge_cores(placement, say, context);
  judge_asked(placement, say, context);
  judge_distance(placement, say, context);
  return status;
}
