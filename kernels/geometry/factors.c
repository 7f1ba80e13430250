/* SPDX-License-Identifier: BSD-3-Clause
 * The set-up of factors in each instruction set that was built. */
#include "kernels/geometry/factors.h"

#define DECLARE(name, set) extern const struct hb_geometric_setup hb_geometric_setup_f64_##name;
HB_FOR_EACH_BUILT_ISA(DECLARE)

const struct hb_geometric_setup *hb_geometric_setup_for(enum hb_host_isa isa) {
  static const struct hb_geometric_setup reference = {1, hb_geometric_factors_host};
  static const struct hb_geometric_setup *const setups[HB_NUM_HOST_ISAS] = {
      [HB_ISA_PLAIN] = &reference,
#define ENTRY(name, set) [set] = &hb_geometric_setup_f64_##name,
      HB_FOR_EACH_BUILT_ISA(ENTRY)
#undef ENTRY
  };
  return setups[isa];
}
