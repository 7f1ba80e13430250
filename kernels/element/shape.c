/* SPDX-License-Identifier: BSD-3-Clause
 * Size and words of shapes, and the table of their members. */
#include "kernels/element/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const tile_names[] = {"none", "16x16x4", "4x4x4", "4x4x1", "8x8x4"};
static const int tile_sizes[] = {0, 16 * 16 * 4, 4 * 4 * 4, 4 * 4 * 1, 8 * 8 * 4};
static const char *const layout_names[] = {"none", "plain", "padded", "swizzled"};
_Static_assert(sizeof tile_names / sizeof *tile_names == HB_NUM_MATRIX_TILES, "one name a tile");
_Static_assert(sizeof tile_sizes / sizeof *tile_sizes == HB_NUM_MATRIX_TILES, "one size a tile");
_Static_assert(sizeof layout_names / sizeof *layout_names == HB_NUM_CUBE_LAYOUTS, "one a layout");

#define WORD_ROW(member, pin, all, words, weights, turn, help)                                     \
  {.name = #member,                                                                                \
   .option = (pin),                                                                                \
   .names = (all),                                                                                 \
   .num_names = sizeof(all) / sizeof *(all),                                                       \
   .offset = offsetof(struct hb_shape, member),                                                    \
   .letter = "",                                                                                   \
   .sizes = (weights),                                                                             \
   .rank = (turn)},
#define NUMBER_ROW(member, pin, not_pinned, lowest, highest, single, several, before, turn, help)  \
  {.name = #member,                                                                                \
   .option = (pin),                                                                                \
   .offset = offsetof(struct hb_shape, member),                                                    \
   .open = (not_pinned),                                                                           \
   .one = (single),                                                                                \
   .many = (several),                                                                              \
   .letter = (before),                                                                             \
   .rank = (turn)},
static const struct hb_shape_member members[] = {HB_SHAPE_MEMBERS(WORD_ROW, NUMBER_ROW)};

/* Members are read and written as int. */
_Static_assert(sizeof(struct hb_shape) == HB_NUM_SHAPE_MEMBERS * sizeof(int), "all have a row");
_Static_assert(sizeof(enum hb_matrix_tile) == sizeof(int), "an enum of a shape is an int");
_Static_assert(sizeof(enum hb_cube_layout) == sizeof(int), "an enum of a shape is an int");

const struct hb_shape_member *hb_shape_member(int index) { return &members[index]; }

const char *hb_matrix_tile_name(enum hb_matrix_tile tile) { return tile_names[tile]; }

const char *hb_cube_layout_name(enum hb_cube_layout layout) { return layout_names[layout]; }

int hb_shape_get(const struct hb_shape *shape, int member) {
  int value;
  memcpy(&value, (const char *)shape + members[member].offset, sizeof value);
  return value;
}

void hb_shape_set(struct hb_shape *shape, int member, int value) {
  memcpy((char *)shape + members[member].offset, &value, sizeof value);
}

void hb_shape_format(int member, int value, char text[HB_SHAPE_VALUE_BYTES]) {
  if (members[member].names != NULL)
    snprintf(text, HB_SHAPE_VALUE_BYTES, "%s", members[member].names[value]);
  else
    snprintf(text, HB_SHAPE_VALUE_BYTES, "%d", value);
}

bool hb_shape_parse(int member, const char *text, int *value) {
  char again[HB_SHAPE_VALUE_BYTES];
  if (members[member].names == NULL) {
    *value = (int)strtol(text, NULL, 10);
    hb_shape_format(member, *value, again);
    return strcmp(again, text) == 0;
  }
  for (*value = 0; *value < members[member].num_names; ++*value)
    if (strcmp(members[member].names[*value], text) == 0) return true;
  return false;
}

bool hb_shape_equal(const struct hb_shape *a, const struct hb_shape *b) {
  for (int m = 0; m < HB_NUM_SHAPE_MEMBERS; m++)
    if (hb_shape_get(a, m) != hb_shape_get(b, m)) return false;
  return true;
}

static int size_of(const struct hb_shape *shape, int member) {
  const int value = hb_shape_get(shape, member);
  return members[member].sizes != NULL ? members[member].sizes[value] : value;
}

int hb_shape_compare(const struct hb_shape *a, const struct hb_shape *b) {
  for (int rank = 1; rank <= HB_NUM_SHAPE_MEMBERS; rank++)
    for (int m = 0; m < HB_NUM_SHAPE_MEMBERS; m++)
      if (members[m].rank == rank && size_of(a, m) != size_of(b, m))
        return size_of(a, m) - size_of(b, m);
  return 0;
}

int hb_shape_add(struct hb_shape *shapes, int count, const struct hb_shape *shape) {
  if (count < HB_MAX_SHAPES) shapes[count] = *shape;
  return count + 1;
}

int hb_shape_elements(const struct hb_shape *shape, int n) {
  const int room = 256 / (n * n);
  return shape->elements > 0 ? shape->elements : room > 1 ? room : 1;
}

void hb_shape_words(const struct hb_shape *shape, char text[HB_SHAPE_WORDS_BYTES]) {
  size_t used = 0;
  text[0] = '\0';
  for (int m = 0; m < HB_NUM_SHAPE_MEMBERS && used < HB_SHAPE_WORDS_BYTES; m++) {
    const int value = hb_shape_get(shape, m);
    const bool number = members[m].names == NULL;
    char word[HB_SHAPE_VALUE_BYTES];
    if (value == 0) continue;
    hb_shape_format(m, value, word);
    used += (size_t)snprintf(text + used, HB_SHAPE_WORDS_BYTES - used, "%s%s%s%s",
                             used > 0 ? ", " : "", word, number ? " " : "",
                             !number      ? ""
                             : value == 1 ? members[m].one
                                          : members[m].many);
  }
}

void hb_shape_word(const struct hb_shape *shape, char text[HB_SHAPE_WORD_BYTES]) {
  size_t used = 0;
  text[0] = '\0';
  for (int m = 0; m < HB_NUM_SHAPE_MEMBERS && used < HB_SHAPE_WORD_BYTES; m++) {
    const int value = hb_shape_get(shape, m);
    char word[HB_SHAPE_VALUE_BYTES];
    if (value == 0) continue;
    hb_shape_format(m, value, word);
    used += (size_t)snprintf(text + used, HB_SHAPE_WORD_BYTES - used, "%s%s%s", used > 0 ? "/" : "",
                             members[m].letter, word);
  }
  if (used == 0) snprintf(text, HB_SHAPE_WORD_BYTES, "none");
}
