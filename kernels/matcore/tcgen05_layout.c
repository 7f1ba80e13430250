/* SPDX-License-Identifier: BSD-3-Clause
 * Operand layouts of tcgen05.mma: tensor memory as digits, shared memory as a byte walk. */
#include "kernels/matcore/tcgen05_layout.h"

#include <stdio.h>
#include <string.h>

enum { ROW_ALIGNED_32 = 4, MAX_STRIDE = 1 << 18, K_BITS = 256, PREFIX = 12 };

static const struct {
  const char *name;
  int bits;
} kinds[] = {{"f16", 16}, {"tf32", 32}, {"f8", 8}};

static enum hb_status check_shape(const struct hb_tcgen05 *x) {
  enum hb_status status = HB_OK;
  const bool two = x->group == 2;
  if (x->k != K_BITS / x->bits)
    HB_FAIL(HB_BAD_INPUT, "tcgen05.mma: K %d with %d bits: K is %d", x->k, x->bits,
            K_BITS / x->bits);
  if (x->stationary) {
    if (x->m != 32 && x->m != 64 && x->m != 128)
      HB_FAIL(HB_BAD_INPUT, "tcgen05.mma.ws: M %d: one of 32, 64, 128", x->m);
    if (x->n != 64 && x->n != 128 && x->n != 256)
      HB_FAIL(HB_BAD_INPUT, "tcgen05.mma.ws: N %d: one of 64, 128, 256", x->n);
  } else {
    const int step = two ? 16 : 8;
    if (x->m != (two ? 128 : 64) && x->m != (two ? 256 : 128))
      HB_FAIL(HB_BAD_INPUT, "tcgen05.mma of %d CTAs: M %d: %s", x->group, x->m,
              two ? "128 or 256" : "64 or 128");
    if (x->n < step || x->n > HB_TCGEN05_MAX_N || x->n % step != 0)
      HB_FAIL(HB_BAD_INPUT, "tcgen05.mma with M %d: N %d: a multiple of %d in %d..%d", x->m, x->n,
              step, step, HB_TCGEN05_MAX_N);
  }
done:
  return status;
}

enum hb_status hb_tcgen05_parse(const char *name, struct hb_tcgen05 *instruction) {
  enum hb_status status = HB_OK;
  struct hb_tcgen05 x = {.group = 1};
  const char *rest = name;
  char kind[8] = "", same[64] = "";
  if (strncmp(rest, "tcgen05.mma.", PREFIX) == 0) rest += PREFIX;
  if (strncmp(rest, "ws.", 3) == 0) {
    x.stationary = true;
    rest += 3;
  } else if (strncmp(rest, "2cta.", 5) == 0) {
    x.group = 2;
    rest += 5;
  }
  if (sscanf(rest, "m%4dn%4dk%4d.%7[a-z0-9]", &x.m, &x.n, &x.k, kind) == 4)
    snprintf(same, sizeof same, "m%dn%dk%d.%s", x.m, x.n, x.k, kind);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (strcmp(kind, kinds[i].name) == 0) x.bits = kinds[i].bits;
  if (rest == name || strcmp(rest, same) != 0 || x.bits == 0)
    HB_FAIL(HB_BAD_INPUT, "'%.80s' is not tcgen05.mma[.ws|.2cta].mMnNkK.f16|tf32|f8", name);
  HB_TRY(check_shape(&x));
  *instruction = x;
done:
  return status;
}

static int rows_of(const struct hb_tcgen05 *x) { return x->m / x->group; }

int hb_tcgen05_banks(const struct hb_tcgen05 *instruction) {
  const bool banked = instruction->stationary || instruction->group == 2;
  return banked ? HB_TCGEN05_LANES / rows_of(instruction) : 1;
}

char hb_tcgen05_letter(const struct hb_tcgen05 *instruction) {
  switch (rows_of(instruction)) {
  case 128: return instruction->group == 2 ? 'A' : 'D';
  case 64: return instruction->group == 2 ? 'B' : instruction->stationary ? 'E' : 'F';
  default: return 'G';
  }
}

