/* SPDX-License-Identifier: BSD-3-Clause
 * Factors of a lane's runs of points along i, plane after plane (AMD, factors_at.h). */
#ifndef HB_KERNELS_GEOMETRY_FACTORS_RUNS_H
#define HB_KERNELS_GEOMETRY_FACTORS_RUNS_H

#include "kernels/element/uniform_place.h"
#include "kernels/geometry/factors_at.h"
#include "kernels/geometry/metric.h"

/* `run` points each. */
template <int MODE, typename real, int N, int RUN> struct hb_run_factors;

/* The values are formed here, not where they are used: else all that they are formed of is kept
 * until then.  In pairs of 64 bits, which in f32 can be formed by one instruction. */
template <int R> __device__ static inline void hb_form_here(double (&x)[R]) {
#pragma unroll
  for (int r = 0; r < R; r++) __asm__ volatile("" : "+v"(x[r]));
}
template <int R> __device__ static inline void hb_form_here(float (&x)[R]) {
  typedef float pair __attribute__((ext_vector_type(2)));
#pragma unroll
  for (int r = 0; r + 1 < R; r += 2) {
    pair both = {x[r], x[r + 1]};
    __asm__ volatile("" : "+v"(both));
    x[r] = both[0];
    x[r + 1] = both[1];
  }
  if (R % 2 == 1) __asm__ volatile("" : "+v"(x[R - 1]));
}

/* Values that wait in accumulation registers, of which there are as many as of the others. */
template <typename real, int R> __device__ static inline void hb_park(real (&x)[R]) {
#pragma unroll
  for (int r = 0; r < R; r++) __asm__ volatile("" : "+a"(x[r]));
}

/* The lane's run in a plane of a cube. */
template <typename real, int N, int R>
__device__ static inline void hb_load_run(hb_uniform_place<const real> place,
                                          hb_plane_offset<real, N> plane, real (&to)[R]) {
  const auto *from = plane.in(place);
#pragma unroll
  for (int r = 0; r < R; r++) to[r] = from[r];
}

/* w += M u at a plane's points; product += u M u */
template <typename real, int R>
__device__ static inline void hb_add_mass(const real (&M)[R], const real (&u)[R], real (&w)[R],
                                          real (&product)[R]) {
#pragma unroll
  for (int r = 0; r < R; r++) {
    const real Mu = M[r] * u[r];
    w[r] += Mu;
    product[r] = fma(u[r], Mu, product[r]);
  }
}

/* ---- stored ---------------------------------------------------------------------------------- */

template <typename real, int N, int R> struct hb_run_factors<HB_GEOMETRY_STORED, real, N, R> {
  static constexpr int cube = N * N * N;
  using plane = real[HB_NUM_GEOMETRIC][R];
  hb_uniform_place<const real> geometric[HB_NUM_GEOMETRIC];
  const real *mass;
  bool with_mass;
  unsigned offset;

  /* points.first is the element of the wave's first lane, points.offset(stride) the lane's first
   * point after that, with `stride` from an element to the next. */
  template <typename lane_points>
  __device__ hb_run_factors(const hb_element_data<real> &data, const lane_points &points) {
    const real *start =
        data.factors + static_cast<ptrdiff_t>(points.first) * data.num_factors * cube;
#pragma unroll
    for (int f = 0; f < HB_NUM_GEOMETRIC; f++)
      geometric[f] = hb_uniform_place<const real>(start + f * cube);
    mass = start + HB_MASS_FACTOR * cube; /* exists with_mass */
    with_mass = data.with_mass;
    offset = points.offset(data.num_factors * cube);
  }

  /* g[f] = Gf of plane k */
  __device__ void load(int k, plane &g) const {
    const hb_plane_offset<real, N> at(offset, k);
#pragma unroll
    for (int f = 0; f < HB_NUM_GEOMETRIC; f++) hb_load_run(geometric[f], at, g[f]);
  }
  /* w[k][j][i] += M u[k][j][i] */
  __device__ void add_mass(const real (&u)[N][R], real (&w)[N][R]) {
    if (!with_mass) return;
    __asm__ volatile("" : "+v"(offset)); /* in the block of its use, else it is widened before */
    const hb_uniform_place<const real> place(mass);
    constexpr int batch = 6; /* planes in flight together */
#pragma unroll
    for (int start = 0; start < N; start += batch) {
      real M[batch][R];
#pragma unroll
      for (int k = start; k < N && k < start + batch; k++)
        hb_load_run(place, hb_plane_offset<real, N>(offset, k), M[k - start]);
#pragma unroll
      for (int k = start; k < N && k < start + batch; k++) {
#pragma unroll
        for (int r = 0; r < R; r++) w[k][r] = fma(M[k - start][r], u[k][r], w[k][r]);
      }
      hb_phase_end();
    }
  }

  /* M of plane k, if there is a mass term */
  __device__ void load_mass(int k, real (&M)[R]) const {
    if (!with_mass) return;
    unsigned start = offset;
    __asm__ volatile("" : "+v"(start)); /* as above */
    hb_load_run(hb_uniform_place<const real>(mass), hb_plane_offset<real, N>(start, k), M);
  }
  __device__ void add_mass(const real (&M)[R], const real (&u)[R], real (&w)[R],
                           real (&product)[R]) const {
    if (with_mass) hb_add_mass(M, u, w, product);
  }
};

