/* SPDX-License-Identifier: BSD-3-Clause
 * The table of architectures, and the search in it. */
#include "kernels/element/architectures.h"

#include <stdlib.h>
#include <string.h>

/* The kernels for gfx950 compile; nothing has executed them.  sm_80 lacks bulk copies. */
static const struct hb_architecture table[] = {
    {"gfx908", {HB_CORES_NONE, HB_CORES_MFMA}, 32, true},
    {"gfx90a", {HB_CORES_MFMA, HB_CORES_MFMA}, 32, true},
    {"gfx940", {HB_CORES_MFMA, HB_CORES_MFMA}, 32, false},
    {"gfx942", {HB_CORES_MFMA, HB_CORES_MFMA}, 32, true},
    {"gfx950", {HB_CORES_MFMA, HB_CORES_MFMA}, 64, false},
    {"sm_80", {HB_CORES_NONE, HB_CORES_NONE}, 32, true},
    {"sm_90", {HB_CORES_MMA, HB_CORES_NONE}, 32, true},
    {"sm_100", {HB_CORES_MMA, HB_CORES_NONE}, 32, true},
};

enum { NUM_ROWS = sizeof table / sizeof *table };

int hb_architecture_count(void) { return NUM_ROWS; }

const struct hb_architecture *hb_architecture_at(int row) {
  HB_ASSERT(row >= 0 && row < NUM_ROWS);
  return &table[row];
}

/* NN of sm_NN, 0 if the name is none of NVIDIA's. */
static int nvidia_number(const char *name) {
  char *end;
  if (strncmp(name, "sm_", 3) != 0) return 0;
  const long number = strtol(name + 3, &end, 10);
  return *end == '\0' && number > 0 && number < 100000 ? (int)number : 0;
}

const struct hb_architecture *hb_architecture_find(const char *name) {
  const struct hb_architecture *found = NULL;
  const int wanted = nvidia_number(name);
  for (int row = 0; row < NUM_ROWS; row++) {
    const int number = nvidia_number(table[row].name);
    if (wanted == 0 ? strcmp(name, table[row].name) == 0 : number > 0 && number <= wanted)
      found = &table[row];
  }
  return found;
}

bool hb_architecture_is_unknown_amd(const char *name) {
  return strncmp(name, "gfx", 3) == 0 && hb_architecture_find(name) == NULL;
}

bool hb_architecture_has(const char *name, enum hb_matrix_cores cores,
                         enum hb_precision precision) {
  const struct hb_architecture *found = hb_architecture_find(name);
  return found != NULL && found->cores[precision] == cores;
}
