/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore: tools for matrix instructions and the shared memory that feeds them. */
#include <stdio.h>
#include <string.h>

#include "app/matcore/commands.h"
#include "app/matcore/lds.h"
#include "app/matcore/roof.h"
#include "app/option.h"
#include "app/program.h"

static const char usage[] =
    "helmbone-matcore COMMAND ...   tools for matrix instructions; all but probe need no GPU\n"
    "  list [ARCH]                  instructions with shapes, rates, registers, wait states\n"
    "  layout INSTR A|B|C|D         where every element of an operand is, with formulas\n"
    "  chain INSTR                  can the result be the next operand where it is?\n"
    "  lds access|staged|table|pad  bank conflicts and cycles of LDS accesses\n"
    "  roof [MACHINE|ARCH] N ...    modelled times of the operator's strategies\n"
    "  probe                        on an AMD GPU: executes every instruction and reads out where\n"
    "                               each element stands, against the table\n"
    "  COMMAND ... --help           its options\n"
    "  --help                       this text\n"
    "exit code: 0 all right, 1 the probe found the table wrong, 2 wrong use or no such thing, 3 "
    "the machine failed\n";

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {{"list", hb_matcore_list},   {"layout", hb_matcore_layout},
                {"chain", hb_matcore_chain}, {"lds", hb_matcore_lds},
                {"roof", hb_matcore_roof},   {"probe", hb_matcore_probe}};

enum { NUM_COMMANDS = sizeof commands / sizeof commands[0] };

/* The exit code, after saying what went wrong. */
static int finish(const char *command, int code) {
  if (code == HB_OK) code = (int)hb_program_flush();
  if (code != HB_OK) {
    char who[64];
    snprintf(who, sizeof who, "helmbone-matcore %s", command);
    hb_error_print(who);
  }
  return code;
}

static int unknown(const char *name) {
  char shown[HB_OPTION_SHOWN_BYTES];
  const char *nearest = NULL;
  hb_option_shown(name, shown);
  for (int i = 0; i < NUM_COMMANDS; i++)
    if (hb_name_distance(name, commands[i].name) <= 2) nearest = commands[i].name;
  fprintf(stderr, "helmbone-matcore: unknown command '%s'", shown);
  if (nearest != NULL) fprintf(stderr, "; did you mean %s?", nearest);
  fprintf(stderr, "\n%s", usage);
  return HB_BAD_INPUT;
}

int main(int argc, char **argv) {
  hb_program_begin();
  if (argc < 2) {
    fprintf(stderr, "helmbone-matcore: which command?\n%s", usage);
    return HB_BAD_INPUT;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    fputs(usage, stdout);
    return finish("--help", HB_OK);
  }
  for (int i = 0; i < NUM_COMMANDS; i++)
    if (strcmp(argv[1], commands[i].name) == 0)
      return finish(commands[i].name, commands[i].run(argc - 1, argv + 1));
  return unknown(argv[1]);
}
