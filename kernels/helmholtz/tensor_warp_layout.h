/* SPDX-License-Identifier: BSD-3-Clause
 * How tensor_warp.h lays out its work: planes of points over the lanes of a warp, and images of a
 * group of elements in shared memory. */
#ifndef HB_KERNELS_HELMHOLTZ_TENSOR_WARP_LAYOUT_H
#define HB_KERNELS_HELMHOLTZ_TENSOR_WARP_LAYOUT_H

#include "kernels/element/tensor_plane.h"
#include "kernels/geometry/factors_pieces.h"

enum { HB_WARP_MAX_SLOTS = 2 };

/* Which vectors a launch reads and writes. */
enum hb_tensor_mode { HB_TENSOR_LOCAL, HB_TENSOR_PLAIN, HB_TENSOR_DIRECTION };

/* Elements side by side in a plane: `pack` in each of its two directions. */
template <int N> struct hb_warp_geometry {
  static constexpr int pack = N <= 4 ? 2 : 1, elements = pack * pack, width = 8 / pack;
  static constexpr int cube = N * N * N;
  /* Numbers of surface and interior points of a group, and of steps in which a warp walks them. */
  static constexpr int surface = elements * hb_points<N>::surface;
  static constexpr int interior = elements * hb_points<N>::interior;
  static constexpr int surface_steps = (surface + HB_WAVE - 1) / HB_WAVE;
  static constexpr int interior_steps = (interior + HB_WAVE - 1) / HB_WAVE;
  /* An image of a group's points in shared memory: first its surface points, then its interior
   * points, each in the order that they have in device memory; then a zero, and a place for what
   * nobody wants. */
  static constexpr int zero = surface + interior, waste = zero + 1, image = (zero + 3) / 2 * 2;
  /* The result's image where it also holds planes of 64 values. */
  static constexpr int turned = image > 64 * N ? image : 64 * N;

  /* Bytes of shared memory, with `slot` doubles for a group's factors. */
  static constexpr size_t shared_bytes(int slot, int num_slots, int num_images) {
    return sizeof(double) * static_cast<size_t>(num_slots * slot + num_images * image);
  }
};

/* A lane's two points in every plane: element of the group, row j, columns i and i + 1, and their
 * places in an image. */
template <int N> struct hb_warp_lane {
  using points = hb_points<N>;
  using geometry = hb_warp_geometry<N>;
  int element, j, i;
  bool used[2];           /* i + s < N and j < N */
  int end[2];             /* in plane 0 */
  int line[2], stride[2]; /* in plane 1, and from there to the next */

  __device__ hb_warp_lane(int lane, bool local) {
    const int row = lane / 4, column = 2 * (lane % 4);
    element = row / geometry::width * geometry::pack + column / geometry::width;
    j = row % geometry::width;
    i = column % geometry::width;
#pragma unroll
    for (int s = 0; s < 2; s++) {
      used[s] = N == 8 || (j < N && i + s < N);
      if (local) {
        end[s] = element * geometry::cube + j * N + i + s;
        line[s] = end[s] + N * N;
        stride[s] = N * N;
      } else if (!points::inside(1, j, i + s)) {
        end[s] = element * points::surface + j * N + i + s;
        line[s] = element * points::surface + points::surface_number(1, j, i + s);
        stride[s] = points::ring;
      } else {
        end[s] = element * points::surface + j * N + i + s;
        line[s] =
            geometry::surface + element * points::interior + points::interior_number(1, j, i + s);
        stride[s] = (N - 2) * (N - 2);
      }
    }
  }
  /* Place of point (k,j,i+s). */
  __device__ int place(int k, int s, bool local) const {
    if (k == 0) return end[s];
    if (k == N - 1 && !local) return end[s] + N * N + (N - 2) * points::ring;
    return line[s] + (k - 1) * stride[s];
  }
};

/* M[g][2q + s] in a lane, zero between elements and outside of n: of D, or D transposed. */
template <int N>
__device__ static inline hb_plane hb_warp_matrix(const double *D, int lane, bool transposed) {
  constexpr int width = hb_warp_geometry<N>::width;
  const int row = lane / 4, column = 2 * (lane % 4);
  hb_plane matrix;
#pragma unroll
  for (int s = 0; s < 2; s++) {
    const int a = row % width, b = column % width + s;
    const bool inside = row / width == column / width && a < N && b < N;
    matrix.v[s] = inside ? D[transposed ? b * N + a : a * N + b] : 0.0;
  }
  return matrix;
}

#endif
