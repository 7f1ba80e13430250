/* SPDX-License-Identifier: BSD-3-Clause
 * What the operator holds on a device: made, and its bytes. */
#include <string.h>

#include "app/operator_device.h"

static struct hb_device_kernels kernels_of(const struct hb_helmholtz_variant *variant,
                                           enum hb_precision precision) {
  const bool wide = precision == HB_F64;
  return (struct hb_device_kernels){
      .apply = variant->device.apply[precision],
      .diagonal = wide ? hb_helmholtz_device_diagonal_f64 : hb_helmholtz_device_diagonal_f32,
      .geometric_factors = wide ? hb_geometric_factors_device_f64 : hb_geometric_factors_device_f32,
      .expand = wide ? hb_geometry_expand_device_f64 : hb_geometry_expand_device_f32,
      .keep = wide ? hb_lattice_keep_f64 : hb_lattice_keep_f32,
      .pack = wide ? hb_assembly_pack_f64 : hb_assembly_pack_f32,
      .store = wide ? hb_assembly_store_f64 : hb_assembly_store_f32,
      .residual = wide ? hb_assembly_residual_f64 : hb_assembly_residual_f32,
      .add_scaled = wide ? hb_device_add_scaled_f64 : hb_device_add_scaled_f32,
      .dots = wide ? hb_device_dots_f64 : hb_device_dots_f32};
}

hb_global hb_operator_device_most_partials(hb_local num_elements) {
  const hb_global of_operator = hb_helmholtz_device_partials(num_elements);
  const hb_global of_residual = HB_STEP_MOST_PARTIALS + 2 * (hb_global)HB_ASSEMBLY_PARTIALS;
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
  const hb_global partials = hb_operator_device_most_partials(h->num_elements);
  od->d_D = hb_device_allocate(device, (hb_global)h->n * h->n, size, "differentiation matrix");
  od->d_basis = hb_device_allocate(device, 2 * (hb_global)h->n, size, "points and weights");
  od->d_factors = hb_device_allocate(device, factors, size, "geometric factors");
  od->d_elements =
      hb_device_allocate(device, hb_element_value_count(&h->geometry, 1, h->num_elements), size,
                         "geometry of elements");
  od->d_surface = hb_device_allocate(device, num_terms, size, "element surfaces");
  od->d_surface_index = hb_device_allocate(device, num_terms, sizeof(hb_local), "surface index");
  od->d_partials = hb_device_allocate(device, partials, sizeof(double), "partial sums");
  od->sums = hb_pinned_allocate(device, 3, sizeof(double), "sums");
  od->d_u = hb_device_allocate(device, num_points, size, "search direction");
  od->d_w = hb_device_allocate(device, num_points, size, "operator result");
  const bool all = od->d_D != NULL && od->d_basis != NULL && od->d_factors != NULL &&
                   od->d_elements != NULL && od->d_surface != NULL && od->d_surface_index != NULL &&
                   od->d_partials != NULL && od->sums != NULL && od->d_u != NULL && od->d_w != NULL;
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
                                               .basis = op->basis,
                                               .d_basis = od->d_basis,
                                               .d_factors = od->d_factors,
                                               .d_elements = od->d_elements,
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

/* The lattice, from the mesh's own tables. */
static enum hb_status create_lattice(struct hb_operator_device *od,
                                     const struct hb_operator_setup *setup) {
  enum hb_status status = HB_OK;
  const struct hb_mesh *mesh = setup->mesh;
  const int n = mesh->gll.n;
  struct hb_lattice_axis axis[3];
  struct hb_box_axis_value *values[3] = {NULL, NULL, NULL};
  for (int a = 0; a < 3; a++) {
    const hb_local count = mesh->partition.count[a];
    HB_ALLOC(values[a], (hb_global)count * n, "positions along an axis");
    for (hb_local e = 0; e < count; e++)
      memcpy(values[a] + (ptrdiff_t)e * n, mesh->positions->axis[a] + (ptrdiff_t)e * (n - 1),
             (size_t)n * sizeof *values[a]);
    axis[a] = (struct hb_lattice_axis){.first = 0, .last = count, .value = values[a]};
  }
  HB_TRY(hb_device_lattice_init(od->device, mesh, setup->problem, axis, od->d_surface_index,
                                &od->lattice));
done:
  for (int a = 0; a < 3; a++) hb_free(values[a]);
  return status;
}

enum hb_status hb_operator_device_check_size(int n, hb_global num_elements) {
  hb_global terms = 0;
  if (hb_multiply(num_elements, hb_surface_per_element(n), &terms) && terms <= HB_LOCAL_MAX)
    return HB_OK;
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                         "the elements of a rank, %lld, have %lld surface points each, on a GPU "
                         "allowed are at most %lld together: take more ranks",
                         (long long)num_elements, (long long)hb_surface_per_element(n),
                         (long long)HB_LOCAL_MAX);
}

enum hb_status hb_operator_device_place(struct hb_operator_device *od,
                                        const struct hb_operator_setup *setup) {
  enum hb_status status = HB_OK;
  struct hb_device *device = od->device;
  const struct hb_helmholtz *h = &od->op.helmholtz;
  const size_t size = hb_precision_bytes(setup->precision);
  const hb_global num_terms = (hb_global)h->num_elements * hb_surface_per_element(h->n);
  od->kernels = kernels_of(od->op.kernel.variant, setup->precision);
  HB_TRY(hb_operator_device_check_size(h->n, h->num_elements));
  HB_TRY(allocate(od, (hb_local)num_terms));
  HB_TRY(hb_device_upload(device, od->d_D, od->op.D, (hb_global)h->n * h->n * (hb_global)size));
  HB_TRY(
      hb_device_upload(device, od->d_basis, od->op.basis, 2 * (hb_global)h->n * (hb_global)size));
  HB_TRY(create_lattice(od, setup));
  HB_TRY(hb_operator_device_make_lists(od));
  HB_TRY(hb_device_exchange_create(setup->mesh->gs, device, setup->precision,
                                   setup->backend->gpu_aware, &od->exchange));
  describe(od);
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
      .geometry = size * (hb_factor_count(&layout, plan->partition.num_elements) +
                          hb_element_value_count(&plan->geometry, 1, plan->partition.num_elements)),
      .surfaces = size * terms,
      .surface_index = index * terms,
      /* Pairs, and the terms of points on edges and corners of elements, which have more than two.
       */
      .lists = index * (2 * surface + elements * (8 + 12 * (n - 2))),
      .places = hb_device_lattice_bytes(plan->partition.num_elements),
      .partials = (hb_global)sizeof(double) *
                  hb_operator_device_most_partials(plan->partition.num_elements),
      .vector = size * points};
}
