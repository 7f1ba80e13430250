/* SPDX-License-Identifier: BSD-3-Clause
 * The vector passes on the host, one vector of the instruction set at a time.
 * Compiled per precision and instruction set. */
#include "kernels/vectors/vector_ops.h"

#include "kernels/simd.h"

/* Sums are kept in double, lane by lane, in two chains. */
typedef double hb_wide __attribute__((vector_size(HB_SIMD_LANES * 8)));
struct sum {
  hb_wide chain[2];
  double tail;
};

HB_INLINE void sum_add(struct sum *sum, int chain, hb_vec a, hb_vec b) {
  sum->chain[chain] += __builtin_convertvector(a, hb_wide) * __builtin_convertvector(b, hb_wide);
}

HB_INLINE double sum_total(const struct sum *sum) {
  const hb_wide lanes = sum->chain[0] + sum->chain[1];
  double total = 0.0;
  for (int lane = 0; lane < HB_SIMD_LANES; lane++) total += lanes[lane];
  return total + sum->tail;
}

/* One part of update_residual; `summed` and `cleared` say what applies to it. */
HB_INLINE void residual_part(ptrdiff_t begin, ptrdiff_t end, const bool summed, const bool cleared,
                             hb_real alpha, const hb_real *dinv, hb_real *w, hb_real *r,
                             struct sum *rr, struct sum *rz) {
  ptrdiff_t i = begin;
  for (int chain = 0; i + HB_SIMD_LANES <= end; i += HB_SIMD_LANES, chain ^= 1) {
    const hb_vec value = hb_vec_load(r + i) - alpha * hb_vec_load(w + i);
    hb_vec_store(r + i, value);
    if (cleared) hb_vec_store(w + i, (hb_vec){0});
    if (!summed) continue;
    sum_add(rr, chain, value, value);
    if (dinv != NULL) sum_add(rz, chain, value, value * hb_vec_load(dinv + i));
  }
  for (; i < end; i++) {
    r[i] -= alpha * w[i];
    if (cleared) w[i] = 0;
    if (!summed) continue;
    rr->tail += (double)r[i] * (double)r[i];
    if (dinv != NULL) rz->tail += (double)r[i] * (double)(r[i] * dinv[i]);
  }
}

static void update_residual(hb_local count, hb_local owned, hb_local surface_start, double alpha,
                            const void *dinv, void *w, void *r, double sums[2]) {
  struct sum rr = {0}, rz = {0};
  const hb_real step = (hb_real)alpha;
  HB_ASSERT(surface_start <= owned && owned <= count);
  residual_part(0, surface_start, true, false, step, dinv, w, r, &rr, &rz);
  residual_part(surface_start, owned, true, true, step, dinv, w, r, &rr, &rz);
  residual_part(owned, count, false, true, step, dinv, w, r, &rr, &rz);
  sums[0] = sum_total(&rr);
  sums[1] = dinv != NULL ? sum_total(&rz) : sums[0];
}

HB_INLINE void direction_part(ptrdiff_t count, hb_real alpha, hb_real beta, const bool has_dinv,
                              const hb_real *dinv, const hb_real *r, hb_real *p, hb_real *x) {
  ptrdiff_t i = 0;
  for (; i + HB_SIMD_LANES <= count; i += HB_SIMD_LANES) {
    const hb_vec old = hb_vec_load(p + i);
    hb_vec z = hb_vec_load(r + i);
    if (has_dinv) z *= hb_vec_load(dinv + i);
    hb_vec_store(x + i, hb_vec_load(x + i) + alpha * old);
    hb_vec_store(p + i, z + beta * old);
  }
  for (; i < count; i++) {
    const hb_real old = p[i];
    x[i] += alpha * old;
    p[i] = (has_dinv ? dinv[i] * r[i] : r[i]) + beta * old;
  }
}

static void update_direction(hb_local count, double alpha, double beta, const void *dinv,
                             const void *r, void *p, void *x) {
  if (dinv != NULL)
    direction_part(count, (hb_real)alpha, (hb_real)beta, true, dinv, r, p, x);
  else
    direction_part(count, (hb_real)alpha, (hb_real)beta, false, NULL, r, p, x);
}

static void add_scaled(hb_local count, double alpha, const void *x_in, void *y_in) {
  const hb_real *x = x_in, scale = (hb_real)alpha;
  hb_real *y = y_in;
  for (ptrdiff_t i = 0; i < count; i++) y[i] += scale * x[i];
}

static double dot(hb_local owned, const void *x_in, const void *y_in) {
  const hb_real *x = x_in, *y = y_in;
  struct sum xy = {0};
  ptrdiff_t i = 0;
  for (int chain = 0; i + HB_SIMD_LANES <= owned; i += HB_SIMD_LANES, chain ^= 1)
    sum_add(&xy, chain, hb_vec_load(x + i), hb_vec_load(y + i));
  for (; i < owned; i++) xy.tail += (double)x[i] * (double)y[i];
  return sum_total(&xy);
}

static void compare_residual(hb_local owned, const void *b_in, const void *w_in, const void *r_in,
                             double sums[2]) {
  const hb_real *b = b_in, *w = w_in, *r = r_in;
  sums[0] = sums[1] = 0.0;
  for (ptrdiff_t i = 0; i < owned; i++) {
    const double residual = (double)b[i] - (double)w[i], drift = residual - (double)r[i];
    sums[0] += residual * residual;
    sums[1] += drift * drift;
  }
}

static void from_double(hb_local count, const double *x, void *y_out) {
  hb_real *y = y_out;
  for (ptrdiff_t i = 0; i < count; i++) y[i] = (hb_real)x[i];
}

static void to_double(hb_local count, const void *x_in, double *y) {
  const hb_real *x = x_in;
  for (ptrdiff_t i = 0; i < count; i++) y[i] = (double)x[i];
}

static void invert(hb_local count, void *d_in) {
  hb_real *d = d_in;
  for (ptrdiff_t i = 0; i < count; i++) d[i] = 1 / d[i];
}

static void set_at(hb_local count, const hb_local *index, double value, void *w_in) {
  hb_real *w = w_in;
  for (hb_local s = 0; s < count; s++) w[index[s]] = (hb_real)value;
}

const struct hb_vector_ops HB_ISA_NAME(hb_vector_ops) = {
    .update_residual = update_residual,
    .update_direction = update_direction,
    .add_scaled = add_scaled,
    .dot = dot,
    .compare_residual = compare_residual,
    .from_double = from_double,
    .to_double = to_double,
    .invert = invert,
    .set_at = set_at,
};