/* ---- not stored ------------------------------------------------------------------------------ */

/* The modes that do not store factors have, of every plane before its turn,
 *   plane     h1 and h2 at the lane's points; nothing is loaded where they do not vary
 *   uniform   what is the same for all lanes: the point t and the weight w of k */
template <typename real, int R> struct hb_run_plane { real h1[R], h2[R]; };
template <typename real> struct hb_run_uniform { real t, w; };

template <int MODE, typename real, int N, int R> struct hb_run_weights {
  using constant_real = const __attribute__((address_space(4))) real;
  using plane = hb_run_plane<real, R>;
  using uniform = hb_run_uniform<real>;
  static constexpr int cube = N * N * N, coordinates = MODE == HB_GEOMETRY_NODES ? 3 : 0;
  const real *mass;                  /* h2; exists with_mass */
  hb_uniform_place<const real> kept; /* h1 */
  unsigned offset;
  constant_real *basis;
  bool varying, with_mass;
  real h1, h2;    /* where they do not vary; h2 = 0 without mass */
  real across[R]; /* w_i w_j */

  template <typename lane_points>
  __device__ hb_run_weights(const hb_element_data<real> &data, const lane_points &points)
      : mass(data.factors + static_cast<ptrdiff_t>(points.first) * data.num_factors * cube +
             (coordinates + 1) * cube),
        kept(mass - cube), offset(points.offset(data.num_factors * cube)),
        basis((constant_real *)data.basis), varying(data.varying), with_mass(data.with_mass) {
    h1 = MODE == HB_GEOMETRY_AFFINE ? real(1) : data.h1;
    h2 = !with_mass ? real(0) : MODE == HB_GEOMETRY_AFFINE ? real(1) : data.h2;
  }
  /* What lanes keep, which is loaded when there is room. */
  template <typename lane_points>
  __device__ void begin(const hb_element_data<real> &data, const lane_points &points) {
#pragma unroll
    for (int r = 0; r < R; r++) across[r] = data.basis[N + points.j] * data.basis[N + points.i + r];
  }
  /* Of plane k, after those before it. */
  __device__ void load(int k, plane &p) const {
#pragma unroll
    for (int r = 0; r < R && k == 0; r++) {
      p.h1[r] = h1;
      p.h2[r] = h2;
    }
    if (!varying) return;
    unsigned start = offset;
    __asm__ volatile("" : "+v"(start)); /* in the block of its use, else it is widened before */
    const hb_plane_offset<real, N> at(start, k);
    hb_load_run(kept, at, p.h1);
    if (with_mass) hb_load_run(hb_uniform_place<const real>(mass), at, p.h2);
  }
  __device__ void add_mass(const real (&M)[R], const real (&u)[R], real (&w)[R],
                           real (&product)[R]) const {
    hb_add_mass(M, u, w, product);
  }
  /* gr, gs, gt in the place of ur, us, ut at point r of a plane, by the derivatives of the
   * position; returns M. */
  __device__ real turn_by(const real (&x)[3][3], const uniform &all, const plane &p, int r,
                          real &ur, real &us, real &ut) const {
    const real w = MODE == HB_GEOMETRY_NODES ? all.w : across[r] * all.w;
    const hb_metric<real> metric = hb_form_metric(x);
    hb_metric_flux(metric, p.h1[r] * w, ur, us, ut);
    return p.h2[r] * w * metric.J;
  }
  /* Loaded here and not kept from before. */
  __device__ uniform load_uniform(int k) {
    __asm__ volatile("" : "+s"(basis));
    return {basis[k], basis[N + k]};
  }
};

