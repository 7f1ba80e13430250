/* SPDX-License-Identifier: BSD-3-Clause
 * The operator on a device: one application, and the functions of its type. */
#include "app/operator_device.h"

#include <math.h>
#include <string.h>

#include "app/cg_device.h"
#include "kernels/geometry/lattice_vectors.h"

enum hb_status hb_operator_device_launch(struct hb_operator_device *od, bool with_mass,
                                         const struct hb_device_direction *direction,
                                         const void *d_u, void *d_w, hb_local *num_partials) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = od->op.mesh->numbering;
  const hb_local boundary = numbering->num_boundary_blocks;
  *num_partials = 0;
  HB_TRY(
      od->kernels.apply(&od->helmholtz, 0, boundary, with_mass, direction, d_u, d_w, num_partials));
  HB_TRY(od->kernels.pack(&od->assembly, od->exchange->d_send));
  HB_TRY(hb_device_mark(od->device, HB_EVENT_PACKED, HB_STREAM_COMPUTE));
  HB_TRY(hb_device_exchange_start(od->exchange));
  od->op.num_passes++;
  HB_TRY(od->kernels.apply(&od->helmholtz, boundary, numbering->num_blocks, with_mass, direction,
                           d_u, d_w, num_partials));
done:
  return status;
}

/* Surfaces of d_w, this rank's and the shared ones, from the elements' results and the exchange. */
static enum hb_status assemble(struct hb_operator_device *od, bool masked, void *d_w) {
  enum hb_status status = HB_OK;
  const enum hb_status posted = hb_device_exchange_post(od->exchange);
  const enum hb_status finished = hb_device_exchange_finish(od->exchange);
  HB_TRY(posted);
  HB_TRY(finished);
  HB_TRY(od->kernels.store(&od->assembly, HB_ASSEMBLY_PRIVATE, masked, d_w));
  HB_TRY(od->kernels.store(&od->assembly, HB_ASSEMBLY_SHARED, masked, d_w));
done:
  return status;
}

static enum hb_status reduce(struct hb_operator_device *od, hb_local num_partials, double *sum) {
  enum hb_status status = HB_OK;
  *sum = 0.0;
  if (num_partials == 0) return HB_OK;
  HB_TRY(hb_device_reduce(od->device, num_partials, 1, od->d_partials, od->sums));
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
  *sum = od->sums[0];
done:
  return status;
}

/* Keeps the first failure; what was to be computed becomes NaN. */
static void keep_failure(struct hb_operator *op, enum hb_status status, void *w, double *u_dot_w) {
  if (status == HB_OK) return;
  if (op->failure == HB_OK) op->failure = status;
  memset(w, 0xff, (size_t)hb_operator_vector_bytes(op)); /* all bits set is a NaN */
  if (u_dot_w != NULL) *u_dot_w = (double)NAN;
}

/* Applies and assembles; after a failure of this rank, `before`, it takes part all the same. */
static enum hb_status multiply_there(struct hb_operator_device *od, enum hb_status before,
                                     enum hb_operator_part part, const void *d_u, void *d_w,
                                     hb_local *num_partials) {
  enum hb_status status = before;
  if (status == HB_OK)
    status =
        hb_operator_device_launch(od, part != HB_OPERATOR_STIFFNESS, NULL, d_u, d_w, num_partials);
  const enum hb_status assembled = assemble(od, part == HB_OPERATOR_FULL, d_w);
  return status != HB_OK ? status : assembled;
}

enum hb_status hb_operator_device_multiply(struct hb_operator_device *od,
                                           enum hb_operator_part part, const void *d_u, void *d_w) {
  hb_local num_partials = 0;
  return multiply_there(od, HB_OK, part, d_u, d_w, &num_partials);
}

