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

/* Where a lane reads or writes: its element's, row's and column's share, and the term's. */
struct plane_walk {
  int element, j, i, m;
};

/* Cycles of one access by all waves of a block. */
static int plane_cycles(int n, int elements, enum hb_precision precision,
                        const struct plane_walk *walk, int m) {
  int sum = 0;
  for (int first = 0; first < elements * n * n; first += HB_LDS_LANES) {
    struct hb_lds_cost cost;
    struct hb_lds_access access = {.arch = HB_LDS_GFX90A,
                                   .dwords = precision == HB_F64 ? HB_LDS_B64 : HB_LDS_B32};
    for (int lane = 0; lane < HB_LDS_LANES; lane++) {
      const int last = elements * n * n - 1, p = first + lane < last ? first + lane : last;
      const int slot =
          walk->element * (p / (n * n)) + walk->j * (p / n % n) + walk->i * (p % n) + walk->m * m;
      access.address[lane] = slot * 4 * access.dwords;
    }
    (void)hb_lds_access_cost(&access, &cost); /* widths and addresses are ours */
    sum += cost.cycles;
  }
  return sum;
}

static int whole_waves(int points) {
  return (points + HB_LDS_LANES - 1) / HB_LDS_LANES * HB_LDS_LANES;
}

/* Of a block, as hb_kstep_layout (helmholtz/block_layouts.h) chooses them. */
static int kstep_elements(int n) {
  const int least = n == 2 ? 224 : 56, plane = n * n;
  int best = 1;
  for (int e = 1; e <= 64 && whole_waves(e * plane) <= 256; e++) {
    const int threads = whole_waves(e * plane), idle = threads - e * plane;
    const int most = whole_waves(best * plane);
    if (e * plane >= least && 8 * idle <= threads) return e;
    if (idle * most < (most - best * plane) * threads) best = e;
  }
  return best;
}

enum hb_status hb_lds_count_kstep_planes(int n, enum hb_precision precision, int planes,
                                         int *cycles) {
  enum hb_status status = HB_OK;
  const int row = n | 1, cube = planes * n * row;
  const int elements = kstep_elements(n);
  const struct plane_walk own = {cube, row, 1, 0}, along_i = {cube, row, 0, 1},
                          along_j = {cube, 0, 1, row};
  const struct plane_walk d[4] = {
      {0, 0, row, 1}, {0, row, 0, 1}, {0, 0, 1, row}, {0, 1, 0, row}}; /* D[i][m] .. D[m][j] */
  int of_plane = 0, of_d = 0;
  HB_TRY(check_n(n));
  if (planes < 1 || planes > n) HB_FAIL(HB_BAD_INPUT, "planes = %d; allowed: 1 to n", planes);
  of_plane += 3 * plane_cycles(n, elements, precision, &own, 0);
  for (int m = 0; m < n; m++) {
    of_plane += 2 * plane_cycles(n, elements, precision, &along_i, m);
    of_plane += 2 * plane_cycles(n, elements, precision, &along_j, m);
    for (int q = 0; q < 4; q++) of_d += plane_cycles(n, elements, precision, &d[q], m);
  }
  *cycles = (n * of_plane + (n + planes - 1) / planes * of_d) / elements;
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
