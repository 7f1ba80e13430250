/* SPDX-License-Identifier: BSD-3-Clause
 * Factors in shared memory, brought there ahead by asynchronous copies (NVIDIA, factors_at.h). */
#ifndef HB_KERNELS_GEOMETRY_FACTORS_PIECES_H
#define HB_KERNELS_GEOMETRY_FACTORS_PIECES_H

#include "kernels/element/async_copy.h"
#include "kernels/geometry/factors_at.h"

/* Pieces of `count` values, one a factor: an element's cubes, or a plane of each. */
template <int MODE, int N, int COUNT> struct hb_factor_pieces;

template <int N, int COUNT> struct hb_factor_pieces<HB_GEOMETRY_STORED, N, COUNT> {
  static constexpr int plane = N * N, cube = N * N * N;
  static constexpr int room = hb_async_room(COUNT); /* doubles for a piece */

  /* Doubles for so many sets of pieces. */
  __host__ __device__ static constexpr int size(int sets, int num_factors) {
    return sets * num_factors * room;
  }
  /* An element's factors; factor f from plane k on. */
  __device__ static const double *from(const hb_element_data<double> &data, int element) {
    return data.factors + static_cast<ptrdiff_t>(element) * (data.num_factors * cube);
  }
  __device__ static const double *from(const hb_element_data<double> &data, ptrdiff_t element,
                                       int f, int k) {
    return data.factors + (element * data.num_factors + f) * cube + k * plane;
  }
  /* Asks for pieces, one a lane that wants one, of which `first` is lane 0's. */
  __device__ static void stage(const double *first, bool wanted, int lane, double *to,
                               uint64_t *barrier) {
    hb_async_copy(to, room, first, cube, COUNT, wanted, lane, barrier);
  }
  /* Piece `number`, which comes from `piece`, has its first value at number * room + shift. */
  __device__ static int shift(const double *piece) {
    constexpr bool aligned = COUNT == cube && N % 2 == 0;
    return aligned ? 0 : hb_async_shift(piece);
  }
};

#endif