struct hb_tile_layout hb_tcgen05_tensor_layout(const struct hb_tcgen05 *instruction, char operand) {
  const struct hb_tcgen05 *x = instruction;
  const int rows = rows_of(x), banks = hb_tcgen05_banks(x);
  const int copies = operand == 'A' ? banks : 1, cols = operand == 'A' ? x->k : x->n;
  struct hb_tile_layout layout = {.lanes = HB_TCGEN05_LANES * x->group,
                                  .slots = operand == 'A' ? cols : cols / banks,
                                  .extent = {copies * x->group, rows, cols}};
  if (hb_tcgen05_letter(x) == 'F') {
    hb_tile_add(&layout, (struct hb_tile_digit){HB_TILE_ROW, 1, 16, 1, false});
    hb_tile_add(&layout, (struct hb_tile_digit){HB_TILE_ROW, 16, rows / 16, 32, false});
  } else {
    hb_tile_add(&layout, (struct hb_tile_digit){HB_TILE_ROW, 1, rows, 1, false});
  }
  hb_tile_add(&layout, (struct hb_tile_digit){HB_TILE_COL, 1, layout.slots, 1, true});
  hb_tile_add(&layout,
              (struct hb_tile_digit){HB_TILE_COL, layout.slots, cols / layout.slots, rows, false});
  hb_tile_add(&layout, (struct hb_tile_digit){HB_TILE_BLOCK, 1, copies, rows, false});
  hb_tile_add(&layout,
              (struct hb_tile_digit){HB_TILE_BLOCK, copies, x->group, HB_TCGEN05_LANES, false});
  return layout;
}

enum hb_status hb_tcgen05_repeat(const struct hb_tcgen05 *instruction, char operand, int repeats,
                                 struct hb_tile_layout *layout) {
  enum { CELL_BITS = 32 };
  enum hb_status status = HB_OK;
  *layout = hb_tcgen05_tensor_layout(instruction, operand);
  const int cells = layout->slots * (operand == 'A' ? instruction->bits : CELL_BITS) / CELL_BITS;
  if (repeats < 1 || repeats > HB_TCGEN05_COLUMNS / cells)
    HB_FAIL(HB_BAD_INPUT, "%d tiles of %d columns: tensor memory has %d columns, for 1..%d tiles",
            repeats, cells, HB_TCGEN05_COLUMNS, HB_TCGEN05_COLUMNS / cells);
  hb_tile_add(layout, (struct hb_tile_digit){HB_TILE_BLOCK, layout->extent[HB_TILE_BLOCK], repeats,
                                             layout->slots, true});
  layout->extent[HB_TILE_BLOCK] *= repeats;
  layout->slots *= repeats;
done:
  return status;
}

int hb_tcgen05_split_column(const struct hb_tcgen05 *instruction, int issue, int col) {
  const int whole = instruction->n / hb_tcgen05_banks(instruction), half = whole / 2;
  return col / half * whole + issue * half + col % half;
}

int hb_tcgen05_swizzle(int swizzle, int offset) {
  if (swizzle == ROW_ALIGNED_32) return offset ^ (offset >> 2 & 96);
  return offset ^ (offset >> 3 & 16 * ((1 << swizzle) - 1));
}

int hb_tcgen05_swizzle_period(int swizzle) {
  return swizzle == ROW_ALIGNED_32 ? 512 : 128 << swizzle;
}

/* The walk of an operand, in bytes. */
struct walk {
  int row_bytes, rows_a_group;    /* R and G */
  int groups, chunks;             /* how many */
  int group_stride, chunk_stride; /* apart */
  int rows, bytes;                /* extents: rows, and bytes in a row over all chunks */
};

static int ceiling(int a, int b) { return (a + b - 1) / b; }

static struct walk walk_of(const struct hb_tcgen05_shared *s) {
  const bool swapped = s->mn_major && s->swizzle == 0;
  struct walk w = {.row_bytes = s->swizzle == ROW_ALIGNED_32 ? 128 : 16 << s->swizzle,
                   .rows_a_group = s->swizzle == ROW_ALIGNED_32 ? 4 : 8,
                   .group_stride = swapped ? s->leading_bytes : s->stride_bytes,
                   .chunk_stride = swapped ? s->stride_bytes : s->leading_bytes,
                   .rows = s->mn_major ? s->k : s->mn,
                   .bytes = (s->mn_major ? s->mn : s->k) * s->bits / 8};
  w.groups = ceiling(w.rows, w.rows_a_group);
  w.chunks = ceiling(w.bytes, w.row_bytes);
  return w;
}

/* Two atoms (row group g, chunk c) share bytes if their distance is below an atom's size. */
static bool atoms_apart(const struct walk *w) {
  const int64_t atom = (int64_t)w->row_bytes * w->rows_a_group;
  for (int g = 0; g < w->groups; g++)
    for (int c = -(w->chunks - 1); c < w->chunks; c++) {
      const int64_t distance = (int64_t)g * w->group_stride + (int64_t)c * w->chunk_stride;
      if ((g != 0 || c > 0) && distance < atom && distance > -atom) return false;
    }
  return true;
}

