/* SPDX-License-Identifier: BSD-3-Clause
 * LDS accesses by hand (groups, broadcast, misalignment, 64 banks), and the search for paddings and
 * swizzles of f16 tiles. */
#include <string.h>

#include "kernels/matcore/lds_pad.h"
#include "tests/check.h"

enum { ROWS = 16 };

static struct hb_lds_cost stride_cost(struct hb_check *check, enum hb_lds_arch arch, int dwords,
                                      bool write, int stride_bytes) {
  struct hb_lds_cost cost;
  struct hb_lds_access access = {.arch = arch, .dwords = dwords, .write = write};
  for (int lane = 0; lane < HB_LDS_LANES; lane++) access.address[lane] = lane * stride_bytes;
  CHECK_OK(check, hb_lds_access_cost(&access, &cost));
  return cost;
}

/* Lane l at l strides: unit stride is free; b32 at 2, 32 dwords: 2-way, all 32 lanes on one bank.
 */
static void check_strides(struct hb_check *check) {
  for (int dwords = 1; dwords <= 4; dwords *= 2)
    for (int write = 0; write < 2; write++) {
      const struct hb_lds_cost unit = stride_cost(check, HB_LDS_GFX90A, dwords, write, 4 * dwords);
      CHECK_EQUAL(check, unit.cycles, 2 * dwords);
      CHECK_EQUAL(check, unit.worst, 1);
    }
  CHECK_EQUAL(check, stride_cost(check, HB_LDS_GFX90A, HB_LDS_B32, false, 8).cycles, 4);
  CHECK_EQUAL(check, stride_cost(check, HB_LDS_GFX950, HB_LDS_B32, false, 8).cycles, 2);
  CHECK_EQUAL(check, stride_cost(check, HB_LDS_GFX942, HB_LDS_B32, true, 128).worst, 32);
  CHECK_EQUAL(check, stride_cost(check, HB_LDS_GFX950, HB_LDS_B32, true, 128).worst, 16);
  CHECK_EQUAL(check, stride_cost(check, HB_LDS_GFX942, HB_LDS_B64, false, 64).worst, 8);
}

/* The groups of a b128 read, as they are written in lds_banks.h. */
static void check_b128_groups(struct hb_check *check) {
  static const int first[4][2] = {{0, 20}, {4, 16}, {8, 28}, {12, 24}};
  struct hb_lds_access access = {.arch = HB_LDS_GFX942, .dwords = HB_LDS_B128};
  for (int half = 0; half < 2; half++)
    for (int group = 0; group < 4; group++)
      for (int l = 0; l < 8; l++) {
        const int lane = 32 * half + first[group][l / 4] + l % 4;
        CHECK_EQUAL(check, hb_lds_group_of_lane(&access, lane), 4 * half + group);
      }
  access.write = true;
  for (int lane = 0; lane < HB_LDS_LANES; lane++)
    CHECK_EQUAL(check, hb_lds_group_of_lane(&access, lane), lane / 8);
}

/* Equal addresses are no conflict, for the first dword as for the fourth; equal writes are a race.
 */
static void check_broadcast(struct hb_check *check) {
  for (int dwords = 1; dwords <= 4; dwords *= 2) {
    struct hb_lds_cost cost = stride_cost(check, HB_LDS_GFX942, dwords, false, 0);
    CHECK_EQUAL(check, cost.worst, 1);
    CHECK_EQUAL(check, cost.overwritten, 0);
    cost = stride_cost(check, HB_LDS_GFX942, dwords, true, 0);
    CHECK_EQUAL(check, cost.worst, 1);
    CHECK_EQUAL(check, cost.overwritten, HB_LDS_LANES - 1);
  }
}

