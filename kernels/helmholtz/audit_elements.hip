/* SPDX-License-Identifier: BSD-3-Clause
 * What the elements of a layer contribute to operator and right-hand side, by the audit. */
#include "kernels/helmholtz/audit_at.h"
#include "kernels/launch.h"

enum { THREADS = 256 };

/* An element of the layer, its place for results and the block's work space. */
struct audited {
  hb_local e[3];
  double *w, *mass, *b, *b_magnitude; /* [k][j][i] */
  double *flux, *limit;               /* [3][k][j][i]; [k][j][i] */
  bool has_given, has_natural;
};

/* The random v, and the solution where it is given, at points of an element. */
struct random_field {
  int64_t seed;
  __device__ double at(const hb_device_lattice &lattice, const hb_local (&e)[3],
                       const int (&ijk)[3]) const {
    return hb_lattice_random(hb_lattice_id(lattice, e, ijk), seed);
  }
};
struct given_field {
  __device__ double at(const hb_device_lattice &lattice, const hb_local (&e)[3],
                       const int (&ijk)[3]) const {
    double x[3];
    if (!hb_lattice_given(lattice, e, ijk)) return 0.0;
    hb_lattice_position(lattice, e, ijk, x);
    return hb_lattice_values_at(lattice.problem, x).u;
  }
};

/* u_b = sum_m D[.][m] u[..m..] */
template <typename field>
__device__ static void slopes_of(const hb_device_lattice &lattice, const field &u,
                                 const hb_local (&e)[3], const int (&ijk)[3], double (&slope)[3]) {
  for (int b = 0; b < 3; b++) {
    int at[3] = {ijk[0], ijk[1], ijk[2]};
    slope[b] = 0.0;
    for (int m = 0; m < lattice.n; m++) {
      at[b] = m;
      slope[b] += lattice.d_D[ijk[b] * lattice.n + m] * u.at(lattice, e, at);
    }
  }
}

/* q[b] = h1 w_i w_j w_k / J sum_a c[b][a] g[a],  g[a] = sum_b c[b][a] u_b */
template <typename field>
__device__ static void store_flux(const hb_device_lattice &lattice, const field &u,
                                  const hb_local (&e)[3], const int (&ijk)[3], int point,
                                  const hb_audit_map &map, double *flux) {
  const int points = lattice.n * lattice.n * lattice.n;
  double slope[3], g[3];
  slopes_of(lattice, u, e, ijk, slope);
#pragma unroll
  for (int a = 0; a < 3; a++)
    g[a] = map.c[0][a] * slope[0] + map.c[1][a] * slope[1] + map.c[2][a] * slope[2];
#pragma unroll
  for (int b = 0; b < 3; b++)
    flux[b * points + point] = map.weight * map.h1 / map.J *
                               (map.c[b][0] * g[0] + map.c[b][1] * g[1] + map.c[b][2] * g[2]);
}

/* sum_m D[m][i] q[0][k][j][m] + D[m][j] q[1][k][m][i] + D[m][k] q[2][m][j][i] */
__device__ static double divergence(const hb_device_lattice &lattice, const double *flux,
                                    const int (&ijk)[3]) {
  const int n = lattice.n, points = n * n * n, i = ijk[0], j = ijk[1], k = ijk[2];
  const double *D = lattice.d_D;
  double sum = 0.0;
  for (int m = 0; m < n; m++)
    sum += D[m * n + i] * flux[(k * n + j) * n + m] +
           D[m * n + j] * flux[points + (k * n + m) * n + i] +
           D[m * n + k] * flux[2 * points + (m * n + j) * n + i];
  return sum;
}

/* The largest |u_D| of the block's element, by all threads. */
__device__ static double block_largest(double mine) {
  __shared__ double s_largest[THREADS];
  const int thread = static_cast<int>(threadIdx.x);
  __syncthreads();
  s_largest[thread] = mine;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) s_largest[thread] = hb_larger(s_largest[thread], s_largest[thread + half]);
  }
  __syncthreads();
  return s_largest[0];
}

/* A bound of the magnitudes in an entry of w where |u| <= 1: of each direction the largest |q| with
 * an index m, `limit`, times |D[m][i]|, and the mass term. */
__device__ static double bound_of(const hb_device_lattice &lattice, const audited &element,
                                  double largest_mass) {
  __shared__ double s_limit[3][HB_MAX_N];
  const int n = lattice.n, thread = static_cast<int>(threadIdx.x);
  const int axis = thread / HB_MAX_N, m = thread % HB_MAX_N;
  const int stride = axis == 0 ? 1 : axis == 1 ? n : n * n;
  double sum = 0.0;
  __syncthreads();
  if (axis < 3 && m < n) {
    double largest = 0.0;
    for (int q = 0; q < n * n; q++) {
      const int low = q % stride, high = q / stride;
      largest = hb_larger(largest, element.limit[high * stride * n + m * stride + low]);
    }
    s_limit[axis][m] = largest;
  }
  __syncthreads();
  if (axis < 3 && m < n) /* m: the row here */
    for (int q = 0; q < n; q++) sum += fabs(lattice.d_D[q * n + m]) * s_limit[axis][q];
  const double along[3] = {block_largest(axis == 0 ? sum : 0.0),
                           block_largest(axis == 1 ? sum : 0.0),
                           block_largest(axis == 2 ? sum : 0.0)};
  return along[0] + along[1] + along[2] + block_largest(largest_mass);
}

/* Integral of h1 grad(u).n over the Neumann faces that the point lies on: n dA across axis b is
 * c[b] w w, outward. */
