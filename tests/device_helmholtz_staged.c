/* SPDX-License-Identifier: BSD-3-Clause
 * The staged operator on assembled vectors, with and without a direction, against the reference.
 * HB_TEST_ALL=1 runs every shape, otherwise a part of them that has every n, tile, number of
 * wavefronts and layout. */
#include "tests/device_operator.h"
#include "tests/device_staged_shapes.h"

static hb_helmholtz_device_apply *const applied[2] = {hb_helmholtz_staged_f64,
                                                      hb_helmholtz_staged_f32};

/* The shape that is being tested; the frame's functions know of none. */
static struct hb_helmholtz_shape the_shape;

static enum hb_status with_shape(const struct hb_device_helmholtz *helmholtz,
                                 hb_helmholtz_device_apply *apply, hb_local begin, hb_local end,
                                 bool with_mass, const struct hb_device_direction *direction,
                                 const void *d_u, void *d_w, hb_local *num_partials) {
  struct hb_device_helmholtz shaped = *helmholtz;
  shaped.shape = the_shape;
  return apply(&shaped, begin, end, with_mass, direction, d_u, d_w, num_partials);
}
static enum hb_status apply_f64(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                hb_local end, bool with_mass,
                                const struct hb_device_direction *direction, const void *d_u,
                                void *d_w, hb_local *num_partials) {
  return with_shape(helmholtz, applied[HB_F64], begin, end, with_mass, direction, d_u, d_w,
                    num_partials);
}
static enum hb_status apply_f32(const struct hb_device_helmholtz *helmholtz, hb_local begin,
                                hb_local end, bool with_mass,
                                const struct hb_device_direction *direction, const void *d_u,
                                void *d_w, hb_local *num_partials) {
  return with_shape(helmholtz, applied[HB_F32], begin, end, with_mass, direction, d_u, d_w,
                    num_partials);
}
static hb_helmholtz_device_apply *const shaped[2] = {apply_f64, apply_f32};

/* The most telling launches: a direction over all elements, and a part without. */
static void check_few(struct hb_check *check, struct hb_device *device,
                      const struct hb_elements *elements, hb_helmholtz_device_apply *apply) {
  struct hb_device_case c;
  CHECK_OK(check, hb_device_case_init(device, elements, elements->count, HB_MAX_FACTORS, &c));
  hb_check_launch(check, &c, apply,
                  (struct hb_device_launch){.begin = 0,
                                            .end = elements->count,
                                            .with_mass = true,
                                            .with_direction = true,
                                            .with_dinv = true,
                                            .alpha = 0.375,
                                            .beta = -0.8125});
  hb_check_launch(check, &c, apply,
                  (struct hb_device_launch){.begin = 1, .end = elements->count - 1});
  hb_device_case_free(&c);
}

static void check_order(struct hb_check *check, struct hb_device *device, const char *architecture,
                        int n, enum hb_precision p, struct hb_staged_count *count) {
  struct hb_helmholtz_shape shapes[HB_MAX_SHAPES];
  const int num_shapes = hb_helmholtz_staged_shapes(architecture, n, p, shapes);
  for (int s = 0; s < num_shapes; s++) {
    struct hb_elements elements;
    if (!hb_staged_is_chosen(&shapes[s], s, n, p, count)) continue;
    the_shape = shapes[s];
    CHECK_OK(check, hb_elements_init(n, p, hb_staged_ragged_count(&shapes[s]), 1 + s % 2,
                                     (uint64_t)(2 * n + (int)p), &elements));
    if (s == 0) {
      hb_check_plain(check, device, &elements, shaped[p]);
      hb_check_directions(check, device, &elements, shaped[p]);
      if (n == 4) hb_check_planted(check, device, &elements, shaped[p]);
    } else
      check_few(check, device, &elements, shaped[p]);
    hb_elements_free(&elements);
  }
}

/* Shapes that there is no kernel for are refused, and nothing is written. */
static void check_refused(struct hb_check *check, struct hb_device *device) {
  const struct hb_helmholtz_shape refused[] = {
      {HB_MATRIX_NONE, 0, 0, HB_CUBE_NONE, 0},
      {HB_MATRIX_8X8X4, 4, 1, HB_CUBE_PLAIN, 0},
      {HB_MATRIX_16X16X4, 4, 1, HB_CUBE_SWIZZLED, 0}, /* none is known for n = 5 */
      {HB_MATRIX_16X16X4, 17, 1, HB_CUBE_PLAIN, 0},
      {HB_MATRIX_16X16X4, 1, 100, HB_CUBE_PLAIN, 0}};
  struct hb_elements elements;
  struct hb_device_case c;
  CHECK_OK(check, hb_elements_init(5, HB_F32, 3, 1, 7, &elements));
  CHECK_OK(check, hb_device_case_init(device, &elements, 3, HB_NUM_GEOMETRIC, &c));
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
  struct hb_device_info info = {.architecture = ""};
  struct hb_staged_count count = {0};
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  CHECK_OK(&check, hb_device_info(device, &info));
  hb_check_staged_geometry(&check);
  check_refused(&check, device);
  for (int n = 2; n <= HB_MAX_N && device != NULL; n++)
    for (int p = HB_F64; p <= HB_F32; p++)
      check_order(&check, device, info.architecture, n, (enum hb_precision)p, &count);
  hb_staged_finish(&check, &count);
  return hb_device_check_finish(&check, &device);
}
