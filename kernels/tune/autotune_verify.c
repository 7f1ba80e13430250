/* SPDX-License-Identifier: BSD-3-Clause
 * The tuner's comparison of a candidate with the reference. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/element/blocks.h"
#include "kernels/threads.h"
#include "kernels/tune/autotune_data.h"

static double get(const struct hb_tuning_data *data, enum hb_tuning_array kind, hb_global i) {
  return hb_real_at(kind == HB_TUNING_PARTIALS ? HB_F64 : data->precision, data->array[kind].h, i);
}

/* Where entry (element, k, j, i) stands in the assembled vectors; *surface: its number among the
 * elements' surface points, or -1 inside. */
static hb_local place_of(const struct hb_tuning_data *data, hb_global entry, hb_local *surface,
                         hb_local *num_surface) {
  const int n = data->helmholtz.n, points = hb_points_per_element(n);
  const int point = (int)(entry % points);
  *surface = -1;
  if (hb_point_is_interior(n, point / (n * n), point / n % n, point % n))
    return (hb_local)(entry - *num_surface);
  *surface = (*num_surface)++;
  return data->index[*surface];
}

/* Entries in pieces of whole elements, on several threads; the largest error of each. */
enum { NUM_PIECES = 64 };
struct pass {
  const struct hb_tuning_data *data;
  const struct hb_reference *expected;
  const void *x_now; /* as the device left it */
  double worst[NUM_PIECES];
};

static hb_global first_entry(const struct pass *pass, int piece) {
  const struct hb_reference *expected = pass->expected;
  return hb_piece_begin((hb_global)expected->components * expected->num_elements, NUM_PIECES,
                        piece) *
         hb_points_per_element(expected->n);
}
/* Of one component: surface points before an entry. */
static hb_local surface_before(const struct pass *pass, hb_global entry) {
  const int n = pass->expected->n;
  return (hb_local)(entry / hb_points_per_element(n)) * hb_surface_per_element(n);
}

static double run(struct pass *pass, hb_piece_of_work *work) {
  double worst = 0.0;
  hb_threads_run(pass->data->threads, NUM_PIECES, work, pass);
  for (int piece = 0; piece < NUM_PIECES; piece++) worst = hb_max(worst, pass->worst[piece]);
  return worst;
}

/* u of local vectors; p = dinv r + beta p_old of a direction. */
static void fill_input(void *context, int piece) {
  const struct pass *pass = context;
  const struct hb_tuning_data *data = pass->data;
  const struct hb_reference *expected = pass->expected;
  const hb_global end = first_entry(pass, piece + 1);
  hb_local num_surface = data->components > 1 ? 0 : surface_before(pass, first_entry(pass, piece));
  hb_local surface;
  for (hb_global i = first_entry(pass, piece); i < end; i++) {
    double value, old = 0.0;
    if (data->components > 1) {
      value = get(data, HB_TUNING_R, i);
    } else {
      const hb_local point = place_of(data, i, &surface, &num_surface) & HB_LOCAL_MAX;
      value = get(data, HB_TUNING_R, point);
      if (data->direction.d_dinv != NULL) value *= get(data, HB_TUNING_DINV, point);
      old = data->direction.beta * get(data, HB_TUNING_P_OLD, point);
    }
    expected->u[i] = value + old;
    expected->u_magnitude[i] = fabs(value) + fabs(old);
  }
}

