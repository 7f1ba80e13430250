/* SPDX-License-Identifier: BSD-3-Clause
 * The host's instruction sets, asked of the processor. */
#include "kernels/host_isa.h"

unsigned hb_host_isa_built(void) {
  unsigned built = 1u << HB_ISA_PLAIN;
#define ADD(name, set) built |= 1u << (set);
  HB_FOR_EACH_BUILT_ISA(ADD)
#undef ADD
  return built;
}

unsigned hb_host_isa_here(void) {
  unsigned here = 1u << HB_ISA_PLAIN | 1u << HB_ISA_NATIVE;
#ifdef __x86_64__
  if (__builtin_cpu_supports("sse4.2")) here |= 1u << HB_ISA_V2;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    here |= 1u << HB_ISA_V3;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    here |= 1u << HB_ISA_V4;
#endif
  return here;
}

static enum hb_host_isa plainest_vectors(unsigned built) {
  int isa = HB_ISA_PLAIN + 1;
  while (isa < HB_ISA_NATIVE && (built & 1u << isa) == 0) isa++;
  return (enum hb_host_isa)isa;
}

enum hb_host_isa hb_host_isa_plainest_vectors(void) {
  return plainest_vectors(hb_host_isa_built());
}

enum hb_status hb_host_isa_check(unsigned built, unsigned here) {
  static const char *const names[HB_NUM_HOST_ISAS] = {
      [HB_ISA_V2] = "v2 (SSE4.2)", [HB_ISA_V3] = "v3 (AVX2)", [HB_ISA_V4] = "v4 (AVX-512)"};
  enum hb_status status = HB_OK;
  const enum hb_host_isa needed = plainest_vectors(built);
  if (names[needed] != NULL && (here & 1u << needed) == 0)
    HB_FAIL(HB_MACHINE_FAILED,
            "this processor lacks x86-64-%s, the plainest instruction set that the host's kernels "
            "are built for; choose with -DHELMBONE_HOST_ISA=v2|v3|v4",
            names[needed]);
done:
  return status;
}