/* Up, apply, assemble, down. */
static enum hb_status multiply(struct hb_operator_device *od, enum hb_operator_part part,
                               const void *u, void *w, double *u_dot_w) {
  enum hb_status status = HB_OK;
  const hb_global bytes = hb_operator_vector_bytes(&od->op);
  hb_local num_partials = 0;
  double sum = 0.0;
  const enum hb_status uploaded = hb_device_upload(od->device, od->d_u, u, bytes);
  HB_TRY(multiply_there(od, uploaded, part, od->d_u, od->d_w, &num_partials));
  HB_TRY(reduce(od, num_partials, &sum));
  HB_TRY(hb_device_download(od->device, w, od->d_w, bytes));
  if (u_dot_w != NULL) *u_dot_w = sum;
done:
  return status;
}

enum hb_status hb_operator_device_lift(struct hb_operator_device *od, void *b) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = od->op.mesh->numbering;
  const hb_global bytes = hb_operator_vector_bytes(&od->op);
  hb_lattice_set_type *set = od->op.precision == HB_F64 ? hb_lattice_set_f64 : hb_lattice_set_f32;
  hb_local num_partials = 0;
  const enum hb_status given = set(&od->lattice, HB_LATTICE_EXACT_GIVEN, 0, od->d_u);
  HB_TRY(multiply_there(od, given, HB_OPERATOR_UNMASKED, od->d_u, od->d_w, &num_partials));
  HB_TRY(hb_device_upload(od->device, od->d_u, b, bytes));
  HB_TRY(od->kernels.add_scaled(od->device, numbering->num_points, -1.0, od->d_w, od->d_u));
  HB_TRY(set(&od->lattice, HB_LATTICE_CLEAR_GIVEN, 0, od->d_u));
  HB_TRY(hb_device_download(od->device, b, od->d_u, bytes));
done:
  return status;
}

static void apply(struct hb_operator *op, enum hb_operator_part part, const void *u, void *w,
                  double *u_dot_w) {
  keep_failure(op, multiply(hb_operator_device(op), part, u, w, u_dot_w), w, u_dot_w);
}

enum hb_status hb_operator_device_diagonal(struct hb_operator_device *od, void *d_diagonal) {
  enum hb_status status = hb_operator_device_diagonals(od);
  if (status == HB_OK) status = od->kernels.pack(&od->assembly, od->exchange->d_send);
  if (status == HB_OK) status = hb_device_mark(od->device, HB_EVENT_PACKED, HB_STREAM_COMPUTE);
  if (status == HB_OK) status = hb_device_exchange_start(od->exchange);
  const enum hb_status assembled = assemble(od, false, od->d_w);
  HB_TRY(status);
  HB_TRY(assembled);
  if (d_diagonal != od->d_w)
    HB_TRY(hb_device_copy(od->device, HB_STREAM_COMPUTE, d_diagonal, od->d_w,
                          hb_operator_vector_bytes(&od->op)));
done:
  return status;
}

static enum hb_status form_diagonal(struct hb_operator_device *od, void *values) {
  enum hb_status status = HB_OK;
  HB_TRY(hb_operator_device_diagonal(od, od->d_w));
  HB_TRY(hb_device_download(od->device, values, od->d_w, hb_operator_vector_bytes(&od->op)));
done:
  return status;
}

static void diagonal(struct hb_operator *op, void *values) {
  keep_failure(op, form_diagonal(hb_operator_device(op), values), values, NULL);
}

static double apply_blocks(struct hb_operator *op, hb_local begin, hb_local end, const void *u,
                           void *w) {
  double sum = 0.0;
  keep_failure(op,
               hb_operator_device_apply_elements(hb_operator_device(op), begin, end, u, w, &sum), w,
               &sum);
  return sum;
}

static enum hb_status time_kernel(struct hb_operator *op, int passes, double *seconds) {
  enum hb_status status = HB_OK;
  struct hb_operator_device *od = hb_operator_device(op);
  HB_TRY(hb_device_synchronise(od->device, HB_STREAM_COMPUTE));
  HB_TRY(hb_device_time_start(od->device));
  for (int pass = 0; pass < passes; pass++) {
    hb_local num_partials = 0;
    HB_TRY(od->kernels.apply(&od->helmholtz, 0, op->mesh->numbering->num_blocks, true, NULL,
                             od->d_u, od->d_w, &num_partials));
  }
  HB_TRY(hb_device_time_stop(od->device, seconds));
done:
  return status;
}

