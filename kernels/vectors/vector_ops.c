/* SPDX-License-Identifier: BSD-3-Clause
 * The vector passes of each instruction set that was built. */
#include "kernels/vectors/vector_ops.h"

#define DECLARE(name, set)                                                                         \
  extern const struct hb_vector_ops hb_vector_ops_f64_##name, hb_vector_ops_f32_##name;
HB_FOR_EACH_BUILT_ISA(DECLARE)

const struct hb_vector_ops *hb_vector_ops_for(enum hb_host_isa isa, enum hb_precision precision) {
  static const struct hb_vector_ops *const ops[HB_NUM_HOST_ISAS][2] = {
#define ENTRY(name, set) [set] = {&hb_vector_ops_f64_##name, &hb_vector_ops_f32_##name},
      HB_FOR_EACH_BUILT_ISA(ENTRY)
#undef ENTRY
  };
  return ops[isa == HB_ISA_PLAIN ? hb_host_isa_plainest_vectors() : isa][precision];
}