/* What is kept of the lane's element.  Where it is the only one of the wave it is in scalar
 * registers, loaded for every plane. */
template <typename real, int COUNT, bool ALONE> struct hb_run_element {
  using constant_real = const __attribute__((address_space(4))) real;
  constant_real *from;
  real values[COUNT];

  template <typename lane_points>
  __device__ void begin(const hb_element_data<real> &data, const lane_points &points) {
    const real *first = data.elements + static_cast<ptrdiff_t>(points.first) * COUNT;
    from = (constant_real *)first;
#pragma unroll
    for (int v = 0; v < COUNT && !ALONE; v++) values[v] = first[points.element * COUNT + v];
  }
  __device__ void load_here() {
    if constexpr (!ALONE) return;
    __asm__ volatile("" : "+s"(from));
#pragma unroll
    for (int v = 0; v < COUNT; v++) values[v] = from[v];
  }
};

template <typename real, int N, int R>
struct hb_run_factors<HB_GEOMETRY_AFFINE, real, N, R>
    : hb_run_weights<HB_GEOMETRY_AFFINE, real, N, R> {
  using weights = hb_run_weights<HB_GEOMETRY_AFFINE, real, N, R>;
  hb_run_element<real, HB_AFFINE_VALUES, (N > 8)> own; /* factors without weights */

  template <typename lane_points>
  __device__ hb_run_factors(const hb_element_data<real> &data, const lane_points &points)
      : weights(data, points) {}
  template <typename lane_points>
  __device__ void begin(const hb_element_data<real> &data, const lane_points &points) {
    weights::begin(data, points);
    own.begin(data, points);
  }
  __device__ typename weights::uniform load_uniform(int k) {
    own.load_here();
    return weights::load_uniform(k);
  }
  /* gr, gs, gt in the place of ur, us, ut at point r of a plane; returns M. */
  __device__ real turn(const typename weights::uniform &all, const typename weights::plane &p,
                       int r, real &ur, real &us, real &ut) const {
    const real w = this->across[r] * all.w, h1w = p.h1[r] * w, *g = own.values;
    const real a = h1w * ur, b = h1w * us, c = h1w * ut;
    ur = hb_flux<0>(g, a, b, c);
    us = hb_flux<1>(g, a, b, c);
    ut = hb_flux<2>(g, a, b, c);
    return p.h2[r] * w * g[HB_MASS_FACTOR];
  }
};

