/* SPDX-License-Identifier: BSD-3-Clause
 * Assembly by lists, and the vector passes of a conjugate gradient solve that go with it.
 * Compiled per precision. */
#include "kernels/launch.h"
#include "kernels/real.h"
#include "kernels/vectors/assembly.h"
#include "kernels/vectors/step_direction.h"

enum { THREADS = 256, ITEMS = 2, MOST_BLOCKS = HB_ASSEMBLY_PARTIALS / 2 };
static_assert(HB_STEP_MOST_POINTS <= MOST_BLOCKS * THREADS * ITEMS, "a tile a block");

/* Points are handed out in tiles of THREADS * ITEMS, block after block. */
static hb_local blocks_for(hb_local count) {
  const hb_local tiles = (count - 1) / (THREADS * ITEMS) + 1;
  return tiles < MOST_BLOCKS ? tiles : MOST_BLOCKS;
}

/* The lists of hb_assembly_lists with the values they pick. */
template <typename real> struct list_sum {
  const hb_local *pair, *extra;
  const real *surface;

  /* (Q'y)(s) = y(first term) + y(second term) + ... */
  __device__ real at(hb_local s, bool masked) const {
    const hb_local a = pair[2 * static_cast<ptrdiff_t>(s)];
    const hb_local b = pair[2 * static_cast<ptrdiff_t>(s) + 1];
    if (masked && a < 0) return 0;
    const hb_local first = a < 0 ? -1 - a : a;
    if (b >= 0) return surface[first] + surface[b];
    if (b == -1) return surface[first];
    real sum = surface[extra[first]];
    for (hb_local q = 1; q < -b; q++) sum += surface[extra[first + q]];
    return sum;
  }
};

/* The same at points that ranks share: this rank's sum among those received, in rank order. */
template <typename real> struct rank_sum {
  list_sum<real> own;
  const hb_local *start, *source;
  const real *received;

  __device__ real at(hb_local shared, hb_local s, bool masked) const {
    const real mine = own.at(s, masked);
    if (masked && own.pair[2 * static_cast<ptrdiff_t>(s)] < 0) return 0;
    real sum = 0;
    for (hb_local q = start[shared]; q < start[shared + 1]; q++)
      sum += source[q] < 0 ? mine : received[source[q]];
    return sum;
  }
};

template <typename real>
static rank_sum<real> make_sums(const struct hb_device_assembly *assembly) {
  const list_sum<real> own = {assembly->d_pair, assembly->d_extra,
                              static_cast<const real *>(assembly->d_surface)};
  return {own, assembly->d_source_start, assembly->d_source,
          static_cast<const real *>(assembly->d_received)};
}

template <typename real>
__global__ void __launch_bounds__(THREADS)
    hb_pack(list_sum<real> sums, hb_local surface_start, hb_local count, const hb_local *index,
            real *send) {
  const int64_t q = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (q < count) send[q] = sums.at(index[q] - surface_start, false);
}

template <typename real>
__global__ void __launch_bounds__(THREADS)
    hb_store(rank_sum<real> sums, hb_local surface_start, hb_local begin, hb_local end, bool shared,
             bool masked, real *w) {
  const int64_t wanted = begin + static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (wanted >= end) return;
  const hb_local point = static_cast<hb_local>(wanted), s = point - surface_start;
  w[point] = shared ? sums.at(point - begin, s, masked) : sums.own.at(s, masked);
}

/* Two sums of a block, in a fixed order, to its pair of partial sums. */
__device__ static void store_pair(double rr, double rz, double *partials) {
  __shared__ double s_sums[2][THREADS / HB_WAVE];
  const int thread = static_cast<int>(threadIdx.x);
  rr = hb_block_sum(rr, thread, THREADS, s_sums[0]);
  rz = hb_block_sum(rz, thread, THREADS, s_sums[1]);
  if (thread != 0) return;
  partials[2 * static_cast<ptrdiff_t>(blockIdx.x)] = rr;
  partials[2 * static_cast<ptrdiff_t>(blockIdx.x) + 1] = rz;
}

