/* SPDX-License-Identifier: BSD-3-Clause
 * The tuner: list of candidates, rounds of timing, choice. */
#include "kernels/tune/autotune.h"

#include <math.h>
#include <string.h>

#include "kernels/tune/autotune_data.h"

/* LEAST_VERIFIED: elements that candidates are verified on at least. */
enum { LEAST_VERIFIED = 19, ROUNDS = 3, WARM_UP = 20, MOST_LAUNCHES = 100 };
/* Values of an array on the host, at most: where results are compared, and where they are not. */
static const hb_global HELD_TO_VERIFY = (hb_global)1 << 25, HELD_TO_TIME = (hb_global)1 << 20;

/* Of a candidate while it is timed. */
struct timing {
  int launches; /* of a round */
  double round[ROUNDS];
};

const char *hb_tuned_operator_name(enum hb_tuned_operator operator_kind) {
  return operator_kind == HB_TUNED_VECTOR ? "vector" : "scalar";
}

const char *hb_verdict_name(enum hb_verdict verdict) {
  static const char *const names[] = {"untried", "right", "wrong", "failed"};
  return names[verdict];
}

static int shapes_of(const struct hb_helmholtz_variant *variant,
                     enum hb_tuned_operator operator_kind, const char *architecture, int n,
                     enum hb_precision precision, struct hb_shape *shapes) {
  if (variant->backend != HB_BACKEND_GPU || !hb_host_isa_runs(variant->isa)) return 0;
  if (operator_kind == HB_TUNED_VECTOR &&
      (variant->device.apply_local[precision] == NULL || variant->device.max_components < 3))
    return 0;
  return hb_helmholtz_variant_shapes(variant, architecture, n, precision, shapes);
}

/* Adds what there is of a mode. */
static enum hb_status list_mode(enum hb_tuned_operator operator_kind, const char *architecture,
                                enum hb_geometry_mode mode, int n, enum hb_precision precision,
                                struct hb_candidate *list, int *count) {
  enum hb_status status = HB_OK;
  struct hb_shape shapes[HB_MAX_SHAPES];
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
    if (!hb_helmholtz_has(variant, mode, n)) continue;
    const int num_shapes = shapes_of(variant, operator_kind, architecture, n, precision, shapes);
    if (num_shapes > HB_MAX_SHAPES)
      HB_FAIL(HB_MACHINE_FAILED, "tuning: kernel %s has %d shapes; allowed: at most %d",
              variant->name, num_shapes, HB_MAX_SHAPES);
    for (int s = 0; s < num_shapes; s++) {
      hb_shape_has_mode *const has_mode = variant->device.has_mode;
      if (has_mode != NULL && !has_mode(mode, &shapes[s], n)) continue;
      list[(*count)++] = (struct hb_candidate){.kernel = {variant, shapes[s], mode},
                                               .row = row,
                                               .error = (double)NAN,
                                               .bound = (double)NAN,
                                               .seconds = (double)NAN,
                                               .spread = (double)NAN};
    }
  }
done:
  return status;
}

enum hb_status hb_autotune_list(enum hb_tuned_operator operator_kind, const char *architecture,
                                unsigned modes, int n, enum hb_precision precision,
                                struct hb_candidate **candidates, int *count) {
  enum hb_status status = HB_OK;
  struct hb_candidate *list = NULL;
  *candidates = NULL;
  *count = 0;
  HB_ALLOC(list, HB_NUM_GEOMETRY_MODES * hb_helmholtz_num_variants() * HB_MAX_SHAPES,
           "candidates of the tuner");
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++)
    if ((modes >> mode & 1) != 0)
      HB_TRY(list_mode(operator_kind, architecture, (enum hb_geometry_mode)mode, n, precision, list,
                       count));
  *candidates = list;
  list = NULL;
done:
  hb_free(list);
  return status;
}

static unsigned modes_of(int count, const struct hb_candidate *candidates) {
  unsigned modes = 0;
  for (int c = 0; c < count; c++) modes |= 1u << candidates[c].kernel.mode;
  return modes;
}

/* The request's geometry, kept in a mode. */
static struct hb_autotune in_mode(const struct hb_autotune *request, int mode) {
  struct hb_autotune of = *request;
  of.geometry.mode = (enum hb_geometry_mode)mode;
  return of;
}

static double mode_bytes(const struct hb_autotune *request) {
  const double points = hb_points_per_element(request->n),
               real = (double)hb_precision_bytes(request->precision);
  const double surface = hb_surface_per_element(request->n);
  const struct hb_factor_layout layout = hb_geometry_device_layout(&request->geometry, request->n);
  const double kept = real * (double)(hb_factor_count(&layout, 1) +
                                      hb_element_value_count(&request->geometry, 1, 1));
  if (request->operator_kind == HB_TUNED_VECTOR) return kept + real * points * 6.0 + sizeof(double);
  /* Shared points are counted in each of their elements: an upper bound. */
  return kept + real * points * 6.0 + (real + sizeof(hb_local)) * surface + sizeof(double);
}

