/* SPDX-License-Identifier: BSD-3-Clause
 * Factors, or what is kept instead, and masses of all elements, formed on the device. */
#include "app/device_lattice.h"
#include "app/operator_device.h"
#include "kernels/threads.h"

/* Elements handled together: as many as have about this many points. */
enum { NUM_PIECES = 64, BATCH_ELEMENTS = 1 << 16 };

/* Of a group on the device; of all elements the smallest Jacobians, and where masses are put
 * together, in double.  Owned, but for the last two in f64, which are the operator's then. */
struct work {
  struct hb_operator_device *od;
  const struct hb_operator_setup *setup;
  hb_local most; /* elements of a group */
  double *d_x, *d_h1, *d_h2, *d_mass, *d_min_jacobian;
  void *d_factors; /* of geometry that is not stored; nobody needs them */
  double *d_w, *d_surface;
};

/* Bytes of the last two, which are there before the vectors of the solve. */
static hb_global assembly_bytes(enum hb_precision precision, hb_global points, hb_global terms) {
  const hb_global vectors = 4 * points * (hb_global)hb_precision_bytes(precision);
  const hb_global bytes = (points + terms) * (hb_global)sizeof(double);
  return precision == HB_F64 || bytes < vectors ? 0 : bytes - vectors;
}

/* Positions, both coefficients and the mass of a point; factors of geometry that is not stored. */
hb_global hb_operator_device_set_up_bytes(const struct hb_plan *plan) {
  const bool stored = plan->geometry.mode == HB_GEOMETRY_STORED;
  const hb_global values = 6 + (stored ? 0 : HB_MAX_FACTORS), index = (hb_global)sizeof(hb_local);
  const hb_local num_elements = plan->partition.num_elements;
  return values * (hb_global)sizeof(double) * HB_GROUP_POINTS +
         num_elements * (hb_global)sizeof(double) +
         assembly_bytes(plan->options->precision, hb_plan_points(plan),
                        hb_operator_device_bytes(plan).surface_index / index);
}

static double *allocate(const struct work *work, hb_global count) {
  return hb_device_allocate(work->od->device, count, sizeof(double), "set-up");
}

static enum hb_status work_create(struct hb_operator_device *od,
                                  const struct hb_operator_setup *setup, struct work *work) {
  const struct hb_helmholtz *h = &od->op.helmholtz;
  const hb_local points = hb_points_per_element(h->n);
  const hb_local fits = HB_GROUP_POINTS / points > 0 ? HB_GROUP_POINTS / points : 1;
  const bool wide = od->op.precision == HB_F64;
  *work = (struct work){.od = od, .setup = setup};
  work->most = fits < h->num_elements ? fits : h->num_elements;
  const hb_global values = (hb_global)work->most * points;
  const bool stored = h->geometry.mode == HB_GEOMETRY_STORED;
  work->d_x = allocate(work, 3 * values);
  work->d_h1 = allocate(work, values);
  work->d_h2 = allocate(work, values);
  work->d_mass = allocate(work, values);
  work->d_min_jacobian = allocate(work, h->num_elements);
  if (!stored) work->d_factors = allocate(work, hb_geometry_num_factors(&h->geometry) * values);
  work->d_w = wide ? od->d_w : allocate(work, od->op.mesh->numbering->num_points);
  work->d_surface = wide
                        ? od->d_surface
                        : allocate(work, (hb_global)h->num_elements * hb_surface_per_element(h->n));
  if (work->d_x == NULL || work->d_h1 == NULL || work->d_h2 == NULL || work->d_mass == NULL ||
      work->d_min_jacobian == NULL || (!stored && work->d_factors == NULL) || work->d_w == NULL ||
      work->d_surface == NULL)
    return HB_MACHINE_FAILED;
  return HB_OK;
}

static void work_destroy(struct work *work) {
  struct hb_device *device = work->od->device;
  const bool wide = work->od->op.precision == HB_F64;
  hb_device_free(device, work->d_x);
  hb_device_free(device, work->d_h1);
  hb_device_free(device, work->d_h2);
  hb_device_free(device, work->d_mass);
  hb_device_free(device, work->d_min_jacobian);
  hb_device_free(device, work->d_factors);
  if (!wide) hb_device_free(device, work->d_w);
  if (!wide) hb_device_free(device, work->d_surface);
}

/* One group: positions, factors or what is kept at points, and masses to their places. */
static enum hb_status form_group(const struct work *work, hb_local first, hb_local count) {
  enum hb_status status = HB_OK;
  const struct hb_operator_device *od = work->od;
  const struct hb_helmholtz *h = &od->op.helmholtz;
  const struct hb_problem *problem = work->setup->problem;
  const bool constant = hb_problem_is_constant(problem);
  const bool is_stored = h->geometry.mode == HB_GEOMETRY_STORED;
  const struct hb_factor_layout layout = hb_geometry_device_layout(&h->geometry, h->n);
  char *d_values = (char *)od->d_factors + (size_t)hb_factor_at(&layout, first, 0, 0) *
                                               hb_precision_bytes(od->op.precision);
  const struct hb_device_geometry geometry = {.device = od->device,
                                              .n = h->n,
                                              .geometry = hb_geometry_stored(&h->geometry),
                                              .count = count,
                                              .D = od->op.mesh->gll.D,
                                              .weights = od->op.mesh->gll.weights,
                                              .d_x = work->d_x,
                                              .d_h1 = constant ? NULL : work->d_h1,
                                              .d_h2 = constant ? NULL : work->d_h2,
                                              .h1 = problem->h1,
                                              .h2 = problem->h2,
                                              .d_factors = is_stored ? d_values : work->d_factors,
                                              .d_mass = work->d_mass,
                                              .d_min_jacobian = work->d_min_jacobian + first};
  HB_TRY(hb_lattice_fill(&work->od->lattice, first, first + count, work->d_x,
                         constant ? NULL : work->d_h1, constant ? NULL : work->d_h2));
  HB_TRY(od->kernels.geometric_factors(&geometry));
  if (!is_stored)
    HB_TRY(od->kernels.keep(od->device, h->n, &h->geometry, count, work->d_x, work->d_h1,
                            work->d_h2, d_values));
  HB_TRY(hb_lattice_place(&work->od->lattice, first, first + count, work->d_mass, work->d_w,
                          work->d_surface));
done:
  return status;
}

