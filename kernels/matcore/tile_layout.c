/* SPDX-License-Identifier: BSD-3-Clause
 * Layouts of matrix operands as sums of digits, both ways; NVIDIA's mma.sync in f64. */
#include "kernels/matcore/tile_layout.h"

#include <string.h>

static const char *const axis_names[HB_TILE_AXES] = {"block", "row", "column"};

void hb_tile_add(struct hb_tile_layout *layout, struct hb_tile_digit digit) {
  if (digit.radix == 1) return;
  HB_ASSERT(layout->num_digits < HB_TILE_MAX_DIGITS && digit.divisor > 0 && digit.stride > 0);
  layout->digits[layout->num_digits++] = digit;
}

struct hb_tile_element hb_tile_at(const struct hb_tile_layout *layout, int e) {
  const int rows = layout->extent[HB_TILE_ROW], cols = layout->extent[HB_TILE_COL];
  const struct hb_tile_element element = {{e / (rows * cols), e / cols % rows, e % cols}};
  return element;
}

static struct hb_tile_place place_of(const struct hb_tile_layout *layout,
                                     struct hb_tile_element element) {
  struct hb_tile_place place = {0, 0};
  for (int d = 0; d < layout->num_digits; d++) {
    const struct hb_tile_digit *digit = &layout->digits[d];
    const int value = element.at[digit->axis] / digit->divisor % digit->radix * digit->stride;
    *(digit->in_slot ? &place.slot : &place.lane) += value;
  }
  return place;
}

enum hb_status hb_tile_place(const struct hb_tile_layout *layout, struct hb_tile_element element,
                             struct hb_tile_place *place) {
  enum hb_status status = HB_OK;
  for (int axis = 0; axis < HB_TILE_AXES; axis++)
    if (element.at[axis] < 0 || element.at[axis] >= layout->extent[axis])
      HB_FAIL(HB_BAD_INPUT, "%s %d is out of range: 0..%d", axis_names[axis], element.at[axis],
              layout->extent[axis] - 1);
  *place = place_of(layout, element);
done:
  return status;
}

enum hb_status hb_tile_element(const struct hb_tile_layout *layout, struct hb_tile_place place,
                               struct hb_tile_element *element) {
  enum hb_status status = HB_OK;
  struct hb_tile_element found = {{0, 0, 0}};
  if (place.lane < 0 || place.lane >= layout->lanes)
    HB_FAIL(HB_BAD_INPUT, "lane %d is out of range: 0..%d", place.lane, layout->lanes - 1);
  if (place.slot < 0 || place.slot >= layout->slots)
    HB_FAIL(HB_BAD_INPUT, "slot %d is out of range: 0..%d", place.slot, layout->slots - 1);
  for (int d = 0; d < layout->num_digits; d++) {
    const struct hb_tile_digit *digit = &layout->digits[d];
    const int from = digit->in_slot ? place.slot : place.lane;
    found.at[digit->axis] += from / digit->stride % digit->radix * digit->divisor;
  }
  const struct hb_tile_place back = place_of(layout, found);
  if (back.lane != place.lane || back.slot != place.slot)
    HB_FAIL(HB_BAD_INPUT, "lane %d, slot %d holds no element", place.lane, place.slot);
  *element = found;
done:
  return status;
}

static const struct hb_mma_sync mma_sync[] = {
    {"mma.sync.m8n8k4.f64", 8, 8, 4, "sm_80"},
    {"mma.sync.m16n8k4.f64", 16, 8, 4, "sm_90"},
    {"mma.sync.m16n8k8.f64", 16, 8, 8, "sm_90"},
    {"mma.sync.m16n8k16.f64", 16, 8, 16, "sm_90"},
};

int hb_mma_sync_count(void) { return (int)(sizeof mma_sync / sizeof mma_sync[0]); }

const struct hb_mma_sync *hb_mma_sync_at(int i) { return &mma_sync[i]; }

const struct hb_mma_sync *hb_mma_sync_find(const char *name) {
  for (int i = 0; i < hb_mma_sync_count(); i++)
    if (strcmp(mma_sync[i].name, name) == 0) return &mma_sync[i];
  return NULL;
}

struct hb_tile_layout hb_mma_sync_layout(const struct hb_mma_sync *instruction, char operand) {
  enum { LANES = 32 };
  const int m = instruction->m, n = instruction->n, k = instruction->k, halves = m / 8;
  const enum hb_tile_axis row = HB_TILE_ROW, col = HB_TILE_COL;
  struct hb_tile_layout layout = {.lanes = LANES, .extent = {1, m, n}};
  if (operand == 'A') {
    layout.extent[HB_TILE_COL] = k;
    hb_tile_add(&layout, (struct hb_tile_digit){row, 1, 8, 4, false});
    hb_tile_add(&layout, (struct hb_tile_digit){row, 8, halves, 1, true});
    hb_tile_add(&layout, (struct hb_tile_digit){col, 1, 4, 1, false});
    hb_tile_add(&layout, (struct hb_tile_digit){col, 4, k / 4, halves, true});
  } else if (operand == 'B') {
    layout.extent[HB_TILE_ROW] = k;
    hb_tile_add(&layout, (struct hb_tile_digit){row, 1, 4, 1, false});
    hb_tile_add(&layout, (struct hb_tile_digit){row, 4, k / 4, 1, true});
    hb_tile_add(&layout, (struct hb_tile_digit){col, 1, 8, 4, false});
  } else {
    hb_tile_add(&layout, (struct hb_tile_digit){row, 1, 8, 4, false});
    hb_tile_add(&layout, (struct hb_tile_digit){row, 8, halves, 2, true});
    hb_tile_add(&layout, (struct hb_tile_digit){col, 1, 2, 1, true});
    hb_tile_add(&layout, (struct hb_tile_digit){col, 2, 4, 1, false});
  }
  layout.slots = hb_tile_count(&layout) / LANES;
  return layout;
}