double hb_autotune_element_bytes(const struct hb_autotune *request, unsigned modes) {
  double bytes = 0.0;
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++) {
    const struct hb_autotune of = in_mode(request, mode);
    if ((modes >> mode & 1) != 0) bytes += mode_bytes(&of);
  }
  return bytes;
}

/* Elements of a launch in which a kernel does all that it can: a full block and a ragged one.
 * Waves of the tensor kernels stay and go on from tile to tile: three rounds for some of them, so
 * that the room for factors is used again; but no more than there will be. */
static hb_global telling_elements(const struct hb_autotune *request, const struct hb_shape *shape,
                                  int multiprocessors) {
  const hb_global full = hb_shape_elements(shape, request->n) + 1;
  const int side = request->n < 8 ? 8 / request->n : 1; /* elements along a tile */
  const int waves = shape->wavefronts > 0 ? shape->wavefronts : 4;
  const hb_global rounds = 2 * (hb_global)multiprocessors * waves * side * side + 1;
  const hb_global more = rounds < request->num_elements ? rounds : request->num_elements;
  return shape->tile == HB_MATRIX_8X8X4 && more > full ? more : full;
}

/* Elements to verify on: the second of the two launches, of two thirds, has all that tells; as many
 * as the host can hold. */
static enum hb_status verified_elements(const struct hb_autotune *request, int count,
                                        const struct hb_candidate *candidates,
                                        hb_local *elements_out) {
  enum hb_status status = HB_OK;
  const hb_global most =
      HELD_TO_VERIFY / ((hb_global)HB_MAX_FACTORS * hb_points_per_element(request->n));
  hb_global elements = LEAST_VERIFIED;
  struct hb_device_info info;
  HB_TRY(hb_device_info(request->device, &info));
  for (int c = 0; c < count; c++) {
    const hb_global telling =
        telling_elements(request, &candidates[c].kernel.shape, info.multiprocessors);
    if (3 * telling / 2 + 2 > elements) elements = 3 * telling / 2 + 2;
  }
  *elements_out = (hb_local)(elements < most ? elements : most);
done:
  return status;
}

/* Those of the request's mode. */
static enum hb_status verify_mode(const struct hb_autotune *request, hb_local num_elements,
                                  int count, struct hb_candidate *candidates) {
  enum hb_status status = HB_OK;
  struct hb_tuning_data data = {.device = request->device};
  struct hb_reference expected = {.n = 0};
  HB_TRY(hb_tuning_data_init(request, num_elements, HELD_TO_VERIFY, &data));
  HB_TRY(hb_tuning_expect(&data, &expected));
  for (int c = 0; c < count; c++)
    if (candidates[c].kernel.mode == request->geometry.mode)
      HB_TRY(hb_tuning_verify(&data, &expected, &candidates[c]));
done:
  hb_reference_free(&expected);
  hb_tuning_data_free(&data);
  return status;
}

static enum hb_status verify(const struct hb_autotune *request, int count,
                             struct hb_candidate *candidates) {
  enum hb_status status = HB_OK;
  const unsigned modes = modes_of(count, candidates);
  hb_local num_elements = 0;
  HB_TRY(verified_elements(request, count, candidates, &num_elements));
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++) {
    const struct hb_autotune of = in_mode(request, mode);
    if ((modes >> mode & 1) != 0) HB_TRY(verify_mode(&of, num_elements, count, candidates));
  }
done:
  return status;
}

/* Seconds of a launch, over `launches` of them. */
static enum hb_status time_launches(const struct hb_tuning_data *data,
                                    const struct hb_kernel *kernel, int launches, double *seconds) {
  enum hb_status status = HB_OK;
  HB_TRY(hb_device_time_start(data->device));
  for (int i = 0; i < launches; i++) {
    hb_local num_partials = 0;
    HB_TRY(hb_tuning_launch(data, kernel, 0, data->helmholtz.num_elements, &num_partials));
  }
  HB_TRY(hb_device_time_stop(data->device, seconds));
  *seconds /= launches;
done:
  return status;
}

static int launches_within(double seconds, double one, int most) {
  const double fit = one > 0.0 ? seconds / one : most;
  return fit < 1.0 ? 1 : fit < most ? (int)fit : most;
}

/* A first launch, one that is timed, and as many as are needed to be warm; half of `seconds` at
 * most.  Sets the launches of a round. */
static enum hb_status warm_up(const struct hb_tuning_data *data, double seconds,
                              const struct hb_kernel *kernel, struct timing *timing) {
  enum hb_status status = HB_OK;
  double one = 0.0, ignored;
  HB_TRY(time_launches(data, kernel, 1, &ignored));
  HB_TRY(time_launches(data, kernel, 1, &one));
  HB_TRY(time_launches(data, kernel, launches_within(0.25 * seconds, one, WARM_UP - 2), &ignored));
  timing->launches = launches_within(0.5 * seconds / ROUNDS, one, MOST_LAUNCHES);
done:
  return status;
}

