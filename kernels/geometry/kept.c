/* SPDX-License-Identifier: BSD-3-Clause
 * What a geometry mode keeps of an element, and the factors from it. */
#include "kernels/geometry/kept.h"

#include <math.h>
#include <string.h>

#include "kernels/geometry/factors.h"

/* ---- maps of elements ------------------------------------------------------------------------ */

static double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* Terms 1 r s t rs rt st rst. */
static void form_terms(double r, double s, double t, double m[HB_TRILINEAR_TERMS]) {
  const double terms[HB_TRILINEAR_TERMS] = {1.0, r, s, t, r * s, r * t, s * t, r * s * t};
  memcpy(m, terms, sizeof terms);
}

/* Vertex v of an element, bits 0 1 2 of v for the ends of r s t: number of its point. */
static int vertex_point(int n, int v) {
  const int last = n - 1;
  return ((v >> 2 & 1) * n + (v >> 1 & 1)) * n * last + (v & 1) * last;
}

/* Coefficients of the trilinear map through the vertices, about the first vertex. */
static void fit_trilinear(int n, const double *x, double X[3][HB_TRILINEAR_TERMS]) {
  static const int bits[HB_TRILINEAR_TERMS] = {0, 1, 2, 4, 3, 5, 6, 7}; /* axes of a term */
  const ptrdiff_t points = hb_points_per_element(n);
  for (int a = 0; a < 3; a++)
    for (int c = 0; c < HB_TRILINEAR_TERMS; c++) {
      double sum = 0.0;
      for (int v = 1; v < 8; v++) { /* the first one's distance to itself is 0 */
        int minus = 0;
        for (int axis = 0; axis < 3; axis++)
          minus += (bits[c] >> axis & 1) != 0 && (v >> axis & 1) == 0;
        const double distance = x[a * points + vertex_point(n, v)] - x[a * points];
        sum += minus % 2 == 0 ? distance : -distance;
      }
      X[a][c] = 0.125 * sum;
    }
}

/* Coefficients of the affine map along the edges at the first vertex, about it. */
static void fit_affine(int n, const double *x, double X[3][HB_TRILINEAR_TERMS]) {
  const ptrdiff_t points = hb_points_per_element(n);
  memset(X, 0, 3 * sizeof *X);
  for (int a = 0; a < 3; a++)
    for (int axis = 0; axis < 3; axis++) {
      X[a][1 + axis] = 0.5 * (x[a * points + vertex_point(n, 1 << axis)] - x[a * points]);
      X[a][0] += X[a][1 + axis];
    }
}

/* The longest of the edges at the first vertex. */
static double size_of(int n, const double *x) {
  const ptrdiff_t points = hb_points_per_element(n);
  double size = 0.0;
  for (int axis = 0; axis < 3; axis++) {
    double edge[3];
    for (int a = 0; a < 3; a++)
      edge[a] = x[a * points + vertex_point(n, 1 << axis)] - x[a * points];
    size = fmax(size, length(edge));
  }
  return size;
}

double hb_geometry_misfit(enum hb_geometry_mode mode, int n, const double *points,
                          const double *x) {
  const ptrdiff_t cube = hb_points_per_element(n);
  double X[3][HB_TRILINEAR_TERMS], worst = 0.0;
  if (mode != HB_GEOMETRY_TRILINEAR && mode != HB_GEOMETRY_AFFINE) return 0.0;
  if (mode == HB_GEOMETRY_AFFINE)
    fit_affine(n, x, X);
  else
    fit_trilinear(n, x, X);
  for (ptrdiff_t point = 0; point < cube; point++) {
    double m[HB_TRILINEAR_TERMS], off[3];
    form_terms(points[point % n], points[point / n % n], points[point / (n * n)], m);
    for (int a = 0; a < 3; a++) {
      off[a] = x[a * cube] - x[a * cube + point];
      for (int c = 0; c < HB_TRILINEAR_TERMS; c++) off[a] += X[a][c] * m[c];
    }
    const double distance = length(off);
    worst = hb_max(worst, distance);
  }
  return worst / size_of(n, x);
}

double hb_geometry_distance(int n, const double *x) {
  double far = 0.0;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)hb_points_per_element(n); i++)
    far = fmax(far, fabs(x[i]));
  return far / size_of(n, x);
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void keep_affine(const struct hb_geometry *geometry, const double X[3][HB_TRILINEAR_TERMS],
                        double values[HB_AFFINE_VALUES]) {
  const double h1 = geometry->varying ? 1.0 : geometry->h1;
  const double h2 = geometry->varying ? 1.0 : geometry->h2;
  double d[3][3], g[3][3]; /* d[axis][a]; g[axis]: J times the gradient */
  for (int axis = 0; axis < 3; axis++)
    for (int a = 0; a < 3; a++) d[axis][a] = X[a][1 + axis];
  for (int axis = 0; axis < 3; axis++) cross(d[(axis + 1) % 3], d[(axis + 2) % 3], g[axis]);
  const double J = dot(d[0], g[0]);
  int f = 0;
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) values[f++] = h1 / J * dot(g[a], g[b]);
  values[HB_MASS_FACTOR] = h2 * J;
  values[HB_AFFINE_VALUES - 1] = 0.0;
}

