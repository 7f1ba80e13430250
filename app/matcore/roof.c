/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore roof: modelled times of the operator's strategies. */
#include "app/matcore/roof.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/matcore/arguments.h"
#include "kernels/element/architectures.h"
#include "kernels/matcore/roof.h"

enum { MAX_WORDS = 16, WORD_BYTES = 32, ALL = 0 };

struct arguments {
  char words[MAX_WORDS][WORD_BYTES]; /* a machine or architecture, or not, then orders */
  enum hb_precision precision;
  int geometry, strategy; /* ALL, or one more than the enum */
  bool machines, csv;
};

static const struct hb_option rows[] = {
    {.name = "machine or n",
     .type = HB_OPTION_TEXT,
     .words = MAX_WORDS,
     .offset = offsetof(struct arguments, words),
     .bytes = WORD_BYTES,
     .help = "a machine or its architecture, all if it is left out; then one n or more"},
    HB_MATCORE_CHOICE(arguments, "precision", precision, "f64 f32", "f64", "of the values"),
    HB_MATCORE_CHOICE(arguments, "geometry", geometry, "all stored trilinear affine", "all",
                      "where the factors come from"),
    HB_MATCORE_CHOICE(arguments, "strategy", strategy,
                      "all 1d kstep staged staged_16 staged_xor chained tensor", "all",
                      "of the kernel"),
    HB_MATCORE_FLAG(arguments, "machines", machines, "the constants and their sources"),
    HB_MATCORE_FLAG(arguments, "csv", csv, "comma-separated, with a header")};

static const struct hb_matcore_usage usage = {
    "Usage: helmbone-matcore roof [MACHINE|ARCH] N ... [--NAME VALUE | --FLAG]...\n"
    "Modelled cycles of one element, and Gpoint/s.\n",
    {rows, sizeof rows / sizeof *rows},
    "Columns: cycles of one CU (or SM) that memory, LDS (shared memory), matrix cores and vector\n"
    "units would need; the largest binds.  Gpoint/s: of the machine, if the four overlapped\n"
    "perfectly.  Everything is modelled from vendors' peak figures, nothing measured; 1d reads D\n"
    "from LDS for every term, and a kernel that keeps it in registers can be faster.\n"};

struct selection {
  const char *machine; /* a machine's or architecture's name, NULL: all */
  const struct arguments *given;
};

static bool selected(const struct selection *selection, const struct hb_machine *machine) {
  return selection->machine == NULL || hb_machine_find(selection->machine) == machine ||
         strcmp(selection->machine, machine->arch) == 0;
}

static void print_machines(const struct selection *selection) {
  if (selection->given->csv)
    puts("machine,arch,cus,clock_hz,memory_bytes_per_s,lds_bytes_per_cycle,lds_banks,matrix_f64,"
         "matrix_f32,vector_f64,vector_f32,source");
  for (int m = 0; m < hb_machine_count(); m++) {
    const struct hb_machine *x = hb_machine_at(m);
    if (!selected(selection, x)) continue;
    printf(selection->given->csv
               ? "%s,%s,%d,%.4g,%.5g,%d,%d,%g,%g,%g,%g,\"%s\"\n"
               : "%-7s %-7s %3d CUs  %.4g Hz  %.5g B/s  LDS %d B/cycle in %d banks\n"
                 "        flops a CU and cycle: matrix f64 %g, f32 %g; vector f64 %g, f32 %g\n"
                 "        %s\n",
           x->name, x->arch, x->num_cus, x->clock_hz, x->memory_bytes_per_s, x->lds_bytes_per_cycle,
           hb_architecture_find(x->arch)->banks, x->matrix_flops[HB_F64], x->matrix_flops[HB_F32],
           x->vector_flops[HB_F64], x->vector_flops[HB_F32], x->source);
  }
}

