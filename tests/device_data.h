/* SPDX-License-Identifier: BSD-3-Clause
 * What tests of the device kernels share: arrays on both sides, the operator's arrays on a device
 * from kernel_data.h's elements, and the end that requires all memory back. */
#ifndef HB_TESTS_DEVICE_DATA_H
#define HB_TESTS_DEVICE_DATA_H

#include "kernels/helmholtz/helmholtz_device.h"
#include "tests/check.h"
#include "tests/kernel_data.h"

/* Entries behind an array that no kernel may touch; partial sums before those of a launch. */
enum { HB_GUARD = 16, HB_FIRST_PARTIAL = 3 };

/* Is this order and precision tried?  Where a test runs twice, with waves in order and shuffled
 * (HB_TEST_HALF = 0 and 1), each is tried in one of the two, and every order, and either precision,
 * in both; HB_TEST_ALL=1: all in both. */
static inline bool hb_device_is_tried(int n, enum hb_precision p) {
  const char *half = getenv("HB_TEST_HALF");
  return half == NULL || getenv("HB_TEST_ALL") != NULL || (n + (int)p + atoi(half)) % 2 == 0;
}

/* Says why and gives the exit code, for tests that find no device. */
static inline int hb_skip_without_device(void) {
  printf("skipped: %s\n",
         strcmp(hb_device_platform(), "none") == 0 ? "built without a GPU" : "no GPU is seen");
  return HB_CHECK_SKIPPED;
}

/* Closes the device, requires that nothing is left on it, and returns the exit code. */
static inline int hb_device_check_finish(struct hb_check *check, struct hb_device **device) {
  hb_device_close(device);
  CHECK_EQUAL(check, hb_device_memory_use().live_allocations, 0);
  return hb_check_finish(check);
}

/* An array in host memory and on the device. */
struct hb_mirror {
  hb_global count, bytes;
  void *h, *d;
};

static inline enum hb_status hb_mirror_init(struct hb_device *device, hb_global count, size_t size,
                                            struct hb_mirror *mirror) {
  *mirror = (struct hb_mirror){count, count * (hb_global)size, NULL, NULL};
  mirror->h = hb_allocate(count, size, "test array");
  mirror->d = hb_device_allocate(device, count, size, "test array");
  return mirror->h == NULL || mirror->d == NULL ? HB_MACHINE_FAILED : HB_OK;
}
static inline void hb_mirror_free(struct hb_device *device, struct hb_mirror *mirror) {
  hb_free(mirror->h);
  hb_device_free(device, mirror->d);
  *mirror = (struct hb_mirror){0, 0, NULL, NULL};
}
static inline enum hb_status hb_mirror_upload(struct hb_device *device,
                                              const struct hb_mirror *mirror) {
  return hb_device_upload(device, mirror->d, mirror->h, mirror->bytes);
}
static inline enum hb_status hb_mirror_download(struct hb_device *device,
                                                const struct hb_mirror *mirror) {
  return hb_device_download(device, mirror->h, mirror->d, mirror->bytes);
}

/* The operator on the first elements, on the device.  The arrays of a direction are vectors. */
struct hb_device_case {
  struct hb_device *device; /* borrowed */
  struct hb_case host;      /* lanes = 1 */
  hb_local *owner;          /* [point]: the first element that has it; -1: none has */
  struct hb_mirror index, D, basis, factors, elements, u;
  struct hb_mirror w, surface, partials; /* with guards */
  struct hb_mirror r, dinv, p_old, p, x;
  struct hb_device_helmholtz h;
};

/* All mirrors of a case, for loops. */
enum { HB_CASE_MIRRORS = 14 };
static inline void hb_case_mirrors(struct hb_device_case *c,
                                   struct hb_mirror *mirrors[HB_CASE_MIRRORS]) {
  struct hb_mirror *all[HB_CASE_MIRRORS] = {
      &c->basis,   &c->elements, &c->index, &c->D,    &c->factors, &c->u, &c->w,
      &c->surface, &c->partials, &c->r,     &c->dinv, &c->p_old,   &c->p, &c->x};
  memcpy(mirrors, all, sizeof all);
}

static inline void hb_device_case_free(struct hb_device_case *c) {
  struct hb_mirror *mirrors[HB_CASE_MIRRORS];
  hb_case_mirrors(c, mirrors);
  for (int i = 0; i < HB_CASE_MIRRORS; i++) hb_mirror_free(c->device, mirrors[i]);
  hb_free(c->owner);
  hb_case_free(&c->host);
  c->owner = NULL;
}

