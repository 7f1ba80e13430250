/* SPDX-License-Identifier: BSD-3-Clause
 * The kernel gate on a device: elements as the kernel leaves them there, before assembly. */
#include <math.h>

#include "app/gate_device.h"
#include "kernels/element/blocks.h"
#include "kernels/helmholtz/compare.h"
#include "kernels/random.h"

/* What the comparison works with. */
struct work {
  const struct hb_court *court;
  struct hb_reference element; /* one at a time */
  char *results;               /* owned: of the elements together */
};

/* The random values at the element's points, as the device has them. */
static enum hb_status load(struct work *work, hb_local position) {
  const struct hb_court *court = work->court;
  const struct hb_mesh *mesh = court->solver->mesh;
  const struct hb_operator *op = court->solver->op;
  struct hb_reference *element = &work->element;
  const int n = mesh->gll.n;
  hb_local e[3];
  hb_mesh_element(mesh, position, e);
  for (int i = 0; i < n * n; i++) element->D[i] = hb_real_at(op->precision, op->D, i);
  for (int point = 0; point < hb_points_per_element(n); point++) {
    const hb_local c[3] = {e[0] * (n - 1) + point % n, e[1] * (n - 1) + point / n % n,
                           e[2] * (n - 1) + point / (n * n)};
    const hb_global id = hb_numbering_global_id(&mesh->box, &mesh->partition, c);
    const double value = hb_random_at(id, court->gates->seed + 5);
    element->u[point] = op->precision == HB_F64 ? value : (double)(float)value;
    element->u_magnitude[point] = fabs(element->u[point]);
  }
  return hb_operator_factors(op, position, position + 1, element->factors);
}

/* The largest |difference| of an element's entries over its bound, which is the largest of all. */
static double compare(const struct work *work, const char *result, double *bound) {
  const struct hb_reference *element = &work->element;
  const enum hb_precision precision = work->court->solver->op->precision;
  const int n = element->n;
  double scale = 0.0, worst = 0.0;
  int inside = 0, outside = hb_interior_per_element(n);
  for (int point = 0; point < hb_points_per_element(n); point++)
    scale = hb_max(scale, element->w_magnitude[point]);
  const double own = hb_helmholtz_tolerance(n, precision, scale);
  for (int point = 0; point < hb_points_per_element(n); point++) {
    const bool is_inside = hb_point_is_interior(n, point / (n * n), point / n % n, point % n);
    const int at = is_inside ? inside++ : outside++;
    worst = hb_max(worst,
                   hb_scaled_difference(hb_real_at(precision, result, at), element->w[point], own));
  }
  *bound = hb_max(*bound, own);
  return own > 0.0 ? worst : (double)NAN; /* factors that are none */
}

/* Elements [begin, end), and their part of u'Au. */
static enum hb_status compare_elements(struct work *work, hb_local begin, hb_local end,
                                       double *ratio) {
  enum hb_status status = HB_OK;
  const struct hb_gate_device *device = work->court->device;
  const int n = work->element.n, points = hb_points_per_element(n);
  const size_t bytes = (size_t)points * hb_precision_bytes(device->od->op.precision);
  double dot = 0.0, expected_dot = 0.0, ignored = 0.0, bound = 0.0;
  HB_TRY(hb_operator_device_run_elements(device->od, begin, end, work->court->work.u, work->results,
                                         &dot));
  for (hb_local e = begin; e < end; e++) {
    HB_TRY(load(work, e));
    hb_reference_apply(&work->element);
    hb_reference_add_dot(&work->element, 0, points, &expected_dot, &ignored);
    *ratio = hb_max(*ratio, compare(work, work->results + (size_t)(e - begin) * bytes, &bound));
  }
  /* Every entry of the elements enters the dot product with |u| <= 1. */
  *ratio = hb_max(*ratio, hb_scaled_difference(dot, expected_dot,
                                               bound * (double)points * (double)(end - begin)));
done:
  return status;
}

enum hb_status hb_gate_kernel_device(const struct hb_court *court, double *worst) {
  enum hb_status status = court->solver->op->failure;
  const struct hb_geometry *geometry = &court->solver->op->helmholtz.geometry;
  const int n = court->solver->mesh->gll.n;
  const struct hb_gate_kernel_blocks blocks = hb_gate_kernel_blocks(court);
  struct work work = {.court = court};
  HB_TRY(status);
  HB_TRY(hb_reference_create(n, 1, 1, geometry, hb_geometry_has_mass(geometry), &work.element));
  work.element.growth = court->growth;
  HB_ALLOC(work.results,
           (hb_global)blocks.together * hb_points_per_element(n) *
               (hb_global)hb_precision_bytes(court->solver->op->precision),
           "results of elements");
  court->place->set(court, HB_LATTICE_RANDOM, court->gates->seed + 5, court->work.u);
  for (int s = 0; s < HB_GATE_KERNEL_PLACES; s++) {
    const hb_local begin = hb_gate_kernel_begin(court, &blocks, s);
    HB_TRY(compare_elements(&work, begin, begin + blocks.together, worst));
  }
done:
  hb_reference_free(&work.element);
  hb_free(work.results);
  return status;
}
