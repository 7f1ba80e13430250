/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore probe: matrix instructions of this machine's GPU, executed and read out. */
#include <stdio.h>
#include <string.h>

#include "app/matcore/arguments.h"
#include "app/matcore/commands.h"
#include "kernels/matcore/mfma_probe.h"
#include "kernels/matcore/mfma_table.h"

static void print_reading(const struct hb_mfma *instruction, const struct hb_mfma_reading *reading,
                          bool csv) {
  const int *elements = reading->elements, *wrong = reading->wrong;
  if (csv)
    printf("%s,%d,%d,%d,%d\n", instruction->name, elements[0], wrong[0], elements[1], wrong[1]);
  else
    printf("%s: A %d of %d, B %d of %d elements where the table has them: %s\n", instruction->name,
           elements[0] - wrong[0], elements[0], elements[1] - wrong[1], elements[1],
           wrong[0] + wrong[1] == 0 ? "right" : "WRONG");
}

/* Every f32 and f64 instruction that the table has for the architecture. */
static enum hb_status read_all(struct hb_device *device, const char *architecture, bool csv) {
  enum hb_status status = HB_OK;
  int probed = 0, wrong = 0;
  for (int q = 0; q < hb_mfma_count(); q++) {
    const struct hb_mfma *instruction = hb_mfma_at(q);
    struct hb_mfma_reading reading;
    if (instruction->kind == HB_MFMA_XF32) continue;
    if (hb_mfma_rate_find(architecture, instruction->name) == NULL) continue;
    HB_TRY(hb_mfma_read_out(device, instruction, hb_mfma_lane, &reading));
    print_reading(instruction, &reading, csv);
    probed++;
    wrong += reading.wrong[0] + reading.wrong[1];
  }
  if (probed == 0)
    HB_FAIL(HB_BAD_INPUT, "the table has no matrix instruction for %s; it has gfx908 gfx90a gfx942",
            architecture);
  if (wrong > 0) HB_FAIL(HB_GATE_FAILED, "%d elements are not where the table has them", wrong);
done:
  return status;
}

struct arguments {
  int device;
  bool csv;
};

static const struct hb_option rows[] = {
    HB_MATCORE_NUMBER(arguments, "device", device, 0, 1023, "0", "number of the GPU"),
    HB_MATCORE_FLAG(arguments, "csv", csv, "instruction,elements_a,wrong_a,elements_b,wrong_b")};

static const struct hb_matcore_usage usage = {
    "Usage: helmbone-matcore probe [--device N] [--csv]\n"
    "On an AMD GPU: executes every instruction and reads out where each element stands, against\n"
    "the table.\n",
    {rows, sizeof rows / sizeof *rows},
    NULL};

int hb_matcore_probe(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct arguments given = {.csv = false};
  bool helped = false;
  struct hb_device *device = NULL;
  struct hb_device_info info;
  HB_TRY(hb_matcore_arguments(&usage, argc, argv, &given, &helped));
  if (helped) goto done;
  if (strcmp(hb_device_platform(), "none") == 0)
    HB_FAIL(HB_MACHINE_FAILED, "this program is built without GPU; build it with "
                               "-DHELMBONE_GPU=amd");
  if (hb_device_count() == 0) HB_FAIL(HB_MACHINE_FAILED, "no GPU is visible");
  HB_TRY(hb_device_open(given.device, false, &device));
  HB_TRY(hb_device_info(device, &info));
  if (given.csv)
    printf("instruction,elements_a,wrong_a,elements_b,wrong_b\n");
  else
    printf("device %d: %s, %s, %s\n", given.device, info.name, info.architecture, info.pci_bus_id);
  HB_TRY(read_all(device, info.architecture, given.csv));
done:
  hb_device_close(&device);
  return (int)status;
}
