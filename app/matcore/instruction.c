/* SPDX-License-Identifier: BSD-3-Clause
 * Finds matrix instructions by name, says near names and the architectures that have one. */
#include "app/matcore/instruction.h"

#include <stdio.h>
#include <string.h>

#include "app/option.h"
#include "kernels/element/architectures.h"
#include "kernels/matcore/mfma_table.h"

/* Of tcgen05's many shapes one of each form stands for all in hints. */
static const char *const tcgen05_examples[] = {
    "tcgen05.mma.m128n64k16.f16", "tcgen05.mma.ws.m64n128k16.f16",
    "tcgen05.mma.2cta.m256n128k16.f16", "tcgen05.mma.m128n64k8.tf32"};

enum {
  NUM_EXAMPLES = sizeof tcgen05_examples / sizeof tcgen05_examples[0],
  MAX_HINTS = 4,
  FARTHEST = 6
};

const char *hb_matcore_architecture_at(int i) {
  for (int row = 0; row < hb_architecture_count(); row++) {
    const struct hb_architecture *architecture = hb_architecture_at(row);
    if (architecture->in_models && i-- == 0) return architecture->name;
  }
  return NULL;
}

static void append(char text[HB_MATCORE_LIST_BYTES], const char *word) {
  const size_t used = strlen(text);
  snprintf(text + used, HB_MATCORE_LIST_BYTES - used, "%s%s", used == 0 ? "" : ", ", word);
}

enum hb_status hb_matcore_architecture_check(const char *architecture) {
  enum hb_status status = HB_OK;
  char shown[HB_OPTION_SHOWN_BYTES], known[HB_MATCORE_LIST_BYTES] = "";
  const char *name;
  for (int i = 0; (name = hb_matcore_architecture_at(i)) != NULL; i++) {
    if (strcmp(name, architecture) == 0) return HB_OK;
    append(known, name);
  }
  hb_option_shown(architecture, shown);
  HB_FAIL(HB_BAD_INPUT, "unknown architecture '%s'; known: %s", shown, known);
done:
  return status;
}

bool hb_matcore_has(const struct hb_matcore_instruction *instruction, const char *architecture) {
  switch (instruction->family) {
  case HB_MATCORE_MFMA: return hb_mfma_rate_find(architecture, instruction->mfma->name) != NULL;
  case HB_MATCORE_TCGEN05: return strcmp(architecture, "sm_100") == 0;
  default: break;
  }
  bool reached = false;
  const char *name;
  for (int i = 0; (name = hb_matcore_architecture_at(i)) != NULL; i++) { /* the list is in order */
    reached = reached || strcmp(name, instruction->mma_sync->since) == 0;
    if (reached && strcmp(name, architecture) == 0) return true;
  }
  return false;
}

/* The i-th name that there is, NULL at the end. */
static const char *known_name(int i) {
  if (i < hb_mfma_count()) return hb_mfma_at(i)->name;
  i -= hb_mfma_count();
  if (i < hb_mma_sync_count()) return hb_mma_sync_at(i)->name;
  i -= hb_mma_sync_count();
  return i < NUM_EXAMPLES ? tcgen05_examples[i] : NULL;
}

/* A part of a name is one edit away from it. */
static int distance(const char *given, const char *known) {
  const int edits = hb_name_distance(given, known);
  return strlen(given) >= 3 && edits > 1 && strstr(known, given) != NULL ? 1 : edits;
}

static void near_names(const char *given, char text[HB_MATCORE_LIST_BYTES]) {
  int found = 0;
  text[0] = '\0';
  for (int away = 0; away <= FARTHEST && found < MAX_HINTS; away++)
    for (int i = 0; known_name(i) != NULL && found < MAX_HINTS; i++)
      if (distance(given, known_name(i)) == away) {
        append(text, known_name(i));
        found++;
      }
  if (found == 0) append(text, "none; helmbone-matcore list shows all");
}