__device__ static double natural_at(const hb_device_lattice &lattice, const hb_local (&e)[3],
                                    const int (&ijk)[3], const hb_audit_map &map) {
  double sum = 0.0;
  for (int b = 0; b < 3; b++) {
    const int side = lattice.natural[b] ? hb_lattice_face(lattice, b, e[b], ijk[b]) : 0;
    if (side == 0) continue;
    double x[3];
    hb_lattice_position(lattice, e, ijk, x);
    const hb_lattice_values values = hb_lattice_values_at(lattice.problem, x);
    double flux = 0.0;
    for (int a = 0; a < 3; a++) flux += map.c[b][a] * values.gradient[a];
    sum += side * map.h1 * flux * lattice.d_weights[ijk[(b + 1) % 3]] *
           lattice.d_weights[ijk[(b + 2) % 3]];
  }
  return sum;
}

/* A v, the mass and natural data of the element; its bound. */
__device__ static double audit_operator(const hb_device_audit &audit, const audited &element) {
  const hb_device_lattice &lattice = audit.lattice;
  const int n = lattice.n, points = n * n * n, thread = static_cast<int>(threadIdx.x);
  const random_field v = {audit.seed};
  double largest_mass = 0.0;
  for (int point = thread; point < points; point += THREADS) {
    const int ijk[3] = {point % n, point / n % n, point / (n * n)};
    const hb_audit_map map = hb_audit_map_at(lattice, element.e, ijk);
    const double natural = element.has_natural ? natural_at(lattice, element.e, ijk, map) : 0.0;
    store_flux(lattice, v, element.e, ijk, point, map, element.flux);
    element.limit[point] = hb_audit_limit(lattice, ijk, map);
    element.mass[point] = map.weight * map.J;
    element.w[point] = map.weight * map.h2 * map.J * v.at(lattice, element.e, ijk);
    element.b[point] = natural;
    element.b_magnitude[point] = fabs(natural);
    largest_mass = hb_larger(largest_mass, map.weight * map.h2 * map.J);
  }
  const double bound = bound_of(lattice, element, largest_mass); /* waits for all */
  for (int point = thread; point < points; point += THREADS) {
    const int ijk[3] = {point % n, point / n % n, point / (n * n)};
    element.w[point] += divergence(lattice, element.flux, ijk);
  }
  return bound;
}

/* b -= A u_D */
__device__ static void audit_lifting(const hb_device_audit &audit, const audited &element,
                                     double bound) {
  const hb_device_lattice &lattice = audit.lattice;
  const int n = lattice.n, points = n * n * n, thread = static_cast<int>(threadIdx.x);
  const given_field u;
  double mine = 0.0;
  __syncthreads();
  for (int point = thread; point < points; point += THREADS) {
    const int ijk[3] = {point % n, point / n % n, point / (n * n)};
    const hb_audit_map map = hb_audit_map_at(lattice, element.e, ijk);
    const double value = u.at(lattice, element.e, ijk);
    store_flux(lattice, u, element.e, ijk, point, map, element.flux);
    element.b[point] -= map.weight * map.h2 * map.J * value;
    mine = hb_larger(mine, fabs(value));
  }
  const double largest = block_largest(mine);
  for (int point = thread; point < points; point += THREADS) {
    const int ijk[3] = {point % n, point / n % n, point / (n * n)};
    element.b[point] -= divergence(lattice, element.flux, ijk);
    element.b_magnitude[point] += bound * largest;
  }
}

__global__ void __launch_bounds__(THREADS)
    hb_audit_layer(const hb_device_audit audit, hb_local ez, int number) {
  const hb_device_lattice &lattice = audit.lattice;
  const int points = lattice.n * lattice.n * lattice.n;
  const hb_local across = lattice.last[0] - lattice.first[0];
  const hb_global all = static_cast<hb_global>(across) * (lattice.last[1] - lattice.first[1]);
  double *scratch = audit.d_scratch + static_cast<ptrdiff_t>(blockIdx.x) * HB_AUDIT_VALUES * points;
  for (hb_global q = blockIdx.x; q < all; q += gridDim.x) {
    double *values = audit.d_values[number] + q * HB_AUDIT_VALUES * points;
    audited element = {};
    element.e[0] = static_cast<hb_local>(lattice.first[0] + q % across);
    element.e[1] = static_cast<hb_local>(lattice.first[1] + q / across);
    element.e[2] = ez;
    element.w = values;
    element.mass = values + points;
    element.b = values + 2 * points;
    element.b_magnitude = values + 3 * points;
    element.flux = scratch;
    element.limit = scratch + 3 * points;
    for (int a = 0; a < 3; a++) {
      const bool face = hb_lattice_face(lattice, a, element.e[a], 0) != 0 ||
                        hb_lattice_face(lattice, a, element.e[a], lattice.n - 1) != 0;
      element.has_given = element.has_given || (face && lattice.given[a]);
      element.has_natural = element.has_natural || (face && lattice.natural[a]);
    }
    const double bound = audit_operator(audit, element);
    if (element.has_given) audit_lifting(audit, element, bound);
    if (threadIdx.x == 0) audit.d_bound[number][q] = bound;
    __syncthreads(); /* the work space is free */
  }
}

extern "C" {

enum hb_status hb_device_audit_elements(const struct hb_device_audit *audit, hb_local ez,
                                        int number) {
  const hb_global all = hb_device_audit_layer(&audit->lattice), most = HB_AUDIT_BLOCKS;
  HB_ASSERT(3 * HB_MAX_N <= THREADS);
  return hb_launch(audit->lattice.device, "audit_elements", hb_audit_layer,
                   static_cast<hb_local>(all < most ? all : most), THREADS, 0, *audit, ez, number);
}

} /* extern "C" */
