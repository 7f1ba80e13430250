/* SPDX-License-Identifier: BSD-3-Clause
 * LDS cycles of one element of the staged matrix-core kernel, access by access. */
#include "kernels/matcore/lds_staged.h"

#include <string.h>

#include "kernels/matcore/mfma_layout.h"
#include "kernels/matcore/mfma_table.h"

/* [HB_F64], [HB_F32]; NULL: none. */
static const char *const instructions[HB_NUM_MATRIX_TILES][2] = {
    [HB_MATRIX_4X4X4] = {"v_mfma_f64_4x4x4f64", NULL},
    [HB_MATRIX_16X16X4] = {"v_mfma_f64_16x16x4f64", "v_mfma_f32_16x16x4f32"},
    [HB_MATRIX_4X4X1] = {NULL, "v_mfma_f32_4x4x1f32"}};

bool hb_lds_tile_has(enum hb_matrix_tile tile, enum hb_precision precision) {
  return instructions[tile][precision] != NULL;
}

int hb_lds_tile_cycles(enum hb_matrix_tile tile, enum hb_precision precision) {
  return hb_mfma_rate_find("gfx90a", instructions[tile][precision])->cycles;
}

struct hb_lds_staged hb_lds_staged_of(int n, enum hb_precision precision,
                                      enum hb_matrix_tile tile) {
  return (struct hb_lds_staged){.n = n,
                                .precision = precision,
                                .tile = tile,
                                .wavefronts = 1,
                                .linear_passes = HB_LDS_LINEAR_PASSES};
}

static int divide_up(int a, int b) { return (a + b - 1) / b; }

/* Slots of the 64 lanes of an access, HB_LDS_MASKED for a masked lane. */
struct slots {
  int lane[HB_LDS_LANES];
};

static struct hb_lds_cost cost_of(enum hb_precision precision, const struct slots *slots) {
  struct hb_lds_cost cost;
  struct hb_lds_access access = {.arch = HB_LDS_GFX90A,
                                 .dwords = precision == HB_F64 ? HB_LDS_B64 : HB_LDS_B32};
  for (int lane = 0; lane < HB_LDS_LANES; lane++) {
    const int slot = slots->lane[lane];
    access.address[lane] = slot == HB_LDS_MASKED ? slot : slot * 4 * access.dwords;
  }
  (void)hb_lds_access_cost(&access, &cost); /* widths and addresses are ours */
  return cost;
}

static bool all_masked(const struct slots *slots) {
  for (int lane = 0; lane < HB_LDS_LANES; lane++)
    if (slots->lane[lane] != HB_LDS_MASKED) return false;
  return true;
}

static int cube_slots(const struct hb_lds_staged *s) { return (s->n + s->pad) * s->n * s->n; }

static int slot_of_point(const struct hb_lds_staged *s, const int point[3]) {
  int slot = point[0] + (s->n + s->pad) * (point[1] + s->n * point[2]);
  for (int x = 0; s->swizzle != NULL && x < 3; x++)
    for (int b = 0; b < HB_LDS_INDEX_BITS; b++)
      if ((point[x] >> b & 1) != 0) slot ^= s->swizzle->mask[x][b];
  return slot;
}

/* Slot of row l (the contracted index) and column c; columns of one element after the other. */
static int slot_of_entry(const struct hb_lds_staged *s, int elements, int axis, int l, int c) {
  const int n = s->n, element = c / (n * n), a = c % n, b = c / n % n;
  const int points[3][3] = {{l, a, b}, {a, l, b}, {a, b, l}};
  if (l >= n || element >= elements) return HB_LDS_MASKED;
  return element * cube_slots(s) + slot_of_point(s, points[axis]);
}

static const struct hb_mfma *instruction_of(const struct hb_lds_staged *s) {
  return hb_mfma_find(instructions[s->tile][s->precision]);
}

/* Columns of in and out that one instruction takes: its blocks side by side. */
static int tile_columns(const struct hb_lds_staged *s) {
  return instruction_of(s)->n * instruction_of(s)->blocks;
}

