/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore lds: `lds staged` and `lds pad`. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/matcore/arguments.h"
#include "app/matcore/instruction.h"
#include "app/matcore/lds.h"
#include "kernels/matcore/lds_pad.h"
#include "kernels/matcore/lds_staged.h"

enum { RULES_BYTES = 256 };

/* "j1:0,k0:2+3" */
static enum hb_status parse_rules(const char *text, struct hb_lds_swizzle *swizzle) {
  enum hb_status status = HB_OK;
  const char *at = text;
  *swizzle = (struct hb_lds_swizzle){0};
  while (*at != '\0') {
    if (at[0] < 'i' || at[0] > 'k' || at[1] < '0' || at[1] > '3' || at[2] != ':') goto wrong;
    int *mask = &swizzle->mask[at[0] - 'i'][at[1] - '0'];
    at += 2; /* on the ':' or '+' before each bit */
    do {
      char *end = NULL;
      if (!isdigit((unsigned char)at[1])) goto wrong;
      const long bit = strtol(at + 1, &end, 10);
      if (bit > 11) goto wrong;
      *mask ^= 1 << bit;
      at = end;
    } while (*at == '+');
    if (*at == ',' && at[1] != '\0')
      at++;
    else if (*at != '\0')
      goto wrong;
  }
  return HB_OK;
wrong:
  HB_FAIL(HB_BAD_INPUT,
          "--xor: '%s' at '%.8s'; allowed: known, or rules as j1:0,k0:2+3 (index i, "
          "j, k, its bit 0 to 3; bits 0 to 11 of the slot)",
          text, at);
done:
  return status;
}

static enum hb_status choose_swizzle(const char *text, struct hb_lds_staged *staged,
                                     struct hb_lds_swizzle *swizzle) {
  enum hb_status status = HB_OK;
  if (strcmp(text, "known") != 0)
    HB_TRY(parse_rules(text, swizzle));
  else if (!hb_lds_known_swizzle(staged->n, staged->precision, staged->tile, swizzle))
    HB_FAIL(HB_BAD_INPUT, "--xor known: none for n = %d in %s; known: f64 n = 4, 8; f32 n = 8",
            staged->n, hb_precision_name(staged->precision));
  staged->swizzle = swizzle;
done:
  return status;
}

static void print_staged(const struct hb_lds_staged *staged,
                         const struct hb_lds_staged_cycles *cycles, bool csv) {
  const struct {
    const char *name;
    int cycles;
  } lines[] = {{"axis 0 B reads", cycles->axis_read[0]},
               {"axis 1 B reads", cycles->axis_read[1]},
               {"axis 2 B reads", cycles->axis_read[2]},
               {"axis 0 stores", cycles->axis_store[0]},
               {"axis 1 stores", cycles->axis_store[1]},
               {"axis 2 stores", cycles->axis_store[2]},
               {"B reads", cycles->b_reads},
               {"stores", cycles->stores},
               {"accumulate reads", cycles->accumulate},
               {"linear passes", cycles->linear},
               {"cube", cycles->cube},
               {"D reads", cycles->d_reads},
               {"cube and D", cycles->cube + cycles->d_reads},
               {"issue a contraction", cycles->issue}};
  if (csv)
    puts("item,cycles");
  else
    printf("n=%d %s %s, padding %d%s, %d wavefront%s an element: cycles an element (modelled)\n",
           staged->n, hb_precision_name(staged->precision), hb_matrix_tile_name(staged->tile),
           staged->pad, staged->swizzle != NULL ? ", XOR" : "", staged->wavefronts,
           staged->wavefronts > 1 ? "s" : "");
  for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++)
    printf(csv ? "%s,%g\n" : "%-20s%9g\n", lines[l].name,
           (double)lines[l].cycles / cycles->elements);
  if (!csv)
    printf("worst degree of B reads along axis 0, 1, 2: %d %d %d\n", cycles->axis_degree[0],
           cycles->axis_degree[1], cycles->axis_degree[2]);
}

