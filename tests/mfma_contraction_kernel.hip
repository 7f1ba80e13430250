/* SPDX-License-Identifier: BSD-3-Clause
 * A kernel that runs the contraction alone, for checking it (mfma_contraction_check.h).
 * Compiled for amd, per precision. */
#include "kernels/element/mfma_contraction.h"
#include "kernels/element/points.h" /* HB_SWITCH_N */
#include "kernels/launch.h"
#include "tests/mfma_contraction_check.h"

/* Wrong lane maps.  Of any tile: rows 0 and 1 of operand A in each other's place. */
template <typename tile> struct hb_swapped : tile {
  HB_EVERYWHERE static int a_row(int lane) {
    const int row = tile::a_row(lane);
    return row < 2 ? 1 - row : row;
  }
};
/* Of 4x4x4: block and contraction index exchanged, which keeps a symmetric operator symmetric. */
template <> struct hb_swapped<hb_tile_f64_4x4x4> : hb_tile_f64_4x4x4 {
  HB_EVERYWHERE static int block(int lane) { return lane / 16; }
  HB_EVERYWHERE static int b_row(int lane) { return lane / 4 % 4; }
};
template <typename tile> struct hb_tile_code<hb_swapped<tile>> : hb_tile_code<tile> {};

template <typename contraction, typename real>
__device__ static inline void copy_cubes(int elements, const real *from, real *to,
                                         bool into_cubes) {
  constexpr int cube = contraction::n * contraction::n * contraction::n;
  constexpr int plane = contraction::n * contraction::n;
  for (int p = static_cast<int>(threadIdx.x); p < elements * cube;
       p += static_cast<int>(blockDim.x)) {
    const int place =
        p / cube * contraction::slots + contraction::template slot<2>(p % plane, p % cube / plane);
    to[into_cubes ? place : p] = from[into_cubes ? p : place];
  }
}

template <typename contraction, typename real>
__global__ void __launch_bounds__(1024)
    hb_contract(const hb_mfma_contraction what, const real *D, const real *in, real *out) {
  extern __shared__ double s_memory[];
  real *s_in = reinterpret_cast<real *>(s_memory);
  real *s_out = what.in_place ? s_in : s_in + what.elements * contraction::slots;
  const hb_team team = {contraction::wave(), what.wavefronts,
                        what.elements * contraction::n * contraction::n, contraction::slots};
  real A[contraction::matrix];
  contraction::load_matrix(D, what.transposed, A);
  copy_cubes<contraction>(what.elements, in, s_in, true);
  if (!what.in_place) copy_cubes<contraction>(what.elements, out, s_out, true);
  __syncthreads();
  if (what.axis == 0)
    contraction::template contract<0>(team, A, s_in, what.accumulate, s_out);
  else if (what.axis == 1)
    contraction::template contract<1>(team, A, s_in, what.accumulate, s_out);
  else
    contraction::template contract<2>(team, A, s_in, what.accumulate, s_out);
  __syncthreads();
  copy_cubes<contraction>(what.elements, s_out, out, false);
}

template <typename contraction>
static enum hb_status launch(struct hb_device *device, const struct hb_mfma_contraction *what,
                             const void *d_D, const void *d_in, void *d_out) {
  typedef typename contraction::real real;
  const size_t bytes = static_cast<size_t>(what->elements) * (what->in_place ? 1 : 2) *
                       contraction::slots * sizeof(real);
  if (bytes > HB_LDS_BYTES)
    return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__, "%d elements need %zu bytes of LDS",
                           what->elements, bytes);
  return hb_launch(device, "mfma_contraction", hb_contract<contraction, real>, 1,
                   what->wavefronts * HB_WAVE, bytes, *what, static_cast<const real *>(d_D),
                   static_cast<const real *>(d_in), static_cast<real *>(d_out));
}

/* With a planted fault, n = 8 alone. */
template <typename tile>
static enum hb_status launch_wrong(struct hb_device *device, const struct hb_mfma_contraction *what,
                                   const void *d_D, const void *d_in, void *d_out) {
  return launch<hb_contraction<hb_swapped<tile>, 8, HB_CUBE_PLAIN>>(device, what, d_D, d_in, d_out);
}

enum hb_status HB_REAL_NAME(hb_mfma_contraction)(struct hb_device *device,
                                                 const struct hb_mfma_contraction *what,
                                                 const void *d_D, const void *d_in, void *d_out) {
  typedef hb_tiles_of<hb_real> tiles;
  if (what->fault == HB_CONTRACT_LANES_SWAPPED)
    return what->tile == HB_MATRIX_16X16X4
               ? launch_wrong<tiles::wide>(device, what, d_D, d_in, d_out)
               : launch_wrong<tiles::small>(device, what, d_D, d_in, d_out);
  const auto run = [&](auto contraction) {
    return launch<decltype(contraction)>(device, what, d_D, d_in, d_out);
  };
#define LAUNCH(N)                                                                                  \
  case N: return hb_with_contraction<hb_real, N>(what->tile, what->layout, run);
  HB_SWITCH_N(what->n, LAUNCH)
#undef LAUNCH
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                         "mfma_contraction: n = %d, allowed 2..16", what->n);
}
