/* SPDX-License-Identifier: BSD-3-Clause
 * The set-up of factors in each instruction set that was built. */
#include "kernels/geometry/factors.h"

#ifdef HB_HAVE_ISA_v2
extern const struct hb_geometric_setup hb_geometric_setup_f64_v2;
#endif
#ifdef HB_HAVE_ISA_v3
extern const struct hb_geometric_setup hb_geometric_setup_f64_v3;
#endif
#ifdef HB_HAVE_ISA_v4
extern const struct hb_geometric_setup hb_geometric_setup_f64_v4;
#endif
#ifdef HB_HAVE_ISA_native
extern const struct hb_geometric_setup hb_geometric_setup_f64_native;
#endif

const struct hb_geometric_setup *hb_geometric_setup_for(enum hb_host_isa isa) {
  static const struct hb_geometric_setup reference = {1, hb_geometric_factors_host};
  static const struct hb_geometric_setup *const setups[HB_NUM_HOST_ISAS] = {
      [HB_ISA_PLAIN] = &reference,
#ifdef HB_HAVE_ISA_v2
      [HB_ISA_V2] = &hb_geometric_setup_f64_v2,
#endif
#ifdef HB_HAVE_ISA_v3
      [HB_ISA_V3] = &hb_geometric_setup_f64_v3,
#endif
#ifdef HB_HAVE_ISA_v4
      [HB_ISA_V4] = &hb_geometric_setup_f64_v4,
#endif
#ifdef HB_HAVE_ISA_native
      [HB_ISA_NATIVE] = &hb_geometric_setup_f64_native,
#endif
  };
  return setups[isa];
}
