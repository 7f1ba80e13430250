/* SPDX-License-Identifier: BSD-3-Clause
 * One kernel for each matrix instruction in f32 and f64: lanes' registers in, lanes' registers out.
 */
#include "kernels/element/mfma_tiles.h"
#include "kernels/launch.h"
#include "kernels/matcore/mfma_probe.h"

#include <cstring>

#if !defined(HB_ON_NVIDIA)

template <typename real, int SLOTS> struct registers {
  typedef real type __attribute__((ext_vector_type(SLOTS)));
};
template <typename real> struct registers<real, 1> { typedef real type; };

template <typename real> __device__ static inline void store(real d, real *to) { *to = d; }
template <typename real, typename vector> __device__ static inline void store(vector d, real *to) {
  for (unsigned slot = 0; slot < sizeof(vector) / sizeof(real); slot++) to[slot] = d[slot];
}

/* Run `blockIdx.x`: D = A B, a lane's registers as they come; a kernel without its instruction
 * leaves D as it is. */
#define PROBE(name, real, SLOTS, ...)                                                              \
  __global__ static void hb_probe_##name(const real *a, const real *b, real *d) {                  \
    const size_t place = static_cast<size_t>(blockIdx.x) * HB_MFMA_LANES + threadIdx.x;            \
    typename registers<real, SLOTS>::type c = {};                                                  \
    __VA_ARGS__(void) a, (void)b, (void)c, (void)d, (void)place;                                   \
  }

#define RUN(builtin, real, SLOTS)                                                                  \
  c = builtin(a[place], b[place], c, 0, 0, 0);                                                     \
  store<real>(c, d + place * SLOTS);

#ifdef HB_HAS_MFMA_F64
PROBE(f64_16x16x4, double, 4, RUN(__builtin_amdgcn_mfma_f64_16x16x4f64, double, 4))
PROBE(f64_4x4x4, double, 1, RUN(__builtin_amdgcn_mfma_f64_4x4x4f64, double, 1))
#else
PROBE(f64_16x16x4, double, 4, )
PROBE(f64_4x4x4, double, 1, )
#endif
#ifdef HB_HAS_MFMA_F32
PROBE(f32_16x16x4, float, 4, RUN(__builtin_amdgcn_mfma_f32_16x16x4f32, float, 4))
PROBE(f32_4x4x1, float, 4, RUN(__builtin_amdgcn_mfma_f32_4x4x1f32, float, 4))
PROBE(f32_16x16x1, float, 16, RUN(__builtin_amdgcn_mfma_f32_16x16x1f32, float, 16))
PROBE(f32_32x32x2, float, 16, RUN(__builtin_amdgcn_mfma_f32_32x32x2f32, float, 16))
PROBE(f32_32x32x1, float, 32, RUN(__builtin_amdgcn_mfma_f32_32x32x1f32, float, 32))
#else
PROBE(f32_16x16x4, float, 4, )
PROBE(f32_4x4x1, float, 4, )
PROBE(f32_16x16x1, float, 16, )
PROBE(f32_32x32x2, float, 16, )
PROBE(f32_32x32x1, float, 32, )
#endif

#endif

extern "C" enum hb_status hb_mfma_execute(struct hb_device *device,
                                          const struct hb_mfma *instruction, int count,
                                          const void *d_a, const void *d_b, void *d_d) {
#if !defined(HB_ON_NVIDIA)
#define TRY_KERNEL(kernel, real, mnemonic)                                                         \
  if (strcmp(instruction->name, mnemonic) == 0)                                                    \
    return hb_launch(device, mnemonic, hb_probe_##kernel, count, HB_MFMA_LANES, 0,                 \
                     static_cast<const real *>(d_a), static_cast<const real *>(d_b),               \
                     static_cast<real *>(d_d));
  TRY_KERNEL(f64_16x16x4, double, "v_mfma_f64_16x16x4f64")
  TRY_KERNEL(f64_4x4x4, double, "v_mfma_f64_4x4x4f64")
  TRY_KERNEL(f32_16x16x4, float, "v_mfma_f32_16x16x4f32")
  TRY_KERNEL(f32_4x4x1, float, "v_mfma_f32_4x4x1f32")
  TRY_KERNEL(f32_16x16x1, float, "v_mfma_f32_16x16x1f32")
  TRY_KERNEL(f32_32x32x2, float, "v_mfma_f32_32x32x2f32")
  TRY_KERNEL(f32_32x32x1, float, "v_mfma_f32_32x32x1f32")
#else
  (void)device, (void)count, (void)d_a, (void)d_b, (void)d_d;
#endif
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__, "this program has no code for %s",
                         instruction->name);
}
