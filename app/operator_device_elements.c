/* SPDX-License-Identifier: BSD-3-Clause
 * Diagonals of elements on a device, and looks at single elements. */
#include <string.h>

#include "app/operator_device.h"

/* What is kept of elements, to be expanded: without a range and a place for factors. */
static struct hb_device_kept kept_of(const struct hb_operator_device *od) {
  const struct hb_gll *gll = &od->op.mesh->gll;
  return (struct hb_device_kept){.device = od->device,
                                 .n = od->helmholtz.n,
                                 .geometry = od->helmholtz.geometry,
                                 .D = gll->D,
                                 .points = gll->nodes,
                                 .weights = gll->weights,
                                 .d_point_values = od->d_factors,
                                 .d_elements = od->d_elements};
}

enum hb_status hb_operator_device_visit_factors(const struct hb_operator_device *od,
                                                hb_factors_visit *visit, void *context) {
  enum hb_status status = HB_OK;
  const struct hb_device_helmholtz *h = &od->helmholtz;
  const hb_local fits = HB_GROUP_POINTS / hb_points_per_element(h->n);
  const hb_local most = fits < 1 ? 1 : fits < h->num_elements ? fits : h->num_elements;
  const struct hb_geometry stored = hb_geometry_stored(&h->geometry);
  const struct hb_factor_layout layout = hb_geometry_device_layout(&stored, h->n);
  struct hb_device_kept kept = kept_of(od);
  if (h->geometry.mode == HB_GEOMETRY_STORED)
    return visit(context, 0, h->num_elements, od->d_factors);
  kept.d_factors = hb_device_allocate(od->device, hb_factor_count(&layout, most),
                                      hb_precision_bytes(od->op.precision), "factors for a while");
  if (kept.d_factors == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  for (kept.begin = 0; kept.begin < h->num_elements; kept.begin = kept.end) {
    const hb_local left = h->num_elements - kept.begin;
    kept.end = kept.begin + (left < most ? left : most);
    HB_TRY(od->kernels.expand(&kept));
    HB_TRY(visit(context, kept.begin, kept.end, kept.d_factors));
  }
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
done:
  hb_device_free(od->device, kept.d_factors);
  return status;
}

static enum hb_status put_diagonals(void *context, hb_local begin, hb_local end,
                                    const void *d_factors) {
  const struct hb_operator_device *od = context;
  return od->kernels.diagonal(&od->helmholtz, begin, end, d_factors, od->d_w);
}

enum hb_status hb_operator_device_diagonals(struct hb_operator_device *od) {
  return hb_operator_device_visit_factors(od, put_diagonals, od);
}

/* Several threads at once: one after the other.  An array without values is passed by. */
static enum hb_status download(const struct hb_operator_device *od, void *to, const void *d_from,
                               hb_global first, hb_global bytes) {
  if (bytes == 0) return HB_OK;
  pthread_mutex_lock(od->one);
  const enum hb_status status =
      hb_device_download(od->device, to, (const char *)d_from + first, bytes);
  pthread_mutex_unlock(od->one);
  return status;
}

/* Factors of elements [begin, end) from what the device keeps of them. */
static enum hb_status expand(const struct hb_operator_device *od, hb_local begin, hb_local end,
                             double *factors) {
  enum hb_status status = HB_OK;
  const struct hb_geometry *geometry = &od->op.helmholtz.geometry;
  const hb_global size = (hb_global)hb_precision_bytes(od->op.precision);
  struct hb_kept_places places = {.layout = hb_geometry_device_layout(geometry, od->helmholtz.n),
                                  .precision = od->op.precision,
                                  .first = begin};
  const hb_global at_points = size * hb_factor_count(&places.layout, end - begin);
  const hb_global of_elements = size * hb_element_value_count(geometry, 1, end - begin);
  char *values = NULL;
  HB_ALLOC(values, at_points + of_elements, "geometry of elements");
  places.points = values;
  places.elements = values + at_points;
  HB_TRY(download(od, places.points, od->d_factors,
                  size * hb_factor_at(&places.layout, begin, 0, 0), at_points));
  HB_TRY(download(od, places.elements, od->d_elements,
                  size * hb_element_value_at(geometry, 1, begin, 0), of_elements));
  HB_TRY(hb_operator_expand(&od->op, &places, begin, end, factors));
done:
  hb_free(values);
  return status;
}

enum hb_status hb_operator_device_factors(const struct hb_operator_device *od, hb_local begin,
                                          hb_local end, double *factors) {
  enum hb_status status = HB_OK;
  const struct hb_device_helmholtz *h = &od->helmholtz;
  if (h->geometry.mode != HB_GEOMETRY_STORED) return expand(od, begin, end, factors);
  const struct hb_factor_layout from = hb_geometry_device_layout(&h->geometry, h->n);
  const struct hb_factor_layout to = hb_geometry_host_layout(&h->geometry, h->n, 1);
  const size_t bytes = (size_t)from.block * hb_precision_bytes(od->op.precision);
  char *values = NULL;
  HB_ALLOC(values, (size_t)(end - begin) * bytes, "factors of elements");
  HB_TRY(download(od, values, od->d_factors, (hb_global)((size_t)begin * bytes),
                  (hb_global)((size_t)(end - begin) * bytes)));
  for (hb_local e = 0; e < end - begin; e++)
    for (int f = 0; f < hb_geometry_num_factors(&h->geometry); f++) {
      double *out = factors + hb_factor_at(&to, e, 0, f);
      const ptrdiff_t in = hb_factor_at(&from, e, 0, f);
      for (int point = 0; point < hb_points_per_element(h->n); point++)
        out[point * to.point] = hb_real_at(od->op.precision, values, in + point * from.point);
    }
done:
  hb_free(values);
  return status;
}

/* Adds one element's downloaded result to w. */
static void add_element(const struct hb_operator_device *od, hb_local element, const void *d_w,
                        const void *surface, void *w) {
  const struct hb_numbering *numbering = od->op.mesh->numbering;
  const int per_surface = hb_surface_per_element(numbering->n);
  const ptrdiff_t interior = hb_interior_per_element(numbering->n);
  const hb_local *index = numbering->surface_index + (ptrdiff_t)element * per_surface;
  const bool wide = od->op.precision == HB_F64;
  const size_t size = hb_precision_bytes(od->op.precision);
  memcpy((char *)w + (size_t)(element * interior) * size, d_w, (size_t)interior * size);
  for (int s = 0; s < per_surface; s++) {
    if (wide)
      ((double *)w)[index[s]] += ((const double *)surface)[s];
    else
      ((float *)w)[index[s]] += ((const float *)surface)[s];
  }
}

enum hb_status hb_operator_device_run_elements(struct hb_operator_device *od, hb_local begin,
                                               hb_local end, const void *d_u, void *results,
                                               double *u_dot_w) {
  enum hb_status status = HB_OK;
  const size_t size = hb_precision_bytes(od->op.precision);
  const size_t surface = (size_t)hb_surface_per_element(od->op.mesh->numbering->n) * size;
  const size_t interior = (size_t)hb_interior_per_element(od->op.mesh->numbering->n) * size;
  /* The instance that a solve runs: p = r + 0 p_old = u; d_w takes p, and then the result. */
  const struct hb_device_direction step = {.d_r = d_u, .d_p_old = d_u, .d_p = od->d_w};
  hb_local num_partials = 0;
  char *to = results;
  HB_TRY(od->kernels.apply(&od->helmholtz, begin, end, true, &step, NULL, od->d_w, &num_partials));
  HB_TRY(hb_device_reduce(od->device, num_partials, 1, od->d_partials, od->sums));
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
  *u_dot_w = od->sums[0];
  for (hb_local e = begin; e < end; e++, to += interior + surface) {
    HB_TRY(hb_device_download(od->device, to, (const char *)od->d_w + (size_t)e * interior,
                              (hb_global)interior));
    HB_TRY(hb_device_download(od->device, to + interior,
                              (const char *)od->d_surface + (size_t)e * surface,
                              (hb_global)surface));
  }
done:
  return status;
}

enum hb_status hb_operator_device_apply_elements(struct hb_operator_device *od, hb_local begin,
                                                 hb_local end, const void *u, void *w,
                                                 double *u_dot_w) {
  enum hb_status status = HB_OK;
  const size_t size = hb_precision_bytes(od->op.precision);
  const size_t element = (size_t)hb_points_per_element(od->op.mesh->numbering->n) * size;
  const size_t interior = (size_t)hb_interior_per_element(od->op.mesh->numbering->n) * size;
  char *results = NULL;
  HB_ALLOC(results, (size_t)(end - begin) * element, "results of elements");
  HB_TRY(hb_device_upload(od->device, od->d_u, u, hb_operator_vector_bytes(&od->op)));
  HB_TRY(hb_operator_device_run_elements(od, begin, end, od->d_u, results, u_dot_w));
  for (hb_local e = begin; e < end; e++) {
    const char *result = results + (size_t)(e - begin) * element;
    add_element(od, e, result, result + interior, w);
  }
done:
  hb_free(results);
  return status;
}
