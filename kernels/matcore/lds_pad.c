/* SPDX-License-Identifier: BSD-3-Clause
 * Search for a padding or a swizzle of a matrix tile in LDS that is free of bank conflicts. */
#include "kernels/matcore/lds_pad.h"

enum { MAX_SHIFT = 4 };

static enum hb_status check_tile(int rows, int row_bytes, int dwords) {
  enum hb_status status = HB_OK;
  if (rows < 1 || rows > HB_LDS_LANES)
    HB_FAIL(HB_BAD_INPUT, "%d rows; allowed: 1 to %d", rows, HB_LDS_LANES);
  if (dwords != HB_LDS_B32 && dwords != HB_LDS_B64 && dwords != HB_LDS_B128)
    HB_FAIL(HB_BAD_INPUT, "an access of %d dwords a lane; allowed: 1, 2, 4", dwords);
  if (row_bytes < 4 * dwords || row_bytes > HB_LDS_MAX_ROW_BYTES || row_bytes % (4 * dwords) != 0)
    HB_FAIL(HB_BAD_INPUT, "rows of %d bytes; allowed with b%d: multiples of %d up to %d", row_bytes,
            32 * dwords, 4 * dwords, HB_LDS_MAX_ROW_BYTES);
done:
  return status;
}

static enum hb_status check_accesses(int accesses) {
  enum hb_status status = HB_OK;
  if (accesses > HB_LDS_MAX_ACCESSES)
    HB_FAIL(HB_BAD_INPUT,
            "the tile takes %d accesses; allowed: %d, so a smaller tile or wider ones", accesses,
            HB_LDS_MAX_ACCESSES);
done:
  return status;
}

enum hb_status hb_lds_map_fragment(int rows, int row_bytes, int dwords, struct hb_lds_map *map) {
  enum hb_status status = HB_OK;
  HB_TRY(check_tile(rows, row_bytes, dwords));
  if (HB_LDS_LANES % rows != 0)
    HB_FAIL(HB_BAD_INPUT, "a fragment of %d rows; allowed: divisors of %d", rows, HB_LDS_LANES);
  const int step_bytes = 4 * dwords * (HB_LDS_LANES / rows);
  if (row_bytes % step_bytes != 0)
    HB_FAIL(HB_BAD_INPUT, "rows of %d bytes; %d rows read by b%d take multiples of %d", row_bytes,
            rows, 32 * dwords, step_bytes);
  HB_TRY(check_accesses(row_bytes / step_bytes));
  map->dwords = dwords;
  map->write = false;
  map->num_accesses = row_bytes / step_bytes;
  for (int step = 0; step < map->num_accesses; step++)
    for (int lane = 0; lane < HB_LDS_LANES; lane++) {
      map->lane[step][lane].row = lane % rows;
      map->lane[step][lane].col = step * step_bytes + 4 * dwords * (lane / rows);
    }
done:
  return status;
}

enum hb_status hb_lds_map_operand(const struct hb_mfma *mfma, char operand, int row_bytes,
                                  struct hb_lds_map *map, int *rows) {
  enum hb_status status = HB_OK;
  if (operand < 'A' || operand > 'D')
    HB_FAIL(HB_BAD_INPUT, "operand '%c'; allowed: A, B, C, D", operand);
  const struct hb_tile_layout layout = hb_mfma_layout(mfma, operand);
  const int blocks = layout.extent[HB_TILE_BLOCK], height = layout.extent[HB_TILE_ROW];
  const int width = layout.extent[HB_TILE_COL], below = operand == 'A' ? height : 0;
  const int element_bytes = mfma->kind == HB_MFMA_F64 ? 8 : 4;
  const int step_columns = operand == 'A' ? width : width * blocks;
  const int steps = row_bytes / (step_columns * element_bytes);
  if (steps < 1 || row_bytes > HB_LDS_MAX_ROW_BYTES ||
      row_bytes != steps * step_columns * element_bytes)
    HB_FAIL(HB_BAD_INPUT, "rows of %d bytes; allowed for %s %c: multiples of %d up to %d",
            row_bytes, mfma->name, operand, step_columns * element_bytes, HB_LDS_MAX_ROW_BYTES);
  HB_TRY(check_accesses(steps * layout.slots));
  map->dwords = element_bytes / 4;
  map->write = operand == 'D';
  map->num_accesses = steps * layout.slots;
  *rows = operand == 'A' ? height * blocks : height;
  for (int a = 0; a < map->num_accesses; a++)
    for (int lane = 0; lane < HB_LDS_LANES; lane++) {
      const struct hb_tile_place place = {lane, a % layout.slots};
      struct hb_tile_element e;
      HB_TRY(hb_mfma_element(mfma, operand, place, &e));
      const int block = e.at[HB_TILE_BLOCK], beside = operand == 'A' ? 0 : width * block;
      const int column = e.at[HB_TILE_COL] + beside + step_columns * (a / layout.slots);
      map->lane[a][lane].row = e.at[HB_TILE_ROW] + below * block;
      map->lane[a][lane].col = element_bytes * column;
    }
done:
  return status;
}