static enum hb_status find(const char *name, struct hb_matcore_instruction *x) {
  enum hb_status status = HB_OK;
  char shown[HB_OPTION_SHOWN_BYTES], hints[HB_MATCORE_LIST_BYTES];
  x->mfma = hb_mfma_find(name);
  x->mma_sync = hb_mma_sync_find(name);
  if (x->mfma != NULL) {
    x->family = HB_MATCORE_MFMA;
    x->m = x->mfma->m, x->n = x->mfma->n, x->k = x->mfma->k, x->blocks = x->mfma->blocks;
  } else if (x->mma_sync != NULL) {
    x->family = HB_MATCORE_MMA_SYNC;
    x->m = x->mma_sync->m, x->n = x->mma_sync->n, x->k = x->mma_sync->k;
  } else if (strncmp(name, "tcgen05.mma.", strlen("tcgen05.mma.")) == 0) {
    HB_TRY(hb_tcgen05_parse(name, &x->tcgen05));
    x->family = HB_MATCORE_TCGEN05;
    x->m = x->tcgen05.m, x->n = x->tcgen05.n, x->k = x->tcgen05.k;
  } else {
    near_names(name, hints);
    hb_option_shown(name, shown);
    HB_FAIL(HB_BAD_INPUT, "unknown instruction '%s'; near names: %s", shown, hints);
  }
done:
  return status;
}

enum hb_status hb_matcore_find(const char *name, const char *architecture,
                               struct hb_matcore_instruction *instruction) {
  enum hb_status status = HB_OK;
  char have[HB_MATCORE_LIST_BYTES] = "";
  struct hb_matcore_instruction x = {.blocks = 1};
  HB_TRY(find(name, &x));
  snprintf(x.name, sizeof x.name, "%s", name);
  if (architecture[0] != '\0') {
    HB_TRY(hb_matcore_architecture_check(architecture));
    const char *one;
    for (int i = 0; (one = hb_matcore_architecture_at(i)) != NULL; i++)
      if (hb_matcore_has(&x, one)) append(have, one);
    if (!hb_matcore_has(&x, architecture))
      HB_FAIL(HB_BAD_INPUT, "%s lacks %s; these have it: %s", architecture, name, have);
  }
  *instruction = x;
done:
  return status;
}

enum hb_status hb_matcore_operand(const struct hb_matcore_instruction *instruction, char operand,
                                  struct hb_tile_layout *layout) {
  enum hb_status status = HB_OK;
  if (instruction->family == HB_MATCORE_MFMA)
    *layout = hb_mfma_layout(instruction->mfma, operand);
  else if (instruction->family == HB_MATCORE_MMA_SYNC)
    *layout = hb_mma_sync_layout(instruction->mma_sync, operand);
  else if (operand == 'B')
    HB_FAIL(HB_BAD_INPUT, "B of tcgen05.mma is in shared memory: say where by --shared "
                          "LEADING,STRIDE,SWIZZLE [--mn-major]");
  else
    *layout = hb_tcgen05_tensor_layout(&instruction->tcgen05, operand);
done:
  return status;
}

const char *hb_matcore_slot_words(const struct hb_matcore_instruction *instruction, char operand) {
  switch (instruction->family) {
  case HB_MATCORE_MFMA:
    return instruction->mfma->kind == HB_MFMA_F64 ? "a pair of 32-bit registers"
                                                  : "a 32-bit register";
  case HB_MATCORE_MMA_SYNC: return "an f64 register";
  default: break;
  }
  if (operand != 'A') return "a 32-bit cell of tensor memory";
  switch (instruction->tcgen05.bits) {
  case 32: return "a 32-bit cell of tensor memory";
  case 16: return "half of a 32-bit cell of tensor memory";
  default: return "a quarter of a 32-bit cell of tensor memory";
  }
}

int hb_matcore_lane_group(const struct hb_matcore_instruction *instruction) {
  switch (instruction->family) {
  case HB_MATCORE_MFMA: return 16;
  case HB_MATCORE_MMA_SYNC: return 4;
  default: return 32; /* what a warp can reach */
  }
}