struct staged_arguments {
  int n, pad, wavefronts, linear;
  enum hb_precision precision;
  int tile;               /* 0: HB_MATRIX_16X16X4, and so on */
  char xor [RULES_BYTES]; /* empty: not given */
  bool accumulate, reread, csv;
};

#define STAGED_WORD(member, kind)                                                                  \
  .name = #member, .type = (kind), .words = 1, .needed = true,                                     \
  HB_OPTION_MEMBER(staged_arguments, member)

static const struct hb_option staged_rows[] = {
    {STAGED_WORD(n, HB_OPTION_INTEGER), .lowest = 2, .highest = HB_MAX_N,
     .help = "points of an element along each axis"},
    {STAGED_WORD(precision, HB_OPTION_CHOICE), .choices = "f64 f32", .help = "of the values"},
    {STAGED_WORD(tile, HB_OPTION_CHOICE), .choices = "16x16x4 4x4x4 4x4x1",
     .help = "matrix instruction; 4x4x4 in f64, 4x4x1 in f32"},
    HB_MATCORE_NUMBER(staged_arguments, "pad", pad, 0, HB_LDS_MAX_PAD, "0", "slots after a row"),
    HB_MATCORE_NUMBER(staged_arguments, "wavefronts", wavefronts, 1, 16, "1", "of an element"),
    HB_MATCORE_NUMBER(staged_arguments, "linear", linear, 0, 99, "9", "passes over the cube"),
    HB_MATCORE_FLAG(staged_arguments, "accumulate", accumulate, "count reads that accumulate"),
    HB_MATCORE_FLAG(staged_arguments, "reread-b", reread, "B is read again for every M-tile"),
    HB_MATCORE_TEXT(staged_arguments, "xor", xor,
                    "known, or rules: bits of the index flip bits of the slot: j1:0,k0:2+3"),
    HB_MATCORE_FLAG(staged_arguments, "csv", csv, "item,cycles")};

static const struct hb_matcore_usage staged_usage = {
    "Usage: helmbone-matcore lds staged N f64|f32 TILE [--NAME VALUE | --FLAG]...\n"
    "LDS cycles of one element, staged kernel, modelled.\n",
    {staged_rows, sizeof staged_rows / sizeof *staged_rows},
    NULL};

enum hb_status hb_matcore_lds_staged(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct staged_arguments given = {.csv = false};
  bool helped = false;
  struct hb_lds_swizzle own;
  struct hb_lds_staged_cycles cycles;
  HB_TRY(hb_matcore_arguments(&staged_usage, argc, argv, &given, &helped));
  if (helped) goto done;
  struct hb_lds_staged staged = hb_lds_staged_of(
      given.n, given.precision, (enum hb_matrix_tile)(HB_MATRIX_16X16X4 + given.tile));
  staged.pad = given.pad;
  staged.wavefronts = given.wavefronts;
  staged.linear_passes = given.linear;
  staged.accumulate_reads = given.accumulate;
  staged.reread_b = given.reread;
  if (given.xor [0] != '\0') HB_TRY(choose_swizzle(given.xor, &staged, &own));
  HB_TRY(hb_lds_staged_count(&staged, &cycles));
  print_staged(&staged, &cycles, given.csv);
done:
  return status;
}

/* Cycles, degree, or that it is misaligned, of one map under one layout. */
static enum hb_status print_map(const struct hb_lds_map *map, const struct hb_lds_layout *layout,
                                bool csv, bool *conflict_free) {
  enum hb_status status = HB_OK;
  struct hb_lds_map_cost cost;
  HB_TRY(hb_lds_map_count(map, layout, &cost));
  *conflict_free = *conflict_free && hb_lds_map_is_free(&cost);
  char text[48] = "misaligned";
  if (cost.misaligned == 0)
    snprintf(text, sizeof text, "%d-way %6d of %d", cost.worst, cost.cycles, cost.ideal);
  if (!csv)
    printf("  %22s", text);
  else if (cost.misaligned > 0)
    printf(",%d,,", cost.misaligned);
  else
    printf(",0,%d,%d", cost.worst, cost.cycles);
done:
  return status;
}