void hb_geometry_keep(const struct hb_geometry *geometry, int n, const double *x,
                      double *element_values) {
  double X[3][HB_TRILINEAR_TERMS];
  if (geometry->mode == HB_GEOMETRY_TRILINEAR) {
    fit_trilinear(n, x, X);
    for (int a = 0; a < 3; a++) X[a][0] = 0.0;
    memcpy(element_values, X, sizeof X);
  } else if (geometry->mode == HB_GEOMETRY_AFFINE) {
    fit_affine(n, x, X);
    keep_affine(geometry, (const double(*)[HB_TRILINEAR_TERMS])X, element_values);
  }
}

/* ---- factors again --------------------------------------------------------------------------- */

/* Positions from what is kept. */
static void form_positions(enum hb_geometry_mode mode, const struct hb_kept_basis *basis,
                           const double *point_values, int num_values, const double *element_values,
                           double *x) {
  const int n = basis->n;
  const ptrdiff_t cube = hb_points_per_element(n);
  const double *p = basis->points;
  for (ptrdiff_t point = 0; point < cube; point++) {
    double m[HB_TRILINEAR_TERMS];
    form_terms(p[point % n], p[point / n % n], p[point / (n * n)], m);
    for (int a = 0; a < 3; a++) {
      double sum = 0.0;
      for (int c = 0; c < HB_TRILINEAR_TERMS && mode == HB_GEOMETRY_TRILINEAR; c++)
        sum += element_values[a * HB_TRILINEAR_TERMS + c] * m[c];
      x[a * cube + point] = mode == HB_GEOMETRY_NODES ? point_values[point * num_values + a] : sum;
    }
  }
}

static void expand_affine(const struct hb_geometry *geometry, const struct hb_kept_basis *basis,
                          const double *coefficients, const double *element_values,
                          double *factors) {
  const int n = basis->n, kept = hb_geometry_num_coefficients(geometry);
  const bool with_mass = hb_geometry_has_mass(geometry);
  for (ptrdiff_t point = 0; point < hb_points_per_element(n); point++) {
    const double weight =
        basis->weights[point % n] * basis->weights[point / n % n] * basis->weights[point / (n * n)];
    const double h1 = kept > 0 ? coefficients[point * kept] : 1.0;
    const double h2 = kept > 1 ? coefficients[point * kept + 1] : 1.0;
    double *f = factors + point * HB_MAX_FACTORS;
    for (int q = 0; q < HB_NUM_GEOMETRIC; q++) f[q] = weight * h1 * element_values[q];
    f[HB_MASS_FACTOR] = with_mass ? weight * h2 * element_values[HB_MASS_FACTOR] : 0.0;
  }
}

/* Through positions, by the reference. */
static enum hb_status expand_positions(const struct hb_geometry *geometry,
                                       const struct hb_kept_basis *basis,
                                       const double *point_values, const double *element_values,
                                       double *factors) {
  enum hb_status status = HB_OK;
  const int kept = hb_geometry_num_point_values(geometry);
  const int coefficients = hb_geometry_num_coefficients(geometry);
  const ptrdiff_t cube = hb_points_per_element(basis->n);
  double *x = NULL, min_jacobian;
  HB_ALLOC(x, 6 * cube, "positions of an element");
  double *h1 = x + 3 * cube, *h2 = h1 + cube, *mass = h2 + cube;
  form_positions(geometry->mode, basis, point_values, kept, element_values, x);
  for (ptrdiff_t point = 0; point < cube; point++) {
    const double *own = point_values + point * kept + kept - coefficients;
    h1[point] = coefficients > 0 ? own[0] : geometry->h1;
    h2[point] = coefficients > 1 ? own[1] : geometry->h2;
    if (!hb_geometry_has_mass(geometry)) h2[point] = 0.0;
  }
  const struct hb_geometric_input input = {basis->n, basis->D, basis->weights, x, h1, h2};
  hb_geometric_factors_host(&input, NULL, factors, mass, &min_jacobian);
done:
  hb_free(x);
  return status;
}