/* A residual pass over points [begin, end): r -= alpha w; sums over those before `owned`. */
template <typename real> struct residual_pass {
  hb_local begin, end, surface_start, owned;
  real alpha;
  hb_device_steps steps; /* d_step NULL, or where alpha is instead */
  hb_local num_products; /* partial sums of p.Ap, from which alpha is formed; 0: it is there */
  const double *products;
  const real *dinv, *w;
  real *r;
};

/* ITEMS points of a thread, THREADS apart; behind the last one it stands again. */
template <typename real> struct residual_items {
  int64_t first;
  hb_local a[ITEMS], b[ITEMS]; /* of points of this rank alone: where w is */
  real w[ITEMS], r[ITEMS], dinv[ITEMS];

  __device__ int64_t point(const residual_pass<real> &pass, int t) const {
    const int64_t wanted = first + t * THREADS;
    return wanted < pass.end ? wanted : pass.end - 1;
  }
};

/* What no launch writes: entries of the lists, dinv. */
template <bool SHARED, typename real>
__device__ static void load_constants(const residual_pass<real> &pass, const list_sum<real> &sums,
                                      residual_items<real> &items) {
#pragma unroll
  for (int t = 0; t < ITEMS; t++) {
    const int64_t point = items.point(pass, t), s = point - pass.surface_start;
    items.dinv[t] = pass.dinv != nullptr ? pass.dinv[point] : real(1);
    if (SHARED) continue;
    items.a[t] = s < 0 ? static_cast<hb_local>(point) : sums.pair[2 * s];
    items.b[t] = s < 0 ? HB_LOCAL_MAX : sums.pair[2 * s + 1];
  }
}

/* w of points of this rank alone: all values are in flight together. */
template <typename real>
__device__ static void load_private(const residual_pass<real> &pass, const list_sum<real> &sums,
                                    residual_items<real> &items) {
  real second[ITEMS];
#pragma unroll
  for (int t = 0; t < ITEMS; t++) {
    const hb_local a = items.a[t], b = items.b[t];
    const real *source = b == HB_LOCAL_MAX ? pass.w : sums.surface;
    items.w[t] = a < 0 ? real(0) : source[b < -1 ? sums.extra[a] : a];
    second[t] = a < 0 || b < 0 || b == HB_LOCAL_MAX ? real(0) : sums.surface[b];
  }
#pragma unroll
  for (int t = 0; t < ITEMS; t++) {
    items.w[t] += second[t];
    for (hb_local q = 1; items.a[t] >= 0 && q < -items.b[t]; q++)
      items.w[t] += sums.surface[sums.extra[items.a[t] + q]];
  }
}

template <bool SHARED, typename real>
__device__ static void load_values(const residual_pass<real> &pass, const rank_sum<real> &sums,
                                   residual_items<real> &items) {
#pragma unroll
  for (int t = 0; t < ITEMS; t++) items.r[t] = pass.r[items.point(pass, t)];
  if constexpr (!SHARED) {
    load_private(pass, sums.own, items);
  } else {
#pragma unroll
    for (int t = 0; t < ITEMS; t++) {
      const hb_local point = static_cast<hb_local>(items.point(pass, t));
      items.w[t] = sums.at(point - pass.begin, point - pass.surface_start, true);
    }
  }
}

/* p.Ap from its partial sums, on every thread of the block, in an order fixed by their number. */
__device__ static double sum_products(hb_local count, const double *products) {
  __shared__ double s_sums[THREADS / HB_WAVE], s_sum;
  constexpr int Q = HB_STEP_MOST_PARTIALS / THREADS;
  const int thread = static_cast<int>(threadIdx.x);
  double part[Q], sum = 0.0;
#pragma unroll
  for (int q = 0; q < Q; q++) {
    const hb_local wanted = thread + q * THREADS;
    const double value = products[wanted < count ? wanted : 0];
    part[q] = wanted < count ? value : 0.0;
  }
#pragma unroll
  for (int q = 0; q < Q; q++) sum += part[q];
  sum = hb_block_sum(sum, thread, THREADS, s_sums);
  if (thread == 0) s_sum = sum;
  __syncthreads();
  return s_sum;
}

