/* SPDX-License-Identifier: BSD-3-Clause
 * The closed forms of the MFMA layouts against every row of AMD's calculator; bijection; ranges;
 * the maps that the kernels use (mfma_tiles.h) against the closed forms, lane by lane.
 *
 * The rows: tests/amdgpu/mfma_layouts.tsv, which names its source; found from this file's place or
 * from HB_MFMA_LAYOUTS. */
#include <string.h>

#include "kernels/matcore/mfma_layout.h"
#include "kernels/matcore/mfma_table.h"
#include "tests/check.h"
#include "tests/mfma_tiles_rows.h"

enum { NUM_ROWS = 7616, MAX_PLACES = 4096 };

#define ELEMENT(...) ((struct hb_tile_element){{__VA_ARGS__}})
#define PLACE(...)   ((struct hb_tile_place){__VA_ARGS__})

static FILE *open_rows(void) {
  const char *given = getenv("HB_MFMA_LAYOUTS");
  char path[4096];
  const char *slash = strrchr(__FILE__, '/');
  const int folder = slash == NULL ? 0 : (int)(slash + 1 - __FILE__);
  snprintf(path, sizeof path, "%.*samdgpu/mfma_layouts.tsv", folder, __FILE__);
  return fopen(given != NULL ? given : path, "r");
}

/* One row: element -> place and back; `shift` plants a fault in the place. */
static bool row_holds(const char *name, char operand, const int v[5], int shift) {
  const struct hb_mfma *x = hb_mfma_find(name);
  struct hb_tile_place place = {-1, -1};
  struct hb_tile_element element = {{-1, -1, -1}};
  if (x == NULL || hb_mfma_lane(x, operand, ELEMENT(v[0], v[1], v[2]), &place) != HB_OK)
    return false;
  if (hb_mfma_element(x, operand, PLACE(v[3], v[4]), &element) != HB_OK) return false;
  place.lane += shift;
  return place.lane == v[3] && place.slot == v[4] && element.at[0] == v[0] &&
         element.at[1] == v[1] && element.at[2] == v[2];
}

static void check_rows(struct hb_check *check) {
  char line[256], name[64], operand;
  int rows = 0, shifted = 0, v[5];
  FILE *file = open_rows();
  CHECK(check, file != NULL);
  if (file == NULL) return;
  while (fgets(line, sizeof line, file) != NULL) {
    if (line[0] == '#') continue;
    const int read =
        sscanf(line, "%63s %c %d %d %d %d %d", name, &operand, &v[0], &v[1], &v[2], &v[3], &v[4]);
    CHECK_EQUAL(check, read, 7);
    CHECK(check, row_holds(name, operand, v, 0));
    if (operand == 'D') CHECK(check, row_holds(name, 'C', v, 0));
    shifted += row_holds(name, operand, v, 1);
    rows++;
  }
  fclose(file);
  CHECK_EQUAL(check, rows, NUM_ROWS);
  CHECK_EQUAL(check, shifted, 0);
}

/* Every place holds one element, and there are as many of each. */
static void check_bijection(struct hb_check *check) {
  int elements = 0;
  for (int i = 0; i < hb_mfma_count(); i++)
    for (const char *operand = "ABD"; *operand != '\0'; operand++) {
      const struct hb_tile_layout layout = hb_mfma_layout(hb_mfma_at(i), *operand);
      bool taken[MAX_PLACES] = {false};
      CHECK_EQUAL(check, hb_tile_count(&layout), layout.lanes * layout.slots);
      for (int e = 0; e < hb_tile_count(&layout); e++, elements++) {
        struct hb_tile_place place = {0, 0};
        CHECK_OK(check, hb_mfma_lane(hb_mfma_at(i), *operand, hb_tile_at(&layout, e), &place));
        const int p = place.lane * layout.slots + place.slot;
        CHECK(check, p >= 0 && p < MAX_PLACES && !taken[p]);
        taken[p] = true;
      }
    }
  CHECK_EQUAL(check, elements, NUM_ROWS);
}

static void check_ranges(struct hb_check *check) {
  const struct hb_mfma *x = hb_mfma_find("v_mfma_f64_16x16x4f64");
  struct hb_tile_place place;
  struct hb_tile_element element;
  CHECK(check, hb_mfma_find("v_mfma_f64_16x16x4_f64") == x);
  CHECK(check, hb_mfma_find("v_mfma_f64_16x16x5f64") == NULL);
  CHECK_FAILS(check, hb_mfma_lane(x, 'A', ELEMENT(1, 0, 0), &place), HB_BAD_INPUT, "block 1");
  CHECK_FAILS(check, hb_mfma_lane(x, 'A', ELEMENT(0, 16, 0), &place), HB_BAD_INPUT, "0..15");
  CHECK_FAILS(check, hb_mfma_lane(x, 'A', ELEMENT(0, 0, 4), &place), HB_BAD_INPUT, "0..3");
  CHECK_FAILS(check, hb_mfma_lane(x, 'D', ELEMENT(0, -1, 0), &place), HB_BAD_INPUT, "row -1");
  CHECK_FAILS(check, hb_mfma_lane(x, 'E', ELEMENT(0, 0, 0), &place), HB_BAD_INPUT, "A, B, C, D");
  CHECK_FAILS(check, hb_mfma_element(x, 'B', PLACE(64, 0), &element), HB_BAD_INPUT, "0..63");
  CHECK_FAILS(check, hb_mfma_element(x, 'B', PLACE(0, 1), &element), HB_BAD_INPUT, "slot 1");
  CHECK_FAILS(check, hb_mfma_element(x, 'D', PLACE(0, 4), &element), HB_BAD_INPUT, "0..3");
}

