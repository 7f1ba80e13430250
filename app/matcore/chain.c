/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore chain: can a result be the next operand where it is, and in which order of k. */
#include <stdio.h>

#include "app/matcore/arguments.h"
#include "app/matcore/commands.h"
#include "kernels/matcore/tile_chain.h"

static const struct {
  char operand;
  bool transposed;
  const char *equation;
} cases[] = {{'A', false, "a[i][k] = d[i][index]"},
             {'A', true, "a[i][k] = d[index][i]"},
             {'B', false, "b[k][j] = d[index][j]"},
             {'B', true, "b[k][j] = d[j][index]"}};

enum { NUM_CASES = sizeof cases / sizeof cases[0] };

/* Is index[step][k] = a step + b k? */
static bool is_affine(const struct hb_tile_chain *chain, int k, int *a, int *b) {
  *b = k > 1 ? chain->index[0][1] - chain->index[0][0] : 0;
  *a = chain->steps > 1 ? chain->index[1][0] - chain->index[0][0] : 0;
  for (int step = 0; step < chain->steps; step++)
    for (int i = 0; i < k; i++)
      if (chain->index[step][i] != chain->index[0][0] + *a * step + *b * i) return false;
  return chain->index[0][0] == 0;
}

static void print_factor(int factor, const char *words) {
  if (factor > 1) printf(" %d", factor);
  printf(" %s", words);
}

static void print_steps(const struct hb_tile_chain *chain, const struct hb_tile_layout *result,
                        const struct hb_tile_layout *layout, char operand) {
  const int k = layout->extent[operand == 'A' ? HB_TILE_COL : HB_TILE_ROW];
  int a = 0, b = 0;
  if (is_affine(chain, k, &a, &b)) {
    printf("    index =");
    if (a > 0) print_factor(a, b > 0 ? "step +" : "step");
    if (b > 0) print_factor(b, "k");
    printf("%s\n", b == 1 || k == 1 ? " (in order)" : "");
  }
  if (chain->tiles > 1) printf("    %d results side by side make one operand\n", chain->tiles);
  for (int step = 0; step < chain->steps; step++) {
    printf("    step %2d: slots", step);
    for (int t = 0; t < layout->slots; t++) {
      if (chain->tiles > 1)
        printf(" %d/%d", chain->slot[step][t] / result->slots,
               chain->slot[step][t] % result->slots);
      else
        printf(" %d", chain->slot[step][t]);
    }
    printf("; k = 0..%d is index", k - 1);
    for (int i = 0; i < k; i++) printf(" %d", chain->index[step][i]);
    if (chain->shift[step] > 0)
      printf("; %s from %d", operand == 'A' ? "rows" : "columns", chain->shift[step]);
    printf("\n");
  }
}

static void print_csv(const struct hb_tile_chain *chain, const struct hb_tile_layout *layout,
                      char operand, bool transposed) {
  const int k = layout->extent[operand == 'A' ? HB_TILE_COL : HB_TILE_ROW];
  if (!chain->possible) printf("%c,%d,0,,,\n", operand, transposed);
  for (int step = 0; chain->possible && step < chain->steps; step++)
    for (int i = 0; i < k; i++)
      printf("%c,%d,1,%d,%d,%d\n", operand, transposed, step, i, chain->index[step][i]);
}

/* The first lane that does not hold in slot 0 what the operand wants there. */
static void print_evidence(const struct hb_tile_layout *result, const struct hb_tile_layout *layout,
                           char operand, bool transposed) {
  const enum hb_tile_axis free = operand == 'A' ? HB_TILE_ROW : HB_TILE_COL;
  const enum hb_tile_axis held = (operand == 'A') != transposed ? HB_TILE_ROW : HB_TILE_COL;
  if (result->lanes != layout->lanes) return;
  for (int lane = 0; lane < layout->lanes; lane++) {
    struct hb_tile_element have, want;
    const struct hb_tile_place place = {lane, 0};
    if (hb_tile_element(result, place, &have) != HB_OK ||
        hb_tile_element(layout, place, &want) != HB_OK) {
      hb_error_clear(); /* a lane that holds nothing */
      return;
    }
    if (have.at[HB_TILE_BLOCK] == want.at[HB_TILE_BLOCK] && have.at[held] == want.at[free])
      continue;
    printf(
        "    lane %d, slot 0: holds block %d, row %d, column %d of D; %c wants block %d, %s %d\n",
        lane, have.at[HB_TILE_BLOCK], have.at[HB_TILE_ROW], have.at[HB_TILE_COL], operand,
        want.at[HB_TILE_BLOCK], free == HB_TILE_ROW ? "row" : "column", want.at[free]);
    return;
  }
}