/* Owners of points; surface_index with the bit at the first place of each point; factors with the
 * points of an element together. */
static inline void hb_device_case_arrange(struct hb_device_case *c) {
  const struct hb_helmholtz *h = &c->host.h;
  const int points = hb_points_per_element(h->n), surface = hb_surface_per_element(h->n);
  const enum hb_precision p = c->host.elements->precision;
  hb_local *index = c->index.h;
  for (hb_local i = 0; i < c->host.num_points; i++) c->owner[i] = -1;
  for (hb_local s = 0; s < h->num_elements * surface; s++) {
    const hb_local point = c->host.surface[s];
    index[s] = c->owner[point] < 0 ? point | HB_OWNS_POINT : point;
    if (c->owner[point] < 0) c->owner[point] = s / surface;
  }
  const struct hb_factor_layout to = hb_geometry_device_layout(&h->geometry, h->n);
  const struct hb_factor_layout from = hb_geometry_host_layout(&h->geometry, h->n, 1);
  for (hb_local e = 0; e < h->num_elements; e++)
    for (int point = 0; point < points; point++) {
      const ptrdiff_t entry = (ptrdiff_t)e * points + point;
      if (c->host.index[entry] < h->surface_start) c->owner[c->host.index[entry]] = e;
      for (int f = 0; f < hb_geometry_num_point_values(&h->geometry); f++)
        hb_real_set(p, c->factors.h, hb_factor_at(&to, e, point, f),
                    hb_real_at(p, c->host.factors, hb_factor_at(&from, e, point, f)));
    }
}

/* The first num_elements of `elements`, which must outlive the case.  Freed by
 * hb_device_case_free, also after a failure. */
static inline enum hb_status hb_device_case_init(struct hb_device *device,
                                                 const struct hb_elements *elements,
                                                 hb_local num_elements, enum hb_factor_set factors,
                                                 struct hb_device_case *c) {
  enum hb_status status = HB_OK;
  const int n = elements->n;
  const size_t real = hb_precision_bytes(elements->precision);
  const hb_global surface = (hb_global)num_elements * hb_surface_per_element(n);
  memset(c, 0, sizeof *c);
  c->device = device;
  HB_TRY(hb_case_init(elements, 1, num_elements, factors, &c->host));
  const struct hb_factor_layout layout = hb_geometry_device_layout(&c->host.h.geometry, n);
  const hb_global vector = c->host.num_points;
  HB_ALLOC(c->owner, vector, "test owners");
  HB_TRY(hb_mirror_init(device, surface, sizeof(hb_local), &c->index));
  HB_TRY(hb_mirror_init(device, n * n, real, &c->D));
  HB_TRY(hb_mirror_init(device, 2 * n, real, &c->basis));
  HB_TRY(hb_mirror_init(device, hb_factor_count(&layout, num_elements), real, &c->factors));
  HB_TRY(hb_mirror_init(device, hb_element_value_count(&c->host.h.geometry, 1, num_elements), real,
                        &c->elements));
  HB_TRY(hb_mirror_init(device, surface + HB_GUARD, real, &c->surface));
  HB_TRY(hb_mirror_init(device,
                        HB_FIRST_PARTIAL + hb_helmholtz_device_partials(num_elements) + HB_GUARD,
                        sizeof(double), &c->partials));
  struct hb_mirror *vectors[] = {&c->u, &c->w, &c->r, &c->dinv, &c->p_old, &c->p, &c->x};
  for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
    HB_TRY(hb_mirror_init(device, vector, real, vectors[v]));
  memcpy(c->D.h, c->host.D, (size_t)c->D.bytes);
  memcpy(c->basis.h, c->host.basis, (size_t)c->basis.bytes);
  memcpy(c->elements.h, c->host.element_values, (size_t)c->elements.bytes);
  memcpy(c->u.h, c->host.u, (size_t)c->u.bytes);
  hb_device_case_arrange(c);
  struct hb_mirror *inputs[] = {&c->index, &c->D, &c->basis, &c->factors, &c->elements, &c->u};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
    HB_TRY(hb_mirror_upload(device, inputs[i]));
  c->h = (struct hb_device_helmholtz){.device = device,
                                      .n = n,
                                      .geometry = c->host.h.geometry,
                                      .num_elements = num_elements,
                                      .surface_start = c->host.h.surface_start,
                                      .d_surface_index = c->index.d,
                                      .D = c->D.h,
                                      .d_D = c->D.d,
                                      .basis = c->basis.h,
                                      .d_basis = c->basis.d,
                                      .d_elements = c->elements.d,
                                      .d_factors = c->factors.d,
                                      .d_surface = c->surface.d,
                                      .d_partials = c->partials.d,
                                      .shape = elements->shape};
done:
  return status;
}

