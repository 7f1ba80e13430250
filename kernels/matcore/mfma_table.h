/* SPDX-License-Identifier: BSD-3-Clause
 * Rates, registers and wait states of AMD's matrix instructions, one row an architecture.
 *
 * Sources: AMD's matrix instruction calculator, commit 2ef91896bcdc, for all but the wait states,
 * of which it has none; these are from LLVM's GCNHazardRecognizer.cpp, llvm-project 00b3068edba9.
 * Nothing here was measured. */
#ifndef HB_KERNELS_MATCORE_MFMA_TABLE_H
#define HB_KERNELS_MATCORE_MFMA_TABLE_H

#include "kernels/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hb_mfma_rate {
  const char *architecture; /* gfx908 (CDNA1), gfx90a (CDNA2), gfx942 (CDNA3) */
  const char *instruction;  /* name in kernels/matcore/mfma_layout.h */
  const char *mnemonic;     /* what the assembler of this architecture prints */
  int flops;                /* of one instruction: 2 M N K blocks */
  int cycles, passes;       /* a pass is four cycles */
  int flops_per_cu_cycle;   /* of a compute unit with its four matrix cores */
  int coexec_cycles;        /* cycles in which the VALU can work beside it; 0: none */
  int vgprs_a, vgprs_b, vgprs_cd;
  int align_bytes;      /* of register tuples */
  bool cd_archvgpr;     /* C and D may stand in VGPRs, not only in AGPRs */
  bool cbsz_abid, blgp; /* modifiers that it takes */
  int opcode;           /* VOP3P-MAI */
  int srcc_wait_states; /* issue slots before the same instruction may take D as its C */
};

int hb_mfma_rate_count(void);
const struct hb_mfma_rate *hb_mfma_rate_at(int i);

/* NULL if the architecture lacks the instruction. */
const struct hb_mfma_rate *hb_mfma_rate_find(const char *architecture, const char *instruction);

#ifdef __cplusplus
}
#endif

#endif