static enum hb_status get_factors(const struct hb_operator *op, hb_local begin, hb_local end,
                                  double *factors) {
  return hb_operator_device_factors((const struct hb_operator_device *)op, begin, end, factors);
}

static enum hb_status to_host(const struct hb_operator *op, const void *v, void *values) {
  return hb_device_download(((const struct hb_operator_device *)op)->device, values, v,
                            hb_operator_vector_bytes(op));
}

static enum hb_status from_host(const struct hb_operator *op, const void *values, void *v) {
  return hb_device_upload(((const struct hb_operator_device *)op)->device, v, values,
                          hb_operator_vector_bytes(op));
}

static enum hb_status create_passes(struct hb_operator *op, const struct hb_cg_system *system,
                                    struct hb_cg_passes **passes) {
  return hb_cg_device_create(hb_operator_device(op), system, passes);
}

static hb_global bytes(const struct hb_operator *op) {
  const struct hb_operator_device *od = (const struct hb_operator_device *)op;
  const struct hb_helmholtz *h = &op->helmholtz;
  const struct hb_numbering *numbering = op->mesh->numbering;
  const struct hb_factor_layout layout = hb_geometry_device_layout(&h->geometry, h->n);
  const hb_global size = (hb_global)hb_precision_bytes(op->precision);
  const hb_global terms = (hb_global)h->num_elements * hb_surface_per_element(h->n);
  const hb_global lists =
      2 * (hb_global)(numbering->num_points - numbering->surface_start) + od->num_extra + terms;
  return size * (hb_factor_count(&layout, h->num_elements) +
                 hb_element_value_count(&h->geometry, 1, h->num_elements) + terms +
                 (hb_global)h->n * (h->n + 2)) +
         (hb_global)sizeof(hb_local) * lists + hb_device_lattice_bytes(h->num_elements) +
         2 * hb_operator_vector_bytes(op) +
         (hb_global)sizeof(double) * (hb_operator_device_most_partials(h->num_elements) + 1);
}

static void destroy(struct hb_operator *op) {
  struct hb_operator_device *od = hb_operator_device(op);
  hb_device_exchange_destroy(&od->exchange);
  hb_free(od->one);
  hb_device_lattice_free(&od->lattice);
  hb_device_free(od->device, od->d_D);
  hb_device_free(od->device, od->d_basis);
  hb_device_free(od->device, od->d_factors);
  hb_device_free(od->device, od->d_elements);
  hb_device_free(od->device, od->d_surface);
  hb_device_free(od->device, od->d_surface_index);
  hb_device_free(od->device, od->d_pair);
  hb_device_free(od->device, od->d_extra);
  hb_device_free(od->device, od->d_partials);
  hb_pinned_free(od->device, od->sums);
  hb_device_free(od->device, od->d_u);
  hb_device_free(od->device, od->d_w);
  hb_free(od);
}

static const struct hb_operator_type type = {.apply = apply,
                                             .diagonal = diagonal,
                                             .apply_blocks = apply_blocks,
                                             .factors = get_factors,
                                             .to_host = to_host,
                                             .from_host = from_host,
                                             .time_kernel = time_kernel,
                                             .create_passes = create_passes,
                                             .bytes = bytes,
                                             .destroy = destroy};

struct hb_operator_device *hb_operator_device(struct hb_operator *op) {
  HB_ASSERT(op->type == &type);
  return (struct hb_operator_device *)op;
}

enum hb_status hb_operator_device_create(const struct hb_operator_setup *setup, double *mass,
                                         struct hb_operator **op_out) {
  enum hb_status status = HB_OK;
  struct hb_device *device = setup->backend->device;
  struct hb_operator_device *od = NULL;
  HB_ALLOC(od, 1, "operator on the device");
  *od = (struct hb_operator_device){.device = device, .lattice = {.device = device}};
  status = hb_operator_init(&type, setup, &od->op);
  *op_out = &od->op;
  HB_TRY(status);
  HB_ALLOC(od->one, 1, "operator on the device");
  *od->one = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  HB_TRY(hb_operator_device_place(od, setup));
  HB_TRY(hb_operator_device_set_up(od, setup, mass));
done:
  return status;
}