/* What elements [begin, end) must write is NaN, all else the sentinel. */
static inline enum hb_status hb_device_case_poison(struct hb_device_case *c, hb_local begin,
                                                   hb_local end) {
  enum hb_status status = HB_OK;
  const enum hb_precision p = c->host.elements->precision;
  const int interior = hb_interior_per_element(c->h.n), surface = hb_surface_per_element(c->h.n);
  hb_fill(p, c->w.h, c->w.count, HB_SENTINEL);
  hb_fill(p, c->surface.h, c->surface.count, HB_SENTINEL);
  hb_fill(HB_F64, c->partials.h, c->partials.count, (double)NAN);
  hb_fill(HB_F64, c->partials.h, HB_FIRST_PARTIAL, HB_SENTINEL);
  for (hb_global i = (hb_global)begin * interior; i < (hb_global)end * interior; i++)
    hb_real_set(p, c->w.h, i, (double)NAN);
  for (hb_global i = (hb_global)begin * surface; i < (hb_global)end * surface; i++)
    hb_real_set(p, c->surface.h, i, (double)NAN);
  HB_TRY(hb_mirror_upload(c->device, &c->w));
  HB_TRY(hb_mirror_upload(c->device, &c->surface));
  HB_TRY(hb_mirror_upload(c->device, &c->partials));
done:
  return status;
}

/* Fetches what a kernel wrote. */
static inline enum hb_status hb_device_case_fetch(struct hb_device_case *c) {
  enum hb_status status = HB_OK;
  HB_TRY(hb_mirror_download(c->device, &c->w));
  HB_TRY(hb_mirror_download(c->device, &c->surface));
  HB_TRY(hb_mirror_download(c->device, &c->partials));
done:
  return status;
}

/* Entries of w and surface that are wrong: farther from expected [element][k][j][i] than the
 * tolerance of their magnitude in elements [begin, end), not the sentinel elsewhere. */
static inline long hb_device_case_count_wrong(const struct hb_device_case *c, hb_local begin,
                                              hb_local end, const double *expected,
                                              const double *magnitude) {
  const struct hb_case *host = &c->host;
  const enum hb_precision p = host->elements->precision;
  const int n = c->h.n, points = hb_points_per_element(n);
  hb_global s = 0;
  long wrong = 0;
  for (hb_local entry = 0; entry < c->h.num_elements * points; entry++) {
    const bool inside = host->index[entry] < c->h.surface_start;
    const double value =
        inside ? hb_real_at(p, c->w.h, host->index[entry]) : hb_real_at(p, c->surface.h, s++);
    if (entry / points >= begin && entry / points < end
            ? !hb_agrees(n, p, value, expected[entry], magnitude[entry])
            : value != HB_SENTINEL)
      wrong++;
  }
  for (; s < c->surface.count; s++) wrong += hb_real_at(p, c->surface.h, s) != HB_SENTINEL;
  for (hb_local i = c->h.surface_start; i < host->num_points; i++)
    wrong += hb_real_at(p, c->w.h, i) != HB_SENTINEL;
  return wrong;
}

/* More elements than a block takes, and not a multiple of them. */
static inline hb_local hb_ragged_count(int n) {
  return n == 2 ? 37 : n <= 4 ? 23 : n <= 8 ? 13 : 7;
}

/* An operator whose launch fails. */
static inline enum hb_status hb_apply_failing(const struct hb_device_helmholtz *helmholtz,
                                              hb_local begin, hb_local end, bool with_mass,
                                              const struct hb_device_direction *direction,
                                              const void *d_u, void *d_w, hb_local *num_partials) {
  (void)helmholtz, (void)begin, (void)end, (void)with_mass;
  (void)direction, (void)d_u, (void)d_w, (void)num_partials;
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__, "planted failure");
}

#endif
