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
                                     struct hb_lds_swizzle *own) {
  enum hb_status status = HB_OK;
  if (strcmp(text, "known") != 0) {
    HB_TRY(parse_rules(text, own));
    staged->swizzle = own;
    return HB_OK;
  }
  staged->swizzle = hb_lds_known_swizzle(staged->n, staged->precision, staged->tile);
  if (staged->swizzle == NULL)
    HB_FAIL(HB_BAD_INPUT, "--xor known: none for n = %d in %s; known: f64 n = 4, 8; f32 n = 8",
            staged->n, staged->precision == HB_F64 ? "f64" : "f32");
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
           staged->n, staged->precision == HB_F64 ? "f64" : "f32", hb_lds_tile_name(staged->tile),
           staged->pad, staged->swizzle != NULL ? ", XOR" : "", staged->wavefronts,
           staged->wavefronts > 1 ? "s" : "");
  for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++)
    printf(csv ? "%s,%g\n" : "%-20s%9g\n", lines[l].name,
           (double)lines[l].cycles / cycles->elements);
  if (!csv)
    printf("worst degree of B reads along axis 0, 1, 2: %d %d %d\n", cycles->axis_degree[0],
           cycles->axis_degree[1], cycles->axis_degree[2]);
}

enum hb_status hb_matcore_lds_staged(int argc, char **argv) {
  enum hb_status status = HB_OK;
  const char *words[3], *xor_rules = NULL;
  int num_words = 0, n = 0, pad = 0, wavefronts = 1, linear = HB_LDS_LINEAR_PASSES;
  bool csv = false, accumulate = false, reread = false;
  enum hb_precision precision = HB_F64;
  enum hb_lds_tile tile = HB_TILE_4X4X4;
  struct hb_lds_swizzle own;
  struct hb_lds_staged_cycles cycles;
  const struct hb_matcore_option options[] = {{"--pad", NULL, &pad, NULL, 0, HB_LDS_MAX_PAD},
                                              {"--wavefronts", NULL, &wavefronts, NULL, 1, 16},
                                              {"--linear", NULL, &linear, NULL, 0, 99},
                                              {.name = "--accumulate", .flag = &accumulate},
                                              {.name = "--reread-b", .flag = &reread},
                                              {.name = "--xor", .word = &xor_rules},
                                              {.name = "--csv", .flag = &csv}};
  HB_TRY(hb_matcore_parse(argc, argv, options, 7, words, 3, &num_words));
  if (num_words < 3)
    HB_FAIL(HB_BAD_INPUT, "staged takes three arguments: N f64|f32 4x4x4|4x4x1|16x16x4; %d given",
            num_words);
  HB_TRY(hb_matcore_number(words[0], "n", 2, HB_MAX_N, &n));
  HB_TRY(hb_matcore_precision(words[1], &precision));
  if (!hb_lds_tile_find(words[2], &tile))
    HB_FAIL(HB_BAD_INPUT, "tile: '%s'; allowed: 4x4x4, 4x4x1, 16x16x4", words[2]);
  struct hb_lds_staged staged = hb_lds_staged_of(n, precision, tile);
  staged.pad = pad;
  staged.wavefronts = wavefronts;
  staged.linear_passes = linear;
  staged.accumulate_reads = accumulate;
  staged.reread_b = reread;
  if (xor_rules != NULL) HB_TRY(choose_swizzle(xor_rules, &staged, &own));
  HB_TRY(hb_lds_staged_count(&staged, &cycles));
  print_staged(&staged, &cycles, csv);
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

struct pad_arguments {
  const char *arch, *width, *row_access, *instruction, *operand;
  int rows, row_bytes, max;
  bool consecutive, csv;
};

/* maps[0]: the fragments; the tile's rows come from the operand where one is named. */
static enum hb_status make_fragments(struct pad_arguments *given, struct hb_lds_map *map) {
  enum hb_status status = HB_OK;
  struct hb_matcore_instruction instruction;
  int dwords = 0;
  char operand = 'A';
  if (given->instruction == NULL) {
    HB_TRY(hb_matcore_lds_width(given->width, &dwords));
    return hb_lds_map_fragment(given->rows, given->row_bytes, dwords, map);
  }
  HB_TRY(hb_matcore_find(given->instruction, NULL, &instruction));
  if (instruction.mfma == NULL)
    HB_FAIL(HB_BAD_INPUT, "--instruction %s; allowed: AMD's, v_mfma_...", given->instruction);
  HB_TRY(hb_matcore_operand_letter(given->operand, &operand));
  HB_TRY(hb_lds_map_operand(instruction.mfma, operand, given->row_bytes, map, &given->rows));
  given->width = map->dwords == HB_LDS_B64 ? "b64" : "b32";
done:
  return status;
}

static enum hb_status make_maps(struct pad_arguments *given, struct hb_lds_map *maps,
                                int *num_maps) {
  enum hb_status status = HB_OK;
  int dwords = 0;
  *num_maps = 1;
  if (!hb_lds_arch_find(given->arch, &maps[0].arch))
    HB_FAIL(HB_BAD_INPUT, "architecture: '%s'; allowed: gfx90a, gfx942, gfx950", given->arch);
  maps[1].arch = maps[0].arch;
  maps[0].consecutive = maps[1].consecutive = given->consecutive;
  HB_TRY(make_fragments(given, &maps[0]));
  if (given->row_access == NULL) given->row_access = given->width;
  if (strcmp(given->row_access, "none") == 0) return HB_OK;
  HB_TRY(hb_matcore_lds_width(given->row_access, &dwords));
  HB_TRY(hb_lds_map_rows(given->rows, given->row_bytes, dwords, &maps[1]));
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
  HB_TRY(hb_lds_find_pad(maps, num_maps, given->row_bytes, given->max, &words));
  HB_TRY(hb_lds_find_swizzle(maps, num_maps, given->row_bytes, &swizzle, &conflict_free));
  if (given->csv)
    puts("layout,words,shift,mask,fragment_misaligned,fragment_degree,fragment_cycles,"
         "rows_misaligned,rows_degree,rows_cycles,free");
  else
    printf("%s, %d rows of %d bytes; fragments %s by %s%s, row by row: %s (modelled)\n"
           "%-18s  %22s%s\n",
           given->arch, given->rows, given->row_bytes, maps[0].write ? "written" : "read",
           given->width, given->consecutive ? " in consecutive lanes" : "", given->row_access, "",
           "fragments",
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
  struct pad_arguments given = {"gfx942", "b64", NULL, NULL, "A", 16, 128, 16, false, false};
  const char *none = NULL;
  int words = 0, num_maps = 0;
  const struct hb_matcore_option options[] = {
      {.name = "--arch", .word = &given.arch},
      {.name = "--width", .word = &given.width},
      {.name = "--row-access", .word = &given.row_access},
      {.name = "--instruction", .word = &given.instruction},
      {.name = "--operand", .word = &given.operand},
      {"--rows", NULL, &given.rows, NULL, 1, HB_LDS_LANES},
      {"--row-bytes", NULL, &given.row_bytes, NULL, 4, HB_LDS_MAX_ROW_BYTES},
      {"--max", NULL, &given.max, NULL, 0, HB_LDS_MAX_PAD_WORDS},
      {.name = "--consecutive", .flag = &given.consecutive},
      {.name = "--csv", .flag = &given.csv}};
  HB_TRY(hb_matcore_parse(argc, argv, options, 10, &none, 0, &words));
  HB_ALLOC(maps, 2, "lane maps");
  memset(maps, 0, 2 * sizeof *maps);
  HB_TRY(make_maps(&given, maps, &num_maps));
  HB_TRY(print_search(&given, maps, num_maps));
done:
  hb_free(maps);
  return status;
}