/* The least of the rounds, and the middle one less the least. */
static void summarise(struct timing *timing, struct hb_candidate *candidate) {
  const double middle = hb_sort_median(ROUNDS, timing->round);
  candidate->seconds = timing->round[0];
  candidate->spread = middle - candidate->seconds;
}
_Static_assert(ROUNDS % 2 == 1, "there is one middle round");

/* Data of each mode that a candidate which is right has; freed also after a failure. */
static enum hb_status create_data(const struct hb_autotune *request, int count,
                                  const struct hb_candidate *candidates,
                                  struct hb_tuning_data data[HB_NUM_GEOMETRY_MODES]) {
  enum hb_status status = HB_OK;
  unsigned modes = 0;
  for (int c = 0; c < count; c++)
    if (candidates[c].verdict == HB_VERIFIED) modes |= 1u << candidates[c].kernel.mode;
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++)
    data[mode] = (struct hb_tuning_data){.device = request->device};
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++) {
    const struct hb_autotune of = in_mode(request, mode);
    if ((modes >> mode & 1) != 0)
      HB_TRY(hb_tuning_data_init(&of, request->num_elements, HELD_TO_TIME, &data[mode]));
  }
done:
  return status;
}

/* A candidate that fails on the way is out. */
static enum hb_status time_candidates(const struct hb_autotune *request, int count,
                                      struct hb_candidate *candidates) {
  enum hb_status status = HB_OK;
  struct hb_tuning_data data[HB_NUM_GEOMETRY_MODES];
  struct timing *timings = NULL;
  int num_right = 0;
  for (int c = 0; c < count; c++) num_right += candidates[c].verdict == HB_VERIFIED;
  if (num_right == 0) return HB_OK;
  const double share = request->seconds / num_right;
  HB_TRY(create_data(request, count, candidates, data));
  HB_ALLOC(timings, count, "times of candidates");
  for (int round = -1; round < ROUNDS; round++)
    for (int c = 0; c < count; c++) {
      if (candidates[c].verdict != HB_VERIFIED) continue;
      const struct hb_kernel *kernel = &candidates[c].kernel;
      const struct hb_tuning_data *of = &data[kernel->mode];
      const enum hb_status ran =
          round < 0 ? warm_up(of, share, kernel, &timings[c])
                    : time_launches(of, kernel, timings[c].launches, &timings[c].round[round]);
      if (ran != HB_OK)
        hb_tuning_fail(&candidates[c]);
      else if (round == ROUNDS - 1)
        summarise(&timings[c], &candidates[c]);
    }
done:
  hb_free(timings);
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++) hb_tuning_data_free(&data[mode]);
  return status;
}

/* Negative: a is simpler. */
static int compare_simplicity(const struct hb_candidate *a, const struct hb_candidate *b) {
  if (a->kernel.mode != b->kernel.mode) return (int)a->kernel.mode - (int)b->kernel.mode;
  return a->row != b->row ? a->row - b->row : hb_shape_compare(&a->kernel.shape, &b->kernel.shape);
}

static bool has_time(const struct hb_candidate *candidate) {
  return candidate->verdict == HB_VERIFIED && candidate->seconds >= 0.0; /* not NaN */
}

int hb_autotune_choose(int count, struct hb_candidate *candidates) {
  int fastest = -1, chosen;
  for (int c = 0; c < count; c++) {
    candidates[c].chosen = candidates[c].tied = false;
    if (has_time(&candidates[c]) &&
        (fastest < 0 || candidates[c].seconds < candidates[fastest].seconds))
      fastest = c;
  }
  chosen = fastest;
  for (int c = 0; c < count; c++) {
    const double noise = c == fastest || fastest < 0
                             ? 0.0
                             : hb_max(candidates[c].spread, candidates[fastest].spread);
    if (c == fastest || fastest < 0 || !has_time(&candidates[c]) ||
        !(candidates[c].seconds - candidates[fastest].seconds < noise))
      continue;
    candidates[c].tied = candidates[fastest].tied = true;
    if (compare_simplicity(&candidates[c], &candidates[chosen]) < 0) chosen = c;
  }
  if (chosen >= 0) candidates[chosen].chosen = true;
  return chosen;
}

enum hb_status hb_autotune(const struct hb_autotune *request, int count,
                           struct hb_candidate *candidates, int *chosen) {
  enum hb_status status = HB_OK;
  *chosen = -1;
  HB_TRY(verify(request, count, candidates));
  HB_TRY(time_candidates(request, count, candidates));
  *chosen = hb_autotune_choose(count, candidates);
  if (*chosen < 0 && count > 0)
    HB_FAIL(HB_MACHINE_FAILED,
            "tuning: none of %d kernels agrees with the reference on this device; the first, %s: "
            "%s, error %.3e, bound %.3e%s%s",
            count, candidates[0].kernel.variant->name, hb_verdict_name(candidates[0].verdict),
            candidates[0].error, candidates[0].bound, candidates[0].failure[0] != '\0' ? ", " : "",
            candidates[0].failure);
  if (*chosen < 0) HB_FAIL(HB_MACHINE_FAILED, "tuning: there is no kernel to choose from");
done:
  return status;
}
