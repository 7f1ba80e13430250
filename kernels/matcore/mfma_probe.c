/* SPDX-License-Identifier: BSD-3-Clause
 * One-hot reading of a matrix instruction's lane maps. */
#include "kernels/matcore/mfma_probe.h"

#include <math.h>

/* Operands of all runs, in double; index of B's or A's element f as a number: 1 + f. */
struct runs {
  const struct hb_mfma *instruction;
  hb_mfma_map *map;
  char hot, other; /* the operand read out, and that with a number in every element */
  int count, slots;
  double *values[2], *d; /* owned: A and B [run][lane], D [run][lane][slot] */
};

static int operand_of(char name) { return name == 'A' ? 0 : 1; }

static enum hb_status fill(struct runs *runs) {
  enum hb_status status = HB_OK;
  const struct hb_tile_layout hot = hb_mfma_layout(runs->instruction, runs->hot);
  const struct hb_tile_layout other = hb_mfma_layout(runs->instruction, runs->other);
  double *hot_values = runs->values[operand_of(runs->hot)];
  double *other_values = runs->values[operand_of(runs->other)];
  for (int e = 0; e < runs->count; e++) {
    struct hb_tile_place place;
    for (int lane = 0; lane < HB_MFMA_LANES; lane++)
      hot_values[e * HB_MFMA_LANES + lane] = other_values[e * HB_MFMA_LANES + lane] = 0.0;
    HB_TRY(runs->map(runs->instruction, runs->hot, hb_tile_at(&hot, e), &place));
    hot_values[e * HB_MFMA_LANES + place.lane] = 1.0;
    for (int f = 0; f < hb_tile_count(&other); f++) {
      HB_TRY(runs->map(runs->instruction, runs->other, hb_tile_at(&other, f), &place));
      other_values[e * HB_MFMA_LANES + place.lane] = 1.0 + f;
    }
  }
  for (int q = 0; q < runs->count * HB_MFMA_LANES * runs->slots; q++) runs->d[q] = (double)NAN;
done:
  return status;
}

/* d[b][i][j] of the run whose hot element is e: the other operand's number, or 0. */
static double expected(const struct runs *runs, struct hb_tile_element e,
                       struct hb_tile_element d) {
  const struct hb_mfma *m = runs->instruction;
  const int block = e.at[HB_TILE_BLOCK], row = e.at[HB_TILE_ROW], col = e.at[HB_TILE_COL];
  const int i = d.at[HB_TILE_ROW], j = d.at[HB_TILE_COL];
  if (d.at[HB_TILE_BLOCK] != block) return 0.0;
  if (runs->hot == 'A') /* a[b][row][col] = 1: d[b][row][j] = b[b][col][j] */
    return i == row ? 1.0 + (block * m->k + col) * m->n + j : 0.0;
  /* b[b][row][col] = 1: d[b][i][col] = a[b][i][row] */
  return j == col ? 1.0 + (block * m->m + i) * m->k + row : 0.0;
}

/* Runs whose D is not what the maps say. */
static enum hb_status judge(const struct runs *runs, int *wrong) {
  enum hb_status status = HB_OK;
  const struct hb_tile_layout hot = hb_mfma_layout(runs->instruction, runs->hot);
  const struct hb_tile_layout d = hb_mfma_layout(runs->instruction, 'D');
  *wrong = 0;
  for (int e = 0; e < runs->count; e++) {
    bool right = true;
    for (int f = 0; f < hb_tile_count(&d); f++) {
      struct hb_tile_place place;
      HB_TRY(runs->map(runs->instruction, 'D', hb_tile_at(&d, f), &place));
      const double found = runs->d[(e * HB_MFMA_LANES + place.lane) * runs->slots + place.slot];
      right = right && found == expected(runs, hb_tile_at(&hot, e), hb_tile_at(&d, f));
    }
    *wrong += right ? 0 : 1;
  }
done:
  return status;
}

