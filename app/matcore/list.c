/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore list: the matrix instructions of an architecture with rates and registers. */
#include <stdio.h>
#include <string.h>

#include "app/matcore/arguments.h"
#include "app/matcore/commands.h"
#include "kernels/matcore/mfma_table.h"

static const char csv_header[] =
    "arch,instruction,mnemonic,m,n,k,blocks,flops,cycles,passes,flops_per_cu_cycle,coexec_cycles,"
    "registers_a,registers_b,registers_cd,align_bytes,cd_in_vgprs,cbsz_abid,blgp,opcode,"
    "srcc_wait_states\n";

static const char amd_header[] =
    "  instruction                 M  N  K blocks flops cycles flops/CU/cycle  co-exec    A  B C,D "
    "waits\n";

static const char amd_notes[] =
    "  A, B, C,D: 32-bit registers of a lane.  co-exec: cycles in which the VALU works beside it.\n"
    "  waits: issue slots before the same instruction may take the result as its C.\n"
    "  From AMD's matrix instruction calculator 2ef91896bcdc; waits from LLVM 00b3068edba9.  Not "
    "measured.\n";

static const char nvidia_header[] =
    "  instruction                 M  N  K blocks flops    A  B C,D\n";

static const char tcgen05_forms[] =
    "  tcgen05.mma.mMnNkK.TYPE       M 64, 128; N 8..256 by 8\n"
    "  tcgen05.mma.ws.mMnNkK.TYPE    weight-stationary: M 32, 64, 128; N 64, 128, 256\n"
    "  tcgen05.mma.2cta.mMnNkK.TYPE  two CTAs: M 128, 256; N 16..256 by 16\n"
    "  TYPE f16 (K 16), tf32 (K 8), f8 (K 32); there is no f64\n";

static void print_amd_row(const struct hb_mfma_rate *rate, bool csv) {
  const struct hb_mfma *x = hb_mfma_find(rate->instruction);
  const bool renamed = strcmp(rate->mnemonic, x->name) != 0;
  if (csv) {
    printf("%s,%s,%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", rate->architecture,
           x->name, rate->mnemonic, x->m, x->n, x->k, x->blocks, rate->flops, rate->cycles,
           rate->passes, rate->flops_per_cu_cycle, rate->coexec_cycles, rate->vgprs_a,
           rate->vgprs_b, rate->vgprs_cd, rate->align_bytes, rate->cd_archvgpr, rate->cbsz_abid,
           rate->blgp, rate->opcode, rate->srcc_wait_states);
    return;
  }
  printf("  %-26s %2d %2d %2d %6d %5d %6d %14d %8d   %2d %2d %3d %5d%s%s\n", x->name, x->m, x->n,
         x->k, x->blocks, rate->flops, rate->cycles, rate->flops_per_cu_cycle, rate->coexec_cycles,
         rate->vgprs_a, rate->vgprs_b, rate->vgprs_cd, rate->srcc_wait_states,
         renamed ? "  = " : "", renamed ? rate->mnemonic : "");
}

static void print_nvidia_row(const char *architecture, const struct hb_mma_sync *x, bool csv) {
  const int words = 2, flops = 2 * x->m * x->n * x->k;
  const int a = words * hb_mma_sync_layout(x, 'A').slots;
  const int b = words * hb_mma_sync_layout(x, 'B').slots;
  const int d = words * hb_mma_sync_layout(x, 'D').slots;
  if (csv)
    printf("%s,%s,%s,%d,%d,%d,1,%d,,,,,%d,%d,%d,,,,,,\n", architecture, x->name, x->name, x->m,
           x->n, x->k, flops, a, b, d);
  else
    printf("  %-26s %2d %2d %2d %6d %5d   %2d %2d %3d\n", x->name, x->m, x->n, x->k, 1, flops, a, b,
           d);
}

static void print_nvidia(const char *architecture, bool csv) {
  if (!csv) printf("%s", nvidia_header);
  for (int i = 0; i < hb_mma_sync_count(); i++) {
    struct hb_matcore_instruction x = {.family = HB_MATCORE_MMA_SYNC};
    x.mma_sync = hb_mma_sync_at(i);
    if (hb_matcore_has(&x, architecture)) print_nvidia_row(architecture, x.mma_sync, csv);
  }
  if (!csv && strcmp(architecture, "sm_100") == 0) printf("%s", tcgen05_forms);
}

static void print_architecture(const char *architecture, bool csv) {
  if (!csv) printf("%s\n", architecture);
  if (strncmp(architecture, "gfx", 3) != 0) {
    print_nvidia(architecture, csv);
    return;
  }
  if (!csv) printf("%s", amd_header);
  for (int i = 0; i < hb_mfma_rate_count(); i++)
    if (strcmp(hb_mfma_rate_at(i)->architecture, architecture) == 0)
      print_amd_row(hb_mfma_rate_at(i), csv);
  if (!csv) printf("%s", amd_notes);
}

struct arguments {
  char architecture[HB_MATCORE_NAME_BYTES]; /* empty: all */
  bool csv;
};

static const struct hb_option rows[] = {
    {.name = "architecture",
     .type = HB_OPTION_TEXT,
     .words = 1,
     HB_OPTION_MEMBER(arguments, architecture),
     .help = "gfx908 gfx90a gfx942 sm_80 sm_90 sm_100; all if it is left out"},
    HB_MATCORE_FLAG(arguments, "csv", csv, "comma-separated, with a header")};

static const struct hb_matcore_usage usage = {
    "Usage: helmbone-matcore list [ARCHITECTURE] [--csv]\n"
    "Matrix instructions with shapes, rates, registers, wait states.\n",
    {rows, sizeof rows / sizeof *rows},
    NULL};

int hb_matcore_list(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct arguments given = {.csv = false};
  bool helped = false;
  HB_TRY(hb_matcore_arguments(&usage, argc, argv, &given, &helped));
  if (helped) goto done;
  const bool all = given.architecture[0] == '\0';
  if (!all) HB_TRY(hb_matcore_architecture_check(given.architecture));
  if (given.csv) printf("%s", csv_header);
  const char *architecture;
  for (int i = 0; (architecture = hb_matcore_architecture_at(i)) != NULL; i++) {
    if (all || strcmp(given.architecture, architecture) == 0)
      print_architecture(architecture, given.csv);
  }
done:
  return (int)status;
}