static enum hb_status print_layout(const struct hb_lds_map *maps, int num_maps,
                                   const struct hb_lds_layout *layout, bool csv) {
  enum hb_status status = HB_OK;
  bool conflict_free = true;
  const bool swizzled = layout->chunk_bytes > 0;
  if (csv)
    printf("%s,%d,%d,%d", swizzled ? "xor" : "pad", layout->pad_words, layout->shift, layout->mask);
  else if (swizzled)
    printf("XOR mask %-3d>> %d  ", layout->mask, layout->shift);
  else
    printf("padding %2d words  ", layout->pad_words);
  for (int m = 0; m < num_maps; m++) HB_TRY(print_map(&maps[m], layout, csv, &conflict_free));
  if (csv && num_maps == 1) printf(",,,");
  puts(csv ? (conflict_free ? ",yes" : ",no") : (conflict_free ? "  free" : ""));
done:
  return status;
}

/* Of --row-access beside HB_MATCORE_WIDTHS: as wide as the fragments' access, or none. */
enum { ROWS_ALIKE = 0, ROWS_FIRST_WIDTH = 1, ROWS_NONE = 4 };

struct pad_arguments {
  enum hb_lds_arch arch;
  int width, row_access, operand;
  int rows, row_bytes, max;
  char instruction[HB_MATCORE_NAME_BYTES]; /* empty: not given */
  bool consecutive, csv;
};

static const struct hb_option pad_rows[] = {
    HB_MATCORE_CHOICE(pad_arguments, "arch", arch, HB_MATCORE_LDS_ARCHS, "gfx942", "architecture"),
    HB_MATCORE_NUMBER(pad_arguments, "row-bytes", row_bytes, 4, HB_LDS_MAX_ROW_BYTES, "128",
                      "of a row of the tile"),
    HB_MATCORE_NUMBER(pad_arguments, "max", max, 0, HB_LDS_MAX_PAD_WORDS, "16",
                      "words of padding to try"),
    HB_MATCORE_NUMBER(pad_arguments, "rows", rows, 1, HB_LDS_LANES, "16",
                      "a lane takes row lane % rows"),
    HB_MATCORE_CHOICE(pad_arguments, "width", width, HB_MATCORE_WIDTHS, "b64",
                      "and a piece so wide, from piece lane / rows on"),
    HB_MATCORE_TEXT(pad_arguments, "instruction", instruction,
                    "or as an operand of it; then its rows and width"),
    HB_MATCORE_CHOICE(pad_arguments, "operand", operand, HB_MATCORE_OPERANDS, "A",
                      "of the instruction; D is written"),
    HB_MATCORE_CHOICE(pad_arguments, "row-access", row_access, "alike " HB_MATCORE_WIDTHS " none",
                      "alike", "the other way round, row by row; alike: as wide"),
    HB_MATCORE_FLAG(pad_arguments, "consecutive", consecutive, HB_MATCORE_CONSECUTIVE),
    HB_MATCORE_FLAG(pad_arguments, "csv", csv, "comma-separated, with a header")};

static const struct hb_matcore_usage pad_usage = {
    "Usage: helmbone-matcore lds pad [--NAME VALUE | --FLAG]...\n"
    "The smallest padding and the best XOR mask that are free of conflict, modelled.\n",
    {pad_rows, sizeof pad_rows / sizeof *pad_rows},
    NULL};

/* maps[0]: the fragments; the tile's rows come from the operand where one is named. */
static enum hb_status make_fragments(struct pad_arguments *given, struct hb_lds_map *map) {
  enum hb_status status = HB_OK;
  struct hb_matcore_instruction instruction;
  if (given->instruction[0] == '\0')
    return hb_lds_map_fragment(given->rows, given->row_bytes, 1 << given->width, map);
  HB_TRY(hb_matcore_find(given->instruction, "", &instruction));
  if (instruction.mfma == NULL)
    HB_FAIL(HB_BAD_INPUT, "--instruction %s; allowed: AMD's, v_mfma_...", given->instruction);
  HB_TRY(hb_lds_map_operand(instruction.mfma, (char)(HB_MATCORE_FIRST_OPERAND + given->operand),
                            given->row_bytes, map, &given->rows));
  given->width = map->dwords == HB_LDS_B64 ? 1 : 0;
done:
  return status;
}

