/* SPDX-License-Identifier: BSD-3-Clause
 * The instruction sets that the host's kernels are built for, and those that a processor has. */
#ifndef HB_KERNELS_ISA_H
#define HB_KERNELS_ISA_H

#include "kernels/base.h"

/* Bits of a set of them; each includes what those before it have.  HB_ISA_NATIVE is the building
 * machine's, which nothing can be asked about. */
enum hb_isa { HB_ISA_V2 = 1, HB_ISA_V3 = 2, HB_ISA_V4 = 4, HB_ISA_NATIVE = 8 };

/* Those that this library holds kernels for, and those that this processor can run. */
unsigned hb_isa_built(void);
unsigned hb_isa_here(void);

/* Every run needs the plainest set built: the vector passes of the reference and of GPU solves are
 * compiled for it.  HB_MACHINE_FAILED, with its name, if the processor lacks it. */
enum hb_status hb_isa_check(unsigned built, unsigned here);

#endif