static enum hb_status print_case(const struct hb_roof_case *c, bool csv) {
  enum hb_status status = HB_OK;
  struct hb_roof roof;
  HB_TRY(hb_roof_model(c, &roof));
  printf(csv ? "%s,%d,%s,%s,%s" : "%-7s %2d  %s  %-9s  %-10s", c->machine->name, c->n,
         hb_precision_name(c->precision), hb_roof_geometry_name(c->geometry),
         hb_roof_strategy_name(c->strategy));
  for (int limit = 0; limit < HB_ROOF_LIMITS; limit++)
    printf(csv ? ",%.1f" : "  %8.0f", roof.cycles[limit]);
  printf(csv ? ",%s,%.2f,modelled\n" : "  %-6s  %8.2f\n", hb_roof_limit_name(roof.binds),
         roof.points_per_s / 1e9);
done:
  return status;
}

static bool is_chosen(int choice, int value) { return choice == ALL || choice == value + 1; }

static enum hb_status print_order(const struct selection *selection, int n, int *num_printed) {
  enum hb_status status = HB_OK;
  for (int m = 0; m < hb_machine_count(); m++)
    for (int geometry = 0; geometry < HB_ROOF_NUM_GEOMETRIES; geometry++)
      for (int strategy = 0; strategy < HB_ROOF_NUM_STRATEGIES; strategy++) {
        const struct hb_roof_case c = {hb_machine_at(m), n, selection->given->precision,
                                       (enum hb_roof_strategy)strategy,
                                       (enum hb_roof_geometry)geometry};
        if (!selected(selection, c.machine) || !hb_roof_exists(&c)) continue;
        if (!is_chosen(selection->given->geometry, geometry)) continue;
        if (!is_chosen(selection->given->strategy, strategy)) continue;
        HB_TRY(print_case(&c, selection->given->csv));
        (*num_printed)++;
      }
done:
  return status;
}

/* The first word is a machine or architecture unless it is a number. */
static enum hb_status choose_machine(struct selection *selection) {
  enum hb_status status = HB_OK;
  const char *word = selection->given->words[0];
  bool known = false;
  if (word[0] == '\0' || isdigit((unsigned char)word[0])) return HB_OK;
  selection->machine = word;
  for (int m = 0; m < hb_machine_count(); m++)
    known = known || selected(selection, hb_machine_at(m));
  if (!known)
    HB_FAIL(HB_BAD_INPUT,
            "machine: '%s'; allowed: MI100, MI250X, MI300A, MI300X, MI325X, MI355X, H100, H200, "
            "B200, B300, or gfx908, gfx90a, gfx942, gfx950, sm_90, sm_100, sm_103",
            word);
done:
  return status;
}

static enum hb_status print_orders(const struct selection *selection) {
  static const struct hb_option order = {.name = "n",
                                         .type = HB_OPTION_INTEGER,
                                         .offset = 0,
                                         .bytes = sizeof(int),
                                         .lowest = 2,
                                         .highest = HB_MAX_N};
  enum hb_status status = HB_OK;
  int orders[MAX_WORDS], count = 0, num_printed = 0;
  for (int w = selection->machine != NULL; w < MAX_WORDS; w++)
    if (selection->given->words[w][0] != '\0')
      HB_TRY(
          hb_option_set(&order, "command line: n", selection->given->words[w], &orders[count++]));
  if (count == 0) HB_FAIL(HB_BAD_INPUT, "command line: the n is missing; allowed: 2..%d", HB_MAX_N);
  if (selection->given->csv)
    puts("machine,n,precision,geometry,strategy,memory_cycles,lds_cycles,matrix_cycles,"
         "vector_cycles,binds,gpoint_per_s,kind");
  else
    printf(
        "modelled, not measured: CU cycles of one element\n"
        "machine  n       geometry   strategy      memory       lds    matrix    vector  binds   "
        "Gpoint/s\n");
  for (int i = 0; i < count; i++) HB_TRY(print_order(selection, orders[i], &num_printed));
  if (num_printed == 0)
    HB_FAIL(HB_BAD_INPUT, "no such strategy for this n and precision on this machine");
done:
  return status;
}

int hb_matcore_roof(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct arguments given = {.csv = false};
  struct selection selection = {NULL, &given};
  bool helped = false;
  HB_TRY(hb_matcore_arguments(&usage, argc, argv, &given, &helped));
  if (helped) goto done;
  HB_TRY(choose_machine(&selection));
  if (given.machines)
    print_machines(&selection);
  else
    HB_TRY(print_orders(&selection));
done:
  return (int)status;
}
