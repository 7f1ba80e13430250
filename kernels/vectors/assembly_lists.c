/* SPDX-License-Identifier: BSD-3-Clause
 * The terms of each surface point, from the elements' index. */
#include <string.h>

#include "kernels/threads.h"
#include "kernels/vectors/assembly.h"

/* Points in pieces, on several threads: each goes through all terms and takes those of its own. */
enum { NUM_PIECES = 64, MOST_TERMS = 255 };
struct pass {
  hb_local num_terms, surface_start;
  const hb_local *surface_index;
  struct hb_assembly_lists *lists;
  uint8_t *count;             /* owned [surface point]: its terms so far */
  hb_local extra[NUM_PIECES]; /* entries of the piece; then its first */
  bool wrong[NUM_PIECES];
};

static hb_local first_point(const struct pass *pass, int piece) {
  return (hb_local)hb_piece_begin(pass->lists->num_surface, NUM_PIECES, piece);
}

/* How many terms the points have. */
static void count_piece(void *context, int piece) {
  struct pass *pass = context;
  const hb_local begin = first_point(pass, piece), end = first_point(pass, piece + 1);
  const uint32_t count = (uint32_t)(end - begin);
  memset(pass->count + begin, 0, count);
  for (hb_local q = 0; q < pass->num_terms && count > 0; q++) {
    const uint32_t s = (uint32_t)(pass->surface_index[q] - pass->surface_start - begin);
    if (s >= count) continue;
    if (pass->count[begin + (hb_local)s] == MOST_TERMS) pass->wrong[piece] = true;
    pass->count[begin + (hb_local)s]++;
  }
  for (hb_local s = begin; s < end; s++) {
    if (pass->count[s] < 1) pass->wrong[piece] = true;
    if (pass->count[s] > 2) pass->extra[piece] += pass->count[s];
  }
}

/* The terms to their places, ascending. */
static void place_piece(void *context, int piece) {
  struct pass *pass = context;
  const hb_local begin = first_point(pass, piece), end = first_point(pass, piece + 1);
  const uint32_t count = (uint32_t)(end - begin);
  hb_local next = pass->extra[piece];
  for (hb_local s = begin; s < end; s++) {
    hb_local *pair = pass->lists->pair + 2 * (ptrdiff_t)s;
    const hb_local terms = pass->count[s];
    pair[0] = terms > 2 ? next : -1;
    pair[1] = terms > 2 ? -terms : -1;
    if (terms > 2) next += terms;
    pass->count[s] = 0;
  }
  for (hb_local q = 0; q < pass->num_terms && count > 0; q++) {
    const uint32_t wanted = (uint32_t)(pass->surface_index[q] - pass->surface_start - begin);
    if (wanted >= count) continue;
    const hb_local s = begin + (hb_local)wanted;
    hb_local *pair = pass->lists->pair + 2 * (ptrdiff_t)s;
    const int term = pass->count[s]++;
    if (pair[1] < -1)
      pass->lists->extra[pair[0] + term] = q;
    else
      pair[term] = q;
  }
}

static enum hb_status fill(struct pass *pass, int threads) {
  enum hb_status status = HB_OK;
  struct hb_assembly_lists *lists = pass->lists;
  hb_threads_run(threads, NUM_PIECES, count_piece, pass);
  for (int piece = 0; piece < NUM_PIECES; piece++) {
    const hb_local count = pass->extra[piece];
    if (pass->wrong[piece])
      HB_FAIL(HB_BAD_INPUT,
              "assembly lists: of surface points %d to %d one belongs to no element, "
              "or to more than %d",
              (int)first_point(pass, piece), (int)first_point(pass, piece + 1) - 1, MOST_TERMS);
    pass->extra[piece] = lists->num_extra;
    lists->num_extra += count;
  }
  HB_ALLOC(lists->pair, 2 * (hb_global)lists->num_surface, "pairs of assembly lists");
  HB_ALLOC(lists->extra, lists->num_extra, "further terms of assembly lists");
  hb_threads_run(threads, NUM_PIECES, place_piece, pass);
done:
  return status;
}

enum hb_status hb_assembly_lists_create(hb_local num_terms, const hb_local *surface_index,
                                        hb_local surface_start, hb_local num_points,
                                        hb_local num_masked, const hb_local *masked, int threads,
                                        struct hb_assembly_lists **lists_out) {
  enum hb_status status = HB_OK;
  struct pass pass = {
      .num_terms = num_terms, .surface_start = surface_start, .surface_index = surface_index};
  struct hb_assembly_lists *lists = NULL;
  *lists_out = NULL;
  HB_ALLOC(lists, 1, "assembly lists");
  *lists = (struct hb_assembly_lists){.num_surface = num_points - surface_start};
  pass.lists = lists;
  HB_ALLOC(pass.count, lists->num_surface, "terms of surface points");
  HB_TRY(fill(&pass, threads));
  for (hb_local q = 0; q < num_masked; q++) {
    hb_local *pair = lists->pair + 2 * (ptrdiff_t)(masked[q] - surface_start);
    pair[0] = -1 - pair[0];
  }
  *lists_out = lists;
done:
  if (status != HB_OK) hb_assembly_lists_destroy(&lists);
  hb_free(pass.count);
  return status;
}

void hb_assembly_lists_destroy(struct hb_assembly_lists **lists) {
  if (*lists == NULL) return;
  hb_free((*lists)->pair);
  hb_free((*lists)->extra);
  hb_free(*lists);
  *lists = NULL;
}
