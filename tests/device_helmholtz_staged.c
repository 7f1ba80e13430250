/* SPDX-License-Identifier: BSD-3-Clause
 * The staged operator on assembled vectors, with and without a direction, against the reference.
 * HB_TEST_ALL=1 runs every shape, otherwise a part of them that has every n, tile, number of
 * wavefronts and layout.
 * Compiled for amd. */
#include "tests/device_operator.h"
#include "tests/device_staged_shapes.h"

static hb_helmholtz_device_apply *const apply[2] = {hb_helmholtz_staged_f64,
                                                    hb_helmholtz_staged_f32};

/* Modes that are not stored: all of them for the first shape, for the others one by turns. */
static void check_modes(struct hb_check *check, struct hb_device *device, int s, int n,
                        enum hb_precision p, const struct hb_shape *shape) {
  const struct hb_helmholtz_variant *variant = hb_find_row("mfma_staged");
  for (int mode = HB_GEOMETRY_NODES; mode < HB_NUM_GEOMETRY_MODES; mode++) {
    const bool has = hb_helmholtz_has(variant, (enum hb_geometry_mode)mode, n) &&
                     (mode != HB_GEOMETRY_NODES || hb_staged_groups(shape, n) == 1);
    struct hb_elements elements;
    if (!has || (s > 0 && (s + n + (int)p + mode) % 3 != 0)) continue;
    CHECK_OK(check, hb_elements_init_mode(n, p, hb_staged_ragged_count(shape), 1 + s % 2,
                                          (uint64_t)(2 * n + (int)p), (enum hb_geometry_mode)mode,
                                          (n + mode + (int)p) % 2 == 0, &elements));
    elements.shape = *shape;
    const long failed = check->failed;
    hb_check_few(check, device, &elements, apply[p]);
    if (check->failed > failed)
      printf("  %s\n", hb_geometry_mode_name((enum hb_geometry_mode)mode));
    hb_elements_free(&elements);
  }
}

static void check_order(struct hb_check *check, struct hb_device *device, const char *architecture,
                        int n, enum hb_precision p, struct hb_staged_count *count) {
  struct hb_shape shapes[HB_MAX_SHAPES];
  const int num_shapes = hb_helmholtz_staged_shapes(architecture, n, p, shapes);
  for (int s = 0; s < num_shapes; s++) {
    struct hb_elements elements;
    if (!hb_staged_is_chosen(&shapes[s], s, n, p, count)) continue;
    CHECK_OK(check, hb_elements_init(n, p, hb_staged_ragged_count(&shapes[s]), 1 + s % 2,
                                     (uint64_t)(2 * n + (int)p), &elements));
    elements.shape = shapes[s];
    if (s == 0) {
      hb_check_plain(check, device, &elements, apply[p]);
      hb_check_directions(check, device, &elements, apply[p]);
      if (n == 4) hb_check_planted(check, device, &elements, apply[p]);
    } else
      hb_check_few(check, device, &elements, apply[p]);
    hb_elements_free(&elements);
    check_modes(check, device, s, n, p, &shapes[s]);
  }
}

/* Shapes that there is no kernel for are refused, and nothing is written. */
static void check_refused(struct hb_check *check, struct hb_device *device) {
  const struct hb_shape refused[] = {
      {HB_MATRIX_NONE, 0, 0, HB_CUBE_NONE, 0},
      {HB_MATRIX_8X8X4, 4, 1, HB_CUBE_PLAIN, 0},
      {HB_MATRIX_16X16X4, 4, 1, HB_CUBE_SWIZZLED, 0}, /* none is known for n = 5 */
      {HB_MATRIX_16X16X4, 17, 1, HB_CUBE_PLAIN, 0},
      {HB_MATRIX_16X16X4, 1, 100, HB_CUBE_PLAIN, 0}};
  struct hb_elements elements;
  struct hb_device_case c;
  CHECK_OK(check, hb_elements_init(5, HB_F32, 3, 1, 7, &elements));
  CHECK_OK(check, hb_device_case_init(device, &elements, 3, HB_FACTORS_STIFFNESS, &c));
  for (size_t q = 0; q < sizeof refused / sizeof *refused; q++) {
    hb_local num_partials = HB_FIRST_PARTIAL;
    c.h.shape = refused[q];
    CHECK_FAILS(check,
                hb_helmholtz_staged_f32(&c.h, 0, 3, false, NULL, c.u.d, c.w.d, &num_partials),
                HB_BAD_INPUT, "no such shape");
    CHECK_EQUAL(check, num_partials, HB_FIRST_PARTIAL);
  }
  hb_device_case_free(&c);
  hb_elements_free(&elements);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  hb_check_staged_geometry(&check);
  check_refused(&check, device);
  hb_check_staged_orders(&check, device, check_order);
  return hb_device_check_finish(&check, &device);
}
