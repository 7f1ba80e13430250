/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix instructions as the device executes them against the table, and a planted wrong table.
 * Compiled for amd. */
#include <string.h>

#include "kernels/matcore/mfma_probe.h"
#include "kernels/matcore/mfma_table.h"
#include "tests/check.h"
#include "tests/device_data.h"

/* The table with the first two rows of an operand in each other's place. */
static enum hb_status swapped(const struct hb_mfma *instruction, char operand, char where,
                              struct hb_tile_element element, struct hb_tile_place *place) {
  if (operand == where && element.at[HB_TILE_ROW] <= 1)
    element.at[HB_TILE_ROW] = 1 - element.at[HB_TILE_ROW];
  return hb_mfma_lane(instruction, operand, element, place);
}
static enum hb_status swapped_a(const struct hb_mfma *instruction, char operand,
                                struct hb_tile_element element, struct hb_tile_place *place) {
  return swapped(instruction, operand, 'A', element, place);
}
static enum hb_status swapped_d(const struct hb_mfma *instruction, char operand,
                                struct hb_tile_element element, struct hb_tile_place *place) {
  return swapped(instruction, operand, 'D', element, place);
}

static void check_instruction(struct hb_check *check, struct hb_device *device,
                              const struct hb_mfma *instruction) {
  const struct hb_tile_layout a = hb_mfma_layout(instruction, 'A');
  const struct hb_tile_layout b = hb_mfma_layout(instruction, 'B');
  struct hb_mfma_reading reading;
  CHECK_OK(check, hb_mfma_read_out(device, instruction, hb_mfma_lane, &reading));
  CHECK_EQUAL(check, reading.elements[0], hb_tile_count(&a));
  CHECK_EQUAL(check, reading.elements[1], hb_tile_count(&b));
  CHECK_EQUAL(check, reading.wrong[0], 0);
  CHECK_EQUAL(check, reading.wrong[1], 0);
  CHECK_OK(check, hb_mfma_read_out(device, instruction, swapped_a, &reading));
  CHECK_EQUAL(check, reading.wrong[0], 2 * instruction->k * instruction->blocks);
  CHECK(check, reading.wrong[1] > 0);
  CHECK_OK(check, hb_mfma_read_out(device, instruction, swapped_d, &reading));
  CHECK_EQUAL(check, reading.wrong[0], 2 * instruction->k * instruction->blocks);
  CHECK_EQUAL(check, reading.wrong[1], reading.elements[1]);
}

/* An instruction that the architecture lacks does nothing there: not one element may look right. */
static void check_missing(struct hb_check *check, struct hb_device *device,
                          const struct hb_mfma *instruction) {
  struct hb_mfma_reading reading;
  CHECK_OK(check, hb_mfma_read_out(device, instruction, hb_mfma_lane, &reading));
  CHECK_EQUAL(check, reading.wrong[0], reading.elements[0]);
  CHECK_EQUAL(check, reading.wrong[1], reading.elements[1]);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  struct hb_device_info info = {.architecture = ""};
  int probed = 0;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  CHECK_OK(&check, hb_device_info(device, &info));
  const bool amd = strcmp(hb_device_platform(), "amd") == 0;
  for (int q = 0; q < hb_mfma_count() && device != NULL; q++) {
    const struct hb_mfma *instruction = hb_mfma_at(q);
    if (instruction->kind == HB_MFMA_XF32) {
      struct hb_mfma_reading reading;
      CHECK_FAILS(&check, hb_mfma_read_out(device, instruction, hb_mfma_lane, &reading),
                  HB_BAD_INPUT, "no code");
    } else if (hb_mfma_rate_find(info.architecture, instruction->name) != NULL) {
      check_instruction(&check, device, instruction);
      probed++;
    } else if (amd) {
      check_missing(&check, device, instruction);
    }
  }
  if (amd) CHECK_EQUAL(&check, probed, strcmp(info.architecture, "gfx908") == 0 ? 5 : 7);
  return hb_device_check_finish(&check, &device);
}
