/* SPDX-License-Identifier: BSD-3-Clause
 * Asks the processor for the features of the instruction sets. */
#include "kernels/isa.h"

unsigned hb_isa_built(void) {
  unsigned built = 0;
#ifdef HB_HAVE_ISA_v2
  built |= HB_ISA_V2;
#endif
#ifdef HB_HAVE_ISA_v3
  built |= HB_ISA_V3;
#endif
#ifdef HB_HAVE_ISA_v4
  built |= HB_ISA_V4;
#endif
#ifdef HB_HAVE_ISA_native
  built |= HB_ISA_NATIVE;
#endif
  return built;
}

unsigned hb_isa_here(void) {
  unsigned here = HB_ISA_NATIVE;
#ifdef __x86_64__
  if (__builtin_cpu_supports("sse4.2")) here |= HB_ISA_V2;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    here |= HB_ISA_V3;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    here |= HB_ISA_V4;
#endif
  return here;
}

enum hb_status hb_isa_check(unsigned built, unsigned here) {
  static const struct {
    unsigned bit;
    const char *name;
  } sets[] = {{HB_ISA_V2, "v2 (SSE4.2)"}, {HB_ISA_V3, "v3 (AVX2)"}, {HB_ISA_V4, "v4 (AVX-512)"}};
  enum hb_status status = HB_OK;
  for (size_t q = 0; q < sizeof sets / sizeof *sets; q++) {
    if ((built & sets[q].bit) == 0) continue;
    if ((here & sets[q].bit) == 0)
      HB_FAIL(
          HB_MACHINE_FAILED,
          "this processor lacks x86-64-%s, the plainest instruction set that the host's kernels "
          "are built for; choose with -DHELMBONE_HOST_ISA=v2|v3|v4",
          sets[q].name);
    break;
  }
done:
  return status;
}
