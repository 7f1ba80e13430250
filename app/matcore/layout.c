/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore layout: where the elements of an operand are, as tables, formulas, CSV, SVG. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/matcore/arguments.h"
#include "app/matcore/commands.h"

enum { MAX_NUMBERS = 3, NUMBERS_BYTES = 64, UNSET = -1 };

struct arguments {
  char instruction[HB_MATCORE_NAME_BYTES], architecture[HB_MATCORE_NAME_BYTES];
  int operand; /* from HB_MATCORE_FIRST_OPERAND on */
  char svg[HB_PATH_BYTES];
  char element[NUMBERS_BYTES], lane[NUMBERS_BYTES], shared[NUMBERS_BYTES]; /* empty: not given */
  int byte, k, repeat;                                                     /* UNSET: not given */
  bool csv, by_lane, mn_major;
};

static const struct hb_option rows[] = {
    HB_MATCORE_WORD(arguments, instruction, "by name, as list has it"),
    {.name = "operand",
     .type = HB_OPTION_CHOICE,
     .words = 1,
     .needed = true,
     HB_OPTION_MEMBER(arguments, operand),
     .choices = HB_MATCORE_OPERANDS,
     .help = "of it"},
    HB_MATCORE_TEXT(arguments, "element", element, "I,J or B,I,J: of one element (of block B)"),
    HB_MATCORE_TEXT(arguments, "lane", lane, "L,R: of one lane and register, the way back"),
    HB_MATCORE_FLAG(arguments, "by-lane", by_lane, "table by lane and register"),
    HB_MATCORE_FLAG(arguments, "csv", csv, "block,row,col,lane,slot"),
    HB_MATCORE_TEXT(arguments, "svg", svg, "file of a picture, by lane group"),
    HB_MATCORE_TEXT(arguments, "arch", architecture, "an architecture that must have it"),
    HB_MATCORE_NUMBER(arguments, "repeat", repeat, 1, INT_MAX, NULL,
                      "tiles of tcgen05.mma side by side in tensor memory"),
    HB_MATCORE_TEXT(arguments, "shared", shared,
                    "LEADING,STRIDE,SWIZZLE: A or B of tcgen05.mma in shared memory"),
    HB_MATCORE_FLAG(arguments, "mn-major", mn_major, "of --shared: M or N is the fast index"),
    HB_MATCORE_NUMBER(arguments, "k", k, 1, 256, NULL, "of --shared: extent along k"),
    HB_MATCORE_NUMBER(arguments, "byte", byte, 0, INT_MAX, NULL,
                      "of --shared: the element at this byte, the way back")};

static const struct hb_matcore_usage usage = {
    "Usage: helmbone-matcore layout INSTRUCTION A|B|C|D [--NAME VALUE | --FLAG]...\n"
    "Where every element of an operand is, with formulas.\n",
    {rows, sizeof rows / sizeof *rows},
    NULL};

static bool given(const char *text) { return text[0] != '\0'; }

/* "1,2" or, if `most` is 3, "0,1,2", right-aligned into numbers: the first may be left out. */
static enum hb_status parse_numbers(const char *option, const char *text, int least, int most,
                                    int numbers[MAX_NUMBERS]) {
  enum hb_status status = HB_OK;
  char shown[HB_OPTION_SHOWN_BYTES];
  long read[MAX_NUMBERS] = {0};
  int count = 0;
  const char *rest = text;
  hb_option_shown(text, shown);
  while (count < most) {
    char *end = NULL;
    read[count] = strtol(rest, &end, 10);
    if (end == rest || read[count] > INT_MAX || read[count] < INT_MIN) break;
    count++;
    rest = end;
    if (*rest != ',') break;
    rest++;
  }
  if (count < least || *rest != '\0' || rest[-1] == ',')
    HB_FAIL(HB_BAD_INPUT, "%s '%s': %d%s whole numbers with commas between", option, shown, least,
            least == most ? "" : " or 3");
  for (int i = 0; i < most; i++) numbers[i] = i < most - count ? 0 : (int)read[i - (most - count)];
done:
  return status;
}

static enum hb_status print_element(const struct hb_tile_layout *layout, const char *text,
                                    bool csv) {
  enum hb_status status = HB_OK;
  struct hb_tile_element element;
  struct hb_tile_place place;
  HB_TRY(parse_numbers("--element", text, 2, 3, element.at));
  HB_TRY(hb_tile_place(layout, element, &place));
  if (csv)
    printf("block,row,col,lane,slot\n%d,%d,%d,%d,%d\n", element.at[0], element.at[1], element.at[2],
           place.lane, place.slot);
  else
    printf("block %d, row %d, column %d: lane %d, slot %d\n", element.at[0], element.at[1],
           element.at[2], place.lane, place.slot);
done:
  return status;
}

