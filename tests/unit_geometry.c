/* SPDX-License-Identifier: BSD-3-Clause
 * Layouts of geometric factors: every real has one place, in the order that the contract says. */
#include <string.h>

#include "kernels/geometry/geometry.h"
#include "tests/check.h"

/* Places as loops in the contract's order number them. */
static void check_host(struct hb_check *check, const struct hb_geometry *geometry, int n, int lanes,
                       hb_local num_elements) {
  const struct hb_factor_layout layout = hb_geometry_host_layout(geometry, n, lanes);
  const int kinds = hb_geometry_num_factors(geometry), points = n * n * n;
  const hb_local blocks = (num_elements + lanes - 1) / lanes;
  ptrdiff_t place = 0;
  bool same = true;
  for (hb_local block = 0; block < blocks; block++)
    for (int point = 0; point < points; point++)
      for (int f = 0; f < kinds; f++)
        for (int lane = 0; lane < lanes; lane++)
          same = same && hb_factor_at(&layout, block * lanes + lane, point, f) == place++;
  CHECK(check, same);
  CHECK_EQUAL(check, hb_factor_count(&layout, num_elements), place);
}

static void check_device(struct hb_check *check, const struct hb_geometry *geometry, int n,
                         hb_local num_elements) {
  const struct hb_factor_layout layout = hb_geometry_device_layout(geometry, n);
  const int kinds = hb_geometry_num_factors(geometry), points = n * n * n;
  ptrdiff_t place = 0;
  bool same = true;
  for (hb_local element = 0; element < num_elements; element++)
    for (int f = 0; f < kinds; f++)
      for (int point = 0; point < points; point++)
        same = same && hb_factor_at(&layout, element, point, f) == place++;
  CHECK(check, same);
  CHECK_EQUAL(check, hb_factor_count(&layout, num_elements), place);
}

int main(void) {
  struct hb_check check = {0};
  const struct hb_geometry stiffness = {HB_GEOMETRY_STORED, HB_FACTORS_STIFFNESS};
  const struct hb_geometry with_mass = {HB_GEOMETRY_STORED, HB_FACTORS_WITH_MASS};
  const struct hb_geometry *const both[] = {&stiffness, &with_mass};
  CHECK(&check, strcmp(hb_geometry_mode_name(HB_GEOMETRY_STORED), "stored") == 0);
  CHECK_EQUAL(&check, hb_geometry_num_factors(&stiffness), 6);
  CHECK_EQUAL(&check, hb_geometry_num_factors(&with_mass), 7);
  CHECK(&check, !hb_geometry_has_mass(&stiffness) && hb_geometry_has_mass(&with_mass));
  for (int set = 0; set < 2; set++)
    for (int n = 2; n <= 5; n++) {
      for (int lanes = 1; lanes <= 8; lanes *= 2) check_host(&check, both[set], n, lanes, 9);
      check_device(&check, both[set], n, 5);
    }
  /* Past 2^31 reals: 2^27 elements of 8 points, 7 factors. */
  const struct hb_factor_layout large = hb_geometry_device_layout(&with_mass, 2);
  CHECK_EQUAL(&check, hb_factor_at(&large, (hb_local)1 << 27, 1, 6),
              ((int64_t)56 << 27) + 6 * 8 + 1);
  CHECK_NEAR(&check, hb_geometry_read_bytes(&with_mass, 4, HB_F32), 4.0 * 64 * 7, 0.0);
  CHECK_NEAR(&check, hb_geometry_read_bytes(&stiffness, 16, HB_F64), 8.0 * 4096 * 6, 0.0);
  return hb_check_finish(&check);
}
