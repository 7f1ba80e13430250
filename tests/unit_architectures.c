/* SPDX-License-Identifier: BSD-3-Clause
 * The table of architectures: which kernels each has, names that are none, and that the models'
 * tables name no architecture that it lacks. */
#include <string.h>

#include "kernels/element/architectures.h"
#include "kernels/helmholtz/helmholtz_device.h"
#include "kernels/matcore/lds_banks.h"
#include "kernels/matcore/machine_table.h"
#include "kernels/matcore/mfma_table.h"
#include "tests/check.h"

/* Shapes of the variants by matrix cores for n = 8, in f64 and f32. */
static const struct {
  const char *name;
  bool mfma[2], mma[2];
} expected[] = {
    {"gfx908", {false, true}, {false, false}},  {"gfx90a", {true, true}, {false, false}},
    {"gfx940", {true, true}, {false, false}},   {"gfx942", {true, true}, {false, false}},
    {"gfx941", {false, false}, {false, false}}, {"gfx950", {true, true}, {false, false}},
    {"gfx906", {false, false}, {false, false}}, {"gfx90", {false, false}, {false, false}},
    {"sm_70", {false, false}, {false, false}},  {"sm_80", {false, false}, {false, false}},
    {"sm_86", {false, false}, {false, false}},  {"sm_90", {false, false}, {true, false}},
    {"sm_100", {false, false}, {true, false}},  {"sm_120", {false, false}, {true, false}},
    {"sm_", {false, false}, {false, false}},    {"", {false, false}, {false, false}},
};

#if defined(HB_HAVE_MFMA) || defined(HB_HAVE_TENSOR)
static bool has(hb_shapes *shapes, const char *name, enum hb_precision precision) {
  struct hb_shape found[HB_MAX_SHAPES];
  return shapes(name, 8, precision, found) > 0;
}
#endif

int main(void) {
  struct hb_check check = {0};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    for (int p = 0; p < 2; p++) {
      const char *name = expected[i].name;
      const enum hb_precision precision = (enum hb_precision)p;
      CHECK_EQUAL(&check, hb_architecture_has(name, HB_CORES_MFMA, precision), expected[i].mfma[p]);
      CHECK_EQUAL(&check, hb_architecture_has(name, HB_CORES_MMA, precision), expected[i].mma[p]);
#ifdef HB_HAVE_MFMA
      CHECK_EQUAL(&check, has(hb_helmholtz_staged_shapes, name, precision), expected[i].mfma[p]);
      CHECK_EQUAL(&check, has(hb_helmholtz_chained_shapes, name, precision), expected[i].mfma[p]);
#endif
#ifdef HB_HAVE_TENSOR
      CHECK_EQUAL(&check, has(hb_helmholtz_tensor_shapes, name, precision), expected[i].mma[p]);
#endif
    }
  CHECK(&check, hb_architecture_is_unknown_amd("gfx1250"));
  CHECK(&check, !hb_architecture_is_unknown_amd("gfx950") && !hb_architecture_is_unknown_amd(""));
  CHECK(&check, !hb_architecture_is_unknown_amd("sm_70"));
  for (int row = 0; row < hb_architecture_count(); row++)
    CHECK(&check, hb_architecture_find(hb_architecture_at(row)->name) == hb_architecture_at(row));
  for (int m = 0; m < hb_machine_count(); m++)
    CHECK(&check, hb_architecture_find(hb_machine_at(m)->arch) != NULL);
  for (int a = 0; a < HB_LDS_NUM_ARCHS; a++) {
    const enum hb_lds_arch arch = (enum hb_lds_arch)a;
    CHECK_EQUAL(&check, hb_lds_num_banks(arch), arch == HB_LDS_GFX950 ? 64 : 32);
  }
  return hb_check_finish(&check);
}