enum hb_status hb_geometry_expand(const struct hb_geometry *geometry,
                                  const struct hb_kept_basis *basis, const double *point_values,
                                  const double *element_values, double *factors) {
  const int kept = hb_geometry_num_point_values(geometry);
  if (geometry->mode == HB_GEOMETRY_NODES || geometry->mode == HB_GEOMETRY_TRILINEAR)
    return expand_positions(geometry, basis, point_values, element_values, factors);
  if (geometry->mode == HB_GEOMETRY_AFFINE) {
    expand_affine(geometry, basis, point_values, element_values, factors);
    return HB_OK;
  }
  for (ptrdiff_t point = 0; point < hb_points_per_element(basis->n); point++)
    for (int f = 0; f < HB_MAX_FACTORS; f++)
      factors[point * HB_MAX_FACTORS + f] = f < kept ? point_values[point * kept + f] : 0.0;
  return HB_OK;
}

enum hb_status hb_geometry_expand_elements(const struct hb_geometry *geometry,
                                           const struct hb_kept_basis *basis,
                                           const struct hb_kept_places *places, hb_local begin,
                                           hb_local end, double *factors) {
  enum hb_status status = HB_OK;
  const ptrdiff_t points = hb_points_per_element(basis->n);
  const int kept = hb_geometry_num_point_values(geometry);
  const int kinds = hb_geometry_num_factors(geometry);
  double *own = NULL, values[HB_MAX_ELEMENT_VALUES];
  HB_ALLOC(own, 2 * HB_MAX_FACTORS * points, "factors of an element");
  double *expanded = own + HB_MAX_FACTORS * points;
  for (hb_local e = begin; e < end; e++) {
    const hb_local from = e - places->first;
    for (ptrdiff_t point = 0; point < points; point++)
      for (int f = 0; f < kept; f++)
        own[point * kept + f] = hb_real_at(places->precision, places->points,
                                           hb_factor_at(&places->layout, from, (int)point, f));
    for (int v = 0; v < hb_geometry_num_element_values(geometry); v++)
      values[v] = hb_real_at(places->precision, places->elements,
                             hb_element_value_at(geometry, places->layout.lanes, from, v));
    HB_TRY(hb_geometry_expand(geometry, basis, own, values, expanded));
    for (ptrdiff_t point = 0; point < points; point++)
      memcpy(factors + ((e - begin) * points + point) * kinds, expanded + point * HB_MAX_FACTORS,
             (size_t)kinds * sizeof *factors);
  }
done:
  hb_free(own);
  return status;
}

/* ---- rounding -------------------------------------------------------------------------------- */

/* x_r, x_s or x_t at a point, and the sum of the magnitudes that go into it. */
static void derive(const struct hb_kept_basis *basis, const double *x, ptrdiff_t point, int axis,
                   double d[3], double magnitude[3]) {
  const int n = basis->n;
  const ptrdiff_t cube = hb_points_per_element(n), strides[3] = {1, n, (ptrdiff_t)n * n};
  const ptrdiff_t here = point / strides[axis] % n, line = point - here * strides[axis];
  for (int a = 0; a < 3; a++) {
    d[a] = magnitude[a] = 0.0;
    for (int m = 0; m < n; m++) {
      const double term =
          basis->D[here * n + m] * (x[a * cube + line + m * strides[axis]] - x[a * cube]);
      d[a] += term;
      magnitude[a] += fabs(term);
    }
  }
}

/* Sum of the magnitudes of the map's terms in which an axis is. */
static void add_terms(const double X[3][HB_TRILINEAR_TERMS], int axis, double magnitude[3]) {
  static const int terms[3][4] = {{1, 4, 5, 7}, {2, 4, 6, 7}, {3, 5, 6, 7}};
  for (int a = 0; a < 3; a++) {
    magnitude[a] = 0.0;
    for (int q = 0; q < 4; q++) magnitude[a] += fabs(X[a][terms[axis][q]]);
  }
}

double hb_geometry_growth(enum hb_geometry_mode mode, const struct hb_kept_basis *basis,
                          const double *x) {
  double X[3][HB_TRILINEAR_TERMS], worst = 1.0;
  if (mode != HB_GEOMETRY_NODES && mode != HB_GEOMETRY_TRILINEAR) return 1.0;
  fit_trilinear(basis->n, x, X);
  for (ptrdiff_t point = 0; point < hb_points_per_element(basis->n); point++) {
    double d[3][3], g[3], lengths = 1.0, cancelled = 1.0;
    for (int axis = 0; axis < 3; axis++) {
      double magnitude[3];
      derive(basis, x, point, axis, d[axis], magnitude);
      if (mode == HB_GEOMETRY_TRILINEAR)
        add_terms((const double(*)[HB_TRILINEAR_TERMS])X, axis, magnitude);
      lengths *= length(d[axis]);
      cancelled = hb_max(cancelled, length(magnitude) / length(d[axis]));
    }
    cross(d[1], d[2], g);
    const double here = cancelled * lengths / fabs(dot(d[0], g));
    worst = hb_max(worst, here);
  }
  return worst;
}
