/* SPDX-License-Identifier: BSD-3-Clause
 * Geometric factors on a device, a group of elements at a time, and looks at single elements. */
#include <string.h>

#include "app/operator_device.h"
#include "app/operator_setup.h"

/* Elements handled together: as many as have about this many points. */
enum { GROUP_POINTS = 1 << 19 };

struct group {
  hb_local first, count, most;
  double *x, *h1, *h2, *mass, *min_jacobian;           /* owned, pinned */
  double *d_x, *d_h1, *d_h2, *d_mass, *d_min_jacobian; /* owned */
};

static enum hb_status group_create(struct hb_device *device, ptrdiff_t points,
                                   hb_local num_elements, struct group *group) {
  const hb_local fits = GROUP_POINTS / (hb_local)points > 0 ? GROUP_POINTS / (hb_local)points : 1;
  bool all = true;
  *group = (struct group){.most = fits < num_elements ? fits : num_elements};
  const hb_global values = (hb_global)group->most * points;
  struct {
    double **host, **d_pointer;
    hb_global count;
  } arrays[] = {{&group->x, &group->d_x, 3 * values},
                {&group->h1, &group->d_h1, values},
                {&group->h2, &group->d_h2, values},
                {&group->mass, &group->d_mass, values},
                {&group->min_jacobian, &group->d_min_jacobian, group->most}};
  for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) {
    *arrays[a].host = hb_pinned_allocate(device, arrays[a].count, sizeof(double), "set-up");
    *arrays[a].d_pointer = hb_device_allocate(device, arrays[a].count, sizeof(double), "set-up");
    all = all && *arrays[a].host != NULL && *arrays[a].d_pointer != NULL;
  }
  return all ? HB_OK : HB_MACHINE_FAILED;
}

static void group_destroy(struct hb_device *device, struct group *group) {
  double *const host[] = {group->x, group->h1, group->h2, group->mass, group->min_jacobian};
  double *const d_pointers[] = {group->d_x, group->d_h1, group->d_h2, group->d_mass,
                                group->d_min_jacobian};
  for (size_t a = 0; a < sizeof host / sizeof *host; a++) {
    hb_pinned_free(device, host[a]);
    hb_device_free(device, d_pointers[a]);
  }
}

static void fill_group(const struct hb_mesh *mesh, const struct hb_problem *problem,
                       ptrdiff_t points, struct group *group) {
  for (hb_local e = 0; e < group->count; e++) {
    hb_local element[3];
    double *x = group->x + 3 * points * e;
    hb_mesh_element(mesh, group->first + e, element);
    hb_positions_element(mesh->positions, element, 1, x);
    if (hb_problem_is_constant(problem)) continue;
    for (ptrdiff_t p = 0; p < points; p++) {
      const double position[3] = {x[p], x[points + p], x[2 * points + p]};
      hb_problem_coefficients(problem, position, &group->h1[points * e + p],
                              &group->h2[points * e + p]);
    }
  }
}

/* Up, the kernel, and its masses and Jacobians down. */
static enum hb_status run_group(struct hb_operator *op, const struct hb_problem *problem,
                                ptrdiff_t points, struct group *group) {
  enum hb_status status = HB_OK;
  struct hb_operator_device *od = op->device;
  const struct hb_mesh *mesh = op->mesh;
  const bool constant = hb_problem_is_constant(problem);
  const hb_global bytes = (hb_global)group->count * points * (hb_global)sizeof(double);
  const struct hb_factor_layout layout =
      hb_geometry_device_layout(&op->helmholtz.geometry, op->helmholtz.n);
  const size_t first = (size_t)hb_factor_at(&layout, group->first, 0, 0);
  const struct hb_device_geometry geometry = {
      .device = od->device,
      .n = op->helmholtz.n,
      .geometry = op->helmholtz.geometry,
      .count = group->count,
      .D = mesh->gll.D,
      .weights = mesh->gll.weights,
      .d_x = group->d_x,
      .d_h1 = constant ? NULL : group->d_h1,
      .d_h2 = constant ? NULL : group->d_h2,
      .h1 = problem->h1,
      .h2 = problem->h2,
      .d_factors = (char *)od->d_factors + first * hb_precision_bytes(op->precision),
      .d_mass = group->d_mass,
      .d_min_jacobian = group->d_min_jacobian};
  HB_TRY(hb_device_copy(od->device, HB_STREAM_COMPUTE, group->d_x, group->x, 3 * bytes));
  if (!constant) {
    HB_TRY(hb_device_copy(od->device, HB_STREAM_COMPUTE, group->d_h1, group->h1, bytes));
    HB_TRY(hb_device_copy(od->device, HB_STREAM_COMPUTE, group->d_h2, group->h2, bytes));
  }
  HB_TRY(od->kernels.geometric_factors(&geometry));
  HB_TRY(hb_device_copy(od->device, HB_STREAM_COMPUTE, group->mass, group->d_mass, bytes));
  HB_TRY(hb_device_copy(od->device, HB_STREAM_COMPUTE, group->min_jacobian, group->d_min_jacobian,
                        (hb_global)group->count * (hb_global)sizeof(double)));
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
done:
  return status;
}

