/* SPDX-License-Identifier: BSD-3-Clause
 * LDS cycles of one element of the scalar kernels, and the swizzles known to be free of conflict.
 */
#include "kernels/element/mfma_cube.h"
#include "kernels/matcore/lds_staged.h"

/* An address: sum of coefficients times the thread's (i, j, k) and the term l. */
struct walk {
  int i, j, k, l;
};

/* Cycles of one access by threads first .. first + 63, those from `count` on masked. */
static int walk_cycles(int n, enum hb_precision precision, int first, int count,
                       const struct walk *walk, int l) {
  struct hb_lds_cost cost;
  struct hb_lds_access access = {.arch = HB_LDS_GFX90A,
                                 .dwords = precision == HB_F64 ? HB_LDS_B64 : HB_LDS_B32};
  for (int lane = 0; lane < HB_LDS_LANES; lane++) {
    const int p = first + lane;
    const int slot =
        walk->i * (p % n) + walk->j * (p / n % n) + walk->k * (p / n / n) + walk->l * l;
    access.address[lane] = p < count ? slot * 4 * access.dwords : HB_LDS_MASKED;
  }
  (void)hb_lds_access_cost(&access, &cost); /* widths and addresses are ours */
  return cost.cycles;
}

static enum hb_status check_n(int n) {
  enum hb_status status = HB_OK;
  if (n < 2 || n > HB_MAX_N) HB_FAIL(HB_BAD_INPUT, "n = %d; allowed: 2 to %d", n, HB_MAX_N);
done:
  return status;
}

/* The order of the threads is that of the points, so the size of the block does not matter. */
enum hb_status hb_lds_count_1d(int n, enum hb_precision precision, int *cycles) {
  enum hb_status status = HB_OK;
  const struct walk own = {1, n, n * n, 0};
  const struct walk terms[6] = {{1, 0, 0, n},     {0, n, n * n, 1}, {0, 1, 0, n},
                                {1, 0, n * n, n}, {0, 0, 1, n},     {1, n, 0, n * n}};
  int sum = 0;
  HB_TRY(check_n(n));
  for (int first = 0; first < n * n * n; first += HB_LDS_LANES) {
    sum += 4 * walk_cycles(n, precision, first, n * n * n, &own, 0);
    for (int l = 0; l < n; l++)
      for (int t = 0; t < 6; t++)
        sum += 2 * walk_cycles(n, precision, first, n * n * n, &terms[t], l);
  }
  *cycles = sum;
done:
  return status;
}

/* D(i,l) lies in i + n l.  The divergence reads D(l,i), D(l,j): strides n in i and j. */
enum hb_status hb_lds_count_kstep(int n, enum hb_precision precision, int *cycles) {
  enum hb_status status = HB_OK;
  const struct walk own = {1, n, 0, 0};
  const struct walk terms[10] = {
      {0, 0, 0, n}, {1, 0, 0, n}, {0, n, 0, 1}, {0, 1, 0, n}, {1, 0, 0, n},  /* gradient */
      {0, 0, 0, n}, {0, n, 0, 1}, {n, 0, 0, 1}, {1, 0, 0, n}, {0, n, 0, 1}}; /* divergence */
  int sum = 0;
  HB_TRY(check_n(n));
  for (int first = 0; first < n * n; first += HB_LDS_LANES) {
    sum += 3 * n * walk_cycles(n, precision, first, n * n, &own, 0);
    for (int l = 0; l < n; l++)
      for (int t = 0; t < 10; t++) sum += n * walk_cycles(n, precision, first, n * n, &terms[t], l);
  }
  *cycles = sum;
done:
  return status;
}

bool hb_lds_known_swizzle(int n, enum hb_precision precision, enum hb_matrix_tile tile,
                          struct hb_lds_swizzle *swizzle) {
  *swizzle = (struct hb_lds_swizzle){{{0}}};
  if (n > 8 || !hb_cube_has_swizzle(n, precision)) return false;
  if (precision == HB_F32 && !hb_lds_tile_has(tile, precision)) return false;
  for (int axis = 1; axis < 3; axis++)
    for (int bit = 0; bit < HB_LDS_INDEX_BITS; bit++)
      swizzle->mask[axis][bit] = hb_cube_mask(n, precision, tile, axis, bit);
  return true;
}
