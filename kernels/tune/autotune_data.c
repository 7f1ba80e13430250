/* SPDX-License-Identifier: BSD-3-Clause
 * The tuner's data and launches. */
#include "kernels/tune/autotune_data.h"

#include <math.h>
#include <string.h>

#include "kernels/element/blocks.h"
#include "kernels/random.h"
#include "kernels/threads.h"

/* Factors like those of a mesh: M and G00, G11, G22 positive, the others smaller. */
static double factor_value(const struct hb_device_helmholtz *h, hb_global i, double random) {
  const int f = (int)(i / hb_points_per_element(h->n) % hb_geometry_num_factors(&h->geometry));
  const bool diagonal = f == 0 || f == 3 || f == 5 || f == HB_MASS_FACTOR;
  return diagonal ? 0.5 + random : 0.8 * random - 0.4;
}

/* An array that is filled in pieces, on several threads. */
enum { NUM_PIECES = 64 };
struct filling {
  struct hb_tuning_data *data;
  enum hb_tuning_array kind;
};

static void fill_piece(void *context, int piece) {
  const struct filling *filling = context;
  struct hb_tuning_data *data = filling->data;
  const enum hb_tuning_array kind = filling->kind;
  const uint64_t seed = (uint64_t)kind << 40;
  const hb_global held = data->array[kind].held, end = hb_piece_begin(held, NUM_PIECES, piece + 1);
  for (hb_global i = hb_piece_begin(held, NUM_PIECES, piece); i < end; i++) {
    const double random = hb_random_in_sequence(0, seed + (uint64_t)i);
    double value = 2.0 * random - 1.0;
    if (kind == HB_TUNING_FACTORS) value = factor_value(&data->helmholtz, i, random);
    if (kind == HB_TUNING_DINV) value = 0.5 + random;
    hb_real_set(data->precision, data->array[kind].h, i, value);
  }
}

/* The held values, again and again over the whole array. */
static enum hb_status upload_repeated(struct hb_tuning_data *data, enum hb_tuning_array kind) {
  enum hb_status status = HB_OK;
  const size_t size = data->array[kind].size;
  const hb_global count = data->array[kind].count;
  char *d = data->array[kind].d;
  hb_global done = data->array[kind].held;
  HB_TRY(hb_device_upload(data->device, d, data->array[kind].h, done * (hb_global)size));
  while (done < count) {
    const hb_global more = done < count - done ? done : count - done;
    HB_TRY(hb_device_copy(data->device, HB_STREAM_COMPUTE, d + (size_t)done * size, d,
                          more * (hb_global)size));
    done += more;
  }
done:
  return status;
}

/* Numbers of surface points in the order in which elements first have them, on a box of elements
 * that is about a cube. */
static enum hb_status make_index(struct hb_tuning_data *data, hb_local *num_points) {
  enum hb_status status = HB_OK;
  const struct hb_device_helmholtz *h = &data->helmholtz;
  const int n = h->n, p = n - 1;
  const hb_global side = (hb_global)ceil(cbrt((double)h->num_elements));
  const hb_global lattice = side * p + 1;
  hb_local *number = NULL, *next = data->index;
  *num_points = h->surface_start;
  HB_ALLOC(number, lattice * lattice * lattice, "points of the tuner's elements");
  memset(number, 0xff, (size_t)(lattice * lattice * lattice) * sizeof *number); /* -1 */
  for (hb_local e = 0; e < h->num_elements; e++) {
    const hb_global x = e % side * p, y = e / side % side * p, z = e / (side * side) * p;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
          if (hb_point_is_interior(n, k, j, i)) continue;
          hb_local *point = &number[((z + k) * lattice + y + j) * lattice + x + i];
          const bool first = *point < 0;
          if (first) *point = (*num_points)++;
          *next++ = first ? *point | HB_OWNS_POINT : *point;
        }
  }
done:
  hb_free(number);
  return status;
}

