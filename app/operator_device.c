/* SPDX-License-Identifier: BSD-3-Clause
 * The operator on a device: what it holds there, and one application. */
#include "app/operator_device.h"

#include <math.h>
#include <string.h>

#include "app/cg_device.h"

static struct hb_device_kernels kernels_of(const struct hb_helmholtz_variant *variant,
                                           enum hb_precision precision) {
  const bool wide = precision == HB_F64;
  return (struct hb_device_kernels){
      .apply = variant->device_apply[precision],
      .diagonal = wide ? hb_helmholtz_device_diagonal_f64 : hb_helmholtz_device_diagonal_f32,
      .geometric_factors = wide ? hb_geometric_factors_device_f64 : hb_geometric_factors_device_f32,
      .pack = wide ? hb_assembly_pack_f64 : hb_assembly_pack_f32,
      .store = wide ? hb_assembly_store_f64 : hb_assembly_store_f32,
      .residual = wide ? hb_assembly_residual_f64 : hb_assembly_residual_f32,
      .add_scaled = wide ? hb_device_add_scaled_f64 : hb_device_add_scaled_f32,
      .dots = wide ? hb_device_dots_f64 : hb_device_dots_f32};
}

/* surface_index with HB_OWNS_POINT in the first element that has a point. */
static enum hb_status upload_index(struct hb_operator_device *od, hb_local num_terms) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = od->op.mesh->numbering;
  const hb_local start = numbering->surface_start;
  hb_local *marked = NULL;
  char *seen = NULL;
  HB_ALLOC(marked, num_terms, "owners of surface points");
  HB_ALLOC(seen, numbering->num_points - start, "surface points seen");
  memset(seen, 0, (size_t)(numbering->num_points - start));
  for (hb_local q = 0; q < num_terms; q++) {
    const hb_local point = numbering->surface_index[q];
    marked[q] = seen[point - start] ? point : point | HB_OWNS_POINT;
    seen[point - start] = 1;
  }
  HB_TRY(hb_device_upload(od->device, od->d_surface_index, marked,
                          num_terms * (hb_global)sizeof *marked));
done:
  hb_free(marked);
  hb_free(seen);
  return status;
}

static enum hb_status upload_lists(struct hb_operator_device *od, hb_local num_terms) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = od->op.mesh->numbering;
  struct hb_assembly_lists *lists = NULL;
  HB_TRY(hb_assembly_lists_create(num_terms, numbering->surface_index, numbering->surface_start,
                                  numbering->num_points, numbering->num_masked, numbering->masked,
                                  &lists));
  od->num_extra = lists->num_extra;
  od->d_pair = hb_device_allocate(od->device, 2 * (hb_global)lists->num_surface, sizeof(hb_local),
                                  "assembly lists");
  od->d_extra =
      hb_device_allocate(od->device, lists->num_extra, sizeof(hb_local), "assembly lists");
  if (od->d_pair == NULL || od->d_extra == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(hb_device_upload(od->device, od->d_pair, lists->pair,
                          2 * (hb_global)lists->num_surface * (hb_global)sizeof(hb_local)));
  HB_TRY(hb_device_upload(od->device, od->d_extra, lists->extra,
                          lists->num_extra * (hb_global)sizeof(hb_local)));
done:
  hb_assembly_lists_destroy(&lists);
  return status;
}

/* Partial sums that the operator's launches or a residual's passes leave. */
static hb_global most_partials(hb_local num_elements) {
  const hb_global of_operator = hb_helmholtz_device_partials(num_elements);
  const hb_global of_residual = 2 * (hb_global)HB_ASSEMBLY_PARTIALS;
  return of_operator > of_residual ? of_operator : of_residual;
}

