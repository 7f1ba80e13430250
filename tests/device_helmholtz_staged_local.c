/* SPDX-License-Identifier: BSD-3-Clause
 * The staged operator on local vectors against the reference: one and three components, shapes, and
 * shapes that must be refused.  HB_TEST_ALL=1 runs every shape, otherwise a part of them that has
 * every n, tile, number of wavefronts and layout.
 * Compiled for amd. */
#include "tests/device_helmholtz_local.h"
#include "tests/device_staged_shapes.h"

static void check_order(struct hb_check *check, struct hb_device *device, const char *architecture,
                        int n, enum hb_precision p, struct hb_staged_count *count) {
  static hb_helmholtz_device_apply_local *const apply[2] = {hb_helmholtz_staged_local_f64,
                                                            hb_helmholtz_staged_local_f32};
  struct hb_shape shapes[HB_MAX_SHAPES];
  struct hb_elements elements;
  const int num_shapes = hb_helmholtz_staged_shapes(architecture, n, p, shapes);
  CHECK(check, num_shapes <= HB_MAX_SHAPES);
  for (int s = 0; s < num_shapes; s++) {
    const int components = (n + s) % 2 == 0 ? 1 : 3;
    if (!hb_staged_is_chosen(&shapes[s], s, n, p, count)) continue;
    const hb_local num_elements = hb_staged_ragged_count(&shapes[s]);
    CHECK_OK(check, hb_elements_init(n, p, num_elements, 1, (uint64_t)(2 * n + (int)p), &elements));
    elements.shape = shapes[s];
    if (s == 0) {
      hb_check_local_refusals(check, device, &elements, 3, apply[p]);
      hb_check_local_shape(check, device, &elements, false, 4 - components, apply[p]);
    }
    hb_check_local_shape(check, device, &elements, s > 0, components, apply[p]);
    hb_elements_free(&elements);
  }
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  hb_check_staged_orders(&check, device, check_order);
  return hb_device_check_finish(&check, &device);
}
