/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix instructions of both vendors under one roof: found by name, with their layouts. */
#ifndef HB_APP_MATCORE_INSTRUCTION_H
#define HB_APP_MATCORE_INSTRUCTION_H

#include "kernels/matcore/mfma_layout.h"
#include "kernels/matcore/tcgen05_layout.h"

enum { HB_MATCORE_NAME_BYTES = 64, HB_MATCORE_LIST_BYTES = 256 };

enum hb_matcore_family { HB_MATCORE_MFMA, HB_MATCORE_MMA_SYNC, HB_MATCORE_TCGEN05 };

struct hb_matcore_instruction {
  char name[HB_MATCORE_NAME_BYTES];
  enum hb_matcore_family family;
  const struct hb_mfma *mfma;         /* borrowed; of the family MFMA, else NULL */
  const struct hb_mma_sync *mma_sync; /* borrowed; of the family MMA_SYNC, else NULL */
  struct hb_tcgen05 tcgen05;          /* of the family TCGEN05 */
  int m, n, k, blocks;
};

/* Of those that the tables have, NULL at the end. */
const char *hb_matcore_architecture_at(int i);

/* HB_BAD_INPUT with the known ones in the message if it is unknown. */
enum hb_status hb_matcore_architecture_check(const char *architecture);

/* By name.  HB_BAD_INPUT if there is none, with near names in the message, or if `architecture`
 * (empty: any) lacks it, with those that have it. */
enum hb_status hb_matcore_find(const char *name, const char *architecture,
                               struct hb_matcore_instruction *instruction);

/* Has the architecture this instruction? */
bool hb_matcore_has(const struct hb_matcore_instruction *instruction, const char *architecture);

/* Operand A, B, C or D in registers or tensor memory; HB_BAD_INPUT for another letter and for B of
 * tcgen05, which is in shared memory only. */
enum hb_status hb_matcore_operand(const struct hb_matcore_instruction *instruction, char operand,
                                  struct hb_tile_layout *layout);

/* What a slot of this operand is, in words. */
const char *hb_matcore_slot_words(const struct hb_matcore_instruction *instruction, char operand);

/* Lanes that a picture shows in one colour. */
int hb_matcore_lane_group(const struct hb_matcore_instruction *instruction);

/* Operands as options have them: names, and the letter of the first, from which they count on. */
#define HB_MATCORE_OPERANDS "A B C D"
enum { HB_MATCORE_FIRST_OPERAND = 'A' };

#endif
