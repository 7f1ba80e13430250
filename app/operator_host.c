/* SPDX-License-Identifier: BSD-3-Clause
 * The operator on the host: set-up and application. */
#include "app/operator_host.h"

#include <string.h>

#include "app/cg_host.h"
#include "kernels/geometry/factors.h"

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Work space for one group of as many elements as the set-up's vectors have lanes (shapes:
 * factors.h). */
struct work {
  struct hb_operator_host *host;
  struct hb_element_group group;
  double *x, *h1, *h2, *factors, *mass, *scratch; /* owned */
  double min_jacobian[HB_MAX_LANES];
};

static enum hb_status work_create(struct hb_operator_host *host, struct work *work) {
  enum hb_status status = HB_OK;
  const int n = host->op.helmholtz.n;
  const int lanes = hb_geometric_setup_for(host->op.kernel.variant->isa)->lanes;
  const hb_global points = (hb_global)hb_points_per_element(n) * lanes;
  *work = (struct work){.host = host};
  HB_ALLOC(work->x, 3 * points, "positions of a group");
  HB_ALLOC(work->h1, points, "h1 of a group");
  HB_ALLOC(work->h2, points, "h2 of a group");
  HB_ALLOC(work->factors, HB_MAX_FACTORS * points, "factors of a group");
  HB_ALLOC(work->mass, points, "mass of a group");
  HB_ALLOC(work->scratch, hb_geometric_scratch_count(n, lanes), "scratch of a group");
  work->group = (struct hb_element_group){.most = lanes,
                                          .interleaved = true,
                                          .x = work->x,
                                          .h1 = work->h1,
                                          .h2 = work->h2,
                                          .mass = work->mass,
                                          .min_jacobian = work->min_jacobian};
done:
  return status;
}

static void work_destroy(struct work *work) {
  hb_free(work->x);
  hb_free(work->h1);
  hb_free(work->h2);
  hb_free(work->factors);
  hb_free(work->mass);
  hb_free(work->scratch);
}

static struct hb_factor_layout layout_of(const struct hb_operator *op) {
  return hb_geometry_host_layout(&op->helmholtz.geometry, op->helmholtz.n, op->helmholtz.lanes);
}

/* Into the kernel's layout. */
static void store_factors(struct hb_operator_host *host, const struct hb_element_group *group,
                          const double *factors) {
  const struct hb_helmholtz *h = &host->op.helmholtz;
  const struct hb_factor_layout layout = layout_of(&host->op);
  const int kinds = hb_geometry_num_factors(&h->geometry), points = hb_points_per_element(h->n);
  double *f64 = host->factors;
  float *f32 = host->factors;
  for (hb_local lane = 0; lane < group->count; lane++) {
    const double *in = factors + lane;
    ptrdiff_t out = hb_factor_at(&layout, group->first + lane, 0, 0);
    for (int point = 0; point < points; point++, in += HB_MAX_FACTORS * group->most)
      for (int f = 0; f < kinds; f++, out += layout.factor) {
        if (host->op.precision == HB_F64)
          f64[out] = in[f * group->most];
        else
          f32[out] = (float)in[f * group->most];
      }
  }
}

/* All of the operator's elements, from its first on. */
static struct hb_kept_places places_of(const struct hb_operator_host *host) {
  return (struct hb_kept_places){.layout = layout_of(&host->op),
                                 .precision = host->op.precision,
                                 .points = host->factors,
                                 .elements = host->elements};
}

static enum hb_status form(void *context, const struct hb_element_group *group) {
  struct work *work = context;
  const struct hb_operator *op = &work->host->op;
  const struct hb_geometric_input input = {.n = op->helmholtz.n,
                                           .D = op->mesh->gll.D,
                                           .weights = op->mesh->gll.weights,
                                           .x = group->x,
                                           .h1 = group->h1,
                                           .h2 = group->h2};
  const struct hb_geometric_setup *setup = hb_geometric_setup_for(op->kernel.variant->isa);
  setup->form(&input, work->scratch, work->factors, group->mass, group->min_jacobian);
  if (op->helmholtz.geometry.mode == HB_GEOMETRY_STORED) {
    store_factors(work->host, group, work->factors);
  } else {
    struct hb_kept_places places = places_of(work->host);
    places.first = group->first;
    hb_operator_keep(&op->helmholtz.geometry, op->helmholtz.n, group, &places, work->scratch);
  }
  return HB_OK;
}