/* A masked wavefront still costs a cycle a group; masked addresses do not count. */
static void check_masks(struct hb_check *check) {
  struct hb_lds_cost cost;
  struct hb_lds_access access = {.arch = HB_LDS_GFX90A, .dwords = HB_LDS_B64};
  for (int lane = 0; lane < HB_LDS_LANES; lane++) access.address[lane] = HB_LDS_MASKED;
  CHECK_OK(check, hb_lds_access_cost(&access, &cost));
  CHECK_EQUAL(check, cost.cycles, 4);
  access.address[3] = 0;
  access.address[5] = 128; /* same group, same banks */
  CHECK_OK(check, hb_lds_access_cost(&access, &cost));
  CHECK_EQUAL(check, cost.degree[0], 2);
  CHECK_EQUAL(check, cost.cycles, 5);
}

static void check_misaligned(struct hb_check *check) {
  struct hb_lds_cost cost = stride_cost(check, HB_LDS_GFX942, HB_LDS_B64, false, 12);
  CHECK_EQUAL(check, cost.misaligned, 32); /* the odd lanes */
  CHECK_EQUAL(check, cost.worst, 0);       /* no conflict is claimed */
  struct hb_lds_access access = {.dwords = 3};
  CHECK_FAILS(check, hb_lds_access_cost(&access, &cost), HB_BAD_INPUT, "allowed: 1, 2, 4");
  access = (struct hb_lds_access){.dwords = 1, .address = {0, -8}};
  CHECK_FAILS(check, hb_lds_access_cost(&access, &cost), HB_BAD_INPUT, "lane 1: address -8");
}

/* v_mfma_f32_16x16x16f16: row lane%16, four f16 from column 4 (lane/16).  The answer does not
 * depend on the length of the row, as long as it is a multiple of 16 f16 (two steps: 32). */
static void check_f16_reads(struct hb_check *check) {
  struct hb_lds_map map = {.arch = HB_LDS_GFX942};
  struct hb_lds_map_cost cost;
  int words = 0;
  CHECK_OK(check, hb_lds_map_fragment(ROWS, 128, HB_LDS_B64, &map));
  for (int lane = 0; lane < HB_LDS_LANES; lane++) {
    CHECK_EQUAL(check, map.lane[0][lane].row, lane % 16);
    CHECK_EQUAL(check, map.lane[0][lane].col, 2 * 4 * (lane / 16));
    CHECK_EQUAL(check, map.lane[1][lane].col, 2 * (16 + 4 * (lane / 16)));
  }
  for (int row_bytes = 64; row_bytes <= 256; row_bytes *= 2) {
    CHECK_OK(check, hb_lds_map_fragment(ROWS, row_bytes, HB_LDS_B64, &map));
    CHECK_OK(check, hb_lds_find_pad(&map, 1, row_bytes, 16, &words));
    CHECK_EQUAL(check, words, 2);
    CHECK_OK(check, hb_lds_map_fragment(ROWS, row_bytes, HB_LDS_B128, &map));
    CHECK_OK(check, hb_lds_find_pad(&map, 1, row_bytes, 16, &words));
    CHECK_EQUAL(check, words, 8);
    map.consecutive = true;
    CHECK_OK(check, hb_lds_find_pad(&map, 1, row_bytes, 16, &words));
    CHECK_EQUAL(check, words, 4);
    map.consecutive = false;
    const struct hb_lds_layout four = {.row_bytes = row_bytes, .pad_words = 4};
    CHECK_OK(check, hb_lds_map_count(&map, &four, &cost));
    CHECK_EQUAL(check, cost.worst, 2);
    const struct hb_lds_layout odd = {.row_bytes = row_bytes, .pad_words = 3};
    CHECK_OK(check, hb_lds_map_count(&map, &odd, &cost));
    CHECK_EQUAL(check, cost.misaligned, 48 * map.num_accesses); /* rows 1, 2, 3 of every four */
    CHECK_EQUAL(check, cost.worst, 0);
  }
}