template <typename real, int N, int R>
struct hb_run_factors<HB_GEOMETRY_TRILINEAR, real, N, R>
    : hb_run_weights<HB_GEOMETRY_TRILINEAR, real, N, R> {
  using weights = hb_run_weights<HB_GEOMETRY_TRILINEAR, real, N, R>;
  hb_run_element<real, HB_TRILINEAR_VALUES, (N > 8)> own; /* the map's coefficients */
  real s, at[R];                                          /* the lane's points */

  template <typename lane_points>
  __device__ hb_run_factors(const hb_element_data<real> &data, const lane_points &points)
      : weights(data, points) {}
  template <typename lane_points>
  __device__ void begin(const hb_element_data<real> &data, const lane_points &points) {
    weights::begin(data, points);
    own.begin(data, points);
    s = data.basis[points.j];
#pragma unroll
    for (int r = 0; r < R; r++) at[r] = data.basis[points.i + r];
  }
  /* What does not change along k would be more than registers hold. */
  __device__ typename weights::uniform load_uniform(int k) {
    hb_form_here(at);
    own.load_here();
    return weights::load_uniform(k);
  }
  /* As above.  What points of a line have in common is formed once. */
  __device__ real turn(const typename weights::uniform &all, const typename weights::plane &p,
                       int r, real &ur, real &us, real &ut) const {
    real x[3][3];
#pragma unroll
    for (int a = 0; a < 3; a++) {
      const real *c = own.values + a * HB_TRILINEAR_TERMS, along = c[5] + c[7] * s;
      x[0][a] = (c[1] + c[4] * s) + along * all.t;
      x[1][a] = (c[2] + c[6] * all.t) + (c[4] + c[7] * all.t) * at[r];
      x[2][a] = (c[3] + c[6] * s) + along * at[r];
    }
    return this->turn_by(x, all, p, r, ur, us, ut);
  }
};

/* Planes of a cube that have room in 32 lines [HB_WAVE], if there is need. */
constexpr int hb_run_room(int n, int run) { return n <= 6 ? 0 : n < 32 / run ? n : 32 / run; }

/* Derivatives along i and j are by diag(weights) D, of the positions too, so that w_i and w_j are
 * there already (metric.h).
 * Three cubes beside u and w are more than there is room for where n > 6: of the third one, those
 * planes wait in LDS that four waves of f64, or eight of f32, have room for. */
template <typename real, int N, int R>
struct hb_run_factors<HB_GEOMETRY_NODES, real, N, R>
    : hb_run_weights<HB_GEOMETRY_NODES, real, N, R> {
  using weights = hb_run_weights<HB_GEOMETRY_NODES, real, N, R>;
  static constexpr int room = hb_run_room(N, R);
  real x[3][N][R]; /* positions: cubes as u and w are */
  real *waiting;   /* [room][R][lane] */

  template <typename lane_points>
  __device__ hb_run_factors(const hb_element_data<real> &data, const lane_points &points)
      : weights(data, points) {}
  template <typename lane_points>
  __device__ void begin(const hb_element_data<real> &data, const lane_points &points) {
    __shared__ real s_x[room > 0 ? room * R * HB_WAVE : 1];
    waiting = s_x + threadIdx.x;
    const real *start =
        data.factors + static_cast<ptrdiff_t>(points.first) * data.num_factors * weights::cube;
    load_cube(start, 2);
    load_cube(start, 1);
    hb_phase_end();
#pragma unroll
    for (int q = 0; q < room * R; q++) waiting[q * HB_WAVE] = x[2][q / R][q % R];
    hb_phase_end();
    load_cube(start, 0);
  }
  /* Coordinate a at the lane's point r of plane k. */
  __device__ real position(int a, int k, int r) const {
    return a == 2 && k < room ? waiting[(k * R + r) * HB_WAVE] : x[a][k][r];
  }
  /* As above, with the derivatives of the position, [direction][a]. */
  __device__ real turn(const real (&derivatives)[3][3], const typename weights::uniform &all,
                       const typename weights::plane &p, int r, real &ur, real &us,
                       real &ut) const {
    return this->turn_by(derivatives, all, p, r, ur, us, ut);
  }

private:
  __device__ void load_cube(const real *start, int a) {
    const hb_uniform_place<const real> place(start + a * weights::cube);
#pragma unroll
    for (int k = 0; k < N; k++)
      hb_load_run(place, hb_plane_offset<real, N>(this->offset, k), x[a][k]);
  }
};

#endif
