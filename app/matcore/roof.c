/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore roof: modelled times of the operator's strategies. */
#include "app/matcore/roof.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/matcore/arguments.h"
#include "kernels/matcore/roof.h"

enum { MAX_WORDS = 16, ALL = -1 };

static const char usage[] =
    "helmbone-matcore roof [MACHINE|ARCH] N ...   modelled cycles of one element, and Gpoint/s\n"
    "    --precision f64|f32   --geometry stored|trilinear|affine\n"
    "    --strategy 1d|kstep|staged|staged_16|staged_xor|chained|tensor   --csv\n"
    "helmbone-matcore roof --machines [--csv]     the constants and their sources\n"
    "Columns: cycles of one CU (or SM) that memory, LDS (shared memory), matrix cores and vector\n"
    "units would need; the largest binds.  Gpoint/s: of the machine, if the four overlapped\n"
    "perfectly.  Everything is modelled from vendors' peak figures, nothing measured; 1d and "
    "kstep\n"
    "read D from LDS for every term, and a kernel that keeps it in registers can be faster.\n";

struct selection {
  const char *machine; /* a machine's or architecture's name, NULL: all */
  int geometry, strategy;
  enum hb_precision precision;
  bool csv;
};

static bool selected(const struct selection *selection, const struct hb_machine *machine) {
  return selection->machine == NULL || hb_machine_find(selection->machine) == machine ||
         strcmp(selection->machine, machine->arch) == 0;
}

static void print_machines(const struct selection *selection) {
  if (selection->csv)
    puts("machine,arch,cus,clock_hz,memory_bytes_per_s,lds_bytes_per_cycle,lds_banks,matrix_f64,"
         "matrix_f32,vector_f64,vector_f32,source");
  for (int m = 0; m < hb_machine_count(); m++) {
    const struct hb_machine *x = hb_machine_at(m);
    if (!selected(selection, x)) continue;
    printf(selection->csv
               ? "%s,%s,%d,%.4g,%.5g,%d,%d,%g,%g,%g,%g,\"%s\"\n"
               : "%-7s %-7s %3d CUs  %.4g Hz  %.5g B/s  LDS %d B/cycle in %d banks\n"
                 "        flops a CU and cycle: matrix f64 %g, f32 %g; vector f64 %g, f32 %g\n"
                 "        %s\n",
           x->name, x->arch, x->num_cus, x->clock_hz, x->memory_bytes_per_s, x->lds_bytes_per_cycle,
           x->lds_banks, x->matrix_flops[HB_F64], x->matrix_flops[HB_F32], x->vector_flops[HB_F64],
           x->vector_flops[HB_F32], x->source);
  }
}

static enum hb_status print_case(const struct hb_roof_case *c, bool csv) {
  enum hb_status status = HB_OK;
  struct hb_roof roof;
  HB_TRY(hb_roof_model(c, &roof));
  printf(csv ? "%s,%d,%s,%s,%s" : "%-7s %2d  %s  %-9s  %-10s", c->machine->name, c->n,
         c->precision == HB_F64 ? "f64" : "f32", hb_roof_geometry_name(c->geometry),
         hb_roof_strategy_name(c->strategy));
  for (int limit = 0; limit < HB_ROOF_LIMITS; limit++)
    printf(csv ? ",%.1f" : "  %8.0f", roof.cycles[limit]);
  printf(csv ? ",%s,%.2f,modelled\n" : "  %-6s  %8.2f\n", hb_roof_limit_name(roof.binds),
         roof.points_per_s / 1e9);
done:
  return status;
}

static enum hb_status print_order(const struct selection *selection, int n, int *num_printed) {
  enum hb_status status = HB_OK;
  for (int m = 0; m < hb_machine_count(); m++)
    for (int geometry = 0; geometry < HB_ROOF_NUM_GEOMETRIES; geometry++)
      for (int strategy = 0; strategy < HB_ROOF_NUM_STRATEGIES; strategy++) {
        const struct hb_roof_case c = {hb_machine_at(m), n, selection->precision,
                                       (enum hb_roof_strategy)strategy,
                                       (enum hb_roof_geometry)geometry};
        if (!selected(selection, c.machine) || !hb_roof_exists(&c)) continue;
        if (selection->geometry != ALL && selection->geometry != geometry) continue;
        if (selection->strategy != ALL && selection->strategy != strategy) continue;
        HB_TRY(print_case(&c, selection->csv));
        (*num_printed)++;
      }
done:
  return status;
}