/* Everything that lies on the device, but the lists' contents. */
static enum hb_status allocate(struct hb_operator_device *od, hb_local num_terms) {
  const struct hb_helmholtz *h = &od->op.helmholtz;
  struct hb_device *device = od->device;
  const size_t size = hb_precision_bytes(od->op.precision);
  const hb_local num_points = od->op.mesh->numbering->num_points;
  const struct hb_factor_layout layout = hb_geometry_device_layout(&h->geometry, h->n);
  const hb_global factors = hb_factor_count(&layout, h->num_elements);
  const hb_global partials = most_partials(h->num_elements);
  od->d_D = hb_device_allocate(device, (hb_global)h->n * h->n, size, "differentiation matrix");
  od->d_factors = hb_device_allocate(device, factors, size, "geometric factors");
  od->d_surface = hb_device_allocate(device, num_terms, size, "element surfaces");
  od->d_surface_index = hb_device_allocate(device, num_terms, sizeof(hb_local), "surface index");
  od->d_partials = hb_device_allocate(device, partials, sizeof(double), "partial sums");
  od->sums = hb_pinned_allocate(device, 3, sizeof(double), "sums");
  od->d_alpha = hb_device_allocate(device, 1, sizeof(double), "alpha");
  od->d_u = hb_device_allocate(device, num_points, size, "search direction");
  od->d_w = hb_device_allocate(device, num_points, size, "operator result");
  const bool all = od->d_D != NULL && od->d_factors != NULL && od->d_surface != NULL &&
                   od->d_surface_index != NULL && od->d_partials != NULL && od->sums != NULL &&
                   od->d_alpha != NULL && od->d_u != NULL && od->d_w != NULL;
  return all ? HB_OK : HB_MACHINE_FAILED;
}

static void describe(struct hb_operator_device *od) {
  const struct hb_operator *op = &od->op;
  const struct hb_numbering *numbering = od->op.mesh->numbering;
  od->helmholtz = (struct hb_device_helmholtz){.device = od->device,
                                               .n = op->helmholtz.n,
                                               .geometry = op->helmholtz.geometry,
                                               .num_elements = op->helmholtz.num_elements,
                                               .surface_start = numbering->surface_start,
                                               .d_surface_index = od->d_surface_index,
                                               .D = op->D,
                                               .d_D = od->d_D,
                                               .d_factors = od->d_factors,
                                               .d_surface = od->d_surface,
                                               .d_partials = od->d_partials,
                                               .shape = op->kernel.shape};
  od->assembly = (struct hb_device_assembly){.device = od->device,
                                             .surface_start = numbering->surface_start,
                                             .num_private = numbering->num_private,
                                             .num_owned = numbering->num_owned,
                                             .num_points = numbering->num_points,
                                             .d_pair = od->d_pair,
                                             .d_extra = od->d_extra,
                                             .d_surface = od->d_surface};
  hb_device_exchange_describe(od->exchange, &od->assembly);
}

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

/* ---- the operator ---------------------------------------------------------------------------- */

/* Keeps the first failure; what was to be computed becomes NaN. */
static void keep_failure(struct hb_operator *op, enum hb_status status, void *w, double *u_dot_w) {
  if (status == HB_OK) return;
  if (op->failure == HB_OK) op->failure = status;
  memset(w, 0xff, (size_t)hb_operator_vector_bytes(op)); /* all bits set is a NaN */
  if (u_dot_w != NULL) *u_dot_w = (double)NAN;
}

/* Up, apply, assemble, down. */
static enum hb_status multiply(struct hb_operator_device *od, enum hb_operator_part part,
                               const void *u, void *w, double *u_dot_w) {
  enum hb_status status = HB_OK;
  const hb_global bytes = hb_operator_vector_bytes(&od->op);
  hb_local num_partials = 0;
  double sum = 0.0;
  status = hb_device_upload(od->device, od->d_u, u, bytes);
  if (status == HB_OK)
    status = hb_operator_device_launch(od, part != HB_OPERATOR_STIFFNESS, NULL, od->d_u, od->d_w,
                                       &num_partials);
  const enum hb_status assembled = assemble(od, part == HB_OPERATOR_FULL, od->d_w);
  HB_TRY(status);
  HB_TRY(assembled);
  HB_TRY(reduce(od, num_partials, &sum));
  HB_TRY(hb_device_download(od->device, w, od->d_w, bytes));
  if (u_dot_w != NULL) *u_dot_w = sum;
done:
  return status;
}

static void apply(struct hb_operator *op, enum hb_operator_part part, const void *u, void *w,
                  double *u_dot_w) {
  keep_failure(op, multiply(hb_operator_device(op), part, u, w, u_dot_w), w, u_dot_w);
}

