/* SPDX-License-Identifier: BSD-3-Clause
 * Launches a device variant of the operator once, for isa_counts.py, which has it run on the
 * interpreter and reads what was executed.  Not a test: nobody looks at the result.
 *
 *   count_helmholtz variants
 *   count_helmholtz orders
 *   count_helmholtz VARIANT N PRECISION MODE ELEMENTS [GEOMETRY [SHAPE]]
 *
 * The first prints the GPU variants of the program's table, each with its modes for such counts,
 * the second of each, by geometry, the bits 1 << n of the orders that were built. PRECISION: f64,
 * f32.  MODE: local (vectors by element), assembled, direction (assembled, with p = dinv r + beta
 * p_old and x += alpha p_old).  GEOMETRY: stored, nodes, trilinear, affine, the last three with
 * constant coefficients, or, as nodes_varying, with others.  ELEMENTS is rounded up to a multiple
 * of what SHAPE, the number of one of the variant's shapes (0), takes at a time.  Prints what was
 * run; exit code 4: there is no such mode or shape here. */
#include "kernels/helmholtz/staged.h"
#include "tests/device_operator.h"

enum { NOT_HERE = 4 };

struct request {
  const struct hb_helmholtz_variant *variant;
  const char *mode;
  int n;
  enum hb_precision precision;
  hb_local elements;
  struct hb_geometry geometry;
  struct hb_shape shape;
};

/* One component, vectors [element][k][j][i]. */
static enum hb_status launch_local(struct hb_device_case *c, const struct request *request,
                                   hb_local *num_partials) {
  enum hb_status status = HB_OK;
  const enum hb_precision p = request->precision;
  const hb_global all = (hb_global)request->elements * hb_points_per_element(request->n);
  struct hb_mirror u = {0, 0, NULL, NULL}, w = {0, 0, NULL, NULL};
  HB_TRY(hb_mirror_init(c->device, all, hb_precision_bytes(p), &u));
  HB_TRY(hb_mirror_init(c->device, all, hb_precision_bytes(p), &w));
  hb_fill(p, u.h, all, 1.0);
  HB_TRY(hb_mirror_upload(c->device, &u));
  HB_TRY(request->variant->device.apply_local[p](&c->h, 1, 0, request->elements, false, u.d, w.d,
                                                 num_partials));
  HB_TRY(hb_device_synchronise(c->device, HB_STREAM_COMPUTE));
done:
  hb_mirror_free(c->device, &u);
  hb_mirror_free(c->device, &w);
  return status;
}

/* Six factors, or what gives them; no mass term. */
static enum hb_status launch_once(struct hb_device *device, const struct request *request,
                                  hb_local *num_partials) {
  enum hb_status status = HB_OK;
  struct hb_elements elements = {.n = 0};
  struct hb_device_case c = {.device = device};
  const struct hb_device_launch launch = {.end = request->elements,
                                          .with_direction = strcmp(request->mode, "direction") == 0,
                                          .with_dinv = true,
                                          .alpha = 0.5,
                                          .beta = 0.25};
  HB_TRY(hb_elements_init_mode(request->n, request->precision, request->elements, 2, 1,
                               request->geometry.mode, request->geometry.varying, &elements));
  elements.shape = request->shape;
  HB_TRY(hb_device_case_init(device, &elements, request->elements, HB_FACTORS_STIFFNESS, &c));
  if (strcmp(request->mode, "local") == 0)
    HB_TRY(launch_local(&c, request, num_partials));
  else
    HB_TRY(hb_device_case_launch(&c, request->variant->device.apply[request->precision], &launch,
                                 num_partials));
  *num_partials -= strcmp(request->mode, "local") == 0 ? 0 : HB_FIRST_PARTIAL;
done:
  hb_device_case_free(&c);
  hb_elements_free(&elements);
  return status;
}

static bool is_mode(const char *word) {
  return strcmp(word, "local") == 0 || strcmp(word, "assembled") == 0 ||
         strcmp(word, "direction") == 0;
}

/* A mode's name, behind which "_varying" may stand. */
static enum hb_status read_geometry(const char *word, struct request *request) {
  enum hb_status status = HB_OK;
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++) {
    const char *name = hb_geometry_mode_name((enum hb_geometry_mode)mode);
    const size_t length = strlen(name);
    if (strncmp(word, name, length) != 0) continue;
    request->geometry.mode = (enum hb_geometry_mode)mode;
    request->geometry.varying = strcmp(word + length, "_varying") == 0;
    if (word[length] == '\0' || request->geometry.varying) goto done;
  }
  HB_FAIL(HB_BAD_INPUT, "geometry: '%s'", word);
done:
  return status;
}