/* r[i] <- r[i] - alpha w[i],  rr += sum r[i] r[i],  rz += sum r[i] dinv[i] r[i] */
template <typename real>
__device__ static void update_items(const residual_pass<real> &pass,
                                    const residual_items<real> &items, real alpha, double &rr,
                                    double &rz) {
#pragma unroll
  for (int t = 0; t < ITEMS; t++) {
    const int64_t point = items.first + t * THREADS;
    if (point >= pass.end) continue;
    const real value = fma(-alpha, items.w[t], items.r[t]);
    pass.r[point] = value;
    if (point >= pass.owned) continue;
    rr += static_cast<double>(value) * static_cast<double>(value);
    rz += static_cast<double>(value) * static_cast<double>(items.dinv[t] * value);
  }
}

template <typename real, bool SHARED>
__global__ void __launch_bounds__(THREADS)
    hb_residual(const residual_pass<real> pass, const rank_sum<real> sums, double *partials) {
  double rr = 0.0, rz = 0.0;
  real alpha = pass.alpha;
  hb_follow_launch();
  if (pass.steps.d_step != nullptr) {
    if (hb_uniform(&pass.steps.d_step->stopped) != 0) return;
    alpha = static_cast<real>(hb_uniform(&pass.steps.d_step->alpha));
  }
  const int64_t stride = static_cast<int64_t>(gridDim.x) * THREADS * ITEMS;
  int64_t first = pass.begin + static_cast<int64_t>(blockIdx.x) * THREADS * ITEMS + threadIdx.x;
  for (; first < pass.end; first += stride) {
    residual_items<real> items;
    items.first = first;
    load_constants<SHARED>(pass, sums.own, items);
    load_values<SHARED>(pass, sums, items);
    update_items(pass, items, alpha, rr, rz);
  }
  store_pair(rr, rz, partials);
}

/* The same of at most HB_STEP_MOST_POINTS points of this rank alone, a tile a block, which forms
 * alpha from the partial sums of p.Ap; all blocks come to the same. */
template <typename real>
__global__ void __launch_bounds__(THREADS)
    hb_residual_step(const residual_pass<real> pass, const rank_sum<real> sums, double *partials) {
  double rr = 0.0, rz = 0.0;
  const hb_device_step &step = *pass.steps.d_step;
  residual_items<real> items;
  items.first = pass.begin + static_cast<int64_t>(blockIdx.x) * THREADS * ITEMS + threadIdx.x;
  load_constants<false>(pass, sums.own, items);
  hb_follow_launch();
  if (step.stopped != 0) return;
  load_values<false>(pass, sums, items);
  const double numerator = step.rz, p_dot_w = sum_products(pass.num_products, pass.products);
  if (blockIdx.x == 0 && threadIdx.x == 0) hb_take_direction(pass.steps, p_dot_w);
  if (!hb_is_positive(p_dot_w)) return;
  update_items(pass, items, static_cast<real>(numerator / p_dot_w), rr, rz);
  store_pair(rr, rz, partials);
}

template <typename real>
__global__ void __launch_bounds__(THREADS)
    hb_dots(hb_local owned, const real *dinv, const real *r, double *partials) {
  double rr = 0.0, rz = 0.0;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * THREADS;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; i < owned;
       i += stride) {
    const real value = r[i], z = dinv != nullptr ? dinv[i] * value : value;
    rr += static_cast<double>(value) * static_cast<double>(value);
    rz += static_cast<double>(value) * static_cast<double>(z);
  }
  store_pair(rr, rz, partials);
}

template <typename real>
__global__ void __launch_bounds__(THREADS)
    hb_add_scaled(hb_local count, real alpha, const real *x, real *y) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * THREADS;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; i < count; i += stride)
    y[i] = fma(alpha, x[i], y[i]);
}