/* A copy of `values` in the instruction's precision on the device, at d_values (allocated here). */
static enum hb_status upload(struct hb_device *device, bool single, ptrdiff_t count,
                             const double *values, void **d_values) {
  enum hb_status status = HB_OK;
  const size_t size = single ? sizeof(float) : sizeof(double);
  float *narrow = NULL;
  *d_values = hb_device_allocate(device, count, size, "registers of the probe");
  if (*d_values == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  if (single) {
    HB_ALLOC(narrow, count, "registers of the probe");
    for (ptrdiff_t q = 0; q < count; q++) narrow[q] = (float)values[q];
  }
  HB_TRY(hb_device_upload(device, *d_values, single ? (const void *)narrow : values,
                          count * (hb_global)size));
done:
  hb_free(narrow);
  return status;
}

static enum hb_status download(struct hb_device *device, bool single, ptrdiff_t count,
                               const void *d_values, double *values) {
  enum hb_status status = HB_OK;
  float *narrow = NULL;
  if (!single)
    return hb_device_download(device, values, d_values, count * (hb_global)sizeof *values);
  HB_ALLOC(narrow, count, "registers of the probe");
  HB_TRY(hb_device_download(device, narrow, d_values, count * (hb_global)sizeof *narrow));
  for (ptrdiff_t q = 0; q < count; q++) values[q] = (double)narrow[q];
done:
  hb_free(narrow);
  return status;
}

/* Up, the kernel, down. */
static enum hb_status execute(struct hb_device *device, struct runs *runs) {
  enum hb_status status = HB_OK;
  const bool single = runs->instruction->kind != HB_MFMA_F64;
  const ptrdiff_t places = (ptrdiff_t)runs->count * HB_MFMA_LANES, results = places * runs->slots;
  void *d_values[3] = {NULL, NULL, NULL};
  HB_TRY(upload(device, single, places, runs->values[0], &d_values[0]));
  HB_TRY(upload(device, single, places, runs->values[1], &d_values[1]));
  HB_TRY(upload(device, single, results, runs->d, &d_values[2])); /* NaN: shows what is not done */
  HB_TRY(hb_mfma_execute(device, runs->instruction, runs->count, d_values[0], d_values[1],
                         d_values[2]));
  HB_TRY(download(device, single, results, d_values[2], runs->d));
done:
  for (int q = 0; q < 3; q++) hb_device_free(device, d_values[q]);
  return status;
}

enum hb_status hb_mfma_read_out(struct hb_device *device, const struct hb_mfma *instruction,
                                hb_mfma_map *map, struct hb_mfma_reading *reading) {
  enum hb_status status = HB_OK;
  struct runs runs = {.instruction = instruction, .map = map};
  for (int operand = 0; operand < 2; operand++) {
    runs.hot = operand == 0 ? 'A' : 'B';
    runs.other = operand == 0 ? 'B' : 'A';
    const struct hb_tile_layout hot = hb_mfma_layout(instruction, runs.hot);
    const struct hb_tile_layout d = hb_mfma_layout(instruction, 'D');
    runs.count = hb_tile_count(&hot);
    runs.slots = d.slots;
    HB_ALLOC(runs.values[0], runs.count * HB_MFMA_LANES, "operand of the probe");
    HB_ALLOC(runs.values[1], runs.count * HB_MFMA_LANES, "operand of the probe");
    HB_ALLOC(runs.d, runs.count * HB_MFMA_LANES * runs.slots, "results of the probe");
    HB_TRY(fill(&runs));
    HB_TRY(execute(device, &runs));
    HB_TRY(judge(&runs, &reading->wrong[operand]));
    reading->elements[operand] = runs.count;
    hb_free(runs.values[0]);
    hb_free(runs.values[1]);
    hb_free(runs.d);
    runs.values[0] = runs.values[1] = runs.d = NULL;
  }
done:
  hb_free(runs.values[0]);
  hb_free(runs.values[1]);
  hb_free(runs.d);
  return status;
}