/* Largest power of two of elements whose columns fit into the 4x4x1 tile's. */
static int batched_elements(const struct hb_lds_staged *s) {
  int elements = 1;
  if (s->tile != HB_MATRIX_4X4X1) return 1;
  while (2 * elements * s->n * s->n <= tile_columns(s)) elements *= 2;
  return elements;
}

static int m_tiles(const struct hb_lds_staged *s) { return divide_up(s->n, instruction_of(s)->m); }
static int k_steps(const struct hb_lds_staged *s) { return divide_up(s->n, instruction_of(s)->k); }

static int column_groups(const struct hb_lds_staged *s) {
  return divide_up(batched_elements(s) * s->n * s->n, tile_columns(s));
}

/* Result registers a lane; operands of these instructions take one. */
static int result_slots(const struct hb_lds_staged *s) {
  return instruction_of(s)->m * tile_columns(s) / HB_MFMA_LANES;
}

static struct hb_tile_element element_of(const struct hb_lds_staged *s, char operand, int lane,
                                         int slot) {
  struct hb_tile_element element = {0};
  const struct hb_tile_place place = {lane, slot};
  (void)hb_mfma_element(instruction_of(s), operand, place, &element); /* in range: ours */
  return element;
}

/* Operand 'B' (row from first_row on: K-step) or 'D' (M-tile) of a column group. */
static struct slots access_slots(const struct hb_lds_staged *s, int axis, int group, char operand,
                                 int first_row, int slot) {
  struct slots slots;
  const int first_column = tile_columns(s) * group;
  for (int lane = 0; lane < HB_LDS_LANES; lane++) {
    const struct hb_tile_element e = element_of(s, operand, lane, slot);
    const int column =
        first_column + instruction_of(s)->n * e.at[HB_TILE_BLOCK] + e.at[HB_TILE_COL];
    slots.lane[lane] =
        slot_of_entry(s, batched_elements(s), axis, first_row + e.at[HB_TILE_ROW], column);
  }
  return slots;
}

/* B reads and result stores of one contraction along an axis. */
static void count_axis(const struct hb_lds_staged *s, int axis, struct hb_lds_staged_cycles *out) {
  const struct hb_mfma *mfma = instruction_of(s);
  for (int group = 0; group < column_groups(s); group++) {
    for (int step = 0; step < k_steps(s); step++) {
      const struct slots slots = access_slots(s, axis, group, 'B', mfma->k * step, 0);
      const struct hb_lds_cost cost = cost_of(s->precision, &slots);
      out->axis_read[axis] += cost.cycles;
      if (cost.worst > out->axis_degree[axis]) out->axis_degree[axis] = cost.worst;
    }
    for (int store = 0; store < m_tiles(s) * result_slots(s); store++) {
      const int tile = store / result_slots(s), slot = store % result_slots(s);
      const struct slots slots = access_slots(s, axis, group, 'D', mfma->m * tile, slot);
      if (!all_masked(&slots)) out->axis_store[axis] += cost_of(s->precision, &slots).cycles;
    }
  }
}

/* A reads of all M-tiles and K-steps of one contraction, for one column group. */
static int count_d(const struct hb_lds_staged *s, bool transposed) {
  const int n = s->n, stride = n + s->pad;
  int cycles = 0;
  for (int tile = 0; tile < m_tiles(s); tile++)
    for (int step = 0; step < k_steps(s); step++) {
      struct slots slots;
      for (int lane = 0; lane < HB_LDS_LANES; lane++) {
        const struct hb_tile_element e = element_of(s, 'A', lane, 0);
        const int m = instruction_of(s)->m * tile + e.at[HB_TILE_ROW],
                  l = instruction_of(s)->k * step + e.at[HB_TILE_COL];
        const int slot = transposed ? l + stride * m : m + stride * l;
        slots.lane[lane] = m < n && l < n ? slot : HB_LDS_MASKED;
      }
      cycles += cost_of(s->precision, &slots).cycles;
    }
  return cycles;
}

