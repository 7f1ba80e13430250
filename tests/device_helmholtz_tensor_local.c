/* SPDX-License-Identifier: BSD-3-Clause
 * The device operator helmholtz_tensor on local vectors against the reference.
 * Compiled for nvidia. */
#include "tests/device_helmholtz_local.h"
#include "tests/device_operator.h"

/* Geometry that is not stored, with coefficients that vary and that do not. */
static void check_mode(struct hb_check *check, struct hb_device *device, int n,
                       enum hb_geometry_mode mode) {
  struct hb_shape shapes[HB_MAX_SHAPES];
  struct hb_device_info info;
  CHECK_OK(check, hb_device_info(device, &info));
  const int count = hb_helmholtz_tensor_shapes(info.architecture, n, HB_F64, shapes);
  for (int s = 0; s < count; s++) {
    struct hb_elements elements;
    CHECK_OK(check, hb_elements_init_mode(n, HB_F64, hb_ragged_count(n), 1, (uint64_t)(3 * n + s),
                                          mode, s % 2 == 0, &elements));
    elements.shape = shapes[s];
    hb_check_local_shape(check, device, &elements, true, 1, hb_helmholtz_tensor_local_f64);
    hb_elements_free(&elements);
  }
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  const struct hb_helmholtz_variant variant = {
      .name = "tensor",
      .backend = HB_BACKEND_GPU,
      .device = {.apply_local = {hb_helmholtz_tensor_local_f64, NULL},
                 .max_components = 1,
                 .shapes = hb_helmholtz_tensor_shapes}};
  const int code = hb_check_device_local(&variant);
  if (code != EXIT_SUCCESS) return code;
  CHECK_OK(&check, hb_device_open(0, false, &device));
  for (int n = 4; n <= HB_MAX_N && device != NULL; n++)
    for (int mode = HB_GEOMETRY_NODES; mode < HB_NUM_GEOMETRY_MODES; mode++)
      if (hb_helmholtz_has(hb_find_row("tensor"), (enum hb_geometry_mode)mode, n))
        check_mode(&check, device, n, (enum hb_geometry_mode)mode);
  return hb_device_check_finish(&check, &device);
}