static enum hb_status make_maps(struct pad_arguments *given, struct hb_lds_map *maps,
                                int *num_maps) {
  enum hb_status status = HB_OK;
  *num_maps = 1;
  maps[0].arch = maps[1].arch = given->arch;
  maps[0].consecutive = maps[1].consecutive = given->consecutive;
  HB_TRY(make_fragments(given, &maps[0]));
  if (given->row_access == ROWS_ALIKE) given->row_access = ROWS_FIRST_WIDTH + given->width;
  if (given->row_access == ROWS_NONE) return HB_OK;
  HB_TRY(hb_lds_map_rows(given->rows, given->row_bytes, 1 << (given->row_access - ROWS_FIRST_WIDTH),
                         &maps[1]));
  maps[1].write = !maps[0].write;
  *num_maps = 2;
done:
  return status;
}

static enum hb_status print_search(const struct pad_arguments *given, const struct hb_lds_map *maps,
                                   int num_maps) {
  enum hb_status status = HB_OK;
  struct hb_lds_layout swizzle;
  bool conflict_free = false;
  int words = -1;
  char row_access[16] = "none";
  if (num_maps > 1) snprintf(row_access, sizeof row_access, "b%d", 32 * maps[1].dwords);
  HB_TRY(hb_lds_find_pad(maps, num_maps, given->row_bytes, given->max, &words));
  HB_TRY(hb_lds_find_swizzle(maps, num_maps, given->row_bytes, &swizzle, &conflict_free));
  if (given->csv)
    puts("layout,words,shift,mask,fragment_misaligned,fragment_degree,fragment_cycles,"
         "rows_misaligned,rows_degree,rows_cycles,free");
  else
    printf("%s, %d rows of %d bytes; fragments %s by b%d%s, row by row: %s (modelled)\n"
           "%-18s  %22s%s\n",
           hb_lds_arch_name(given->arch), given->rows, given->row_bytes,
           maps[0].write ? "written" : "read", 32 << given->width,
           given->consecutive ? " in consecutive lanes" : "", row_access, "", "fragments",
           num_maps < 2    ? ""
           : maps[1].write ? "            writing rows"
                           : "            reading rows");
  for (int pad = 0; pad <= (words >= 0 ? words : given->max); pad++) {
    const struct hb_lds_layout layout = {.row_bytes = given->row_bytes, .pad_words = pad};
    HB_TRY(print_layout(maps, num_maps, &layout, given->csv));
  }
  HB_TRY(print_layout(maps, num_maps, &swizzle, given->csv));
  if (given->csv) return HB_OK;
  if (words >= 0)
    printf("smallest padding: %d words (%d bytes)\n", words, 4 * words);
  else
    printf("smallest padding: none up to %d words\n", given->max);
  if (swizzle.mask == 0)
    printf("best XOR mask: none %s\n", conflict_free ? "needed" : "helps");
  else
    printf("best XOR mask: %d-byte chunk ^ ((row >> %d) & %d)%s\n", swizzle.chunk_bytes,
           swizzle.shift, swizzle.mask, conflict_free ? "" : ", conflicts left");
done:
  return status;
}

enum hb_status hb_matcore_lds_pad(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct hb_lds_map *maps = NULL;
  struct pad_arguments given = {.csv = false};
  bool helped = false;
  int num_maps = 0;
  HB_TRY(hb_matcore_arguments(&pad_usage, argc, argv, &given, &helped));
  if (helped) goto done;
  HB_ALLOC(maps, 2, "lane maps");
  memset(maps, 0, 2 * sizeof *maps);
  HB_TRY(make_maps(&given, maps, &num_maps));
  HB_TRY(print_search(&given, maps, num_maps));
done:
  hb_free(maps);
  return status;
}
