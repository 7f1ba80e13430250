/* SPDX-License-Identifier: BSD-3-Clause
 * The reference's result and the magnitudes that went into it. */
#include "kernels/helmholtz/compare.h"

enum hb_status hb_reference_create(int n, hb_local num_elements, int components,
                                   const struct hb_geometry *geometry, bool with_mass,
                                   struct hb_reference *reference) {
  enum hb_status status = HB_OK;
  *reference = (struct hb_reference){.n = n,
                                     .num_factors = hb_geometry_num_factors(geometry),
                                     .components = components,
                                     .num_elements = num_elements,
                                     .with_mass = with_mass};
  const hb_global points = (hb_global)num_elements * hb_points_per_element(n);
  const hb_global entries = hb_reference_entries(reference);
  HB_ALLOC(reference->D, n * n, "reference");
  HB_ALLOC(reference->factors, points * reference->num_factors, "reference");
  HB_ALLOC(reference->u, entries, "reference");
  HB_ALLOC(reference->u_magnitude, entries, "reference");
  HB_ALLOC(reference->w, entries, "reference");
  HB_ALLOC(reference->w_magnitude, entries, "reference");
done:
  return status;
}

void hb_reference_free(struct hb_reference *reference) {
  hb_free(reference->D);
  hb_free(reference->factors);
  hb_free(reference->u);
  hb_free(reference->u_magnitude);
  hb_free(reference->w);
  hb_free(reference->w_magnitude);
  *reference = (struct hb_reference){.n = 0};
}

static void apply(const struct hb_reference *r, const double *u, double *w) {
  const hb_global points = (hb_global)r->num_elements * hb_points_per_element(r->n);
  for (int c = 0; c < r->components; c++)
    hb_helmholtz_host_f64(r->n, r->num_elements, r->num_factors, r->with_mass, r->D, r->factors,
                          u + c * points, w + c * points);
}

/* In place of a point's factors. */
static void take_magnitudes(int num_factors, double share, double *g) {
  const double diagonal[3] = {sqrt(fabs(g[0])), sqrt(fabs(g[3])), sqrt(fabs(g[5]))};
  for (int a = 0, f = 0; a < 3; a++)
    for (int b = a; b < 3; b++, f++) g[f] = fabs(g[f]) + share * diagonal[a] * diagonal[b];
  if (num_factors > HB_MASS_FACTOR) g[HB_MASS_FACTOR] = (1.0 + share) * fabs(g[HB_MASS_FACTOR]);
}

void hb_reference_apply(struct hb_reference *r) {
  const hb_global points = (hb_global)r->num_elements * hb_points_per_element(r->n);
  const double share = 16.0 * r->growth * hb_precision_epsilon(HB_F64) /
                       hb_helmholtz_tolerance(r->n, HB_F64, 1.0); /* the same in f32 */
  apply(r, r->u, r->w);
  for (int i = 0; i < r->n * r->n; i++) r->D[i] = fabs(r->D[i]);
  for (hb_global i = 0; i < points; i++)
    take_magnitudes(r->num_factors, share, r->factors + i * r->num_factors);
  apply(r, r->u_magnitude, r->w_magnitude);
}

void hb_reference_add_dot(const struct hb_reference *reference, hb_global begin, hb_global end,
                          double *dot, double *magnitude) {
  for (hb_global i = begin; i < end; i++) {
    *dot += reference->u[i] * reference->w[i];
    *magnitude += reference->u_magnitude[i] * reference->w_magnitude[i];
  }
}
