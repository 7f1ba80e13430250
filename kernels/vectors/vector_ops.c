/* SPDX-License-Identifier: BSD-3-Clause
 * The vector passes of each instruction set that was built. */
#include "kernels/vectors/vector_ops.h"

#define DECLARE(isa)                                                                               \
  extern const struct hb_vector_ops hb_vector_ops_f64_##isa, hb_vector_ops_f32_##isa;
#define OPS(isa)                                                                                   \
  { &hb_vector_ops_f64_##isa, &hb_vector_ops_f32_##isa }

#ifdef HB_HAVE_ISA_v2
DECLARE(v2)
#endif
#ifdef HB_HAVE_ISA_v3
DECLARE(v3)
#endif
#ifdef HB_HAVE_ISA_v4
DECLARE(v4)
#endif
#ifdef HB_HAVE_ISA_native
DECLARE(native)
#endif

const struct hb_vector_ops *hb_vector_ops_for(enum hb_host_isa isa, enum hb_precision precision) {
  static const struct hb_vector_ops *const ops[HB_NUM_HOST_ISAS][2] = {
#ifdef HB_HAVE_ISA_v2
      [HB_ISA_V2] = OPS(v2),
#endif
#ifdef HB_HAVE_ISA_v3
      [HB_ISA_V3] = OPS(v3),
#endif
#ifdef HB_HAVE_ISA_v4
      [HB_ISA_V4] = OPS(v4),
#endif
#ifdef HB_HAVE_ISA_native
      [HB_ISA_NATIVE] = OPS(native),
#endif
  };
  return ops[isa == HB_ISA_PLAIN ? hb_host_isa_plainest_vectors() : isa][precision];
}
