/* SPDX-License-Identifier: BSD-3-Clause
 * Can a result serve as an operand of the next instruction, in the registers where it is?
 *
 * The order of a contraction index is free: sum_k a[i][k] b[k][j] may take k in any order, if a and
 * b agree.  So registers of a result D are an operand, without moving data, if in every lane they
 * hold the block and the row (A) or column (B) that the operand wants, and the other index of D is
 * a function of the K-step and of k alone.  That function is the permutation.
 *
 *     A from D:    a[i][k] = d[i][index[step][k]]      A from D^T:  a[i][k] = d[index[step][k]][i]
 *     B from D:    b[k][j] = d[index[step][k]][j]      B from D^T:  b[k][j] = d[j][index[step][k]]
 *
 * If the result is wider than the operand, a step is for rows or columns shift[step] + 0, 1, ...;
 * if K is longer than the index of D, a step takes `tiles` results, one after the other. */
#ifndef HB_KERNELS_MATCORE_TILE_CHAIN_H
#define HB_KERNELS_MATCORE_TILE_CHAIN_H

#include "kernels/matcore/tile_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HB_CHAIN_MAX_STEPS = 32, HB_CHAIN_MAX_K = 32 };

struct hb_tile_chain {
  bool possible;
  int tiles, steps;
  int slot[HB_CHAIN_MAX_STEPS][HB_CHAIN_MAX_K]; /* [step][slot of the operand]: tile slots + slot */
  int index[HB_CHAIN_MAX_STEPS][HB_CHAIN_MAX_K]; /* [step][k] */
  int shift[HB_CHAIN_MAX_STEPS];                 /* [step] */
  const char *reason;                            /* if not possible */
};

/* `operand` is A or B; `layout` is its layout, `result` that of D; lanes and blocks have to agree,
 * else it is not possible. */
void hb_tile_chain_find(const struct hb_tile_layout *result, const struct hb_tile_layout *layout,
                        char operand, bool transposed, struct hb_tile_chain *chain);

#ifdef __cplusplus
}
#endif

#endif
