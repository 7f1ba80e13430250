/* SPDX-License-Identifier: BSD-3-Clause
 * The contraction by matrix instructions against plain loops: every tile, n, axis, transposed or
 * not, accumulated or not, wavefronts and cube layout; planted faults; and the bank conflicts of
 * swizzled cubes.  HB_TEST_ALL=1 runs every case, otherwise each tile, n and layout has all axes
 * and forms with the wavefronts in turn.
 * Compiled for amd. */
#include <string.h>

#include "kernels/element/mfma_cube.h"
#include "kernels/matcore/lds_staged.h"
#include "tests/device_data.h"
#include "tests/mfma_contraction_check.h"

enum { MAX_ELEMENTS = 5 };

/* Arrays for the largest case, and what is expected. */
struct arrays {
  struct hb_device *device;
  struct hb_mirror D, in, out;
  double *start, *expected, *magnitude; /* as out */
};

static hb_mfma_contraction_check *const contract[2] = {hb_mfma_contraction_f64,
                                                       hb_mfma_contraction_f32};

static void free_arrays(struct arrays *a) {
  hb_mirror_free(a->device, &a->D);
  hb_mirror_free(a->device, &a->in);
  hb_mirror_free(a->device, &a->out);
  hb_free(a->start);
  hb_free(a->expected);
  hb_free(a->magnitude);
}

static enum hb_status make_arrays(struct hb_device *device, struct arrays *a) {
  enum hb_status status = HB_OK;
  const hb_global most = (hb_global)MAX_ELEMENTS * HB_MAX_N * HB_MAX_N * HB_MAX_N;
  *a = (struct arrays){.device = device};
  HB_TRY(hb_mirror_init(device, HB_MAX_N * HB_MAX_N, sizeof(double), &a->D));
  HB_TRY(hb_mirror_init(device, most, sizeof(double), &a->in));
  HB_TRY(hb_mirror_init(device, most + HB_GUARD, sizeof(double), &a->out));
  HB_ALLOC(a->start, most, "test array");
  HB_ALLOC(a->expected, most, "test array");
  HB_ALLOC(a->magnitude, most, "test array");
done:
  return status;
}

/* Random D and in; out starts as random numbers if it matters, else as NaN. */
static void fill(struct arrays *a, enum hb_precision p, const struct hb_mfma_contraction *what) {
  const int n = what->n, count = what->elements * n * n * n;
  struct hb_random random = {(uint64_t)(1000 * n + 10 * what->axis + what->wavefronts)};
  for (int q = 0; q < n * n; q++) hb_real_set(p, a->D.h, q, hb_random_value(&random));
  for (int q = 0; q < count; q++) {
    hb_real_set(p, a->in.h, q, hb_random_value(&random));
    const double start = hb_round_to(p, hb_random_value(&random));
    a->start[q] = what->in_place     ? hb_real_at(p, a->in.h, q)
                  : what->accumulate ? start
                                     : (double)NAN;
    hb_real_set(p, a->out.h, q, a->start[q]);
  }
  hb_fill(p, (char *)a->out.h + (size_t)count * hb_precision_bytes(p), HB_GUARD, HB_SENTINEL);
}

/* out(m,c) (+)= sum_l D(m,l) in(l,c) */
static void expect(struct arrays *a, enum hb_precision p, const struct hb_mfma_contraction *what) {
  const int n = what->n, stride = what->axis == 0 ? 1 : what->axis == 1 ? n : n * n;
  for (int q = 0; q < what->elements * n * n * n; q++) {
    const int m = q / stride % n, first = q - m * stride;
    a->expected[q] = what->accumulate ? a->start[q] : 0.0;
    a->magnitude[q] = fabs(a->expected[q]);
    for (int l = 0; l < n; l++) {
      const double D = hb_real_at(p, a->D.h, what->transposed ? l * n + m : m * n + l);
      const double term = D * hb_real_at(p, a->in.h, first + l * stride);
      a->expected[q] += term;
      a->magnitude[q] += fabs(term);
    }
  }
}