static enum hb_status create_index(struct hb_tuning_data *data, hb_local *num_points) {
  enum hb_status status = HB_OK;
  const hb_global terms =
      (hb_global)data->helmholtz.num_elements * hb_surface_per_element(data->helmholtz.n);
  if (terms > HB_LOCAL_MAX)
    HB_FAIL(HB_MACHINE_FAILED, "tuning on %d elements: more than 31 bits of surface points",
            (int)data->helmholtz.num_elements);
  HB_ALLOC(data->index, terms, "surface index of the tuner");
  data->d_index = hb_device_allocate(data->device, terms, sizeof(hb_local), "tuner");
  if (data->d_index == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(make_index(data, num_points));
  HB_TRY(hb_device_upload(data->device, data->d_index, data->index,
                          terms * (hb_global)sizeof(hb_local)));
done:
  return status;
}

/* An array of which the host holds at most so many values. */
static enum hb_status allocate_array(struct hb_tuning_data *data, enum hb_tuning_array kind,
                                     hb_global count, hb_global most_held) {
  const size_t size =
      kind == HB_TUNING_PARTIALS ? sizeof(double) : hb_precision_bytes(data->precision);
  data->array[kind].count = count;
  data->array[kind].size = size;
  data->array[kind].held = count < most_held ? count : most_held;
  if (count == 0) return HB_OK;
  data->array[kind].h = hb_allocate(data->array[kind].held, size, "tuner");
  data->array[kind].d = hb_device_allocate(data->device, count, size, "tuner");
  return data->array[kind].h == NULL || data->array[kind].d == NULL ? HB_MACHINE_FAILED : HB_OK;
}

static enum hb_status create_array(struct hb_tuning_data *data, enum hb_tuning_array kind,
                                   hb_global count) {
  enum hb_status status = HB_OK;
  HB_TRY(allocate_array(data, kind, count, data->most_held));
  if (count == 0 || kind > HB_TUNING_X) return HB_OK;
  struct filling filling = {data, kind};
  hb_threads_run(data->threads, NUM_PIECES, fill_piece, &filling);
  HB_TRY(upload_repeated(data, kind));
done:
  return status;
}

/* Stored factors, or what the mode keeps of whole elements. */
static enum hb_status create_geometry(struct hb_tuning_data *data) {
  enum hb_status status = HB_OK;
  const struct hb_device_helmholtz *h = &data->helmholtz;
  const struct hb_factor_layout layout = hb_geometry_device_layout(&h->geometry, h->n);
  const hb_global at_points = hb_factor_count(&layout, 1);
  const hb_global of_element = hb_element_value_count(&h->geometry, 1, 1);
  if (h->geometry.mode == HB_GEOMETRY_STORED)
    return create_array(data, HB_TUNING_FACTORS, h->num_elements * at_points);
  const hb_global fit = data->most_held / ((hb_global)HB_MAX_FACTORS * hb_points_per_element(h->n));
  const hb_global whole = fit < 1 ? 1 : fit < h->num_elements ? fit : h->num_elements;
  HB_TRY(allocate_array(data, HB_TUNING_FACTORS, h->num_elements * at_points, whole * at_points));
  HB_TRY(
      allocate_array(data, HB_TUNING_ELEMENTS, h->num_elements * of_element, whole * of_element));
  HB_TRY(hb_tuning_keep(data, whole));
  if (at_points > 0) HB_TRY(upload_repeated(data, HB_TUNING_FACTORS));
  if (of_element > 0) HB_TRY(upload_repeated(data, HB_TUNING_ELEMENTS));
done:
  return status;
}

/* Numbers in double, in the precision on both sides. */
static enum hb_status create_numbers(struct hb_tuning_data *data, int count, const double *numbers,
                                     void **h, void **d) {
  enum hb_status status = HB_OK;
  const size_t size = hb_precision_bytes(data->precision);
  *h = hb_allocate(count, size, "tuner");
  *d = hb_device_allocate(data->device, count, size, "tuner");
  if (*h == NULL || *d == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  for (int i = 0; i < count; i++) hb_real_set(data->precision, *h, i, numbers[i]);
  HB_TRY(hb_device_upload(data->device, *d, *h, count * (hb_global)size));
done:
  return status;
}

static enum hb_status create_basis(const struct hb_autotune *request, struct hb_tuning_data *data) {
  enum hb_status status = HB_OK;
  const int n = request->n;
  double values[2 * HB_MAX_N];
  memcpy(values, request->points, (size_t)n * sizeof *values);
  memcpy(values + n, request->weights, (size_t)n * sizeof *values);
  HB_TRY(create_numbers(data, n * n, request->D, &data->D, &data->d_D));
  HB_TRY(create_numbers(data, 2 * n, values, &data->values, &data->d_values));
done:
  return status;
}

static void connect(struct hb_tuning_data *data) {
  struct hb_device_helmholtz *h = &data->helmholtz;
  h->d_surface_index = data->d_index;
  h->D = data->D;
  h->d_D = data->d_D;
  h->basis = data->values;
  h->d_basis = data->d_values;
  h->d_elements = data->array[HB_TUNING_ELEMENTS].d;
  h->d_factors = data->array[HB_TUNING_FACTORS].d;
  h->d_surface = data->array[HB_TUNING_SURFACE].d;
  h->d_partials = data->array[HB_TUNING_PARTIALS].d;
  data->direction = (struct hb_device_direction){.alpha = 0.375, /* exact in both precisions */
                                                 .beta = -0.8125,
                                                 .d_dinv = data->array[HB_TUNING_DINV].d,
                                                 .d_r = data->array[HB_TUNING_R].d,
                                                 .d_p_old = data->array[HB_TUNING_P_OLD].d,
                                                 .d_p = data->array[HB_TUNING_P].d,
                                                 .d_x = data->array[HB_TUNING_X].d};
}

enum hb_status hb_tuning_data_init(const struct hb_autotune *request, hb_local num_elements,
                                   hb_global most_held, struct hb_tuning_data *data) {
  enum hb_status status = HB_OK;
  const int n = request->n;
  const bool local = request->operator_kind == HB_TUNED_VECTOR;
  const hb_global cubes = (hb_global)num_elements * hb_points_per_element(n);
  hb_local num_points = 0;
  *data = (struct hb_tuning_data){.device = request->device,
                                  .precision = request->precision,
                                  .most_held = most_held,
                                  .threads = request->threads,
                                  .components = local ? 3 : 1,
                                  .basis = {n, request->points, request->weights, request->D},
                                  .helmholtz = {.device = request->device,
                                                .n = n,
                                                .geometry = request->geometry,
                                                .num_elements = num_elements}};
  if (cubes > HB_LOCAL_MAX)
    HB_FAIL(HB_MACHINE_FAILED, "tuning on %d elements: more than 31 bits of points",
            (int)num_elements);
  data->helmholtz.surface_start = num_elements * hb_interior_per_element(n);
  if (!local) HB_TRY(create_index(data, &num_points));
  const hb_global vector = local ? 3 * cubes : num_points, direction = local ? 0 : num_points;
  const hb_global surface = (hb_global)num_elements * hb_surface_per_element(n);
  HB_TRY(create_basis(request, data));
  HB_TRY(create_geometry(data));
  HB_TRY(create_array(data, HB_TUNING_R, vector));
  HB_TRY(create_array(data, HB_TUNING_DINV, request->with_dinv ? direction : 0));
  HB_TRY(create_array(data, HB_TUNING_P_OLD, direction));
  HB_TRY(create_array(data, HB_TUNING_X, direction));
  HB_TRY(create_array(data, HB_TUNING_P, direction));
  HB_TRY(create_array(data, HB_TUNING_W, vector));
  HB_TRY(create_array(data, HB_TUNING_SURFACE, local ? 0 : surface));
  HB_TRY(create_array(data, HB_TUNING_PARTIALS, hb_helmholtz_device_partials(num_elements)));
  connect(data);
done:
  return status;
}

void hb_tuning_data_free(struct hb_tuning_data *data) {
  for (int a = 0; a < HB_NUM_TUNING_ARRAYS; a++) {
    hb_free(data->array[a].h);
    hb_device_free(data->device, data->array[a].d);
  }
  hb_free(data->index);
  hb_device_free(data->device, data->d_index);
  hb_free(data->D);
  hb_device_free(data->device, data->d_D);
  hb_device_free(data->device, data->d_poison);
  hb_free(data->values);
  hb_device_free(data->device, data->d_values);
  *data = (struct hb_tuning_data){.device = NULL};
}

enum hb_status hb_tuning_launch(const struct hb_tuning_data *data, const struct hb_kernel *kernel,
                                hb_local begin, hb_local end, hb_local *num_partials) {
  struct hb_device_helmholtz helmholtz = data->helmholtz;
  const bool with_mass = hb_geometry_has_mass(&helmholtz.geometry);
  void *d_w = data->array[HB_TUNING_W].d;
  helmholtz.shape = kernel->shape;
  if (data->components > 1)
    return kernel->variant->device.apply_local[data->precision](
        &helmholtz, data->components, begin, end, with_mass, data->array[HB_TUNING_R].d, d_w,
        num_partials);
  return kernel->variant->device.apply[data->precision](&helmholtz, begin, end, with_mass,
                                                        &data->direction, NULL, d_w, num_partials);
}
