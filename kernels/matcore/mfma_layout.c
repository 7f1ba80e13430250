/* SPDX-License-Identifier: BSD-3-Clause
 * Layouts of AMD's matrix instructions in f64 and f32, in closed form. */
#include "kernels/matcore/mfma_layout.h"

#include <string.h>

#include "kernels/matcore/mfma_table.h"

static const struct hb_mfma mfma[] = {
    {"v_mfma_f32_32x32x1f32", HB_MFMA_F32, 32, 32, 1, 2},
    {"v_mfma_f32_16x16x1f32", HB_MFMA_F32, 16, 16, 1, 4},
    {"v_mfma_f32_4x4x1f32", HB_MFMA_F32, 4, 4, 1, 16},
    {"v_mfma_f32_32x32x2f32", HB_MFMA_F32, 32, 32, 2, 1},
    {"v_mfma_f32_16x16x4f32", HB_MFMA_F32, 16, 16, 4, 1},
    {"v_mfma_f64_16x16x4f64", HB_MFMA_F64, 16, 16, 4, 1},
    {"v_mfma_f64_4x4x4f64", HB_MFMA_F64, 4, 4, 4, 4},
    {"v_mfma_f32_16x16x8_xf32", HB_MFMA_XF32, 16, 16, 8, 1},
    {"v_mfma_f32_32x32x4_xf32", HB_MFMA_XF32, 32, 32, 4, 1},
};

int hb_mfma_count(void) { return (int)(sizeof mfma / sizeof mfma[0]); }

const struct hb_mfma *hb_mfma_at(int i) { return &mfma[i]; }

const struct hb_mfma *hb_mfma_find(const char *name) {
  for (int i = 0; i < hb_mfma_count(); i++)
    if (strcmp(mfma[i].name, name) == 0) return &mfma[i];
  for (int r = 0; r < hb_mfma_rate_count(); r++)
    if (strcmp(hb_mfma_rate_at(r)->mnemonic, name) == 0)
      return hb_mfma_find(hb_mfma_rate_at(r)->instruction);
  return NULL;
}

/* A and B alike: `free` is the axis of i or j, `sum` that of k. */
static void add_factor(struct hb_tile_layout *layout, const struct hb_mfma *x,
                       enum hb_tile_axis free, enum hb_tile_axis sum) {
  const int extent = layout->extent[free], held = x->kind == HB_MFMA_XF32 ? 2 : 1;
  hb_tile_add(layout, (struct hb_tile_digit){free, 1, extent, 1, false});
  hb_tile_add(layout, (struct hb_tile_digit){HB_TILE_BLOCK, 1, x->blocks, extent, false});
  hb_tile_add(layout, (struct hb_tile_digit){sum, 1, held, 1, true});
  hb_tile_add(layout, (struct hb_tile_digit){sum, held, x->k / held, extent * x->blocks, false});
}

static void add_result(struct hb_tile_layout *layout, const struct hb_mfma *x) {
  const enum hb_tile_axis block = HB_TILE_BLOCK, row = HB_TILE_ROW;
  hb_tile_add(layout, (struct hb_tile_digit){HB_TILE_COL, 1, x->n, 1, false});
  if (x->m == 4) { /* rows over lanes in f64, over slots in f32 */
    hb_tile_add(layout, (struct hb_tile_digit){block, 1, x->blocks, 4, false});
    if (x->kind == HB_MFMA_F64)
      hb_tile_add(layout, (struct hb_tile_digit){row, 1, 4, 4 * x->blocks, false});
    else
      hb_tile_add(layout, (struct hb_tile_digit){row, 1, 4, 1, true});
  } else if (x->kind == HB_MFMA_F64) {
    hb_tile_add(layout, (struct hb_tile_digit){row, 1, 4, x->n, false});
    hb_tile_add(layout, (struct hb_tile_digit){row, 4, x->m / 4, 1, true});
  } else { /* four consecutive rows in a lane, then the next lane group */
    const int groups = HB_MFMA_LANES / x->n;
    hb_tile_add(layout, (struct hb_tile_digit){row, 1, 4, 1, true});
    hb_tile_add(layout, (struct hb_tile_digit){row, 4, groups, x->n, false});
    hb_tile_add(layout, (struct hb_tile_digit){row, 4 * groups, x->m / (4 * groups), 4, true});
    hb_tile_add(layout, (struct hb_tile_digit){block, 1, x->blocks, x->m / groups, true});
  }
}

struct hb_tile_layout hb_mfma_layout(const struct hb_mfma *instruction, char operand) {
  const struct hb_mfma *x = instruction;
  struct hb_tile_layout layout = {.lanes = HB_MFMA_LANES, .extent = {x->blocks, x->m, x->n}};
  HB_ASSERT(operand >= 'A' && operand <= 'D');
  if (operand == 'A') {
    layout.extent[HB_TILE_COL] = x->k;
    add_factor(&layout, x, HB_TILE_ROW, HB_TILE_COL);
  } else if (operand == 'B') {
    layout.extent[HB_TILE_ROW] = x->k;
    add_factor(&layout, x, HB_TILE_COL, HB_TILE_ROW);
  } else {
    add_result(&layout, x);
  }
  layout.slots = hb_tile_count(&layout) / HB_MFMA_LANES;
  return layout;
}

static enum hb_status check_operand(char operand) {
  enum hb_status status = HB_OK;
  if (operand < 'A' || operand > 'D')
    HB_FAIL(HB_BAD_INPUT, "operand '%c': one of A, B, C, D", operand);
done:
  return status;
}

enum hb_status hb_mfma_lane(const struct hb_mfma *instruction, char operand,
                            struct hb_tile_element element, struct hb_tile_place *place) {
  enum hb_status status = HB_OK;
  HB_TRY(check_operand(operand));
  const struct hb_tile_layout layout = hb_mfma_layout(instruction, operand);
  HB_TRY(hb_tile_place(&layout, element, place));
done:
  return status;
}

enum hb_status hb_mfma_element(const struct hb_mfma *instruction, char operand,
                               struct hb_tile_place place, struct hb_tile_element *element) {
  enum hb_status status = HB_OK;
  HB_TRY(check_operand(operand));
  const struct hb_tile_layout layout = hb_mfma_layout(instruction, operand);
  HB_TRY(hb_tile_element(&layout, place, element));
done:
  return status;
}