static enum hb_status choose(const char *text, const char *geometry, const char *strategy,
                             struct selection *selection) {
  enum hb_status status = HB_OK;
  HB_TRY(hb_matcore_precision(text, &selection->precision));
  for (int g = 0; geometry != NULL && g < HB_ROOF_NUM_GEOMETRIES; g++)
    if (strcmp(geometry, hb_roof_geometry_name((enum hb_roof_geometry)g)) == 0)
      selection->geometry = g;
  if (geometry != NULL && selection->geometry == ALL)
    HB_FAIL(HB_BAD_INPUT, "--geometry: '%s'; allowed: stored, trilinear, affine", geometry);
  for (int s = 0; strategy != NULL && s < HB_ROOF_NUM_STRATEGIES; s++)
    if (strcmp(strategy, hb_roof_strategy_name((enum hb_roof_strategy)s)) == 0)
      selection->strategy = s;
  if (strategy != NULL && selection->strategy == ALL)
    HB_FAIL(HB_BAD_INPUT,
            "--strategy: '%s'; allowed: 1d, kstep, staged, staged_16, staged_xor, chained, tensor",
            strategy);
done:
  return status;
}

/* The first word is a machine or architecture unless it is a number. */
static enum hb_status choose_machine(const char **words, int num_words,
                                     struct selection *selection) {
  enum hb_status status = HB_OK;
  bool known = false;
  if (num_words == 0 || isdigit((unsigned char)words[0][0]) || words[0][0] == '-') return HB_OK;
  selection->machine = words[0];
  for (int m = 0; m < hb_machine_count(); m++)
    known = known || selected(selection, hb_machine_at(m));
  if (!known)
    HB_FAIL(HB_BAD_INPUT,
            "machine: '%s'; allowed: MI100, MI250X, MI300A, MI300X, H100, H200, or gfx908, "
            "gfx90a, gfx942, sm_90",
            words[0]);
done:
  return status;
}

static enum hb_status print_orders(const struct selection *selection, const char **words,
                                   int num_words) {
  enum hb_status status = HB_OK;
  int orders[MAX_WORDS], num_printed = 0;
  const int first = selection->machine != NULL;
  if (num_words <= first) HB_FAIL(HB_BAD_INPUT, "which n?  2 to %d; roof --help", HB_MAX_N);
  for (int w = first; w < num_words; w++)
    HB_TRY(hb_matcore_number(words[w], "n", 2, HB_MAX_N, &orders[w]));
  if (selection->csv)
    puts("machine,n,precision,geometry,strategy,memory_cycles,lds_cycles,matrix_cycles,"
         "vector_cycles,binds,gpoint_per_s,kind");
  else
    printf(
        "modelled, not measured: CU cycles of one element\n"
        "machine  n       geometry   strategy      memory       lds    matrix    vector  binds   "
        "Gpoint/s\n");
  for (int w = first; w < num_words; w++) HB_TRY(print_order(selection, orders[w], &num_printed));
  if (num_printed == 0)
    HB_FAIL(HB_BAD_INPUT, "no such strategy for this n and precision on this machine");
done:
  return status;
}

int hb_matcore_roof(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct selection selection = {NULL, ALL, ALL, HB_F64, false};
  const char *words[MAX_WORDS], *precision = "f64", *geometry = NULL, *strategy = NULL;
  bool help = false, machines = false;
  int num_words = 0;
  const struct hb_matcore_option options[] = {
      {.name = "--precision", .word = &precision}, {.name = "--geometry", .word = &geometry},
      {.name = "--strategy", .word = &strategy},   {.name = "--machines", .flag = &machines},
      {.name = "--csv", .flag = &selection.csv},   {.name = "--help", .flag = &help}};
  HB_TRY(hb_matcore_parse(argc, argv, options, 6, words, MAX_WORDS, &num_words));
  if (help) {
    fputs(usage, stdout);
    goto done;
  }
  HB_TRY(choose(precision, geometry, strategy, &selection));
  HB_TRY(choose_machine(words, num_words, &selection));
  if (machines)
    print_machines(&selection);
  else
    HB_TRY(print_orders(&selection, words, num_words));
done:
  return (int)status;
}