/* In modes that are not stored, missing lanes of the last block hold what the last element has. */
static void repeat_last_element(struct hb_operator_host *host) {
  const struct hb_helmholtz *h = &host->op.helmholtz;
  const struct hb_factor_layout layout = layout_of(&host->op);
  const enum hb_precision p = host->op.precision;
  const hb_local last = h->num_elements - 1;
  if (h->geometry.mode == HB_GEOMETRY_STORED) return;
  for (hb_local e = last + 1; e < hb_num_blocks(h->num_elements, h->lanes) * h->lanes; e++) {
    for (int point = 0; point < hb_points_per_element(h->n); point++)
      for (int f = 0; f < hb_geometry_num_point_values(&h->geometry); f++)
        hb_real_set(p, host->factors, hb_factor_at(&layout, e, point, f),
                    hb_real_at(p, host->factors, hb_factor_at(&layout, last, point, f)));
    for (int v = 0; v < hb_geometry_num_element_values(&h->geometry); v++)
      hb_real_set(
          p, host->elements, hb_element_value_at(&h->geometry, h->lanes, e, v),
          hb_real_at(p, host->elements, hb_element_value_at(&h->geometry, h->lanes, last, v)));
  }
}

/* Missing lanes of the last block hold zeros. */
static void clear_last_block(struct hb_operator_host *host) {
  const struct hb_factor_layout layout = layout_of(&host->op);
  const size_t size = hb_precision_bytes(host->op.precision);
  const size_t all = (size_t)hb_factor_count(&layout, host->op.helmholtz.num_elements) * size;
  const size_t block = (size_t)layout.block * size;
  if (all > 0) memset((char *)host->factors + all - block, 0, block);
}

static enum hb_status set_up(struct hb_operator_host *host, const struct hb_operator_setup *setup,
                             double *mass) {
  enum hb_status status = HB_OK;
  struct work work;
  HB_TRY(work_create(host, &work));
  clear_last_block(host);
  HB_TRY(hb_operator_setup_elements(setup, &work.group, form, &work, mass));
  repeat_last_element(host);
done:
  work_destroy(&work);
  return status;
}

/* ---- the operator ---------------------------------------------------------------------------- */

static void apply(struct hb_operator *op, enum hb_operator_part part, const void *u, void *w,
                  double *u_dot_w) {
  const struct hb_numbering *numbering = op->mesh->numbering;
  hb_helmholtz_apply *local = op->kernel.variant->host.apply[op->precision];
  const bool with_mass = part != HB_OPERATOR_STIFFNESS;
  const hb_local boundary = numbering->num_boundary_blocks;
  hb_timer_enter(op->timers, HB_PHASE_OPERATOR);
  double mark = hb_timer_mark(op->timers);
  double sum = local(&op->helmholtz, 0, boundary, with_mass, u, w);
  hb_gather_scatter_start(op->mesh->gs, op->precision, w);
  op->num_passes++;
  sum += local(&op->helmholtz, boundary, numbering->num_blocks, with_mass, u, w);
  hb_timer_count(op->timers, HB_PHASE_OPERATOR, &mark);
  hb_timer_enter(op->timers, HB_PHASE_EXCHANGE);
  hb_gather_scatter_finish(op->mesh->gs, op->precision, w);
  hb_timer_count(op->timers, HB_PHASE_EXCHANGE, &mark);
  hb_timer_enter(op->timers, HB_PHASE_OPERATOR);
  if (part == HB_OPERATOR_FULL) op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, w);
  hb_timer_count(op->timers, HB_PHASE_OPERATOR, &mark);
  if (u_dot_w != NULL) *u_dot_w = sum;
}

static void diagonal(struct hb_operator *op, void *values) {
  memset(values, 0, (size_t)hb_operator_vector_bytes(op));
  op->kernel.variant->host.diagonal[op->precision](&op->helmholtz, values);
  hb_gather_scatter_start(op->mesh->gs, op->precision, values);
  hb_gather_scatter_finish(op->mesh->gs, op->precision, values);
}

static double apply_blocks(struct hb_operator *op, hb_local begin, hb_local end, const void *u,
                           void *w) {
  return op->kernel.variant->host.apply[op->precision](&op->helmholtz, begin, end, true, u, w);
}

static enum hb_status time_kernel(struct hb_operator *op, int passes, double *seconds) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = op->mesh->numbering;
  hb_helmholtz_apply *local = op->kernel.variant->host.apply[op->precision];
  const size_t size = hb_precision_bytes(op->precision);
  void *u = hb_allocate(numbering->num_points, size, "vector of the kernel's time");
  void *w = hb_allocate(numbering->num_points, size, "vector of the kernel's time");
  if (u == NULL || w == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  memset(w, 0, (size_t)hb_operator_vector_bytes(op));
  for (hb_local i = 0; i < numbering->num_points; i++)
    hb_real_set(op->precision, u, i, 1.0 + 0.125 * (i % 7));
  const double start = hb_timer_now();
  for (int pass = 0; pass < passes; pass++)
    local(&op->helmholtz, 0, numbering->num_blocks, true, u, w);
  *seconds = hb_timer_now() - start;
done:
  hb_free(u);
  hb_free(w);
  return status;
}

