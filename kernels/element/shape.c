/* SPDX-License-Identifier: BSD-3-Clause
 * Size and words of shapes. */
#include "kernels/element/shape.h"

#include <stdio.h>

enum { TEXT_BYTES = 96 };

const char *hb_matrix_tile_name(enum hb_matrix_tile tile) {
  static const char *const names[] = {"none", "16x16x4", "4x4x4", "4x4x1", "8x8x4"};
  _Static_assert(sizeof names / sizeof *names == HB_NUM_MATRIX_TILES, "one name a tile");
  return names[tile];
}

const char *hb_cube_layout_name(enum hb_cube_layout layout) {
  static const char *const names[] = {"none", "plain", "padded", "swizzled"};
  _Static_assert(sizeof names / sizeof *names == HB_NUM_CUBE_LAYOUTS, "one name a layout");
  return names[layout];
}

int hb_shape_elements(const struct hb_shape *shape, int n) {
  const int room = 256 / (n * n);
  return shape->elements > 0 ? shape->elements : room > 1 ? room : 1;
}

static size_t add_number(char text[TEXT_BYTES], size_t used, int number, const char *word) {
  if (number == 0 || used >= TEXT_BYTES) return used;
  return used + (size_t)snprintf(text + used, TEXT_BYTES - used, "%s%d %s", used > 0 ? ", " : "",
                                 number, word);
}

static size_t add_word(char text[TEXT_BYTES], size_t used, const char *word) {
  if (used >= TEXT_BYTES) return used;
  return used +
         (size_t)snprintf(text + used, TEXT_BYTES - used, "%s%s", used > 0 ? ", " : "", word);
}

void hb_shape_words(const struct hb_shape *shape, char text[TEXT_BYTES]) {
  size_t used = 0;
  text[0] = '\0';
  if (shape->tile != HB_MATRIX_NONE) used = add_word(text, used, hb_matrix_tile_name(shape->tile));
  used = add_number(text, used, shape->wavefronts,
                    shape->wavefronts == 1 ? "wavefront" : "wavefronts");
  used = add_number(text, used, shape->elements, shape->elements == 1 ? "element" : "elements");
  if (shape->layout != HB_CUBE_NONE)
    used = add_word(text, used, hb_cube_layout_name(shape->layout));
  add_number(text, used, shape->ahead, "ahead");
}