static enum hb_status read_request(int argc, char **argv, struct request *request) {
  enum hb_status status = HB_OK;
  if (argc < 6 || argc > 8 || !is_mode(argv[4]))
    HB_FAIL(HB_BAD_INPUT, "count_helmholtz VARIANT N f64|f32 local|assembled|direction ELEMENTS "
                          "[GEOMETRY [SHAPE]]");
  HB_TRY(read_geometry(argc > 6 ? argv[6] : "stored", request));
  request->n = atoi(argv[2]);
  request->precision = strcmp(argv[3], "f32") == 0 ? HB_F32 : HB_F64;
  request->mode = argv[4];
  request->elements = (hb_local)atoi(argv[5]);
  if (request->elements < 1) HB_FAIL(HB_BAD_INPUT, "elements: '%s'", argv[5]);
  HB_TRY(hb_helmholtz_find_variant(argv[1], HB_BACKEND_GPU, request->geometry.mode, request->n,
                                   &request->variant));
done:
  return status;
}

/* The shape of that number among those that have the geometry; false: it is not there, or the mode
 * is not. */
static bool choose_shape(struct hb_device *device, int number, struct request *request) {
  struct hb_shape shapes[HB_MAX_SHAPES];
  struct hb_device_info info;
  if (hb_device_info(device, &info) != HB_OK) return false;
  hb_shape_has_mode *const has_mode = request->variant->device.has_mode;
  const int all = hb_helmholtz_variant_shapes(request->variant, info.architecture, request->n,
                                              request->precision, shapes);
  int count = 0;
  for (int s = 0; s < all; s++)
    if (has_mode == NULL || has_mode(request->geometry.mode, &shapes[s], request->n))
      shapes[count++] = shapes[s];
  if (number < 0 || number >= count) return false;
  if (strcmp(request->mode, "local") == 0 &&
      request->variant->device.apply_local[request->precision] == NULL)
    return false;
  request->shape = shapes[number];
  const int at_a_time = request->shape.elements > 0 ? request->shape.elements : 1;
  request->elements = (request->elements + at_a_time - 1) / at_a_time * at_a_time;
  return true;
}

/* Bytes of LDS that the shape needs by its own account: cubes, or none; -1: it is no shape, or
 * positions may wait there. */
static int computed_lds(const struct request *request) {
  if (request->shape.layout != HB_CUBE_NONE)
    return hb_staged_lds_bytes(&request->shape, request->precision, request->n);
  const bool waits = request->geometry.mode == HB_GEOMETRY_NODES;
  return request->shape.tile != HB_MATRIX_NONE && !waits ? 0 : -1;
}

static int print_variants(void) {
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
    if (variant->backend == HB_BACKEND_GPU)
      printf("%s%s assembled\n", variant->name,
             variant->device.apply_local[HB_F64] != NULL ? " local" : "");
  }
  return 0;
}

static int print_orders(void) {
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
    for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES && variant->backend == HB_BACKEND_GPU; mode++)
      printf("%s %s %u\n", variant->name, hb_geometry_mode_name((enum hb_geometry_mode)mode),
             variant->orders[mode]);
  }
  return 0;
}

static void print_request(const struct request *request, hb_local num_partials) {
  char words[96];
  hb_shape_words(&request->shape, words);
  printf("elements: %d\npartial sums: %d\n", (int)request->elements, (int)num_partials);
  printf("tile: %s\nwavefronts: %d\nat a time: %d\nlayout: %s\nshape: %s\n",
         hb_matrix_tile_name(request->shape.tile), request->shape.wavefronts,
         request->shape.elements, hb_cube_layout_name(request->shape.layout), words);
  printf("bytes of geometry: %.0f\n",
         hb_geometry_read_bytes(&request->geometry, request->n, request->precision));
  printf("computed LDS: %d\n", computed_lds(request));
}

int main(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct request request = {.n = 0};
  struct hb_device *device = NULL;
  hb_local num_partials = 0;
  bool here = false;
  if (argc == 2 && strcmp(argv[1], "variants") == 0) return print_variants();
  if (argc == 2 && strcmp(argv[1], "orders") == 0) return print_orders();
  if (hb_device_count() == 0) return hb_skip_without_device();
  HB_TRY(read_request(argc, argv, &request));
  HB_TRY(hb_device_open(0, false, &device));
  here = choose_shape(device, argc == 8 ? atoi(argv[7]) : 0, &request);
  if (here) {
    HB_TRY(launch_once(device, &request, &num_partials));
    print_request(&request, num_partials);
  }
done:
  hb_device_close(&device);
  if (status != HB_OK) puts(hb_error_message());
  return status != HB_OK ? (int)status : here ? 0 : NOT_HERE;
}
