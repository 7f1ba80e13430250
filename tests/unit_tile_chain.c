/* SPDX-License-Identifier: BSD-3-Clause
 * Chaining of results into operands: which instructions can, under which permutation, and that the
 * registers then hold what the contraction takes. */
#include <string.h>

#include "kernels/matcore/mfma_layout.h"
#include "kernels/matcore/tcgen05_layout.h"
#include "kernels/matcore/tile_chain.h"
#include "tests/check.h"

/* In every lane the registers of a step are the operand's elements, and all of D is used once. */
static void check_chain(struct hb_check *check, const struct hb_tile_layout *d,
                        const struct hb_tile_layout *x, char operand, bool transposed,
                        const struct hb_tile_chain *chain) {
  const int free = operand == 'A' ? HB_TILE_ROW : HB_TILE_COL,
            sum = HB_TILE_ROW + HB_TILE_COL - free;
  const int d_free = transposed ? sum : free, d_sum = transposed ? free : sum;
  bool used[1024] = {false};
  for (int step = 0; step < chain->steps; step++)
    for (int t = 0; t < x->slots; t++) {
      const int from = chain->slot[step][t], tile = from / d->slots;
      CHECK(check, from >= 0 && !used[from]);
      used[from] = true;
      for (int lane = 0; lane < x->lanes; lane++) {
        struct hb_tile_element have, want;
        CHECK_OK(check, hb_tile_element(d, (struct hb_tile_place){lane, from % d->slots}, &have));
        CHECK_OK(check, hb_tile_element(x, (struct hb_tile_place){lane, t}, &want));
        CHECK_EQUAL(check, have.at[HB_TILE_BLOCK], want.at[HB_TILE_BLOCK]);
        CHECK_EQUAL(check, have.at[d_free], want.at[free] + chain->shift[step]);
        CHECK_EQUAL(check, tile * d->extent[d_sum] + have.at[d_sum],
                    chain->index[step][want.at[sum]]);
      }
    }
  for (int r = 0; r < chain->tiles * d->slots; r++) CHECK(check, used[r]);
}

struct chain_case {
  const char *name;
  const char *possible; /* four letters y or n: A from D, A from D^T, B from D, B from D^T */
};

static const struct chain_case cases[] = {
    {"v_mfma_f32_32x32x1f32", "nnnn"},   {"v_mfma_f32_16x16x1f32", "nnnn"},
    {"v_mfma_f32_4x4x1f32", "nyyn"},     {"v_mfma_f32_32x32x2f32", "nyyn"},
    {"v_mfma_f32_16x16x4f32", "nyyn"},   {"v_mfma_f64_16x16x4f64", "nyyn"},
    {"v_mfma_f64_4x4x4f64", "nyyn"},     {"v_mfma_f32_16x16x8_xf32", "nyyn"},
    {"v_mfma_f32_32x32x4_xf32", "nyyn"}, {"mma.sync.m8n8k4.f64", "ynny"},
    {"mma.sync.m16n8k4.f64", "ynny"},    {"mma.sync.m16n8k8.f64", "ynny"},
    {"mma.sync.m16n8k16.f64", "ynny"},
};

static struct hb_tile_layout layout_of(const char *name, char operand) {
  const struct hb_mfma *mfma = hb_mfma_find(name);
  if (mfma != NULL) return hb_mfma_layout(mfma, operand);
  return hb_mma_sync_layout(hb_mma_sync_find(name), operand);
}

static void check_cases(struct hb_check *check) {
  static struct hb_tile_chain chain;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (int c = 0; c < 4; c++) {
      const char operand = "AABB"[c];
      const struct hb_tile_layout d = layout_of(cases[i].name, 'D');
      const struct hb_tile_layout x = layout_of(cases[i].name, operand);
      hb_tile_chain_find(&d, &x, operand, c % 2 == 1, &chain);
      CHECK_EQUAL(check, chain.possible, cases[i].possible[c] == 'y');
      CHECK_EQUAL(check, chain.reason != NULL, !chain.possible);
      if (chain.possible) check_chain(check, &d, &x, operand, c % 2 == 1, &chain);
      if (chain.possible != (cases[i].possible[c] == 'y'))
        printf("%s case %d: %s\n", cases[i].name, c, chain.reason == NULL ? "yes" : chain.reason);
    }
}

/* The permutations by hand: f64 in order, f32 4 k + step, NVIDIA's 2 k + step. */
static void check_permutations(struct hb_check *check) {
  static struct hb_tile_chain chain;
  static const struct {
    const char *name;
    int times_k, times_step;
  } expected[] = {{"v_mfma_f64_16x16x4f64", 1, 4},
                  {"v_mfma_f32_16x16x4f32", 4, 1},
                  {"mma.sync.m8n8k4.f64", 2, 1}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    const char operand = i < 2 ? 'B' : 'A';
    const struct hb_tile_layout d = layout_of(expected[i].name, 'D');
    const struct hb_tile_layout x = layout_of(expected[i].name, operand);
    hb_tile_chain_find(&d, &x, operand, false, &chain);
    CHECK_EQUAL(check, chain.steps, i < 2 ? 4 : 2);
    for (int step = 0; step < chain.steps; step++)
      for (int k = 0; k < 4; k++)
        CHECK_EQUAL(check, chain.index[step][k],
                    expected[i].times_k * k + expected[i].times_step * step);
  }
}

/* tf32 in tensor memory: D is the next A where there is one bank. */
static void check_tensor_memory(struct hb_check *check) {
  static struct hb_tile_chain chain;
  struct hb_tcgen05 x = {0};
  for (int banked = 0; banked < 2; banked++) {
    CHECK_OK(check,
             hb_tcgen05_parse(
                 banked ? "tcgen05.mma.ws.m64n128k8.tf32" : "tcgen05.mma.m128n256k8.tf32", &x));
    const struct hb_tile_layout d = hb_tcgen05_tensor_layout(&x, 'D');
    const struct hb_tile_layout a = hb_tcgen05_tensor_layout(&x, 'A');
    hb_tile_chain_find(&d, &a, 'A', false, &chain);
    CHECK_EQUAL(check, chain.possible, !banked);
    if (chain.possible) check_chain(check, &d, &a, 'A', false, &chain);
  }
}

int main(void) {
  struct hb_check check = {0, 0};
  check_cases(&check);
  check_permutations(&check);
  check_tensor_memory(&check);
  return hb_check_finish(&check);
}
