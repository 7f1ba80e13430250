/* SPDX-License-Identifier: BSD-3-Clause
 * Stored factors that a device forms from what a geometry mode keeps, against the host's plain
 * ones: modes, orders, precisions, mass, coefficients that vary or not, parts of the elements. */
#include "tests/device_data.h"

/* An operator's geometry, and its factors on the device, with a guard. */
struct expansion {
  struct hb_gll gll;
  struct hb_device_case c;
  hb_local begin, end;
  struct hb_mirror factors;
};

static enum hb_status form(struct expansion *x) {
  enum hb_status status = HB_OK;
  const enum hb_precision p = x->c.host.elements->precision;
  const struct hb_device_kept kept = {.device = x->c.device,
                                      .n = x->c.h.n,
                                      .geometry = x->c.h.geometry,
                                      .begin = x->begin,
                                      .end = x->end,
                                      .D = x->gll.D,
                                      .points = x->gll.nodes,
                                      .weights = x->gll.weights,
                                      .d_point_values = x->c.factors.d,
                                      .d_elements = x->c.elements.d,
                                      .d_factors = x->factors.d};
  hb_fill(p, x->factors.h, x->factors.count, HB_SENTINEL);
  HB_TRY(hb_mirror_upload(x->c.device, &x->factors));
  HB_TRY(p == HB_F64 ? hb_geometry_expand_device_f64(&kept) : hb_geometry_expand_device_f32(&kept));
  HB_TRY(hb_device_synchronise(x->c.device, HB_STREAM_COMPUTE));
  HB_TRY(hb_mirror_download(x->c.device, &x->factors));
done:
  return status;
}

/* What both sides round, of a factor's size: derivatives, and with them factors (compare.h), and
 * once what is stored.  The reference differentiates trilinear maps at points, as rows of D allow:
 * units of each |D| |x|, with |x| <= 2, in seven factors, as in device_geometric_factors.c. */
static double relative_bound(const struct hb_elements *e) {
  double largest = 0.0, units = 16.0 * e->growth;
  for (int i = 0; i < e->n; i++) {
    double row = 0.0;
    for (int m = 0; m < e->n; m++) row += fabs(e->D[i * e->n + m]);
    largest = fmax(largest, row);
  }
  if (e->geometry.mode == HB_GEOMETRY_TRILINEAR) units = fmax(units, 64.0 * largest);
  return units * hb_precision_epsilon(HB_F64) + hb_precision_epsilon(e->precision);
}

/* Factors that differ from the reference, and places behind them that were written. */
static long count_wrong(const struct expansion *x) {
  const struct hb_elements *e = x->c.host.elements;
  const enum hb_precision p = e->precision;
  const struct hb_geometry stored = hb_geometry_stored(&x->c.h.geometry);
  const struct hb_factor_layout layout = hb_geometry_device_layout(&stored, e->n);
  const int points = hb_points_per_element(e->n), diagonal[3] = {0, 3, 5};
  const double bound = relative_bound(e);
  long wrong = 0;
  for (hb_local element = x->begin; element < x->end; element++)
    for (int point = 0; point < points; point++) {
      const double *g = e->factors + ((ptrdiff_t)element * points + point) * HB_MAX_FACTORS;
      double size[HB_MAX_FACTORS];
      for (int a = 0, f = 0; a < 3; a++)
        for (int b = a; b < 3; b++, f++) size[f] = sqrt(g[diagonal[a]] * g[diagonal[b]]);
      size[HB_MASS_FACTOR] = g[HB_MASS_FACTOR];
      for (int f = 0; f < hb_geometry_num_factors(&stored); f++) {
        const ptrdiff_t at = hb_factor_at(&layout, element - x->begin, point, f);
        if (!(fabs(hb_real_at(p, x->factors.h, at) - g[f]) <= bound * size[f])) wrong++;
      }
    }
  for (hb_global i = hb_factor_count(&layout, x->end - x->begin); i < x->factors.count; i++)
    wrong += hb_real_at(p, x->factors.h, i) != HB_SENTINEL;
  return wrong;
}

static void check_parts(struct hb_check *check, struct hb_device *device,
                        const struct hb_elements *elements, enum hb_factor_set factors) {
  enum hb_status status = HB_OK;
  const hb_local count = elements->count;
  const hb_local parts[][2] = {{0, count}, {0, 1}, {2, count - 1}, {3, 3}};
  struct expansion x = {.begin = 0};
  HB_TRY(hb_gll_init(elements->n - 1, &x.gll));
  HB_TRY(hb_device_case_init(device, elements, count, factors, &x.c));
  HB_TRY(hb_mirror_init(
      device, (hb_global)count * hb_points_per_element(elements->n) * HB_MAX_FACTORS + HB_GUARD,
      hb_precision_bytes(elements->precision), &x.factors));
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    x.begin = parts[i][0];
    x.end = parts[i][1];
    CHECK_OK(check, form(&x));
    const long wrong = count_wrong(&x);
    CHECK_EQUAL(check, wrong, 0);
    if (wrong != 0)
      printf("  n = %d, f%d, %s, %s coefficients, elements %d to %d of %d, %d factors\n",
             elements->n, elements->precision == HB_F64 ? 64 : 32,
             hb_geometry_mode_name(elements->geometry.mode),
             elements->geometry.varying ? "varying" : "constant", (int)x.begin, (int)x.end,
             (int)count, hb_geometry_num_factors(&x.c.h.geometry));
  }
  /* Planted: the factors of another element. */
  x.begin = 0;
  x.end = 1;
  CHECK_OK(check, form(&x));
  x.begin = 1;
  x.end = 2;
  CHECK(check, count_wrong(&x) >= hb_points_per_element(elements->n));
done:
  CHECK_EQUAL(check, status, HB_OK);
  hb_mirror_free(device, &x.factors);
  hb_device_case_free(&x.c);
}

static void check_order(struct hb_check *check, struct hb_device *device, int n,
                        enum hb_precision p) {
  const hb_local count = n == 2 ? 131 : n == 3 ? 41 : n <= 7 ? 17 : 5; /* ragged blocks */
  for (int mode = HB_GEOMETRY_NODES; mode < HB_NUM_GEOMETRY_MODES; mode++) {
    const bool varying = (n + mode + (int)p) % 2 == 0;
    struct hb_elements elements;
    CHECK_OK(check, hb_elements_init_mode(n, p, count, 1 + n % 2, (uint64_t)(2 * n + (int)p),
                                          (enum hb_geometry_mode)mode, varying, &elements));
    check_parts(check, device, &elements,
                (n / 2 + mode) % 2 == 0 ? HB_FACTORS_STIFFNESS : HB_FACTORS_WITH_MASS);
    hb_elements_free(&elements);
  }
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  for (int n = 2; n <= HB_MAX_N && device != NULL; n++)
    for (int p = HB_F64; p <= HB_F32; p++)
      if (hb_device_is_tried(n, (enum hb_precision)p))
        check_order(&check, device, n, (enum hb_precision)p);
  return hb_device_check_finish(&check, &device);
}
