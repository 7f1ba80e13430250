/* SPDX-License-Identifier: BSD-3-Clause
 * Asynchronous copies from device to shared memory on NVIDIA (PTX, sm_90): bulk copies that a
 * barrier in shared memory counts, and copies of one value a lane. */
#ifndef HB_KERNELS_ELEMENT_ASYNC_COPY_H
#define HB_KERNELS_ELEMENT_ASYNC_COPY_H

#include "kernels/platform/gpu.h"

__device__ static inline unsigned hb_shared_address(const void *shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/* One arrival a phase, by the lane that starts the copies. */
__device__ static inline void hb_barrier_init(uint64_t *barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(hb_shared_address(barrier))
               : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Opens a phase that ends when `bytes` have arrived. */
__device__ static inline void hb_barrier_expect(uint64_t *barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(hb_shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

__device__ static inline void hb_barrier_wait(uint64_t *barrier, unsigned phase) {
  unsigned done = 0;
  while (done == 0)
    asm volatile("{\n.reg .pred ended;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, ended;\n}"
                 : "=r"(done)
                 : "r"(hb_shared_address(barrier)), "r"(phase)
                 : "memory");
}

/* Both addresses and the size are multiples of 16 bytes. */
__device__ static inline void hb_bulk_copy(void *shared, const void *from, unsigned bytes,
                                           uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
               "[%3];" ::"r"(hb_shared_address(shared)),
               "l"(from), "r"(bytes), "r"(hb_shared_address(barrier))
               : "memory");
}

/* One value of this lane; seen by this lane after hb_lane_copies_wait. */
__device__ static inline void hb_lane_copy(double *shared, const double *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(hb_shared_address(shared)),
               "l"(from)
               : "memory");
}
__device__ static inline void hb_lane_copy(int32_t *shared, const int32_t *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(hb_shared_address(shared)),
               "l"(from)
               : "memory");
}
__device__ static inline void hb_lane_copies_wait() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

/* By every lane that read or wrote shared memory which bulk copies then overwrite or read, before
 * the __syncwarp that lets one lane start them: they take another path and may overtake. */
__device__ static inline void hb_async_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* From shared to device memory, by one lane after hb_async_fence and a __syncwarp; alignment as
 * above.  What was handed over may be overwritten after _wait. */
__device__ static inline void hb_bulk_store(void *to, const void *shared, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(hb_shared_address(shared)), "r"(bytes)
               : "memory");
}
__device__ static inline void hb_bulk_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ static inline void hb_bulk_store_wait() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* Up to 32 pieces of `count` doubles for the whole warp, piece `c` from from + c stride to shared +
 * c room, for the lanes c that want one: what is aligned to 16 bytes by a bulk copy, a first and a
 * last value by themselves.  `shared` is aligned to 16 bytes, room >= hb_async_room(count); value
 * v lands at place v + hb_async_shift(its piece).  All lanes call it; the data are there after the
 * barrier, hb_lane_copies_wait and a __syncwarp. */
__host__ __device__ constexpr int hb_async_room(int count) { return (count + 2) / 2 * 2; }

__device__ static inline int hb_async_shift(const double *piece) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(piece) / sizeof(double) % 2);
}
__device__ static inline void hb_async_copy(double *shared, int room, const double *from,
                                            ptrdiff_t stride, int count, bool wanted, int lane,
                                            uint64_t *barrier) {
  const double *piece = from + lane * stride;
  const int head = hb_async_shift(piece), body = (count - head) / 2 * 2;
  double *to = shared + lane * room + head; /* 8 bytes short of its alignment if head = 1 */
  const unsigned bytes = wanted ? static_cast<unsigned>(body) * sizeof(double) : 0;
  const unsigned all = __reduce_add_sync(0xffffffffu, bytes);
  if (lane == 0) hb_barrier_expect(barrier, all);
  __syncwarp();
  if (!wanted) return;
  hb_bulk_copy(to + head, piece + head, bytes, barrier);
  if (head == 1) hb_lane_copy(to, piece);
  if (head + body < count) hb_lane_copy(to + count - 1, piece + count - 1);
}

#endif