static enum hb_status print_lane(const struct hb_tile_layout *layout, const char *text, bool csv) {
  enum hb_status status = HB_OK;
  struct hb_tile_element element;
  int numbers[MAX_NUMBERS];
  HB_TRY(parse_numbers("--lane", text, 2, 2, numbers));
  HB_TRY(hb_tile_element(layout, (struct hb_tile_place){numbers[0], numbers[1]}, &element));
  if (csv)
    printf("block,row,col,lane,slot\n%d,%d,%d,%d,%d\n", element.at[0], element.at[1], element.at[2],
           numbers[0], numbers[1]);
  else
    printf("lane %d, slot %d: block %d, row %d, column %d\n", numbers[0], numbers[1], element.at[0],
           element.at[1], element.at[2]);
done:
  return status;
}

static void print_row(struct hb_tile_element element, struct hb_tile_place place) {
  printf("%d,%d,%d,%d,%d\n", element.at[0], element.at[1], element.at[2], place.lane, place.slot);
}

static enum hb_status print_csv(const struct hb_tile_layout *layout, bool by_lane) {
  enum hb_status status = HB_OK;
  struct hb_tile_place place;
  struct hb_tile_element element;
  printf("block,row,col,lane,slot\n");
  for (int e = 0; e < hb_tile_count(layout) && !by_lane; e++) {
    element = hb_tile_at(layout, e);
    HB_TRY(hb_tile_place(layout, element, &place));
    print_row(element, place);
  }
  for (int p = 0; p < layout->lanes * layout->slots && by_lane; p++) {
    place = (struct hb_tile_place){p / layout->slots, p % layout->slots};
    if (hb_tile_element(layout, place, &element) == HB_OK)
      print_row(element, place);
    else
      hb_error_clear(); /* a place that holds none */
  }
done:
  return status;
}

static enum hb_status print_by_element(const struct hb_tile_layout *layout) {
  enum hb_status status = HB_OK;
  const int rows = layout->extent[HB_TILE_ROW], cols = layout->extent[HB_TILE_COL];
  for (int block = 0; block < layout->extent[HB_TILE_BLOCK]; block++) {
    printf("block %d: lane:slot by row (down) and column\n%5s", block, "");
    for (int col = 0; col < cols; col++) printf(" %7d", col);
    printf("\n");
    for (int row = 0; row < rows; row++) {
      printf("%4d:", row);
      for (int col = 0; col < cols; col++) {
        struct hb_tile_place place;
        char words[32];
        HB_TRY(hb_tile_place(layout, (struct hb_tile_element){{block, row, col}}, &place));
        snprintf(words, sizeof words, "%d:%d", place.lane, place.slot);
        printf(" %7s", words);
      }
      printf("\n");
    }
  }
done:
  return status;
}

static void print_by_lane(const struct hb_tile_layout *layout) {
  printf("block,row,column by lane (down) and slot; -: holds none\n%5s", "");
  for (int slot = 0; slot < layout->slots; slot++) printf(" %10d", slot);
  printf("\n");
  for (int lane = 0; lane < layout->lanes; lane++) {
    printf("%4d:", lane);
    for (int slot = 0; slot < layout->slots; slot++) {
      char words[48] = "-";
      struct hb_tile_element e;
      if (hb_tile_element(layout, (struct hb_tile_place){lane, slot}, &e) == HB_OK)
        snprintf(words, sizeof words, "%d,%d,%d", e.at[0], e.at[1], e.at[2]);
      else
        hb_error_clear();
      printf(" %10s", words);
    }
    printf("\n");
  }
}

static void print_heading(const struct hb_matcore_instruction *x, char operand,
                          const struct hb_tile_layout *layout) {
  const char *letters = hb_matcore_letters(operand);
  const int empty = layout->lanes * layout->slots - hb_tile_count(layout);
  printf("%s, operand %c: %d x %d (%c, %c), blocks (b): %d, in %d lanes x %d slots\n", x->name,
         operand, layout->extent[HB_TILE_ROW], layout->extent[HB_TILE_COL], letters[0], letters[1],
         layout->extent[HB_TILE_BLOCK], layout->lanes, layout->slots);
  printf("slot: %s\n", hb_matcore_slot_words(x, operand));
  if (x->family == HB_MATCORE_TCGEN05)
    printf("layout %c, lanes 128 c and on: CTA c; banks: %d\n", hb_tcgen05_letter(&x->tcgen05),
           hb_tcgen05_banks(&x->tcgen05));
  if (empty > 0) printf("places that hold no element: %d\n", empty);
  hb_matcore_print_formulas(layout, operand);
}

