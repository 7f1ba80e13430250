/* SPDX-License-Identifier: BSD-3-Clause
 * What the tests of the staged operator share: which shapes of it are tried, and what all of them
 * must keep. */
#ifndef HB_TESTS_DEVICE_STAGED_SHAPES_H
#define HB_TESTS_DEVICE_STAGED_SHAPES_H

#include "kernels/helmholtz/staged.h"
#include "tests/device_data.h"

/* Shapes tried, of those that there are; and, as bits, which n, tiles, wavefronts and layouts are
 * among them, by precision. */
enum { HB_STAGED_PROPERTIES = 4 };
struct hb_staged_count {
  int tried, all;
  unsigned tried_bits[2][HB_STAGED_PROPERTIES], all_bits[2][HB_STAGED_PROPERTIES];
};

/* Is the shape, number s of those for n, tried?  The first always, of the others one in three:
 * which moves with n, so that all tiles, wavefronts and layouts meet. */
static inline bool hb_staged_is_chosen(const struct hb_shape *shape, int s, int n,
                                       enum hb_precision p, struct hb_staged_count *count) {
  const bool chosen = getenv("HB_TEST_ALL") != NULL || s == 0 || (s + n + (int)p) % 3 == 0;
  const int properties[HB_STAGED_PROPERTIES] = {n, (int)shape->tile, shape->wavefronts,
                                                (int)shape->layout};
  for (int q = 0; q < HB_STAGED_PROPERTIES; q++) {
    count->all_bits[p][q] |= 1u << properties[q];
    if (chosen) count->tried_bits[p][q] |= 1u << properties[q];
  }
  count->all++;
  if (chosen) count->tried++;
  return chosen;
}

/* More elements than a block takes, not a multiple of them, and at least five for the parts. */
static inline hb_local hb_staged_ragged_count(const struct hb_shape *shape) {
  return shape->elements < 4 ? 5 : shape->elements + shape->elements / 2 + 1;
}

/* No wavefront without work while another has two groups, cubes within LDS, all different. */
static inline void hb_check_staged_shape(struct hb_check *check, const struct hb_shape *shapes,
                                         int s, int n, enum hb_precision p) {
  const struct hb_shape *shape = &shapes[s];
  const int groups = hb_tile_groups(shape->tile, n, shape->elements);
  CHECK(check, hb_staged_runs(shape, p, n));
  CHECK(check, hb_staged_lds_bytes(shape, p, n) <= HB_LDS_BYTES);
  CHECK(check, hb_staged_groups(shape, n) == 1 || groups >= shape->wavefronts);
  CHECK(check, shape->wavefronts <= HB_STAGED_MAX_WAVEFRONTS);
  if (hb_staged_keeps_factors(shape, p, n)) CHECK_EQUAL(check, hb_staged_groups(shape, n), 1);
  for (int other = 0; other < s; other++)
    CHECK(check, shape->tile != shapes[other].tile || shape->layout != shapes[other].layout ||
                     shape->wavefronts != shapes[other].wavefronts);
}

/* The lists of shapes: which n, and that no matrix instruction is asked of a device without. */
static inline void hb_check_staged_geometry(struct hb_check *check) {
  static const char *const architectures[] = {"gfx90a", "gfx942", "gfx908", "gfx906", "sm_90"};
  struct hb_shape shapes[HB_MAX_SHAPES];
  for (int a = 0; a < 5; a++)
    for (int n = 2; n <= HB_MAX_N; n++)
      for (int p = HB_F64; p <= HB_F32; p++) {
        const int count =
            hb_helmholtz_staged_shapes(architectures[a], n, (enum hb_precision)p, shapes);
        const bool has = p == HB_F64 ? a < 2 && n >= 4 : a < 3;
        CHECK(check, has ? count > 0 && count <= HB_MAX_SHAPES : count == 0);
        for (int s = 0; s < count; s++)
          hb_check_staged_shape(check, shapes, s, n, (enum hb_precision)p);
      }
}

/* Every n, tile, number of wavefronts and layout was tried. */
static inline void hb_staged_finish(struct hb_check *check, const struct hb_staged_count *count) {
  CHECK(check, count->tried > 0);
  for (int p = HB_F64; p <= HB_F32; p++)
    for (int q = 0; q < HB_STAGED_PROPERTIES; q++)
      CHECK_EQUAL(check, count->tried_bits[p][q], count->all_bits[p][q]);
  if (getenv("HB_TEST_ALL") != NULL) CHECK_EQUAL(check, count->tried, count->all);
  printf("%d of %d shapes\n", count->tried, count->all);
}

/* The shapes of one order and precision, as far as they are chosen. */
typedef void hb_staged_order_check(struct hb_check *check, struct hb_device *device,
                                   const char *architecture, int n, enum hb_precision p,
                                   struct hb_staged_count *count);

static inline void hb_check_staged_orders(struct hb_check *check, struct hb_device *device,
                                          hb_staged_order_check *check_order) {
  struct hb_device_info info = {.architecture = ""};
  struct hb_staged_count count = {0};
  if (device == NULL) return; /* a check has failed */
  CHECK_OK(check, hb_device_info(device, &info));
  for (int n = 2; n <= HB_MAX_N; n++)
    for (int p = HB_F64; p <= HB_F32; p++)
      if (hb_device_is_tried(n, (enum hb_precision)p))
        check_order(check, device, info.architecture, n, (enum hb_precision)p, &count);
  hb_staged_finish(check, &count);
}

#endif
