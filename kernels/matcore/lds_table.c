/* SPDX-License-Identifier: BSD-3-Clause
 * The bank model's standard cases. */
#include "kernels/matcore/lds_table.h"

#include <math.h>

#include "kernels/matcore/lds_pad.h"
#include "kernels/matcore/machine_table.h"

enum kind {
  CUBE,
  CUBE_REREAD,
  CUBE_FOUR_WAVEFRONTS,
  CUBE_ACCUMULATE,
  CUBE_XOR,
  ELEMENT,
  ELEMENT_REREAD,
  D_READS,
  B_READS,
  B_READS_REREAD,
  AXIS_0,
  AXIS_2,
  AXIS_0_DEGREE,
  AXIS_2_DEGREE,
  SCALAR_1D,
  SCALAR_KSTEP,
  MEMORY_ROOF,
  ISSUE,
  CHAIN_LOSS,
  PAD_B64,
  PAD_B128,
  PAD_B128_CONSECUTIVE,
  DEGREE_B128_FOUR_WORDS,
  NUM_KINDS
};

static const char *const kind_names[NUM_KINDS] = {
    "cube",
    "cube B re-read",
    "cube four wavefronts with D",
    "cube accumulate reads",
    "cube XOR",
    "element",
    "element B re-read",
    "D",
    "B reads",
    "B reads re-read",
    "axis 0",
    "axis 2",
    "axis 0 degree",
    "axis 2 degree",
    "1d",
    "kstep",
    "memory roof MI250X GCD",
    "issue",
    "chain loss percent",
    "pad b64 words",
    "pad b128 words",
    "pad b128 words consecutive lanes",
    "degree b128 four words",
};

struct row_case {
  enum kind kind;
  int n;
  enum hb_precision precision;
  enum hb_matrix_tile tile;
};