static enum hb_status take_group(const struct hb_mesh *mesh, ptrdiff_t points,
                                 const struct group *group, double *mass) {
  enum hb_status status = HB_OK;
  for (hb_local e = 0; e < group->count; e++) {
    hb_local element[3];
    HB_TRY(hb_operator_check_jacobian(mesh, group->first + e, group->min_jacobian[e]));
    hb_mesh_element(mesh, group->first + e, element);
    hb_operator_add_mass(mesh, element, 1, group->mass + points * e, mass);
  }
done:
  return status;
}

enum hb_status hb_operator_device_setup(struct hb_operator *op, const struct hb_problem *problem,
                                        const struct hb_watcher *watcher, double *mass) {
  enum hb_status status = HB_OK;
  const hb_local num_elements = op->helmholtz.num_elements;
  const ptrdiff_t points = hb_points_per_element(op->helmholtz.n);
  struct group group;
  HB_TRY(group_create(op->device->device, points, num_elements, &group));
  memset(mass, 0, (size_t)op->mesh->numbering->num_points * sizeof *mass);
  for (group.first = 0; group.first < num_elements; group.first += group.most) {
    const hb_local left = num_elements - group.first;
    group.count = left < group.most ? left : group.most;
    hb_watcher_tell(watcher, "setting up, elements", group.first, num_elements);
    fill_group(op->mesh, problem, points, &group);
    HB_TRY(run_group(op, problem, points, &group));
    HB_TRY(take_group(op->mesh, points, &group, mass));
  }
done:
  group_destroy(op->device->device, &group);
  return status;
}

enum hb_status hb_operator_device_factors(struct hb_operator_device *od, hb_local element,
                                          double *factors) {
  enum hb_status status = HB_OK;
  const struct hb_device_helmholtz *h = &od->helmholtz;
  const struct hb_factor_layout from = hb_geometry_device_layout(&h->geometry, h->n);
  const struct hb_factor_layout to = hb_geometry_host_layout(&h->geometry, h->n, 1);
  const size_t bytes = (size_t)from.block * hb_precision_bytes(od->exchange->precision);
  char *values = NULL;
  HB_ALLOC(values, bytes, "factors of an element");
  HB_TRY(hb_device_download(
      od->device, values, (const char *)od->d_factors + (size_t)element * bytes, (hb_global)bytes));
  for (int point = 0; point < hb_points_per_element(h->n); point++)
    for (int f = 0; f < hb_geometry_num_factors(&h->geometry); f++)
      factors[hb_factor_at(&to, 0, point, f)] =
          hb_real_at(od->exchange->precision, values, hb_factor_at(&from, 0, point, f));
done:
  hb_free(values);
  return status;
}

/* Adds one element's downloaded result to w. */
static void add_element(const struct hb_operator_device *od, hb_local element, const void *d_w,
                        const void *surface, void *w) {
  const struct hb_numbering *numbering = od->numbering;
  const int per_surface = hb_surface_per_element(numbering->n);
  const ptrdiff_t interior = hb_interior_per_element(numbering->n);
  const hb_local *index = numbering->surface_index + (ptrdiff_t)element * per_surface;
  const bool wide = od->exchange->precision == HB_F64;
  const size_t size = hb_precision_bytes(od->exchange->precision);
  memcpy((char *)w + (size_t)(element * interior) * size, d_w, (size_t)interior * size);
  for (int s = 0; s < per_surface; s++) {
    if (wide)
      ((double *)w)[index[s]] += ((const double *)surface)[s];
    else
      ((float *)w)[index[s]] += ((const float *)surface)[s];
  }
}

enum hb_status hb_operator_device_apply_elements(struct hb_operator_device *od, hb_local begin,
                                                 hb_local end, const void *u, void *w,
                                                 double *u_dot_w) {
  enum hb_status status = HB_OK;
  const size_t size = hb_precision_bytes(od->exchange->precision);
  const size_t surface = (size_t)hb_surface_per_element(od->numbering->n) * size;
  const size_t interior = (size_t)hb_interior_per_element(od->numbering->n) * size;
  /* The instance that a solve runs: p = r + 0 p_old = u; d_w takes p, and then the result. */
  const struct hb_device_direction step = {.d_r = od->d_u, .d_p_old = od->d_u, .d_p = od->d_w};
  hb_local num_partials = 0;
  char *values = NULL;
  HB_ALLOC(values, surface + interior, "result of an element");
  HB_TRY(hb_device_upload(od->device, od->d_u, u, hb_operator_device_vector_bytes(od)));
  HB_TRY(od->kernels.apply(&od->helmholtz, begin, end, true, &step, NULL, od->d_w, &num_partials));
  HB_TRY(hb_device_reduce(od->device, num_partials, 1, od->d_partials, od->sums));
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
  *u_dot_w = od->sums[0];
  for (hb_local e = begin; e < end; e++) {
    HB_TRY(hb_device_download(od->device, values, (const char *)od->d_surface + (size_t)e * surface,
                              (hb_global)surface));
    HB_TRY(hb_device_download(od->device, values + surface,
                              (const char *)od->d_w + (size_t)e * interior, (hb_global)interior));
    add_element(od, e, values + surface, values, w);
  }
done:
  hb_free(values);
  return status;
}