static enum hb_status get_factors(const struct hb_operator *op, hb_local begin, hb_local end,
                                  double *factors) {
  const struct hb_helmholtz *h = &op->helmholtz;
  const struct hb_factor_layout from = layout_of(op);
  const struct hb_kept_places places = places_of((const struct hb_operator_host *)op);
  if (h->geometry.mode != HB_GEOMETRY_STORED)
    return hb_operator_expand(op, &places, begin, end, factors);
  const struct hb_factor_layout to = hb_geometry_host_layout(&h->geometry, h->n, 1);
  for (hb_local e = begin; e < end; e++)
    for (int f = 0; f < hb_geometry_num_factors(&h->geometry); f++) {
      double *out = factors + hb_factor_at(&to, e - begin, 0, f);
      const ptrdiff_t in = hb_factor_at(&from, e, 0, f);
      for (int point = 0; point < hb_points_per_element(h->n); point++)
        out[point * to.point] = hb_real_at(op->precision, h->factors, in + point * from.point);
    }
  return HB_OK;
}

/* The vectors of a solve are on the host already. */
static enum hb_status copy(const struct hb_operator *op, const void *from, void *to) {
  if (from != to) memcpy(to, from, (size_t)hb_operator_vector_bytes(op));
  return HB_OK;
}

static enum hb_status create_passes(struct hb_operator *op, const struct hb_cg_system *system,
                                    struct hb_cg_passes **passes) {
  (void)op; /* the system has it as a function */
  return hb_cg_host_create(system, passes);
}

static hb_global bytes(const struct hb_operator *op) {
  const struct hb_helmholtz *h = &op->helmholtz;
  const struct hb_factor_layout layout = layout_of(op);
  return (hb_global)hb_precision_bytes(op->precision) *
         (hb_factor_count(&layout, h->num_elements) +
          hb_element_value_count(&h->geometry, h->lanes, h->num_elements) +
          hb_helmholtz_scratch_count(h->n, h->lanes) + (hb_global)h->n * (h->n + 2));
}

static void destroy(struct hb_operator *op) {
  struct hb_operator_host *host = hb_operator_host(op);
  hb_free(host->factors);
  hb_free(host->elements);
  hb_free(host->scratch);
  hb_free(host);
}

static const struct hb_operator_type type = {.apply = apply,
                                             .diagonal = diagonal,
                                             .apply_blocks = apply_blocks,
                                             .factors = get_factors,
                                             .to_host = copy,
                                             .from_host = copy,
                                             .time_kernel = time_kernel,
                                             .create_passes = create_passes,
                                             .bytes = bytes,
                                             .destroy = destroy};

struct hb_operator_host *hb_operator_host(struct hb_operator *op) {
  HB_ASSERT(op->type == &type);
  return (struct hb_operator_host *)op;
}

enum hb_status hb_operator_host_create(const struct hb_operator_setup *setup, double *mass,
                                       struct hb_operator **op_out) {
  enum hb_status status = HB_OK;
  const size_t size = hb_precision_bytes(setup->precision);
  struct hb_operator_host *host = NULL;
  HB_ALLOC(host, 1, "operator");
  host->factors = host->elements = host->scratch = NULL;
  status = hb_operator_init(&type, setup, &host->op);
  *op_out = &host->op;
  HB_TRY(status);
  struct hb_helmholtz *h = &host->op.helmholtz;
  const struct hb_factor_layout layout = layout_of(&host->op);
  host->factors = hb_allocate(hb_factor_count(&layout, h->num_elements), size, "geometric factors");
  host->elements = hb_allocate(hb_element_value_count(&h->geometry, h->lanes, h->num_elements),
                               size, "geometry of elements");
  host->scratch = hb_allocate(hb_helmholtz_scratch_count(h->n, h->lanes), size, "operator scratch");
  if (host->factors == NULL || host->elements == NULL || host->scratch == NULL)
    status = HB_MACHINE_FAILED;
  HB_TRY(status);
  h->factors = host->factors;
  h->elements = host->elements;
  h->scratch = host->scratch;
  HB_TRY(set_up(host, setup, mass));
done:
  return status;
}

hb_global hb_operator_host_geometry_bytes(const struct hb_plan *plan) {
  const enum hb_precision precision = plan->options->precision;
  const int lanes = hb_backend_lanes(plan->backend, precision);
  const hb_local num_elements = plan->partition.num_elements;
  const struct hb_factor_layout layout =
      hb_geometry_host_layout(&plan->geometry, plan->box.degree + 1, lanes);
  return (hb_global)hb_precision_bytes(precision) *
         (hb_factor_count(&layout, num_elements) +
          hb_element_value_count(&plan->geometry, lanes, num_elements));
}
