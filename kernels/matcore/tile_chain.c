/* SPDX-License-Identifier: BSD-3-Clause
 * Whether the registers of a result are an operand, found lane by lane. */
#include "kernels/matcore/tile_chain.h"

#include <string.h>

enum { UNSET = -1, MAX_POOL = 512 };

struct search {
  const struct hb_tile_layout *result, *layout;
  enum hb_tile_axis result_free, result_sum, free, sum;
  struct hb_tile_chain *chain;
  bool used[MAX_POOL]; /* [tile slots + slot] of the result */
};

/* Does register `from` of the result fit slot `t` of the operand in `step`?  Extends the step's
 * index and shift, which may be left half extended if not. */
static bool extends(struct search *s, int step, int t, int from) {
  const int tile = from / s->result->slots, slot = from % s->result->slots;
  int *index = s->chain->index[step], *shift = &s->chain->shift[step];
  for (int lane = 0; lane < s->layout->lanes; lane++) {
    struct hb_tile_element have, want;
    if (hb_tile_element(s->result, (struct hb_tile_place){lane, slot}, &have) != HB_OK ||
        hb_tile_element(s->layout, (struct hb_tile_place){lane, t}, &want) != HB_OK) {
      hb_error_clear(); /* a lane that holds nothing */
      return false;
    }
    const int k = want.at[s->sum];
    const int found = tile * s->result->extent[s->result_sum] + have.at[s->result_sum];
    const int apart = have.at[s->result_free] - want.at[s->free];
    if (have.at[HB_TILE_BLOCK] != want.at[HB_TILE_BLOCK]) return false;
    if (*shift == UNSET && apart >= 0) *shift = apart;
    if (index[k] == UNSET) index[k] = found;
    if (*shift != apart || index[k] != found) return false;
  }
  return true;
}

/* The first unused register that fits; what a misfit has set is taken back. */
static bool take(struct search *s, int step, int t) {
  struct hb_tile_chain *chain = s->chain;
  const int registers = chain->tiles * s->result->slots;
  int index[HB_CHAIN_MAX_K];
  const int shift = chain->shift[step];
  memcpy(index, chain->index[step], sizeof index);
  for (int from = 0; from < registers; from++) {
    if (s->used[from]) continue;
    if (extends(s, step, t, from)) {
      s->used[from] = true;
      chain->slot[step][t] = from;
      return true;
    }
    memcpy(chain->index[step], index, sizeof index);
    chain->shift[step] = shift;
  }
  return false;
}

static const char *obstacle(const struct search *s) {
  const struct hb_tile_layout *result = s->result, *layout = s->layout;
  const int sum = layout->extent[s->sum], result_sum = result->extent[s->result_sum];
  if (result->lanes != layout->lanes) return "the lanes differ";
  if (result->extent[HB_TILE_BLOCK] != layout->extent[HB_TILE_BLOCK])
    return "the operand is wanted in several banks of lanes";
  if (result->extent[s->result_free] % layout->extent[s->free] != 0)
    return "the result is narrower than the operand";
  if (sum > result_sum && sum % result_sum != 0) return "K is no multiple of the result's index";
  return NULL;
}

void hb_tile_chain_find(const struct hb_tile_layout *result, const struct hb_tile_layout *layout,
                        char operand, bool transposed, struct hb_tile_chain *chain) {
  const bool is_a = operand == 'A';
  const enum hb_tile_axis row = HB_TILE_ROW, col = HB_TILE_COL;
  struct search s = {.result = result, .layout = layout, .chain = chain};
  s.free = is_a ? row : col;
  s.sum = is_a ? col : row;
  s.result_free = is_a != transposed ? row : col;
  s.result_sum = is_a != transposed ? col : row;
  const int k = layout->extent[s.sum], held = result->extent[s.result_sum];
  memset(chain, UNSET, sizeof *chain);
  chain->possible = false;
  chain->reason = obstacle(&s);
  if (chain->reason != NULL) return;
  chain->tiles = k > held ? k / held : 1;
  chain->steps = chain->tiles * result->slots / layout->slots;
  chain->reason = "it takes more steps than are looked at";
  if (chain->steps > HB_CHAIN_MAX_STEPS || k > HB_CHAIN_MAX_K ||
      chain->tiles * result->slots > MAX_POOL)
    return;
  chain->reason = "the lanes hold other blocks, rows or columns than the operand wants";
  for (int step = 0; step < chain->steps; step++)
    for (int t = 0; t < layout->slots; t++)
      if (!take(&s, step, t)) return;
  chain->possible = chain->steps > 0;
  chain->reason = NULL;
}
