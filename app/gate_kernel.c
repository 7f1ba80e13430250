/* SPDX-License-Identifier: BSD-3-Clause
 * Gate: the variant in use on blocks of this run's elements, of every rank (one, or as many as a
 * kernel of several elements needs to have all of them and a part of the next), against the
 * reference in double.  Observed: largest |difference| over its bound, so the bound is 1. */
#include "app/gates_internal.h"

#include <math.h>

#include "kernels/element/blocks.h"
#include "kernels/helmholtz/compare.h"
#include "kernels/random.h"

enum { NUM_FIXED = 4 };

/* Element `lane` of a block, its values from [point][lane]. */
static enum hb_status element_load(const struct hb_operator *op, hb_local block, int lane,
                                   const void *block_values, struct hb_reference *element) {
  const struct hb_helmholtz *h = &op->helmholtz;
  const ptrdiff_t points = hb_points_per_element(h->n);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)h->n * h->n; i++)
    element->D[i] = hb_real_at(op->precision, op->D, i);
  for (ptrdiff_t i = 0; i < points; i++) {
    element->u[i] = hb_real_at(op->precision, block_values, i * h->lanes + lane);
    element->u_magnitude[i] = fabs(element->u[i]);
  }
  const hb_local position = block * h->lanes + lane;
  return hb_operator_factors(op, position, position + 1, element->factors);
}

static void load_block(const struct hb_operator *op, hb_local block, const void *u, void *values) {
  const int n = op->helmholtz.n;
  const struct hb_blocks blocks = hb_helmholtz_blocks(&op->helmholtz);
  if (op->precision == HB_F64)
    hb_block_load_plain_f64(&blocks, block, n * n, u, values);
  else
    hb_block_load_plain_f32(&blocks, block, n * n, u, values);
}

/* reference [num_points] (double) += the block's result by the reference.  *scale: the largest sum
 * of magnitudes of an element's entry so far; the block's u.w is added to u_dot_w. */
static enum hb_status reference_block(const struct hb_operator *op, hb_local block,
                                      const void *values, double *block_result,
                                      struct hb_reference *element, double *reference,
                                      double *scale, double *u_dot_w) {
  enum hb_status status = HB_OK;
  const struct hb_helmholtz *h = &op->helmholtz;
  const struct hb_blocks blocks = hb_helmholtz_blocks(h);
  const ptrdiff_t points = hb_points_per_element(h->n);
  double ignored = 0.0;
  for (int lane = 0; lane < hb_block_active(h->num_elements, h->lanes, block); lane++) {
    HB_TRY(element_load(op, block, lane, values, element));
    hb_reference_apply(element);
    for (ptrdiff_t i = 0; i < points; i++) {
      *scale = hb_max(*scale, element->w_magnitude[i]);
      block_result[i * h->lanes + lane] = element->w[i];
    }
    hb_reference_add_dot(element, 0, points, u_dot_w, &ignored);
  }
  hb_block_add_plain_f64(&blocks, block, h->n * h->n, block_result, reference);
done:
  return status;
}

/* What the comparison works with. */
struct work {
  const struct hb_solver *solver;
  struct hb_gate_work *vectors;     /* borrowed; u: the values, w: the kernel's result */
  struct hb_reference element;      /* one at a time */
  double *block_result, *reference; /* owned, as below */
  void *values;
};

/* Clears the entries of blocks [begin, end) in both results, or, if bound > 0, gives the largest
 * |difference| over it.  Entries that a kernel should not touch are the assembly gate's. */
static double visit_entry(struct work *work, hb_local entry, double bound) {
  const enum hb_precision precision = work->solver->op->precision;
  void *w = work->vectors->w;
  if (bound > 0.0)
    return hb_scaled_difference(hb_real_at(precision, w, entry), work->reference[entry], bound);
  hb_real_set(precision, w, entry, 0.0);
  work->reference[entry] = 0.0;
  return 0.0;
}

static double visit_blocks(struct work *work, hb_local begin, hb_local end, double bound) {
  const struct hb_helmholtz *h = &work->solver->op->helmholtz;
  const struct hb_blocks blocks = hb_helmholtz_blocks(h);
  const ptrdiff_t inside = hb_interior_per_element(h->n);
  double worst = 0.0;
  for (hb_local block = begin; block < end; block++) {
    const int active = hb_block_active(h->num_elements, h->lanes, block);
    const ptrdiff_t start = hb_block_interior_start(&blocks, block);
    const hb_local *index = hb_block_surface_index(&blocks, block);
    for (ptrdiff_t i = 0; i < inside * active; i++)
      worst = hb_max(worst, visit_entry(work, (hb_local)(start + i), bound));
    for (ptrdiff_t s = 0; s < (ptrdiff_t)hb_surface_per_element(h->n) * h->lanes; s++)
      if (index[s] >= 0) worst = hb_max(worst, visit_entry(work, index[s], bound));
  }
  return worst;
}

/* Largest |difference| over its bound for blocks [begin, end); an entry sums at most eight
 * elements. */