static enum hb_status form_diagonal(struct hb_operator_device *od, void *values) {
  enum hb_status status = od->kernels.diagonal(&od->helmholtz, od->d_w);
  if (status == HB_OK) status = od->kernels.pack(&od->assembly, od->exchange->d_send);
  if (status == HB_OK) status = hb_device_mark(od->device, HB_EVENT_PACKED, HB_STREAM_COMPUTE);
  if (status == HB_OK) status = hb_device_exchange_start(od->exchange);
  const enum hb_status assembled = assemble(od, false, od->d_w);
  HB_TRY(status);
  HB_TRY(assembled);
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

static enum hb_status block_factors(const struct hb_operator *op, hb_local block, double *factors) {
  return hb_operator_device_factors((const struct hb_operator_device *)op, block, factors);
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
  return size * (hb_factor_count(&layout, h->num_elements) + terms + (hb_global)h->n * h->n) +
         (hb_global)sizeof(hb_local) * lists + 2 * hb_operator_vector_bytes(op) +
         (hb_global)sizeof(double) * (most_partials(h->num_elements) + 1);
}

static void destroy(struct hb_operator *op) {
  struct hb_operator_device *od = hb_operator_device(op);
  hb_device_exchange_destroy(&od->exchange);
  hb_device_free(od->device, od->d_D);
  hb_device_free(od->device, od->d_factors);
  hb_device_free(od->device, od->d_surface);
  hb_device_free(od->device, od->d_surface_index);
  hb_device_free(od->device, od->d_pair);
  hb_device_free(od->device, od->d_extra);
  hb_device_free(od->device, od->d_partials);
  hb_pinned_free(od->device, od->sums);
  hb_device_free(od->device, od->d_alpha);
  hb_device_free(od->device, od->d_u);
  hb_device_free(od->device, od->d_w);
  hb_free(od);
}

static const struct hb_operator_type type = {.apply = apply,
                                             .diagonal = diagonal,
                                             .apply_blocks = apply_blocks,
                                             .block_factors = block_factors,
                                             .to_host = to_host,
                                             .from_host = from_host,
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
  *od = (struct hb_operator_device){.device = device};
  status = hb_operator_init(&type, setup, &od->op);
  *op_out = &od->op;
  HB_TRY(status);
  const struct hb_helmholtz *h = &od->op.helmholtz;
  const size_t size = hb_precision_bytes(setup->precision);
  const hb_global num_terms = (hb_global)h->num_elements * hb_surface_per_element(h->n);
  od->kernels = kernels_of(od->op.kernel.variant, setup->precision);
  if (num_terms > HB_LOCAL_MAX)
    HB_FAIL(HB_BAD_INPUT,
            "a rank's elements have %lld surface points, a device takes at most %lld: take more "
            "ranks",
            (long long)num_terms, (long long)HB_LOCAL_MAX);
  HB_TRY(allocate(od, (hb_local)num_terms));
  HB_TRY(hb_device_upload(device, od->d_D, od->op.D, (hb_global)h->n * h->n * (hb_global)size));
  HB_TRY(upload_index(od, (hb_local)num_terms));
  HB_TRY(upload_lists(od, (hb_local)num_terms));
  HB_TRY(hb_device_exchange_create(setup->mesh->gs, device, setup->precision,
                                   setup->backend->gpu_aware, &od->exchange));
  describe(od);
  HB_TRY(hb_operator_device_set_up(od, setup, mass));
done:
  return status;
}

/* ---- bytes before anything is there ---------------------------------------------------------- */

static hb_global num_terms_of(const struct hb_plan *plan) {
  return (hb_global)plan->partition.num_elements * hb_surface_per_element(plan->box.degree + 1);
}

struct hb_operator_device_bytes hb_operator_device_bytes(const struct hb_plan *plan) {
  const int n = plan->box.degree + 1;
  const struct hb_factor_layout layout = hb_geometry_device_layout(&plan->geometry, n);
  const hb_global size = (hb_global)hb_precision_bytes(plan->options->precision);
  const hb_global index = (hb_global)sizeof(hb_local), points = hb_plan_points(plan);
  const hb_global elements = plan->partition.num_elements, terms = num_terms_of(plan);
  const hb_global surface = points - elements * hb_interior_per_element(n);
  return (struct hb_operator_device_bytes){
      .factors = size * hb_factor_count(&layout, plan->partition.num_elements),
      .surfaces = size * terms,
      .surface_index = index * terms,
      /* Pairs, and the terms of points on edges and corners of elements, which have more than two.
       */
      .lists = index * (2 * surface + elements * (8 + 12 * (n - 2))),
      .partials = (hb_global)sizeof(double) * most_partials(plan->partition.num_elements),
      .vector = size * points};
}

/* The index is marked while the numbering is there; the lists are made after that. */
hb_global hb_operator_device_list_making_bytes(const struct hb_plan *plan) {
  return 2 * (hb_global)sizeof(hb_local) * num_terms_of(plan) + 12 * hb_plan_points(plan);
}
