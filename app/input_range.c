/* SPDX-License-Identifier: BSD-3-Clause
 * Estimates of what a solve multiplies, by their binary logarithms. */
#include "app/input_range.h"

#include <math.h>

/* Binary logarithms of the smallest and the largest that something gets. */
struct span {
  double low, high;
};

static struct span span_of(double value) { return (struct span){log2(value), log2(value)}; }

static struct span times(struct span a, struct span b) {
  return (struct span){a.low + b.low, a.high + b.high};
}

static struct span over(struct span a, struct span b) {
  return (struct span){a.low - b.high, a.high - b.low};
}

static struct span squared(struct span a) { return times(a, a); }

/* Of a sum of both: the larger one counts. */
static struct span plus(struct span a, struct span b) {
  return (struct span){hb_max(a.low, b.low), hb_max(a.high, b.high)};
}

/* What everything else is made from. */
struct scales {
  const struct hb_options *options;
  struct span length[3], size[3], face[3]; /* l_a, s_a, s_b s_c */
  struct span volume, factor[3], mass;     /* J, h1 (s_b s_c)^2 / J, h2 J */
  struct span matrix, rhs;                 /* entries of A and b */
  bool mass_matters;
};

/* Entries of b: the source, h2 and h1 / l^2 times J, at least; a lifting, A, at most. */
static struct span rhs_of(const struct scales *scales) {
  const struct span h1 = span_of(scales->options->h1);
  struct span rhs = over(h1, squared(scales->length[0]));
  for (int a = 1; a < 3; a++) rhs = plus(rhs, over(h1, squared(scales->length[a])));
  rhs = times(scales->volume, rhs);
  if (scales->mass_matters) rhs = plus(rhs, scales->mass);
  return plus(rhs, (struct span){rhs.low, scales->matrix.high});
}

static void find_scales(const struct hb_options *options, const struct hb_box *box,
                        struct scales *scales) {
  const bool kershaw = box->deformation == HB_KERSHAW;
  double longest = 0.0;
  *scales = (struct scales){.options = options};
  for (int a = 0; a < 3; a++) {
    scales->length[a] = span_of(box->length[a]);
    scales->size[a] = over(scales->length[a], span_of((double)box->elements[a]));
    if (kershaw && a > 0) scales->size[a].low += log2(box->epsilon[a - 1]);
    longest = hb_max(longest, box->length[a]);
  }
  scales->volume = times(times(scales->size[0], scales->size[1]), scales->size[2]);
  scales->mass = times(span_of(options->h2), scales->volume);
  for (int a = 0; a < 3; a++) {
    const struct span sides = times(scales->size[(a + 1) % 3], scales->size[(a + 2) % 3]);
    scales->face[a] = sides;
    scales->factor[a] = times(span_of(options->h1), over(sides, scales->size[a]));
    scales->matrix = a == 0 ? scales->factor[a] : plus(scales->matrix, scales->factor[a]);
  }
  /* Against h1 times the smallest eigenvalue of the Laplacian, about 1 / l^2. */
  const double share = log2(options->h2) + 2.0 * log2(longest) - log2(options->h1);
  const double nothing = log2(hb_precision_epsilon(options->precision)) - 10.0;
  scales->mass_matters = options->h2 > 0.0 && (!hb_box_has_dirichlet(box) || share > nothing);
  if (scales->mass_matters) scales->matrix = plus(scales->matrix, scales->mass);
  scales->rhs = rhs_of(scales);
}

/* A product in its range, with the margin; otherwise the message says which and how far. */
static enum hb_status check_span(const struct scales *scales, const char *what, struct span span,
                                 enum hb_precision precision) {
  enum hb_status status = HB_OK;
  const struct hb_options *o = scales->options;
  const double lowest = precision == HB_F64 ? -1022.0 + 40.0 : -126.0 + 24.0;
  const double highest = precision == HB_F64 ? 1024.0 - 40.0 : 128.0 - 24.0;
  const double decimal = log10(2.0);
  const bool small = !(span.low >= lowest);
  if (small || !(span.high <= highest))
    HB_FAIL(HB_BAD_INPUT,
            "h1 = %g, h2 = %g, lx ly lz = %g x %g x %g, nx ny nz = %lld x %lld x %lld: %s would be "
            "about 1e%+.0f; allowed in %s are 1e%+.0f to 1e%+.0f; take units in which the numbers "
            "are nearer to 1",
            o->h1, o->h2, o->lx, o->ly, o->lz, (long long)o->nx, (long long)o->ny, (long long)o->nz,
            what, decimal * (small ? span.low : span.high), hb_precision_name(precision),
            decimal * lowest, decimal * highest);
done:
  return status;
}

/* Sums over all points: from the smallest entry there may be, squared, to all of the largest. */
static struct span sum_of(const struct scales *scales, struct span term, double points) {
  const double epsilon = hb_precision_epsilon(scales->options->precision);
  return (struct span){term.low + 4.0 * log2(epsilon), term.high + log2(points)};
}