/* Names the first element that is inverted. */
static enum hb_status check_jacobians(const struct work *work) {
  enum hb_status status = HB_OK;
  const hb_local num_elements = work->od->op.helmholtz.num_elements;
  double *smallest = NULL;
  HB_ALLOC(smallest, num_elements, "Jacobians of elements");
  HB_TRY(hb_device_download(work->od->device, smallest, work->d_min_jacobian,
                            num_elements * (hb_global)sizeof *smallest));
  for (hb_local e = 0; e < num_elements; e++)
    HB_TRY(hb_operator_check_jacobian(work->setup->mesh, e, smallest[e]));
done:
  hb_free(smallest);
  return status;
}

/* Each of the rank's points: the sum over its own elements, to the host. */
static enum hb_status fetch_mass(const struct work *work, double *mass) {
  enum hb_status status = HB_OK;
  struct hb_device_assembly alone = work->od->assembly;
  alone.num_private = alone.num_points;
  alone.d_surface = work->d_surface;
  HB_TRY(hb_assembly_store_f64(&alone, HB_ASSEMBLY_PRIVATE, false, work->d_w));
  HB_TRY(hb_device_download(work->od->device, mass, work->d_w,
                            alone.num_points * (hb_global)sizeof *mass));
done:
  return status;
}

/* ---- what is kept of elements ---------------------------------------------------------------- */

/* Elements of a batch in pieces, on the rank's threads. */
struct batch {
  const struct hb_operator *op;
  hb_local begin, end;
  void *values; /* owned, of the precision */
  enum hb_status status[NUM_PIECES];
};

static void keep_piece(void *context, int piece) {
  enum hb_status status = HB_OK;
  struct batch *batch = context;
  const struct hb_operator *op = batch->op;
  const struct hb_geometry *geometry = &op->helmholtz.geometry;
  const ptrdiff_t points = hb_points_per_element(op->helmholtz.n);
  const hb_local count = batch->end - batch->begin;
  const hb_local end = (hb_local)hb_piece_begin(count, NUM_PIECES, piece + 1);
  double *x = NULL, values[HB_MAX_ELEMENT_VALUES];
  HB_ALLOC(x, 3 * points, "positions of an element");
  for (hb_local e = (hb_local)hb_piece_begin(count, NUM_PIECES, piece); e < end; e++) {
    hb_local element[3];
    hb_mesh_element(op->mesh, batch->begin + e, element);
    hb_positions_element(op->mesh->positions, element, 1, x);
    for (int a = 0; a < 3; a++)
      for (ptrdiff_t p = points - 1; p >= 0; p--) x[a * points + p] -= x[a * points];
    hb_geometry_keep(geometry, op->helmholtz.n, x, values);
    for (int v = 0; v < hb_geometry_num_element_values(geometry); v++)
      hb_real_set(op->precision, batch->values, hb_element_value_at(geometry, 1, e, v), values[v]);
  }
done:
  hb_free(x);
  batch->status[piece] = status;
}

static enum hb_status keep_elements(const struct hb_operator_device *od) {
  enum hb_status status = HB_OK;
  const struct hb_operator *op = &od->op;
  const struct hb_geometry *geometry = &op->helmholtz.geometry;
  const hb_local all = op->helmholtz.num_elements;
  const size_t size = hb_precision_bytes(op->precision);
  struct batch batch = {.op = op};
  if (hb_geometry_num_element_values(geometry) == 0) return HB_OK;
  const hb_local most = all < BATCH_ELEMENTS ? all : BATCH_ELEMENTS;
  batch.values = hb_allocate(hb_element_value_count(geometry, 1, most), size, "geometry");
  if (batch.values == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  for (batch.begin = 0; batch.begin < all; batch.begin = batch.end) {
    batch.end = all - batch.begin < most ? all : batch.begin + most;
    hb_threads_run(op->mesh->comm->threads, NUM_PIECES, keep_piece, &batch);
    for (int piece = 0; piece < NUM_PIECES; piece++) HB_TRY(batch.status[piece]);
    HB_TRY(hb_device_upload(
        od->device,
        (char *)od->d_elements + (size_t)hb_element_value_at(geometry, 1, batch.begin, 0) * size,
        batch.values,
        hb_element_value_count(geometry, 1, batch.end - batch.begin) * (hb_global)size));
  }
done:
  hb_free(batch.values);
  return status;
}

enum hb_status hb_operator_device_set_up(struct hb_operator_device *od,
                                         const struct hb_operator_setup *setup, double *mass) {
  enum hb_status status = HB_OK;
  const hb_local num_elements = od->op.helmholtz.num_elements;
  struct work work;
  HB_TRY(work_create(od, setup, &work));
  for (hb_local first = 0; first < num_elements; first += work.most) {
    const hb_local left = num_elements - first;
    hb_watcher_tell(setup->watcher, "setting up, elements", first, num_elements);
    HB_TRY(form_group(&work, first, left < work.most ? left : work.most));
    if (left <= work.most) break;
  }
  HB_TRY(keep_elements(od));
  HB_TRY(check_jacobians(&work));
  HB_TRY(fetch_mass(&work, mass));
done:
  work_destroy(&work);
  return status;
}
