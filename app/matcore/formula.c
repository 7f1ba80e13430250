/* SPDX-License-Identifier: BSD-3-Clause
 * Prints a layout's digits as formulas, forward and inverse. */
#include <stdio.h>

#include "app/matcore/commands.h"

const char *hb_matcore_letters(char operand) {
  return operand == 'A' ? "ik" : operand == 'B' ? "kj" : "ij";
}

/* Prints  times ((name / divisor) % radix), leaving out what does nothing; `extent` bounds name. */
static void print_term(const char *name, int divisor, int radix, int times, int extent) {
  const bool divides = divisor > 1, wraps = divisor * radix < extent;
  const bool bracket = times > 1 && (divides || wraps);
  if (times > 1) printf("%d ", times);
  if (bracket) printf("(");
  printf("%s", name);
  if (divides) printf(" / %d", divisor);
  if (wraps) printf(" %% %d", radix);
  if (bracket) printf(")");
}

static void print_places(const struct hb_tile_layout *layout, const char *const names[3],
                         bool in_slot) {
  int terms = 0;
  printf("%s = ", in_slot ? "slot" : "lane");
  for (int d = 0; d < layout->num_digits; d++) {
    const struct hb_tile_digit *digit = &layout->digits[d];
    if (digit->in_slot != in_slot) continue;
    if (terms++ > 0) printf(" + ");
    print_term(names[digit->axis], digit->divisor, digit->radix, digit->stride,
               layout->extent[digit->axis]);
  }
  if (terms == 0) printf("0");
}

static void print_coordinate(const struct hb_tile_layout *layout, const char *name, int axis) {
  int terms = 0;
  printf("%s = ", name);
  for (int d = 0; d < layout->num_digits; d++) {
    const struct hb_tile_digit *digit = &layout->digits[d];
    if ((int)digit->axis != axis) continue;
    if (terms++ > 0) printf(" + ");
    print_term(digit->in_slot ? "slot" : "lane", digit->stride, digit->radix, digit->divisor,
               digit->in_slot ? layout->slots : layout->lanes);
  }
  if (terms == 0) printf("0");
}

void hb_matcore_print_formulas(const struct hb_tile_layout *layout, char operand) {
  const char *letters = hb_matcore_letters(operand);
  const char row[2] = {letters[0], '\0'}, col[2] = {letters[1], '\0'};
  const char *const names[3] = {"b", row, col};
  printf("forward: ");
  print_places(layout, names, false);
  printf(", ");
  print_places(layout, names, true);
  printf("\ninverse: ");
  print_coordinate(layout, "b", HB_TILE_BLOCK);
  printf(", ");
  print_coordinate(layout, row, HB_TILE_ROW);
  printf(", ");
  print_coordinate(layout, col, HB_TILE_COL);
  printf("\n");
}
