/* SPDX-License-Identifier: BSD-3-Clause
 * Shapes: the table of members against the options that pin them, words, and simplicity. */
#include <string.h>

#include "app/options_table.h"
#include "tests/check.h"

static const struct hb_shape full = {HB_MATRIX_4X4X1, 4, 2, HB_CUBE_SWIZZLED, 1};

/* Every member has an option of its values in their order, whose default leaves it open. */
static void check_options(struct hb_check *check) {
  const struct hb_option_table *table = hb_options_table();
  struct hb_options options;
  hb_options_defaults(&options);
  for (int m = 0; m < HB_NUM_SHAPE_MEMBERS; m++) {
    const struct hb_shape_member *member = hb_shape_member(m);
    const int index = hb_option_find(table, "solver", member->option);
    CHECK(check, index >= 0);
    CHECK_EQUAL(check, hb_shape_get(&options.pins, m), member->open);
    if (index < 0) continue;
    const struct hb_option *row = &table->rows[index];
    CHECK_EQUAL(check, row->offset - offsetof(struct hb_options, pins), member->offset);
    CHECK_EQUAL(check, row->type == HB_OPTION_CHOICE, member->names != NULL);
    for (int value = 1; value < member->num_names; value++) {
      CHECK_OK(check, hb_option_set(row, "test", member->names[value], &options));
      CHECK_EQUAL(check, hb_shape_get(&options.pins, m), value);
    }
    if (member->names != NULL)
      CHECK(check,
            strcmp(strrchr(row->choices, ' ') + 1, member->names[member->num_names - 1]) == 0);
  }
}

/* Values go through text and back; other text is refused. */
static void check_values(struct hb_check *check) {
  struct hb_shape copy = {.tile = HB_MATRIX_NONE};
  char text[HB_SHAPE_VALUE_BYTES];
  int value = 0, ranks = 0;
  for (int m = 0; m < HB_NUM_SHAPE_MEMBERS; m++) {
    CHECK(check, !hb_shape_equal(&copy, &full));
    hb_shape_format(m, hb_shape_get(&full, m), text);
    CHECK(check, hb_shape_parse(m, text, &value));
    hb_shape_set(&copy, m, value);
    CHECK(check, !hb_shape_parse(m, "", &value) && !hb_shape_parse(m, "4x", &value));
    CHECK(check, !hb_shape_parse(m, " 4", &value) && !hb_shape_parse(m, "99999999999", &value));
    ranks |= 1 << hb_shape_member(m)->rank;
  }
  CHECK(check, hb_shape_equal(&copy, &full));
  CHECK_EQUAL(check, ranks, (1 << (HB_NUM_SHAPE_MEMBERS + 1)) - 2); /* 1, 2, ... once each */
}

static void check_words(struct hb_check *check) {
  const struct hb_shape nothing = {.tile = HB_MATRIX_NONE};
  char words[HB_SHAPE_WORDS_BYTES], word[HB_SHAPE_WORD_BYTES];
  hb_shape_words(&full, words);
  hb_shape_word(&full, word);
  CHECK(check, strcmp(words, "4x4x1, 4 wavefronts, 2 elements, swizzled, 1 ahead") == 0);
  CHECK(check, strcmp(word, "4x4x1/w4/e2/swizzled/a1") == 0);
  hb_shape_words(&(struct hb_shape){.wavefronts = 1, .elements = 1, .ahead = 2}, words);
  hb_shape_word(&(struct hb_shape){.elements = 1, .ahead = 2}, word);
  CHECK(check, strcmp(words, "1 wavefront, 1 element, 2 ahead") == 0);
  CHECK(check, strcmp(word, "e1/a2") == 0);
  hb_shape_words(&nothing, words);
  hb_shape_word(&nothing, word);
  CHECK(check, words[0] == '\0' && strcmp(word, "none") == 0);
}

/* Fewer wavefronts, then the smaller tile, then fewer elements, the plainer layout, less ahead. */
static void check_simplicity(struct hb_check *check) {
  static const struct hb_shape order[] = {
      {HB_MATRIX_16X16X4, 1, 9, HB_CUBE_SWIZZLED, 9}, {HB_MATRIX_4X4X1, 2, 9, HB_CUBE_SWIZZLED, 9},
      {HB_MATRIX_4X4X4, 2, 9, HB_CUBE_SWIZZLED, 9},   {HB_MATRIX_8X8X4, 2, 9, HB_CUBE_SWIZZLED, 9},
      {HB_MATRIX_16X16X4, 2, 1, HB_CUBE_SWIZZLED, 9}, {HB_MATRIX_16X16X4, 2, 2, HB_CUBE_PLAIN, 9},
      {HB_MATRIX_16X16X4, 2, 2, HB_CUBE_PADDED, 0},   {HB_MATRIX_16X16X4, 2, 2, HB_CUBE_PADDED, 1}};
  const int count = sizeof order / sizeof *order;
  for (int a = 0; a < count; a++)
    for (int b = 0; b < count; b++) {
      const int sign = hb_shape_compare(&order[a], &order[b]);
      CHECK_EQUAL(check, (sign > 0) - (sign < 0), (a > b) - (a < b));
    }
}

/* What does not fit is counted, and not written. */
static void check_room(struct hb_check *check) {
  struct hb_shape shapes[HB_MAX_SHAPES + 2];
  int count = 0;
  for (int s = 0; s < HB_MAX_SHAPES + 2; s++) shapes[s] = full;
  for (int s = 0; s < HB_MAX_SHAPES + 2; s++)
    count = hb_shape_add(shapes, count, &(struct hb_shape){.elements = s + 100});
  CHECK_EQUAL(check, count, HB_MAX_SHAPES + 2);
  CHECK_EQUAL(check, shapes[HB_MAX_SHAPES - 1].elements, HB_MAX_SHAPES + 99);
  CHECK(check, hb_shape_equal(&shapes[HB_MAX_SHAPES], &full));
}

int main(void) {
  struct hb_check check = {0, 0};
  check_options(&check);
  check_values(&check);
  check_words(&check);
  check_simplicity(&check);
  check_room(&check);
  return hb_check_finish(&check);
}