enum hb_status hb_lds_map_rows(int rows, int row_bytes, int dwords, struct hb_lds_map *map) {
  enum hb_status status = HB_OK;
  HB_TRY(check_tile(rows, row_bytes, dwords));
  const int total = rows * row_bytes, access_bytes = 4 * dwords * HB_LDS_LANES;
  HB_TRY(check_accesses((total + access_bytes - 1) / access_bytes));
  map->dwords = dwords;
  map->write = true;
  map->num_accesses = (total + access_bytes - 1) / access_bytes;
  for (int a = 0; a < map->num_accesses; a++)
    for (int lane = 0; lane < HB_LDS_LANES; lane++) {
      const int byte = a * access_bytes + 4 * dwords * lane;
      map->lane[a][lane].row = byte < total ? byte / row_bytes : HB_LDS_MASKED;
      map->lane[a][lane].col = byte % row_bytes;
    }
done:
  return status;
}

static int address_of(const struct hb_lds_layout *layout, int row, int col) {
  const int start = row * (layout->row_bytes + 4 * layout->pad_words);
  if (layout->mask == 0) return start + col;
  const int chunk = (col / layout->chunk_bytes) ^ ((row >> layout->shift) & layout->mask);
  return start + chunk * layout->chunk_bytes + col % layout->chunk_bytes;
}

enum hb_status hb_lds_map_count(const struct hb_lds_map *map, const struct hb_lds_layout *layout,
                                struct hb_lds_map_cost *cost) {
  enum hb_status status = HB_OK;
  *cost = (struct hb_lds_map_cost){0};
  for (int a = 0; a < map->num_accesses; a++) {
    struct hb_lds_cost one;
    struct hb_lds_access access = {map->arch, map->dwords, map->write, map->consecutive, {0}};
    for (int lane = 0; lane < HB_LDS_LANES; lane++) {
      const int row = map->lane[a][lane].row;
      access.address[lane] =
          row == HB_LDS_MASKED ? row : address_of(layout, row, map->lane[a][lane].col);
    }
    HB_TRY(hb_lds_access_cost(&access, &one));
    cost->cycles += one.cycles;
    cost->ideal += one.num_groups;
    cost->misaligned += one.misaligned;
    if (one.worst > cost->worst) cost->worst = one.worst;
  }
  if (cost->misaligned > 0) cost->worst = 0;
done:
  return status;
}

/* Sums over the maps. */
static enum hb_status count_all(const struct hb_lds_map *maps, int num_maps,
                                const struct hb_lds_layout *layout, struct hb_lds_map_cost *sum) {
  enum hb_status status = HB_OK;
  *sum = (struct hb_lds_map_cost){0};
  for (int m = 0; m < num_maps; m++) {
    struct hb_lds_map_cost cost;
    HB_TRY(hb_lds_map_count(&maps[m], layout, &cost));
    sum->cycles += cost.cycles;
    sum->ideal += cost.ideal;
    sum->misaligned += cost.misaligned;
    if (cost.worst > sum->worst) sum->worst = cost.worst;
  }
done:
  return status;
}

enum hb_status hb_lds_find_pad(const struct hb_lds_map *maps, int num_maps, int row_bytes,
                               int max_words, int *words) {
  enum hb_status status = HB_OK;
  *words = -1;
  if (max_words < 0 || max_words > HB_LDS_MAX_PAD_WORDS)
    HB_FAIL(HB_BAD_INPUT, "padding up to %d words; allowed: 0 to %d", max_words,
            HB_LDS_MAX_PAD_WORDS);
  for (int pad = 0; pad <= max_words && *words < 0; pad++) {
    const struct hb_lds_layout layout = {.row_bytes = row_bytes, .pad_words = pad};
    struct hb_lds_map_cost sum;
    HB_TRY(count_all(maps, num_maps, &layout, &sum));
    if (hb_lds_map_is_free(&sum)) *words = pad;
  }
done:
  return status;
}

enum hb_status hb_lds_find_swizzle(const struct hb_lds_map *maps, int num_maps, int row_bytes,
                                   struct hb_lds_layout *layout, bool *conflict_free) {
  enum hb_status status = HB_OK;
  struct hb_lds_map_cost sum, best = {0};
  int chunk_bytes = 4;
  for (int m = 0; m < num_maps; m++)
    if (4 * maps[m].dwords > chunk_bytes) chunk_bytes = 4 * maps[m].dwords;
  *layout = (struct hb_lds_layout){.row_bytes = row_bytes, .chunk_bytes = chunk_bytes};
  HB_TRY(count_all(maps, num_maps, layout, &best));
  const int chunks = row_bytes / chunk_bytes;
  for (int mask = 1; row_bytes % chunk_bytes == 0 && chunks % (mask + 1) == 0; mask = 2 * mask + 1)
    for (int shift = 0; shift <= MAX_SHIFT; shift++) {
      const struct hb_lds_layout layout_of = {row_bytes, 0, chunk_bytes, shift, mask};
      HB_TRY(count_all(maps, num_maps, &layout_of, &sum));
      if (sum.misaligned > 0 || sum.cycles >= best.cycles) continue;
      best = sum;
      *layout = layout_of;
    }
  *conflict_free = hb_lds_map_is_free(&best);
done:
  return status;
}