static const struct row_case cases[] = {
    {CUBE, 4, HB_F64, HB_MATRIX_4X4X4},
    {CUBE, 4, HB_F64, HB_MATRIX_16X16X4},
    {CUBE, 4, HB_F32, HB_MATRIX_16X16X4},
    {CUBE, 6, HB_F64, HB_MATRIX_4X4X4},
    {CUBE, 6, HB_F64, HB_MATRIX_16X16X4},
    {CUBE, 6, HB_F32, HB_MATRIX_16X16X4},
    {CUBE, 8, HB_F64, HB_MATRIX_4X4X4},
    {CUBE, 8, HB_F64, HB_MATRIX_16X16X4},
    {CUBE, 8, HB_F32, HB_MATRIX_16X16X4},
    {CUBE, 10, HB_F64, HB_MATRIX_4X4X4},
    {CUBE, 10, HB_F64, HB_MATRIX_16X16X4},
    {CUBE, 10, HB_F32, HB_MATRIX_16X16X4},
    {CUBE, 12, HB_F64, HB_MATRIX_4X4X4},
    {CUBE_REREAD, 8, HB_F64, HB_MATRIX_4X4X4},
    {CUBE_FOUR_WAVEFRONTS, 8, HB_F64, HB_MATRIX_4X4X4},
    {D_READS, 8, HB_F64, HB_MATRIX_4X4X4},
    {D_READS, 8, HB_F64, HB_MATRIX_16X16X4},
    {D_READS, 10, HB_F64, HB_MATRIX_16X16X4},
    {D_READS, 10, HB_F32, HB_MATRIX_16X16X4},
    {D_READS, 12, HB_F64, HB_MATRIX_16X16X4},
    {B_READS, 8, HB_F64, HB_MATRIX_4X4X4},
    {B_READS_REREAD, 8, HB_F64, HB_MATRIX_4X4X4},
    {AXIS_0, 8, HB_F64, HB_MATRIX_4X4X4},
    {AXIS_0_DEGREE, 8, HB_F64, HB_MATRIX_4X4X4},
    {AXIS_2, 8, HB_F64, HB_MATRIX_4X4X4},
    {AXIS_2_DEGREE, 8, HB_F64, HB_MATRIX_4X4X4},
    {ELEMENT, 8, HB_F64, HB_MATRIX_4X4X4},
    {ELEMENT_REREAD, 8, HB_F64, HB_MATRIX_4X4X4},
    {ELEMENT, 12, HB_F64, HB_MATRIX_4X4X4},
    {ELEMENT_REREAD, 12, HB_F64, HB_MATRIX_4X4X4},
    {CUBE_ACCUMULATE, 4, HB_F64, HB_MATRIX_4X4X4},
    {CUBE_XOR, 4, HB_F64, HB_MATRIX_4X4X4},
    {CUBE_ACCUMULATE, 8, HB_F64, HB_MATRIX_4X4X4},
    {CUBE_XOR, 8, HB_F64, HB_MATRIX_4X4X4},
    {CUBE_ACCUMULATE, 8, HB_F64, HB_MATRIX_16X16X4},
    {CUBE_XOR, 8, HB_F64, HB_MATRIX_16X16X4},
    {CUBE_ACCUMULATE, 8, HB_F32, HB_MATRIX_4X4X1},
    {CUBE_XOR, 8, HB_F32, HB_MATRIX_4X4X1},
    {CUBE_ACCUMULATE, 8, HB_F32, HB_MATRIX_16X16X4},
    {CUBE_XOR, 8, HB_F32, HB_MATRIX_16X16X4},
    {SCALAR_1D, 8, HB_F64, HB_MATRIX_NONE},
    {SCALAR_1D, 10, HB_F64, HB_MATRIX_NONE},
    {SCALAR_1D, 12, HB_F64, HB_MATRIX_NONE},
    {SCALAR_KSTEP, 8, HB_F64, HB_MATRIX_NONE},
    {SCALAR_KSTEP, 10, HB_F64, HB_MATRIX_NONE},
    {SCALAR_KSTEP, 12, HB_F64, HB_MATRIX_NONE},
    {MEMORY_ROOF, 8, HB_F64, HB_MATRIX_NONE},
    {MEMORY_ROOF, 10, HB_F64, HB_MATRIX_NONE},
    {MEMORY_ROOF, 12, HB_F64, HB_MATRIX_NONE},
    {ISSUE, 4, HB_F64, HB_MATRIX_4X4X4},
    {ISSUE, 4, HB_F64, HB_MATRIX_16X16X4},
    {ISSUE, 5, HB_F64, HB_MATRIX_4X4X4},
    {ISSUE, 5, HB_F64, HB_MATRIX_16X16X4},
    {ISSUE, 8, HB_F64, HB_MATRIX_4X4X4},
    {ISSUE, 8, HB_F64, HB_MATRIX_16X16X4},
    {ISSUE, 12, HB_F64, HB_MATRIX_4X4X4},
    {ISSUE, 12, HB_F64, HB_MATRIX_16X16X4},
    {ISSUE, 2, HB_F32, HB_MATRIX_4X4X1},
    {ISSUE, 2, HB_F32, HB_MATRIX_16X16X4},
    {ISSUE, 4, HB_F32, HB_MATRIX_4X4X1},
    {ISSUE, 4, HB_F32, HB_MATRIX_16X16X4},
    {ISSUE, 8, HB_F32, HB_MATRIX_4X4X1},
    {ISSUE, 8, HB_F32, HB_MATRIX_16X16X4},
    {ISSUE, 12, HB_F32, HB_MATRIX_4X4X1},
    {ISSUE, 12, HB_F32, HB_MATRIX_16X16X4},
    {CHAIN_LOSS, 5, HB_F64, HB_MATRIX_4X4X4},
    {CHAIN_LOSS, 6, HB_F64, HB_MATRIX_4X4X4},
    {CHAIN_LOSS, 7, HB_F64, HB_MATRIX_4X4X4},
    {CHAIN_LOSS, 8, HB_F64, HB_MATRIX_4X4X4},
    {PAD_B64, 0, HB_F64, HB_MATRIX_NONE},
    {PAD_B128, 0, HB_F64, HB_MATRIX_NONE},
    {PAD_B128_CONSECUTIVE, 0, HB_F64, HB_MATRIX_NONE},
    {DEGREE_B128_FOUR_WORDS, 0, HB_F64, HB_MATRIX_NONE},
};

enum { NUM_CASES = sizeof cases / sizeof cases[0] };

int hb_lds_table_rows(void) { return NUM_CASES; }

static double staged_figure(enum kind kind, const struct hb_lds_staged_cycles *cycles) {
  const double elements = cycles->elements;
  switch (kind) {
  case CUBE_FOUR_WAVEFRONTS:
  case ELEMENT:
  case ELEMENT_REREAD: return (cycles->cube + cycles->d_reads) / elements;
  case D_READS: return cycles->d_reads / elements;
  case B_READS:
  case B_READS_REREAD: return cycles->b_reads / elements;
  case AXIS_0: return cycles->axis_read[0] / elements;
  case AXIS_2: return cycles->axis_read[2] / elements;
  case AXIS_0_DEGREE: return cycles->axis_degree[0];
  case AXIS_2_DEGREE: return cycles->axis_degree[2];
  case ISSUE: return cycles->issue / elements;
  default: return cycles->cube / elements;
  }
}

