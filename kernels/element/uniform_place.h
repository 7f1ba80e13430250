/* SPDX-License-Identifier: BSD-3-Clause
 * Places in memory as a scalar register and 32 bits of a lane's (AMD): how kernels address arrays
 * of which a wave reads runs in every plane of an element. */
#ifndef HB_KERNELS_ELEMENT_UNIFORM_PLACE_H
#define HB_KERNELS_ELEMENT_UNIFORM_PLACE_H

#include "kernels/platform/gpu.h"

/* A place that is the same for all lanes of a wave, kept in scalar registers: the compiler does not
 * know where it comes from and so cannot keep sums of it with lanes' offsets. */
template <typename real> struct hb_uniform_place {
  using global_real = __attribute__((address_space(1))) real;
  global_real *at;

  hb_uniform_place() = default;
  __device__ explicit hb_uniform_place(real *place) : at((global_real *)place) {
    __asm__ volatile("" : "+s"(at));
  }
  /* `offset` of the lane, in bytes */
  __device__ global_real *byte(unsigned offset) const {
    using global_byte = __attribute__((address_space(1))) char;
    return (global_real *)((global_byte *)at + offset);
  }
  /* in reals */
  __device__ global_real *lane(unsigned offset) const {
    return byte(offset * static_cast<unsigned>(sizeof(real)));
  }
};

/* Where the lane is in plane k, from its `offset`: what instructions' own offsets, of less than
 * 4 KiB, do not reach is added here, once for all cubes, and not kept. */
template <typename real, int N> struct hb_plane_offset {
  static constexpr int planes = 4096 / static_cast<int>(N * N * sizeof(real)); /* in reach */
  unsigned start;
  int rest;

  __device__ hb_plane_offset(unsigned offset, int k) : rest(k % planes * N * N) {
    start =
        (offset + static_cast<unsigned>(k * N * N - rest)) * static_cast<unsigned>(sizeof(real));
    if (k >= planes) __asm__ volatile("" : "+v"(start));
  }
  template <typename real_or_const>
  __device__ auto *in(hb_uniform_place<real_or_const> place) const {
    return place.byte(start) + rest;
  }
};

/* Nothing is moved across: bounds the registers of long unrolled code. */
__device__ static inline void hb_phase_end() { __builtin_amdgcn_sched_barrier(0); }

#endif