/* Reads and writes together, and without padding by a swizzle; what it says is counted again. */
static void check_search(struct hb_check *check) {
  struct hb_lds_map maps[2] = {{.arch = HB_LDS_GFX942}, {.arch = HB_LDS_GFX942}};
  struct hb_lds_layout layout;
  struct hb_lds_map_cost cost;
  bool conflict_free = false;
  int words = 0;
  for (int dwords = HB_LDS_B64; dwords <= HB_LDS_B128; dwords *= 2) {
    CHECK_OK(check, hb_lds_map_fragment(ROWS, 128, dwords, &maps[0]));
    CHECK_OK(check, hb_lds_map_rows(ROWS, 128, dwords, &maps[1]));
    CHECK_OK(check, hb_lds_find_pad(maps, 2, 128, 16, &words));
    CHECK_EQUAL(check, words, dwords == HB_LDS_B64 ? 2 : 8);
    CHECK_OK(check, hb_lds_find_swizzle(maps, 2, 128, &layout, &conflict_free));
    CHECK(check, conflict_free);
    CHECK_EQUAL(check, layout.pad_words, 0);
    for (int m = 0; m < 2; m++) {
      CHECK_OK(check, hb_lds_map_count(&maps[m], &layout, &cost));
      CHECK(check, hb_lds_map_is_free(&cost));
    }
    layout.mask = 0; /* without it the reads do conflict */
    CHECK_OK(check, hb_lds_map_count(&maps[0], &layout, &cost));
    CHECK(check, !hb_lds_map_is_free(&cost));
  }
  CHECK_OK(check, hb_lds_find_pad(maps, 2, 128, 7, &words));
  CHECK_EQUAL(check, words, -1);
  CHECK_FAILS(check, hb_lds_map_fragment(ROWS, 72, HB_LDS_B64, &maps[0]), HB_BAD_INPUT,
              "take multiples of 32");
  CHECK_FAILS(check, hb_lds_map_fragment(12, 128, HB_LDS_B64, &maps[0]), HB_BAD_INPUT, "12 rows");
  CHECK_FAILS(check, hb_lds_find_pad(maps, 2, 128, 65, &words), HB_BAD_INPUT, "allowed: 0 to 64");
}

/* Operand maps of the instruction table.  f64 16x16x4, A from rows of 16 doubles: lane%16 rows 128
 * bytes apart, 16 lanes on one bank pair; a padding of two words (one double) puts each on its own.
 * Its D: 16 lanes side by side in a row, free as they are.  f32 32x32x1, A: one column of 32 rows;
 * an odd stride is free. */
static void check_operands(struct hb_check *check) {
  static const struct {
    const char *name;
    char operand;
    int row_bytes, rows, words;
  } cases[] = {{"v_mfma_f64_16x16x4f64", 'A', 128, 16, 2},
               {"v_mfma_f64_16x16x4f64", 'D', 128, 16, 0},
               {"v_mfma_f64_16x16x4f64", 'B', 128, 4, 0},
               {"v_mfma_f64_4x4x4f64", 'A', 128, 16, 2},
               {"v_mfma_f32_32x32x1f32", 'A', 128, 64, 1}};
  struct hb_lds_map map = {.arch = HB_LDS_GFX90A};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    const struct hb_mfma *mfma = hb_mfma_find(cases[c].name);
    int rows = 0, words = -1;
    CHECK_OK(check, hb_lds_map_operand(mfma, cases[c].operand, cases[c].row_bytes, &map, &rows));
    CHECK_EQUAL(check, rows, cases[c].rows);
    CHECK_EQUAL(check, map.write, cases[c].operand == 'D');
    CHECK_OK(check, hb_lds_find_pad(&map, 1, cases[c].row_bytes, 16, &words));
    CHECK_EQUAL(check, words, cases[c].words);
  }
  int rows = 0;
  CHECK_FAILS(check, hb_lds_map_operand(hb_mfma_at(0), 'E', 128, &map, &rows), HB_BAD_INPUT,
              "operand 'E'");
  CHECK_FAILS(check,
              hb_lds_map_operand(hb_mfma_find("v_mfma_f64_16x16x4f64"), 'A', 40, &map, &rows),
              HB_BAD_INPUT, "multiples of 32");
}

int main(void) {
  struct hb_check check = {0};
  check_strides(&check);
  check_b128_groups(&check);
  check_broadcast(&check);
  check_masks(&check);
  check_misaligned(&check);
  check_f16_reads(&check);
  check_search(&check);
  check_operands(&check);
  return hb_check_finish(&check);
}
