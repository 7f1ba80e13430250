/* SPDX-License-Identifier: BSD-3-Clause
 * One block at a time through the variant and through the reference. */
#include "app/gate_kernel.h"

#include <math.h>
#include <string.h>

#include "kernels/helmholtz_blocks.h"

enum { MAX_BLOCKS = 6 };

/* One element in double: shapes as the reference has them. */
struct element {
  double *D, *factors, *u, *w; /* owned */
};

static enum hb_status element_create(int n, int num_factors, struct element *element) {
  enum hb_status status = HB_OK;
  const int points = hb_points_per_element(n);
  *element = (struct element){0};
  HB_ALLOC(element->D, n * n, "reference matrix");
  HB_ALLOC(element->factors, points * num_factors, "reference factors");
  HB_ALLOC(element->u, points, "reference values");
  HB_ALLOC(element->w, points, "reference result");
done:
  return status;
}

static void element_destroy(struct element *element) {
  hb_free(element->D);
  hb_free(element->factors);
  hb_free(element->u);
  hb_free(element->w);
}

/* Element `lane` of a block, from the block's factors [point][f][lane] and values [point][lane]. */
static void element_load(const struct hb_operator *op, const double *block_factors, int lane,
                         const void *block_values, bool magnitudes, struct element *element) {
  const struct hb_helmholtz *h = &op->helmholtz;
  const ptrdiff_t points = hb_points_per_element(h->n), count = points * h->num_factors;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)h->n * h->n; i++)
    element->D[i] = hb_real_at(op->precision, op->D, i);
  for (ptrdiff_t i = 0; i < count; i++) element->factors[i] = block_factors[i * h->lanes + lane];
  for (ptrdiff_t i = 0; i < points; i++)
    element->u[i] = hb_real_at(op->precision, block_values, i * h->lanes + lane);
  if (!magnitudes) return;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)h->n * h->n; i++) element->D[i] = fabs(element->D[i]);
  for (ptrdiff_t i = 0; i < count; i++) element->factors[i] = fabs(element->factors[i]);
  for (ptrdiff_t i = 0; i < points; i++) element->u[i] = fabs(element->u[i]);
}

static void element_apply(const struct hb_helmholtz *h, struct element *element) {
  hb_helmholtz_host_f64(h->n, 1, h->num_factors, h->num_factors == HB_MAX_FACTORS, element->D,
                        element->factors, element->u, element->w);
}

static void load_block(const struct hb_operator *op, hb_local block, const void *u, void *values) {
  const int n = op->helmholtz.n;
  if (op->precision == HB_F64)
    hb_block_load_plain_f64(&op->helmholtz, block, n * n, u, values);
  else
    hb_block_load_plain_f32(&op->helmholtz, block, n * n, u, values);
}

/* reference [num_points] (double, zero) += the block's result by the reference.  Returns the
 * largest sum of magnitudes of an element's entry, and in u_dot_w the block's u.w. */
static double reference_block(const struct hb_operator *op, hb_local block,
                              const double *block_factors, const void *values, double *block_result,
                              struct element *element, double *reference, double *u_dot_w) {
  const struct hb_helmholtz *h = &op->helmholtz;
  const ptrdiff_t points = hb_points_per_element(h->n);
  double scale = 0.0;
  *u_dot_w = 0.0;
  for (int lane = 0; lane < hb_block_active(h->num_elements, h->lanes, block); lane++) {
    element_load(op, block_factors, lane, values, true, element);
    element_apply(h, element);
    for (ptrdiff_t i = 0; i < points; i++) scale = hb_max(scale, element->w[i]);
    element_load(op, block_factors, lane, values, false, element);
    element_apply(h, element);
    for (ptrdiff_t i = 0; i < points; i++) {
      block_result[i * h->lanes + lane] = element->w[i];
      *u_dot_w += element->u[i] * element->w[i];
    }
  }
  hb_block_add_plain_f64(h, block, h->n * h->n, block_result, reference);
  return scale;
}

/* Largest |difference| over its bound for one block; an entry sums at most eight elements. */
static double compare_block(struct hb_solver *solver, hb_local block, const double *block_factors,
                            const void *u, void *values, double *block_result,
                            struct element *element, double *reference) {
  struct hb_operator *op = solver->op;
  const struct hb_helmholtz *h = &op->helmholtz;
  const hb_local num_points = solver->mesh->numbering->num_points;
  void *w = solver->cg->w;
  double worst = 0.0, expected_dot;
  memset(w, 0, (size_t)num_points * hb_precision_bytes(op->precision));
  memset(reference, 0, (size_t)num_points * sizeof *reference);
  load_block(op, block, u, values);
  const double scale = reference_block(op, block, block_factors, values, block_result, element,
                                       reference, &expected_dot);
  const double dot = hb_operator_apply_blocks(op, block, block + 1, u, w);
  const double bound = hb_helmholtz_tolerance(h->n, op->precision, 8.0 * scale);
  for (hb_local i = 0; i < num_points; i++) {
    const double difference = fabs(hb_real_at(op->precision, w, i) - reference[i]);
    worst = hb_max(worst, difference);
  }
  /* Every entry of the block enters the dot product with |u| <= 1. */
  const double entries = (double)hb_points_per_element(h->n) * h->lanes;
  const double dot_difference = fabs(dot - expected_dot);
  const double dot_ratio = bound == 0.0 ? dot_difference : dot_difference / (bound * entries);
  const double ratio = bound == 0.0 ? worst : worst / bound;
  return hb_max(ratio, dot_ratio);
}

enum hb_status hb_gate_kernel(struct hb_solver *solver, struct hb_gates *gates) {
  enum hb_status status = HB_OK;
  const struct hb_operator *op = solver->op;
  const struct hb_helmholtz *h = &op->helmholtz;
  const hb_global block_count = (hb_global)hb_points_per_element(h->n) * h->lanes;
  const hb_local num_blocks = solver->mesh->numbering->num_blocks;
  struct element element = {0};
  double *block_factors = NULL, *block_result = NULL, *reference = NULL, *values = NULL;
  double worst = 0.0;
  HB_TRY(element_create(h->n, h->num_factors, &element));
  HB_ALLOC(block_factors, block_count * h->num_factors, "factors of a block");
  HB_ALLOC(values, block_count, "values of a block");
  HB_ALLOC(block_result, block_count, "result of a block");
  HB_ALLOC(reference, solver->mesh->numbering->num_points, "reference vector");
  hb_gate_set_random(solver, 4, false, solver->cg->p);
  for (int s = 0; s < MAX_BLOCKS; s++) {
    const hb_local block = (hb_local)((hb_global)(num_blocks - 1) * s / (MAX_BLOCKS - 1));
    HB_TRY(hb_operator_block_factors(op, block, block_factors));
    const double ratio = compare_block(solver, block, block_factors, solver->cg->p, values,
                                       block_result, &element, reference);
    worst = hb_max(worst, ratio);
  }
done:
  element_destroy(&element);
  hb_free(block_factors);
  hb_free(values);
  hb_free(block_result);
  hb_free(reference);
  status = hb_comm_agree(solver->comm, status);
  if (status == HB_OK) {
    hb_comm_max(solver->comm, 1, &worst);
    hb_gate_judge(gates, HB_GATE_KERNEL, worst, 1.0);
  }
  return status;
}
