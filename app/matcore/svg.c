/* SPDX-License-Identifier: BSD-3-Clause
 * A picture of an operand's tile as SVG: one square an element, coloured by lane group. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/matcore/commands.h"

enum { CELL = 36, GAP = 28, MARGIN = 44, KEY = 40, NUM_COLOURS = 8, CELL_FONT = 10 };

/* Light enough for black text, told apart by lightness too. */
static const char *const colours[NUM_COLOURS] = {"#a6cee3", "#fdbf6f", "#b2df8a", "#fb9a99",
                                                 "#cab2d6", "#ffff99", "#d9d9d9", "#80cdc1"};

struct picture {
  FILE *file;
  const struct hb_tile_layout *layout;
  int group, blocks_a_row, width, height;
};

static int block_width(const struct hb_tile_layout *layout) {
  return layout->extent[HB_TILE_COL] * CELL + MARGIN + GAP;
}

static int block_height(const struct hb_tile_layout *layout) {
  return layout->extent[HB_TILE_ROW] * CELL + MARGIN + GAP;
}

static void write_text(const struct picture *p, int x, int y, const char *anchor,
                       const char *words) {
  fprintf(p->file, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words);
}

static enum hb_status write_cell(const struct picture *p, struct hb_tile_element element, int x,
                                 int y) {
  enum hb_status status = HB_OK;
  struct hb_tile_place place;
  char words[32];
  HB_TRY(hb_tile_place(p->layout, element, &place));
  fprintf(p->file,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#404040\"/>\n",
          x, y, CELL, CELL, colours[place.lane / p->group % NUM_COLOURS]);
  snprintf(words, sizeof words, "%d:%d", place.lane, place.slot);
  write_text(p, x + CELL / 2, y + CELL / 2 + CELL_FONT / 3, "middle", words);
done:
  return status;
}

static enum hb_status write_block(const struct picture *p, int block) {
  enum hb_status status = HB_OK;
  const struct hb_tile_layout *layout = p->layout;
  const int left = MARGIN + block % p->blocks_a_row * block_width(layout);
  const int top = KEY + MARGIN + block / p->blocks_a_row * block_height(layout);
  char words[32];
  for (int row = 0; row < layout->extent[HB_TILE_ROW]; row++) {
    snprintf(words, sizeof words, "%d", row);
    write_text(p, left - 4, top + row * CELL + CELL / 2 + CELL_FONT / 3, "end", words);
    for (int col = 0; col < layout->extent[HB_TILE_COL]; col++)
      HB_TRY(write_cell(p, (struct hb_tile_element){{block, row, col}}, left + col * CELL,
                        top + row * CELL));
  }
  for (int col = 0; col < layout->extent[HB_TILE_COL]; col++) {
    snprintf(words, sizeof words, "%d", col);
    write_text(p, left + col * CELL + CELL / 2, top - 4, "middle", words);
  }
  snprintf(words, sizeof words, "block %d", block);
  write_text(p, left, top - 18, "start", words);
done:
  return status;
}

/* Which lanes have which colour. */
static void write_key(const struct picture *p) {
  enum { STEP = 76, SQUARE = 10, Y = 28 };
  const int groups = (p->layout->lanes + p->group - 1) / p->group;
  char words[32];
  for (int g = 0; g < groups && g < NUM_COLOURS; g++) {
    const int x = MARGIN + g * STEP, last = (g + 1) * p->group - 1;
    fprintf(p->file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", x, Y,
            SQUARE, SQUARE, colours[g]);
    snprintf(words, sizeof words, "%d..%d", g * p->group, last);
    write_text(p, x + SQUARE + 4, Y + SQUARE - 1, "start", words);
  }
}

static enum hb_status write_picture(const struct picture *p, const char *name, char operand) {
  enum hb_status status = HB_OK;
  fprintf(p->file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "font-family=\"sans-serif\" font-size=\"%d\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
          p->width, p->height, CELL_FONT);
  fprintf(p->file,
          "<text x=\"%d\" y=\"20\" font-size=\"14\">%s, operand %c: lane:slot, rows %c down, "
          "columns %c across</text>\n",
          MARGIN, name, operand, hb_matcore_letters(operand)[0], hb_matcore_letters(operand)[1]);
  write_key(p);
  for (int block = 0; block < p->layout->extent[HB_TILE_BLOCK]; block++)
    HB_TRY(write_block(p, block));
  fprintf(p->file, "</svg>\n");
done:
  return status;
}

enum hb_status hb_matcore_write_svg(const char *path,
                                    const struct hb_matcore_instruction *instruction, char operand,
                                    const struct hb_tile_layout *layout) {
  enum hb_status status = HB_OK;
  const int blocks = layout->extent[HB_TILE_BLOCK], across = blocks > 4 ? 4 : blocks;
  const int least_width = 680; /* of the title */
  struct picture p = {.layout = layout,
                      .group = hb_matcore_lane_group(instruction),
                      .blocks_a_row = across,
                      .width = across * block_width(layout) + MARGIN,
                      .height =
                          KEY + (blocks + across - 1) / across * block_height(layout) + MARGIN};
  if (p.width < least_width) p.width = least_width;
  p.file = fopen(path, "w");
  if (p.file == NULL) HB_FAIL(HB_MACHINE_FAILED, "%s: %s", path, strerror(errno));
  HB_TRY(write_picture(&p, instruction->name, operand));
done:
  if (p.file != NULL) {
    const bool bad = ferror(p.file) != 0;
    if ((fclose(p.file) != 0 || bad) && status == HB_OK)
      status = hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__, "%s cannot be written", path);
  }
  return status;
}