/* Every point has a slot of its own in the cube. */
static enum hb_status check_swizzle(const struct hb_lds_staged *s) {
  enum hb_status status = HB_OK;
  bool taken[HB_MAX_N * HB_MAX_N * (HB_MAX_N + HB_LDS_MAX_PAD)] = {false};
  const int n = s->n;
  for (int p = 0; p < n * n * n; p++) {
    const int point[3] = {p % n, p / n % n, p / n / n}, slot = slot_of_point(s, point);
    if (slot < 0 || slot >= cube_slots(s))
      HB_FAIL(HB_BAD_INPUT, "swizzle: point (%d,%d,%d) goes to slot %d; the cube has 0 to %d",
              point[0], point[1], point[2], slot, cube_slots(s) - 1);
    if (taken[slot])
      HB_FAIL(HB_BAD_INPUT, "swizzle: two points go to slot %d, the second is (%d,%d,%d)", slot,
              point[0], point[1], point[2]);
    taken[slot] = true;
  }
done:
  return status;
}

static enum hb_status check_staged(const struct hb_lds_staged *s) {
  enum hb_status status = HB_OK;
  if (s->n < 2 || s->n > HB_MAX_N)
    HB_FAIL(HB_BAD_INPUT, "n = %d; allowed: 2 to %d", s->n, HB_MAX_N);
  if (!hb_lds_tile_has(s->tile, s->precision))
    HB_FAIL(HB_BAD_INPUT, "tile %s in %s; allowed: f64 4x4x4, 16x16x4; f32 4x4x1, 16x16x4",
            hb_matrix_tile_name(s->tile), hb_precision_name(s->precision));
  if (s->pad < 0 || s->pad > HB_LDS_MAX_PAD)
    HB_FAIL(HB_BAD_INPUT, "padding %d; allowed: 0 to %d", s->pad, HB_LDS_MAX_PAD);
  if (s->wavefronts < 1 || s->wavefronts > 16)
    HB_FAIL(HB_BAD_INPUT, "%d wavefronts an element; allowed: 1 to 16", s->wavefronts);
  if (s->linear_passes < 0 || s->linear_passes > 99)
    HB_FAIL(HB_BAD_INPUT, "%d linear passes; allowed: 0 to 99", s->linear_passes);
  if (s->swizzle != NULL) HB_TRY(check_swizzle(s));
done:
  return status;
}

enum hb_status hb_lds_staged_count(const struct hb_lds_staged *staged,
                                   struct hb_lds_staged_cycles *cycles) {
  enum hb_status status = HB_OK;
  struct hb_lds_staged_cycles out = {0};
  HB_TRY(check_staged(staged));
  out.elements = batched_elements(staged);
  for (int axis = 0; axis < 3; axis++) {
    count_axis(staged, axis, &out);
    out.b_reads += 2 * out.axis_read[axis] * (staged->reread_b ? m_tiles(staged) : 1);
    out.stores += 2 * out.axis_store[axis];
    if (axis > 0 && staged->accumulate_reads) out.accumulate += out.axis_store[axis];
  }
  const int share = HB_LDS_LANES * staged->wavefronts;
  const int groups = hb_lds_num_groups(staged->precision == HB_F64 ? HB_LDS_B64 : HB_LDS_B32);
  out.linear = staged->linear_passes * groups * staged->wavefronts *
               divide_up(out.elements * cube_slots(staged), share);
  out.cube = out.b_reads + out.stores + out.accumulate + out.linear;
  out.d_reads = 3 * column_groups(staged) * (count_d(staged, false) + count_d(staged, true));
  out.steps = k_steps(staged);
  out.issue = m_tiles(staged) * column_groups(staged) * out.steps *
              hb_lds_tile_cycles(staged->tile, staged->precision);
  *cycles = out;
done:
  return status;
}
