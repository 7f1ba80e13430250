/* SPDX-License-Identifier: BSD-3-Clause
 * The device diagonal against its formula in plain double: orders, precisions, mass, ragged blocks,
 * parts of the elements; every place is written once, nothing else. */
#include <string.h>

#include "tests/device_data.h"

/* The formula and its sum of magnitudes, local [element][k][j][i]. */
static void plain_diagonal(const struct hb_device_case *c, double *local, double *magnitude) {
  const struct hb_elements *e = c->host.elements;
  const int n = e->n, points = hb_points_per_element(n);
  const int stride[3] = {1, n, n * n}, on_axis[3] = {0, 3, 5}, across[3] = {1, 2, 4};
  for (int entry = 0; entry < c->h.num_elements * points; entry++) {
    const int point = entry % points;
    const double *element = e->factors + (ptrdiff_t)(entry - point) * HB_MAX_FACTORS;
    const double *g = element + (ptrdiff_t)point * HB_MAX_FACTORS;
    double sum = hb_geometry_has_mass(&c->h.geometry) ? g[HB_MASS_FACTOR] : 0.0, size = fabs(sum);
    double corner[3]; /* D[i][i], D[j][j], D[k][k] */
    for (int a = 0; a < 3; a++) {
      const int here = point / stride[a] % n;
      corner[a] = e->D[here * n + here];
      for (int m = 0; m < n; m++) {
        const ptrdiff_t at = point + (ptrdiff_t)(m - here) * stride[a];
        const double D = e->D[m * n + here],
                     term = D * D * element[at * HB_MAX_FACTORS + on_axis[a]];
        sum += term;
        size += term; /* positive */
      }
    }
    const double products[3] = {corner[0] * corner[1], corner[0] * corner[2],
                                corner[1] * corner[2]};
    for (int q = 0; q < 3; q++) {
      sum += 2.0 * products[q] * g[across[q]];
      size += fabs(2.0 * products[q] * g[across[q]]);
    }
    local[entry] = sum;
    magnitude[entry] = size;
  }
}

/* In two parts, as if the factors of each had been formed for it. */
static enum hb_status form(struct hb_device_case *c) {
  enum hb_status status = HB_OK;
  const enum hb_precision p = c->host.elements->precision;
  const hb_local count = c->h.num_elements, middle = count / 3;
  const struct hb_factor_layout layout = hb_geometry_device_layout(&c->h.geometry, c->h.n);
  hb_helmholtz_device_diagonal *diagonal =
      p == HB_F64 ? hb_helmholtz_device_diagonal_f64 : hb_helmholtz_device_diagonal_f32;
  const size_t skipped = (size_t)hb_factor_count(&layout, middle) * hb_precision_bytes(p);
  HB_TRY(hb_device_case_poison(c, 0, count));
  HB_TRY(diagonal(&c->h, 0, middle, c->factors.d, c->w.d));
  HB_TRY(diagonal(&c->h, middle, count, (const char *)c->factors.d + skipped, c->w.d));
  HB_TRY(hb_device_synchronise(c->device, HB_STREAM_COMPUTE));
  HB_TRY(hb_device_case_fetch(c));
done:
  return status;
}

/* The bound is the operator's: the diagonal has 3 n of its terms, of which 3 are cross terms. */
static void check_case(struct hb_check *check, struct hb_device *device,
                       const struct hb_elements *elements, hb_local num_elements,
                       enum hb_factor_set factors) {
  enum hb_status status = HB_OK;
  double *expected = NULL, *magnitude = NULL;
  struct hb_device_case c;
  HB_TRY(hb_device_case_init(device, elements, num_elements, factors, &c));
  HB_ALLOC(expected, (hb_global)num_elements * hb_points_per_element(c.h.n), "test");
  HB_ALLOC(magnitude, (hb_global)num_elements * hb_points_per_element(c.h.n), "test");
  plain_diagonal(&c, expected, magnitude);
  CHECK_OK(check, form(&c));
  const long wrong = hb_device_case_count_wrong(&c, 0, num_elements, expected, magnitude);
  CHECK_EQUAL(check, wrong, 0);
  if (wrong != 0)
    printf("  n = %d, f%d, %d elements, %d factors\n", c.h.n,
           elements->precision == HB_F64 ? 64 : 32, (int)num_elements,
           hb_geometry_num_factors(&c.h.geometry));

  /* Planted: one entry expected elsewhere; then one squared derivative wrong on the device. */
  expected[0] += 3.0 * hb_helmholtz_tolerance(c.h.n, elements->precision, magnitude[0]);
  CHECK_EQUAL(check, hb_device_case_count_wrong(&c, 0, num_elements, expected, magnitude), 1);
  plain_diagonal(&c, expected, magnitude);
  hb_real_set(elements->precision, c.D.h, c.h.n, 1.25 * elements->D[c.h.n]); /* D[1][0] */
  CHECK_OK(check, hb_mirror_upload(device, &c.D));
  CHECK_OK(check, form(&c));
  CHECK(check, hb_device_case_count_wrong(&c, 0, num_elements, expected, magnitude) >=
                   num_elements * c.h.n * c.h.n);
done:
  CHECK_EQUAL(check, status, HB_OK);
  hb_free(expected);
  hb_free(magnitude);
  hb_device_case_free(&c);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  for (int n = 2; n <= HB_MAX_N && device != NULL; n++)
    for (int p = HB_F64; p <= HB_F32; p++) {
      if (!hb_device_is_tried(n, (enum hb_precision)p)) continue;
      struct hb_elements elements;
      const hb_local count = n == 2 ? 131 : n == 3 ? 41 : n <= 7 ? 17 : 3; /* ragged blocks */
      CHECK_OK(&check, hb_elements_init(n, (enum hb_precision)p, count, 1 + n % 2,
                                        (uint64_t)(2 * n + p), &elements));
      check_case(&check, device, &elements, count, HB_FACTORS_WITH_MASS);
      check_case(&check, device, &elements, 1, HB_FACTORS_STIFFNESS);
      hb_elements_free(&elements);
    }
  return hb_device_check_finish(&check, &device);
}
