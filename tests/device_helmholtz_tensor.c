/* SPDX-License-Identifier: BSD-3-Clause
 * The device operator helmholtz_tensor against the reference: every shape on few elements, and on
 * so many that each block goes on to a third group of them.
 * Compiled for nvidia. */
#include "tests/device_operator.h"

/* No block is resident more often than this on a multiprocessor. */
static hb_local many(int n, int multiprocessors) {
  return n == 4 ? 4 * 25 * multiprocessors + 1 : (n <= 8 ? 25 : 5) * multiprocessors + 1;
}

static void check_many(struct hb_check *check, struct hb_device *device, int n,
                       enum hb_geometry_mode mode) {
  struct hb_shape shapes[HB_MAX_SHAPES];
  struct hb_device_info info;
  struct hb_elements elements;
  CHECK_OK(check, hb_device_info(device, &info));
  const int count = hb_helmholtz_tensor_shapes(info.architecture, n, HB_F64, shapes);
  for (int s = 0; s < count; s++) {
    struct hb_device_case c;
    CHECK_OK(check, hb_elements_init_mode(n, HB_F64, many(n, info.multiprocessors), 3, (uint64_t)n,
                                          mode, s / 2 % 2 == 0, &elements));
    elements.shape = shapes[s];
    CHECK_OK(check,
             hb_device_case_init(device, &elements, elements.count,
                                 s % 2 == 0 ? HB_FACTORS_WITH_MASS : HB_FACTORS_STIFFNESS, &c));
    hb_check_launch(check, &c, hb_helmholtz_tensor_f64,
                    (struct hb_device_launch){.begin = 0,
                                              .end = elements.count,
                                              .with_mass = s % 2 == 0,
                                              .with_direction = s % 3 != 2,
                                              .with_dinv = s % 3 == 1,
                                              .alpha = 0.375,
                                              .beta = -0.8125});
    hb_device_case_free(&c);
    hb_elements_free(&elements);
  }
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  const int code = hb_check_device_variant("tensor");
  if (code != EXIT_SUCCESS) return code;
  CHECK_OK(&check, hb_device_open(0, false, &device));
  const int orders[] = {4, 5, 6, 7, 8, 9, 12, 16};
  for (size_t q = 0; q < sizeof orders / sizeof *orders && device != NULL; q++)
    for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++)
      if (hb_helmholtz_has(hb_find_row("tensor"), (enum hb_geometry_mode)mode, orders[q]))
        check_many(&check, device, orders[q], (enum hb_geometry_mode)mode);
  return hb_device_check_finish(&check, &device);
}
