/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore layout --shared: the byte walk of an operand of tcgen05.mma in shared memory. */
#include <stdio.h>

#include "app/matcore/commands.h"

/* A: row = i, col = k.  B: row = k, col = j.  i and j are the index of M and N. */
static enum hb_status byte_of(const struct hb_matcore_shared_view *view, int row, int col,
                              int *byte) {
  const bool is_a = view->operand == 'A';
  return hb_tcgen05_byte(&view->shared, is_a ? row : col, is_a ? col : row, byte);
}

static enum hb_status print_one(const struct hb_matcore_shared_view *view) {
  enum hb_status status = HB_OK;
  int row = view->row, col = view->col, byte = view->byte, x = 0, k = 0;
  if (view->form == HB_MATCORE_BYTE) {
    HB_TRY(hb_tcgen05_at_byte(&view->shared, byte, &x, &k));
    row = view->operand == 'A' ? x : k;
    col = view->operand == 'A' ? k : x;
  } else {
    HB_TRY(byte_of(view, row, col, &byte));
  }
  if (view->csv)
    printf("block,row,col,byte\n0,%d,%d,%d\n", row, col, byte);
  else if (view->form == HB_MATCORE_BYTE)
    printf("byte %d: row %d, column %d\n", byte, row, col);
  else
    printf("row %d, column %d: byte %d\n", row, col, byte);
done:
  return status;
}

static enum hb_status print_csv(const struct hb_matcore_shared_view *view, int rows, int cols) {
  enum hb_status status = HB_OK;
  printf("block,row,col,byte\n");
  for (int block = 0; block < view->instruction->tcgen05.group; block++)
    for (int row = 0; row < rows; row++)
      for (int col = 0; col < cols; col++) {
        int byte = 0;
        HB_TRY(byte_of(view, row, col, &byte));
        printf("%d,%d,%d,%d\n", block, row, col, byte);
      }
done:
  return status;
}

static void print_formula(const struct hb_tcgen05_shared *s) {
  const int row_bytes = s->swizzle == 4 ? 128 : 16 << s->swizzle, rows = s->swizzle == 4 ? 4 : 8;
  const bool swapped = s->mn_major && s->swizzle == 0;
  printf("row r = %s, u = bytes along %s\n", s->mn_major ? "k" : "the index of M or N",
         s->mn_major ? "the index of M or N" : "k");
  printf("walk = %d (r %% %d) + %d (r / %d) + u %% %d + %d (u / %d)\n", row_bytes, rows,
         swapped ? s->leading_bytes : s->stride_bytes, rows, row_bytes,
         swapped ? s->stride_bytes : s->leading_bytes, row_bytes);
  if (s->swizzle == 0)
    printf("byte = walk\n");
  else if (s->swizzle == 4)
    printf("byte = walk ^ ((walk >> 2) & 96), its own inverse; period %d bytes\n",
           hb_tcgen05_swizzle_period(s->swizzle));
  else
    printf("byte = walk ^ ((walk >> 3) & %d), its own inverse; period %d bytes\n",
           16 * ((1 << s->swizzle) - 1), hb_tcgen05_swizzle_period(s->swizzle));
}

static enum hb_status print_table(const struct hb_matcore_shared_view *view, int rows, int cols) {
  enum hb_status status = HB_OK;
  const struct hb_tcgen05_shared *s = &view->shared;
  printf("%s, operand %c in shared memory of a CTA: %d x %d of %d bits, %s-major\n",
         view->instruction->name, view->operand, rows, cols, s->bits, s->mn_major ? "MN" : "K");
  printf("leading offset %d, stride offset %d, swizzle %d\n", s->leading_bytes, s->stride_bytes,
         s->swizzle);
  print_formula(s);
  printf("byte by row (down) and column\n%5s", "");
  for (int col = 0; col < cols; col++) printf(" %6d", col);
  printf("\n");
  for (int row = 0; row < rows; row++) {
    printf("%4d:", row);
    for (int col = 0; col < cols; col++) {
      int byte = 0;
      HB_TRY(byte_of(view, row, col, &byte));
      printf(" %6d", byte);
    }
    printf("\n");
  }
done:
  return status;
}

enum hb_status hb_matcore_print_shared(struct hb_matcore_shared_view *view) {
  enum hb_status status = HB_OK;
  const struct hb_tcgen05 *x = &view->instruction->tcgen05;
  struct hb_tcgen05_shared *shared = &view->shared;
  const bool is_a = view->operand == 'A';
  shared->mn = (is_a ? x->m : x->n) / x->group;
  shared->bits = x->bits;
  HB_TRY(hb_tcgen05_shared_check(shared));
  const int rows = is_a ? shared->mn : shared->k, cols = is_a ? shared->k : shared->mn;
  if (view->form != HB_MATCORE_TABLE)
    HB_TRY(print_one(view));
  else
    HB_TRY(view->csv ? print_csv(view, rows, cols) : print_table(view, rows, cols));
done:
  return status;
}