extern "C" {

enum hb_status HB_REAL_NAME(hb_assembly_pack)(const struct hb_device_assembly *assembly,
                                              void *d_send) {
  if (assembly->num_send == 0) return HB_OK;
  return hb_launch(assembly->device, "assembly_pack", hb_pack<hb_real>,
                   (assembly->num_send - 1) / THREADS + 1, THREADS, 0,
                   make_sums<hb_real>(assembly).own, assembly->surface_start, assembly->num_send,
                   assembly->d_send_index, static_cast<hb_real *>(d_send));
}

enum hb_status HB_REAL_NAME(hb_assembly_store)(const struct hb_device_assembly *assembly,
                                               enum hb_assembly_part part, bool masked, void *d_w) {
  const bool shared = part == HB_ASSEMBLY_SHARED;
  const hb_local begin = shared ? assembly->num_private : assembly->surface_start;
  const hb_local end = shared ? assembly->num_points : assembly->num_private;
  if (begin >= end) return HB_OK;
  return hb_launch(assembly->device, "assembly_store", hb_store<hb_real>,
                   (end - begin - 1) / THREADS + 1, THREADS, 0, make_sums<hb_real>(assembly),
                   assembly->surface_start, begin, end, shared, masked,
                   static_cast<hb_real *>(d_w));
}

enum hb_status HB_REAL_NAME(hb_assembly_residual)(const struct hb_device_assembly *assembly,
                                                  enum hb_assembly_part part,
                                                  struct hb_device_factor alpha, const void *d_dinv,
                                                  const void *d_w, void *d_r, double *d_partials,
                                                  hb_local *num_partials) {
  const bool shared = part == HB_ASSEMBLY_SHARED;
  residual_pass<hb_real> pass = {};
  pass.begin = shared ? assembly->num_private : 0;
  pass.end = shared ? assembly->num_points : assembly->num_private;
  pass.surface_start = assembly->surface_start;
  pass.owned = assembly->num_owned;
  pass.alpha = static_cast<hb_real>(alpha.value);
  if (alpha.steps != nullptr) pass.steps = *alpha.steps;
  pass.num_products = alpha.num_partials;
  pass.products = alpha.d_partials;
  HB_ASSERT(alpha.num_partials <= HB_STEP_MOST_PARTIALS);
  HB_ASSERT(alpha.num_partials == 0 || (!shared && pass.end - pass.begin <= HB_STEP_MOST_POINTS));
  pass.dinv = static_cast<const hb_real *>(d_dinv);
  pass.w = static_cast<const hb_real *>(d_w);
  pass.r = static_cast<hb_real *>(d_r);
  if (pass.begin >= pass.end) return HB_OK;
  const hb_local blocks = blocks_for(pass.end - pass.begin);
  double *partials = d_partials + 2 * static_cast<ptrdiff_t>(*num_partials);
  *num_partials += blocks;
  const auto kernel = alpha.num_partials > 0 ? hb_residual_step<hb_real>
                      : shared               ? hb_residual<hb_real, true>
                                             : hb_residual<hb_real, false>;
  return hb_launch_next(assembly->device, "assembly_residual", kernel, blocks, THREADS, 0, pass,
                        make_sums<hb_real>(assembly), partials);
}

enum hb_status HB_REAL_NAME(hb_device_add_scaled)(struct hb_device *device, hb_local count,
                                                  double alpha, const void *d_x, void *d_y) {
  if (count == 0) return HB_OK;
  return hb_launch(device, "add_scaled", hb_add_scaled<hb_real>, blocks_for(count), THREADS, 0,
                   count, static_cast<hb_real>(alpha), static_cast<const hb_real *>(d_x),
                   static_cast<hb_real *>(d_y));
}

enum hb_status HB_REAL_NAME(hb_device_dots)(struct hb_device *device, hb_local owned,
                                            const void *d_dinv, const void *d_r, double *d_partials,
                                            hb_local *num_partials) {
  if (owned == 0) return HB_OK;
  const hb_local blocks = blocks_for(owned);
  double *partials = d_partials + 2 * static_cast<ptrdiff_t>(*num_partials);
  *num_partials += blocks;
  return hb_launch(device, "dots", hb_dots<hb_real>, blocks, THREADS, 0, owned,
                   static_cast<const hb_real *>(d_dinv), static_cast<const hb_real *>(d_r),
                   partials);
}

} /* extern "C" */