/* Cells of D are 32 bits wide, elements of A maybe not. */
static const char *cell_obstacle(const struct hb_matcore_instruction *x, char operand) {
  if (x->family != HB_MATCORE_TCGEN05) return NULL;
  if (operand == 'B') return "B comes from shared memory";
  return x->tcgen05.bits < 32 ? "D has 32-bit cells, A packs its elements" : NULL;
}

static enum hb_status print_case(const struct hb_matcore_instruction *x, int c, bool csv) {
  enum hb_status status = HB_OK;
  const char operand = cases[c].operand;
  struct hb_tile_layout result, layout;
  struct hb_tile_chain chain = {.possible = false, .reason = cell_obstacle(x, operand)};
  HB_TRY(hb_matcore_operand(x, 'D', &result));
  layout = result;
  if (chain.reason == NULL) {
    HB_TRY(hb_matcore_operand(x, operand, &layout));
    hb_tile_chain_find(&result, &layout, operand, cases[c].transposed, &chain);
  }
  if (csv) {
    print_csv(&chain, &layout, operand, cases[c].transposed);
    goto done;
  }
  printf("D%s as the next %c, %s: ", cases[c].transposed ? "^T" : "", operand, cases[c].equation);
  if (chain.possible) {
    printf("yes, no data moves\n");
    print_steps(&chain, &result, &layout, operand);
  } else {
    printf("no: %s\n", chain.reason);
    if (cell_obstacle(x, operand) == NULL)
      print_evidence(&result, &layout, operand, cases[c].transposed);
  }
done:
  return status;
}

/* Runs of columns that two issues of half of N would compute where the one issue has others. */
static void print_split(const struct hb_tcgen05 *x) {
  const int half = x->n / 2, banks = hb_tcgen05_banks(x), run = half / banks;
  if (banks == 1 || !x->stationary) return;
  printf("split N: two issues of N = %d fill the cells of this one, but are not it\n", half);
  for (int issue = 0; issue < 2; issue++)
    for (int bank = 0; bank < banks; bank++) {
      const int from = hb_tcgen05_split_column(x, issue, bank * run);
      printf("    issue %d, its columns %d..%d: cells of columns %d..%d%s\n", issue, bank * run,
             (bank + 1) * run - 1, from, from + run - 1,
             from == issue * half + bank * run ? "" : " (B has to be prepared)");
    }
}

struct arguments {
  char instruction[HB_MATCORE_NAME_BYTES], architecture[HB_MATCORE_NAME_BYTES];
  bool csv;
};

static const struct hb_option rows[] = {
    HB_MATCORE_WORD(arguments, instruction, "by name, as list has it"),
    HB_MATCORE_FLAG(arguments, "csv", csv, "operand,transposed,possible,step,k,index"),
    HB_MATCORE_TEXT(arguments, "arch", architecture, "an architecture that must have it")};

static const struct hb_matcore_usage usage = {
    "Usage: helmbone-matcore chain INSTRUCTION [--NAME VALUE | --FLAG]...\n"
    "Can the result be the next operand where it is, and in which order of k?\n",
    {rows, sizeof rows / sizeof *rows},
    NULL};

int hb_matcore_chain(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct hb_matcore_instruction x;
  struct arguments given = {.csv = false};
  bool helped = false;
  HB_TRY(hb_matcore_arguments(&usage, argc, argv, &given, &helped));
  if (helped) goto done;
  HB_TRY(hb_matcore_find(given.instruction, given.architecture, &x));
  if (given.csv)
    printf("operand,transposed,possible,step,k,index\n");
  else
    printf("%s: the order of the contraction index is free, if A and B agree on it\n", x.name);
  for (int c = 0; c < NUM_CASES; c++) HB_TRY(print_case(&x, c, given.csv));
  if (!given.csv && x.family == HB_MATCORE_TCGEN05) print_split(&x.tcgen05);
done:
  return (int)status;
}
