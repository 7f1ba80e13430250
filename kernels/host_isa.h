/* SPDX-License-Identifier: BSD-3-Clause
 * Instruction sets of the host: which were built (HELMBONE_HOST_ISA), and which this processor has.
 * Host kernels, vector passes and the set-up of geometry each have an implementation a set. */
#ifndef HB_KERNELS_HOST_ISA_H
#define HB_KERNELS_HOST_ISA_H

#include "kernels/base.h"

enum hb_host_isa {
  HB_ISA_PLAIN, /* the reference's: any processor of the compiler's target */
  HB_ISA_V2,    /* x86-64 levels, each with what those before it have */
  HB_ISA_V3,
  HB_ISA_V4,
  HB_ISA_NATIVE, /* the building machine's, which nothing can be asked about */
  HB_NUM_HOST_ISAS
};

/* As bits 1 << set: those that this program holds, and those that this processor can run. */
unsigned hb_host_isa_built(void);
unsigned hb_host_isa_here(void);

/* Was it built, and has this processor what it needs? */
static inline bool hb_host_isa_runs(enum hb_host_isa isa) {
  return (hb_host_isa_built() & hb_host_isa_here() & 1u << isa) != 0;
}

/* The first built after PLAIN, which every build has: for what there is by vectors alone. */
enum hb_host_isa hb_host_isa_plainest_vectors(void);

/* Every run needs the plainest set of vectors: the vector passes of the reference and of GPU solves
 * are compiled for it.  HB_MACHINE_FAILED, with its name, if the processor lacks it. */
enum hb_status hb_host_isa_check(unsigned built, unsigned here);

#endif
