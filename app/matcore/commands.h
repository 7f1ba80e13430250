/* SPDX-License-Identifier: BSD-3-Clause
 * The sub-commands of helmbone-matcore.  Each takes its own name as argv[0] and the arguments after
 * it, prints to standard output, and returns the program's exit code, an enum hb_status; the
 * message of what went wrong is in the error record, for main to print. */
#ifndef HB_APP_MATCORE_COMMANDS_H
#define HB_APP_MATCORE_COMMANDS_H

#include "app/matcore/instruction.h"

/* list [ARCH] [--csv] */
int hb_matcore_list(int argc, char **argv);

/* layout INSTR A|B|C|D [...]; see the usage of helmbone-matcore */
int hb_matcore_layout(int argc, char **argv);

/* chain INSTR [--arch ARCH] [--csv] */
int hb_matcore_chain(int argc, char **argv);

/* probe [--device N] [--csv]; exit code 1 if an element is not where the table has it */
int hb_matcore_probe(int argc, char **argv);

/* layout_shared.c: an operand of tcgen05 in shared memory. */
enum hb_matcore_form { HB_MATCORE_TABLE, HB_MATCORE_ELEMENT, HB_MATCORE_BYTE };
struct hb_matcore_shared_view {
  const struct hb_matcore_instruction *instruction; /* borrowed */
  char operand;
  struct hb_tcgen05_shared shared; /* its mn and bits are filled in here */
  enum hb_matcore_form form;
  bool csv;
  int row, col, byte; /* of the forms ELEMENT and BYTE */
};
enum hb_status hb_matcore_print_shared(struct hb_matcore_shared_view *view);

/* svg.c: writes a picture of the operand's tile, coloured by lane group. */
enum hb_status hb_matcore_write_svg(const char *path,
                                    const struct hb_matcore_instruction *instruction, char operand,
                                    const struct hb_tile_layout *layout);

/* formula.c: the two maps in words, as lines "forward: lane = ..." and "inverse: ...". */
void hb_matcore_print_formulas(const struct hb_tile_layout *layout, char operand);

/* The letters of an operand's row and column: "ik", "kj" or "ij". */
const char *hb_matcore_letters(char operand);

#endif