/* n products added up, half a unit each, and the same again for the reference. */
static long count_wrong(const struct arrays *a, enum hb_precision p,
                        const struct hb_mfma_contraction *what) {
  const int n = what->n, count = what->elements * n * n * n;
  long wrong = 0;
  for (int q = 0; q < count; q++) {
    const double bound = (n + 1) * hb_precision_epsilon(p) * a->magnitude[q];
    wrong += !(fabs(hb_real_at(p, a->out.h, q) - a->expected[q]) <= bound);
  }
  for (int q = count; q < count + HB_GUARD; q++) wrong += hb_real_at(p, a->out.h, q) != HB_SENTINEL;
  return wrong;
}

/* Runs `launched` and compares with what `what` asks for. */
static enum hb_status run(struct arrays *a, enum hb_precision p,
                          const struct hb_mfma_contraction *what,
                          const struct hb_mfma_contraction *launched, long *wrong) {
  enum hb_status status = HB_OK;
  fill(a, p, what);
  expect(a, p, what);
  HB_TRY(hb_mirror_upload(a->device, &a->D));
  HB_TRY(hb_mirror_upload(a->device, &a->in));
  HB_TRY(hb_mirror_upload(a->device, &a->out));
  HB_TRY(contract[p](a->device, launched, a->D.d, a->in.d, a->out.d));
  HB_TRY(hb_device_synchronise(a->device, HB_STREAM_COMPUTE));
  HB_TRY(hb_mirror_download(a->device, &a->out));
  *wrong = count_wrong(a, p, what);
done:
  return status;
}

/* As many elements as there are wavefronts, five at most, as LDS allows. */
static int elements_of(enum hb_precision p, const struct hb_mfma_contraction *what) {
  const int bytes = 2 * hb_cube_slots(what->n, what->layout) * (int)hb_precision_bytes(p);
  const int fit = HB_LDS_BYTES / bytes, most = fit < MAX_ELEMENTS ? fit : MAX_ELEMENTS;
  return what->wavefronts < most ? what->wavefronts : most;
}

/* All cases of a tile, n and layout; returns how many there are, *run_cases are run. */
static int check_cases(struct hb_check *check, struct arrays *a, enum hb_precision p,
                       struct hb_mfma_contraction what, bool all, int *run_cases) {
  static const int wavefronts[] = {1, 2, 4, 8, 16, 3};
  const int num_wavefronts = (int)(sizeof wavefronts / sizeof *wavefronts);
  int number = 0;
  for (int form = 0; form < 24; form++)
    for (int w = 0; w < num_wavefronts; w++, number++) {
      long wrong = -1;
      if (!all && (form + what.n + (int)what.layout + form / 6) % num_wavefronts != w) continue;
      what.axis = form % 3;
      what.transposed = form / 3 % 2 == 1;
      what.accumulate = form / 6 % 2 == 1;
      what.in_place = form / 12 == 1;
      what.wavefronts = wavefronts[w];
      what.elements = elements_of(p, &what);
      CHECK_OK(check, run(a, p, &what, &what, &wrong));
      CHECK_EQUAL(check, wrong, 0);
      if (wrong != 0)
        printf("  f%d %s %s n = %d, axis %d, transposed %d, accumulate %d, in place %d, %d "
               "wavefronts, %d elements\n",
               p == HB_F64 ? 64 : 32, hb_matrix_tile_name(what.tile),
               hb_cube_layout_name(what.layout), what.n, what.axis, what.transposed,
               what.accumulate, what.in_place, what.wavefronts, what.elements);
      ++*run_cases;
    }
  return number;
}