static enum hb_status compare_blocks(struct work *work, hb_local begin, hb_local end,
                                     double *ratio) {
  enum hb_status status = HB_OK;
  struct hb_operator *op = work->solver->op;
  const struct hb_helmholtz *h = &op->helmholtz;
  double scale = 0.0, expected_dot = 0.0;
  visit_blocks(work, begin, end, 0.0);
  for (hb_local block = begin; block < end; block++) {
    load_block(op, block, work->vectors->u, work->values);
    HB_TRY(reference_block(op, block, work->values, work->block_result, &work->element,
                           work->reference, &scale, &expected_dot));
  }
  const double dot = hb_operator_apply_blocks(op, begin, end, work->vectors->u, work->vectors->w);
  const double bound = hb_helmholtz_tolerance(h->n, op->precision, 8.0 * scale);
  /* Every entry of the blocks enters the dot product with |u| <= 1. */
  const double entries = (double)hb_points_per_element(h->n) * h->lanes * (end - begin);
  *ratio = hb_max(visit_blocks(work, begin, end, bound),
                  hb_scaled_difference(dot, expected_dot, bound * entries));
  if (!(bound > 0.0)) *ratio = NAN; /* factors that are none */
done:
  return status;
}

static enum hb_status work_create(const struct hb_solver *solver, struct hb_gate_work *vectors,
                                  double growth, struct work *work) {
  enum hb_status status = HB_OK;
  const struct hb_helmholtz *h = &solver->op->helmholtz;
  const hb_global block_count = (hb_global)hb_points_per_element(h->n) * h->lanes;
  double *values = NULL;
  *work = (struct work){.solver = solver, .vectors = vectors};
  HB_TRY(hb_reference_create(h->n, 1, 1, &h->geometry, hb_geometry_has_mass(&h->geometry),
                             &work->element));
  work->element.growth = growth;
  HB_ALLOC(values, block_count, "values of a block");
  work->values = values;
  HB_ALLOC(work->block_result, block_count, "result of a block");
  HB_ALLOC(work->reference, solver->mesh->numbering->num_points, "reference vector");
done:
  return status;
}

static void work_destroy(struct work *work) {
  hb_reference_free(&work->element);
  hb_free(work->values);
  hb_free(work->block_result);
  hb_free(work->reference);
}

struct hb_gate_kernel_blocks hb_gate_kernel_blocks(const struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  const hb_local num_blocks = solver->mesh->numbering->num_blocks;
  const hb_local enough =
      hb_backend_blocks_together(solver->plan->backend, solver->op->helmholtz.n);
  const hb_local together = enough < num_blocks ? enough : num_blocks;
  return (struct hb_gate_kernel_blocks){.together = together,
                                        .last = num_blocks - together,
                                        .seed = (uint64_t)court->gates->seed +
                                                (uint64_t)solver->plan->comm->rank};
}

/* The first, those that end at the last boundary block, those behind it, the last; then others at
 * random, anew in each run. */
hb_local hb_gate_kernel_begin(const struct hb_court *court,
                              const struct hb_gate_kernel_blocks *blocks, int number) {
  const struct hb_numbering *numbering = court->solver->mesh->numbering;
  const hb_local last = blocks->last;
  const hb_local fixed[NUM_FIXED] = {0, numbering->num_boundary_blocks - blocks->together,
                                     numbering->num_boundary_blocks, last};
  const hb_local any =
      (hb_local)(hb_random_in_sequence(blocks->seed, (uint64_t)number) * (last + 1));
  const hb_local begin = number < NUM_FIXED ? fixed[number] : any;
  return begin < 0 ? 0 : begin > last ? last : begin;
}

enum hb_status hb_gate_kernel_host(const struct hb_court *court, double *worst) {
  enum hb_status status = HB_OK;
  const struct hb_gate_kernel_blocks blocks = hb_gate_kernel_blocks(court);
  struct hb_gate_work vectors = court->work;
  struct work work;
  HB_TRY(work_create(court->solver, &vectors, court->growth, &work));
  hb_gate_set_random(court->solver, court->gates->seed + 5, false, vectors.u);
  for (int s = 0; s < HB_GATE_KERNEL_PLACES; s++) {
    const hb_local begin = hb_gate_kernel_begin(court, &blocks, s);
    double ratio = 0.0;
    HB_TRY(compare_blocks(&work, begin, begin + blocks.together, &ratio));
    *worst = hb_max(*worst, ratio);
  }
done:
  work_destroy(&work);
  return status;
}

enum hb_status hb_gate_kernel(struct hb_court *court) {
  enum hb_status status = HB_OK;
  double worst = 0.0;
  HB_TRY(hb_comm_agree(court->solver->plan->comm, court->place->kernel(court, &worst)));
  hb_comm_max(court->solver->plan->comm, 1, &worst);
  hb_gate_judge(court->gates, HB_GATE_KERNEL, worst, 1.0);
done:
  return status;
}
