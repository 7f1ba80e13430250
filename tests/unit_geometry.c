/* SPDX-License-Identifier: BSD-3-Clause
 * Layouts of what geometry modes keep: every real has one place, in the order that the contract
 * says; and how much it is. */
#include <string.h>

#include "kernels/geometry/geometry.h"
#include "tests/check.h"

/* What is kept of elements: [block][v][lane]. */
static void check_elements(struct hb_check *check, const struct hb_geometry *geometry, int lanes,
                           hb_local num_elements) {
  const hb_local blocks = (num_elements + lanes - 1) / lanes;
  ptrdiff_t place = 0;
  bool same = true;
  for (hb_local block = 0; block < blocks; block++)
    for (int v = 0; v < hb_geometry_num_element_values(geometry); v++)
      for (int lane = 0; lane < lanes; lane++)
        same = same && hb_element_value_at(geometry, lanes, block * lanes + lane, v) == place++;
  CHECK(check, same);
  CHECK_EQUAL(check, hb_element_value_count(geometry, lanes, num_elements), place);
}

/* Places as loops in the contract's order number them. */
static void check_host(struct hb_check *check, const struct hb_geometry *geometry, int n, int lanes,
                       hb_local num_elements) {
  const struct hb_factor_layout layout = hb_geometry_host_layout(geometry, n, lanes);
  const int kinds = hb_geometry_num_point_values(geometry), points = n * n * n;
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
  check_elements(check, geometry, lanes, num_elements);
}

static void check_device(struct hb_check *check, const struct hb_geometry *geometry, int n,
                         hb_local num_elements) {
  const struct hb_factor_layout layout = hb_geometry_device_layout(geometry, n);
  const int kinds = hb_geometry_num_point_values(geometry), points = n * n * n;
  ptrdiff_t place = 0;
  bool same = true;
  for (hb_local element = 0; element < num_elements; element++)
    for (int f = 0; f < kinds; f++)
      for (int point = 0; point < points; point++)
        same = same && hb_factor_at(&layout, element, point, f) == place++;
  CHECK(check, same);
  CHECK_EQUAL(check, hb_factor_count(&layout, num_elements), place);
}

/* Values at a point and of an element. */
static void check_amounts(struct hb_check *check) {
  static const struct {
    enum hb_geometry_mode mode;
    int at_point[2][2], of_element; /* [with mass][varying] */
  } amounts[] = {{HB_GEOMETRY_STORED, {{6, 6}, {7, 7}}, 0},
                 {HB_GEOMETRY_NODES, {{3, 4}, {3, 5}}, 0},
                 {HB_GEOMETRY_TRILINEAR, {{0, 1}, {0, 2}}, 24},
                 {HB_GEOMETRY_AFFINE, {{0, 1}, {0, 2}}, 8}};
  for (size_t q = 0; q < sizeof amounts / sizeof *amounts; q++)
    for (int mass = 0; mass < 2; mass++)
      for (int varying = 0; varying < 2; varying++) {
        const struct hb_geometry geometry = {.mode = amounts[q].mode,
                                             .factors = mass == 1 ? HB_FACTORS_WITH_MASS
                                                                  : HB_FACTORS_STIFFNESS,
                                             .varying = varying == 1};
        CHECK_EQUAL(check, hb_geometry_num_point_values(&geometry),
                    amounts[q].at_point[mass][varying]);
        CHECK_EQUAL(check, hb_geometry_num_element_values(&geometry), amounts[q].of_element);
        CHECK_EQUAL(check, hb_geometry_num_factors(&geometry), 6 + mass);
        CHECK_NEAR(check, hb_geometry_read_bytes(&geometry, 3, HB_F64),
                   8.0 * (27 * amounts[q].at_point[mass][varying] + amounts[q].of_element), 0.0);
        const struct hb_geometry stored = hb_geometry_stored(&geometry);
        CHECK_EQUAL(check, hb_geometry_num_point_values(&stored), 6 + mass);
        for (int lanes = 1; lanes <= 4; lanes *= 2) check_host(check, &geometry, 3, lanes, 7);
        check_device(check, &geometry, 3, 4);
      }
}

int main(void) {
  struct hb_check check = {0};
  const struct hb_geometry stiffness = {.mode = HB_GEOMETRY_STORED,
                                        .factors = HB_FACTORS_STIFFNESS};
  const struct hb_geometry with_mass = {.mode = HB_GEOMETRY_STORED,
                                        .factors = HB_FACTORS_WITH_MASS};
  const struct hb_geometry *const both[] = {&stiffness, &with_mass};
  static const char *const names[] = {"stored", "nodes", "trilinear", "affine", "unknown"};
  for (int mode = 0; mode <= HB_NUM_GEOMETRY_MODES; mode++)
    CHECK(&check, strcmp(hb_geometry_mode_name((enum hb_geometry_mode)mode), names[mode]) == 0);
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
  check_amounts(&check);
  return hb_check_finish(&check);
}
