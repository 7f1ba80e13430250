/* SPDX-License-Identifier: BSD-3-Clause
 * mfma_probe.h in a build without GPU: an error. */
#include "kernels/matcore/mfma_probe.h"

enum hb_status hb_mfma_execute(struct hb_device *device, const struct hb_mfma *instruction,
                               int count, const void *d_a, const void *d_b, void *d_d) {
  return hb_built_without_gpu(device, instruction, count, d_a, d_b, d_d);
}