enum hb_status hb_tcgen05_shared_check(const struct hb_tcgen05_shared *shared) {
  enum hb_status status = HB_OK;
  const int strides[2] = {shared->leading_bytes, shared->stride_bytes};
  for (int i = 0; i < 2; i++)
    if (strides[i] < 0 || strides[i] >= MAX_STRIDE || strides[i] % 16 != 0)
      HB_FAIL(HB_BAD_INPUT, "%s offset %d: a multiple of 16 in 0..%d",
              i == 0 ? "leading" : "stride", strides[i], MAX_STRIDE - 16);
  if (shared->swizzle < 0 || shared->swizzle > ROW_ALIGNED_32)
    HB_FAIL(HB_BAD_INPUT, "swizzle %d is out of range: 0..4", shared->swizzle);
  if (shared->bits != 8 && shared->bits != 16 && shared->bits != 32)
    HB_FAIL(HB_BAD_INPUT, "element of %d bits: one of 8, 16, 32", shared->bits);
  if (shared->swizzle == ROW_ALIGNED_32 && !(shared->mn_major && shared->bits == 32))
    HB_FAIL(HB_BAD_INPUT, "swizzle 4 is for MN-major operands of 32 bits");
  if (shared->swizzle < ROW_ALIGNED_32 && shared->swizzle > 0 && shared->mn_major &&
      shared->bits == 32)
    HB_FAIL(HB_BAD_INPUT, "an MN-major operand of 32 bits needs swizzle 4 (or 0)");
  if (shared->mn < 1 || shared->mn > 256 || shared->k < 1 || shared->k > 256)
    HB_FAIL(HB_BAD_INPUT, "extents %d x %d are out of range: 1..256", shared->mn, shared->k);
  const struct walk w = walk_of(shared);
  if (shared->swizzle > 0 && !shared->mn_major && w.chunks > 1)
    HB_FAIL(HB_BAD_INPUT, "K-major with swizzle %d: a row of %d bytes does not hold K = %d",
            shared->swizzle, w.row_bytes, shared->k);
  if (!atoms_apart(&w))
    HB_FAIL(HB_BAD_INPUT,
            "with these offsets two elements share bytes: %d groups of %d bytes %d "
            "apart, %d chunks %d apart",
            w.groups, w.row_bytes * w.rows_a_group, w.group_stride, w.chunks, w.chunk_stride);
done:
  return status;
}

enum hb_status hb_tcgen05_byte(const struct hb_tcgen05_shared *shared, int x, int k, int *byte) {
  enum hb_status status = HB_OK;
  const struct walk w = walk_of(shared);
  if (x < 0 || x >= shared->mn)
    HB_FAIL(HB_BAD_INPUT, "M or N index %d is out of range: 0..%d", x, shared->mn - 1);
  if (k < 0 || k >= shared->k)
    HB_FAIL(HB_BAD_INPUT, "K index %d is out of range: 0..%d", k, shared->k - 1);
  const int row = shared->mn_major ? k : x, at = (shared->mn_major ? x : k) * shared->bits / 8;
  const int walk = row % w.rows_a_group * w.row_bytes + row / w.rows_a_group * w.group_stride +
                   at % w.row_bytes + at / w.row_bytes * w.chunk_stride;
  *byte = hb_tcgen05_swizzle(shared->swizzle, walk);
done:
  return status;
}

enum hb_status hb_tcgen05_at_byte(const struct hb_tcgen05_shared *shared, int byte, int *x,
                                  int *k) {
  enum hb_status status = HB_OK;
  const struct walk w = walk_of(shared);
  const int walk = hb_tcgen05_swizzle(shared->swizzle, byte), atom = w.row_bytes * w.rows_a_group;
  for (int c = 0; c < w.chunks && byte >= 0; c++)
    for (int g = 0; g < w.groups; g++) {
      const int rest = walk - c * w.chunk_stride - g * w.group_stride;
      const int row = g * w.rows_a_group + rest / w.row_bytes;
      const int at = c * w.row_bytes + rest % w.row_bytes;
      if (rest < 0 || rest >= atom || row >= w.rows || at >= w.bytes) continue;
      *x = shared->mn_major ? at * 8 / shared->bits : row;
      *k = shared->mn_major ? row : at * 8 / shared->bits;
      goto done;
    }
  HB_FAIL(HB_BAD_INPUT, "byte %d holds no element", byte);
done:
  return status;
}