static enum hb_status check_sums(const struct scales *scales, double points) {
  enum hb_status status = HB_OK;
  const struct span matrix = scales->matrix, rr = squared(scales->rhs);
  const bool plain = scales->options->preconditioner == HB_PLAIN;
  HB_TRY(check_span(scales, "|r|^2", sum_of(scales, rr, points), HB_F64));
  HB_TRY(check_span(scales, "p.Ap, p the direction of the iteration",
                    sum_of(scales, plain ? times(rr, matrix) : over(rr, matrix), points), HB_F64));
  HB_TRY(check_span(scales, "|A x|^2",
                    (struct span){2.0 * matrix.low, 2.0 * matrix.high + log2(points)}, HB_F64));
done:
  return status;
}

/* p.Ap of an element is summed in the precision of the solve, down to the residual asked for, as
 * far as that precision goes.  Its large terms carry no small weights: 2^10 is margin enough. */
static enum hb_status check_element_sum(const struct scales *scales) {
  const enum hb_precision precision = scales->options->precision;
  const bool plain = scales->options->preconditioner == HB_PLAIN;
  const bool counted = scales->options->stop == HB_STOP_COUNT;
  const double tolerance = counted ? 0.0 : scales->options->tolerance;
  const double reached = hb_max(tolerance, 8.0 * hb_precision_epsilon(precision));
  const struct span rr = squared(scales->rhs);
  struct span sum = plain ? times(rr, scales->matrix) : over(rr, scales->matrix);
  sum.low += 2.0 * log2(reached) + (precision == HB_F64 ? 30.0 : 14.0);
  sum.high -= precision == HB_F64 ? 30.0 : 14.0;
  return check_span(scales, "p.Ap of an element, p the direction of the iteration,", sum,
                    precision);
}

static enum hb_status check_products(const struct scales *scales, double points) {
  enum hb_status status = HB_OK;
  const enum hb_precision precision = scales->options->precision;
  const struct span *length = scales->length;
  const struct span h1 = span_of(scales->options->h1);
  HB_TRY(check_span(scales, "the volume lx ly lz", times(times(length[0], length[1]), length[2]),
                    HB_F64));
  HB_TRY(check_span(scales, "the volume of an element", scales->volume, HB_F64));
  for (int a = 0; a < 3; a++) {
    HB_TRY(check_span(scales, "the square of an element's face", squared(scales->face[a]), HB_F64));
    HB_TRY(check_span(scales, "1 / length^2", over(span_of(1.0), squared(length[a])), HB_F64));
    HB_TRY(check_span(scales, "h1 / length^2", over(h1, squared(length[a])), HB_F64));
    HB_TRY(check_span(scales, "a factor of the diffusion term, h1 face^2 / volume of an element,",
                      scales->factor[a], precision));
  }
  if (scales->mass_matters)
    HB_TRY(check_span(scales, "a factor of the mass term, h2 times the volume of an element,",
                      scales->mass, precision));
  HB_TRY(check_span(scales, "an entry of the right-hand side", scales->rhs, precision));
  if (scales->options->preconditioner == HB_PLAIN)
    HB_TRY(check_span(scales, "an entry of A p, p the direction of the iteration",
                      times(scales->rhs, scales->matrix), precision));
  HB_TRY(check_element_sum(scales));
  HB_TRY(check_sums(scales, points));
done:
  return status;
}

/* Points off the Dirichlet faces; an axis of one element of degree 1 has none between its two. */
static enum hb_status check_unknowns(const struct hb_box *box) {
  enum hb_status status = HB_OK;
  hb_global points[3];
  hb_box_lattice(box, points);
  for (int a = 0; a < 3; a++)
    if (box->boundary[a] == HB_DIRICHLET && points[a] <= 2)
      HB_FAIL(HB_BAD_INPUT,
              "boundary_%c = dirichlet with one element of degree %d along %c: the solution is "
              "given at every point, nothing is left to solve; allowed: more elements along %c, a "
              "higher degree, or neumann or periodic faces there",
              'x' + a, box->degree, 'x' + a, 'x' + a);
done:
  return status;
}

enum hb_status hb_input_range_check(const struct hb_options *options, const struct hb_box *box) {
  enum hb_status status = HB_OK;
  struct scales scales;
  HB_TRY(check_unknowns(box));
  find_scales(options, box, &scales);
  HB_TRY(check_products(&scales, (double)hb_box_num_points(box)));
done:
  return status;
}

enum hb_status hb_input_range_check_forming(const struct hb_options *options,
                                            const struct hb_box *box) {
  enum hb_status status = HB_OK;
  const enum hb_precision precision = options->precision;
  struct scales scales;
  find_scales(options, box, &scales);
  HB_TRY(check_span(&scales, "the volume of an element, which geometry nodes and trilinear form,",
                    scales.volume, precision));
  for (int a = 0; a < 3; a++) {
    HB_TRY(check_span(&scales, "an element's face, which geometry nodes and trilinear form,",
                      scales.face[a], precision));
    HB_TRY(check_span(&scales, "h1 face / volume, which geometry nodes and trilinear form,",
                      times(span_of(options->h1), over(scales.face[a], scales.volume)), precision));
  }
done:
  return status;
}
