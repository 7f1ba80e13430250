/* SPDX-License-Identifier: BSD-3-Clause
 * The diagonal of every variant against its own operator on unit vectors, e'Ae, and against the
 * formula in plain double. */
#include <string.h>

#include "tests/check.h"
#include "tests/kernel_data.h"

/* Unit vectors tried: fewer where they cost more. */
static int num_unit_vectors(int n) { return n <= 8 ? 60 : 10; }

/* The formula and its sum of magnitudes, local [element][k][j][i]. */
static void plain_diagonal(const struct hb_case *c, double *local, double *magnitude) {
  const struct hb_elements *e = c->elements;
  const int n = e->n, points = hb_points_per_element(n);
  const double *D = e->D;
  for (int entry = 0; entry < c->h.num_elements * points; entry++) {
    const int point = entry % points, i = point % n, j = point / n % n, k = point / (n * n);
    const double *line = e->factors + (ptrdiff_t)(entry - point) * HB_MAX_FACTORS;
    const double *g = line + (ptrdiff_t)point * HB_MAX_FACTORS;
    const double a = D[i * n + i], b = D[j * n + j], d = D[k * n + k];
    const double terms[4] = {2 * a * b * g[1], 2 * a * d * g[2], 2 * b * d * g[4],
                             hb_geometry_has_mass(&c->h.geometry) ? g[HB_MASS_FACTOR] : 0.0};
    double sum = 0.0, size = 0.0;
    for (int q = 0; q < 4; q++) {
      sum += terms[q];
      size += fabs(terms[q]);
    }
    for (int m = 0; m < n; m++) {
      const ptrdiff_t at[3] = {(k * n + j) * n + m, (k * n + m) * n + i, (m * n + j) * n + i};
      const double terms_m[3] = {D[m * n + i] * D[m * n + i] * line[at[0] * HB_MAX_FACTORS],
                                 D[m * n + j] * D[m * n + j] * line[at[1] * HB_MAX_FACTORS + 3],
                                 D[m * n + k] * D[m * n + k] * line[at[2] * HB_MAX_FACTORS + 5]};
      sum += terms_m[0] + terms_m[1] + terms_m[2];
      size += terms_m[0] + terms_m[1] + terms_m[2]; /* positive */
    }
    local[entry] = sum;
    magnitude[entry] = size;
  }
}

/* Entries of the diagonal that differ from e'Ae by the variant's own operator, of points
 * spread over the vector.  Both are rounded: twice the tolerance. */
static long wrong_against_operator(const struct hb_case *c, hb_helmholtz_apply *apply,
                                   const double *scale, const void *diagonal, void *e, void *w) {
  const enum hb_precision p = c->elements->precision;
  const hb_local stride = 1 + c->num_points / num_unit_vectors(c->h.n);
  const bool with_mass = hb_geometry_has_mass(&c->h.geometry);
  const hb_local blocks = hb_num_blocks(c->h.num_elements, c->h.lanes);
  long wrong = 0;
  hb_fill(p, e, c->num_points, 0.0);
  for (hb_local i = 0; i < c->num_points; i += stride) {
    if (isnan(scale[i])) continue; /* no element's */
    const double bound = 2.0 * hb_helmholtz_tolerance(c->h.n, p, scale[i]);
    hb_real_set(p, e, i, 1.0);
    hb_case_poison(c, scale, w);
    const double energy = apply(&c->h, 0, blocks, with_mass, e, w);
    hb_real_set(p, e, i, 0.0);
    if (!(fabs(hb_real_at(p, w, i) - hb_real_at(p, diagonal, i)) <= bound)) wrong++;
    if (!(fabs(energy - hb_real_at(p, diagonal, i)) <= bound)) wrong++;
  }
  return wrong;
}

static void check_case(struct hb_check *check, const struct hb_elements *elements,
                       const struct hb_helmholtz_variant *variant, enum hb_factor_set factors) {
  enum hb_status status = HB_OK;
  const enum hb_precision p = elements->precision;
  const int lanes = variant->lanes[p];
  double *local = NULL, *magnitude = NULL, *expected = NULL, *scale = NULL;
  void *diagonal = NULL, *e = NULL, *w = NULL;
  struct hb_case c;
  HB_TRY(hb_case_init(elements, lanes, lanes + 2, factors, &c));
  HB_ALLOC(local, (hb_global)c.h.num_elements * hb_points_per_element(c.h.n), "test");
  HB_ALLOC(magnitude, (hb_global)c.h.num_elements * hb_points_per_element(c.h.n), "test");
  HB_ALLOC(expected, c.num_points, "test");
  HB_ALLOC(scale, c.num_points, "test");
  HB_TRY(hb_allocate_reals(p, c.num_points, &diagonal));
  HB_TRY(hb_allocate_reals(p, c.num_points, &e));
  HB_TRY(hb_allocate_reals(p, c.num_points, &w));
  plain_diagonal(&c, local, magnitude);
  hb_case_assemble(&c, local, expected);
  hb_case_assemble(&c, magnitude, scale);
  hb_case_poison(&c, expected, diagonal);
  variant->host.diagonal[p](&c.h, diagonal);
  CHECK(check, hb_scratch_kept(&c));
  /* What rounding adds where factors are formed (compare.h). */
  const double forming = 4.0 * 16.0 * elements->growth * hb_precision_epsilon(HB_F64) /
                         hb_helmholtz_tolerance(c.h.n, HB_F64, 1.0);
  CHECK_EQUAL(check, hb_case_count_wrong(&c, 1.0 + forming, expected, scale, diagonal), 0);
  long positive = 0;
  for (hb_local i = 0; i < c.num_points; i++) positive += hb_real_at(p, diagonal, i) > 0.0;
  CHECK_EQUAL(check, positive, c.num_points); /* the sentinel is */
  /* One across, a point is twice in an element and e'Ae has products of the two: the diagonal is
   * the sum of the elements' diagonals by definition, without them. */
  if (elements->across > 1)
    CHECK_EQUAL(check, wrong_against_operator(&c, variant->host.apply[p], scale, diagonal, e, w),
                0);
done:
  CHECK_EQUAL(check, status, HB_OK);
  hb_free(local);
  hb_free(magnitude);
  hb_free(expected);
  hb_free(scale);
  hb_free(diagonal);
  hb_free(e);
  hb_free(w);
  hb_case_free(&c);
}

static void check_mode(struct hb_check *check, int n, enum hb_precision p, int across,
                       enum hb_geometry_mode mode) {
  struct hb_elements elements;
  CHECK_OK(check, hb_elements_init_mode(n, p, HB_MAX_LANES + 2, across, (uint64_t)(100 + n), mode,
                                        (n / 2 + (int)mode) % 2 == 0, &elements));
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
    if (variant->backend != HB_BACKEND_HOST || !hb_host_isa_runs(variant->isa) ||
        !hb_helmholtz_has(variant, mode, n))
      continue;
    check_case(check, &elements, variant, HB_FACTORS_STIFFNESS);
    check_case(check, &elements, variant, HB_FACTORS_WITH_MASS);
  }
  hb_elements_free(&elements);
}

int main(void) {
  struct hb_check check = {0, 0};
  for (int n = 2; n <= HB_MAX_N; n++)
    for (int p = HB_F64; p <= HB_F32; p++)
      for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++)
        for (int across = 1; across <= 2; across++)
          if (hb_is_chosen(n, p) &&
              (mode == HB_GEOMETRY_STORED || across == 1 + (n + mode + p) % 2))
            check_mode(&check, n, (enum hb_precision)p, across, (enum hb_geometry_mode)mode);
  return hb_check_finish(&check);
}
