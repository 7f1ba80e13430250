/* SPDX-License-Identifier: BSD-3-Clause
 * The reference's result and the magnitudes that went into it. */
#include "kernels/helmholtz/compare.h"

#include "kernels/threads.h"

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

/* Elements in pieces, on several threads. */
enum { NUM_PIECES = 64 };
struct pass {
  struct hb_reference *reference;
  const double *u;
  double *w, share;
};

static hb_local piece_begin(const struct hb_reference *r, int piece) {
  return (hb_local)hb_piece_begin(r->num_elements, NUM_PIECES, piece);
}

static void apply_piece(void *context, int piece) {
  const struct pass *pass = context;
  const struct hb_reference *r = pass->reference;
  const hb_local begin = piece_begin(r, piece), count = piece_begin(r, piece + 1) - begin;
  const ptrdiff_t points = hb_points_per_element(r->n), first = begin * points;
  for (int c = 0; c < r->components && count > 0; c++) {
    const ptrdiff_t at = c * (r->num_elements * points) + first;
    hb_helmholtz_host_f64(r->n, count, r->num_factors, r->with_mass, r->D,
                          r->factors + first * r->num_factors, pass->u + at, pass->w + at);
  }
}

/* In place of a point's factors. */
static void take_magnitudes(int num_factors, double share, double *g) {
  const double diagonal[3] = {sqrt(fabs(g[0])), sqrt(fabs(g[3])), sqrt(fabs(g[5]))};
  for (int a = 0, f = 0; a < 3; a++)
    for (int b = a; b < 3; b++, f++) g[f] = fabs(g[f]) + share * diagonal[a] * diagonal[b];
  if (num_factors > HB_MASS_FACTOR) g[HB_MASS_FACTOR] = (1.0 + share) * fabs(g[HB_MASS_FACTOR]);
}

static void take_piece(void *context, int piece) {
  const struct pass *pass = context;
  const struct hb_reference *r = pass->reference;
  const ptrdiff_t points = hb_points_per_element(r->n);
  for (ptrdiff_t i = piece_begin(r, piece) * points; i < piece_begin(r, piece + 1) * points; i++)
    take_magnitudes(r->num_factors, pass->share, r->factors + i * r->num_factors);
}

void hb_reference_apply(struct hb_reference *r) {
  const double share = 16.0 * r->growth * hb_precision_epsilon(HB_F64) /
                       hb_helmholtz_tolerance(r->n, HB_F64, 1.0); /* the same in f32 */
  struct pass values = {.reference = r, .u = r->u, .w = r->w, .share = share};
  struct pass magnitudes = {.reference = r, .u = r->u_magnitude, .w = r->w_magnitude};
  hb_threads_run(r->threads, NUM_PIECES, apply_piece, &values);
  for (int i = 0; i < r->n * r->n; i++) r->D[i] = fabs(r->D[i]);
  hb_threads_run(r->threads, NUM_PIECES, take_piece, &values);
  hb_threads_run(r->threads, NUM_PIECES, apply_piece, &magnitudes);
}

void hb_reference_add_dot(const struct hb_reference *reference, hb_global begin, hb_global end,
                          double *dot, double *magnitude) {
  for (hb_global i = begin; i < end; i++) {
    *dot += reference->u[i] * reference->w[i];
    *magnitude += reference->u_magnitude[i] * reference->w_magnitude[i];
  }
}
