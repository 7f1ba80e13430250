/* SPDX-License-Identifier: BSD-3-Clause
 * Rates, registers and wait states of AMD's matrix instructions: the rows. */
#include "kernels/matcore/mfma_table.h"

#include <string.h>

/* architecture, instruction, mnemonic, flops, cycles, passes, flops a CU and cycle, co-execution
 * cycles, registers of A, B, C and D, alignment, C and D in VGPRs, cbsz and abid, blgp, opcode,
 * wait states */
static const struct hb_mfma_rate rates[] = {
    {"gfx908", "v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1f32", 4096, 64, 16, 256, 56, 1, 1, 32, 4,
     false, true, true, 0, 0},
    {"gfx90a", "v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1f32", 4096, 64, 16, 256, 60, 1, 1, 32, 8,
     true, true, true, 0, 0},
    {"gfx942", "v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32", 4096, 64, 16, 256, 0, 1, 1, 32,
     8, true, true, true, 0, 0},
    {"gfx908", "v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1f32", 2048, 32, 8, 256, 24, 1, 1, 16, 4,
     false, true, true, 1, 0},
    {"gfx90a", "v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1f32", 2048, 32, 8, 256, 28, 1, 1, 16, 8,
     true, true, true, 1, 0},
    {"gfx942", "v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32", 2048, 32, 8, 256, 0, 1, 1, 16,
     8, true, true, true, 1, 0},
    {"gfx908", "v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1f32", 512, 8, 2, 256, 0, 1, 1, 4, 4, false,
     true, true, 2, 0},
    {"gfx90a", "v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1f32", 512, 8, 2, 256, 4, 1, 1, 4, 8, true,
     true, true, 2, 0},
    {"gfx942", "v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32", 512, 8, 2, 256, 0, 1, 1, 4, 8,
     true, true, true, 2, 2},
    {"gfx908", "v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2f32", 4096, 64, 16, 256, 56, 1, 1, 16, 4,
     false, false, true, 4, 0},
    {"gfx90a", "v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2f32", 4096, 64, 16, 256, 60, 1, 1, 16, 8,
     true, false, true, 4, 0},
    {"gfx942", "v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32", 4096, 64, 16, 256, 0, 1, 1, 16, 8,
     true, false, true, 4, 0},
    {"gfx908", "v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4f32", 2048, 32, 8, 256, 24, 1, 1, 4, 4,
     false, false, true, 5, 0},
    {"gfx90a", "v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4f32", 2048, 32, 8, 256, 28, 1, 1, 4, 8,
     true, false, true, 5, 0},
    {"gfx942", "v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32", 2048, 32, 8, 256, 0, 1, 1, 4, 8,
     true, false, true, 5, 0},
    {"gfx90a", "v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4f64", 2048, 32, 8, 256, 0, 2, 2, 8, 8,
     true, false, false, 46, 0},
    {"gfx942", "v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64", 2048, 32, 8, 256, 0, 2, 2, 8, 8,
     true, false, true, 46, 0},
    {"gfx90a", "v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4f64", 512, 16, 4, 128, 0, 2, 2, 2, 8, true,
     false, false, 47, 4},
    {"gfx942", "v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64", 512, 16, 4, 128, 0, 2, 2, 2, 8,
     true, false, true, 47, 4},
    {"gfx942", "v_mfma_f32_16x16x8_xf32", "v_mfma_f32_16x16x8_xf32", 4096, 16, 4, 1024, 12, 2, 2, 4,
     8, true, false, false, 62, 0},
    {"gfx942", "v_mfma_f32_32x32x4_xf32", "v_mfma_f32_32x32x4_xf32", 8192, 32, 8, 1024, 28, 2, 2,
     16, 8, true, false, false, 63, 0},
};

int hb_mfma_rate_count(void) { return (int)(sizeof rates / sizeof rates[0]); }

const struct hb_mfma_rate *hb_mfma_rate_at(int i) { return &rates[i]; }

const struct hb_mfma_rate *hb_mfma_rate_find(const char *architecture, const char *instruction) {
  for (int i = 0; i < hb_mfma_rate_count(); i++)
    if (strcmp(rates[i].architecture, architecture) == 0 &&
        strcmp(rates[i].instruction, instruction) == 0)
      return &rates[i];
  return NULL;
}