static enum hb_status show_places(const struct arguments *arguments,
                                  const struct hb_matcore_instruction *x, char operand) {
  enum hb_status status = HB_OK;
  struct hb_tile_layout layout;
  if (arguments->mn_major || arguments->byte != UNSET || arguments->k != UNSET)
    HB_FAIL(HB_BAD_INPUT, "--mn-major, --k and --byte go with --shared");
  HB_TRY(hb_matcore_operand(x, operand, &layout));
  if (arguments->repeat != UNSET) {
    if (x->family != HB_MATCORE_TCGEN05) HB_FAIL(HB_BAD_INPUT, "--repeat is for tcgen05.mma");
    HB_TRY(hb_tcgen05_repeat(&x->tcgen05, operand, arguments->repeat, &layout));
  }
  if (given(arguments->svg)) HB_TRY(hb_matcore_write_svg(arguments->svg, x, operand, &layout));
  if (given(arguments->element)) {
    HB_TRY(print_element(&layout, arguments->element, arguments->csv));
  } else if (given(arguments->lane)) {
    HB_TRY(print_lane(&layout, arguments->lane, arguments->csv));
  } else if (arguments->csv) {
    HB_TRY(print_csv(&layout, arguments->by_lane));
  } else {
    print_heading(x, operand, &layout);
    if (arguments->by_lane)
      print_by_lane(&layout);
    else
      HB_TRY(print_by_element(&layout));
  }
done:
  return status;
}

static enum hb_status show_shared(const struct arguments *arguments,
                                  const struct hb_matcore_instruction *x, char operand) {
  enum hb_status status = HB_OK;
  int numbers[MAX_NUMBERS];
  struct hb_matcore_shared_view view = {.instruction = x, .operand = operand};
  if (x->family != HB_MATCORE_TCGEN05 || operand == 'C' || operand == 'D')
    HB_FAIL(HB_BAD_INPUT, "--shared is for A and B of tcgen05.mma");
  if (given(arguments->svg) || given(arguments->lane) || arguments->by_lane ||
      arguments->repeat != UNSET)
    HB_FAIL(HB_BAD_INPUT, "--svg, --lane, --by-lane and --repeat do not go with --shared");
  HB_TRY(parse_numbers("--shared", arguments->shared, 3, 3, numbers));
  view.shared = (struct hb_tcgen05_shared){.leading_bytes = numbers[0],
                                           .stride_bytes = numbers[1],
                                           .swizzle = numbers[2],
                                           .mn_major = arguments->mn_major,
                                           .k = arguments->k == UNSET ? x->k : arguments->k};
  view.csv = arguments->csv;
  if (given(arguments->element)) {
    HB_TRY(parse_numbers("--element", arguments->element, 2, 2, numbers));
    view.form = HB_MATCORE_ELEMENT;
    view.row = numbers[0];
    view.col = numbers[1];
  } else if (arguments->byte != UNSET) {
    view.form = HB_MATCORE_BYTE;
    view.byte = arguments->byte;
  }
  HB_TRY(hb_matcore_print_shared(&view));
done:
  return status;
}

int hb_matcore_layout(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct arguments arguments = {.byte = UNSET, .k = UNSET, .repeat = UNSET};
  struct hb_matcore_instruction x;
  bool helped = false;
  HB_TRY(hb_matcore_arguments(&usage, argc, argv, &arguments, &helped));
  if (helped) goto done;
  if (given(arguments.element) && (given(arguments.lane) || arguments.byte != UNSET))
    HB_FAIL(HB_BAD_INPUT, "--element or the way back, not both");
  HB_TRY(hb_matcore_find(arguments.instruction, arguments.architecture, &x));
  const char operand = (char)(HB_MATCORE_FIRST_OPERAND + arguments.operand);
  HB_TRY(given(arguments.shared) ? show_shared(&arguments, &x, operand)
                                 : show_places(&arguments, &x, operand));
done:
  return (int)status;
}
