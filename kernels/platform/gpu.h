/* SPDX-License-Identifier: BSD-3-Clause
 * The one include of .hip files: HIP as it is on AMD, HIP's names on the CUDA runtime on NVIDIA. */
#ifndef HB_KERNELS_PLATFORM_GPU_H
#define HB_KERNELS_PLATFORM_GPU_H

#if defined(__HIP_PLATFORM_AMD__) || defined(__HIP__)

#include <hip/hip_runtime.h>

#define HB_PLATFORM "amd"
enum { HB_WAVE = 64 }; /* lanes that run in step; blocks are multiples of it */

/* Blocks of `threads`; registers for at least `waves` of 64 lanes on each SIMD of AMD's processors
 * (512 / waves 32-bit registers a lane), and for `blocks` on one of NVIDIA's multiprocessors
 * (0: as the compiler likes). */
#define HB_LAUNCH_BOUNDS(threads, waves, blocks)                                                   \
  __attribute__((amdgpu_flat_work_group_size(threads, threads), amdgpu_waves_per_eu(waves)))

/* Iterations of a contraction's loop of length N that are unrolled: clang loads all of them before
 * their use and runs out of registers, nvcc does not. */
template <int N> constexpr int hb_line_unroll = N % 2 == 0 ? 2 : 1;

/* 0, but the compiler does not know: what is indexed with it is loaded here, neither earlier nor
 * kept from an earlier load, which bounds the registers of long unrolled code. */
__device__ static inline int hb_opaque_zero() {
  int zero = 0;
  __asm__ volatile("" : "+s"(zero));
  return zero;
}

/* A small matrix, [N][N] or [ROWS][N], that all lanes read at the same place at a time: through
 * scalar loads. */
template <typename real, int N, int ROWS = N> struct hb_uniform_matrix {
  const real *d_values;
  hb_uniform_matrix(const void *, const void *d_matrix)
      : d_values(static_cast<const real *>(d_matrix)) {}
  __device__ real at(int row, int column, int zero) const {
    return ((const __attribute__((address_space(4))) real *)d_values)[row * N + column + zero];
  }
};

/* About 1 / x to a unit in the last place, where x and that are normal numbers, in the precision's
 * own arithmetic: an estimate, in f64 with one step of third order. */
__device__ static inline float hb_reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
__device__ static inline double hb_reciprocal(double x) {
  const double estimate = __builtin_amdgcn_rcp(x), e = fma(-x, estimate, 1.0);
  return fma(estimate, fma(e, e, e), estimate);
}

/* Two values that are formed here, and not in branches where they are used: behind stores there
 * clang has everything wait that was loaded before. */
template <typename real> __device__ static inline void hb_form_now(real &a, real &b) {
  __asm__ volatile("" : "+v"(a), "+v"(b));
}

/* A number that no thread of the kernel writes and all lanes read. */
template <typename type> __device__ static inline type hb_uniform(const type *d_value) {
  return *(const __attribute__((address_space(4))) type *)d_value;
}

/* A clock of the whole device, that runs evenly. */
__device__ static inline unsigned long hb_clock() { return __builtin_amdgcn_s_memrealtime(); }

/* The block's number, of `blocks`, where neighbours are to share a cache: blocks go to the
 * processors in turns, and on gfx942 eight of those (XCDs) have an L2 each; each gets a row of
 * neighbours.  Source: AMD, CDNA 3 white paper, 2023. */
__device__ static inline int hb_block(int blocks) {
#if defined(__gfx942__)
  constexpr int dies = 8;
  const int block = static_cast<int>(blockIdx.x);
  const int die = block % dies, row = blocks / dies, longer = blocks % dies;
  return die * row + (die < longer ? die : longer) + block / dies;
#else
  (void)blocks;
  return static_cast<int>(blockIdx.x);
#endif
}

/* To be called by every thread of a kernel that is launched by hb_launch_next, before it reads or
 * writes what other launches do: they follow each other there anyway. */
__device__ static inline void hb_follow_launch() {}

/* The value of the lane whose number differs in the bits of `mask`; every lane must call it. */
template <typename real> __device__ static inline real hb_lane_xor(real value, int mask) {
  return __shfl_xor(value, mask, HB_WAVE);
}

#elif defined(__CUDACC__)

#include "kernels/platform/cuda_names.h"

#define HB_PLATFORM  "nvidia"
#define HB_ON_NVIDIA 1
enum { HB_WAVE = 32 };

#define HB_LAUNCH_BOUNDS(threads, waves, blocks) __launch_bounds__(threads, blocks)
template <int N> constexpr int hb_line_unroll = N;

__device__ static inline int hb_opaque_zero() {
  int zero = 0;
  asm volatile("" : "+r"(zero));
  return zero;
}

/* As an argument by value: its entries are operands in constant memory. */
template <typename real, int N, int ROWS = N> struct hb_uniform_matrix {
  real values[ROWS][N];
  hb_uniform_matrix(const void *matrix, const void *) {
    for (int q = 0; q < ROWS * N; q++) values[q / N][q % N] = static_cast<const real *>(matrix)[q];
  }
  __device__ real at(int row, int column, int) const { return values[row][column]; }
};

__device__ static inline float hb_reciprocal(float x) {
  float estimate;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(x));
  return estimate;
}
__device__ static inline double hb_reciprocal(double x) {
  double estimate;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(x));
  const double e = fma(-x, estimate, 1.0);
  return fma(estimate, fma(e, e, e), estimate);
}

template <typename real> __device__ static inline void hb_form_now(real &, real &) {}

template <typename type> __device__ static inline type hb_uniform(const type *d_value) {
  return __ldg(d_value);
}

__device__ static inline unsigned long hb_clock() {
  unsigned long time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

__device__ static inline int hb_block(int) { return static_cast<int>(blockIdx.x); }

/* Lets the blocks of the next launch come, as soon as there is room for them, and waits until all
 * of the launches before this one is done. */
__device__ static inline void hb_follow_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;" ::: "memory");
#endif
}

template <typename real> __device__ static inline real hb_lane_xor(real value, int mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask, HB_WAVE);
}

#else
#error "compile with hipcc or clang -x hip for AMD, with nvcc -x cu for NVIDIA"
#endif

/* Sum over the lanes of a wave, on every lane, in a fixed order. */
__device__ static inline double hb_wave_sum(double value) {
  for (int mask = HB_WAVE / 2; mask > 0; mask /= 2) value += hb_lane_xor(value, mask);
  return value;
}

/* Sum over the block's `threads` (a multiple of HB_WAVE), valid on thread 0; `shared` has room for
 * threads / HB_WAVE numbers.  Every thread must call it. */
__device__ static inline double hb_block_sum(double value, int thread, int threads,
                                             double *shared) {
  const double wave = hb_wave_sum(value);
  if (thread % HB_WAVE == 0) shared[thread / HB_WAVE] = wave;
  __syncthreads();
  double sum = 0.0;
  if (thread == 0)
    for (int w = 0; w < threads / HB_WAVE; w++) sum += shared[w];
  return sum;
}

#endif
