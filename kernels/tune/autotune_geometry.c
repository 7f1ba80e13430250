/* SPDX-License-Identifier: BSD-3-Clause
 * The tuner's elements where factors are not stored: random ones that the mode can represent, as
 * the mode keeps them. */
#include <math.h>

#include "kernels/random.h"
#include "kernels/threads.h"
#include "kernels/tune/autotune_data.h"

/* Vertices of the cube [-1, 1]^3 are moved by at most SHIFT along each axis, points inside of a
 * curved element by at most BUMP: J > 0.3 everywhere. */
static const double SHIFT = 0.1, BUMP = 0.05;

/* Random in [-1, 1), of an element. */
static double noise(hb_global element, int number) {
  const uint64_t seed = (uint64_t)HB_NUM_TUNING_ARRAYS << 40;
  return 2.0 * hb_random_in_sequence(0, seed + 64 * (uint64_t)element + (uint64_t)number) - 1.0;
}

/* Vertices [bits r s t][a]; of a parallelepiped, where those of the ends of edges say all. */
static void make_vertices(enum hb_geometry_mode mode, hb_global element, double vertices[8][3]) {
  for (int v = 0; v < 8; v++)
    for (int a = 0; a < 3; a++)
      vertices[v][a] = ((v >> a & 1) != 0 ? 1.0 : -1.0) + SHIFT * noise(element, 3 * v + a);
  for (int v = 0; v < 8 && mode == HB_GEOMETRY_AFFINE; v++)
    for (int a = 0; a < 3; a++) {
      double sum = vertices[0][a];
      for (int axis = 0; axis < 3; axis++)
        if ((v >> axis & 1) != 0) sum += vertices[1 << axis][a] - vertices[0][a];
      if ((v & (v - 1)) != 0) vertices[v][a] = sum; /* more than one bit */
    }
}

/* Positions x [3][k][j][i]. */
static void make_element(const struct hb_tuning_data *data, hb_global element, double *x) {
  const int n = data->helmholtz.n;
  const enum hb_geometry_mode mode = data->helmholtz.geometry.mode;
  const ptrdiff_t points = hb_points_per_element(n);
  const double *p = data->basis.points;
  double vertices[8][3];
  make_vertices(mode, element, vertices);
  for (ptrdiff_t point = 0; point < points; point++) {
    const double at[3] = {p[point % n], p[point / n % n], p[point / (n * n)]};
    double bump = mode == HB_GEOMETRY_NODES ? BUMP : 0.0;
    for (int axis = 0; axis < 3; axis++) bump *= 1.0 - at[axis] * at[axis];
    for (int a = 0; a < 3; a++) {
      double sum = bump * noise(element, 24 + a);
      for (int v = 0; v < 8; v++) {
        double share = vertices[v][a];
        for (int axis = 0; axis < 3; axis++)
          share *= 0.5 * ((v >> axis & 1) != 0 ? 1.0 + at[axis] : 1.0 - at[axis]);
        sum += share;
      }
      x[a * points + point] = sum;
    }
  }
}

/* Value f that the mode keeps at a point: positions, then coefficients from 0.5 to 1.5. */
static double point_value(const struct hb_tuning_data *data, hb_global element, const double *x,
                          ptrdiff_t point, int f) {
  const ptrdiff_t points = hb_points_per_element(data->helmholtz.n);
  if (data->helmholtz.geometry.mode == HB_GEOMETRY_NODES && f < 3)
    return x[f * points + point] - x[f * points];
  const uint64_t seed = (uint64_t)(HB_NUM_TUNING_ARRAYS + 1 + f) << 40;
  return 0.5 + hb_random_in_sequence(0, seed + (uint64_t)(element * points + point));
}

/* Elements in pieces, on several threads; what each finds. */
enum { NUM_PIECES = 64 };
struct pass {
  const struct hb_tuning_data *data;
  hb_global num_elements;
  double *factors; /* of hb_tuning_factors */
  double growth[NUM_PIECES];
  enum hb_status status[NUM_PIECES];
};

static void keep_piece(void *context, int piece) {
  enum hb_status status = HB_OK;
  struct pass *pass = context;
  const struct hb_tuning_data *data = pass->data;
  const struct hb_device_helmholtz *h = &data->helmholtz;
  const struct hb_factor_layout layout = hb_geometry_device_layout(&h->geometry, h->n);
  const ptrdiff_t points = hb_points_per_element(h->n);
  const hb_global end = hb_piece_begin(pass->num_elements, NUM_PIECES, piece + 1);
  double *x = NULL, values[HB_MAX_ELEMENT_VALUES];
  HB_ALLOC(x, 3 * points, "tuner");
  for (hb_global e = hb_piece_begin(pass->num_elements, NUM_PIECES, piece); e < end; e++) {
    make_element(data, e, x);
    pass->growth[piece] =
        hb_max(pass->growth[piece], hb_geometry_growth(h->geometry.mode, &data->basis, x));
    for (int f = 0; f < hb_geometry_num_point_values(&h->geometry); f++)
      for (ptrdiff_t point = 0; point < points; point++)
        hb_real_set(data->precision, data->array[HB_TUNING_FACTORS].h,
                    hb_factor_at(&layout, (hb_local)e, (int)point, f),
                    point_value(data, e, x, point, f));
    hb_geometry_keep(&h->geometry, h->n, x, values);
    for (int v = 0; v < hb_geometry_num_element_values(&h->geometry); v++)
      hb_real_set(data->precision, data->array[HB_TUNING_ELEMENTS].h,
                  hb_element_value_at(&h->geometry, 1, (hb_local)e, v), values[v]);
  }
done:
  hb_free(x);
  pass->status[piece] = status;
}

static enum hb_status run(struct pass *pass, hb_piece_of_work *work) {
  hb_threads_run(pass->data->threads, NUM_PIECES, work, pass);
  for (int piece = 0; piece < NUM_PIECES; piece++)
    if (pass->status[piece] != HB_OK) return pass->status[piece];
  return HB_OK;
}

enum hb_status hb_tuning_keep(struct hb_tuning_data *data, hb_global num_elements) {
  struct pass pass = {.data = data, .num_elements = num_elements};
  const enum hb_status status = run(&pass, keep_piece);
  for (int piece = 0; piece < NUM_PIECES; piece++)
    data->growth = hb_max(data->growth, pass.growth[piece]);
  return status;
}

static void expand_piece(void *context, int piece) {
  struct pass *pass = context;
  const struct hb_tuning_data *data = pass->data;
  const struct hb_device_helmholtz *h = &data->helmholtz;
  const hb_local begin = (hb_local)hb_piece_begin(h->num_elements, NUM_PIECES, piece);
  const hb_local end = (hb_local)hb_piece_begin(h->num_elements, NUM_PIECES, piece + 1);
  const ptrdiff_t values =
      (ptrdiff_t)hb_points_per_element(h->n) * hb_geometry_num_factors(&h->geometry);
  const struct hb_kept_places places = {.layout = hb_geometry_device_layout(&h->geometry, h->n),
                                        .precision = data->precision,
                                        .points = data->array[HB_TUNING_FACTORS].h,
                                        .elements = data->array[HB_TUNING_ELEMENTS].h};
  pass->status[piece] = hb_geometry_expand_elements(&h->geometry, &data->basis, &places, begin, end,
                                                    pass->factors + begin * values);
}

enum hb_status hb_tuning_factors(const struct hb_tuning_data *data, double *factors) {
  struct pass pass = {.data = data, .factors = factors};
  return run(&pass, expand_piece);
}