/* NaN for the longest array that kernels write. */
static enum hb_status create_poison(struct hb_tuning_data *data) {
  enum hb_status status = HB_OK;
  hb_global most = 0;
  char *poison = NULL;
  for (int a = HB_TUNING_P; a < HB_NUM_TUNING_ARRAYS; a++) {
    const hb_global bytes = data->array[a].count * (hb_global)data->array[a].size;
    if (bytes > most) most = bytes;
  }
  HB_ALLOC(poison, most, "tuner");
  memset(poison, 0xff, (size_t)most); /* all bits set is a NaN */
  data->d_poison = hb_device_allocate(data->device, most, 1, "tuner");
  if (data->d_poison == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(hb_device_upload(data->device, data->d_poison, poison, most));
done:
  hb_free(poison);
  return status;
}

enum hb_status hb_tuning_expect(struct hb_tuning_data *data, struct hb_reference *expected) {
  enum hb_status status = HB_OK;
  const struct hb_device_helmholtz *h = &data->helmholtz;
  HB_ASSERT(data->array[HB_TUNING_FACTORS].held == data->array[HB_TUNING_FACTORS].count);
  HB_TRY(hb_reference_create(h->n, h->num_elements, data->components, &h->geometry,
                             hb_geometry_has_mass(&h->geometry), expected));
  for (int i = 0; i < h->n * h->n; i++) expected->D[i] = hb_real_at(data->precision, data->D, i);
  expected->threads = data->threads;
  struct pass pass = {.data = data, .expected = expected};
  hb_threads_run(data->threads, NUM_PIECES, fill_input, &pass);
  HB_TRY(create_poison(data));
  HB_TRY(hb_tuning_factors(data, expected->factors));
  expected->growth = data->growth;
  hb_reference_apply(expected);
done:
  return status;
}

/* x as at the start; NaN wherever the kernels write. */
static enum hb_status poison(struct hb_tuning_data *data) {
  enum hb_status status = HB_OK;
  if (data->array[HB_TUNING_X].count > 0)
    HB_TRY(hb_device_upload(data->device, data->array[HB_TUNING_X].d, data->array[HB_TUNING_X].h,
                            data->array[HB_TUNING_X].count *
                                (hb_global)data->array[HB_TUNING_X].size));
  for (int a = HB_TUNING_P; a < HB_NUM_TUNING_ARRAYS; a++) {
    const hb_global bytes = data->array[a].count * (hb_global)data->array[a].size;
    if (bytes == 0) continue;
    HB_TRY(
        hb_device_copy(data->device, HB_STREAM_COMPUTE, data->array[a].d, data->d_poison, bytes));
  }
done:
  return status;
}

static enum hb_status fetch(struct hb_tuning_data *data) {
  enum hb_status status = HB_OK;
  for (int a = HB_TUNING_P; a < HB_NUM_TUNING_ARRAYS; a++)
    if (data->array[a].count > 0)
      HB_TRY(hb_device_download(data->device, data->array[a].h, data->array[a].d,
                                data->array[a].count * (hb_global)data->array[a].size));
done:
  return status;
}

/* The largest error of w, and of p where an element writes it. */
static void entries_error(void *context, int piece) {
  struct pass *pass = context;
  const struct hb_tuning_data *data = pass->data;
  const struct hb_reference *expected = pass->expected;
  const bool local = data->components > 1;
  const hb_global end = first_entry(pass, piece + 1);
  hb_local num_surface = local ? 0 : surface_before(pass, first_entry(pass, piece)), surface = -1;
  double worst = 0.0;
  for (hb_global i = first_entry(pass, piece); i < end; i++) {
    const hb_local place = local ? (hb_local)i : place_of(data, i, &surface, &num_surface);
    const double w =
        surface < 0 ? get(data, HB_TUNING_W, place) : get(data, HB_TUNING_SURFACE, surface);
    worst = hb_max(worst, hb_scaled_difference(w, expected->w[i], expected->w_magnitude[i]));
    if (local || (surface >= 0 && place >= 0)) continue;
    const double p = get(data, HB_TUNING_P, place & HB_LOCAL_MAX);
    worst = hb_max(worst, hb_scaled_difference(p, expected->u[i], expected->u_magnitude[i]));
  }
  pass->worst[piece] = worst;
}

/* x + alpha p_old. */
static void step_error(void *context, int piece) {
  struct pass *pass = context;
  const struct hb_tuning_data *data = pass->data;
  const hb_global count = data->array[HB_TUNING_X].count;
  const hb_global end = hb_piece_begin(count, NUM_PIECES, piece + 1);
  double worst = 0.0;
  for (hb_global i = hb_piece_begin(count, NUM_PIECES, piece); i < end; i++) {
    const double x = get(data, HB_TUNING_X, i);
    const double step = data->direction.alpha * get(data, HB_TUNING_P_OLD, i);
    const double now = hb_real_at(data->precision, pass->x_now, i);
    worst = hb_max(worst, hb_scaled_difference(now, x + step, fabs(x) + fabs(step)));
  }
  pass->worst[piece] = worst;
}

/* Of the sum of u.w; NaN if the number of partial sums cannot be. */
static double sum_error(const struct hb_tuning_data *data, const struct hb_reference *expected,
                        hb_local num_partials) {
  double sum = 0.0, expected_sum = 0.0, magnitude = 0.0;
  if (num_partials < 1 || num_partials > data->array[HB_TUNING_PARTIALS].count) return (double)NAN;
  for (hb_local i = 0; i < num_partials; i++) sum += get(data, HB_TUNING_PARTIALS, i);
  hb_reference_add_dot(expected, 0, hb_reference_entries(expected), &expected_sum, &magnitude);
  return hb_scaled_difference(sum, expected_sum, magnitude);
}

void hb_tuning_fail(struct hb_candidate *candidate) {
  candidate->verdict = HB_FAILED;
  candidate->seconds = candidate->spread = (double)NAN;
  snprintf(candidate->failure, sizeof candidate->failure, "%.*s",
           (int)sizeof candidate->failure - 1, hb_error_message());
  hb_error_clear();
}

enum hb_status hb_tuning_verify(struct hb_tuning_data *data, const struct hb_reference *expected,
                                struct hb_candidate *candidate) {
  enum hb_status status = HB_OK;
  const hb_local count = data->helmholtz.num_elements, middle = count / 3;
  const hb_global x_bytes =
      data->array[HB_TUNING_X].count * (hb_global)data->array[HB_TUNING_X].size;
  hb_local num_partials = 0;
  char *x_now = NULL;
  HB_ALLOC(x_now, x_bytes, "tuner's reference");
  /* In two parts, as an operator that exchanges between them. */
  enum hb_status ran = poison(data);
  if (ran == HB_OK) ran = hb_tuning_launch(data, &candidate->kernel, 0, middle, &num_partials);
  if (ran == HB_OK) ran = hb_tuning_launch(data, &candidate->kernel, middle, count, &num_partials);
  if (ran == HB_OK) ran = hb_device_synchronise(data->device, HB_STREAM_COMPUTE);
  if (ran == HB_OK) ran = fetch(data);
  if (ran == HB_OK && x_bytes > 0)
    ran = hb_device_download(data->device, x_now, data->array[HB_TUNING_X].d, x_bytes);
  if (ran != HB_OK) {
    hb_tuning_fail(candidate);
  } else {
    struct pass pass = {.data = data, .expected = expected, .x_now = x_now};
    candidate->error = run(&pass, entries_error);
    candidate->error = hb_max(candidate->error, run(&pass, step_error));
    candidate->error = hb_max(candidate->error, sum_error(data, expected, num_partials));
    candidate->bound = hb_helmholtz_tolerance(data->helmholtz.n, data->precision, 1.0);
    candidate->verdict = candidate->error <= candidate->bound ? HB_VERIFIED : HB_WRONG;
  }
done:
  hb_free(x_now);
  return status;
}