/* The rates agree with the shapes: flops = 2 M N K blocks, registers = elements over lanes. */
static void check_rates(struct hb_check *check) {
  enum { CORES_A_CU = 4, CYCLES_A_PASS = 4 };
  for (int i = 0; i < hb_mfma_rate_count(); i++) {
    const struct hb_mfma_rate *rate = hb_mfma_rate_at(i);
    const struct hb_mfma *x = hb_mfma_find(rate->instruction);
    CHECK(check, x != NULL);
    if (x == NULL) continue;
    const int words = x->kind == HB_MFMA_F64 ? 2 : 1;
    CHECK_EQUAL(check, rate->flops, 2 * x->m * x->n * x->k * x->blocks);
    CHECK_EQUAL(check, rate->cycles, CYCLES_A_PASS * rate->passes);
    CHECK_EQUAL(check, rate->flops_per_cu_cycle, CORES_A_CU * rate->flops / rate->cycles);
    CHECK_EQUAL(check, rate->vgprs_a, words * hb_mfma_layout(x, 'A').slots);
    CHECK_EQUAL(check, rate->vgprs_b, words * hb_mfma_layout(x, 'B').slots);
    CHECK_EQUAL(check, rate->vgprs_cd, words * hb_mfma_layout(x, 'D').slots);
    CHECK(check, hb_mfma_find(rate->mnemonic) == x);
    CHECK(check, hb_mfma_rate_find(rate->architecture, rate->instruction) == rate);
  }
  CHECK_EQUAL(check, hb_mfma_rate_find("gfx942", "v_mfma_f64_4x4x4f64")->srcc_wait_states, 4);
  CHECK(check, hb_mfma_rate_find("gfx908", "v_mfma_f64_4x4x4f64") == NULL);
}

#ifdef HB_HAVE_CXX

/* Places of the operand in which a tile of the kernels and the table hold different elements.  With
 * `swapped` the block and the index summed over, and so the lanes they stand in, change places: the
 * fault that a solver does not notice, because the result is that of another symmetric operator. */
static int count_differences(int tile, char operand, bool swapped) {
  const struct hb_mfma *x = hb_mfma_find(hb_mfma_tile_at(tile).instruction);
  const struct hb_tile_layout layout = hb_mfma_layout(x, operand);
  int different = 0;
  for (int lane = 0; lane < HB_MFMA_LANES; lane++)
    for (int slot = 0; slot < layout.slots; slot++) {
      struct hb_tile_element expected = {{-1, -1, -1}};
      int found[3];
      if (hb_mfma_element(x, operand, PLACE(lane, slot), &expected) != HB_OK) return -1;
      hb_mfma_tile_element(tile, operand, lane, slot, found);
      if (swapped) {
        const int summed = operand == 'A' ? 2 : 1, block = found[0];
        found[0] = found[summed];
        found[summed] = block;
      }
      different += found[0] != expected.at[HB_TILE_BLOCK] || found[1] != expected.at[HB_TILE_ROW] ||
                   found[2] != expected.at[HB_TILE_COL];
    }
  return different;
}

static void check_tiles(struct hb_check *check) {
  static const char *const architectures[] = {"gfx908", "gfx90a", "gfx942"};
  for (int tile = 0; tile < HB_NUM_MFMA_TILES; tile++) {
    const struct hb_mfma_tile_row row = hb_mfma_tile_at(tile);
    const struct hb_mfma *x = hb_mfma_find(row.instruction);
    CHECK(check, x != NULL);
    if (x == NULL) continue;
    CHECK_EQUAL(check, row.is_double, x->kind == HB_MFMA_F64);
    CHECK(check, row.m == x->m && row.n == x->n && row.k == x->k && row.blocks == x->blocks);
    CHECK_EQUAL(check, row.slots, hb_mfma_layout(x, 'D').slots);
    for (int a = 0; a < 3; a++) {
      const struct hb_mfma_rate *rate = hb_mfma_rate_find(architectures[a], row.instruction);
      CHECK_EQUAL(check, rate == NULL, a == 0 && row.is_double);
      if (rate != NULL) CHECK_EQUAL(check, row.cycles, rate->cycles);
    }
    for (const char *operand = "ABD"; *operand != '\0'; operand++)
      CHECK_EQUAL(check, count_differences(tile, *operand, false), 0);
    /* Seen in all lanes but those whose block is the index. */
    const int parts = row.blocks * row.k, same = row.blocks == row.k ? row.k : 1;
    CHECK_EQUAL(check, count_differences(tile, 'A', true), HB_MFMA_LANES * (parts - same) / parts);
    CHECK_EQUAL(check, count_differences(tile, 'B', true), HB_MFMA_LANES * (parts - same) / parts);
  }
}

#endif

int main(void) {
  struct hb_check check = {0, 0};
  check_rows(&check);
  check_bijection(&check);
  check_ranges(&check);
  check_rates(&check);
#ifdef HB_HAVE_CXX
  check_tiles(&check);
#else
  puts("skipped: the kernels' tiles, which need a C++ compiler");
#endif
  return hb_check_finish(&check);
}