static enum hb_status fill_staged(const struct row_case *row_case, int pad, double *figure) {
  enum hb_status status = HB_OK;
  const enum kind kind = row_case->kind;
  const enum hb_matrix_tile tile = row_case->tile;
  struct hb_lds_staged staged = hb_lds_staged_of(row_case->n, row_case->precision, tile);
  struct hb_lds_staged_cycles cycles;
  struct hb_lds_swizzle swizzle;
  staged.pad = pad;
  staged.reread_b = kind == CUBE_REREAD || kind == ELEMENT_REREAD || kind == B_READS_REREAD;
  if (kind == CUBE_FOUR_WAVEFRONTS || kind == CUBE_ACCUMULATE || kind == CUBE_XOR) {
    staged.linear_passes = HB_LDS_LINEAR_PASSES - 1;
    staged.accumulate_reads = true;
  }
  if (kind == CUBE_FOUR_WAVEFRONTS) staged.wavefronts = 4;
  if (kind == CUBE_XOR && hb_lds_known_swizzle(row_case->n, row_case->precision, tile, &swizzle))
    staged.swizzle = &swizzle;
  HB_TRY(hb_lds_staged_count(&staged, &cycles));
  *figure = staged_figure(kind, &cycles);
  if (kind == CHAIN_LOSS) {
    const double busy = cycles.steps * hb_lds_tile_cycles(tile, row_case->precision),
                 wait = 4.0 * (cycles.steps - 1);
    *figure = 100.0 * wait / (busy + wait);
  }
done:
  return status;
}

static enum hb_status fill_scalar(const struct row_case *row_case, double *figure) {
  enum hb_status status = HB_OK;
  const int n = row_case->n;
  int cycles = 0;
  if (row_case->kind == MEMORY_ROOF) {
    const double bytes = 9.0 * (double)hb_precision_bytes(row_case->precision) * n * n * n;
    *figure = hb_machine_memory_cycles(hb_machine_find("MI250X"), bytes);
    return HB_OK;
  }
  HB_TRY(row_case->kind == SCALAR_1D ? hb_lds_count_1d(n, row_case->precision, &cycles)
                                     : hb_lds_count_kstep(n, row_case->precision, &cycles));
  *figure = cycles;
done:
  return status;
}

/* Rows of 64 f16 (any multiple of the step gives the same), 16 of them. */
static enum hb_status fill_pad(enum kind kind, double *figure) {
  enum hb_status status = HB_OK;
  enum { ROWS = 16, ROW_BYTES = 128, MAX_WORDS = 16 };
  struct hb_lds_map map = {.arch = HB_LDS_GFX942, .consecutive = kind == PAD_B128_CONSECUTIVE};
  struct hb_lds_map_cost cost;
  const struct hb_lds_layout four_words = {.row_bytes = ROW_BYTES, .pad_words = 4};
  int words = 0;
  HB_TRY(hb_lds_map_fragment(ROWS, ROW_BYTES, kind == PAD_B64 ? HB_LDS_B64 : HB_LDS_B128, &map));
  HB_TRY(hb_lds_map_count(&map, &four_words, &cost));
  HB_TRY(hb_lds_find_pad(&map, 1, ROW_BYTES, MAX_WORDS, &words));
  *figure = kind == DEGREE_B128_FOUR_WORDS ? cost.worst : words;
done:
  return status;
}

static enum hb_status fill_row(const struct row_case *row_case, struct hb_lds_row *row) {
  enum hb_status status = HB_OK;
  const enum kind kind = row_case->kind;
  *row = (struct hb_lds_row){.name = kind_names[kind],
                             .n = row_case->n,
                             .precision = hb_precision_name(row_case->precision),
                             .tile = "-",
                             .unpadded = NAN,
                             .padded = NAN};
  if (row_case->tile != HB_MATRIX_NONE) row->tile = hb_matrix_tile_name(row_case->tile);
  if (kind >= PAD_B64) {
    row->precision = "f16";
    row->tile = "16x16x16";
    HB_TRY(fill_pad(kind, &row->padded));
  } else if (row_case->tile == HB_MATRIX_NONE) {
    HB_TRY(fill_scalar(row_case, &row->unpadded));
  } else {
    HB_TRY(fill_staged(row_case, 0, &row->unpadded));
    if (kind != CUBE_XOR && kind != ISSUE && kind != CHAIN_LOSS)
      HB_TRY(fill_staged(row_case, 1, &row->padded));
  }
done:
  return status;
}

enum hb_status hb_lds_table(struct hb_lds_row *rows) {
  enum hb_status status = HB_OK;
  for (int r = 0; r < NUM_CASES; r++) HB_TRY(fill_row(&cases[r], &rows[r]));
done:
  return status;
}
