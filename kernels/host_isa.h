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

/* DO(name, set) for each set with vectors that the program holds: for tables of what is compiled
 * per instruction set, whose names end in that name. */
#ifdef HB_HAVE_ISA_v2
#define HB_IF_ISA_V2(DO) DO(v2, HB_ISA_V2)
#else
#define HB_IF_ISA_V2(DO)
#endif
#ifdef HB_HAVE_ISA_v3
#define HB_IF_ISA_V3(DO) DO(v3, HB_ISA_V3)
#else
#define HB_IF_ISA_V3(DO)
#endif
#ifdef HB_HAVE_ISA_v4
#define HB_IF_ISA_V4(DO) DO(v4, HB_ISA_V4)
#else
#define HB_IF_ISA_V4(DO)
#endif
#ifdef HB_HAVE_ISA_native
#define HB_IF_ISA_NATIVE(DO) DO(native, HB_ISA_NATIVE)
#else
#define HB_IF_ISA_NATIVE(DO)
#endif
#define HB_FOR_EACH_BUILT_ISA(DO)                                                                  \
  HB_IF_ISA_V2(DO) HB_IF_ISA_V3(DO) HB_IF_ISA_V4(DO) HB_IF_ISA_NATIVE(DO)

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