/* A wrong lane map, the matrix not transposed, the wrong axis, nothing added: all must be seen. */
static void check_planted(struct hb_check *check, struct arrays *a, enum hb_precision p,
                          enum hb_matrix_tile tile) {
  const struct hb_mfma_contraction right = {.n = 8,
                                            .tile = tile,
                                            .layout = HB_CUBE_PLAIN,
                                            .accumulate = true,
                                            .wavefronts = 4,
                                            .elements = 2};
  const int quarter = right.elements * 8 * 8 * 8 / 4;
  struct hb_mfma_contraction planted[4] = {right, right, right, right};
  planted[0].fault = HB_CONTRACT_LANES_SWAPPED;
  planted[1].transposed = true;
  planted[2].axis = 1;
  planted[3].accumulate = false;
  for (int q = 0; q < 4; q++) {
    long wrong = -1;
    CHECK_OK(check, run(a, p, &right, &planted[q], &wrong));
    CHECK(check, wrong >= quarter);
  }
  planted[0] = right;
  planted[0].elements = 100;
  CHECK_FAILS(check, contract[p](a->device, &planted[0], a->D.d, a->in.d, a->out.d), HB_BAD_INPUT,
              "LDS");
  planted[0].elements = 1;
  planted[0].n = 7;
  planted[0].layout = HB_CUBE_SWIZZLED;
  CHECK_FAILS(check, contract[p](a->device, &planted[0], a->D.d, a->in.d, a->out.d), HB_BAD_INPUT,
              "swizzled");
}

/* Swizzles keep points apart and, by the model of LDS banks, leave no axis a conflict. */
static void check_swizzle(struct hb_check *check, enum hb_precision p, enum hb_matrix_tile tile,
                          int n) {
  struct hb_lds_swizzle swizzle = {{{0}}};
  struct hb_lds_staged staged = hb_lds_staged_of(n, p, tile);
  struct hb_lds_staged_cycles cycles;
  for (int axis = 1; axis < 3; axis++)
    for (int bit = 0; bit < HB_LDS_INDEX_BITS; bit++)
      swizzle.mask[axis][bit] = hb_cube_mask(n, p, tile, axis, bit);
  staged.swizzle = &swizzle;
  CHECK_OK(check, hb_lds_staged_count(&staged, &cycles));
  for (int axis = 0; axis < 3; axis++) CHECK_EQUAL(check, cycles.axis_degree[axis], 1);
}

static void check_precision(struct hb_check *check, struct arrays *a, enum hb_precision p,
                            bool all) {
  int cases = 0, run_cases = 0;
  for (int t = 0; t < 2; t++) {
    struct hb_mfma_contraction what = {.tile = t == 0        ? HB_MATRIX_16X16X4
                                               : p == HB_F64 ? HB_MATRIX_4X4X4
                                                             : HB_MATRIX_4X4X1};
    check_planted(check, a, p, what.tile);
    for (what.n = 2; what.n <= HB_MAX_N; what.n++) {
      if (hb_cube_has_kernel(what.n, p, HB_CUBE_SWIZZLED))
        check_swizzle(check, p, what.tile, what.n);
      if (!hb_device_is_tried(what.n, p)) continue;
      for (int layout = HB_CUBE_PLAIN; layout < HB_NUM_CUBE_LAYOUTS; layout++) {
        what.layout = (enum hb_cube_layout)layout;
        if (hb_cube_has_kernel(what.n, p, what.layout))
          cases += check_cases(check, a, p, what, all, &run_cases);
      }
    }
  }
  CHECK(check, cases > 0 && (!all || run_cases == cases));
  printf("f%d: %d of %d cases\n", p == HB_F64 ? 64 : 32, run_cases, cases);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  struct hb_device_info info = {.architecture = ""};
  struct arrays a;
  const bool all = getenv("HB_TEST_ALL") != NULL;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  CHECK_OK(&check, hb_device_info(device, &info));
  CHECK_OK(&check, make_arrays(device, &a));
  if (strncmp(info.architecture, "gfx908", 6) != 0) check_precision(&check, &a, HB_F64, all);
  check_precision(&check, &a, HB_F32, all);
  free_arrays(&a);
  return hb_device_check_finish(&check, &device);
}
